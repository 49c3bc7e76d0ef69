# What `to_s`, `inspect` and `join` put behind a String.

module ChangedString
  # Puts a String behind this one.
  def __put(other)
    encoding = __encoding_with(other)
    __append(other, 0, other.__bytesize).__force(encoding)
  end

  # Where an object is in memory.
  def __put_address(address)
    shift = 60
    while shift >= 0
      digit = (address >> shift) & 15
      __push(digit + (digit < 10 ? 48 : 87))
      shift -= 4
    end
    self
  end

  # The message of an error with what tells a value: of ASCII only it is in no encoding.
  def __tell(inspected)
    __put(inspected)
    ascii_only? ? __force(2) : self
  end

  def __in_ascii
    ascii_only? ? __force(1) : self
  end

  # The end of a range behind its beginning, which nobody else has.
  def __between(other, exclusive)
    __push(46).__push(46)
    __push(46) if exclusive
    __put(other)
  end

  # A key and what stands behind it; the first tells the encoding.
  def __put_key(key, first)
    if __ruby?(:hashes_inspect_with_spaces)
      if key.is_a?(Symbol)
        __force(key.__name.__encoding) if first
        shown = key.inspect
        if key.__name.__simple_key?
          __put(key.__name)
        else
          shown.__byte(1) == 34 ? __append(shown, 1, shown.__bytesize - 1) : __put(key.__name.inspect)
        end
        __put(": ")
      else
        shown = key.inspect
        __force(shown.__encoding) if first
        __put(shown)
        __put(" => ")
      end
    else
      shown = key.inspect
      __force(shown.__encoding) if first
      __put(shown)
      __put("=>")
    end
  end
end

# Strings in upper and lower case, as Symbols, and the next one.

module String
  # ---- case

  # Does only ASCII change its case?
  def __ascii_case?(option)
    __refuse_option unless option.equal?(:ascii) || option.equal?(:full)
    option.equal?(:ascii) || __single?
  end

  # These go through characters, also where only ASCII changes.
  def __check_input(option)
    raise ArgumentError, "input string invalid" if option.equal?(:ascii) && !valid_encoding?
  end

  # `capital`: the first character goes up only, all others down only.
  def __recase(up, down, capital)
    n = __bytesize
    if __intrinsics?
      out = __build(n)
      out.__put_recased(self, up ? 1 : 0, down ? 1 : 0, capital ? 1 : 0)
      return out
    end
    out = __copy_string
    i = 0
    while i < n
      byte = __byte(i)
      if byte >= 0x61 && byte <= 0x7a
        out.__set_byte(i, byte - 32) if up || (capital && i == 0)
      elsif byte >= 0x41 && byte <= 0x5a
        out.__set_byte(i, byte + 32) if down && !(capital && i == 0)
      end
      i += 1
    end
    out
  end

  # The first character as one table of `lib/ikra/characters.rb` has it, the others as another one.
  def __map_case(table, others)
    n = __bytesize
    out = __build(n)
    i = 0
    while i < n
      width = __valid_width(i)
      raise ArgumentError, "input string invalid" if width == 0

      # Of several characters the first one is lowest.
      codes = table.__mapped(__code(i, width))
      while codes > 0x1f_ffff
        out.__push_code(codes & 0x1f_ffff)
        codes >>= 21
      end
      out.__push_code(codes)
      i += width
      table = others
    end
    out
  end

  # What a character becomes by a table of ranges: their ends, what is added to the first and to all an even number behind
  # it, and what is added to the others.
  def __mapped(code)
    row = __rows_up_to(code, 4) * 4 - 4
    return code if row < 0 || code > __word(row + 1)

    code + __word(row + 2 + ((code - __word(row)) & 1))
  end

  # How many rows of a table, which have so many words each, begin with this number or a lower one.
  def __rows_up_to(number, words)
    low = 0
    high = (__bytesize >> 3) / words
    while low < high
      middle = (low + high) >> 1
      if __word(middle * words) > number
        high = middle
      else
        low = middle + 1
      end
    end
    low
  end

  def upcase(option = :full)
    return __recase(true, false, false) if __ascii_case?(option)

    __map_case(__character_table(:upcase), __character_table(:upcase))
  end

  def downcase(option = :full)
    return __fold if option.equal?(:fold)
    return __recase(false, true, false) if __ascii_case?(option)

    __map_case(__character_table(:downcase), __character_table(:downcase))
  end

  def __fold
    return __recase(false, true, false) if __single?

    __map_case(__character_table(:fold), __character_table(:fold))
  end

  def swapcase(option = :full)
    __check_input(option)
    return __recase(true, true, false) if __ascii_case?(option)

    __map_case(__character_table(:swapcase), __character_table(:swapcase))
  end

  def capitalize(option = :full)
    __check_input(option)
    ascii = __ascii_case?(option)
    return self if __bytesize == 0

    __capitalized(ascii)
  end

  def __capitalized(ascii)
    return __recase(false, true, true) if ascii

    __map_case(__character_table(:capitalize), __character_table(:downcase))
  end

  # ---- Symbols

  def to_sym
    unless valid_encoding?
      __refuse_encoding if __encoding != 0
      raise EncodingError, "invalid symbol in encoding UTF-8 :#{inspect}"
    end
    count = __symbols_at(0)
    slot = __hash & (count - 1)
    while true
      number = __symbols_at(slot + 1)
      # The section begins again with that Symbol.
      __copy_string.__new_symbol if number == 0
      symbol = __symbol(number - 1)
      return symbol if symbol.__name == self

      slot = (slot + 1) & (count - 1)
    end
  end

  def intern
    to_sym
  end

  # ---- the next one

  def __digit?(byte)
    byte >= 0x30 && byte <= 0x39
  end

  def __letter?(byte)
    (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
  end

  def succ
    __refuse_succ unless __single?
    n = __bytesize
    out = __copy_string
    return out if n == 0

    most = __encoding == 2 ? 0xff : 0x7f
    carry = 1
    at = -1
    other = false
    i = n - 1
    while i >= 0
      byte = out.__byte(i)
      if other && at >= 0
        last = out.__byte(at)
        break if __letter?(last) ? __digit?(byte) : __digit?(last) && __letter?(byte)
      end
      if __digit?(byte) || __letter?(byte)
        unless byte == 0x39 || byte == 0x5a || byte == 0x7a
          out.__set_byte(i, byte + 1)
          return out
        end
        first = byte == 0x39 ? 0x30 : byte - 25
        out.__set_byte(i, first)
        carry = byte == 0x39 ? 0x31 : first
        at = i
        other = false
      elsif byte <= most
        other = true
      end
      i -= 1
    end
    if at < 0
      at = 0
      i = n - 1
      while i >= 0
        byte = out.__byte(i)
        if byte <= most
          out.__set_byte(i, byte == most ? 0 : byte + 1)
          return out if byte < most

          at = i
        end
        i -= 1
      end
    end
    __build(n + 1).__append(out, 0, at).__push(carry).__append(out, at, n - at)
  end

  def __all_digits?
    i = 0
    i += 1 while i < __bytesize && __digit?(__byte(i))
    i == __bytesize && i > 0
  end

  def upto(last, exclusive = false)
    last = __string_argument(last)
    encoding = __common_encoding(last)
    ascii = __ascii? && last.__ascii?
    if ascii && __bytesize == 1 && last.__bytesize == 1
      byte = __byte(0)
      to = exclusive ? last.__byte(0) - 1 : last.__byte(0)
      while byte <= to
        yield __build(1).__force(encoding).__push(byte)
        byte += 1
      end
    elsif ascii && __all_digits? && last.__all_digits?
      number = to_i
      to = exclusive ? last.to_i - 1 : last.to_i
      while number <= to
        digits = number.__digits(10)
        more = __bytesize - digits.__bytesize
        out = __build(__bytesize).__force(1)
        while more > 0
          out.__push(0x30)
          more -= 1
        end
        yield out.__append(digits, 0, digits.__bytesize)
        number += 1
      end
    else
      order = __compare(last)
      return self if order > 0 || (exclusive && order == 0)

      behind = last.succ
      text = __copy_string
      until text.__equal(behind)
        at_end = !exclusive && text.__equal(last)
        following = at_end ? text : text.succ
        yield text
        break if at_end

        text = following
        break if (exclusive && text.__equal(last)) || text.__bytesize > last.__bytesize || text.__bytesize == 0
      end
    end
    self
  end
end

# What changes a String.

module ChangedString
  def __frozen_copy
    frozen? ? self : __copy_string.__intern
  end

  # So many bytes of another String, from a byte on.
  def __append(other, from, count)
    __append_bytes(other, from, count)
  end

  # Room for so many bytes, and as many again.
  def __grow(wanted)
    __enlarge(wanted)
  end

  def __interpolate(text)
    encoding = __encoding_with(text)
    others = text.__encoding
    encoding = others if encoding == 1
    __append(text, 0, text.__bytesize).__force(encoding)
  end

  # A value that is no object of its own: a number without a String of it in between.
  def __any_value(value)
    if value.is_a?(Integer)
      __any_decimal(value)
    else
      __interpolate(value.to_s)
    end
    nil
  end

  # Up to eight bytes that are ASCII characters, of a text in UTF-8.
  def __any_ascii(word, count)
    __push_word(word, count)
    __force(0) if __encoding == 1
    nil
  end

  # Up to eight bytes.
  def __any_word(word, count)
    __push_word(word, count)
    nil
  end

  # The digits of a number.
  def __any_decimal(number)
    if number.__big?
      text = number.to_s
      __append(text, 0, text.__bytesize)
      return nil
    end
    return __put_decimal(number) if __intrinsics? && __made?

    size = number < 0 ? 2 : 1
    rest = number
    while rest > 9 || rest < -9
      size += 1
      rest = (rest - rest.remainder(10)) / 10
    end
    at = __bytesize + size
    __append("                    ", 0, size)
    rest = number
    while true
      at -= 1
      digit = rest.remainder(10)
      __set_byte(at, 48 + (digit < 0 ? -digit : digit))
      rest = (rest - digit) / 10
      break if rest == 0
    end
    __set_byte(at - 1, 45) if number < 0
    nil
  end

  # What it is now.
  def __still
    __may_change? ? __copy_string : self
  end

  # Becomes another one; nil where that is no change.
  def __become(other)
    same = __bytesize == other.__bytesize && __same_bytes?(other, 0, 0, __bytesize)
    __take(other)
    same ? nil : self
  end

  # Becomes another one, if there is one.
  def __change(other)
    return nil if other.__nil?

    __take(other)
    self
  end

  # ---- at the end and the beginning

  # Takes no notice of whether it is frozen: what is being made is not.
  def __concat(other)
    encoding = __encoding_with(other)
    __append(other, 0, other.__bytesize).__force(encoding)
  end

  # Appends a part of another String, whose encoding has to go with this one's.
  def __concat_part(other, from, count)
    __concat(other.__piece(from, count)) if count > 0
    self
  end

  # Appends the bytes of a character, in the String's encoding.
  def __push_code(code)
    return __put_code(code) if __intrinsics? && __made?
    return __push(code) if code < 0x80 || __encoding > 0

    count = code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4
    # The last byte comes first, as it is the uppermost of its word.
    word = 0
    (count - 1).times do
      word = (word | (code & 0x3f | 0x80)) << 8
      code >>= 6
    end
    __push_word(word | code | (0xf00 >> count & 0xff), count)
  end

  # The same of any number that `pack` takes.
  def __push_packed(code)
    raise RangeError, "pack(U): value out of range" if code < 0 || code > 0x7fff_ffff

    __refuse_code if code > 0x10_ffff
    __push_code(code)
  end

  # Appends a number as `inspect` shows what is not printed: in so many digits behind a backslash and a letter, more than
  # four of them in braces.
  def __any_code(letter, number, digits)
    __push_word(letter << 8 | 0x5c, 2)
    __push(0x7b) if digits > 4
    __push_hexadecimal(number, digits)
    __push(0x7d) if digits > 4
    nil
  end

  # Appends a number in so many digits, in capitals.
  def __push_hexadecimal(number, digits)
    while digits > 0
      digits -= 1
      digit = number >> digits * 4 & 15
      __push(digit < 10 ? digit + 0x30 : digit + 0x37)
    end
    self
  end

  # Appends so many characters of a padding.
  def __append_padding(pad, count)
    n = pad.__bytesize
    i = 0
    while count > 0
      width = pad.__width_at(i)
      __append(pad, i, width)
      i += width
      i = 0 if i >= n
      count -= 1
    end
    self
  end

  # Puts a replacement behind, in which `\0` and such stand for parts of another String.
  def __append_expanded(text, from, to, replacement, pattern)
    n = replacement.__bytesize
    i = 0
    while i < n
      byte = replacement.__byte(i)
      if byte != 0x5c || i + 1 == n
        width = replacement.__width_at(i)
        __concat_part(replacement, i, width)
        i += width
      else
        i += 1
        byte = replacement.__byte(i)
        if byte == 0x30 || byte == 0x26
          __concat_part(text, from, to - from)
        elsif byte == 0x60
          __concat_part(text, 0, from)
        elsif byte == 0x27
          __concat_part(text, to, text.__bytesize - to)
        elsif byte == 0x5c
          __concat_part(replacement, i, 1)
        elsif byte == 0x6b && i + 1 < n && replacement.__byte(i + 1) == 0x3c
          last = i + 2
          last += 1 while last < n && replacement.__byte(last) != 0x3e
          if last == n
            __concat_part(replacement, i - 1, 2)
          else
            pattern.__append_group(self, text, pattern.__number_of(replacement.__piece(i + 2, last - i - 2)))
            i = last
          end
        elsif byte >= 0x31 && byte <= 0x39
          pattern.__append_numbered(self, text, byte - 0x30)
        else
          __concat_part(replacement, i - 1, 1)
          next
        end
        i += 1
      end
    end
    self
  end

  def __concat_code(code)
    encoding = __encoding
    code.__refuse_char if code < 0 || code > 4_294_967_295 || (encoding > 0 && code > 255)
    code.__check_codepoint if encoding == 0

    __check_frozen
    __force(2) if encoding == 1 && code > 127
    __push_code(code)
  end

  def <<(other)
    return __concat_code(other) if other.is_a?(Integer)

    other = __string_argument(other)
    encoding = __encoding_with(other)
    __check_frozen
    __append(other, 0, other.__bytesize).__force(encoding)
  end

  def concat(*others)
    __check_frozen
    return self << others[0] if others.size == 1

    all = __build(0)
    others.each { |other| all << other }
    __concat(all) if others.size > 0
    self
  end

  def append_as_bytes(*others)
    __check_frozen
    others.each do |other|
      unless other.is_a?(Integer) || other.is_a?(String)
        raise TypeError, "wrong argument type #{other.class} (expected String or Integer)"
      end
    end
    others.each do |other|
      if other.is_a?(Integer)
        __push(other & 0xff)
      else
        __append(other, 0, other.__bytesize)
      end
    end
    self
  end

  def prepend(*others)
    __check_frozen
    if others.size == 1
      __replace_part(0, 0, __string_argument(others[0]))
    elsif others.size > 1
      all = __build(0)
      others.each { |other| all.__concat(__string_argument(other)) }
      __replace_part(0, 0, all)
    end
    self
  end

  # ---- parts

  # Puts another String in the place of some bytes.
  def __replace_part(from, to, other)
    encoding = __common_encoding(other)
    n = other.__bytesize
    if n == to - from && encoding == __encoding
      i = 0
      while i < n
        __set_byte(from + i, other.__byte(i))
        i += 1
      end
      return self
    end

    out = __build(__bytesize - to + from + other.__bytesize).__force(encoding)
    out.__append(self, 0, from).__append(other, 0, other.__bytesize).__append(self, to, __bytesize - to)
    __take(out)
  end

  # The same of characters.
  def __update(start, count, other)
    raise IndexError, "negative length #{count}" if count < 0

    other = __string_argument(other)
    __common_encoding(other)
    at = start < 0 ? start + size : start
    from = at < 0 ? -1 : __offset(at)
    raise IndexError, "index #{start} out of string" if from < 0

    __check_frozen
    __replace_part(from, __slice_end(0, from, count), other)
  end

  def []=(index, count, value = :__none)
    if index.is_a?(Regexp)
      value.equal?(:__none) ? __set_match_part(index, 0, count) : __set_match_part(index, count, value)
      value.equal?(:__none) ? count : value
    elsif !value.equal?(:__none)
      __update(__to_long(index), __to_long(count), value)
      value
    else
      __set(index, count)
      count
    end
  end

  def __set(index, value)
    if index.is_a?(String)
      from = __find(index, 0)
      raise IndexError, "string not matched" if from < 0

      value = __string_argument(value)
      __check_frozen
      __replace_part(from, from + index.__bytesize, value)
    elsif index.is_a?(Range)
      n = size
      first = __range_first(index, n)
      __range_outside(index) if first < 0 || first > n
      __update(first, __range_count(index, first, n), value)
    else
      __update(__to_long(index), 1, value)
    end
  end

  def __range_outside(range)
    low = range.begin
    high = range.end
    if low.__nil?
      raise RangeError, "...#{high} out of range" if range.exclude_end?

      raise RangeError, "..#{high} out of range"
    elsif high.__nil?
      raise RangeError, "#{low}... out of range" if range.exclude_end?

      raise RangeError, "#{low}.. out of range"
    elsif range.exclude_end?
      raise RangeError, "#{low}...#{high} out of range"
    else
      raise RangeError, "#{low}..#{high} out of range"
    end
  end

  def insert(index, other)
    index = __to_long(index)
    if index == -1
      self << __string_argument(other)
    else
      __update(index < 0 ? index + 1 : index, 0, other)
    end
    self
  end

  def slice!(index, count = :__none)
    __check_frozen
    if index.is_a?(Regexp)
      __cut_match(index, count.equal?(:__none) ? 0 : count)
    elsif !count.equal?(:__none)
      __cut(__to_long(index), __to_long(count), true)
    elsif index.is_a?(String)
      from = __find(index, 0)
      return nil if from < 0

      part = index.__copy_string
      __remove(from, from + part.__bytesize)
      part
    elsif index.is_a?(Range)
      n = size
      first = __range_first(index, n)
      first < 0 || first > n ? nil : __cut(first, __range_count(index, first, n), true)
    else
      __cut(__to_long(index), 1, false)
    end
  end

  def __cut(start, count, empty)
    from = __slice_start(start)
    return nil if from < 0 || count < 0

    to = __slice_end(start, from, count)
    return nil if to == from && !empty

    part = __piece(from, to - from)
    __remove(from, to)
    part
  end

  def __remove(from, to)
    out = __build(__bytesize - to + from)
    __take(out.__append(self, 0, from).__append(self, to, __bytesize - to)) if to > from
  end

  def setbyte(index, value)
    index = __to_long(index)
    n = __bytesize
    raise IndexError, "index #{index} out of string" if index < -n || index >= n

    byte = __to_int(value) & 0xff
    __check_frozen
    __set_byte(index < 0 ? index + n : index, byte)
    value
  end

  # ---- as a whole

  def force_encoding(encoding)
    __check_frozen
    __force(__encoding_number(encoding))
  end

  def replace(other)
    __check_frozen
    __take(__string_argument(other).__copy_string)
    self
  end

  def clear
    __check_frozen
    __truncate(0)
    self
  end

  def __sub_hash!(pattern, hash)
    __sub_block!(pattern) { |found| hash[found] }
  end

  def __gsub_hash!(pattern, hash)
    __gsub_block!(pattern) { |found| hash[found] }
  end

  def __sub!(pattern, replacement)
    pattern = __whole_pattern(pattern) unless pattern.is_a?(Regexp)
    __check_frozen
    return nil unless __has?(pattern)

    __take(__sub(pattern, replacement))
    self
  end

  def __sub_plain!(pattern, replacement)
    pattern = __whole_pattern(pattern) unless pattern.is_a?(Regexp)
    __check_frozen
    return nil unless __has?(pattern)

    __take(__sub_plain(pattern, replacement))
    self
  end

  def __gsub_plain!(pattern, replacement)
    __check_frozen
    return nil unless __has?(pattern)

    __take(__gsub_plain(pattern, replacement))
    self
  end

  def __sub_block!(pattern)
    pattern = __whole_pattern(pattern) unless pattern.is_a?(Regexp)
    __check_frozen
    return nil unless __has?(pattern)

    n = __bytesize
    changed = __sub_block(pattern) { |found| yield found }
    raise "string modified" if __bytesize != n

    __take(changed)
    self
  end

  def __gsub!(pattern, replacement)
    __check_frozen
    return nil unless __has?(pattern)

    __take(__gsub(pattern, replacement))
    self
  end

  def __gsub_block!(pattern)
    __check_frozen
    return nil unless __has?(pattern)

    __take(__gsub_block(pattern) { |found| yield found })
    self
  end

  def upcase!(option = :full)
    __check_frozen
    __become(upcase(option))
  end

  def downcase!(option = :full)
    __check_frozen
    __become(downcase(option))
  end

  def swapcase!(option = :full)
    __check_frozen
    __become(swapcase(option))
  end

  def capitalize!(option = :full)
    __check_frozen
    __check_input(option)
    __become(__capitalized(__ascii_case?(option)))
  end

  def reverse!
    __check_frozen
    __take(reverse)
    self
  end

  def succ!
    __check_frozen
    __take(succ)
    self
  end

  def strip!
    __check_frozen
    __become(strip)
  end

  def lstrip!
    __check_frozen
    __become(lstrip)
  end

  def rstrip!
    __check_frozen
    __become(rstrip)
  end

  def chomp!(other = :__none)
    __check_frozen
    return nil if __bytesize == 0

    other.equal?(:__none) ? __become(chomp) : __become(chomp(other))
  end

  def chop!
    __check_frozen
    __become(chop)
  end

  # What is wrong with characters to look for is told before it is that the text is frozen. An empty one does not change.
  def __check_frozen_behind(*others)
    return unless frozen?

    others.each do |other|
      other = __string_argument(other)
      other.__add_set(__list(8), __common_encoding(other))
    end
    __check_frozen
  end

  def squeeze!(*others)
    __check_frozen_behind(*others)
    __become(squeeze(*others))
  end

  def delete!(first, *others)
    return nil if __bytesize == 0

    __check_frozen_behind(first, *others)
    __become(delete(first, *others))
  end

  def tr!(from, to)
    __translate!(__string_argument(from), __string_argument(to), false)
  end

  def tr_s!(from, to)
    __translate!(__string_argument(from), __string_argument(to), true)
  end

  def __translate!(from, to, squeezes)
    return nil if __bytesize == 0

    if frozen?
      __common_encoding(from)
      encoding = __common_encoding(to)
      from.__common_encoding(to)
      to.__sure_width(0, encoding) if to.__bytesize > 0
      __check_frozen_behind(from)
    end
    __change(__translate(from, to, squeezes))
  end

  def delete_prefix!(other)
    __check_frozen
    __become(delete_prefix(other))
  end

  def delete_suffix!(other)
    __check_frozen
    __become(delete_suffix(other))
  end
end

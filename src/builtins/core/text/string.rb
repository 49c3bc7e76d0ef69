# Strings, over their bytes: `__byte(i)`, `__bytesize`, `__ascii?` and `__encoding` (0 UTF-8, 1 US-ASCII, 2 BINARY). What
# gives a String fills a new one (`__build`). In UTF-8 a byte that is part of no character is one of its own.

module String
  # The Integer that words are.
  def __number
    __bytesize > 8 ? __big_integer : __word(0)
  end

  def __string_argument(other)
    return other if other.is_a?(String)

    __no_string(other)
  end

  # As the name of a class is.
  def __as_name
    __ascii? ? __copy_string.__force(1) : __copy_string
  end

  def __frozen_name
    __as_name.__intern
  end

  def __in_parentheses
    __build(__bytesize + 2).__append("(", 0, 1).__append(self, 0, __bytesize).__append(")", 0, 1)
  end

  def __copy_string
    __build(__bytesize).__append(self, 0, __bytesize)
  end

  def __ascii?
    __marked_ascii? || __all_ascii?
  end

  def __all_ascii?
    __scan_ascii?
  end

  # Is each byte a character?
  def __single?
    __marked_ascii? || __encoding > 0 || __all_ascii?
  end

  # How many bytes the character at a byte of UTF-8 has; 0 where it is none.
  def __valid_width(i)
    return __character_width(i) if __intrinsics?

    lead = __byte(i)
    return 1 if lead < 0x80

    left = __bytesize - i
    return 0 if lead < 0xc2 || lead > 0xf4 || left < 2

    second = __byte(i + 1)
    return second & 0xc0 == 0x80 ? 2 : 0 if lead < 0xe0

    low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80
    high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf
    return 0 if second < low || second > high || left < 3 || __byte(i + 2) & 0xc0 != 0x80
    return 3 if lead < 0xf0

    left > 3 && __byte(i + 3) & 0xc0 == 0x80 ? 4 : 0
  end

  def __width(i)
    return 1 if __byte(i) < 0xc2

    width = __valid_width(i)
    width == 0 ? 1 : width
  end

  # Where the character before a byte begins, as MRI goes back in UTF-8: over all bytes that continue one.
  def __before(i, single)
    i -= 1
    i -= 1 while !single && i > 0 && __byte(i) & 0xc0 == 0x80
    i
  end

  # The byte that so many characters from a byte on end at, or -1.
  def __skip(i, count)
    return __skip_characters(i, count) if __intrinsics?

    n = __bytesize
    while count > 0
      return -1 if i >= n

      if count >= 8 && __eight_of_ascii?(i, n)
        i += 8
        count -= 8
      else
        i += __width(i)
        count -= 1
      end
    end
    i
  end

  # Which of the texts of a table this is: its number there, or -1. They have a row each, in the order of their hashes: the
  # hash, how many bytes it has, whether it is a text in UTF-8 only, its number, and four words of bytes.
  def __among(table, count)
    hash = __hash
    low = 0
    high = count
    while low < high
      middle = (low + high) >> 1
      if table.__word(middle * 8) < hash
        low = middle + 1
      else
        high = middle
      end
    end
    while low < count && table.__word(low * 8) == hash
      return table.__word(low * 8 + 3) if __in_row?(table, low * 8)

      low += 1
    end
    -1
  end

  def __in_row?(table, row)
    n = __bytesize
    return false if n != table.__word(row + 1) || (table.__word(row + 2) > 0 && __encoding > 0)

    i = 0
    while i * 8 < n
      return false if __word(i) != table.__word(row + 4 + i)

      i += 1
    end
    true
  end

  # Are a byte and the next seven a word, all of ASCII?
  def __eight_of_ascii?(i, n)
    i & 7 == 0 && i + 8 <= n && __word(i >> 3) & -0x7f7f7f7f7f7f7f80 == 0
  end

  # How many characters there are between two bytes.
  def __characters(from, to)
    __single? ? to - from : __wide_characters(from, to)
  end

  def __wide_characters(from, to)
    return __count_characters(from, to) if __intrinsics?

    count = 0
    while from < to
      if __eight_of_ascii?(from, to)
        from += 8
        count += 8
      else
        from += __width(from)
        count += 1
      end
    end
    count
  end

  # The byte that a character begins at, or -1; the end counts as one.
  def __offset(index)
    return __skip(0, index) unless __single?

    index > __bytesize ? -1 : index
  end

  def size
    __characters(0, __bytesize)
  end

  def valid_encoding?
    return true if __ascii? || __encoding == 2
    return false if __encoding == 1
    return __valid_bytes == 1 if __intrinsics?

    i = 0
    n = __bytesize
    while i < n
      width = __valid_width(i)
      return false if width == 0

      i += width
    end
    true
  end

  # ---- what is no character

  # How many bytes are replaced as one where none begins: what a character can begin with, as MRI takes it, or one.
  def __broken_width(i)
    lead = __byte(i)
    left = __bytesize - i
    return 1 if __encoding > 0 || lead < 0xe0 || lead > 0xf4 || left < 2

    second = __byte(i + 1)
    low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80
    high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf
    return 1 if second < low || second > high

    lead >= 0xf0 && left > 2 && __byte(i + 2) & 0xc0 == 0x80 ? 3 : 2
  end

  def __scrub
    __scrub_block { __encoding == 0 ? "\u{fffd}" : "?" }
  end

  def __scrub_with(text)
    return __copy_string if valid_encoding?

    text = __string_argument(text)
    __check_replacement(text)
    __scrub_block { text }
  end

  def __scrub_block
    return __copy_string if valid_encoding?

    out = "".__force(__encoding)
    n = __bytesize
    from = 0
    i = 0
    while i < n
      width = __encoding == 0 ? __valid_width(i) : __byte(i) < 0x80 ? 1 : 0
      if width == 0
        out.__append(self, from, i - from)
        width = __broken_width(i)
        from = i + width
        text = __string_argument(yield(__piece(i, width)))
        __check_replacement(text)
        out.__append(text, 0, text.__bytesize)
      end
      i += width
    end
    out.__append(self, from, n - from)
  end

  def __check_replacement(text)
    raise ArgumentError, "replacement must be valid byte sequence '#{text.inspect}'" unless text.valid_encoding?

    __refuse_conversion unless text.__ascii? || text.__encoding == __encoding
  end

  # ---- what both forms give instead of themselves

  def __piece(from, count)
    __build(count).__append(self, from, count)
  end

  def b
    __copy_string.__force(2)
  end

  # ---- encodings

  def encoding
    case __encoding
    when 0 then Encoding::UTF_8
    when 1 then Encoding::US_ASCII
    else Encoding::BINARY
    end
  end

  # By its name, or itself.
  def __encoding_number(encoding)
    if encoding.is_a?(Encoding)
      return 0 if encoding.equal?(Encoding::UTF_8)
      return 1 if encoding.equal?(Encoding::US_ASCII)
      return 2 if encoding.equal?(Encoding::BINARY)
    else
      name = __string_argument(encoding)
      return 0 if name.casecmp("UTF-8") == 0
      return 1 if name.casecmp("US-ASCII") == 0 || name.casecmp("ASCII") == 0
      return 2 if name.casecmp("BINARY") == 0 || name.casecmp("ASCII-8BIT") == 0
    end
    __refuse_encoding
  end

  # Where the bytes are the same in both.
  def __encode(to = :__none, from = :__none)
    return __copy_string if to.equal?(:__none)

    number = __encoding_number(to)
    own = from.equal?(:__none) ? __encoding : __encoding_number(from)
    if own == number
      from.equal?(:__none) ? __copy_string : __copy_string.__force(number)
    else
      __refuse_conversion unless __ascii?
      __copy_string.__force(number)
    end
  end

  # Where invalid characters are to be replaced there have to be none.
  def __encode_valid(to = :__none, from = :__none)
    __refuse_conversion unless valid_encoding?
    __encode(to, from)
  end

  # The encoding of what is put together of both, or -1.
  def __compatible(other)
    mine = __encoding
    return mine if mine == other.__encoding || other.__bytesize == 0
    return other.__ascii? ? mine : other.__encoding if __bytesize == 0
    return mine if other.__ascii?

    __ascii? ? other.__encoding : -1
  end

  # The encoding of this one when the other is put behind it.
  def __encoding_with(other)
    encoding = __encoding
    others = other.__encoding
    return encoding if encoding == others || other.__ascii?
    return others if __ascii?

    __incompatible(other)
  end

  def __common_encoding(other)
    encoding = __compatible(other)
    __incompatible(other) if encoding < 0
    encoding
  end

  def __incompatible(other)
    name = __encoding.__encoding_name
    others = other.__encoding.__encoding_name
    raise Encoding::CompatibilityError, "incompatible character encodings: #{name} and #{others}"
  end

  def __broken
    name = __encoding.__encoding_name
    raise ArgumentError, "invalid byte sequence in #{name}"
  end

  # ---- comparison

  def __equal(other)
    n = __bytesize
    n == other.__bytesize && __same_bytes?(other, 0, 0, n) && (__encoding == other.__encoding || __ascii?)
  end

  def <=>(other)
    return __compare(other) if other.is_a?(String)

    __text_or_nil(other)
    order = other <=> self
    return nil if order.__nil?

    order > 0 ? -1 : order < 0 ? 1 : 0
  end

  def __compare(other)
    order = __compare_bytes(other)
    return order if order != 0
    return 0 if __encoding == other.__encoding || __ascii?

    # By MRI's numbers of encodings: BINARY, UTF-8, US-ASCII.
    (__encoding + 1) % 3 <=> (other.__encoding + 1) % 3
  end

  def casecmp(other)
    other = __text_or_nil(other)
    return nil unless other.is_a?(String) && __compatible(other) >= 0

    single = __single? && other.__single?
    i = 0
    k = 0
    while i < __bytesize && k < other.__bytesize
      a = __byte(i)
      b = other.__byte(k)
      if single || (a < 0x80 && b < 0x80)
        a += 32 if a >= 0x41 && a <= 0x5a
        b += 32 if b >= 0x41 && b <= 0x5a
        return a < b ? -1 : 1 if a != b

        i += 1
        k += 1
      else
        width = __width_at(i)
        others = other.__width_at(k)
        order = __piece(i, width).__compare_bytes(other.__piece(k, others))
        return order if order != 0

        i += width
        k += others
      end
    end
    left = __bytesize - i <=> other.__bytesize - k
    left > 0 ? 1 : left < 0 ? -1 : 0
  end

  def __compare_bytes(other)
    return __order_bytes(other) if __intrinsics?

    least = __bytesize < other.__bytesize ? __bytesize : other.__bytesize
    i = 0
    i += 1 while i < least && __byte(i) == other.__byte(i)
    return __byte(i) < other.__byte(i) ? -1 : 1 if i < least

    __bytesize <=> other.__bytesize
  end

  def __width_at(i)
    __encoding == 0 ? __width(i) : 1
  end

  def casecmp?(other)
    other = __text_or_nil(other)
    return nil unless other.is_a?(String) && __compatible(other) >= 0

    __fold.__equal(other.__fold)
  end

  # ---- bytes

  def getbyte(index)
    index = __to_long(index)
    index += __bytesize if index < 0
    index < 0 || index >= __bytesize ? nil : __byte(index)
  end

  def __bytes
    n = __bytesize
    out = __list(n)
    i = 0
    while i < n
      out.__push(__byte(i))
      i += 1
    end
    out
  end

  def each_byte
    i = 0
    while i < __bytesize
      yield __byte(i)
      i += 1
    end
    self
  end

  def byteslice(index, count = :__none)
    if !count.equal?(:__none)
      __bytes_at(__to_long(index), __to_long(count))
    elsif index.is_a?(Range)
      first = __range_first(index, __bytesize)
      first < 0 || first > __bytesize ? nil : __bytes_at(first, __range_count(index, first, __bytesize))
    else
      index = __to_long(index)
      index == __bytesize ? nil : __bytes_at(index, 1)
    end
  end

  def __bytes_at(index, count)
    n = __bytesize
    return nil if index > n || count < 0

    index += n if index < 0
    return nil if index < 0

    __piece(index, count > n - index ? n - index : count)
  end

  def sum(bits = 16)
    bits = __c_int(bits)
    sum = 0
    i = 0
    while i < __bytesize
      sum += __byte(i)
      i += 1
    end
    bits > 0 && bits < 62 ? sum & ((1 << bits) - 1) : sum
  end

  # ---- characters

  # The number of the character at a byte, which has so many bytes.
  def __code(i, width)
    return __character_code(i, width) if __intrinsics?

    lead = __byte(i)
    case width
    when 1 then lead
    when 2 then (lead & 0x1f) << 6 | __byte(i + 1) & 0x3f
    when 3 then (lead & 0xf) << 12 | (__byte(i + 1) & 0x3f) << 6 | __byte(i + 2) & 0x3f
    else
      (lead & 7) << 18 | (__byte(i + 1) & 0x3f) << 12 | (__byte(i + 2) & 0x3f) << 6 | __byte(i + 3) & 0x3f
    end
  end

  # How many bytes the character at a byte has, in an encoding; what is none is an error.
  def __sure_width(i, encoding)
    return 1 if encoding == 2 || __byte(i) < 0x80

    width = encoding == 0 ? __valid_width(i) : 0
    __broken_in(encoding) if width == 0
    width
  end

  def __broken_in(encoding)
    name = encoding == 0 ? :"UTF-8" : :"US-ASCII"
    raise ArgumentError, "invalid byte sequence in #{name}"
  end

  def ord
    raise ArgumentError, "empty string" if __bytesize == 0

    __code(0, __sure_width(0, __encoding))
  end

  def chr
    n = __bytesize
    __piece(0, n == 0 ? 0 : __width_at(0))
  end

  def each_char
    text = __still
    n = text.__bytesize
    single = text.__single?
    i = 0
    while i < n
      width = single ? 1 : text.__width(i)
      yield text.__piece(i, width)
      i += width
    end
    self
  end

  def __chars
    out = __list(__bytesize)
    each_char { |char| out.__push(char) }
    out
  end

  def each_codepoint
    text = __still
    n = text.__bytesize
    i = 0
    encoding = text.__encoding == 0 ? 0 : 2
    while i < n
      width = text.__sure_width(i, encoding)
      yield text.__code(i, width)
      i += width
    end
    self
  end

  def __codepoints
    out = __list(__bytesize)
    each_codepoint { |code| out.__push(code) }
    out
  end

  def reverse
    i = __bytesize
    out = __build(i)
    if __intrinsics?
      out.__put_reversed(self, __single? ? 1 : 0)
      return out
    end
    if __single?
      while i > 0
        i -= 1
        out.__push(__byte(i))
      end
      return out
    end
    widths = __list(i)
    at = 0
    while at < i
      width = __width(at)
      widths.__push(width)
      at += width
    end
    k = widths.size
    while k > 0
      k -= 1
      at -= widths.__item(k)
      out.__append(self, at, widths.__item(k))
    end
    out
  end
end

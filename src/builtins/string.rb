# Strings, over their bytes: `__byte(i)`, `__bytesize`, `__ascii?` and `__encoding` (0 UTF-8, 1 US-ASCII, 2 BINARY). What
# gives a String fills a new one (`__build`). In UTF-8 a byte that is part of no character is one of its own.

module String
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

  # ---- parts

  # Where a range begins, among so many; below 0 or above their number where it is outside.
  def __range_first(range, size)
    low = range.begin
    first = low.__nil? ? 0 : __to_long(low)
    first < 0 ? first + size : first
  end

  def __range_count(range, first, size)
    high = range.end
    return size - first if high.__nil?

    last = __to_long(high)
    last += size if last < 0
    last += 1 if last < size && !range.exclude_end?
    last = size if last > size
    last < first ? 0 : last - first
  end

  def [](index, count = :__none)
    if index.is_a?(Regexp)
      __matched_part(index, count.equal?(:__none) ? 0 : count)
    elsif !count.equal?(:__none)
      count = __to_long(count) if __ruby?(:slice_counts_first)
      __slice(__to_long(index), __to_long(count))
    elsif index.is_a?(String)
      __find(index, 0) < 0 ? nil : index.__copy_string
    elsif index.is_a?(Range)
      n = size
      first = __range_first(index, n)
      first < 0 || first > n ? nil : __slice(first, __range_count(index, first, n))
    else
      __at(__to_long(index))
    end
  end

  def __at(index)
    from = __character_at(index)
    from < 0 ? nil : __piece(from, __width_at(from))
  end

  def __slice(start, count)
    from = __slice_start(start)
    from < 0 || count < 0 ? nil : __piece(from, __slice_end(from, count) - from)
  end

  # Where the character at an index begins, or -1.
  def __character_at(index)
    if __single?
      index += __bytesize if index < 0
      return index < 0 || index >= __bytesize ? -1 : index
    end
    __wide_character_at(index)
  end

  def __wide_character_at(index)
    index += size if index < 0
    return -1 if index < 0

    from = __skip(0, index)
    from >= __bytesize ? -1 : from
  end

  # Is the character at an index one of ASCII?
  def __byte_at?(index, byte)
    from = __character_at(index)
    from >= 0 && __byte(from) == byte
  end

  # Is it all of another String?
  def __character_is?(index, other)
    from = __character_at(index)
    return false if from < 0

    width = __width_at(from)
    other.__bytesize == width && __same_character?(from, other, 0, width)
  end

  # Is it the character of another String at an index?
  def __characters_alike?(index, other, at)
    from = __character_at(index)
    to = other.__character_at(at)
    return from == to if from < 0 || to < 0
    return __byte(from) == other.__byte(to) if __marked_ascii? && other.__marked_ascii?

    __wide_alike?(from, other, to)
  end

  def __wide_alike?(from, other, to)
    width = __width_at(from)
    width == other.__width_at(to) && __same_character?(from, other, to, width)
  end

  def __same_character?(from, other, to, width)
    i = 0
    while i < width
      return false if __byte(from + i) != other.__byte(to + i)

      i += 1
    end
    __byte(from) < 0x80 || __encoding == other.__encoding
  end

  # The byte that a slice begins at, or -1.
  def __slice_start(start)
    start += size if start < 0
    start < 0 ? -1 : __offset(start)
  end

  # The byte that it ends at.
  def __slice_end(from, count)
    n = __bytesize
    return n if count > n - from
    return from + count if __single?

    to = __skip(from, count)
    to < 0 ? n : to
  end

  # ---- as it is written

  def inspect
    __refuse_inspect unless __ruby?(:inspects_in_utf8)
    n = __bytesize
    out = "\"".__build(n + 2).__push(0x22)
    i = 0
    while i < n
      byte = __byte(i)
      width = __encoding == 0 ? __valid_width(i) : byte < 0x80 ? 1 : 0
      if width == 0
        out.__any_code(0x78, byte, 2)
        width = 1
      elsif width > 1
        code = __code(i, width)
        if __printable?(code)
          out.__append(self, i, width)
        else
          out.__any_code(0x75, code, code > 0xf_ffff ? 6 : code > 0xffff ? 5 : 4)
        end
      else
        letter = __escape(byte)
        if byte == 0x22 || byte == 0x5c || (byte == 0x23 && i + 1 < n && __interpolates?(__byte(i + 1)))
          out.__any_word(byte << 8 | 0x5c, 2)
        elsif letter > 0
          out.__any_word(letter << 8 | 0x5c, 2)
        elsif byte >= 0x20 && byte < 0x7f
          out.__push(byte)
        elsif __encoding > 0 || (byte == 0x7f && __ruby?(:delete_inspects_as_byte))
          out.__any_code(0x78, byte, 2)
        else
          out.__any_code(0x75, byte, 4)
        end
      end
      i += width
    end
    out.__push(0x22)
  end

  # In ASCII alone, as a literal.
  def dump
    n = __bytesize
    out = __build(n + 2).__push(0x22)
    i = 0
    while i < n
      byte = __byte(i)
      width = __encoding == 0 && byte > 0x7f ? __valid_width(i) : 1
      letter = __escape(byte)
      if width > 1
        code = __code(i, width)
        out.__any_code(0x75, code, code > 0xf_ffff ? 6 : code > 0xffff ? 5 : 4)
      elsif byte == 0x22 || byte == 0x5c || (byte == 0x23 && i + 1 < n && __interpolates?(__byte(i + 1)))
        out.__push(0x5c).__push(byte)
      elsif letter > 0
        out.__push(0x5c).__push(letter)
      elsif byte >= 0x20 && byte < 0x7f
        out.__push(byte)
      else
        out.__any_code(0x78, byte, 2)
      end
      i += width == 0 ? 1 : width
    end
    out.__push(0x22)
  end

  # The letter that stands for it behind a backslash, or 0.
  def __escape(byte)
    case byte
    when 7 then 0x61
    when 8 then 0x62
    when 9 then 0x74
    when 10 then 0x6e
    when 11 then 0x76
    when 12 then 0x66
    when 13 then 0x72
    when 27 then 0x65
    else 0
    end
  end

  def __interpolates?(byte)
    byte == 0x24 || byte == 0x40 || byte == 0x7b
  end

  # Is a character beyond ASCII printed? A table has the places where those that are begin and end by turns.
  def __printable?(code)
    __character_table(:printable).__rows_up_to(code, 1) & 1 == 1
  end

  # ---- search

  # The first byte of another String from a byte on, or -1.
  def __find(other, from)
    __common_encoding(other)
    return -1 unless other.valid_encoding?

    __index_bytes(other, from)
  end

  def include?(other)
    __find(__string_argument(other), 0) >= 0
  end

  def index(other, from = 0)
    from = __to_long(from)
    from += size if from < 0
    return nil if from < 0

    from = __offset(from)
    return __index_match(other, from) if other.is_a?(Regexp)
    return nil if from < 0 && __ruby?(:index_looks_at_the_place_first)

    other = __string_argument(other)
    __common_encoding(other)
    return nil if from < 0

    place = __find(other, from)
    place < 0 ? nil : __characters(0, place)
  end

  def byteindex(other, from = 0)
    other = __string_argument(other)
    from = __to_long(from)
    from += __bytesize if from < 0
    return nil if from < 0 || from > __bytesize

    __check_boundary(from)
    place = __find(other, from)
    place < 0 ? nil : place
  end

  def __check_boundary(i)
    return if __single? || i == __bytesize || __byte(i) & 0xc0 != 0x80

    raise IndexError, "offset #{i} does not land on character boundary"
  end

  # The last byte of another String up to a byte, or -1.
  def __find_last(other, from)
    __common_encoding(other)
    return -1 unless other.valid_encoding?

    count = other.__bytesize
    from = __bytesize - count if from > __bytesize - count
    from -= 1 while from >= 0 && !__same_bytes?(other, from, 0, count)
    from
  end

  def rindex(other, from = :__none)
    last = __bytesize
    if !from.equal?(:__none)
      from = __to_long(from)
      from += size if from < 0
      return nil if from < 0

      last = __offset(from)
      last = __bytesize if last < 0
    end
    place = if other.is_a?(Regexp)
              other.__look(self, last, 3, 1)
            else
              __find_last(__string_argument(other), last)
            end
    place < 0 ? nil : __characters(0, place)
  end

  # Does a character of UTF-8 begin at a byte, as far as MRI looks?
  def __begins?(i, encoding)
    encoding > 0 || i == 0 || i >= __bytesize || __byte(i) & 0xc0 != 0x80
  end

  # Does one end there?
  def __ends?(i, encoding)
    return true if __begins?(i, encoding)

    head = __before(i, false)
    head + __width(head) == i
  end

  def start_with?(*others)
    others.each do |other|
      if other.is_a?(Regexp)
        return true if other.__look(self, 0, 2, 1) == 0

        next
      end
      other = __string_argument(other)
      encoding = __common_encoding(other)
      return true if __prefix?(other) && (!__ruby?(:prefixes_end_characters) || __ends?(other.__bytesize, encoding))
    end
    false
  end

  def __prefix?(other)
    count = other.__bytesize
    count <= __bytesize && __same_bytes?(other, 0, 0, count)
  end

  def end_with?(*others)
    others.each do |other|
      other = __string_argument(other)
      return true if __suffix?(other, __common_encoding(other))
    end
    false
  end

  def __suffix?(other, encoding)
    count = other.__bytesize
    return true if count == 0

    from = __bytesize - count
    from >= 0 && __begins?(from, encoding) && __same_bytes?(other, from, 0, count)
  end

  def delete_prefix(other)
    count = __prefix_length(__string_argument(other))
    __piece(count, __bytesize - count)
  end

  def __prefix_length(other)
    valid = other.valid_encoding?
    if __ruby?(:broken_prefixes_count)
      __common_encoding(other) if valid
      return 0 unless __prefix?(other)
      return 0 unless valid || (!valid_encoding? && __ends?(other.__bytesize, __encoding))
    else
      return 0 unless valid

      __common_encoding(other)
      return 0 unless __prefix?(other)
    end
    other.__bytesize
  end

  def delete_suffix(other)
    __piece(0, __bytesize - __suffix_length(__string_argument(other)))
  end

  def __suffix_length(other)
    return 0 unless other.valid_encoding?

    encoding = __common_encoding(other)
    __suffix?(other, encoding) ? other.__bytesize : 0
  end

  # ---- putting together

  def +(other)
    other = __string_argument(other)
    encoding = __common_encoding(other)
    out = __build(__bytesize + other.__bytesize).__force(encoding)
    out.__append(self, 0, __bytesize).__append(other, 0, other.__bytesize)
  end

  def *(times)
    times = __to_long(times)
    n = __bytesize
    raise ArgumentError, "negative argument" if times < 0
    raise ArgumentError, "argument too big" if n > 0 && times > 9_223_372_036_854_775_807 / n

    # What is there already is put behind itself.
    all = n * times
    out = __build(all)
    out.__append(self, 0, n) if times > 0
    while out.__bytesize < all
      left = all - out.__bytesize
      out.__append(out, 0, left < out.__bytesize ? left : out.__bytesize)
    end
    out
  end

  def ljust(width, pad = :__none)
    __justify(__to_long(width), pad, 0)
  end

  def rjust(width, pad = :__none)
    __justify(__to_long(width), pad, 1)
  end

  def center(width, pad = :__none)
    __justify(__to_long(width), pad, 2)
  end

  # `side`: 0 all on the right, 1 all on the left, 2 half of it.
  def __justify(width, pad, side)
    if pad.equal?(:__none)
      __justify_with(width, " ", side, __encoding)
    else
      pad = __string_argument(pad)
      encoding = __common_encoding(pad)
      raise ArgumentError, "zero width padding" if pad.__bytesize == 0

      __justify_with(width, pad, side, encoding)
    end
  end

  def __justify_with(width, pad, side, encoding)
    more = width - size
    return __copy_string if more <= 0

    left = side == 0 ? 0 : side == 1 ? more : more / 2
    out = __build(__bytesize + more).__force(encoding).__append_padding(pad, left)
    out.__append(self, 0, __bytesize).__append_padding(pad, more - left)
  end

  # ---- both ends

  def __space?(byte)
    byte == 0x20 || (byte >= 9 && byte <= 13)
  end

  def __strip_start
    n = __bytesize
    i = 0
    single = __single?
    while i < n
      byte = __byte(i)
      __sure_width(i, 0) unless single
      return i unless byte == 0 || __space?(byte)

      i += 1
    end
    i
  end

  # The end of what is left from `start` on.
  def __strip_end(start)
    if __ruby?(:rstrip_checks_all) && !valid_encoding?
      __ruby?(:strip_raises_encoding_errors) ? __broken_encoding : __broken
    end
    i = __bytesize
    single = __single?
    while i > start
      before = __before(i, single)
      byte = __byte(before)
      __sure_width(before, 0) unless single
      return i unless byte == 0 || __space?(byte)

      i = before
    end
    i
  end

  def __broken_encoding
    name = __encoding.__encoding_name
    raise Encoding::CompatibilityError, "invalid byte sequence in #{name}"
  end

  def strip
    start = __strip_start
    __piece(start, __strip_end(start) - start)
  end

  def lstrip
    start = __strip_start
    __piece(start, __bytesize - start)
  end

  def rstrip
    __piece(0, __strip_end(0))
  end

  # The length without "\n", "\r\n" or "\r" at the end.
  def __chomped
    n = __bytesize
    return n if n == 0

    last = __byte(n - 1)
    return n > 1 && __byte(n - 2) == 13 ? n - 2 : n - 1 if last == 10

    last == 13 ? n - 1 : n
  end

  def __chomp_length(other)
    n = __bytesize
    return n if n == 0

    count = other.__bytesize
    if count == 0
      while n > 0 && __byte(n - 1) == 10
        n -= 1
        n -= 1 if n > 0 && __byte(n - 1) == 13
      end
      return n
    end
    return n if count > n
    return __chomped if count == 1 && other.__byte(0) == 10

    encoding = __common_encoding(other)
    other.valid_encoding? && __suffix?(other, encoding) ? n - count : n
  end

  def chomp(other = :__none)
    return __piece(0, __chomped) if other.equal?(:__none)
    return __copy_string if other.__nil?

    __piece(0, __chomp_length(__string_argument(other)))
  end

  def chop
    n = __bytesize
    return __copy_string if n == 0

    single = __single?
    i = __before(n, single)
    if i > 0 && __byte(i) == 10
      before = __before(i, single)
      i = before if __byte(before) == 13
    end
    __piece(0, i)
  end
end

module NilClass
  def to_s
    "".__force(1).__intern
  end
end

module TrueClass
  def to_s
    "true".__force(1).__intern
  end
end

module FalseClass
  def to_s
    "false".__force(1).__intern
  end
end

module Symbol
  def to_s
    __name.__copy_string
  end

  def name
    __name
  end

  def size
    __name.size
  end

  def empty?
    __name.__bytesize == 0
  end

  def [](index, count = :__none)
    count.equal?(:__none) ? __name[index] : __name[index, count]
  end

  def start_with?(*others)
    __name.start_with?(*others)
  end

  def end_with?(*others)
    __name.end_with?(*others)
  end

  def casecmp(other)
    other.is_a?(Symbol) ? __name.casecmp(other.__name) : nil
  end

  def casecmp?(other)
    other.is_a?(Symbol) ? __name.casecmp?(other.__name) : nil
  end

  def upcase(option = :full)
    __name.upcase(option).to_sym
  end

  def downcase(option = :full)
    __name.downcase(option).to_sym
  end

  def swapcase(option = :full)
    __name.swapcase(option).to_sym
  end

  def capitalize(option = :full)
    __name.capitalize(option).to_sym
  end

  def succ
    __name.succ.to_sym
  end

  def encoding
    __name.encoding
  end
end

module Encoding
  # As Strings have it here.
  def __number
    "".__encoding_number(self)
  end

  def name
    case __number
    when 0 then :"UTF-8".name
    when 1 then :"US-ASCII".name
    else :"ASCII-8BIT".name
    end
  end

  def to_s
    name
  end

  def inspect
    "#<Encoding:".__force(1).__put(__number.__encoding_name.name).__put(">")
  end

  def ascii_compatible?
    __number >= 0
  end

  def dummy?
    __number < 0
  end
end

module Integer
  def __encoding_name
    case self
    when 0 then :"UTF-8"
    when 1 then :"US-ASCII"
    else
      __ruby?(:binary_has_two_names) ? :"BINARY (ASCII-8BIT)" : :"ASCII-8BIT"
    end
  end
end

# Parts of Strings: found, put together, left out.

module String
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
    from < 0 ? nil : __piece(from, __width_of(index, from))
  end

  # MRI goes back from the end of a long String to what is near it: up to Ruby 3.2 whatever the bytes there are.
  def __near_end?(index)
    index < 0 && index >= -((__bytesize / 8 - 1) / 4) && !__single?
  end

  # Where the character begins that is so many before a byte, or -1: what goes on does not begin one. -2: to be counted
  # from the beginning, as not all of them are characters.
  def __left(at, count)
    counted = !__ruby?(:slices_go_back)
    while count > 0
      return counted ? -2 : -1 if at <= 0

      to = at
      at -= 1
      at -= 1 while at > 0 && __byte(at) & 0xc0 == 0x80
      return -2 if counted && __width_at(at) != to - at

      count -= 1
    end
    at
  end

  # How many bytes the character has that is at an index and begins there.
  def __width_of(index, from)
    return __width_at(from) unless __ruby?(:slices_go_back) && __near_end?(index)

    __left(__bytesize, -1 - index) - from
  end

  def __slice(start, count)
    from = __slice_start(start)
    from < 0 || count < 0 ? nil : __piece(from, __slice_end(start, from, count) - from)
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
    if __near_end?(index)
      from = __left(__bytesize, -index)
      return from unless from == -2
    end
    index += size if index < 0
    return -1 if index < 0

    from = __skip(0, index)
    from >= __bytesize ? -1 : from
  end

  # Is the character at an index one of ASCII?
  def __byte_at?(index, byte)
    from = __character_at(index)
    from >= 0 && __byte(from) == byte && (index >= 0 || __width_of(index, from) == 1)
  end

  # Is it all of another String?
  def __character_is?(index, other)
    from = __character_at(index)
    return false if from < 0

    width = __width_of(index, from)
    other.__bytesize == width && __same_character?(from, other, 0, width)
  end

  # Is it the character of another String at an index?
  def __characters_alike?(index, other, at)
    from = __character_at(index)
    to = other.__character_at(at)
    return from == to if from < 0 || to < 0
    return __byte(from) == other.__byte(to) if __marked_ascii? && other.__marked_ascii?

    __wide_alike?(__width_of(index, from), from, other, to, other.__width_of(at, to))
  end

  def __wide_alike?(width, from, other, to, other_width)
    width == other_width && __same_character?(from, other, to, width)
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
    if __near_end?(start)
      from = __left(__bytesize, -start)
      return from unless from == -2
    end
    start += size if start < 0
    start < 0 ? -1 : __offset(start)
  end

  # The byte that it ends at, which `from` is the beginning of.
  def __slice_end(start, from, count)
    n = __bytesize
    if __ruby?(:slices_go_back) && __near_end?(start)
      return count >= -start ? n : __left(n, -start - count)
    end
    return n if count > n - from
    return from + count if __single?

    to = __skip(from, count)
    to < 0 ? n : to
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

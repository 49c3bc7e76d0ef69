# What `pack` writes, what `unpack` reads from a byte on, and where the next directive reads then. Numbers that are not
# there are nil, and take nothing; a negative count of a text is all of it.

module String
  def __unpack_offset(offset)
    offset = __to_long(offset)
    raise ArgumentError, "offset can't be negative" if offset < 0
    raise ArgumentError, "offset outside of string" if offset > __bytesize

    offset
  end

  def __read_integer(at, width, big, signed)
    number = 0
    i = 0
    while i < width
      byte = __byte(big ? at + i : at + width - 1 - i)
      byte = (byte ^ 0x80) - 0x80 if signed && i == 0
      number = number * 256 + byte
      i += 1
    end
    number
  end

  def __read_float(at, width, big)
    bits = __read_integer(at, width, big, true)
    width == 8 ? bits.__float_of_bits : bits.__float_of_single
  end

  def __unpack_integer(at, width, big, signed)
    at + width > __bytesize ? nil : __read_integer(at, width, big, signed)
  end

  def __unpack_float(at, width, big)
    at + width > __bytesize ? nil : __read_float(at, width, big)
  end

  # What the block reads at each place.
  def __unpack_all(at, width)
    n = (__bytesize - at) / width
    out = __list(n)
    i = 0
    while i < n
      out.__push(yield(at + i * width))
      i += 1
    end
    out
  end

  def __unpack_integers(at, width, big, signed)
    __unpack_all(at, width) { |place| __read_integer(place, width, big, signed) }
  end

  def __unpack_floats(at, width, big)
    __unpack_all(at, width) { |place| __read_float(place, width, big) }
  end

  def __behind_number(at, width)
    at + width > __bytesize ? at : at + width
  end

  # The text from a byte on, which has to be UTF-8.
  def __unpack_from(at)
    text = __piece(at, __bytesize - at).__force(0)
    __refuse_code unless text.valid_encoding?
    text
  end

  def __unpack_character(at)
    at == __bytesize ? nil : __unpack_from(at).ord
  end

  def __unpack_characters(at)
    __unpack_from(at).__codepoints
  end

  # ---- several, put behind a list, and where the next directive reads. A negative count is all there are.

  def __numbers_left(at, count, width)
    left = (__bytesize - at) / width
    count < 0 || count > left ? left : count
  end

  def __unpack_integers_to(at, count, out, width, big, signed)
    last = at + __numbers_left(at, count, width) * width
    while at < last
      out.__push(__read_integer(at, width, big, signed))
      at += width
    end
    at
  end

  def __unpack_floats_to(at, count, out, width, big)
    last = at + __numbers_left(at, count, width) * width
    while at < last
      out.__push(__read_float(at, width, big))
      at += width
    end
    at
  end

  # nil for each number that is not there.
  def __unpack_missing_to(at, count, out, width)
    count -= __numbers_left(at, count, width)
    while count > 0
      out.__push(nil)
      count -= 1
    end
  end

  def __unpack_characters_to(at, count, out)
    while count != 0 && at < __bytesize
      rest = __unpack_from(at)
      out.__push(rest.ord)
      at += rest.__width(0)
      count -= 1
    end
    at
  end

  # Behind the number that begins at a byte; 0 where it does not end.
  def __behind_compressed(at)
    at += 1 while at < __bytesize && __byte(at) > 0x7f
    at < __bytesize ? at + 1 : 0
  end

  def __read_compressed(at, last)
    number = 0
    while at < last
      number = number * 128 + (__byte(at) & 0x7f)
      at += 1
    end
    number
  end

  def __unpack_compressed(at)
    last = __behind_compressed(at)
    last == 0 ? nil : __read_compressed(at, last)
  end

  def __unpack_compressed_to(at, count, out)
    while count != 0
      last = __behind_compressed(at)
      return __bytesize if last == 0

      out.__push(__read_compressed(at, last))
      at = last
      count -= 1
    end
    at
  end

  # 1: without spaces and zeros at the end, 2: up to a zero.
  def __unpack_text(at, count, kind)
    left = __bytesize - at
    count = left if count < 0 || count > left
    if kind == 1
      count -= 1 while count > 0 && (__byte(at + count - 1) == 0x20 || __byte(at + count - 1) == 0)
    elsif kind == 2
      i = 0
      i += 1 while i < count && __byte(at + i) != 0
      count = i
    end
    __piece(at, count).__force(2)
  end

  def __behind_text(at, count, kind)
    n = __bytesize
    if count < 0 && kind == 2
      at += 1 while at < n && __byte(at) != 0
      at < n ? at + 1 : n
    else
      count < 0 || count > n - at ? n : at + count
    end
  end

  def __unpack_bits(at, count, high)
    most = (__bytesize - at) * 8
    count = most if count < 0 || count > most
    text = "".__force(1)
    i = 0
    while i < count
      place = high ? 7 - (i & 7) : i & 7
      text.__push(0x30 + (__byte(at + (i >> 3)) >> place & 1))
      i += 1
    end
    text
  end

  def __unpack_digits(at, count, high)
    most = (__bytesize - at) * 2
    count = most if count < 0 || count > most
    text = "".__force(1)
    i = 0
    while i < count
      byte = __byte(at + (i >> 1))
      digit = high == (i & 1 == 0) ? byte >> 4 : byte & 15
      text.__push(digit < 10 ? 0x30 + digit : 0x57 + digit)
      i += 1
    end
    text
  end

  # Of texts of so many digits a byte.
  def __behind_digits(at, count, each)
    n = __bytesize
    count < 0 || count > (n - at) * each ? n : at + (count + each - 1) / each
  end

  def __behind_skipped(at, count)
    return __bytesize if count < 0
    raise ArgumentError, "x outside of string" if count > __bytesize - at

    at + count
  end

  def __before_skipped(at, count)
    raise ArgumentError, "X outside of string" if count > at

    at - count
  end

  def __unpack_place(_at, count)
    raise ArgumentError, "@ outside of string" if count > __bytesize

    count
  end

  # ---- base64

  def __base64_letter(digit)
    if digit < 26
      digit + 65
    elsif digit < 52
      digit + 71
    elsif digit < 62
      digit - 4
    else
      digit == 62 ? 43 : 47
    end
  end

  # -1 for what is no letter, and behind the end.
  def __base64_digit(i)
    return -1 if i >= __bytesize

    byte = __byte(i)
    if byte >= 65 && byte <= 90
      byte - 65
    elsif byte >= 97 && byte <= 122
      byte - 71
    elsif byte >= 48 && byte <= 57
      byte + 4
    elsif byte == 43
      62
    else
      byte == 47 ? 63 : -1
    end
  end

  def __base64_at(i)
    i += 1 while i < __bytesize && __base64_digit(i) < 0
    i
  end

  # The same, but no further than to a padding.
  def __base64_or_padding_at(i)
    i += 1 while i < __bytesize && __base64_digit(i) < 0 && __byte(i) != 61
    i
  end

  def __unpack_base64(at, count)
    text = "".__force(2)
    return __unpack_strict_base64(at, text) if count == 0

    n = __bytesize
    while true
      i = __base64_at(at)
      break if i >= n

      a = __base64_digit(i)
      i = __base64_at(i + 1)
      break if i >= n

      b = __base64_digit(i)
      i = __base64_or_padding_at(i + 1)
      c = __base64_digit(i)
      if c < 0
        text.__push(a << 2 & 255 | b >> 4)
        break
      end

      i = __base64_or_padding_at(i + 1)
      d = __base64_digit(i)
      text.__push(a << 2 & 255 | b >> 4).__push(b << 4 & 255 | c >> 2)
      break if d < 0

      text.__push(c << 6 & 255 | d)
      at = i + 1
    end
    text
  end

  def __unpack_strict_base64(at, text)
    n = __bytesize
    while at < n
      a = __base64_digit(at)
      b = __base64_digit(at + 1)
      c = __base64_digit(at + 2)
      d = __base64_digit(at + 3)
      __invalid_base64 if a < 0 || b < 0
      if c < 0
        __invalid_base64 unless at + 4 == n && __byte(at + 2) == 61 && __byte(at + 3) == 61 && b & 15 == 0
        text.__push(a << 2 & 255 | b >> 4)
        break
      end

      text.__push(a << 2 & 255 | b >> 4).__push(b << 4 & 255 | c >> 2)
      if d < 0
        __invalid_base64 unless at + 4 == n && __byte(at + 3) == 61 && c & 3 == 0
        break
      end

      text.__push(c << 6 & 255 | d)
      at += 4
    end
    text
  end

  def __invalid_base64
    raise ArgumentError, "invalid base64"
  end

  # ---- what `pack` writes

  def __pack_number(number, width, big)
    i = 0
    while i < width
      place = big ? width - 1 - i : i
      __push(number >> place * 8 & 0xff)
      i += 1
    end
    self
  end

  def __pack_integer(item, width, big)
    __refuse_big(item)
    __pack_number(__to_int(item), width, big)
  end

  def __pack_float(item, width, big)
    number = __as_float(item)
    __pack_number(width == 8 ? number.__bits : number.__single_bits, width, big)
  end

  def __pack_character(item)
    __refuse_big(item)
    __push_bytes("".__push_packed(__to_int(item)), 0)
  end

  def __pack_compressed(item)
    __refuse_big(item)
    number = __to_int(item)
    raise ArgumentError, "can't compress negative numbers" if number < 0

    digits = 1
    digits += 1 while number >> 7 * digits > 0
    while digits > 0
      digits -= 1
      digit = number >> 7 * digits & 0x7f
      __push(digits > 0 ? digit | 0x80 : digit)
    end
    self
  end

  def __push_bytes(text, from)
    n = text.__bytesize
    while from < n
      __push(text.__byte(from))
      from += 1
    end
    self
  end

  def __pack_zeros(count)
    while count > 0
      __push(0)
      count -= 1
    end
    self
  end

  def __pack_back(count)
    raise ArgumentError, "X outside of string" if count > __bytesize

    __truncate(__bytesize - count)
    self
  end

  def __pack_place(count)
    count < __bytesize ? __truncate(count) : __pack_zeros(count - __bytesize)
    self
  end

  def __pack_text(item, count, kind)
    text = item.equal?(nil) ? "" : __string_argument(item)
    n = text.__bytesize
    count = kind == 2 ? n + 1 : n if count < 0
    i = 0
    while i < count
      __push(i < n ? text.__byte(i) : kind == 1 ? 0x20 : 0)
      i += 1
    end
    self
  end

  def __pack_bits(item, count, high)
    text = item.equal?(nil) ? "" : __string_argument(item)
    n = text.__bytesize
    count = n if count < 0
    more = count > n ? (count - n + 1) / 2 : 0
    count = n if count > n
    byte = 0
    i = 0
    while i < count
      byte |= (text.__byte(i) & 1) << (high ? 7 - (i & 7) : i & 7)
      i += 1
      if i & 7 == 0 || i == count
        __push(byte)
        byte = 0
      end
    end
    __pack_zeros(more)
  end

  def __pack_digits(item, count, high)
    text = item.equal?(nil) ? "" : __string_argument(item)
    n = text.__bytesize
    count = n if count < 0
    more = count > n ? (count + 1) / 2 - (n + 1) / 2 : 0
    count = n if count > n
    byte = 0
    i = 0
    while i < count
      letter = text.__byte(i)
      folded = letter | 0x20
      digit = folded >= 97 && folded <= 122 ? (letter & 15) + 9 & 15 : letter & 15
      byte |= digit << (high == (i & 1 == 0) ? 4 : 0)
      i += 1
      if i & 1 == 0 || i == count
        __push(byte)
        byte = 0
      end
    end
    __pack_zeros(more)
  end

  # In lines of so many bytes; 0: in one, without its end.
  def __pack_base64(item, count)
    text = __string_argument(item)
    n = text.__bytesize
    line = count == 0 ? n : count <= 2 ? 45 : count / 3 * 3
    from = 0
    while from < n
      to = from + line < n ? from + line : n
      while from < to
        a = text.__byte(from)
        b = from + 1 < to ? text.__byte(from + 1) : 0
        c = from + 2 < to ? text.__byte(from + 2) : 0
        __push(__base64_letter(a >> 2)).__push(__base64_letter(a << 4 & 48 | b >> 4))
        __push(from + 1 < to ? __base64_letter(b << 2 & 60 | c >> 6) : 61)
        __push(from + 2 < to ? __base64_letter(c & 63) : 61)
        from += 3
      end
      __push(10) if count != 0
      from = to
    end
    self
  end
end

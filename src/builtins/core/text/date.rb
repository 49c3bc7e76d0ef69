# Dates as text.

module Date
  def to_s
    __iso
  end

  def iso8601
    __iso
  end

  def __iso
    y, m, d = __civil
    out = "".__build(10).__force(1)
    __put_number(out, y, y < 0 ? 5 : 4, true)
    out.__push(0x2d)
    __put_two_digits(out, m)
    out.__push(0x2d)
    __put_two_digits(out, d)
  end

  def inspect
    out = "".__build(56).__append("#<Date: ", 0, 8).__force(1)
    text = __iso
    out.__append(text, 0, text.__bytesize).__append(" ((", 0, 3)
    __put_number(out, __day_of, 1, true)
    out.__append("j,0s,0n),+0s,2299161j)>", 0, 23)
  end

  def __put_two_digits(out, n)
    tens = n.div(10)
    out.__push(0x30 + tens)
    out.__push(0x30 + n - (10 * tens))
  end

  # A number in so many places at least, with zeros or spaces before it.
  def __put_number(out, n, width, zeros)
    text = n.to_s
    size = text.__bytesize
    return out.__append(text, 0, size) if size >= width

    if zeros && n < 0
      out.__push(0x2d)
      __pad(out, width - size, true)
      return out.__append(text, 1, size - 1)
    end
    __pad(out, width - size, zeros)
    out.__append(text, 0, size)
  end

  def __pad(out, count, zeros)
    while count > 0
      out.__push(zeros ? 0x30 : 0x20)
      count -= 1
    end
  end

  def httpdate
    out = "".__build(29).__force(1)
    __put_directives(out, "%a, %d %b %Y %T GMT")
  end

  def rfc2822
    out = "".__build(31).__force(1)
    __put_directives(out, "%a, %-d %b %Y %T %z")
  end

  def rfc3339
    out = "".__build(25).__force(1)
    __put_directives(out, "%Y-%m-%dT%H:%M:%S%:z")
  end

  def asctime
    out = "".__build(24).__force(1)
    __put_directives(out, "%a %b %e %H:%M:%S %Y")
  end

  def jisx0301
    n = __day_of
    __refuse_year if n > 2_147_483_647 || n < -2_147_483_648
    out = "".__build(10).__force(1)
    return __put_directives(out, "%Y-%m-%d") if n < 2_405_160

    era = n < 2_419_614 ? 0x4d : n < 2_424_875 ? 0x54 : n < 2_447_535 ? 0x53 : n < 2_458_605 ? 0x48 : 0x52
    before = n < 2_419_614 ? 1867 : n < 2_424_875 ? 1911 : n < 2_447_535 ? 1925 : n < 2_458_605 ? 1988 : 2018
    out.__push(era)
    __put_number(out, __year - before, 2, true)
    __put_directives(out, ".%m.%d")
  end

  def strftime(format = :__none)
    return __iso if format.equal?(:__none)

    format = "".__string_argument(format)
    out = format.__build(format.__bytesize + 8)
    __put_directives(out, format)
  end

  # Flags are bits: 1 is `-`, 2 is `^`, 4 is `#`. The padding is a byte, or 0.
  def __put_directives(out, format)
    n = format.__bytesize
    i = 0
    while i < n
      from = i
      i += 1 while i < n && format.__byte(i) != 0x25
      out.__append(format, from, i - from)
      return out if i == n

      from = i
      i += 1
      flags = 0
      padding = 0
      width = -1
      colons = 0
      byte = 0
      while true
        byte = i < n ? format.__byte(i) : 0
        if byte == 0x2d || byte == 0x5e || byte == 0x23 || byte == 0x5f
          if width > 0
            byte = 0
            break
          end

          flags |= byte == 0x2d ? 1 : byte == 0x5e ? 2 : byte == 0x23 ? 4 : 0
          padding = 0 if byte == 0x2d
          width = 0 if byte == 0x2d
          padding = 0x20 if byte == 0x5f
        elsif byte >= 0x30 && byte <= 0x39
          padding = 0x30 if byte == 0x30
          width = 0
          while i < n && format.__byte(i) >= 0x30 && format.__byte(i) <= 0x39
            width = (width * 10) + format.__byte(i) - 0x30
            __refuse_date_format if width > 1000
            i += 1
          end
          i -= 1
        elsif byte == 0x3a
          i += 1 while i + 1 < n && format.__byte(i + 1) == 0x3a && colons < 4
          colons = i
          colons -= 1 while format.__byte(colons) == 0x3a
          colons = i - colons
          if i + 1 == n || format.__byte(i + 1) != 0x7a
            byte = 0
            break
          end
        elsif byte == 0x45
          # %Ec, %EC, %Ex, %EX, %Ey and %EY are those without the E, and so are others with an O.
          break unless i + 1 < n && __after_e?(format.__byte(i + 1))
        elsif byte == 0x4f
          break unless i + 1 < n && __after_o?(format.__byte(i + 1))
        else
          break
        end
        i += 1
      end
      __put_directive(out, byte, flags, padding, width, colons, format, from, i)
      i += 1
    end
    out
  end

  def __after_e?(byte)
    byte == 0x63 || byte == 0x43 || byte == 0x78 || byte == 0x58 || byte == 0x79 || byte == 0x59
  end

  def __after_o?(byte)
    case byte
    when 0x64, 0x65, 0x48, 0x6b, 0x49, 0x6c, 0x6d, 0x4d, 0x53, 0x75, 0x55, 0x56, 0x77, 0x57, 0x79
      true
    else
      false
    end
  end

  def __put_directive(out, byte, flags, padding, width, colons, format, from, last)
    case byte
    when 0x59 then y = __year
                   __put_field(out, y, y < 0 ? 5 : 4, 0x30, flags, padding, width)
    when 0x43 then __put_field(out, __year.div(100), 2, 0x30, flags, padding, width)
    when 0x79 then __put_field(out, __year % 100, 2, 0x30, flags, padding, width)
    when 0x6d then __put_field(out, __month, 2, 0x30, flags, padding, width)
    when 0x64 then __put_field(out, __day, 2, 0x30, flags, padding, width)
    when 0x65 then __put_field(out, __day, 2, 0x20, flags, padding, width)
    when 0x6a then __put_field(out, __yday, 3, 0x30, flags, padding, width)
    when 0x48, 0x4d, 0x53 then __put_field(out, 0, 2, 0x30, flags, padding, width)
    when 0x6b then __put_field(out, 0, 2, 0x20, flags, padding, width)
    when 0x49 then __put_field(out, 12, 2, 0x30, flags, padding, width)
    when 0x6c then __put_field(out, 12, 2, 0x20, flags, padding, width)
    when 0x75 then __put_field(out, __cwday, 1, 0x30, flags, padding, width)
    when 0x77 then __put_field(out, __wday, 1, 0x30, flags, padding, width)
    when 0x47 then y = __cwyear
                   __put_field(out, y, y < 0 ? 5 : 4, 0x30, flags, padding, width)
    when 0x67 then __put_field(out, __cwyear % 100, 2, 0x30, flags, padding, width)
    when 0x56 then __put_field(out, __cweek, 2, 0x30, flags, padding, width)
    when 0x55 then __put_field(out, __week_from(0), 2, 0x30, flags, padding, width)
    when 0x57 then __put_field(out, __week_from(1), 2, 0x30, flags, padding, width)
    when 0x73 then __put_field(out, (__day_of - 2_440_588) * 86_400, 1, 0x30, flags, padding, width)
    when 0x51 then __put_field(out, (__day_of - 2_440_588) * 86_400_000, 1, 0x30, flags, padding, width)
    when 0x4c then __pad(out, width > 0 ? width : 3, true)
    when 0x4e then __pad(out, width > 0 ? width : 9, true)
    when 0x7a then __put_zone(out, flags, padding, width, colons)
    when 0x6e then __put_character(out, 0x0a, flags, padding, width)
    when 0x74 then __put_character(out, 0x09, flags, padding, width)
    when 0x25 then __put_character(out, 0x25, flags, padding, width)
    when 0x5a then __put_text(out, "+00:00", 0, 6, flags & 1, padding, width)
    when 0x70
      __put_text(out, flags & 4 == 0 ? "AM" : "am", 0, 2, flags & 1, padding, width)
    when 0x50
      __put_text(out, flags & 6 == 0 ? "am" : "AM", 0, 2, flags & 1, padding, width)
    when 0x41 then __put_day_name(out, flags, padding, width)
    when 0x61 then __put_text(out, "SunMonTueWedThuFriSat", 3 * __wday, 3, flags, padding, width)
    when 0x42 then __put_month_name(out, flags, padding, width)
    when 0x62, 0x68
      __put_text(out, "JanFebMarAprMayJunJulAugSepOctNovDec", 3 * (__month - 1), 3, flags, padding, width)
    when 0x63, 0x44, 0x78, 0x46, 0x54, 0x58, 0x52, 0x72, 0x76, 0x2b
      __put_composite(out, byte, flags, padding, width)
    else
      out.__append(format, from, (last < format.__bytesize ? last + 1 : last) - from)
    end
  end

  # The week of the year, the first of which begins with the first Sunday or Monday.
  def __week_from(first)
    n = __year.__new_year + 6
    (__day_of - (n - ((n - first + 1) % 7)) + 7).div(7)
  end

  def __put_field(out, n, least, pad, flags, padding, width)
    least = width if width > 0
    least = 1 if flags & 1 != 0
    __put_number(out, n, least, padding == 0x30 || (padding == 0 && pad == 0x30))
  end

  def __put_zone(out, flags, padding, width, colons)
    __refuse_date_format if colons > 3
    hours = flags & 1 == 0 ? 2 : 1
    behind = colons == 0 ? 3 : colons == 1 ? 4 : colons == 2 ? 7 : 1
    digits = width <= behind + hours ? hours : width - behind
    if padding == 0x20
      __pad(out, digits - 1, false)
      out.__append("+0", 0, 2)
    else
      out.__push(0x2b)
      __pad(out, digits, true)
    end
    out.__append(":00:00", colons == 0 ? 1 : 0, colons == 0 ? 2 : colons == 1 ? 3 : 6) if colons < 3
  end

  def __put_character(out, byte, flags, padding, width)
    __pad(out, width - 1, padding == 0x30) if flags & 1 == 0
    out.__push(byte)
  end

  def __put_text(out, text, from, count, flags, padding, width)
    __pad(out, width - count, padding == 0x30) if flags & 1 == 0
    return out.__append(text, from, count) if flags & 6 == 0

    last = from + count
    while from < last
      byte = text.__byte(from)
      out.__push(byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte)
      from += 1
    end
  end

  def __put_day_name(out, flags, padding, width)
    case __wday
    when 0 then __put_text(out, "Sunday", 0, 6, flags, padding, width)
    when 1 then __put_text(out, "Monday", 0, 6, flags, padding, width)
    when 2 then __put_text(out, "Tuesday", 0, 7, flags, padding, width)
    when 3 then __put_text(out, "Wednesday", 0, 9, flags, padding, width)
    when 4 then __put_text(out, "Thursday", 0, 8, flags, padding, width)
    when 5 then __put_text(out, "Friday", 0, 6, flags, padding, width)
    else __put_text(out, "Saturday", 0, 8, flags, padding, width)
    end
  end

  def __put_month_name(out, flags, padding, width)
    m = __month
    text = "JanuaryFebruaryMarchAprilMayJuneJulyAugustSeptemberOctoberNovemberDecember"
    from = m == 1 ? 0 : m == 2 ? 7 : m == 3 ? 15 : m == 4 ? 20 : m == 5 ? 25 : 28
    from = m == 7 ? 32 : m == 8 ? 36 : m == 9 ? 42 : m == 10 ? 51 : m == 11 ? 58 : 66 if m > 6
    count = m == 5 ? 3 : m == 6 || m == 7 ? 4 : m == 3 || m == 4 ? 5 : m == 8 ? 6 : m == 1 || m == 10 ? 7 : m == 9 ? 9 : 8
    __put_text(out, text, from, count, flags, padding, width)
  end

  def __put_composite(out, byte, flags, padding, width)
    text = out.__build(30)
    __put_parts(text, byte)
    count = text.__bytesize
    __pad(out, width - count, padding == 0x30)
    __put_text(out, text, 0, count, (flags & 2) | 1, 0, 0)
  end

  # What stands for several directives.
  def __put_parts(out, byte)
    if byte == 0x46
      y = __year
      __put_number(out, y, y < 0 ? 5 : 4, true)
      out.__push(0x2d)
      __put_two_digits(out, __month)
      out.__push(0x2d)
      return __put_two_digits(out, __day)
    end
    if byte == 0x44 || byte == 0x78
      __put_two_digits(out, __month)
      out.__push(0x2f)
      __put_two_digits(out, __day)
      out.__push(0x2f)
      return __put_two_digits(out, __year % 100)
    end
    return out.__append("00:00:00", 0, byte == 0x52 ? 5 : 8) if byte == 0x54 || byte == 0x58 || byte == 0x52
    return out.__append("12:00:00 AM", 0, 11) if byte == 0x72

    d = __day
    y = __year
    if byte == 0x76
      __put_number(out, d, 2, false)
      out.__push(0x2d)
      __put_text(out, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", 3 * (__month - 1), 3, 0, 0, 0)
      out.__push(0x2d)
      return __put_number(out, y, y < 0 ? 5 : 4, true)
    end
    __put_text(out, "SunMonTueWedThuFriSat", 3 * __wday, 3, 0, 0, 0)
    out.__push(0x20)
    __put_text(out, "JanFebMarAprMayJunJulAugSepOctNovDec", 3 * (__month - 1), 3, 0, 0, 0)
    out.__push(0x20)
    __put_number(out, d, 2, false)
    out.__append(" 00:00:00 +00:00 ", 0, byte == 0x2b ? 17 : 10)
    __put_number(out, y, y < 0 ? 5 : 4, true)
  end
end

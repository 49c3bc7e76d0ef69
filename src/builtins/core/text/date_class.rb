# Dates of texts: in those forms of ISO 8601 that say all, and by formats of numbers and names. What is behind that does
# not matter to `strptime`.

module DateClass
  def parse(text)
    text = "".__string_argument(text)
    __invalid_date if __without_numbers?(text) && !__names_day?(text)
    __of_iso_text(text)
  end

  def iso8601(text)
    text = "".__string_argument(text)
    __invalid_date if __without_numbers?(text)
    __of_iso_text(text)
  end

  # Nothing but such a text is no Date for sure, unless it names a day of the week or a month.
  def __without_numbers?(text)
    n = text.__bytesize
    return false if n > 128

    i = 0
    while i < n
      byte = text.__byte(i)
      return false if byte >= 0x80 || (byte >= 0x30 && byte <= 0x39)

      i += 1
    end
    true
  end

  def __names_day?(text)
    i = 0
    while i + 3 <= text.__bytesize
      at = 0
      while at < 57
        return true if __name_at?(text, i, "sunmontuewedthufrisatjanfebmaraprmayjunjulaugsepoctnovdec", at, 3)

        at += 3
      end
      i += 1
    end
    false
  end

  def __of_iso_text(text)
    n = text.__bytesize
    if n == 10
      __refuse_date_text unless __digits?(text, 0, 4) && text.__byte(4) == 0x2d
      y = __digits(text, 0, 4)
      if __digits?(text, 5, 2) && text.__byte(7) == 0x2d && __digits?(text, 8, 2)
        day = y.__civil_day(__digits(text, 5, 2), __digits(text, 8, 2))
      else
        is_week = (text.__byte(5) == 0x57 && __digits?(text, 6, 2) && text.__byte(8) == 0x2d && __digits?(text, 9, 1))
        __refuse_date_text unless is_week
        w = __digits(text, 6, 2)
        d = __digits(text, 9, 1)
        __refuse_date_text if y < 1000 || w == 0 || w > 53 || d == 0 || d > 7
        day = y.__commercial_day(w, d)
      end
    elsif n == 8 && __digits?(text, 4, 4)
      __refuse_date_text unless __digits?(text, 0, 4)
      day = __digits(text, 0, 4).__civil_day(__digits(text, 4, 2), __digits(text, 6, 2))
    else
      is_ordinal = n == 8 && __digits?(text, 0, 4) && text.__byte(4) == 0x2d && __digits?(text, 5, 3)
      __refuse_date_text unless is_ordinal
      y = __digits(text, 0, 4)
      __refuse_date_text if y < 1000
      day = y.__ordinal_day(__digits(text, 5, 3))
    end
    __invalid_date if day.__nil?
    __date(day)
  end

  def __digits?(text, from, count)
    last = from + count
    while from < last
      byte = text.__byte(from)
      return false if byte < 0x30 || byte > 0x39

      from += 1
    end
    true
  end

  def __digits(text, from, count)
    n = 0
    last = from + count
    while from < last
      n = (n * 10) + text.__byte(from) - 0x30
      from += 1
    end
    n
  end

  # Where the digits end that begin at a byte, or so many of them.
  def __behind_digits(text, from, most)
    n = text.__bytesize
    last = from
    while last < n && last - from < most && text.__byte(last) >= 0x30 && text.__byte(last) <= 0x39
      last += 1
    end
    __invalid_date if last == from
    last
  end

  def strptime(text, format = "%F")
    text = "".__string_argument(text)
    format = "".__string_argument(format)
    n = text.__bytesize
    size = format.__bytesize
    i = 0
    at = 0
    y = 0
    m = 0
    d = 0
    of_year = 0
    has_year = false
    while at < size
      byte = format.__byte(at)
      __refuse_date_format if byte >= 0x80
      if byte == 0x20 || (byte >= 9 && byte <= 13)
        i += 1 while i < n && (text.__byte(i) == 0x20 || (text.__byte(i) >= 9 && text.__byte(i) <= 13))
        at += 1
        next
      end
      if byte != 0x25
        __invalid_date if i >= n || text.__byte(i) != byte
        i += 1
        at += 1
        next
      end
      at += 1
      byte = at < size ? format.__byte(at) : 0
      at += 1
      case byte
      when 0x25
        __invalid_date if i >= n || text.__byte(i) != 0x25
        i += 1
      when 0x59, 0x46
        __refuse_date_format if has_year
        has_year = true
        minus = i < n && text.__byte(i) == 0x2d
        i += 1 if minus || (i < n && text.__byte(i) == 0x2b)
        last = __behind_digits(text, i, byte == 0x59 && __number_at?(format, at) ? 4 : 20)
        __refuse_year if last - i > 11
        y = __digits(text, i, last - i)
        y = -y if minus
        i = last
        if byte == 0x46
          __refuse_date_format if m > 0 || d > 0
          __invalid_date if i >= n || text.__byte(i) != 0x2d
          i += 1
          last = __behind_digits(text, i, 2)
          m = __digits(text, i, last - i)
          i = last
          __invalid_date if m < 1 || m > 12 || i >= n || text.__byte(i) != 0x2d
          i += 1
          i += 1 if i < n && text.__byte(i) == 0x20
          last = __behind_digits(text, i, i > 0 && text.__byte(i - 1) == 0x20 ? 1 : 2)
          d = __digits(text, i, last - i)
          i = last
          __invalid_date if d < 1 || d > 31
        end
      when 0x79
        __refuse_date_format if has_year || (i < n && (text.__byte(i) == 0x2d || text.__byte(i) == 0x2b))
        has_year = true
        last = __behind_digits(text, i, 2)
        y = __digits(text, i, last - i)
        y += y >= 69 ? 1900 : 2000
        i = last
      when 0x6d
        __refuse_date_format if m > 0
        last = __behind_digits(text, i, 2)
        m = __digits(text, i, last - i)
        i = last
        __invalid_date if m < 1 || m > 12
      when 0x64, 0x65
        __refuse_date_format if d > 0
        spaced = i < n && text.__byte(i) == 0x20
        i += 1 if spaced
        last = __behind_digits(text, i, spaced ? 1 : 2)
        d = __digits(text, i, last - i)
        i = last
        __invalid_date if d < 1 || d > 31
      when 0x6a
        __refuse_date_format if of_year > 0
        last = __behind_digits(text, i, 3)
        of_year = __digits(text, i, last - i)
        i = last
        __invalid_date if of_year < 1 || of_year > 366
      when 0x62, 0x42, 0x68
        __refuse_date_format if m > 0
        m = __month_at(text, i)
        i += 3
        i = __behind_month(text, i, m)
      else
        __refuse_date_format
      end
    end
    __refuse_date_format if !has_year || (of_year > 0 && (m > 0 || d > 0)) || (d > 0 && m == 0)
    day = of_year > 0 ? y.__ordinal_day(of_year) : y.__civil_day(m == 0 ? 1 : m, d == 0 ? 1 : d)
    __invalid_date if day.__nil?
    __date(day)
  end

  # Begins a number at a byte of a format?
  def __number_at?(format, at)
    byte = at < format.__bytesize ? format.__byte(at) : 0
    return true if byte >= 0x30 && byte <= 0x39
    return false if byte != 0x25

    byte = at + 1 < format.__bytesize ? format.__byte(at + 1) : 0
    byte == 0x6d || byte == 0x64 || byte == 0x65 || byte == 0x6a || byte == 0x79
  end

  # The month whose name begins at a byte.
  def __month_at(text, i)
    __invalid_date if i + 3 > text.__bytesize
    m = 1
    while m <= 12
      return m if __name_at?(text, i, "janfebmaraprmayjunjulaugsepoctnovdec", 3 * (m - 1), 3)

      m += 1
    end
    __invalid_date
    0
  end

  # Where the name of a month ends of which there are three letters.
  def __behind_month(text, i, m)
    rest = "uaryruarychileyusttemberoberemberember"
    from = m < 5 ? (m < 3 ? (m == 1 ? 0 : 4) : m == 3 ? 9 : 11) : m < 9 ? (m < 7 ? 13 : m == 7 ? 14 : 15) : m < 11 ? (m == 9 ? 18 : 24) : m == 11 ? 28 : 33
    count = m == 1 ? 4 : m == 2 ? 5 : m == 3 || m == 4 ? 2 : m == 5 ? 0 : m == 6 || m == 7 ? 1 : m == 8 ? 3 : m == 9 ? 6 : m == 10 ? 4 : 5
    __name_at?(text, i, rest, from, count) ? i + count : i
  end

  # Are there these letters, small or capital?
  def __name_at?(text, i, name, from, count)
    return false if i + count > text.__bytesize

    last = from + count
    while from < last
      byte = text.__byte(i)
      byte += 0x20 if byte >= 0x41 && byte <= 0x5a
      return false if byte != name.__byte(from)

      from += 1
      i += 1
    end
    true
  end
end

# Numbers that Strings say.

module String
  # The number that a letter or digit is, or -1.
  def __digit_at(i)
    byte = __byte(i)
    return byte - 0x30 if byte <= 0x39 && byte >= 0x30

    byte |= 0x20
    byte >= 0x61 && byte <= 0x7a ? byte - 0x57 : -1
  end

  def __skip_spaces(i)
    i += 1 while i < __bytesize && __space?(__byte(i))
    i
  end

  # The base that a prefix at a byte tells, where it may be one: negative if there is no prefix.
  def __prefix_base(i)
    return -1 if i + 1 >= __bytesize || __byte(i) != 0x30

    case __byte(i + 1) | 0x20
    when 0x78 then 16
    when 0x62 then 2
    when 0x6f then 8
    when 0x64 then 10
    else -1
    end
  end

  # The Integer that it begins with, else 0; where it has to be all of it, nil if it is not.
  def __integer(base, strict)
    n = __bytesize
    i = __skip_spaces(0)
    negative = i < n && __byte(i) == 0x2d
    i += 1 if negative || (i < n && __byte(i) == 0x2b)
    prefix = __prefix_base(i)
    if base == 0
      base = prefix < 0 ? i + 1 < n && __byte(i) == 0x30 ? 8 : 10 : prefix
      i += 2 if prefix > 0
    elsif prefix == base
      i += 2
    end
    none = strict ? nil : 0
    return none if i >= n && n > 0

    raise ArgumentError, "invalid radix #{base}" if base == 1 || base > 36
    return none if n == 0

    if __byte(i) == 0x30 && i + 1 < n
      # Zeros, between which there may be single underscores.
      underscores = 0
      i += 1
      while i < n && (__byte(i) == 0x30 || __byte(i) == 0x5f)
        underscores = __byte(i) == 0x5f ? underscores + 1 : 0
        break if underscores > 1

        i += 1
      end
      i -= 1 if i == n || __byte(i) == 0 || __space?(__byte(i))
    end
    digit = __digit_at(i)
    return none if digit < 0 || digit >= base

    value = 0
    underscore = false
    while i < n
      if __byte(i) == 0x5f
        return nil if underscore && strict
        break if underscore

        underscore = true
      else
        digit = __digit_at(i)
        break if digit < 0 || digit >= base

        value = value * base - digit
        underscore = false
      end
      i += 1
    end
    return nil if strict && (underscore || __skip_spaces(i) < n)

    negative ? value : -value
  end

  def to_i(base = 10)
    base = __c_int(base)
    raise ArgumentError, "invalid radix #{base}" if base < 0

    __integer(base, false)
  end

  def hex
    __integer(16, false)
  end

  # Of base 8, if no prefix tells another.
  def oct
    i = __skip_spaces(0)
    i += 1 if i < __bytesize && (__byte(i) == 0x2d || __byte(i) == 0x2b)
    base = __prefix_base(i)
    __integer(base < 0 ? 8 : base, false)
  end

  # `Integer(text, base)`
  def __integer_of(base)
    value = __integer_or_nil(base)
    __invalid_value(:Integer) if value.__nil?
    value
  end

  def __integer_or_nil(base)
    base = __c_int(base)
    base = 10 if base == -1
    __integer(base < 0 ? -base : base, true)
  end

  def __null?
    i = 0
    i += 1 while i < __bytesize && __byte(i) != 0
    i < __bytesize
  end

  def __float_of
    raise ArgumentError, "string for Float contains null byte" if __null?

    value = __float(true)
    if value.__nil?
      b.__invalid_value(:Float) if __ruby?(:float_tells_bytes) && !__ascii?
      __invalid_value(:Float)
    end
    value
  end

  def __float_or_nil
    __null? ? nil : __float(true)
  end

  # ---- Floats

  def to_f
    __float(false)
  end

  # The Float that it begins with, else 0.0; where it has to be all of it, nil if it is not. As MRI, with the first 60
  # digits if there is a point among them.
  def __float(strict)
    n = __bytesize
    i = __skip_spaces(0)
    none = strict ? nil : 0.0
    negative = i < n && __byte(i) == 0x2d
    signed = negative || (i < n && __byte(i) == 0x2b)
    i += 1 if signed
    if __prefix_base(i) == 16
      return 0.0 unless strict || signed

      __refuse_hexadecimal
    end
    whole = __float_digits(i)
    last = whole
    fraction = whole
    if whole < n && __byte(whole) == 0x2e
      last = __float_digits(whole + 1)
      fraction = whole + 1
      if last == fraction
        # No digits behind the point.
        return none if strict && !(__ruby?(:floats_end_with_points) && whole > i)

        last = whole unless strict
      end
    end
    return none if last == i || (whole == i && last <= fraction)

    exponent = 0
    behind = last
    if last < n && __byte(last) | 0x20 == 0x65
      at = last + 1
      below = at < n && __byte(at) == 0x2d
      at += 1 if below || (at < n && __byte(at) == 0x2b)
      behind = __float_digits(at)
      if behind == at
        return nil if strict

        behind = last
      end
      while at < behind
        exponent = exponent * 10 + __byte(at) - 0x30 if exponent < 20_000 && __byte(at) != 0x5f
        at += 1
      end
      exponent = -exponent if below
    end
    return nil if strict && __skip_spaces(behind) < n

    size = __scan_decimal(i, whole, fraction, last, exponent)
    negative ? -size : size
  end

  # The end of digits, between which there may be single underscores.
  def __float_digits(i)
    n = __bytesize
    i += 1 while i < n && (__digit?(__byte(i)) || (__byte(i) == 0x5f && i + 1 < n && __digit?(__byte(i + 1)) &&
                                                   i > 0 && __digit?(__byte(i - 1))))
    i
  end

  # The number of digits before and behind a point; of those behind it MRI takes no more than sixty are needed for.
  def __scan_decimal(i, whole, fraction, last, exponent)
    return __scan_float(i, whole, fraction, last, exponent) if __intrinsics?

    i += 1 while i < last && (__byte(i) == 0x30 || !__digit?(__byte(i)))
    return 0.0 if i == last

    digits = 0
    used = 0
    stop = i
    at = i
    while at < last && (at < fraction || used <= 60)
      byte = __byte(at)
      if __digit?(byte)
        digits += 1
        if byte > 0x30 || at < whole
          used = digits
          stop = at + 1
        end
      end
      at += 1
    end
    at = fraction
    while at < stop
      exponent -= 1 if __digit?(__byte(at))
      at += 1
    end
    used > 18 ? __scan_long(i, stop, exponent) : __scan_short(i, stop).__times_ten_to(exponent)
  end

  def __scan_short(i, stop)
    value = 0
    while i < stop
      byte = __byte(i)
      value = value * 10 + byte - 0x30 if __digit?(byte)
      i += 1
    end
    value
  end

  def __scan_long(i, stop, exponent)
    limbs = __list(8)
    limbs.__push(0)
    while i < stop
      byte = __byte(i)
      __scale_limbs(limbs, 10, byte - 0x30, 0x100_0000) if __digit?(byte)
      i += 1
    end
    __float_of_limbs(limbs, exponent)
  end

  # ---- Rationals

  def to_r
    __ratio(false)
  end

  def __exact_number(_wanted)
    number = __ratio(true)
    raise ArgumentError, "invalid value for convert(): #{inspect}" if number.__nil?

    number
  end

  # The Rational that it begins with, else 0; where it has to be all of it, nil if it is not.
  def __ratio(strict)
    i = __skip_spaces(0)
    negative = i < __bytesize && __byte(i) == 0x2d
    i += 1 if negative || (i < __bytesize && __byte(i) == 0x2b)
    number, places, i = __ratio_part(i)
    return strict ? nil : __rational(0, 1) if i < 0

    below = 1
    if i < __bytesize && __byte(i) == 0x2f
      divisor, less, behind = __ratio_part(i + 1)
      return if strict && behind < 0

      if behind > 0
        raise ZeroDivisionError, "divided by 0" if divisor == 0

        below = divisor
        places -= less
        i = behind
      end
    end
    return if strict && __skip_spaces(i) < __bytesize

    ratio = (negative ? -number : number).__over(below)
    places > 0 ? ratio.__quotient_by(10.__to_power(places), 1) : ratio.__product(10.__to_power(-places), 1)
  end

  # The digits of a number as an Integer, how many of them are behind the point, less the exponent, and where it ends: -1
  # where there is none.
  def __ratio_part(start)
    number, _, i = __digits_from(start)
    places = 0
    if i < __bytesize && __byte(i) == 0x2e
      fraction, places, i = __digits_from(i + 1)
      return [number, 0, i] if places == 0

      number = (number * 10.__to_power(places)) + fraction
    end
    return [0, 0, -1] if i == start
    return [number, places, i] unless i + 1 < __bytesize && __byte(i) | 0x20 == 0x65

    i += 1
    negative = __byte(i) == 0x2d
    i += 1 if negative || __byte(i) == 0x2b
    exponent, _, i = __digits_from(i)
    [number, negative ? places + exponent : places - exponent, i]
  end

  # The Integer that digits stand for, with single underscores between them, how many there are, and where they end.
  def __digits_from(start)
    number = 0
    count = 0
    i = start
    while (digit = __decimal_digit(i, start)) >= 0
      number = (number * 10) + digit
      count += 1
      i += __byte(i) == 0x5f ? 2 : 1
    end
    [number, count, i]
  end

  # The digit at a byte, or behind a single underscore that is not the first: -1 where there is none.
  def __decimal_digit(i, first)
    return -1 if i >= __bytesize

    i += 1 if i > first && __byte(i) == 0x5f
    return -1 if i >= __bytesize

    byte = __byte(i)
    byte <= 0x39 && byte >= 0x30 ? byte - 0x30 : -1
  end
end

# Numbers in text: what Strings say, and what is said of numbers.

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
      # MRI shows the bytes.
      __refuse_inspect unless __ascii?
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
end

module Integer
  # self * 10**exponent as a Float, rounded once; self is below 10**18.
  def __times_ten_to(exponent)
    if exponent >= 0 && exponent <= 18 && self <= 9_223_372_036_854_775_807 / 10**exponent
      return (self * 10**exponent).to_f
    end
    if self < 0x20_0000_0000_0000 && exponent.abs <= 22
      power = exponent.abs < 19 ? (10**exponent.abs).to_f : (10**(exponent.abs - 11)).to_f * 1e11
      return exponent < 0 ? to_f / power : to_f * power
    end
    return __over_power_of_five(-exponent) if exponent < 0 && exponent >= -26

    limbs = __list(3)
    limbs.__push(self & 0xff_ffff)
    limbs.__push(self >> 24 & 0xff_ffff)
    limbs.__push(self >> 48)
    __float_of_limbs(limbs, exponent)
  end

  # self / 10**power: the quotient has 62 bits, the last of which says whether there is a rest.
  def __over_power_of_five(power)
    divisor = 5**power
    apart = bit_length - divisor.bit_length
    rest = apart < 0 ? self << -apart : self
    divisor <<= apart if apart > 0
    if rest < divisor
      rest <<= 1
      apart -= 1
    end
    quotient = 0
    bits = 62
    while bits > 0
      quotient <<= 1
      if rest >= divisor
        rest -= divisor
        quotient |= 1
      end
      rest <<= 1
      bits -= 1
    end
    quotient |= 1 if rest > 0
    quotient.__scaled(apart - 61 - power)
  end

  # self * 2**power as a Float, rounded once; self has 62 bits.
  def __scaled(power)
    return to_f * 4.336808689942018e-19 * ((1084 + power) << 52).__float_of_bits if power >= -1083 && power <= 962
    return 1.0 / 0.0 if power > 962

    shift = -1074 - power
    return 0.0 if shift > 62

    whole = shift > 61 ? 0 : self >> shift
    rest = self - (shift > 61 ? 0 : whole << shift)
    half = 1 << (shift - 1)
    whole += 1 if rest > half || (rest == half && whole.odd?)
    whole.__float_of_bits
  end

  # ---- text

  # The digits with a sign, as US-ASCII.
  def __digits(base)
    text = "".__force(1)
    # With negative numbers, of which there is one more.
    rest = self < 0 ? self : -self
    while true
      digit = -rest.remainder(base)
      text.__push(digit < 10 ? digit + 0x30 : digit + 0x57)
      break if rest > -base

      rest = (rest + digit) / base
    end
    text.__push(0x2d) if self < 0
    text.reverse
  end

  def __decimal_text
    return __decimal_digits if __intrinsics?
    return "0".__force(1) if self == 0

    size = self < 0 ? 1 : 0
    rest = self
    while rest != 0
      size += 1
      rest = (rest - rest.remainder(10)) / 10
    end
    text = "".__build(size).__append("                    ", 0, size).__force(1)
    at = size
    rest = self
    while rest != 0
      at -= 1
      digit = rest.remainder(10)
      text.__set_byte(at, 48 + (digit < 0 ? -digit : digit))
      rest = (rest - digit) / 10
    end
    text.__set_byte(0, 45) if self < 0
    text
  end

  def to_s(base = 10)
    base = __c_int(base)
    raise ArgumentError, "invalid radix #{base}" if base < 2 || base > 36

    base == 10 ? __decimal_text : __digits(base)
  end

  def chr(encoding = :__none)
    return __chr_in(encoding) if !encoding.equal?(:__none)
    __refuse_char if self < 0 || self > 255

    "".__force(self < 128 ? 1 : 2).__push(self)
  end

  def __check_codepoint
    is_invalid = (self >= 0xd800 && self < 0xe000) || self == 0xffff_ffff
    raise RangeError, "invalid codepoint 0x#{to_s(16).upcase} in UTF-8" if is_invalid

    __refuse_char if self < 0 || self > 0x10_ffff
  end

  # What is beyond 62 bits is told otherwise.
  def __refuse_char
    is_big = self > 4_611_686_018_427_387_903 || self < -4_611_686_018_427_387_904
    raise RangeError, "bignum out of char range" if is_big

    raise RangeError, "#{self} out of char range"
  end

  def __chr_in(encoding)
    "".__refuse_encoding if "".__encoding_number(encoding) != 0
    __check_codepoint

    "".__push_code(self)
  end
end

module Kernel
  # ---- large numbers, as lists of digits to a base, the lowest first

  def __scale_limbs(limbs, factor, more, base)
    i = 0
    while i < limbs.size
      more += limbs.__item(i) * factor
      limbs.__set(i, more % base)
      more /= base
      i += 1
    end
    while more > 0
      limbs.__push(more % base)
      more /= base
    end
  end

  def __limbs_length(limbs)
    i = limbs.size
    i -= 1 while i > 0 && limbs.__item(i - 1) == 0
    i == 0 ? 0 : (i - 1) * 24 + limbs.__item(i - 1).bit_length
  end

  def __shift_limbs(limbs, count)
    while count > 0
      step = count > 20 ? 20 : count
      __scale_limbs(limbs, 1 << step, 0, 0x100_0000)
      count -= step
    end
  end

  # Are there fewer than in the other, which is as long?
  def __fewer_limbs?(limbs, other)
    i = limbs.size - 1
    i -= 1 while i > 0 && limbs.__item(i) == other.__item(i)
    limbs.__item(i) < other.__item(i)
  end

  def __subtract_limbs(limbs, other)
    borrow = 0
    i = 0
    while i < limbs.size
      rest = limbs.__item(i) - other.__item(i) - borrow
      borrow = rest < 0 ? 1 : 0
      limbs.__set(i, rest & 0xff_ffff)
      i += 1
    end
  end

  # A number * 10**exponent as a Float, rounded once.
  def __float_of_limbs(limbs, exponent)
    length = __limbs_length(limbs)
    return 1.0 / 0.0 if length + exponent * 3 > 1100
    return 0.0 if length / 3 + exponent < -330

    divisor = __list(8)
    divisor.__push(1)
    i = exponent < 0 ? -exponent : exponent
    scaled = exponent < 0 ? divisor : limbs
    while i > 0
      step = i > 10 ? 10 : i
      __scale_limbs(scaled, 5**step, 0, 0x100_0000)
      i -= step
    end
    apart = __limbs_length(limbs) - __limbs_length(divisor)
    apart > 0 ? __shift_limbs(divisor, apart) : __shift_limbs(limbs, -apart)
    limbs.__push(0)
    limbs.__push(0) while limbs.size < divisor.size
    divisor.__push(0) while divisor.size < limbs.size
    if __fewer_limbs?(limbs, divisor)
      __shift_limbs(limbs, 1)
      apart -= 1
    end
    quotient = 0
    bits = 62
    while bits > 0
      quotient <<= 1
      unless __fewer_limbs?(limbs, divisor)
        __subtract_limbs(limbs, divisor)
        quotient |= 1
      end
      __shift_limbs(limbs, 1)
      bits -= 1
    end
    quotient |= 1 if __limbs_length(limbs) > 0
    quotient.__scaled(apart - 61 + exponent)
  end
end

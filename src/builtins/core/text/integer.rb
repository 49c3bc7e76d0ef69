# Integers as text.

module Integer
  def __encoding_name
    case self
    when 0 then :"UTF-8"
    when 1 then :"US-ASCII"
    else
      __ruby?(:binary_has_two_names) ? :"BINARY (ASCII-8BIT)" : :"ASCII-8BIT"
    end
  end

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
    __refuse_char if self < 0 || self > 0xffff_ffff
    "".__refuse_encoding if "".__encoding_number(encoding) != 0
    __check_codepoint

    "".__push_code(self)
  end

  # ---- packing

  # The Float that its lower 32 bits are.
  def __float_of_single
    exponent = self >> 23 & 0xff
    fraction = self & 0x7f_ffff
    size =
      if exponent == 0
        fraction * 1.40129846432481707e-45
      else
        ((exponent == 0xff ? 0x7ff : exponent + 896) << 52 | fraction << 29).__float_of_bits
      end
    self < 0 ? -size : size
  end

  # ---- format

  def __format_integer
    self
  end

  # 10**(16 * 2**self) as a Float.
  def __large_power
    case self
    when 0 then 1e16
    when 1 then 1e32
    when 2 then 1e64
    when 3 then 1e128
    else 1e256
    end
  end

  def __magnitude_digits(base)
    digits = base == 10 ? __decimal_text : __digits(base)
    self < 0 ? digits.__piece(1, digits.__bytesize - 1) : digits
  end

  # Hexadecimal, octal or binary digits. `letters`: what makes a letter of a digit from ten on. `signed`: of a negative number
  # those of two's complement, of which the first goes on to the left for ever; else it is one of 64 bits.
  def __based_digits(base, letters, signed)
    bits = (base == 16 ? 4 : base == 8 ? 3 : 1) & 7
    most = base - 1
    ahead = signed && self < 0 ? -1 : 0
    kept = signed ? -1 : base == 16 ? 0xfff_ffff_ffff_ffff : base == 8 ? 0x1fff_ffff_ffff_ffff : 0x7fff_ffff_ffff_ffff
    size = 1
    rest = self
    next_rest = (rest >> bits) & kept
    while next_rest != ahead
      rest = next_rest
      next_rest = (rest >> bits) & kept
      size += 1
    end
    size += 1 if ahead < 0 && rest & most != most
    text = "".__build(size).__push_zeros(size).__force(1)
    rest = self
    while size > 0
      size -= 1
      digit = rest & most
      text.__set_byte(size, digit < 10 ? digit + 0x30 : digit + letters)
      rest = (rest >> bits) & kept
    end
    text
  end

  # ---- inspect

  # Without the zeros at the end; so many digits are behind the point.
  def __digits_and_point(behind)
    digits = self
    while digits % 10 == 0
      digits /= 10
      behind -= 1
    end
    [digits, digits.to_s.__bytesize - behind]
  end

  # As messages tell it: those of more than one word are not.
  def __shown
    __large? ? "Integer" : to_s
  end
end

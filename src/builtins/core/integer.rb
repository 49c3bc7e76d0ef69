module Integer
  # The bit at a Float, which may be beyond all Integers that a section has.
  def __bit_at(float)
    return self[__index(float)] if __large?
    return 0 if float.finite? && float <= -1.0
    return self < 0 ? 1 : 0 if float.finite? && float >= 64.0

    self[float.to_i]
  end

  def coerce(other)
    other.is_a?(Integer) ? [other, self] : [Float(other), to_f]
  end

  def __float_of_number
    self < 0 ? -(-self).__float_of_bits : __float_of_bits
  end

  # The power by squaring; products of two remainders fit where the modulus has up to 31 bits.
  def __pow_modulo(exponent, modulus)
    unless exponent.is_a?(Integer)
      raise TypeError, "Integer#pow() 2nd argument not allowed unless a 1st argument is integer"
    end
    if exponent < 0
      raise RangeError, "Integer#pow() 1st argument cannot be negative when 2nd argument specified"
    end
    unless modulus.is_a?(Integer)
      raise TypeError, "Integer#pow() 2nd argument not allowed unless all arguments are integers"
    end
    return __as_big.__pow_modulo(exponent, modulus) if modulus.__big?

    if modulus == 0
      return 0 if __ruby?(:zero_pow_takes_any_modulus) && self == 0 && exponent > 0

      raise ZeroDivisionError, "divided by 0"
    end

    return __pow_of_word(exponent) + modulus if modulus == -0x8000_0000_0000_0000
    return __as_big.__pow_modulo(exponent, modulus) if exponent.__big?

    size = modulus.abs
    small = size <= 3_037_000_500
    result = 1 % size
    base = self % size
    if __intrinsics? && !small
      result = __as_big.__power_modulo(exponent, size).__word(0)
      exponent = 0
    end
    while exponent > 0
      result = small ? result * base % size : result.__times_modulo(base, size) if exponent.odd?
      exponent >>= 1
      base = small ? base * base % size : base.__times_modulo(base, size) if exponent > 0
    end
    # MRI takes 0 for a number that is not, where the modulus without its sign needs more than one of its words.
    modulus < 0 && (result > 0 || modulus <= -0x4000_0000_0000_0000) ? result + modulus : result
  end

  # The lowest 63 bits of the power.
  def __pow_of_word(exponent)
    mask = 0x7fff_ffff_ffff_ffff
    result = 1
    base = self & mask
    while exponent > 0
      result = (result * base) & mask if exponent.odd?
      exponent >>= 1
      base = (base * base) & mask
    end
    result
  end

  # self * other % modulus, where the product does not fit: both factors are below the modulus.
  def __times_modulo(other, modulus)
    result = 0
    double = self
    while other > 0
      result = result >= modulus - double ? result - (modulus - double) : result + double if other.odd?
      other >>= 1
      double = double >= modulus - double ? double - (modulus - double) : double + double
    end
    result
  end

  # With negative numbers, of which there is one more.
  def gcd(other)
    raise TypeError, "not an integer" unless other.is_a?(Integer)

    a = self < 0 ? self : -self
    b = other < 0 ? other : -other
    while b != 0
      t = a.remainder(b)
      a = b
      b = t
    end
    -a
  end

  def lcm(other)
    raise TypeError, "not an integer" unless other.is_a?(Integer)

    self == 0 || other == 0 ? 0 : (self / gcd(other) * other).abs
  end

  def gcdlcm(other)
    [gcd(other), lcm(other)]
  end

  # MRI divides by the greatest common divisor first, so that large Integers round once.
  def fdiv(other)
    if other.is_a?(Integer)
      return __as_big.fdiv(other) if other.__big?

      if other == self || other == 0 || self == 0
        to_f / other.to_f
      else
        __quotient(other)
      end
    elsif other.is_a?(Float)
      to_f / other
    elsif other.is_a?(Rational)
      __rational(self, 1).fdiv(other)
    elsif other.is_a?(Complex)
      __complex(self, 0).fdiv(other).to_f
    else
      __coerced_fdiv(other)
    end
  end

  # The quotient as a Float. Divisors of more than one word, or that are no Floats, are divided by as Integers.
  def __quotient(other)
    divisor = gcd(other)
    x = self / divisor
    y = other / divisor
    exact = y.__large?
    unless __ruby?(:fdiv_rounds_divisors) || x.__large?
      exact = true if y >= 9_007_199_254_740_992 || y <= -9_007_199_254_740_992
    end
    exact ? x.__long_quotient(y) : x.to_f / y.to_f
  end

  # MRI shifts both numbers so that their quotient has 64 or 65 bits, and rounds that: it does not ask what follows. Here
  # 62 bits are made, and then the last one says whether one of the other two or three is set. With negative numbers, of
  # which there is one more.
  def __long_quotient(other)
    apart = __magnitude_length - other.__magnitude_length
    rest = self < 0 ? self : -self
    divisor = other < 0 ? other : -other
    quotient = rest / divisor
    rest = rest.remainder(divisor)
    bits = 0
    while quotient < 2_305_843_009_213_693_952
      quotient += quotient
      if rest <= divisor - rest
        rest -= divisor - rest
        quotient += 1
      else
        rest += rest
      end
      bits += 1
    end
    more = 61 - bits == apart ? 3 : 2
    while more > 0
      if rest <= divisor - rest
        rest -= divisor - rest
        quotient |= 1
      else
        rest += rest
      end
      more -= 1
    end
    size = quotient.to_f * ((1023 - bits) << 52).__float_of_bits
    (self < 0) == (other < 0) ? size : -size
  end

  # The number of bits without the sign.
  def __magnitude_length
    self == -9_223_372_036_854_775_808 ? 64 : abs.bit_length
  end

  def quo(other)
    other.is_a?(Float) ? self / other : to_r / other
  end

  def ceildiv(other)
    if other.is_a?(Float)
      raise ZeroDivisionError, "divided by 0" if other == 0.0

      # As `div`, but that the largest number fits once it is negated.
      quotient = to_f / (0 - other)
      return quotient.to_i unless quotient.finite?

      whole = __ruby?(:large_div_truncates) && __large? ? quotient.__truncate : quotient.__floor
      return (-whole).to_i
    end
    return -div(__ruby?(:ceildiv_negates) ? -other : 0 - other) unless other.is_a?(Integer)

    quotient = div(other)
    self % other == 0 ? quotient : quotient + 1
  end

  def numerator
    self
  end

  def denominator
    1
  end

  def arg
    self < 0 ? 3.141592653589793 : 0
  end

  def allbits?(mask)
    mask = __to_int(mask)
    self & mask == mask
  end

  def anybits?(mask)
    self & __to_int(mask) != 0
  end

  def nobits?(mask)
    self & __to_int(mask) == 0
  end

  def digits(base = 10)
    raise Math::DomainError, "out of domain" if self < 0

    base = __to_int(base)
    raise ArgumentError, "negative radix" if base < 0
    raise ArgumentError, "invalid radix #{base}" if base < 2

    out = __list(20)
    rest = self
    while rest >= base
      out.__push(rest % base)
      rest /= base
    end
    out.__push(rest)
  end

  # `size` bits from `offset` on.
  def __part(offset, size)
    offset = __to_int(offset)
    size = __to_int(size)
    if offset < 0 && size >= 0
      # Zeros come in from below; only the lowest bits of the number are left.
      if -offset >= size
        return 0
      elsif size < 63
        return (self & ((1 << (size + offset)) - 1)) << -offset
      end
    end
    rest = self >> offset
    if size < 0
      rest
    elsif size < 63
      rest & ((1 << size) - 1)
    elsif size == 63
      rest & 0x7fff_ffff_ffff_ffff
    else
      rest.__big? || rest < 0 ? rest & ((1 << size) - 1) : rest
    end
  end

  def __floor_digits(digits)
    if digits >= 0
      self
    elsif digits >= -18
      self - self % __power_of_ten(-digits)
    elsif self >= 0 || (digits < -19 && __ruby?(:far_rounding_is_zero))
      0
    else
      0 - (10**-digits)
    end
  end

  def __upto_size(limit)
    limit < self ? 0 : limit - self + 1
  end

  def __downto_size(limit)
    limit > self ? 0 : self - limit + 1
  end

  def __ceil_digits(digits)
    if digits >= 0
      self
    elsif digits >= -18
      unit = __power_of_ten(-digits)
      rest = self % unit
      rest == 0 && !(__ruby?(:large_ceil_overshoots) && __large?) ? self : self + (unit - rest)
    elsif digits < -19 && __ruby?(:far_rounding_is_zero)
      0
    else
      self > 0 || (self == 0 && digits == -19 && __ruby?(:large_ceil_overshoots)) ? 10**-digits : 0
    end
  end

  def __truncate_digits(digits)
    if digits >= 0
      self
    elsif digits >= -18
      unit = __power_of_ten(-digits)
      rest = remainder(unit)
      self < 0 && rest == 0 && __ruby?(:large_truncate_overshoots) && __large? ? self + unit : self - rest
    else
      0
    end
  end

  # `half`: what a half is rounded to, 0: away from zero, 1: the even neighbour, 2: towards zero.
  def __round_digits(digits, half)
    if digits >= 0
      self
    elsif digits >= -18
      unit = __power_of_ten(-digits)
      rest = self % unit
      up = rest > unit / 2
      if rest == unit / 2
        up = half == 0 ? self > 0 : half == 1 ? (self / unit).odd? : self < 0
      end
      up ? self + (unit - rest) : self - rest
    elsif digits == -19
      # The unit does not fit 64 bits, its half does.
      far = self > 5_000_000_000_000_000_000 || self < -5_000_000_000_000_000_000
      far = true if half == 0 && (self == 5_000_000_000_000_000_000 || self == -5_000_000_000_000_000_000)
      return 0 unless far

      self > 0 ? 10**-digits : 0 - (10**-digits)
    else
      0
    end
  end

  # An array of so many of a value, where it goes to the heap.
  def __filled(value)
    (0...self).pmap { value }
  end

  # ---- as parts of a Complex

  def __part_plus(other)
    return other if self == 0
    return self if other.is_a?(Integer) && other == 0

    self + other
  end

  def __part_times(other)
    return 0 if other.is_a?(Integer) && (other == 0 || self == 0)
    return other if self == 1
    return self if other.is_a?(Integer) && other == 1

    self * other
  end

  def __part_product(other)
    return self == 0 && !other.nan? && other != 0.0 ? self * other.__sign : __part_times(other) if other.is_a?(Float)

    __part_times(other)
  end

  def __bignum?
    self >= 4_611_686_018_427_387_904 || self < -4_611_686_018_427_387_904
  end

  def __part_quo(other)
    quo(other)
  end

  def __part_power(n)
    return __to_power(n) if n >= 0
    return n.odd? ? self : 1 if self == 1 || self == -1

    1.__over(__to_power(-n))
  end

  def __part_zero
    0
  end

  # ---- as Rationals

  # The Rational of two Integers.
  def __over(other)
    raise ZeroDivisionError, "divided by 0" if other == 0

    common = other < 0 ? -gcd(other) : gcd(other)
    __rational(self / common, other / common)
  end

  # The power with an exponent that is not negative.
  def __to_power(exponent)
    self**exponent
  end

  def to_r
    __rational(self, 1)
  end

  def rationalize(_range = :__none)
    __rational(self, 1)
  end
end

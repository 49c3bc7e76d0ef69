# Integers beyond 64 bits, on the CPU: their words are a String (`intrinsics/big_integer.rs`). What fits 64 bits is an
# Integer, so none of these is equal to one, and all are further from 0.

module BigInteger
  def +(other)
    return __with(other, 0) if other.is_a?(Integer)
    return to_f + other if other.is_a?(Float)

    __with_number(:+, other)
  end

  def -(other)
    return __with(other, 1) if other.is_a?(Integer)
    return to_f - other if other.is_a?(Float)

    __with_number(:-, other)
  end

  def *(other)
    return __with(other, 2) if other.is_a?(Integer)
    return to_f * other if other.is_a?(Float)

    __with_number(:*, other)
  end

  def /(other)
    return __divided(other, 3) if other.is_a?(Integer)
    return to_f / other if other.is_a?(Float)

    __with_number(:/, other)
  end

  def %(other)
    return __divided(other, 4) if other.is_a?(Integer)
    return to_f % other if other.is_a?(Float)

    __with_number(:%, other)
  end

  def modulo(other)
    self % other
  end

  def remainder(other)
    return __divided(other, 5) if other.is_a?(Integer)
    return to_f.remainder(other) if other.is_a?(Float)

    __with_number(:remainder, other)
  end

  def div(other)
    return __divided(other, 3) if other.is_a?(Integer)
    raise ZeroDivisionError, "divided by 0" if other == 0

    quotient = self / other
    return quotient.to_i if quotient.is_a?(Float) && __ruby?(:large_div_truncates)

    quotient.floor
  end

  def divmod(other)
    return [__divided(other, 3), __divided(other, 4)] if other.is_a?(Integer)
    return to_f.divmod(other) if other.is_a?(Float)

    __with_number(:divmod, other)
  end

  def fdiv(other)
    return __fdiv(other) if other.is_a?(Integer)
    return to_f / other if other.is_a?(Float)
    return __rational(self, 1).fdiv(other) if other.is_a?(Rational)
    return __complex(self, 0).fdiv(other).to_f if other.is_a?(Complex)

    __by_coerce(:fdiv, other)
  end

  # As MRI's `rb_int_fdiv_double`.
  def __fdiv(other)
    return to_f / 0.0 if other == 0

    common = gcd(other)
    (self / common).__as_big.__quotient_by(other / common)
  end

  # Of numbers without a common divisor.
  def __quotient_by(other)
    number = __words.__number
    return number.to_f / other.to_f if !number.__large? && !other.__large? && other.abs.bit_length <= 53
    return number.to_f / other.to_f if !other.__large? && number.__large? && number.to_f.finite?

    number.__as_big.__long_quotient_by(other.__as_big)
  end

  # As MRI's `big_fdiv_int`: it shifts both, and truncates.
  def __long_quotient_by(other)
    less = other.__size_in_bits - 64
    divisor = other.__shifted(-less)
    power = __size_in_bits - 128
    if power > 64
      power -= 64
    elsif power > 0
      power = 0
    end
    quotient = __shifted(-power).__as_big.__divided(divisor, 10)
    Math.ldexp(quotient.to_f, power - less)
  end

  # Without the sign.
  def __size_in_bits
    (self < 0 ? 0.__as_big.__with(self, 1) : self).bit_length
  end

  def &(other)
    return __with(other, 6) if other.is_a?(Integer)

    __by_coerce(:&, other)
  end

  def |(other)
    return __with(other, 7) if other.is_a?(Integer)

    __by_coerce(:|, other)
  end

  def ^(other)
    return __with(other, 8) if other.is_a?(Integer)

    __by_coerce(:^, other)
  end

  def ~
    __with(-1, 8)
  end

  def -@
    0.__as_big.__with(self, 1)
  end

  def abs
    self < 0 ? -self : self
  end

  def magnitude
    abs
  end

  def <<(count)
    count = __to_int(count)
    count.__big? ? __shifted_far(count < 0) : __shifted(count)
  end

  def >>(count)
    count = __to_int(count)
    count.__big? ? __shifted_far(count > 0) : __shifted(0 - count)
  end

  # By more than 64 bits hold.
  def __shifted_far(down)
    return self < 0 ? -1 : 0 if down || __sign_of_words == 0

    raise RangeError, "shift width too big"
  end

  def __shifted(count)
    words = __words
    size = words.__bytesize
    return self < 0 ? -1 : 0 if count < 0 && -count >= size * 8
    __overflow if count > 0x1000_0000

    out = __room_for_words(count > 0 ? size + (count / 8) + 16 : size + 8)
    out.__put_big_by(words, 0, count)
    out.__number
  end

  def [](index, size = :__none)
    return __part(index, size) unless size.equal?(:__none)
    return __bits_of(index) if index.is_a?(Range)
    return index < 0 || self >= 0 ? 0 : 1 if index.__big?

    index = __to_int(index)
    return 0 if index < 0

    (self >> index) & 1
  end

  def __part(offset, size)
    rest = __shifted(-__to_int(offset))
    size = __to_int(size)
    size < 0 ? rest : rest & (1.__as_big.__shifted(size) - 1)
  end

  def **(other)
    if other.is_a?(Integer)
      return __to_far_power(other) if other.__big?
      return __to_power(other) if other >= 0

      return __rational(1, 1) / __to_power(0 - other)
    end
    return to_f**other if other.is_a?(Float)

    __with_number(:**, other)
  end

  def pow(other, modulus = :__none)
    return self**other if modulus.equal?(:__none)

    __pow_modulo(other, modulus)
  end

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
    raise ZeroDivisionError, "divided by 0" if modulus == 0

    result = __power_modulo(exponent, modulus < 0 ? 0.__as_big.__with(modulus, 1) : modulus).__number
    # As with moduli of 64 bits.
    modulus < 0 && (result > 0 || modulus <= -0x4000_0000_0000_0000) ? result.__as_big.__with(modulus, 0) : result
  end

  # The words of the power modulo a positive number.
  def __power_modulo(exponent, modulus)
    words = modulus.__words
    out = __room_for_words(words.__bytesize + 8)
    out.__put_power_modulo(__words, exponent.__words, words)
    out
  end

  def __to_power(exponent)
    return 1 if exponent == 0

    words = __words
    bits = words.__ask_big(words, 2)
    __overflow if exponent > 0x1000_0000 / (bits + 1)

    out = __room_for_words(((bits + 1) * exponent / 8) + 24)
    out.__put_big_by(words, 1, exponent)
    out.__number
  end

  # The exponent is beyond 64 bits.
  def __to_far_power(exponent)
    number = __words.__number
    return exponent.even? ? 1 : number if number == 1 || number == -1
    return exponent > 0 ? 0 : 1 / number if number == 0

    __integer_only
  end

  # What an operation of two Integers gives, of which one at least is none of 64 bits.
  def __with(other, operation)
    mine = __words
    words = other.__words
    size = mine.__bytesize
    others = words.__bytesize
    room = operation == 2 ? size + others : size > others ? size : others
    out = __room_for_words(room + 8)
    out.__put_big(mine, words, operation)
    out.__number
  end

  def __divided(other, operation)
    raise ZeroDivisionError, "divided by 0" if other == 0

    __with(other, operation)
  end

  # With another number than an Integer or a Float.
  def __with_number(name, other)
    return __rational(self, 1).public_send(name, other) if other.is_a?(Rational)
    return __complex(self, 0).public_send(name, other) if other.is_a?(Complex)

    __by_coerce(name, other)
  end

  def __ordered(other)
    words = __words
    words.__ask_big(other.__words, 0)
  end

  def <=>(other)
    return __ordered(other) if other.is_a?(Integer)
    return __ordered_by(other) if other.is_a?(Float)
    return __rational(self, 1) <=> other if other.is_a?(Rational)

    __order_by_coerce(other)
  end

  # With a Float: exactly, as its whole part is an Integer.
  def __ordered_by(float)
    return nil if float.nan?
    return float > 0.0 ? -1 : 1 unless float.finite?

    whole = float.__truncate.__whole
    whole.__big? ? __ordered(whole) : __sign_of_words
  end

  def __sign_of_words
    __ordered(0)
  end

  # The order of a number and this one.
  def __order_reversed(other)
    order = self <=> other
    order.nil? ? nil : -order
  end

  def ==(other)
    return __ordered(other) == 0 if other.is_a?(Integer)
    return __ordered_by(other) == 0 if other.is_a?(Float)
    return false if other.__nil?

    other == self
  end

  def ===(other)
    self == other
  end

  def equal?(other)
    return false unless other.is_a?(Integer)

    __integer_only
  end

  def eql?(other)
    other.is_a?(Integer) && __ordered(other) == 0
  end

  def <(other)
    order = __compared(:<, other)
    order.nil? ? false : order < 0
  end

  def <=(other)
    order = __compared(:<=, other)
    order.nil? ? false : order <= 0
  end

  def >(other)
    order = __compared(:>, other)
    order.nil? ? false : order > 0
  end

  def >=(other)
    order = __compared(:>=, other)
    order.nil? ? false : order >= 0
  end

  # Nil beside a Float that is not a number.
  def __compared(operator, other)
    return __ordered(other) if other.is_a?(Integer)
    return __ordered_by(other) if other.is_a?(Float)
    return __by_coerce(operator, other) if other.is_a?(Complex)

    order = self <=> other
    __no_order(other) if order.nil?
    order
  end

  def even?
    __words.__word(0) & 1 == 0
  end

  def odd?
    __words.__word(0) & 1 == 1
  end

  def succ
    self + 1
  end

  def next
    self + 1
  end

  def pred
    self - 1
  end

  def zero?
    false
  end

  def positive?
    self > 0
  end

  def negative?
    self < 0
  end

  def nonzero?
    self
  end

  def integer?
    true
  end

  def real?
    true
  end

  def finite?
    true
  end

  def infinite?
    nil
  end

  def +@
    self
  end

  def to_i
    self
  end

  def to_int
    self
  end

  def __floor_digits(digits)
    return self if digits >= 0
    return 0 if __far?(digits) && (self > 0 || __ruby?(:far_rounding_is_zero))

    self - (self % __unit(digits))
  end

  def __truncate_digits(digits)
    return self if digits >= 0
    return 0 if __far?(digits)

    unit = __unit(digits)
    rest = remainder(unit)
    self < 0 && rest == 0 && __ruby?(:large_truncate_overshoots) ? self + unit : self - rest
  end

  def __ceil_digits(digits)
    return self if digits >= 0
    return 0 if __far?(digits) && (self < 0 || __ruby?(:far_rounding_is_zero))

    unit = __unit(digits)
    rest = self % unit
    rest == 0 && !__ruby?(:large_ceil_overshoots) ? self : self + (unit - rest)
  end

  # `half` as that of Integer.
  def __round_digits(digits, half)
    return self if digits >= 0
    return 0 if __far?(digits)

    unit = __unit(digits)
    rest = self % unit
    double = rest * 2
    up = double > unit
    up = half == 0 ? self > 0 : half == 1 ? (self / unit).odd? : self < 0 if double == unit
    up ? self + (unit - rest) : self - rest
  end

  # Is it so far below the unit that MRI gives 0 without a look at it?
  def __far?(digits)
    -0.415241 * digits - 0.125 > size
  end

  def __unit(digits)
    10.__as_big.__to_power(-digits)
  end

  def arg
    self < 0 ? 3.141592653589793 : 0
  end

  def quo(other)
    other.is_a?(Float) ? self / other : to_r / other
  end

  def to_r
    __rational(self, 1)
  end

  def rationalize(_range = :__none)
    __rational(self, 1)
  end

  def numerator
    self
  end

  def denominator
    1
  end

  def to_f
    words = __words
    words.__ask_big(words, 1).__float_of_bits
  end

  def bit_length
    words = __words
    words.__ask_big(words, 2)
  end

  def size
    bits = self < 0 ? (-self).bit_length : bit_length
    (bits + 7) / 8
  end

  def coerce(other)
    return [other, self] if other.is_a?(Integer)

    [Float(other), to_f]
  end

  def gcd(other)
    raise TypeError, "not an integer" unless other.is_a?(Integer)

    __with(other, 9)
  end

  def lcm(other)
    raise TypeError, "not an integer" unless other.is_a?(Integer)

    other == 0 ? 0 : (self / gcd(other) * other).abs
  end

  def gcdlcm(other)
    [gcd(other), lcm(other)]
  end

  def ceildiv(other)
    -div(0 - other)
  end

  def allbits?(mask)
    self & mask == mask
  end

  def anybits?(mask)
    self & mask != 0
  end

  def nobits?(mask)
    self & mask == 0
  end

  def digits(base = 10)
    raise Math::DomainError, "out of domain" if self < 0

    base = __to_int(base)
    raise ArgumentError, "negative radix" if base < 0
    raise ArgumentError, "invalid radix #{base}" if base < 2

    return __decimal_items if base == 10

    out = "".__list(40)
    rest = self
    while rest >= base
      out.__push(rest % base)
      rest /= base
    end
    out.__push(rest)
  end

  def __decimal_items
    text = to_s
    at = text.__bytesize
    out = "".__list(at)
    while at > 0
      at -= 1
      out.__push(text.__byte(at) - 48)
    end
    out
  end

  def to_s(base = 10)
    base = __c_int(base)
    raise ArgumentError, "invalid radix #{base}" if base < 2 || base > 36

    words = __words
    size = words.__bytesize
    out = __room_for_words((base < 8 ? size * 8 : size * 3) + 4).__force(1)
    out.__put_big_by(words, 2, base)
    out
  end

  def inspect
    to_s
  end

  def __magnitude_digits(base)
    abs.__as_big.to_s(base)
  end

  # See that of Integer.
  def __based_digits(base, letters, signed)
    number = self
    if self < 0 && signed
      bits = base == 16 ? 4 : base == 8 ? 3 : 1
      size = (bit_length + bits - 1) / bits
      first = self >> (bits * (size - 1))
      size += 1 if first & (base - 1) != base - 1
      number += 1.__as_big.__shifted(size * bits)
    end
    text = number.__as_big.to_s(base)
    letters == 0x37 ? text.upcase : text
  end

  def __no_fit(type)
    raise RangeError, "#{self} does not fit #{type}"
  end

  def __too_big
    raise RangeError, "bignum too big to convert into 'long'" if __ruby?(:quotes_are_even)

    raise RangeError, "bignum too big to convert into `long'"
  end

  def hash
    __words.__hash
  end

  def chr(_encoding = :__none)
    raise RangeError, "bignum out of char range"
  end

  def ord
    self
  end

  def __bignum?
    true
  end

  # ---- as parts of a Complex

  def __part_plus(other)
    self + other
  end

  def __part_times(other)
    return 0 if other.is_a?(Integer) && other == 0

    self * other
  end

  def __part_product(other)
    __part_times(other)
  end

  def __part_quo(other)
    quo(other)
  end

  def __part_power(n)
    return __to_power(n) if n >= 0

    1.__over(__to_power(-n))
  end

  def __part_zero
    0
  end

  # ---- as Rationals

  def __over(other)
    raise ZeroDivisionError, "divided by 0" if other == 0

    common = other < 0 ? -gcd(other) : gcd(other)
    __rational(self / common, other / common)
  end

  def __float_of_number
    to_f
  end

  def __large?
    true
  end

  def __root
    if self < 0
      name = __ruby?(:domain_quotes_isqrt) ? '"isqrt"' : "isqrt"
      raise Math::DomainError, "Numerical argument is out of domain - #{name}"
    end

    words = __words
    out = __room_for_words(words.__bytesize + 8)
    out.__put_big_by(words, 3, 0)
    out.__number
  end
end

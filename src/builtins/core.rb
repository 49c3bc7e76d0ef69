# Ruby's own methods written in Ruby, over the few that are rules in Rust. They are compiled with the section that
# calls them and inlined there; errors in them are reported at the caller's line. Semantics are those of MRI's C.
# Methods whose names begin with two underscores are primitives, which the code of users cannot name.

module Comparable
  def ==(other)
    return true if equal?(other)

    order = __asked_order(other)
    return false if order.__nil?

    order.is_a?(Integer) ? order == 0 : !(order > 0 || order < 0)
  end

  def <(other)
    __ordered(other) < 0
  end

  def <=(other)
    __ordered(other) <= 0
  end

  def >(other)
    __ordered(other) > 0
  end

  def >=(other)
    __ordered(other) >= 0
  end

  def between?(low, high)
    return false if __below?(low)

    !__above?(high)
  end

  def __ordered(other)
    order = __asked_order(other)
    __compare_failed(other) if order.__nil?
    order
  end

  def __below?(other)
    __ordered(other) < 0
  end

  def __above?(other)
    __ordered(other) > 0
  end

  # nil is no limit.
  def __clamp(low, high)
    __clamp_failed if !low.__nil? && !high.__nil? && low.__above?(high)
    if !low.__nil? && __below?(low)
      low
    elsif !high.__nil? && __above?(high)
      high
    else
      self
    end
  end
end

module Exception
  def message
    to_s
  end

  def to_s
    told = __told
    return self.class.name.dup if told.__nil?

    told.is_a?(String) ? told : told.to_s
  end

  def inspect
    text = to_s
    return self.class.name.dup if text.empty?

    __refuse_lines if text.include?("\n")
    "#<".__force(2).__put(self.class.name).__put(": ").__put(text).__put(">")
  end

  def exception
    self
  end
end

module Numeric
  def step(limit = nil, step = 1, by: nil, to: nil)
    limit = to unless to.__nil?
    step = by unless by.__nil?
    __known_step(step)
    raise ArgumentError, "step can't be 0" if step == 0

    if is_a?(Float) || limit.is_a?(Float) || step.is_a?(Float)
      unit = step.to_f
      last = limit.__nil? ? unit / 0.0 : Math.__double(limit)
      to_f.__each_step(last, unit, false) { |x| yield x }
    else
      i = self
      if step > 0
        while limit.__nil? || i <= limit
          yield i
          i += step
        end
      else
        while limit.__nil? || i >= limit
          yield i
          i += step
        end
      end
    end
    self
  end

  def abs2
    self * self
  end

  def real
    self
  end

  def imaginary
    0
  end

  def rectangular
    [self, 0]
  end

  def polar
    [abs, arg]
  end

end

module Integer
  # The bit at a Float, which may be beyond all Integers that a section has.
  def __bit_at(float)
    return self[__index(float)] if __large?
    return 0 if float.finite? && float <= -1.0
    return self < 0 ? 1 : 0 if float.finite? && float >= 64.0

    self[float.to_i]
  end

  # The bits of a range.
  def __bits_of(range)
    low = range.begin
    high = range.end
    if low.nil?
      return 0 if high < 0

      count = range.exclude_end? ? high : high + 1
      return 0 if __part(0, count) == 0

      raise ArgumentError, "The beginless range for Integer#[] results in infinity"
    end
    return self >> low if high.nil? || low > high
    return range.exclude_end? ? 0 : self[low] if low == high

    __part(low, range.exclude_end? ? high - low : high - low + 1)
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
    if modulus == 0
      return 0 if __ruby?(:zero_pow_takes_any_modulus) && self == 0 && exponent > 0

      raise ZeroDivisionError, "divided by 0"
    end

    size = modulus.abs
    small = size <= 3_037_000_500
    result = 1 % size
    base = self % size
    while exponent > 0
      result = small ? result * base % size : result.__times_modulo(base, size) if exponent.odd?
      exponent >>= 1
      base = small ? base * base % size : base.__times_modulo(base, size) if exponent > 0
    end
    modulus < 0 && result > 0 ? result + modulus : result
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
      if other == self || other == 0 || self == 0
        to_f / other.to_f
      else
        __quotient(other)
      end
    elsif other.is_a?(Float)
      to_f / other
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
    other.is_a?(Float) ? self / other : __rational
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
      rest < 0 ? __overflow : rest
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
      __overflow
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
      self > 0 || (self == 0 && digits == -19 && __ruby?(:large_ceil_overshoots)) ? __overflow : 0
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
      far ? __overflow : 0
    else
      0
    end
  end

  # An array of so many of a value, where it goes to the heap.
  def __filled(value)
    (0...self).pmap { value }
  end
end

module Float
  def coerce(other)
    [Float(other), self]
  end

  def __to_i_if_finite
    finite? ? to_i : nil
  end

  def arg
    if nan?
      self
    else
      __bits < 0 ? 3.141592653589793 : 0
    end
  end

  def next_float
    if nan? || self == 1.0 / 0.0
      self
    elsif self == 0.0
      5e-324
    else
      (self > 0.0 ? __bits + 1 : __bits - 1).__float_of_bits
    end
  end

  def prev_float
    if nan? || self == -1.0 / 0.0
      self
    elsif self == 0.0
      -5e-324
    else
      (self > 0.0 ? __bits - 1 : __bits + 1).__float_of_bits
    end
  end

  # The sum with another Float, and what it loses, by Kahan and Babuska as MRI has it.
  def __plus(other)
    if nan?
      [self, 0.0]
    elsif other.nan?
      [other, 0.0]
    elsif other.infinite?
      [infinite? && (other < 0.0) != (self < 0.0) ? Float::NAN : other, 0.0]
    elsif infinite?
      [self, 0.0]
    else
      sum = self + other
      [sum, abs >= other.abs ? (self - sum) + other : (other - sum) + self]
    end
  end

  # The number of steps of `unit` from self to `last`, as ruby_float_step_size counts them.
  def __steps(last, unit, exclusive)
    if unit.infinite?
      (unit > 0.0 ? self <= last : self >= last) ? 1.0 : 0.0
    else
      n = (last - self) / unit
      slack = (abs + last.abs + (last - self).abs) / unit.abs * 2.220446049250313e-16
      slack = 0.5 if slack > 0.5
      if n < 0.0 || (exclusive && n == 0.0)
        0.0
      elsif exclusive
        n = n < 1.0 ? 0.0 : (n - slack).__floor
        after = (n + 1.0) * unit + self
        n += 1.0 if self < last ? after < last : self > last && after > last
        n + 1.0
      else
        n = (n + slack).__floor
        after = (n + 1.0) * unit + self
        n += 1.0 if self < last ? after <= last : self > last && after >= last
        n + 1.0
      end
    end
  end

  # MRI counts the steps first, so that errors do not add up.
  def __each_step(last, unit, exclusive)
    count = __steps(last, unit, exclusive)
    i = 0.0
    while i < count
      x = i * unit + self
      x = self if unit.infinite?
      x = last if unit >= 0.0 ? last < x : x < last
      yield x
      i += 1.0
    end
  end

  # The bits as a number that grows with the Float.
  def __number
    bits = __bits
    bits < 0 ? -(bits & 0x7fff_ffff_ffff_ffff) : bits
  end

  # C's frexp: the exponent of a number written as a fraction in 0.5...1 times a power of two.
  def __exponent
    bits = __bits & 0x7fff_ffff_ffff_ffff
    biased = bits >> 52
    biased == 0 ? bits.bit_length - 1074 : biased - 1022
  end

  # Has the number no more than so many digits after the point, by its size alone?
  def __keeps_digits?(digits)
    exponent = __exponent
    digits >= 17 - (exponent > 0 ? exponent / 4 : -(-exponent / 3) - 1)
  end

  # Is the number 0 when rounded to so many digits, by its size alone?
  def __loses_digits?(digits)
    exponent = __exponent
    digits < -(exponent > 0 ? exponent / 3 + 1 : -(-exponent / 4))
  end

  # Is a number beyond 64 bits so far below the unit that MRI gives 0 without a look at it?
  def __far?(digits)
    exponent = ((__bits >> 52) & 2047) - 1022
    exponent > 63 && exponent <= 1024 && -0.415241 * digits - 0.125 > (exponent + 7) / 8
  end

  def __floor_digits(digits)
    if digits <= 0
      return 0 if __far?(digits) && (self > 0.0 || __ruby?(:far_rounding_is_zero))

      floor.__floor_digits(digits)
    elsif self == 0.0 || nan? || infinite? || __keeps_digits?(digits)
      self
    elsif self > 0.0 && __loses_digits?(digits)
      0.0
    else
      scale = __scale(digits)
      whole = (self * scale).__floor
      above = (whole + 1.0) / scale
      above > self ? whole / scale : above
    end
  end

  def __ceil_digits(digits)
    if digits <= 0
      return 0 if __far?(digits) && (self < 0.0 || __ruby?(:far_rounding_is_zero))

      ceil.__ceil_digits(digits)
    elsif self == 0.0 || nan? || infinite? || __keeps_digits?(digits)
      self
    elsif self < 0.0 && __loses_digits?(digits)
      0.0
    else
      scale = __scale(digits)
      (self * scale).__ceil / scale
    end
  end

  def __truncate_digits(digits)
    __bits < 0 ? __ceil_digits(digits) : __floor_digits(digits)
  end

  def __round_digits(digits, half)
    if digits < 0
      __far?(digits) ? 0 : to_i.__round_digits(digits, half)
    elsif digits == 0
      half == 0 ? round : half == 1 ? __half_even(1.0).to_i : __half_down(1.0).to_i
    elsif self == 0.0 || nan? || infinite? || __keeps_digits?(digits)
      self
    elsif __loses_digits?(digits)
      0.0
    elsif digits > 14
      __round_exactly(digits, half)
    else
      scale = __scale(digits)
      (half == 0 ? __half_up(scale) : half == 1 ? __half_even(scale) : __half_down(scale)) / scale
    end
  end

  # As by way of Rational: the exact product with a power of ten, rounded once, and then the quotient of two Integers. The
  # product is the mantissa times a power of five, in pieces of 21 bits, shifted.
  def __round_exactly(digits, half)
    __refuse_digits if digits > 18
    mantissa = __bits & 0xf_ffff_ffff_ffff | 0x10_0000_0000_0000
    five = 5**digits
    piece = 0x1f_ffff
    m0 = mantissa & piece
    m1 = mantissa >> 21 & piece
    m2 = mantissa >> 42
    p0 = five & piece
    p1 = five >> 21
    sum = m0 * p0
    low = sum & piece
    sum = (sum >> 21) + m0 * p1 + m1 * p0
    low |= (sum & piece) << 21
    sum = (sum >> 21) + m1 * p1 + m2 * p0
    low |= (sum & piece) << 42
    high = (sum >> 21) + m2 * p1
    # The product is high * 2**63 + low.
    shift = 53 - __exponent - digits
    side = -1
    whole = 0
    if shift < 63
      whole = high << (63 - shift) | low >> shift
      side = (low & ((1 << shift) - 1)) <=> (1 << (shift - 1))
    elsif shift == 63
      whole = high
      side = low <=> 0x4000_0000_0000_0000
    elsif shift < 100
      shift -= 63
      whole = high >> shift
      side = (high & ((1 << shift) - 1)) <=> (1 << (shift - 1))
      side = 1 if side == 0 && low > 0
    end
    whole += 1 if side > 0 || (side == 0 && (half == 0 || (half == 1 && whole.odd?)))
    return 0.0 if whole == 0

    unit = 10**digits
    size = whole.__quotient(unit)
    self < 0.0 ? -size : size
  end

  # The product is rounded, and may be rounded past a half or to it: these look at what they would give.
  def __half_up(scale)
    whole = (self * scale).__round
    if self > 0.0
      (whole + 0.5) / scale <= self ? whole + 1.0 : whole
    else
      (whole - 0.5) / scale >= self ? whole - 1.0 : whole
    end
  end

  def __half_down(scale)
    whole = (self * scale).__round
    if self > 0.0
      (whole - 0.5) / scale >= self ? whole - 1.0 : whole
    else
      (whole + 0.5) / scale <= self ? whole + 1.0 : whole
    end
  end

  def __half_even(scale)
    # Of nothing, with the sign of the number, or of the whole number.
    units = __ruby?(:half_even_scales_the_whole) ? self * 0.0 : __truncate
    rest = (self - units) * scale
    units *= scale
    if self > 0.0
      whole = rest.__floor
      over = rest - whole
      if over > 0.5
        whole += 1.0
      elsif over == 0.5 || (units + whole + 0.5) / scale <= self
        whole += (units + whole) % 2.0
      end
    else
      whole = rest.__ceil
      over = whole - rest
      if over > 0.5
        whole -= 1.0
      elsif over == 0.5 || (units + whole - 0.5) / scale >= self
        whole -= -(units + whole) % 2.0
      end
    end
    units + whole
  end
end

module Math
  def frexp(x)
    x = __float(x)
    if x == 0.0 || x.nan? || x.infinite?
      [x, 0]
    else
      exponent = x.__exponent
      x *= 18_014_398_509_481_984.0 if exponent < -1021
      [(x.__bits & -9_218_868_437_227_405_313 | 4_602_678_819_172_646_912).__float_of_bits, exponent]
    end
  end

  # In steps, of which only the last one rounds.
  def ldexp(fraction, exponent)
    n = __c_int(exponent).clamp(-4000, 4000)
    x = __float(fraction)
    while n > 1023
      x *= 8.98846567431158e307
      n -= 1023
    end
    while n < -969
      x *= 2.004168360008973e-292
      n += 969
    end
    x * ((n + 1023) << 52).__float_of_bits
  end

  # Factorials are exact as long as they can be.
  def __gamma(x)
    if x >= 1.0 && x <= 23.0 && x == x.__floor
      product = 1.0
      factor = 2.0
      while factor < x
        product *= factor
        factor += 1.0
      end
      product
    else
      __tgamma(x)
    end
  end
end

module Enumerable
  # `peach` in an element: its elements run one after the other.
  def __peach(ticks = 1, progress: nil)
    raise TypeError, "ticks must be an Integer, not #{ticks.class}" unless ticks.is_a?(Integer)
    raise ArgumentError, "ticks must not be negative: #{ticks}" if ticks < 0
    return self if ticks == 0

    given = __each_values { |*x| yield(*x) }
    (ticks - 1).times { __each_values { |*x| yield(*x) } }
    given
  end

  # With several values where `each` yields several: Enumerators have one of their own.
  def __each_values
    each { |*x| yield(*x) }
  end

  def __each_with_index
    i = 0
    each do |x|
      yield x, i
      i += 1
    end
    self
  end

  def each_with_object(memo)
    each { |x| yield x, memo }
    memo
  end

  def each_index
    size.times { |i| yield i }
    self
  end

  def reverse_each
    i = size - 1
    while i >= 0
      yield __item(i)
      i -= 1
      i = size - 1 if i >= size
    end
    self
  end

  # Items start, start + 1 …: known to be there.
  def __part(start, count)
    out = __list(count)
    count.times { |i| out.__push(__item(start + i)) }
    out
  end

  # Whole slices are arrays of known length; the last may be shorter.
  def each_slice(n)
    return __slices(n) { |slice| yield slice } unless size.is_a?(Integer)

    n = __to_long(n)
    raise ArgumentError, "invalid slice size" if n <= 0
    i = 0
    while i + n <= size
      yield __window(i, n)
      i += n
    end
    yield __part(i, size - i) if i < size
    self
  end

  def each_cons(n)
    return __windows(n) { |window| yield window } unless size.is_a?(Integer)

    n = __to_long(n)
    raise ArgumentError, "invalid size" if n <= 0
    i = 0
    while i + n <= size
      yield __window(i, n)
      i += 1
    end
    self
  end

  # The same of what is gone through only once.
  def __slices(n)
    n = __to_long(n)
    raise ArgumentError, "invalid slice size" if n <= 0

    slice = __list(n < 1024 ? n : 1024)
    each do |x|
      slice.__push(x)
      if slice.size == n
        yield slice
        slice = __list(n < 1024 ? n : 1024)
      end
    end
    yield slice if slice.size > 0
    self
  end

  def __windows(n)
    n = __to_long(n)
    raise ArgumentError, "invalid size" if n <= 0

    items = __list(n < 1024 ? n : 1024)
    each do |x|
      items.__push(x)
      items.__drop_front(1) if items.size > n
      yield items.__part(0, n) if items.size == n
    end
    self
  end

  # ---- runs of items: lists, each of which is yielded when it is complete

  # `question` is asked of two neighbours: a run ends between them if the answer is `last`.
  def __runs(question, last)
    run = __list(4)
    each do |x|
      if run.size > 0 && (question.call(run.__item(run.size - 1), x) ? true : false) == last
        yield run
        run = __list(4)
      end
      run.__push(x)
    end
    yield run if run.size > 0
    self
  end

  # `begins` and `ends` are procs or patterns.
  def __slice_before(begins)
    run = __list(4)
    each do |x|
      is_first = begins === x
      if is_first && run.size > 0
        yield run
        run = __list(4)
      end
      run.__push(x)
    end
    yield run if run.size > 0
    self
  end

  def __slice_after(ends)
    run = __list(4)
    each do |x|
      run.__push(x)
      if ends === x
        yield run
        run = __list(4)
      end
    end
    yield run if run.size > 0
    self
  end

  # Runs with what they have in common. Ruby's own Symbols drop an item, or keep it alone.
  def __chunk(by)
    run = __list(4)
    before = nil
    each do |x|
      key = by.call(x)
      alone = :_alone.equal?(key)
      dropped = key.__nil? || :_separator.equal?(key)
      if run.size > 0 && (alone || dropped || !before.__equals(key))
        yield [before, run]
        run = __list(4)
      end
      before = key
      run.__push(x) unless dropped
      if alone
        yield [key, run]
        run = __list(4)
      end
    end
    yield [before, run] if run.size > 0
    self
  end

  # ---- Hashes of the items

  def group_by
    groups = {}
    each do |x|
      key = yield x
      place = groups.__find(key)
      if place < 0
        list = __list(4)
        list.__push(x)
        groups.__insert(key, list)
      else
        groups.__values.__item(place).__push(x)
      end
    end
    groups
  end

  def tally
    counts = {}
    each do |x|
      place = counts.__find(x)
      if place < 0
        counts.__insert(x, 1)
      else
        counts.__values.__set(place, counts.__values.__item(place) + 1)
      end
    end
    counts
  end

  def __to_h
    out = {}
    each { |pair| out.__put_pair(pair) }
    out
  end

  def __to_h_block
    out = {}
    each { |x| out.__put_pair(yield(x)) }
    out
  end

  def __array_to_h
    out = {}
    i = 0
    each do |pair|
      out.__put_pair_at(pair, i)
      i += 1
    end
    out
  end

  def __array_to_h_block
    out = {}
    i = 0
    each do |x|
      out.__put_pair_at(yield(x), i)
      i += 1
    end
    out
  end

  # ---- questions

  def __any_block
    each { |x| return true if yield(x) }
    false
  end

  def __any_pattern(pattern)
    each { |x| return true if pattern === x }
    false
  end

  def __any
    each { |x| return true if x }
    false
  end

  def __all_block
    each { |x| return false unless yield(x) }
    true
  end

  def __all_pattern(pattern)
    each { |x| return false unless pattern === x }
    true
  end

  def __all
    each { |x| return false unless x }
    true
  end

  def __one_block
    n = 0
    each do |x|
      n += 1 if yield(x)
      return false if n > 1
    end
    n == 1
  end

  def __one_pattern(pattern)
    n = 0
    each do |x|
      n += 1 if pattern === x
      return false if n > 1
    end
    n == 1
  end

  def __one
    n = 0
    each do |x|
      n += 1 if x
      return false if n > 1
    end
    n == 1
  end

  def find
    each { |x| return x if yield(x) }
    nil
  end

  def __index_block
    i = 0
    each do |x|
      return i if yield(x)
      i += 1
    end
    nil
  end

  def __index_value(value)
    i = 0
    each do |x|
      return i if x.__equals(value)
      i += 1
    end
    nil
  end

  def __rindex_block
    i = size - 1
    while i >= 0
      return i if yield(__item(i))
      i -= 1
    end
    nil
  end

  def __rindex_value(value)
    i = size - 1
    while i >= 0
      return i if __item(i).__equals(value)
      i -= 1
    end
    nil
  end

  def include?(value)
    each { |x| return true if x.__equals(value) }
    false
  end

  def __count_block
    n = 0
    each { |x| n += 1 if yield(x) }
    n
  end

  def __count_value(value)
    n = 0
    each { |x| n += 1 if x.__equals(value) }
    n
  end

  def __count
    n = 0
    each do |x|
      n += 1
      nil
    end
    n
  end

  # ---- the smallest and the largest

  def __min_by
    return nil if __empty?
    best = __item(0)
    least = yield best
    i = 1
    while i < size
      x = __item(i)
      key = yield x
      if __compare(key, least) < 0
        least = key
        best = x
      end
      i += 1
    end
    best
  end

  def __max_by
    return nil if __empty?
    best = __item(0)
    most = yield best
    i = 1
    while i < size
      x = __item(i)
      key = yield x
      if __compare(key, most) > 0
        most = key
        best = x
      end
      i += 1
    end
    best
  end

  # In pairs, as MRI: the lesser of two is asked against the least so far, the greater against the greatest.
  def __minmax_by
    return [nil, nil] if __empty?
    low = __item(0)
    high = low
    least = yield low
    most = least
    first = low
    first_key = least
    i = 1
    while i < size
      x = __item(i)
      key = yield x
      if i.odd?
        order = __compare(first_key, key)
        if order == 0
          x = first
          key = first_key
        elsif order > 0
          first, x = x, first
          first_key, key = key, first_key
        end
        if i == 1
          low = first
          least = first_key
          high = x
          most = key
        else
          if __compare(first_key, least) < 0
            low = first
            least = first_key
          end
          if __compare(key, most) > 0
            high = x
            most = key
          end
        end
      else
        first = x
        first_key = key
      end
      i += 1
    end
    if i > 1 && i.odd?
      low = first if __compare(first_key, least) < 0
      high = first if __compare(first_key, most) > 0
    end
    [low, high]
  end

  def __minmax_block
    __minmax_pairs { |a, b| __order(yield(a, b), a, b) }
  end

  def __minmax_each
    __minmax_pairs { |a, b| __compare(a, b) }
  end

  def __minmax_pairs
    return [nil, nil] if __empty?
    low = __item(0)
    high = low
    i = 1
    while i < size
      first = __item(i - 1)
      x = __item(i)
      order = yield(first, x)
      if order == 0
        x = first
      elsif order > 0
        first, x = x, first
      end
      low = first if i == 1 || yield(first, low) < 0
      high = x if i == 1 || yield(x, high) > 0
      i += 2
    end
    if i > 1 && i == size
      first = __item(i - 1)
      low = first if yield(first, low) < 0
      high = first if yield(first, high) > 0
    end
    [low, high]
  end

  # Array's own ask the best item so far instead.
  def __min_each
    return nil if __empty?
    best = __item(0)
    i = 1
    while i < size
      x = __item(i)
      best = x if __compare(x, best) < 0
      i += 1
    end
    best
  end

  def __max_each
    return nil if __empty?
    best = __item(0)
    i = 1
    while i < size
      x = __item(i)
      best = x if __compare(x, best) > 0
      i += 1
    end
    best
  end

  def __min_block
    return nil if __empty?
    best = __item(0)
    i = 1
    while i < size
      x = __item(i)
      best = x if __order(yield(x, best), x, best) < 0
      i += 1
    end
    best
  end

  def __max_block
    return nil if __empty?
    best = __item(0)
    i = 1
    while i < size
      x = __item(i)
      best = x if __order(yield(x, best), x, best) > 0
      i += 1
    end
    best
  end

  # ---- so many of the smallest and the largest

  # As MRI: what could be among them is kept in four times as much room as they take, and quickselect makes place. The
  # largest (`sign` is -1) are ordered as the smallest, and turned round.
  def __least(n, sign)
    __least_of(n, sign) { |a, b| __compare(a, b) }
  end

  def __least_block(n, sign)
    __least_of(n, sign) { |a, b| __order(yield(a, b), a, b) }
  end

  def __least_of(n, sign)
    n = __to_long(n)
    raise ArgumentError, "negative size (#{n})" if n < 0
    raise ArgumentError, "too big size" if n > 2_305_843_009_213_693_951

    out = __list(4)
    return out if n == 0

    limit = __list(1)
    each do |x|
      next if limit.size > 0 && __signed(yield(x, limit.__item(0)), sign) >= 0

      out.__push(x)
      out.__select(n, sign, limit) { |a, b| yield(a, b) } if out.size == n * 4
    end
    out.__select(n, sign, limit) { |a, b| yield(a, b) }
    out.__merge_sort { |a, b| yield(a, b) }
    sign < 0 ? out.__reverse : out
  end

  # Pairs of key and item.
  def __least_by(n, sign)
    n = __to_long(n)
    raise ArgumentError, "negative size (#{n})" if n < 0
    raise ArgumentError, "too big size" if n > 1_152_921_504_606_846_975

    out = __list(4)
    return out if n == 0

    limit = __list(1)
    each do |x|
      key = yield x
      next if limit.size > 0 && __signed(__compare(key, limit.__item(0)[0]), sign) >= 0

      out.__push([key, x])
      out.__select(n, sign, limit) { |a, b| __compare(a[0], b[0]) } if out.size == n * 4
    end
    out.__select(n, sign, limit) { |a, b| __compare(a[0], b[0]) }
    out.__merge_sort { |a, b| __compare(a[0], b[0]) }
    items = out.__map { |pair| pair[1] }
    sign < 0 ? items.__reverse : items
  end

  def __signed(order, sign)
    order == 0 ? 0 : (order < 0) == (sign > 0) ? -1 : 1
  end

  # ---- folding

  # Without a block or the name of a method, which nothing asks for until there are two.
  def __inject_nothing
    found = nil
    count = 0
    each do |item|
      raise LocalJumpError, "no block given" if count > 0

      found = item
      count += 1
    end
    found
  end

  def __inject_from(initial)
    acc = initial
    each { |x| acc = yield(acc, x) }
    acc
  end

  def __inject
    return nil if __empty?
    acc = __item(0)
    i = 1
    while i < size
      acc = yield(acc, __item(i))
      i += 1
    end
    acc
  end

  # Integers exactly; from the first Float on compensated, until a value of another class comes. What that gives may be a
  # Float: the Integers behind it wait for the next Float. Some versions add all numbers behind it to a sum that they
  # lose, or only add another such value to.
  def __sum(initial)
    total = initial
    compensation = 0.0
    integers = 0
    waiting = false
    loses = __ruby?(:enumerable_sum_loses_numbers)
    lost_sum = 0.0
    each do |item|
      x = block_given? ? yield(item) : item
      if x.is_a?(Integer) && total.is_a?(Integer)
        total = total + x
      elsif loses && (x.is_a?(Integer) || x.is_a?(Float)) && waiting
        lost_sum = lost_sum.__plus(x.to_f)[0]
      elsif x.is_a?(Integer) && waiting
        integers += x
      elsif (x.is_a?(Integer) || x.is_a?(Float)) && (total.is_a?(Integer) || total.is_a?(Float))
        total = integers + total if waiting
        waiting = false
        integers = 0
        total, lost = total.to_f.__plus(x.to_f)
        compensation += lost
      else
        if loses
          lost_sum = total if total.is_a?(Float) && !waiting
          total = lost_sum if waiting
        elsif waiting
          total = integers + total
          integers = 0
        end
        total = total + x
        waiting = total.is_a?(Float)
        compensation = 0.0
      end
    end
    return integers == 0 ? total : integers + total if waiting

    total.is_a?(Float) ? total + compensation : total
  end

  # ---- new arrays

  # What the block gives matters to the methods of some Enumerators, such as that of `take_while`.
  def __copy
    out = __list(__room)
    each do |x|
      out.__push(x)
      nil
    end
    out
  end

  def __map
    out = __list(__room)
    each { |x| out.__push(yield(x)) }
    out
  end

  def select
    out = __list(__room)
    each { |x| out.__push(x) if yield(x) }
    out
  end

  def reject
    out = __list(__room)
    each { |x| out.__push(x) unless yield(x) }
    out
  end

  def filter_map
    out = __list(__room)
    each do |x|
      y = yield(x)
      out.__push(y) if y
    end
    out
  end

  def __grep(pattern)
    out = __list(__room)
    each do |x|
      if pattern === x
        out.__push(block_given? ? yield(x) : x)
      end
    end
    out
  end

  def __grep_v(pattern)
    out = __list(__room)
    each do |x|
      unless pattern === x
        out.__push(block_given? ? yield(x) : x)
      end
    end
    out
  end

  def flat_map
    out = __list(__room)
    each { |x| out.__append(yield(x)) }
    out
  end

  def partition
    yes = __list(__room)
    no = __list(__room)
    each do |x|
      if yield(x)
        yes.__push(x)
      else
        no.__push(x)
      end
    end
    [yes, no]
  end

  # As often as `n` says, or until the block breaks.
  def cycle(n = nil)
    if n.__nil?
      each { |x| yield x } until __empty?
    else
      n = __to_long(n)
      while n > 0 && !__empty?
        each { |x| yield x }
        n -= 1
      end
    end
    nil
  end

  def __take(n)
    n = __to_long(n)
    raise ArgumentError, "attempt to take negative size" if n < 0
    raise ArgumentError, "array size too big" if n > 1_152_921_504_606_846_975 && !is_a?(Array)

    out = __list(n < __room ? n : __room)
    return out if n == 0
    each do |x|
      out.__push(x)
      break if out.size >= n
    end
    out
  end

  def __drop(n)
    n = __to_long(n)
    raise ArgumentError, "attempt to drop negative size" if n < 0
    out = __list(__room)
    i = 0
    each do |x|
      out.__push(x) if i >= n
      i += 1
    end
    out
  end

  def take_while
    out = __list(__room)
    each do |x|
      break unless yield(x)
      out.__push(x)
    end
    out
  end

  def drop_while
    out = __list(__room)
    dropping = true
    each do |x|
      dropping = false if dropping && !yield(x)
      out.__push(x) unless dropping
    end
    out
  end

  def __zip(*others)
    out = __list(__room)
    i = 0
    each do |x|
      out.__push([x, *others.map { |other| other.__at(i) }])
      i += 1
    end
    out
  end

  def __zip_block(*others)
    i = 0
    each do |x|
      yield [x, *others.map { |other| other.__at(i) }]
      i += 1
    end
    nil
  end

  def __uniq
    out = __list(__room)
    slots = __list(0)
    each { |x| out.__add(x, slots) }
    out
  end

  def __uniq_block
    __uniq_keyed { |x| yield(x) }
  end

  def __uniq_keyed
    out = __list(__room)
    keys = __list(__room)
    slots = __list(0)
    each { |x| out.__push(x) if keys.__add(yield(x), slots) }
    out
  end

  def assoc(key)
    each { |x| return x if x.is_a?(Array) && x.size > 0 && x[0].__equals(key) }
    nil
  end

  def rassoc(value)
    each { |x| return x if x.is_a?(Array) && x.size > 1 && x[1].__equals(value) }
    nil
  end

  # The index of what is the same, or -1.
  def __place_of(value)
    i = 0
    while i < size
      return i if value.__alike(__item(i))

      i += 1
    end
    -1
  end

  # The same of keys: Ruby asks those alone for `eql?` that have the same hash.
  def __place_of_key(value)
    return __place_of(value) unless __asks_hash?(value)

    hash = value.__raw_hash
    i = 0
    while i < size
      item = __item(i)
      return i if item.__raw_hash == hash && value.__alike(item)

      i += 1
    end
    -1
  end

  def __has(value)
    each { |x| return true if value.__alike(x) }
    false
  end

  def compact
    __compact
  end

  def __compact
    out = __list(__room)
    each { |x| out.__push(x) unless x.__nil? }
    out
  end

  # ---- order. A stable merge sort, which is what the C library's qsort_r under MRI's is.

  def __sort
    __copy.__merge_sort { |a, b| __compare(a, b) }
  end

  def __sort_block
    __copy.__merge_sort { |a, b| __order(yield(a, b), a, b) }
  end

  # Where all keys are numbers of one word, newer Rubies sort in another way, which swaps items with equal keys.
  def sort_by
    pairs = __list(__room)
    words = __ruby?(:sort_by_is_unstable)
    key = nil
    each do |x|
      key = yield(x)
      words = false unless key.__word?
      pairs.__push([key, x])
    end
    sorted = if words && (key.is_a?(Integer) || key.is_a?(Float))
               pairs.__introsort
             else
               pairs.__merge_sort { |a, b| __compare(a[0], b[0]) }
             end
    sorted.__map { |pair| pair[1] }
  end

  # Stacks instead of calls: the parts that are being sorted, and how far each is: its first half, its second, merging.
  def __merge_sort
    n = size
    return self if n < 2

    spare = __list(n)
    spare.__resize(n)
    starts = __list(64)
    stops = __list(64)
    states = __list(64)
    starts.__push(0)
    stops.__push(n)
    states.__push(0)
    while states.size > 0
      top = states.size - 1
      start = starts.__item(top)
      stop = stops.__item(top)
      state = states.__item(top)
      middle = start + (stop - start) / 2
      states.__set(top, state + 1)
      if state == 0 && middle - start > 1
        starts.__push(start)
        stops.__push(middle)
        states.__push(0)
      elsif state == 1 && stop - middle > 1
        starts.__push(middle)
        stops.__push(stop)
        states.__push(0)
      elsif state == 2
        i = start
        j = middle
        k = start
        while i < middle && j < stop
          x = __item(i)
          y = __item(j)
          if yield(x, y) <= 0
            spare.__set(k, x)
            i += 1
          else
            spare.__set(k, y)
            j += 1
          end
          k += 1
        end
        while i < middle
          spare.__set(k, __item(i))
          i += 1
          k += 1
        end
        # What is left of the second half is in its place.
        i = start
        while i < k
          __set(i, spare.__item(i))
          i += 1
        end
        starts.__resize(top)
        stops.__resize(top)
        states.__resize(top)
      end
    end
    self
  end
end

# Pairs of a key and an item, in the order of the keys: the quicksort of MRI's `sort_by`, step for step, since it decides
# on the order of items with equal keys, and on which keys are compared first where one is NaN.
module Array
  # By a format that is put together.
  def __pack_by(format)
    if format == "U*"
      __pack_characters("".__force(0), 0)
    elsif format == "U"
      "".__force(0).__pack_character(__pack_item(0))
    elsif format == "C*" || format == "c*"
      __pack_integers("".__force(2), 0, 1, false)
    else
      format.__refuse_directive unless format == "C" || format == "c"
      "".__force(2).__pack_integer(__pack_item(0), 1, false)
    end
  end

  def __pack_item(i)
    raise ArgumentError, "too few arguments" if i >= size

    self[i]
  end

  def __each_from(i)
    while i < size
      yield self[i]
      i += 1
    end
  end

  def __pack_integers(out, i, width, big)
    __each_from(i) { |item| out.__pack_integer(item, width, big) }
    out
  end

  def __pack_floats(out, i, width, big)
    __each_from(i) { |item| out.__pack_float(item, width, big) }
    out
  end

  def __pack_compressed_all(out, i)
    __each_from(i) { |item| out.__pack_compressed(item) }
    out
  end

  def __pack_characters(out, i)
    __each_from(i) { |item| out.__pack_character(item) }
    out
  end

  def __introsort
    return self if __ordered?

    starts = __list(64)
    stops = __list(64)
    depths = __list(64)
    starts.__push(0)
    stops.__push(size)
    depths.__push((size.bit_length - 1) * 2)
    while starts.size > 0
      top = starts.size - 1
      start = starts.__item(top)
      stop = stops.__item(top)
      depth = depths.__item(top)
      starts.__resize(top)
      stops.__resize(top)
      depths.__resize(top)
      if stop - start <= 16
        __insertion_sort(start, stop)
      elsif depth == 0
        __heapsort(start, stop - start)
      else
        pivot = __median(__key(start), __key(start + ((stop - start) >> 1)), __key(stop - 1))
        i = start
        j = stop - 1
        while i <= j
          i += 1 while __key_below?(__key(i), pivot)
          j -= 1 while __key_below?(pivot, __key(j))
          if i <= j
            __swap(i, j)
            i += 1
            j -= 1
          end
        end
        # The right part is sorted first. They may share an item.
        j += 1
        if i - start > 1
          starts.__push(start)
          stops.__push(i)
          depths.__push(depth - 1)
        end
        if stop - j > 1
          starts.__push(j)
          stops.__push(stop)
          depths.__push(depth - 1)
        end
      end
    end
    self
  end

  def __key(index)
    __item(index)[0]
  end

  # A Float is asked, not the Integer that it is compared with.
  def __key_below?(a, b)
    a.is_a?(Integer) && b.is_a?(Float) ? __compare(b, a) > 0 : __compare(a, b) < 0
  end

  def __key_above?(a, b)
    a.is_a?(Integer) && b.is_a?(Float) ? __compare(b, a) < 0 : __compare(a, b) > 0
  end

  def __ordered?
    i = 1
    while i < size
      return false if __key_above?(__key(i - 1), __key(i))

      i += 1
    end
    true
  end

  def __median(a, b, c)
    if __key_below?(a, b)
      __key_below?(b, c) ? b : __key_below?(c, a) ? a : c
    else
      __key_below?(c, b) ? b : __key_below?(a, c) ? a : c
    end
  end

  def __swap(i, j)
    x = __item(i)
    __set(i, __item(j))
    __set(j, x)
  end

  # Leaves the first `n` in order, in some order, and in `limit` the last pivot.
  def __select(n, sign, limit)
    return if size <= n

    left = 0
    right = size - 1
    store = 0
    while true
      pivots = 1
      __swap(left + (right - left) / 2, right)
      store = left
      i = left
      while i <= right - pivots
        order = __signed(yield(__item(i), __item(right)), sign)
        if order == 0
          __swap(i, right - pivots)
          pivots += 1
        else
          if order < 0
            __swap(i, store)
            store += 1
          end
          i += 1
        end
      end
      i = right
      j = store
      while i > right - pivots && i > j
        __swap(j, i)
        j += 1
        i -= 1
      end
      break if store <= n && n <= store + pivots

      if n < store
        right = store - 1
      else
        left = store + pivots
      end
    end
    limit.__resize(0)
    limit.__push(__item(store))
    __resize(n)
  end

  def __insertion_sort(start, stop)
    i = start + 1
    while i < stop
      pair = __item(i)
      to = i
      if __key_below?(pair[0], __key(start))
        to = start
      else
        to -= 1 while __key_below?(pair[0], __key(to - 1))
      end
      from = i
      while from > to
        __set(from, __item(from - 1))
        from -= 1
      end
      __set(to, pair)
      i += 1
    end
  end

  def __heapsort(start, count)
    offset = count >> 1
    while offset > 0
      offset -= 1
      __sift_down(start, offset, count - 1)
    end
    offset = count - 1
    while offset > 0
      __swap(start, start + offset)
      offset -= 1
      __sift_down(start, 0, offset)
    end
  end

  def __sift_down(start, offset, last)
    pair = __item(start + offset)
    while true
      child = offset * 2 + 1
      break if child > last

      child += 1 if child < last && __key_below?(__key(start + child), __key(start + child + 1))
      break unless __key_below?(pair[0], __key(start + child))

      __set(start + offset, __item(start + child))
      offset = child
    end
    __set(start + offset, pair)
  end
end

module Array
  # In a driver: made of arrays that parallel calls gave.
  def __concatenated(other)
    count = size
    (0...count + other.size).pmap { |i| i < count ? __item(i) : other.__item(i - count) }
  end

  def __present
    pselect { |x| x }
  end

  # Elements that are parts of an array are taken from it where they are computed on.
  def __pmap_slices(n)
    n = __slice_size(n)
    (0...(size + n - 1) / n).pmap { |i| yield self[i * n, n] }
  end

  def __peach_slices(n)
    n = __slice_size(n)
    (0...(size + n - 1) / n).peach { |i| yield self[i * n, n] }
    self
  end

  def __pmap_windows(n)
    n = __window_size(n)
    (0..size - n).pmap { |i| yield self[i, n] }
  end

  def __peach_windows(n)
    n = __window_size(n)
    (0..size - n).peach { |i| yield self[i, n] }
    self
  end

  def __slice_size(n)
    n = __to_long(n)
    raise ArgumentError, "invalid slice size" if n <= 0

    n
  end

  def __window_size(n)
    n = __to_long(n)
    raise ArgumentError, "invalid size" if n <= 0

    n
  end

  # The keys of a Hash, with its values beside them.
  def __pmap_pairs(values)
    count = size
    (0...count).pmap do |i|
      value = yield [__item(i), values.__item(i)]
      __refuse_other_keys if size != count
      value
    end
  end

  def __peach_pairs(values)
    count = size
    (0...count).peach do |i|
      yield [__item(i), values.__item(i)]
      __refuse_other_keys if size != count
    end
  end

  def __pmap_indexed(offset = 0)
    offset = offset.__nil? ? 0 : __to_long(offset)
    (0...size).pmap { |i| yield [__item(i), i + offset] }
  end

  def __peach_indexed(offset = 0)
    offset = offset.__nil? ? 0 : __to_long(offset)
    (0...size).peach { |i| yield [__item(i), i + offset] }
    self
  end

  # From an Integer on as Enumerable#sum, but that nothing is compensated after a value of another class. From something
  # else on MRI has had three ways.
  def __array_sum(initial)
    return initial if __empty?

    total = initial
    kept = __ruby?(:array_sum_compensates_the_start)
    if !initial.is_a?(Integer) && (__ruby?(:array_sum_adds_up) || (kept && !initial.is_a?(Float)))
      each do |item|
        total = total + (block_given? ? yield(item) : item)
      end
      return total
    end
    compensation = 0.0
    # The Integers before the first other value are added apart: all of them, or those of one word.
    leading = !initial.is_a?(Integer)
    apart = leading && kept
    integers = 0
    some = false
    plain = false
    each do |item|
      x = block_given? ? yield(item) : item
      if x.is_a?(Integer) && leading
        some = true
        if !apart && x.__large?
          total = x + total
        else
          integers += x
          if !apart && integers.__large?
            total = integers + total
            integers = 0
          end
        end
      else
        if leading
          leading = false
          if apart
            total, compensation = integers.to_f.__plus(initial.to_f)
            x = yield(item) if block_given? && __ruby?(:array_sum_asks_twice)
          else
            total = integers + total if some
            total = Math.__double(total) if x.is_a?(Float)
          end
        end
        if !plain && (x.is_a?(Integer) || x.is_a?(Float)) && (total.is_a?(Integer) || total.is_a?(Float))
          if x.is_a?(Integer) && total.is_a?(Integer)
            total = total + x
          else
            total, lost = total.to_f.__plus(x.to_f)
            compensation += lost
          end
        else
          total = total + x
          plain = true
          compensation = 0.0
        end
      end
    end
    total = integers + total if leading && some
    total.is_a?(Float) && !plain ? total + compensation : total
  end

  # As in MRI, which asks nothing about fewer than two items.
  def __uniq_block
    size <= 1 ? __copy : __uniq_keyed { |x| yield(x) }
  end

  def __reverse
    n = size
    out = __list(n)
    i = n - 1
    while i >= 0
      out.__push(__item(i))
      i -= 1
    end
    out
  end

  def __rotate(count)
    n = size
    out = __list(n)
    if n > 0
      i = count % n
      n.times do
        out.__push(__item(i))
        i += 1
        i = 0 if i >= n
      end
    end
    out
  end

  def __last(n)
    raise ArgumentError, "negative array size" if n < 0
    n = size if n > size
    __part(size - n, n)
  end

  def __slice(start, count)
    n = size
    start += n if start < 0
    return nil if start < 0 || start > n || count < 0
    count = n - start if count > n - start
    __part(start, count)
  end

  # The block gets the index as it was given.
  def __fetch_block(index, given)
    at = index < 0 ? index + size : index
    if at >= 0 && at < size
      __item(at)
    else
      yield given
    end
  end

  def __plus(other)
    out = __list(size + other.size)
    each { |x| out.__push(x) }
    other.each { |x| out.__push(x) }
    out
  end

  def __minus(other)
    out = __list(size)
    others = other.__slots(size)
    by_eql = __own_eql?(other) && (size <= 16 || other.size <= 16)
    each { |x| out.__push(x) unless by_eql ? other.__has_eql(x) : other.__holds(x, others) }
    out
  end

  def __and(other)
    out = __list(size)
    others = other.__slots(size)
    slots = __list(0)
    if __own_eql?(other) && size <= 16 && other.size <= 16
      each { |x| out.__push(x) if other.__has_eql(x) && !out.__has_eql(x) }
    else
      each { |x| out.__add(x, slots) if other.__holds(x, others) }
    end
    out
  end

  def __or(other)
    return __plus(other).__uniq unless __own_eql?(other) && size + other.size <= 16

    out = __list(size + other.size)
    __plus(other).each { |x| out.__push(x) unless out.__has_eql(x) }
    out
  end

  # Of few items MRI asks `eql?` alone, whatever their `hash` is.
  def __has_eql(value)
    each { |x| return true if value.equal?(x) || value.eql?(x) }
    false
  end

  # ---- sets. Slots say where an item is: the slot that its hash names, or the next that is free, holds the number of
  # the item from 1 on. Few items are gone through instead, and those that only their own `eql?` can tell apart.

  # Puts the value behind the items unless it is among them: did it? The slots begin empty, and serve only this.
  def __add(value, slots)
    if __hashes?(value) && size > 16
      __refill(slots) if size * 2 > slots.size
      slot = __slot(value, slots)
      return false if slots.__item(slot) > 0

      slots.__set(slot, size + 1)
    elsif __has(value)
      return false
    end
    __push(value)
    true
  end

  # More slots for the items, no two of which are alike: four times as many, or more where there are none.
  def __refill(slots)
    count = slots.size == 0 ? 64 : slots.size * 4
    count *= 2 while count < size * 2
    slots.__resize(0)
    count.times { slots.__push(0) }
    last = count - 1
    i = 0
    while i < size
      slot = __item(i).__hash & last
      slot = (slot + 1) & last while slots.__item(slot) > 0
      i += 1
      slots.__set(slot, i)
    end
  end

  # The slots of all items, to ask `__holds` so many times.
  def __slots(times)
    slots = __list(0)
    if __hashes? && times > 16 && size > 16
      count = 64
      count *= 2 while count < size * 2
      count.times { slots.__push(0) }
      i = 0
      while i < size
        slot = __slot(__item(i), slots)
        i += 1
        slots.__set(slot, i) if slots.__item(slot) == 0
      end
    end
    slots
  end

  def __holds(value, slots)
    __hashes?(value) && slots.size > 0 ? slots.__item(__slot(value, slots)) > 0 : __has(value)
  end

  # The slot that has the value, or where it belongs.
  def __slot(value, slots)
    last = slots.size - 1
    slot = value.__hash & last
    while true
      number = slots.__item(slot)
      return slot if number == 0 || value.__alike(__item(number - 1))

      slot = (slot + 1) & last
    end
  end

  def __hash
    hash = size.__hash
    each { |x| hash = (hash ^ x.__hash).__hash }
    hash
  end

  def __times(n)
    raise ArgumentError, "negative argument" if n < 0
    raise ArgumentError, "argument too big" if n > 0 && size > 1_152_921_504_606_846_975 / n

    out = __list(size * n)
    n.times { each { |x| out.__push(x) } }
    out
  end

  def __transpose
    return [] if __empty?

    width = __array(__item(0)).size
    rows = __list(size)
    each do |x|
      row = __array(x)
      found = row.size
      raise IndexError, "element size differs (#{found} should be #{width})" if found != width

      rows.__push(row)
    end
    out = __list(width)
    width.times do |i|
      column = __list(size)
      rows.each { |row| column.__push(row.__item(i)) }
      out.__push(column)
    end
    out
  end

  def __values_at(*indices)
    __values_of(indices, [])
  end

  def __values_of(indices, others)
    out = __list(indices.size + others.size)
    indices.each { |index| index.is_a?(Range) ? __append_range(out, index) : out.__push(at(index)) }
    others.each { |index| index.is_a?(Range) ? __append_range(out, index) : out.__push(at(index)) }
    out
  end

  def rfind
    i = size - 1
    while i >= 0
      x = __item(i)
      return x if yield(x)

      i -= 1
      i = size - 1 if i >= size
    end
    nil
  end

  def __fetch_values(*indices)
    indices.map do |index|
      block_given? ? fetch(index) { |missing| yield missing } : fetch(index)
    end
  end

  def __joined_items
    out = __list(size)
    each { |x| x.__as_array.each { |y| out.__push(y) } }
    out
  end

  def __minus_all(others)
    out = __listed
    others.each { |other| out = out.__minus(other.__as_array) }
    out
  end

  def __and_all(others)
    out = __listed
    others.each { |other| out = out.__and(other.__as_array) }
    out
  end

  def __or_all(others)
    out = __uniq
    others.each { |other| out = out.__or(other.__as_array) }
    out
  end

  def __listed
    out = __list(size)
    each { |x| out.__push(x) }
    out
  end

  def __zip_all(others)
    out = __list(__room)
    __each_zipped(others) { |row| out.__push(row) }
    out
  end

  def __zip_all_block(others)
    __each_zipped(others) { |row| yield row }
    nil
  end

  def __each_zipped(others)
    lists = __list(others.size)
    others.each { |other| lists.__push(other.__as_zipped) }
    i = 0
    each do |x|
      row = __list(lists.size + 1)
      row.__push(x)
      lists.each { |list| row.__push(list.__at(i)) }
      yield row
      i += 1
    end
  end

  def __product_all(others)
    out = __list(__room)
    __each_choice(others) { |row| out.__push(row) }
    out
  end

  def __product_all_block(others)
    __each_choice(others) { |row| yield row }
    self
  end

  # An item of the array and of each of the others, those of the last one changing first.
  def __each_choice(others)
    lists = __list(others.size)
    places = __list(others.size)
    none = false
    others.each do |other|
      list = other.__as_array
      lists.__push(list)
      places.__push(0)
      none = true if list.size == 0
    end
    return if none

    each do |x|
      more = true
      while more
        row = __list(lists.size + 1)
        row.__push(x)
        i = 0
        while i < lists.size
          row.__push(lists.__item(i).__item(places.__item(i)))
          i += 1
        end
        yield row
        more = __next_choice?(lists, places)
      end
    end
  end

  def __next_choice?(lists, places)
    i = lists.size - 1
    while i >= 0
      place = places.__item(i) + 1
      places.__set(i, place < lists.__item(i).size ? place : 0)
      return true if places.__item(i) > 0

      i -= 1
    end
    false
  end

  def __refuse_frozen
    raise FrozenError, "can't modify frozen Array: #{inspect}"
  end

  def __insert_all(all)
    raise ArgumentError, "wrong number of arguments (given 0, expected 1+)" if all.size == 0

    items = __list(all.size)
    i = 1
    while i < all.size
      items.__push(all.__item(i))
      i += 1
    end
    __insert_items(__to_long(all.__item(0)), items)
  end

  def __insert_items(index, items)
    return self if items.size == 0

    at = __place(index)
    __leave_gap(at)
    i = items.size - 1
    while i >= 0
      __insert(at, items.__item(i))
      i -= 1
    end
    self
  end

  def __prepend_all(items)
    i = items.size - 1
    while i >= 0
      __push_front(items.__item(i))
      i -= 1
    end
  end

  # What is behind the last item counts as nil.
  def __append_range(out, range)
    i = __beginning(range)
    stop = range.end.__nil? ? size : range.end
    stop = __to_long(stop)
    stop += size if stop < 0
    stop += 1 unless range.end.__nil? || range.exclude_end?
    while i < stop
      out.__push(at(i))
      i += 1
    end
    out
  end

  # The index that a range begins with; RangeError before the first item.
  def __beginning(range)
    return 0 if range.begin.__nil?

    i = __to_long(range.begin)
    return i if i >= 0

    i += size
    if i < 0
      low = range.begin
      high = range.end
      if range.exclude_end?
        high.__nil? ? raise(RangeError, "#{low}... out of range") : raise(RangeError, "#{low}...#{high} out of range")
      else
        high.__nil? ? raise(RangeError, "#{low}.. out of range") : raise(RangeError, "#{low}..#{high} out of range")
      end
    end
    i
  end

  # ---- choices of items. The order is that of the indices; an item alone is looked up as it comes, as in MRI.

  def combination(n)
    items = __copy
    count = __to_long(n)
    if count == 1
      each { |x| yield [x] }
    elsif count >= 0 && count <= items.size
      size = items.size
      at = __list(count)
      count.times { |i| at.__push(i) }
      i = 0
      while i >= 0
        yield items.__chosen(at, count)
        i = count - 1
        i -= 1 while i >= 0 && at.__item(i) == size - count + i
        at.__count_up(i, count, at.__item(i) + 1, 1) if i >= 0
      end
    end
    self
  end

  def repeated_combination(n)
    items = __copy
    count = __to_long(n)
    if count == 1
      each { |x| yield [x] }
    elsif count == 0 || (count > 0 && items.size > 0)
      last = items.size - 1
      at = __list(count)
      count.times { at.__push(0) }
      i = 0
      while i >= 0
        yield items.__chosen(at, count)
        i = count - 1
        i -= 1 while i >= 0 && at.__item(i) == last
        at.__count_up(i, count, at.__item(i) + 1, 0) if i >= 0
      end
    end
    self
  end

  def repeated_permutation(n)
    items = __copy
    count = __to_long(n)
    raise ArgumentError, "malloc: possible integer overflow (#{count}*8)" if count >= 2_305_843_009_213_693_952

    if count == 1
      each { |x| yield [x] }
    elsif count == 0 || (count > 0 && items.size > 0)
      last = items.size - 1
      at = __list(count)
      count.times { at.__push(0) }
      i = 0
      while i >= 0
        yield items.__chosen(at, count)
        i = count - 1
        i -= 1 while i >= 0 && at.__item(i) == last
        if i >= 0
          at.__set(i, at.__item(i) + 1)
          at.__count_up(i + 1, count, 0, 0)
        end
      end
    end
    self
  end

  def permutation(n = nil)
    items = __copy
    count = n.__nil? ? items.size : __to_long(n)
    if count == 1
      each { |x| yield [x] }
    elsif count >= 0 && count <= items.size
      size = items.size
      at = __list(count)
      count.times { |i| at.__push(i) }
      i = 0
      while i >= 0
        yield items.__chosen(at, count)
        # The last index that has a larger one which none before it has.
        i = count - 1
        following = 0
        while i >= 0
          following = at.__unused(at.__item(i) + 1, i)
          break if following < size

          i -= 1
        end
        if i >= 0
          at.__set(i, following)
          i += 1
          while i < count
            at.__set(i, at.__unused(0, i))
            i += 1
          end
        end
      end
    end
    self
  end

  # Items from index i on: value, value + step …
  def __count_up(i, count, value, step)
    while i < count
      __set(i, value)
      value += step
      i += 1
    end
    self
  end

  # The first number from `number` on that is none of the first `count` items.
  def __unused(number, count)
    i = 0
    while i < count
      if __item(i) == number
        number += 1
        i = 0
      else
        i += 1
      end
    end
    number
  end

  # The items at so many indices.
  def __gathered(at, count)
    out = __list(count)
    count.times { |i| out.__push(__item(at.__item(i))) }
    out
  end

  # ---- searching in what is ordered

  def bsearch
    low = 0
    high = size
    found = nil
    while low < high
      middle = low + ((high - low) / 2)
      side = __turned(yield(at(middle)))
      return at(middle) if side == 0

      if side < 0
        high = middle
      else
        low = middle + 1
      end
      found = true if side == -1
    end
    found.__nil? ? nil : at(low)
  end

  def bsearch_index
    low = 0
    high = size
    found = nil
    while low < high
      middle = low + ((high - low) / 2)
      side = __turned(yield(at(middle)))
      return middle if side == 0

      if side < 0
        high = middle
      else
        low = middle + 1
      end
      found = true if side == -1
    end
    found.__nil? ? nil : low
  end

  # Where the block says to look. Some versions go the wrong way after numbers that are no Integers of one word.
  def __turned(answer)
    side = __side(answer)
    turns = __ruby?(:array_bsearch_turns_from_floats) && answer.is_a?(Numeric) && side != 0
    turns && !(answer.is_a?(Integer) && answer.__word?) ? -1 - side : side
  end

  def intersect?(other)
    found = __array(other)
    slots = found.__slots(size)
    by_eql = __own_eql?(found) && size <= 16 && found.size <= 16
    each { |x| return true if by_eql ? found.__has_eql(x) : found.__holds(x, slots) }
    false
  end

  # ---- by chance

  def __shuffle(random)
    __copy.__shuffle!(random)
  end

  def __shuffle!(random)
    i = size
    while i > 1
      j = __draw(random, i)
      i -= 1
      x = __item(i)
      __set(i, __item(j))
      __set(j, x)
    end
    self
  end

  def __sample(random)
    if size < 2
      __empty? ? nil : __item(0)
    else
      __item(__draw(random, size))
    end
  end

  def __samples(random, n)
    n = __to_long(n)
    raise ArgumentError, "negative sample number" if n < 0

    n = size if n > size
    n > 10 ? __many_samples(random, n) : __few_samples(random, n)
  end

  # Each is one of the items that are left. The indices of those taken ascend in `taken`.
  def __few_samples(random, n)
    out = __list(n)
    taken = __list(n)
    i = 0
    while i < n
      index = size - i < 2 ? 0 : __draw(random, size - i)
      at = 0
      while at < i && index >= taken.__item(at)
        index += 1
        at += 1
      end
      taken.__push(index)
      j = i
      while j > at
        taken.__set(j, taken.__item(j - 1))
        j -= 1
      end
      taken.__set(at, index)
      out.__push(__item(index))
      i += 1
    end
    out
  end

  # The beginning of what a shuffle from the front gives.
  def __many_samples(random, n)
    out = __copy
    i = 0
    while i < n
      left = out.size - i
      j = i + (left < 2 ? 0 : __draw(random, left))
      x = out.__item(i)
      out.__set(i, out.__item(j))
      out.__set(j, x)
      i += 1
    end
    out.__resize(n)
  end

  def __equal(other)
    return false unless size == other.size
    i = 0
    n = size
    while i < n
      return false unless __item(i).__equals(other.__item(i))
      i += 1
    end
    true
  end

  def __eql(other)
    return false unless size == other.size
    i = 0
    n = size
    while i < n
      return false unless __item(i).__eqls(other.__item(i))
      i += 1
    end
    true
  end

  def __equal_within(other, trail)
    return false unless size == other.size
    return true if trail.__met?(__identity, other.__identity)

    trail.__push(__identity).__push(other.__identity)
    i = 0
    n = size
    while i < n
      return false unless __item(i).__equals_within(other.__item(i), trail)
      i += 1
    end
    trail.__resize(trail.size - 2)
    true
  end

  def __eql_within(other, trail)
    return false unless size == other.size
    return true if trail.__met?(__identity, other.__identity)

    trail.__push(__identity).__push(other.__identity)
    i = 0
    n = size
    while i < n
      return false unless __item(i).__eqls_within(other.__item(i), trail)
      i += 1
    end
    trail.__resize(trail.size - 2)
    true
  end

  # Are these being compared? That something is not equal ends all, so a trail keeps what was compared before.
  def __met?(one, other)
    return false if one == 0 || other == 0

    i = size - 2
    while i >= 0
      return true if __item(i) == one && __item(i + 1) == other
      i -= 2
    end
    false
  end

  def __spaceship(other)
    i = 0
    while i < size && i < other.size
      order = __item(i).__asked_order(other.__item(i))
      return order unless order.__is(0)
      i += 1
    end
    size <=> other.size
  end

  # Where the items are being ordered already, the sizes are all that is left.
  def __spaceship_within(other, trail)
    unless trail.__met?(__identity, other.__identity)
      trail.__push(__identity).__push(other.__identity)
      i = 0
      while i < size && i < other.size
        order = __item(i).__ordered_within(other.__item(i), trail)
        return order unless order.__is(0)
        i += 1
      end
      trail.__resize(trail.size - 2)
    end
    size <=> other.size
  end

  def __nests?
    each { |x| return true if x.is_a?(Array) }
    false
  end

  # ---- changes to arrays made in the section

  def __pop
    n = size
    return nil if n == 0
    x = __item(n - 1)
    __resize(n - 1)
    x
  end

  def __shift
    n = size
    return nil if n == 0
    x = __item(0)
    __drop_front(1)
    x
  end

  # So many items at most, of which the first has this index.
  def __cut(index, count)
    n = size
    index += n if index < 0
    return nil if index < 0 || index > n || count < 0

    count = n - index if count > n - index
    out = __part(index, count)
    if index == 0
      __drop_front(count)
    else
      i = index + count
      while i < n
        __set(i - count, __item(i))
        i += 1
      end
      __resize(n - count)
    end
    out
  end

  def __pop_many(n)
    n = __to_long(n)
    raise ArgumentError, "negative array size" if n < 0

    n = size if n > size
    __cut(size - n, n)
  end

  def __shift_many(n)
    n = __to_long(n)
    raise ArgumentError, "negative array size" if n < 0

    __cut(0, n)
  end

  def __fill(value, start, count)
    i = start.__nil? ? 0 : __to_long(start)
    i += size if i < 0
    i = 0 if i < 0
    stop = __fill_end(i, count)
    while i < stop
      self[i] = value
      i += 1
    end
    self
  end

  # Where filling ends. The array reaches to there before anything is filled, also where that is nothing.
  def __fill_end(start, count)
    count = count.__nil? ? size - start : __to_long(count)
    __check_unfrozen
    return start if count < 0

    most = 1_152_921_504_606_846_975
    raise ArgumentError, "argument too big" if start >= most || count > most - start

    __leave_gap(start) if start > size
    start + count
  end

  def __fill_block(start, count)
    i = start.__nil? ? 0 : __to_long(start)
    i += size if i < 0
    i = 0 if i < 0
    stop = __fill_end(i, count)
    while i < stop
      self[i] = yield(i)
      i += 1
    end
    self
  end

  # What is equal goes; the last such item, or what the block gives where there is none.
  def __delete(value)
    found = nil
    to = 0
    i = 0
    while i < size
      x = __item(i)
      if x.__equals(value)
        found = x
      else
        __set(to, x) if to < i
        to += 1
      end
      i += 1
    end
    if to < size
      __check_unfrozen
      __resize(to)
      found
    elsif block_given?
      yield value
    end
  end

  # The index that the first of the new items gets.
  def __place(index)
    return size if index == -1

    minimum = -size - 1
    raise IndexError, "index #{index} too small for array; minimum: #{minimum}" if index < minimum

    raise IndexError, "index #{index} too big" if index >= 1_152_921_504_606_846_975

    index < 0 ? index + size + 1 : index
  end

  def __delete_at(index)
    n = size
    at = index < 0 ? index + n : index
    return nil if at < 0 || at >= n

    __check_unfrozen
    return __shift if at == 0

    x = __item(at)
    i = at + 1
    while i < n
      __set(i - 1, __item(i))
      i += 1
    end
    __resize(n - 1)
    x
  end

  def __insert(index, value)
    return __push_front(value) if index == 0
    __push(value)
    i = size - 1
    while i > index
      __set(i, __item(i - 1))
      i -= 1
    end
    __set(index, value)
    self
  end

  # The items of another array, which is as long or shorter, instead of the own ones.
  # Keeps the items for which the block is true. While it runs those kept so far are the first, and behind them nothing
  # has moved; the gap closes however the block ends.
  def __keep
    kept = 0
    i = 0
    begin
      while i < size
        x = __item(i)
        if yield x
          __set(kept, x) if kept < i
          kept += 1
        end
        i += 1
      end
    ensure
      __close_gap(kept, i)
    end
    kept < i
  end

  def __keep_if
    __keep { |x| yield x }
    self
  end

  def __delete_if
    __keep { |x| !yield(x) }
    self
  end

  def __select!
    __keep { |x| yield x } ? self : nil
  end

  def __reject!
    __keep { |x| !yield(x) } ? self : nil
  end

  def __close_gap(from, to)
    return if from == to || from >= size

    n = size
    while to < n
      __set(from, __item(to))
      from += 1
      to += 1
    end
    __resize(from)
  end

  def __fill_up(index)
    raise IndexError, "index #{index} too big" if index >= 1_152_921_504_606_846_975

    __push(nil) while size < index
  end

  # `array[start, count] = items`, which are those of another array.
  def __splice(start, count, items)
    raise IndexError, "negative length (#{count})" if count < 0

    n = size
    at = start < 0 ? start + n : start
    raise IndexError, "index #{start} too small for array; minimum: #{-n}" if at < 0

    __leave_gap(at)
    n = size
    count = n - at if count > n - at
    m = items.size
    more = m - count
    if more > 0
      # What comes to stand behind the items that are there: of them, or of the others.
      i = n
      while i < n + more
        __push(i - more >= at + count ? __item(i - more) : items.__item(i - at))
        i += 1
      end
      i = n - 1
      while i >= at + m
        __set(i, __item(i - more))
        i -= 1
      end
    elsif more < 0
      i = at + count
      while i < n
        __set(i + more, __item(i))
        i += 1
      end
      __resize(n + more)
      n += more
    end
    stop = at + m < n ? at + m : n
    i = at
    while i < stop
      __set(i, items.__item(i - at))
      i += 1
    end
    nil
  end

  # The same where a range says which.
  def __splice_range(range, items)
    at = __beginning(range)
    __splice(at, __count_from(at, range), items)
  end

  # How many items are in a range from an index on, also such as are not there.
  def __count_from(at, range)
    stop = range.end.__nil? ? size : __to_long(range.end)
    stop += size if stop < 0
    stop += 1 unless range.end.__nil? || range.exclude_end?
    stop > at ? stop - at : 0
  end

  def __replace(other)
    i = 0
    n = other.size
    while i < n
      __set(i, other.__item(i))
      i += 1
    end
    __resize(n)
    self
  end

  def map!
    __check_unfrozen
    i = 0
    while i < size
      self[i] = yield(__item(i))
      i += 1
    end
    self
  end

end

# An Enumerator's `each` is the method it came from, with the block. What it yields is one array where there are several;
# some of Enumerable's methods hand several on as they are.
module Enumerator
  # ---- What lazy ones go through

  def __lazy
    each { |x| yield x }
  end

  def __lazy_map(by)
    each { |x| yield by.call(x) }
  end

  def __lazy_select(by)
    each { |x| yield x if by.call(x) }
  end

  def __lazy_reject(by)
    each { |x| yield x unless by.call(x) }
  end

  def __lazy_filter_map(by)
    each do |x|
      y = by.call(x)
      yield y if y
    end
  end

  def __lazy_flat_map(by)
    each do |x|
      y = by.call(x)
      if y.is_a?(Array)
        y.each { |z| yield z }
      else
        yield y
      end
    end
  end

  def __lazy_take_while(by)
    each do |x|
      break unless by.call(x)

      yield x
    end
  end

  def __lazy_drop_while(by)
    drops = true
    each do |x|
      drops = false if drops && !by.call(x)
      yield x unless drops
    end
  end

  def __lazy_take(count)
    return if count == 0

    i = 0
    each do |x|
      yield x
      i += 1
      break if i >= count
    end
  end

  def __lazy_drop(count)
    i = 0
    each do |x|
      if i < count
        i += 1
      else
        yield x
      end
    end
  end

  def __lazy_each_slice(size)
    raise ArgumentError, "invalid slice size" if size <= 0

    part = __list(4)
    each do |x|
      part.__push(x)
      if part.size == size
        yield part
        part = __list(4)
      end
    end
    yield part if part.size > 0
  end

  def __lazy_each_cons(size)
    raise ArgumentError, "invalid size" if size <= 0

    part = __list(4)
    each do |x|
      part.__push(x)
      part = part.drop(1) if part.size > size
      yield part.dup if part.size == size
    end
  end

  def __lazy_with_index(first)
    i = first
    each do |x|
      yield [x, i]
      i += 1
    end
  end

  def __lazy_each_index(first, by)
    i = first
    each do |x|
      by.call(x, i)
      i += 1
      yield x
    end
  end

  def __lazy_uniq
    seen = {}
    each do |x|
      next if seen.key?(x)

      seen[x] = true
      yield x
    end
  end

  def __lazy_uniq_block(by)
    seen = {}
    each do |x|
      key = by.call(x)
      next if seen.key?(key)

      seen[key] = true
      yield x
    end
  end

  def __lazy_compact
    each { |x| yield x unless x.__nil? }
  end

  def __lazy_grep(pattern)
    each { |x| yield x if pattern === x }
  end

  def __lazy_grep_v(pattern)
    each { |x| yield x unless pattern === x }
  end

  # Of a method of the user's.
  def __packed_each
    __each_values do |*values|
      if values.__empty?
        yield nil
      else
        yield(values.size == 1 ? values.__item(0) : values)
      end
    end
  end

  def map
    out = __list(__room)
    __each_values { |*values| out.__push(yield(*values)) }
    out
  end

  def flat_map
    out = __list(__room)
    __each_values { |*values| out.__append(yield(*values)) }
    out
  end

  def filter_map
    out = __list(__room)
    __each_values do |*values|
      y = yield(*values)
      out.__push(y) if y
    end
    out
  end

  def __any_block
    __each_values { |*values| return true if yield(*values) }
    false
  end

  def __all_block
    __each_values { |*values| return false unless yield(*values) }
    true
  end

  def __one_block
    n = 0
    __each_values do |*values|
      n += 1 if yield(*values)
      return false if n > 1
    end
    n == 1
  end

  def __count_block
    n = 0
    __each_values { |*values| n += 1 if yield(*values) }
    n
  end

  def __index_block
    i = 0
    __each_values do |*values|
      return i if yield(*values)

      i += 1
    end
    nil
  end

  def take_while
    out = __list(__room)
    __each_pair { |x, values| yield(*values) ? out.__push(x) : break }
    out
  end

  def __uniq_block
    __uniq_keyed { |*values| yield(*values) }
  end

  def __to_h_block
    out = {}
    __each_values { |*values| out.__put_pair(yield(*values)) }
    out
  end

  def __uniq_keyed
    out = __list(__room)
    keys = __list(__room)
    slots = __list(0)
    __each_pair { |x, values| out.__push(x) if keys.__add(yield(*values), slots) }
    out
  end

  # What is yielded as one value, and as it is.
  def __each_pair
    __each_values do |*values|
      if values.__empty?
        yield nil, values
      else
        yield (values.size == 1 ? values.__item(0) : values), values
      end
    end
  end

  def __first
    each { |x| return x }
    nil
  end

  def __each_entry
    each { |x| yield x }
    self
  end

  def each_slice(n)
    __slices(n) { |slice| yield slice }
  end

  def each_cons(n)
    __windows(n) { |window| yield window }
  end

  # The items of the first time are kept for the others.
  def cycle(n = nil)
    times = n.__nil? ? -1 : __to_long(n)
    return nil if times == 0 || (times < 0 && !n.__nil?)

    items = __list(__room)
    __each_pair do |x, values|
      items.__push(x)
      case values.size
      when 0 then yield
      when 1 then yield(values.__item(0))
      else yield(x)
      end
    end
    return nil if items.size == 0

    while times != 1
      items.each { |x| yield x }
      times -= 1
    end
    nil
  end

  def reverse_each
    items = __copy
    i = items.size - 1
    while i >= 0
      yield items.__item(i)
      i -= 1
    end
    self
  end

  def with_index(offset = 0)
    i = offset
    each do |x|
      yield(x, (i += 1) - 1)
    end
  end

  def each_with_index
    i = 0
    each do |x|
      yield(x, (i += 1) - 1)
    end
  end

  def with_object(memo)
    each { |x| yield(x, memo) }
    memo
  end

  def __min_by
    best = nil
    least = nil
    some = false
    each do |x|
      key = yield x
      if !some || __compare(key, least) < 0
        some = true
        least = key
        best = x
      end
    end
    best
  end

  def __max_by
    best = nil
    most = nil
    some = false
    each do |x|
      key = yield x
      if !some || __compare(key, most) > 0
        some = true
        most = key
        best = x
      end
    end
    best
  end

  # In pairs, as of arrays.
  def __minmax_by
    low = nil
    high = nil
    least = nil
    most = nil
    first = nil
    first_key = nil
    waits = false
    some = false
    each do |x|
      key = yield x
      if waits
        waits = false
        order = __compare(first_key, key)
        if order == 0
          x = first
          key = first_key
        elsif order > 0
          first, x = x, first
          first_key, key = key, first_key
        end
        if !some || __compare(first_key, least) < 0
          low = first
          least = first_key
        end
        if !some || __compare(key, most) > 0
          high = x
          most = key
        end
        some = true
      else
        waits = true
        first = x
        first_key = key
      end
    end
    if waits
      low = first if !some || __compare(first_key, least) < 0
      high = first if !some || __compare(first_key, most) > 0
    end
    [low, high]
  end

  def __minmax_pairs
    low = nil
    high = nil
    first = nil
    waits = false
    some = false
    each do |x|
      if waits
        waits = false
        order = yield(first, x)
        if order == 0
          x = first
        elsif order > 0
          first, x = x, first
        end
        low = first if !some || yield(first, low) < 0
        high = x if !some || yield(x, high) > 0
        some = true
      else
        waits = true
        first = x
      end
    end
    if waits
      low = first if !some || yield(first, low) < 0
      high = first if !some || yield(first, high) > 0
    end
    [low, high]
  end

  def __min_each
    __extreme { |x, best| __compare(x, best) < 0 }
  end

  def __max_each
    __extreme { |x, best| __compare(x, best) > 0 }
  end

  def __min_block
    __extreme { |x, best| __order(yield(x, best), x, best) < 0 }
  end

  def __max_block
    __extreme { |x, best| __order(yield(x, best), x, best) > 0 }
  end

  def __extreme
    best = nil
    some = false
    each do |x|
      if !some || yield(x, best)
        some = true
        best = x
      end
    end
    best
  end

  def __inject
    acc = nil
    some = false
    each do |x|
      if some
        acc = yield(acc, x)
      else
        some = true
        acc = x
      end
    end
    acc
  end

  def __packed_each_with_index
    i = 0
    each do |x|
      yield [x, (i += 1) - 1]
    end
  end

  def __packed_with_index(offset = 0)
    i = offset
    each do |x|
      yield [x, (i += 1) - 1]
    end
  end
end

module Column
  def reverse_each
    i = size - 1
    while i >= 0
      yield __item(i)
      i -= 1
    end
    self
  end

  def __fetch_block(index, given)
    index += size if index < 0
    index >= 0 && index < size ? __item(index) : yield(given)
  end

  def __equal(other)
    return false if size != other.size
    i = 0
    while i < size
      return false unless __item(i).__equals(other.__item(i))
      i += 1
    end
    true
  end
end

module Packed
  def __packed_each_with_index
    i = 0
    each do |x|
      yield [x, i]
      i += 1
    end
    self
  end
end

module Range
  # As MRI, which goes through Floats by their bits.
  def bsearch
    low = self.begin
    high = self.end
    if low.is_a?(Float) || high.is_a?(Float)
      from = (low.__nil? ? -1.0 / 0.0 : low.to_f).__number
      to = (high.__nil? ? 1.0 / 0.0 : high.to_f).__number
      __bsearch(from, to, exclude_end?, true) { |i| yield i.__float_of_number }
    elsif !low.__nil? && !high.__nil?
      __bsearch(low, high, exclude_end?, false) { |i| yield i }
    elsif low.__nil? && high.__nil?
      raise TypeError, "can't do binary search for NilClass"
    elsif high.__nil?
      __bsearch_upwards(low) { |i| yield i }
    else
      __bsearch_downwards(high) { |i| yield i }
    end
  end

  def __bsearch_upwards(low)
    distance = 1
    while true
      middle = low + distance
      side = __side(yield(middle))
      return middle if side == 0
      return __bsearch(low, middle, false, false) { |i| yield i } if side < 0

      low = middle if __ruby?(:range_bsearch_starts_outside)
      distance *= 2
    end
  end

  def __bsearch_downwards(high)
    distance = -1
    while true
      middle = high + distance
      side = __side(yield(middle))
      return middle if side == 0
      return __bsearch(middle, high, false, false) { |i| yield i } if side > 0

      high = middle if __ruby?(:range_bsearch_starts_outside)
      distance *= 2
    end
  end

  def __bsearch(low, high, exclusive, floats)
    if __ruby?(:range_bsearch_starts_outside)
      __bsearch_between(low, high, exclusive, floats) { |i| yield i }
    else
      __bsearch_within(low, high, exclusive, floats) { |i| yield i }
    end
  end

  # The numbers below and above are known without asking.
  def __bsearch_between(low, high, exclusive, floats)
    # Between numbers of one word the middle is rounded towards zero.
    words = floats || !(low.__large? || high.__large?)
    low -= 1
    high += 1 unless exclusive
    found = nil
    while low + 1 < high
      middle = (high < 0) == (low < 0) ? low + ((high - low) / 2) : (low + high) / 2
      middle += 1 if words && (high < 0) != (low < 0) && middle < 0 && (low + high).odd?
      side = __side(yield(middle))
      return floats ? middle.__float_of_number : middle if side == 0

      if side < 0
        high = middle
        found = middle if side == -1
      else
        low = middle
      end
    end
    found.__nil? || !floats ? found : found.__float_of_number
  end

  def __bsearch_within(low, high, exclusive, floats)
    high -= 1 if exclusive
    last = high
    found = nil
    while low < high
      middle = (high < 0) == (low < 0) ? low + ((high - low) / 2) : (low + high) / 2
      side = __side(yield(middle))
      return floats ? middle.__float_of_number : middle if side == 0

      if side < 0
        high = middle
        found = middle if side == -1
      else
        low = middle + 1
      end
    end
    if low == last
      side = __side(yield(low))
      return floats ? low.__float_of_number : low if side == 0
      return nil if side > 0

      found = low if side == -1
    end
    found.__nil? || !floats ? found : found.__float_of_number
  end

  # Is an object between the ends? One that cannot be compared is not.
  def __holds?(value)
    low = self.begin
    high = self.end
    unless low.__nil?
      order = low.__asked_order(value)
      return false if order.__nil? || __order(order, low, value) > 0
    end
    return true if high.__nil?

    order = value.__asked_order(high)
    return false if order.__nil?

    side = __order(order, value, high)
    exclude_end? ? side < 0 : side <= 0
  end

  # `down`: may it go down?
  def __float_step(by, down)
    unit = by.to_f
    unless down
      order = __order(by <=> 0, by, 0)
      raise ArgumentError, "step can't be negative" if order < 0
    end
    raise ArgumentError, "step can't be 0" if unit == 0.0

    last = self.end.__nil? ? unit / 0.0 : self.end.to_f
    self.begin.to_f.__each_step(last, unit, exclude_end?) { |x| yield x }
    self
  end

  # The number of Integers from the beginning on, where an end is a Float.
  def __float_size
    n = self.begin.to_f.__steps(self.end.to_f, 1.0, exclude_end?)
    n.infinite? ? n : n.to_i
  end

  def __overlap?(other)
    low = self.begin
    start = other.begin
    if low.__passes?(other.end, other.exclude_end?) || start.__passes?(self.end, exclude_end?)
      false
    elsif !low.__nil? && !start.__nil? && low == start
      true
    elsif low.__nil? && start.__nil?
      true
    else
      !low.__passes?(self.end, exclude_end?) && !start.__passes?(other.end, other.exclude_end?)
    end
  end
end

# A Range of Strings.
module TextRange
  def ===(value)
    cover?(value)
  end

  def cover?(value)
    low = __from
    order = low.__asked_order(value)
    return false if order.__nil? || order > 0

    order = value <=> __to
    exclude_end? ? order < 0 : order <= 0
  end

  def include?(value)
    value = "".__text_or_nil(value)
    return false unless value.is_a?(String)

    each { |text| return true if text == value }
    false
  end

  def member?(value)
    include?(value)
  end

  def each
    __from.upto(__to, exclude_end?) { |text| yield text }
    self
  end

  def to_a
    all = []
    __from.upto(__to, exclude_end?) { |text| all << text }
    all
  end

  def entries
    to_a
  end

  def map
    all = []
    __from.upto(__to, exclude_end?) { |text| all << yield(text) }
    all
  end

  def collect
    map { |text| yield text }
  end
end

module Hash
  # The index of a key, or -1.
  def __find_outside(key)
    return -1 unless __lookup?(key)

    if __asks_keys?(key)
      __refuse_keys if __keys.size > 256
      return __keys.__place_of_key(key)
    end
    count = __keys.size * 2
    return -1 if count == 0

    slot = __slot(__hash_of(key), count)
    while true
      place = __place(slot) - 1
      return place if place < 0 || __same_key(key, __keys.__item(place))

      slot += 1
      slot = 0 if slot == count
    end
  end

  # The same where the section changes the Hash: it has slots as one that the section makes.
  def __find_changing(key)
    __lookup?(key) ? __find_made(key) : -1
  end

  def __find_changing_dense(key)
    __lookup?(key) ? __find_dense(key) : -1
  end

  def [](key)
    place = __find_raw(key)
    place < 0 ? __missing(key) : __raw_values.__item(place)
  end

  def __first_pair
    size == 0 ? nil : __item(0)
  end

  def __fetch(key)
    place = __find_raw(key)
    place < 0 ? __no_key(key) : __raw_values.__item(place)
  end

  def __fetch_default(key, default)
    place = __find_raw(key)
    place < 0 ? default : __raw_values.__item(place)
  end

  def __fetch_block(key)
    place = __find_raw(key)
    place < 0 ? yield(key) : __raw_values.__item(place)
  end

  # ---- those that make another one

  def __put(key, value)
    __change
    place = __find_raw(key)
    place < 0 ? __insert(key, value) : __raw_values.__set(place, value)
    value
  end

  def __put_each(keys, values)
    i = 0
    while i < keys.size
      __put(keys.__item(i), values.__item(i))
      i += 1
    end
  end

  def __put_all(other)
    other.__each_pair { |k, v| __put(k, v) }
  end

  def __map_pairs
    out = __list(size)
    __each_pair { |k, v| out.__push(yield(k, v)) }
    out
  end

  def __each_pair
    i = 0
    while i < size
      yield __keys.__item(i), __values.__item(i)
      i += 1
    end
  end

  def __copy_hash
    out = __fresh_alike
    __each_pair { |k, v| out.__insert(k, v) }
    out
  end

  def select
    out = __fresh
    n = size
    each do |k, v|
      out.__insert(k, v) if yield(k, v)
      __refuse_fewer(n)
    end
    out
  end

  def reject
    out = __fresh
    n = size
    each do |k, v|
      out.__insert(k, v) unless yield(k, v)
      __refuse_fewer(n)
    end
    out
  end

  def compact
    out = __fresh
    __each_pair { |k, v| out.__insert(k, v) unless v.__nil? }
    out
  end

  def slice(*keys)
    out = __fresh
    keys.each do |key|
      place = __find(key)
      out.__put(key, __values.__item(place)) if place >= 0
    end
    out
  end

  def except(*keys)
    out = __fresh
    __each_pair { |k, v| out.__insert(k, v) }
    keys.each { |key| out.__delete(key) }
    out
  end

  def transform_values
    out = __fresh
    n = size
    each do |k, v|
      out.__insert(k, yield(v))
      __refuse_fewer(n)
    end
    out
  end

  def __transform_keys
    out = __fresh
    each { |k, v| out.__put(yield(k), v) }
    out
  end

  def invert
    out = __fresh
    __each_pair { |k, v| out.__put(v, k) }
    out
  end

  def __to_h_block
    out = __fresh
    each { |k, v| out.__put_pair(yield(k, v)) }
    out
  end

  def __merge(*others)
    out = __copy_hash
    others.each { |other| out.__put_all(other) }
    out
  end

  def __merge_block(*others)
    out = __copy_hash
    others.each { |other| out.__merge_one(other) { |k, a, b| yield k, a, b } }
    out
  end

  def __merge_one(other)
    __change
    other.__each_pair do |k, v|
      place = __find(k)
      if place < 0
        __insert(k, v)
      else
        __values.__set(place, yield(k, __values.__item(place), v))
      end
    end
  end

  def __within?(other)
    __each_pair do |k, v|
      place = other.__find(k)
      return false if place < 0 || !v.__equals(other.__values.__item(place))
    end
    true
  end

  def <=(other)
    size <= __hash_argument(other).size && __within?(other)
  end

  def <(other)
    size < __hash_argument(other).size && __within?(other)
  end

  def >=(other)
    size >= __hash_argument(other).size && other.__within?(self)
  end

  def >(other)
    size > __hash_argument(other).size && other.__within?(self)
  end

  def __equal(other)
    size == other.size && __within?(other)
  end

  def __eql(other)
    return false if size != other.size

    __each_pair do |k, v|
      place = other.__find(k)
      return false if place < 0 || !v.eql?(other.__values.__item(place))
    end
    true
  end

  def __equal_within(other, trail)
    return false if size != other.size
    return true if trail.__met?(__identity, other.__identity)

    trail.__push(__identity).__push(other.__identity)
    __each_pair do |k, v|
      place = other.__find(k)
      return false if place < 0 || !v.__equals_within(other.__values.__item(place), trail)
    end
    trail.__resize(trail.size - 2)
    true
  end

  def __eql_within(other, trail)
    return false if size != other.size
    return true if trail.__met?(__identity, other.__identity)

    trail.__push(__identity).__push(other.__identity)
    __each_pair do |k, v|
      place = other.__find(k)
      return false if place < 0 || !v.__eqls_within(other.__values.__item(place), trail)
    end
    trail.__resize(trail.size - 2)
    true
  end

  def key?(key)
    __find_raw(key) >= 0
  end

  def values_at(*keys)
    keys.map { |key| self[key] }
  end

  def __fetch_values(*keys)
    keys.map { |key| __fetch(key) }
  end

  def __fetch_values_block(*keys)
    keys.map { |key| __fetch_block(key) { |missing| yield missing } }
  end

  # MRI goes through small ones by `==`, and looks into others by the hash.
  def assoc(key)
    if size <= 8
      each { |pair| return pair if key.__equals(pair[0]) }
      return nil
    end
    place = __find(key)
    place < 0 ? nil : __item(place)
  end

  def rassoc(value)
    each { |pair| return pair if value.__equals(pair[1]) }
    nil
  end

  def key(value)
    each { |k, v| return k if v.__equals(value) }
    nil
  end

  def value?(value)
    each_value { |v| return true if v.__equals(value) }
    false
  end

  def keys
    __keys.__copy
  end

  def values
    __values.__copy
  end

  def each_key
    if __deletes?
      each { |key, _| yield key }
    else
      __keys.each { |key| yield key }
    end
    self
  end

  def each_value
    if __deletes?
      each { |_, value| yield value }
    else
      __values.each { |value| yield value }
    end
    self
  end
end

# Ruby's Set is written in Ruby, around a Hash, and runs from its source. These are the methods whose source has what a
# section has not.
module Set
  def inspect
    "#<Set: {#{to_a.inspect[1..-2]}}>"
  end

  def each
    @hash.each_key { |x| yield x }
    self
  end

  def merge(others)
    others.each { |x| add(x) }
    self
  end

  # In no order, as that of the items counts for nothing.
  def hash
    number = size
    each { |x| number ^= x.__hash }
    number
  end

  def eql?(other)
    other.is_a?(Set) && size == other.size && other.all? { |x| include?(x) }
  end

  def subtract(others)
    others.each { |x| delete(x) }
    self
  end

  def |(others)
    self.class.new.merge(self).merge(others)
  end

  def -(others)
    self.class.new.merge(self).subtract(others)
  end

  def ^(others)
    out = self.class.new.merge(others)
    each { |x| out.add(x) unless out.delete?(x) }
    out
  end

  # In `set.rb`, all that goes does so in the end.
  def keep_if
    gone = []
    each { |x| gone << x unless yield x }
    gone.each { |x| @hash.__delete(x) }
    self
  end

  def delete_if
    keep_if { |x| !yield(x) }
  end

  def select!
    n = size
    keep_if { |x| yield x }
    size == n ? nil : self
  end

  def reject!
    select! { |x| !yield(x) }
  end
end

module Hash
  # What `format` finds by a name.
  def __format_value(name, shown)
    found = false
    result = nil
    each do |key, value|
      if key.is_a?(Symbol) && key.to_s == name
        found = true
        result = value
      end
    end
    result = default unless found
    return result if found || !result.nil?

    # In the encoding of the format, as a text that is given is.
    message = "key#{shown} not found"
    raise KeyError, message
  end
end

module MadeHash
  def __refuse_frozen
    raise FrozenError, "can't modify frozen Hash: #{inspect}"
  end
end

module Struct
  def ==(other)
    return true if __is(other)

    peer = __peer(other)
    return false if peer.__nil?

    __cyclic?(:==) ? __equal_within(peer, __trail(:==)) : __items == peer.__items
  end

  def eql?(other)
    return true if __is(other)

    peer = __peer(other)
    return false if peer.__nil?

    __cyclic?(:eql?) ? __eql_within(peer, __trail(:eql?)) : __items.eql?(peer.__items)
  end

  def __equal_within(other, trail)
    return true if trail.__met?(__identity, other.__identity)

    trail.__push(__identity).__push(other.__identity)
    return false unless __items.__equals_within(other.__items, trail)

    trail.__resize(trail.size - 2)
    true
  end

  def __eql_within(other, trail)
    return true if trail.__met?(__identity, other.__identity)

    trail.__push(__identity).__push(other.__identity)
    return false unless __items.__eqls_within(other.__items, trail)

    trail.__resize(trail.size - 2)
    true
  end

  def values_at(*indices)
    all = to_a
    indices.each { |index| index.is_a?(Range) ? all.values_at(index) : __check_offset(index, size) }
    all.values_at(*indices)
  end

  def __check_offset(index, size)
    i = __to_long(index)
    __refuse_wide if i >= 4_611_686_018_427_387_904 || i < -4_611_686_018_427_387_904
    __c_int(i)
    raise IndexError, "offset #{i} too large for struct(size:#{size})" if i >= size
    raise IndexError, "offset #{i} too small for struct(size:#{size})" if i < -size
  end
end

# The Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998) as Ruby has it. Behind the 624 words of the state stands
# how many of them are left before all are made anew.
module Random
  def initialize(seed = Random.rand(0x4000000000000000), __of: nil)
    if __of.__nil?
      seed = __to_int(seed)
      @__seed = seed
      @__state = __state_of(seed == -9_223_372_036_854_775_808 ? seed : seed.abs)
    else
      @__seed = seed
      @__state = __copy_of(__of.__state)
    end
  end

  def seed
    @__seed
  end

  def ==(other)
    return true if equal?(other)
    return false unless other.is_a?(Random) && other.class == self.class

    other.seed == seed && other.__state == __state
  end

  def dup
    Random.new(seed, __of: self)
  end

  def clone
    frozen? ? dup.freeze : dup
  end

  def __copy_of(state)
    copy = __list(625)
    i = 0
    while i < 625
      copy.__push(state.__item(i))
      i += 1
    end
    copy
  end

  def __state
    @__state
  end

  # A number of one or two words. Ruby takes the 1 in front of others for a guard.
  def __state_of(key)
    high = (key >> 32) & 0xffffffff
    state = __list(625)
    low = key & 0xffffffff
    if high == 0 || high == 1 && __ruby?(:guarded_seeds_are_one_word)
      __spread(state, low)
    else
      __spread(state, 19_650_218)
      __mix(state, low, high == 1 ? low : high + 1)
    end
    state.__push(1)
  end

  def __spread(state, word)
    i = 1
    state.__push(word)
    while i < 624
      word = (1_812_433_253 * (word ^ (word >> 30)) + i) & 0xffffffff
      state.__push(word)
      i += 1
    end
  end

  def __mix(state, even, odd)
    before = state.__item(0)
    i = 1
    n = 0
    while n < 624
      before = ((state.__item(i) ^ ((before ^ (before >> 30)) * 1_664_525)) + (n & 1 == 0 ? even : odd)) & 0xffffffff
      state.__set(i, before)
      i = i == 623 ? 1 : i + 1
      n += 1
    end
    n = 0
    while n < 623
      before = ((state.__item(i) ^ ((before ^ (before >> 30)) * 1_566_083_941)) - i) & 0xffffffff
      state.__set(i, before)
      i = i == 623 ? 1 : i + 1
      n += 1
    end
    state.__set(0, 0x80000000)
  end

  def __word
    state = @__state
    left = state.__item(624) - 1
    if left == 0
      __twist(state)
      left = 624
    end
    state.__set(624, left)
    word = state.__item(624 - left)
    word ^= word >> 11
    word ^= (word << 7) & 0x9d2c5680
    word ^= (word << 15) & 0xefc60000
    word ^ (word >> 18)
  end

  def __twist(state)
    i = 0
    word = state.__item(0)
    while i < 624
      following = state.__item(i == 623 ? 0 : i + 1)
      mixed = (word & 0x80000000) | (following & 0x7fffffff)
      far = state.__item(i < 227 ? i + 397 : i - 227)
      state.__set(i, far ^ (mixed >> 1) ^ ((following & 1) * 0x9908b0df))
      word = following
      i += 1
    end
  end

  # A Float in 0.0...1.0, with all its 53 bits.
  def __real
    high = 0
    low = 0
    n = 0
    while n < 2
      high = low
      low = __word
      n += 1
    end
    ((high >> 5) * 0x4000000 + (low >> 6)).to_f * (1.0 / 0x20000000000000)
  end

  # One in 0.0..1.0: the 64 bits times 2**53 + 1, without the lower 64.
  def __real_with_end
    high = 0
    low = 0
    n = 0
    while n < 2
      high = low
      low = __word
      n += 1
    end
    carry = (((low & 0x7ff) << 21) + high) >> 32
    ((high << 21) + (low >> 11) + carry).to_f * (1.0 / 0x20000000000000)
  end

  def __below(limit)
    __at_most(limit - 1)
  end

  # Words with as many bits as the limit has, the upper one first, until they are not above it.
  def __at_most(limit)
    return 0 if limit == 0

    mask = limit
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    mask |= mask >> 16
    mask |= mask >> 32
    first = mask > 0xffffffff ? 32 : 0
    shift = first
    value = 0
    while true
      value |= (__word & (mask >> shift)) << shift
      if value > limit
        value = 0
        shift = first
      elsif shift == 0
        return value
      else
        shift = 0
      end
    end
  end

  def __rand(limit)
    if limit.is_a?(Float)
      __check_finite(limit)
      raise ArgumentError, "invalid argument - #{limit}" if limit < 0.0

      number = __real
      limit == 0.0 ? number : number * limit
    elsif limit.is_a?(Range)
      number = __in(limit)
      __nothing_in(limit) if number.__nil?

      number
    elsif limit.__nil?
      raise ArgumentError, "invalid argument - "
    else
      count = __to_long(limit)
      raise ArgumentError, "invalid argument - #{limit}" if count < 1

      __at_most(count - 1)
    end
  end

  def __random_number(limit)
    if limit.is_a?(Float)
      __check_finite(limit)
      number = __real
      limit > 0.0 ? number * limit : number
    elsif limit.is_a?(Range)
      number = __in(limit)
      number.__nil? ? __real : number
    elsif limit.__nil?
      __real
    else
      count = __to_long(limit)
      count < 1 ? __real : __at_most(count - 1)
    end
  end

  def __nothing_in(range)
    raise ArgumentError, "invalid argument - #{range.begin}...#{range.end}" if range.exclude_end?

    raise ArgumentError, "invalid argument - #{range.begin}..#{range.end}"
  end

  # Nil where nothing is in the range.
  def __in(range)
    low = range.begin
    high = range.end
    __out_of_domain if low.__nil? || high.__nil?
    if low.is_a?(Integer) && high.is_a?(Integer)
      most = high - low - (range.exclude_end? ? 1 : 0)
      most < 0 ? nil : low + __at_most(most)
    else
      __in_floats(low.to_f, high.to_f, range.exclude_end?)
    end
  end

  def __in_floats(low, high, exclusive)
    __check_finite(low)
    __check_finite(high)
    span = high - low
    if span.infinite?
      half = low / 2.0
      span = high / 2.0
      middle = span + half
      span -= half
      ((exclusive ? __real : __real_with_end) - 0.5) * span * 2 + middle
    elsif span > 0.0
      (exclusive ? __real : __real_with_end) * span + low
    else
      span == 0.0 && !exclusive ? 0.0 + low : nil
    end
  end

  def __check_finite(number)
    __out_of_domain unless number.finite?
  end
end

module Kernel
  # As an `int` of C.
  def __c_int(value)
    n = __to_long(value)
    if __quotes_are_even
      raise RangeError, "integer #{n} too big to convert to 'int'" if n > 2_147_483_647
      raise RangeError, "integer #{n} too small to convert to 'int'" if n < -2_147_483_648
    end
    raise RangeError, "integer #{n} too big to convert to `int'" if n > 2_147_483_647
    raise RangeError, "integer #{n} too small to convert to `int'" if n < -2_147_483_648

    n
  end

  def tap
    yield self
    self
  end

  def then
    yield self
  end

  # Where the block of a binary search says to look: -1 is true, -2 is before, 0 is here, 1 is behind.
  def __side(answer)
    if answer.equal?(true)
      -1
    elsif !answer
      1
    elsif answer.is_a?(Numeric)
      order = __order(answer <=> 0, answer, 0)
      order == 0 ? 0 : order < 0 ? -2 : 1
    else
      __no_side(answer)
    end
  end

  # What the block of a comparison gave, as 1, -1 or 0, which is also that of NaN.
  def __side_of_zero
    return 1 if self > 0

    self < 0 ? -1 : 0
  end

  # Is there nothing from here to the end of a range? nil is no limit.
  def __passes?(last, exclusive)
    return false if __nil? || last.__nil?

    exclusive ? self >= last : self > last
  end

  # Of what has no order of its own, for the built-ins that compare.
  def __ordered(other)
    order = __asked_order(other)
    __compare_failed(other) if order.__nil?
    order
  end

  def __below?(other)
    __ordered(other) < 0
  end

  def __above?(other)
    __ordered(other) > 0
  end

  def loop
    while true
      yield
    end
  rescue StopIteration
    nil
  end
end

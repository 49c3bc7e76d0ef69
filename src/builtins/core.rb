# Ruby's own methods written in Ruby, over the few that are rules in Rust. They are compiled with the section that
# calls them and inlined there; errors in them are reported at the caller's line. Semantics are those of MRI's C.

module Comparable
  def ==(other)
    return true if equal?(other)

    order = self <=> other
    order.nil? ? false : order == 0
  end

  def <(other)
    __order(other) < 0
  end

  def <=(other)
    __order(other) <= 0
  end

  def >(other)
    __order(other) > 0
  end

  def >=(other)
    __order(other) >= 0
  end

  def between?(low, high)
    return false if __below?(low)

    !__above?(high)
  end

  def __order(other)
    order = self <=> other
    __compare_failed(other) if order.nil?
    order
  end

  def __below?(other)
    __order(other) < 0
  end

  def __above?(other)
    __order(other) > 0
  end

  # nil is no limit.
  def __clamp(low, high)
    if !low.nil? && !high.nil? && low.__above?(high)
      raise ArgumentError, "min argument must be smaller than max argument"
    end
    if !low.nil? && __below?(low)
      low
    elsif !high.nil? && __above?(high)
      high
    else
      self
    end
  end
end

module Numeric
  def step(limit = nil, step = 1, by: nil, to: nil)
    limit = to unless to.nil?
    step = by unless by.nil?
    raise ArgumentError, "step can't be 0" if step == 0

    if is_a?(Float) || limit.is_a?(Float) || step.is_a?(Float)
      # MRI counts the steps first, so that errors do not add up.
      first = to_f
      unit = step.to_f
      last = limit.nil? ? unit / 0.0 : limit.to_f
      count = first.__steps(last, unit)
      i = 0.0
      while i < count
        x = i * unit + first
        x = first if unit.infinite?
        x = last if unit >= 0.0 ? last < x : x < last
        yield x
        i += 1.0
      end
    else
      i = self
      if step > 0
        while limit.nil? || i <= limit
          yield i
          i += step
        end
      else
        while limit.nil? || i >= limit
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

  def conj
    self
  end

  def conjugate
    self
  end

  def imaginary
    0
  end

  def imag
    0
  end

  def rectangular
    [self, 0]
  end

  def rect
    [self, 0]
  end

  def polar
    [abs, arg]
  end

  def dup
    self
  end

  def clone
    self
  end
end

module Integer
  def coerce(other)
    other.is_a?(Integer) ? [other, self] : [Float(other), to_f]
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
    raise ZeroDivisionError, "divided by 0" if modulus == 0

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
        divisor = gcd(other)
        x = self / divisor
        y = other / divisor
        # Divisors of more than one word are divided by as Integers.
        y > 4_611_686_018_427_387_903 || y < -4_611_686_018_427_387_904 ? x.__quotient(y) : x.to_f / y.to_f
      end
    elsif other.is_a?(Float)
      to_f / other
    else
      self / other
    end
  end

  # The quotient rounded once: 62 bits of it, of which the last says whether anything follows. With negative numbers,
  # of which there is one more.
  def __quotient(other)
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
    quotient |= 1 if rest != 0
    size = quotient.to_f * ((1023 - bits) << 52).__float_of_bits
    (self < 0) == (other < 0) ? size : -size
  end

  def quo(other)
    other.is_a?(Float) ? self / other : __rational
  end

  def ceildiv(other)
    -div(0 - other)
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

  def angle
    arg
  end

  def phase
    arg
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
    elsif self >= 0 || (digits < -19 && __far_rounding_is_zero?)
      0
    else
      __overflow
    end
  end

  def __ceil_digits(digits)
    if digits >= 0
      self
    elsif digits >= -18
      unit = __power_of_ten(-digits)
      rest = self % unit
      rest == 0 && !__overshoots? ? self : self + (unit - rest)
    elsif digits < -19 && __far_rounding_is_zero?
      0
    else
      self > 0 || (self == 0 && digits == -19 && 4_611_686_018_427_387_904.__overshoots?) ? __overflow : 0
    end
  end

  def __truncate_digits(digits)
    if digits >= 0
      self
    elsif digits >= -18
      unit = __power_of_ten(-digits)
      rest = remainder(unit)
      self < 0 && rest == 0 && __overshoots? ? self + unit : self - rest
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
end

module Float
  def coerce(other)
    [Float(other), self]
  end

  def arg
    if nan?
      self
    else
      __bits < 0 ? 3.141592653589793 : 0
    end
  end

  def angle
    arg
  end

  def phase
    arg
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

  # The number of steps of `unit` from self to `last`, as ruby_float_step_size counts them.
  def __steps(last, unit)
    if unit.infinite?
      (unit > 0.0 ? self <= last : self >= last) ? 1.0 : 0.0
    else
      n = (last - self) / unit
      slack = (abs + last.abs + (last - self).abs) / unit.abs * 2.220446049250313e-16
      slack = 0.5 if slack > 0.5
      if n < 0.0
        0.0
      else
        n = (n + slack).__floor
        after = (n + 1.0) * unit + self
        n += 1.0 if self < last ? after <= last : self > last && after >= last
        n + 1.0
      end
    end
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

  def __floor_digits(digits)
    if digits <= 0
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
    if digits <= 0
      __bits < 0 ? ceil.__ceil_digits(digits) : floor.__floor_digits(digits)
    else
      __bits < 0 ? __ceil_digits(digits) : __floor_digits(digits)
    end
  end

  def __round_digits(digits, half)
    if digits < 0
      to_i.__round_digits(digits, half)
    elsif digits == 0
      half == 0 ? round : half == 1 ? __half_even(1.0).to_i : __half_down(1.0).to_i
    elsif self == 0.0 || nan? || infinite? || __keeps_digits?(digits)
      self
    elsif __loses_digits?(digits)
      0.0
    else
      scale = __scale(digits)
      (half == 0 ? __half_up(scale) : half == 1 ? __half_even(scale) : __half_down(scale)) / scale
    end
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
    units = __truncate
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
    x = __float(fraction)
    n = __to_int(exponent).clamp(-4000, 4000)
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
  def each_with_index
    i = 0
    each do |x|
      yield x, i
      i += 1
    end
    self
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
    end
    self
  end

  def any?
    each { |x| return true if yield(x) }
    false
  end

  def all?
    each { |x| return false unless yield(x) }
    true
  end

  def none?
    each { |x| return false if yield(x) }
    true
  end

  def one?
    n = 0
    each { |x| n += 1 if yield(x) }
    n == 1
  end

  def find
    each { |x| return x if yield(x) }
    nil
  end

  def detect
    each { |x| return x if yield(x) }
    nil
  end

  def find_index
    i = 0
    each do |x|
      return i if yield(x)
      i += 1
    end
    nil
  end

  def include?(value)
    each { |x| return true if x == value }
    false
  end

  def member?(value)
    each { |x| return true if x == value }
    false
  end

  def min_by
    return nil if __empty?
    best = __item(0)
    least = yield best
    i = 1
    n = size
    while i < n
      x = __item(i)
      key = yield x
      if (key <=> least) < 0
        least = key
        best = x
      end
      i += 1
    end
    best
  end

  def max_by
    return nil if __empty?
    best = __item(0)
    most = yield best
    i = 1
    n = size
    while i < n
      x = __item(i)
      key = yield x
      if (key <=> most) > 0
        most = key
        best = x
      end
      i += 1
    end
    best
  end

  def __count_block
    n = 0
    each { |x| n += 1 if yield(x) }
    n
  end

  def __count_value(value)
    n = 0
    each { |x| n += 1 if x == value }
    n
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
    n = size
    while i < n
      acc = yield(acc, __item(i))
      i += 1
    end
    acc
  end

  # Sums as Array#sum does: Integers exactly; from the first Float on, Kahan-Babuska compensated.
  def __sum(initial)
    total = initial
    compensation = 0.0
    floating = total.is_a?(Float)
    each do |item|
      x = block_given? ? yield(item) : item
      if x.is_a?(Float) && (floating || total.is_a?(Integer))
        total = total.to_f
        floating = true
        if total.nan?
          # stays NaN
        elsif x.nan?
          total = x
        elsif x.infinite?
          if total.infinite? && (x < 0.0) != (total < 0.0)
            total = 0.0 / 0.0
          else
            total = x
          end
        elsif !total.infinite?
          t = total + x
          if total.abs >= x.abs
            compensation += ((total - t) + x)
          else
            compensation += ((x - t) + total)
          end
          total = t
        end
      elsif x.is_a?(Integer) && floating
        t = total + x
        if total.abs >= x.abs
          compensation += ((total - t) + x)
        else
          compensation += ((x - t) + total)
        end
        total = t
      else
        total = total + x
      end
    end
    floating ? total + compensation : total
  end

end

module Kernel
  def tap
    yield self
    self
  end

  def then
    yield self
  end

  def yield_self
    yield self
  end

  # Of what has no order of its own, for the built-ins that compare.
  def __order(other)
    order = self <=> other
    __compare_failed(other) if order.nil?
    order
  end

  def __below?(other)
    __order(other) < 0
  end

  def __above?(other)
    __order(other) > 0
  end

  def loop
    while true
      yield
    end
  end
end

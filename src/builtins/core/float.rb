module Float
  # The Integer of one that is finite and has no fraction.
  def __whole
    bits = __bits
    power = ((bits >> 52) & 0x7ff) - 1075
    return to_i if power <= 10

    whole = ((bits & 0xf_ffff_ffff_ffff) | 0x10_0000_0000_0000).__as_big.__shifted(power)
    self < 0.0 ? -whole : whole
  end

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
      return 0 if self == 0.0 || __far?(digits) && (self > 0.0 || __ruby?(:far_rounding_is_zero))

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
      return 0 if self == 0.0 || __far?(digits) && (self < 0.0 || __ruby?(:far_rounding_is_zero))

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

  # ---- as parts of a Complex

  # A 0 takes its sign from the other one's sign alone, so that an infinite one makes no NaN of it.
  def __part_product(other)
    if other.is_a?(Float)
      product = self * other
      return product unless product.nan?
    end
    if self == 0.0
      return other.is_a?(Float) && !other.nan? && other != 0.0 ? self * other.__sign : __part_times(other)
    end
    return __part_times(other) if nan? || other != 0

    __sign.__part_times(other)
  end

  # What an infinite one is compared with says whether it is infinite.
  def __infinite_order(other)
    side = other.infinite?
    if side
      self > 0 ? (side > 0 ? 0 : 1) : (side < 0 ? 0 : -1)
    else
      self > 0 ? 1 : -1
    end
  end

  def __sign
    __bits < 0 ? -1.0 : 1.0
  end

  def __minus?
    !nan? && __bits < 0
  end

  def __part_zero
    0.0
  end

  # ---- as Rationals

  def __exact_number(_wanted)
    to_r
  end

  def to_r
    whole = self
    below = 1
    while whole != whole.truncate
      whole *= 2.0
      below *= 2
    end
    __rational(whole.to_i, below)
  end

  def rationalize(range = :__none)
    return -(-self).rationalize(range) if self < 0

    unless range.equal?(:__none)
      range = range.abs
      low = self - range
      high = self + range
      return low == high ? to_r : low.__simplest(high)
    end

    return to_r if self == truncate

    whole = self
    below = 1
    while whole < 4_503_599_627_370_496.0
      whole *= 2.0
      below *= 2
    end
    number = whole.to_i
    ((number * 2) - 1).__over(below * 2).__simplest(((number * 2) + 1).__over(below * 2))
  end

  def numerator
    finite? ? to_r.numerator : self
  end

  def denominator
    finite? ? to_r.denominator : 1
  end
end

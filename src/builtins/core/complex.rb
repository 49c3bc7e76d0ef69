# Two numbers. Zeros and signs are MRI's: a 0 that is an Integer adds nothing, and gives no sign to a product.

module Complex
  def +(other)
    return __complex(real.__part_plus(other.real), imaginary.__part_plus(other.imaginary)) if other.is_a?(Complex)
    return __complex(real.__part_plus(other), imaginary) if other.__real_number?

    __by_coerce(:+, other)
  end

  def -(other)
    return __complex(real.__part_minus(other.real), imaginary.__part_minus(other.imaginary)) if other.is_a?(Complex)
    return __complex(real.__part_minus(other), imaginary) if other.__real_number?

    __by_coerce(:-, other)
  end

  def *(other)
    return __times(other.real, other.imaginary) if other.is_a?(Complex)
    return __complex(real.__part_times(other), imaginary.__part_times(other)) if other.__real_number?

    __by_coerce(:*, other)
  end

  # Bignums are no exception.
  def __times_integer(number)
    return __complex(number, 0).__times(real, imaginary) if number.__bignum?

    __complex(real.__part_times(number), imaginary.__part_times(number))
  end

  def __times(re, im)
    x = real.__part_product(re).__part_minus(imaginary.__part_product(im))
    y = real.__part_product(im).__part_plus(imaginary.__part_product(re))
    __complex(x, y)
  end

  def /(other)
    return __divided(other, true) if other.is_a?(Complex)

    if other.__real_number?
      return __complex(real.__part_quo(other).__without_one, imaginary.__part_quo(other).__without_one)
    end

    __by_coerce(:quo, other)
  end

  def quo(other)
    self / other
  end

  # The larger part of the divisor is divided by, so that nothing overflows before its time.
  def __divided(other, exactly)
    re = other.real
    im = other.imaginary
    if re.abs > im.abs
      r = im.__part_over(re, exactly)
      n = re.__part_times(1.__part_plus(r.__part_times(r)))
      x = real.__part_plus(imaginary.__part_times(r)).__part_over(n, exactly)
      y = imaginary.__part_minus(real.__part_times(r)).__part_over(n, exactly)
    else
      r = re.__part_over(im, exactly)
      n = im.__part_times(1.__part_plus(r.__part_times(r)))
      x = real.__part_times(r).__part_plus(imaginary).__part_over(n, exactly)
      y = imaginary.__part_times(r).__part_minus(real).__part_over(n, exactly)
    end
    return __complex(x, y) if real.is_a?(Float) || imaginary.is_a?(Float) || re.is_a?(Float) || im.is_a?(Float)

    __complex(x.__without_one, y.__without_one)
  end

  def ==(other)
    return real == other.real && imaginary == other.imaginary if other.is_a?(Complex)
    return real == other && imaginary == 0 if other.__real_number?

    (other == self) ? true : false
  end

  def eql?(other)
    other.is_a?(Complex) && real.class == other.real.class && imaginary.class == other.imaginary.class && __equals(other)
  end

  def <=>(other)
    return __order_by_coerce(other) unless other.is_a?(Complex) || other.__real_number?
    return unless imaginary == 0

    if other.is_a?(Complex)
      other.imaginary == 0 ? real <=> other.real : nil
    else
      real <=> other
    end
  end

  def coerce(other)
    return [other, self] if other.is_a?(Complex)
    return [__complex(other, 0), self] if other.__real_number?

    raise TypeError, "#{other.class} can't be coerced into Complex"
  end

  def -@
    __complex(-real, -imaginary)
  end

  def imag
    imaginary
  end

  def abs
    re = real
    im = imaginary
    if re == 0
      size = im.abs
      re.is_a?(Float) && !im.is_a?(Float) ? size.to_f : size
    elsif im == 0
      size = re.abs
      !re.is_a?(Float) && im.is_a?(Float) ? size.to_f : size
    else
      Math.hypot(re, im)
    end
  end

  def abs2
    real.__part_times(real).__part_plus(imaginary.__part_times(imaginary))
  end

  def arg
    Math.atan2(imaginary, real)
  end

  def rectangular
    [real, imaginary]
  end

  def polar
    [abs, arg]
  end

  def conjugate
    __complex(real, -imaginary)
  end

  def real?
    false
  end

  def integer?
    false
  end

  def zero?
    real == 0 && imaginary == 0
  end

  def nonzero?
    zero? ? nil : self
  end

  def finite?
    real.finite? && imaginary.finite?
  end

  def infinite?
    real.infinite?.__nil? && imaginary.infinite?.__nil? ? nil : 1
  end

  def denominator
    real.denominator.lcm(imaginary.denominator)
  end

  def numerator
    all = denominator
    __complex(real.numerator * (all / real.denominator), imaginary.numerator * (all / imaginary.denominator))
  end

  def to_c
    self
  end

  def to_i
    __only_real("Integer").to_i
  end

  def to_int
    to_i
  end

  # Has another one the same parts, of which one at least is not a number?
  def __alike_but_nan?(other)
    re = __nan_both?(real, other.real)
    im = __nan_both?(imaginary, other.imaginary)
    (re || im) && (re || real == other.real) && (im || imaginary == other.imaginary)
  end

  def __nan_both?(one, other)
    one.is_a?(Float) && other.is_a?(Float) && one.nan? && other.nan?
  end

  def to_f
    __only_real("Float").to_f
  end

  def to_r
    return __only_real("Rational").to_r unless __ruby?(:complex_zeros_are_none)
    raise RangeError, "can't convert #{self} into Rational" if imaginary.to_r != 0

    real.to_r
  end

  def rationalize(range = :__none)
    part = __only_real("Rational")
    range.equal?(:__none) ? part.rationalize : part.rationalize(range)
  end

  def __only_real(wanted)
    raise RangeError, "can't convert #{self} into #{wanted}" if imaginary.is_a?(Float) || imaginary != 0

    real
  end

  # Is the imaginary part a 0 that is exact?
  def __real_alone?
    !imaginary.is_a?(Float) && imaginary == 0
  end

  def __real_number?
    false
  end

  # With another part that may be a Complex itself.
  def __with_imaginary(other)
    return __complex(real, imaginary.__part_plus(other)) if other.__real_number?

    __complex(real.__part_minus(other.imaginary), imaginary.__part_plus(other.real))
  end

  def __number_alone
    self
  end

  def __number_part
    self
  end

  def __exact_number(wanted)
    __real_alone? ? real.__exact_number(wanted) : self
  end

  def __dividend
    return __exact_number(:ratio) if __real_alone? || !__ruby?(:complex_zeros_are_none)

    imaginary == 0 && real.finite? ? real.to_r : self
  end

  def __without_exact_zero
    __real_alone? ? real : self
  end

  # Is it on the line, if only by a 0.0?
  def __flat?
    imaginary == 0
  end
end

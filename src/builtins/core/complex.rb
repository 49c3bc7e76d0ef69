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

  def __times(re, im)
    x = real.__part_product(re).__part_minus(imaginary.__part_product(im))
    y = real.__part_product(im).__part_plus(imaginary.__part_product(re))
    __complex(x, y)
  end

  def /(other)
    return __divided(other) if other.is_a?(Complex)

    if other.__real_number?
      return __complex(real.__part_quo(other).__without_one, imaginary.__part_quo(other).__without_one)
    end

    __by_coerce(:quo, other)
  end

  def quo(other)
    self / other
  end

  # The larger part of the divisor is divided by, so that nothing overflows before its time.
  def __divided(other)
    re = other.real
    im = other.imaginary
    if re.abs > im.abs
      r = im.__part_quo(re)
      n = re.__part_times(1.__part_plus(r.__part_times(r)))
      x = real.__part_plus(imaginary.__part_times(r)).__part_quo(n)
      y = imaginary.__part_minus(real.__part_times(r)).__part_quo(n)
    else
      r = re.__part_quo(im)
      n = im.__part_times(1.__part_plus(r.__part_times(r)))
      x = real.__part_times(r).__part_plus(imaginary).__part_quo(n)
      y = imaginary.__part_times(r).__part_minus(real).__part_quo(n)
    end
    return __complex(x, y) if real.is_a?(Float) || imaginary.is_a?(Float) || re.is_a?(Float) || im.is_a?(Float)

    __complex(x.__without_one, y.__without_one)
  end

  def fdiv(other)
    if other.is_a?(Complex)
      re = other.real
      im = other.imaginary
      if re.abs > im.abs
        r = im.fdiv(re)
        n = re.__part_times(1.__part_plus(r.__part_times(r)))
        return __complex(real.__part_plus(imaginary.__part_times(r)).fdiv(n),
                         imaginary.__part_minus(real.__part_times(r)).fdiv(n))
      end
      r = re.fdiv(im)
      n = im.__part_times(1.__part_plus(r.__part_times(r)))
      return __complex(real.__part_times(r).__part_plus(imaginary).fdiv(n),
                       imaginary.__part_times(r).__part_minus(real).fdiv(n))
    end
    return __complex(real.fdiv(other), imaginary.fdiv(other)) if other.__real_number?

    __by_coerce(:fdiv, other)
  end

  def ==(other)
    return real == other.real && imaginary == other.imaginary if other.is_a?(Complex)
    return real == other && imaginary == 0 if other.__real_number?

    (other == self) ? true : false
  end

  def eql?(other)
    other.is_a?(Complex) && real.class == other.real.class && imaginary.class == other.imaginary.class && self == other
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

  def to_f
    __only_real("Float").to_f
  end

  def to_r
    __only_real("Rational").to_r
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

  def __number_alone
    self
  end

  def __number_part
    self
  end

  def __exact_number(_wanted)
    __real_alone? ? real : self
  end

  def **(other)
    return __power_of_complex(other) if other.is_a?(Complex)
    return __power_of(other) if other.is_a?(Integer)
    return other.denominator == 1 ? __power_of(other.numerator) : __turned(other) if other.is_a?(Rational)
    return __turned(other) if other.__real_number?

    __by_coerce(:**, other)
  end

  # By size and angle.
  def __turned(power)
    __complex_polar(abs**power, arg.__part_times(power))
  end

  def __power_of_complex(other)
    if other.__real_alone?
      re = other.real
      return re.is_a?(Rational) && re.denominator != 1 || re.is_a?(Float) ? __turned(re) : __power_of(re.to_i)
    end

    size = abs
    angle = arg
    log = Math.log(size)
    re = other.real
    im = other.imaginary
    __complex_polar(Math.exp(re.__part_times(log).__part_minus(im.__part_times(angle))),
                    angle.__part_times(re).__part_plus(im.__part_times(log)))
  end

  def __power_of(n)
    return __complex(1, 0) if n == 0
    return self if n == 1
    return __on_diagonal(n) if imaginary == 0 || real == 0 || real == imaginary || real == -imaginary
    return __complex(1, 0).__divided(self).__power_of_natural(-n) if n < 0

    __power_of_natural(n)
  end

  # Numbers at a multiple of 45 degrees: their powers are, too.
  def __on_diagonal(n)
    turns = 0
    x = real
    if imaginary == 0
      turns = 0
    elsif real == 0
      x = imaginary
      turns = 2
    elsif real == imaginary
      turns = 1
    else
      x = imaginary
      turns = 3
    end
    if x < 0
      x = -x
      turns += 4
    end
    if turns.even?
      size = x.__part_power(n)
    else
      size = (2 * x * x).__part_power(n.div(2))
      size *= x if n.odd?
    end
    turns = turns * n % 8
    zero = size.__part_zero
    re = turns == 2 || turns == 6 ? zero : turns > 2 && turns < 6 ? -size : size
    im = turns == 0 || turns == 4 ? zero : turns > 4 ? -size : size
    __complex(re, im)
  end

  def __power_of_natural(n)
    re = real
    im = imaginary
    z = self
    while (n -= 1) > 0
      while n.even?
        t = re.__part_times(re).__part_minus(im.__part_times(im))
        im = 2.__part_times(re).__part_times(im)
        re = t
        n /= 2
      end
      z = z.__times(re, im)
    end
    z
  end
end

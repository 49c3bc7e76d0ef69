# Complex numbers as text, and their powers.

module Complex
  def to_s
    real.to_s + __signed(imaginary.abs.to_s)
  end

  def inspect
    (real.inspect + __signed(imaginary.abs.inspect)).__in_parentheses
  end

  # What is no digit at its end has a `*` before the i.
  def __signed(text)
    digit = text.__byte(text.__bytesize - 1)
    "#{imaginary.__minus? ? "-" : "+"}#{text}#{"*" unless digit >= 48 && digit <= 57}i"
  end

  def **(other)
    return other == 0 ? __complex(1, 0) : __power_of_complex(other) if other.is_a?(Complex)
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
    return __complex(real, imaginary) if n == 1
    if __ruby?(:complex_powers_know_angles)
      return __on_diagonal(n) if imaginary == 0 || real == 0 || real == imaginary || real == -imaginary
    end
    return __complex(1, 0).__divided(self, true).__power_of_natural(-n) if n < 0

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
    return __complex(re.__part_power(n), im) if im == 0

    if re == 0
      size = im.__part_power(n)
      size = -size if n & 2 > 0
      return n.odd? ? __complex(re, size) : __complex(size, re)
    end
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

  def fdiv(other)
    return __divided(other, false) if other.is_a?(Complex)
    return __complex(real.fdiv(other), imaginary.fdiv(other)) if other.__real_number?

    __by_coerce(:fdiv, other)
  end
end

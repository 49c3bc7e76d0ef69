# A numerator and a denominator, which have no common divisor; the denominator is above 0.

module Rational
  def +(other)
    return __rational(numerator + (other * denominator), denominator) if other.is_a?(Integer)
    return __sum(other.numerator, other.denominator) if other.is_a?(Rational)
    return to_f + other if other.is_a?(Float)

    __by_coerce(:+, other)
  end

  def -(other)
    return __rational(numerator - (other * denominator), denominator) if other.is_a?(Integer)
    return __sum(-other.numerator, other.denominator) if other.is_a?(Rational)
    return to_f - other if other.is_a?(Float)

    __by_coerce(:-, other)
  end

  def __sum(number, below)
    common = denominator.gcd(below)
    sum = (numerator * (below / common)) + (number * (denominator / common))
    rest = sum.gcd(common)
    __rational(sum / rest, denominator / common * (below / rest))
  end

  def *(other)
    return __product(other, 1) if other.is_a?(Integer)
    return __product(other.numerator, other.denominator) if other.is_a?(Rational)
    return to_f * other if other.is_a?(Float)

    __by_coerce(:*, other)
  end

  def __product(number, below)
    one = numerator.gcd(below)
    two = denominator.gcd(number)
    __rational(numerator / one * (number / two), denominator / two * (below / one))
  end

  def /(other)
    return __quotient_by(other, 1) if other.is_a?(Integer)
    return __quotient_by(other.numerator, other.denominator) if other.is_a?(Rational)
    return to_f / other if other.is_a?(Float)

    __by_coerce(:/, other)
  end

  def quo(other)
    self / other
  end

  def __quotient_by(number, below)
    raise ZeroDivisionError, "divided by 0" if number == 0

    number < 0 ? __product(-below, -number) : __product(below, number)
  end

  def fdiv(other)
    return self / 0.0 if other == 0
    return to_f if other.is_a?(Integer) && other == 1

    (self / other).to_f
  end

  def <=>(other)
    return __order(other, 1) if other.is_a?(Integer)
    return __order(other.numerator, other.denominator) if other.is_a?(Rational)
    return to_f <=> other if other.is_a?(Float)

    __order_by_coerce(other)
  end

  # By whole parts, and then by what is left, the other way round: no product is made, which might be too large.
  def __order(number, below)
    x = numerator
    y = denominator
    sign = 1
    while true
      one = x.div(y)
      two = number.div(below)
      return one < two ? -sign : sign if one != two

      x -= one * y
      number -= two * below
      if x == 0 || number == 0
        return x == number ? 0 : x == 0 ? -sign : sign
      end

      t = x
      x = y
      y = t
      t = number
      number = below
      below = t
      sign = -sign
    end
  end

  def ==(other)
    return numerator == other && denominator == 1 if other.is_a?(Integer)
    return numerator == other.numerator && denominator == other.denominator if other.is_a?(Rational)
    return to_f == other if other.is_a?(Float)

    (other == self) ? true : false
  end

  def eql?(other)
    other.is_a?(Rational) && self == other
  end

  def coerce(other)
    return [__rational(other, 1), self] if other.is_a?(Integer)
    return [other, to_f] if other.is_a?(Float)
    return [other, self] if other.is_a?(Rational)
    return __coerced(other) if other.is_a?(Complex)

    raise TypeError, "#{other.class} can't be coerced into Rational"
  end

  def __coerced(other)
    return [other, __complex(self, 0)] unless other.__real_alone?

    part = other.real
    part.is_a?(Integer) ? [__rational(part, 1), self] : __refuse_part
  end

  def -@
    __rational(-numerator, denominator)
  end

  def abs
    numerator < 0 ? __rational(-numerator, denominator) : self
  end

  def magnitude
    abs
  end

  def zero?
    numerator == 0
  end

  def nonzero?
    numerator == 0 ? nil : self
  end

  def positive?
    numerator > 0
  end

  def negative?
    numerator < 0
  end

  def integer?
    false
  end

  def real?
    true
  end

  def finite?
    true
  end

  def infinite?
  end

  def arg
    numerator < 0 ? 3.141592653589793 : 0
  end

  def to_i
    numerator < 0 ? -(-numerator / denominator) : numerator / denominator
  end

  def to_int
    to_i
  end

  def to_f
    numerator.fdiv(denominator)
  end

  def to_r
    self
  end

  def div(other)
    raise ZeroDivisionError, "divided by 0" if 0 == other

    (self / other).floor
  end

  def %(other)
    self - (other * div(other))
  end

  def modulo(other)
    self % other
  end

  def divmod(other)
    [div(other), self % other]
  end

  def remainder(other)
    rest = self % other
    return rest if rest == 0 || (self < 0) == (other < 0)

    other.is_a?(Float) && !other.infinite?.__nil? ? self : rest - other
  end

  def floor(digits = :__none)
    return numerator.div(denominator) if digits.equal?(:__none)

    __rounded(digits, -1)
  end

  def ceil(digits = :__none)
    return -(-numerator).div(denominator) if digits.equal?(:__none)

    __rounded(digits, 1)
  end

  def truncate(digits = :__none)
    return to_i if digits.equal?(:__none)

    __rounded(digits, 0)
  end

  def round(digits = :__none, half: nil)
    way = half.__nil? || half == :up || half == "up" ? 2 : half == :even || half == "even" ? 3 : 4
    raise ArgumentError, "invalid rounding mode: #{half}" if way == 4 && half != :down && half != "down"

    digits.equal?(:__none) ? __whole(way) : __rounded(digits, way)
  end

  # ---- as parts of a Complex

  def __part_product(other)
    return numerator == 0 && !other.nan? && other != 0.0 ? self * other.__sign : self * other if other.is_a?(Float)

    __part_times(other)
  end

  def __part_quo(other)
    other.is_a?(Float) ? fdiv(other) : self / other
  end

  def __part_zero
    __rational(0, 1)
  end

  # The Integer that it is, if it is one.
  def __without_one
    denominator == 1 ? numerator : self
  end
end

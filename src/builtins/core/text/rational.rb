# Rationals as text, their powers, and rounded.

module Rational
  def to_s
    numerator.to_s + "/#{denominator}"
  end

  def inspect
    to_s.__in_parentheses
  end

  def **(other)
    return __power_of(other) if other.is_a?(Integer)
    return __power_of(other.numerator) if other.is_a?(Rational) && other.denominator == 1

    if other.is_a?(Rational)
      return __rational(1, 1) if denominator == 1 && numerator == 1

      if numerator == 0
        raise ZeroDivisionError, "divided by 0" if other.numerator < 0

        return __rational(0, 1)
      end
      return to_f**other.to_f
    end
    return to_f**other if other.is_a?(Float)

    if other.is_a?(Complex)
      return __rational(1, 1) if other == 0 || (numerator == 1 && denominator == 1)
      raise ArgumentError, "comparison of Complex with 0 failed" if numerator == 0
    end
    __by_coerce(:**, other)
  end

  def __power_of(n)
    return __rational(1, 1) if n == 0

    if denominator == 1
      return __rational(1, 1) if numerator == 1
      return __rational(n.odd? ? -1 : 1, 1) if numerator == -1

      if numerator == 0
        raise ZeroDivisionError, "divided by 0" if n < 0

        return __rational(0, 1)
      end
    end
    return __rational(numerator.__to_power(n), denominator.__to_power(n)) if n > 0

    number = denominator.__to_power(-n)
    below = numerator.__to_power(-n)
    below < 0 ? __rational(-number, -below) : __rational(number, below)
  end

  def __rounded(digits, way)
    raise TypeError, "not an integer" unless digits.is_a?(Integer)

    if digits > 0
      scale = 10.__to_power(digits)
      return __product(scale, 1).__whole(way).__over(scale)
    end

    scale = 10.__to_power(-digits)
    __quotient_by(scale, 1).__whole(way) * scale
  end

  # Down, up, towards 0, or to the nearest: halves away from 0, to what is even, towards 0.
  def __whole(way)
    return numerator.div(denominator) if way == -1
    return -(-numerator).div(denominator) if way == 1
    return to_i if way == 0

    size = numerator.abs
    whole = size / denominator
    rest = size - (whole * denominator)
    left = denominator - rest
    whole += 1 if rest > left || (rest == left && (way == 2 || (way == 3 && whole.odd?)))
    numerator < 0 ? -whole : whole
  end

  def rationalize(range = :__none)
    return self if range.equal?(:__none)
    range = range.abs
    size = numerator < 0 ? -self : self
    low = size - range
    high = size + range
    return self if low == high

    found = low.__simplest(high)
    numerator < 0 ? -found : found
  end
end

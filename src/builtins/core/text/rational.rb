# Rationals as text.

module Rational
  def to_s
    "#{numerator}/#{denominator}"
  end

  def inspect
    "(#{numerator}/#{denominator})"
  end
end

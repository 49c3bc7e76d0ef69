module Numeric
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

  def to_c
    __complex(self, 0)
  end

  def i
    __complex(0, self)
  end

  def __minus?
    self < 0
  end

  # Is it a number on the line?
  def __real_number?
    true
  end

  def __number_alone
    __complex(self, 0)
  end

  def __number_part
    self
  end

  def __exact_number(_wanted)
    self
  end

  # The number between this one and another one that has the smallest parts, by continued fractions.
  def __simplest(high)
    low = self
    p0 = 0
    p1 = 1
    q0 = 1
    q1 = 0
    while (whole = low.ceil) >= high
      whole -= 1
      p2 = (whole * p1) + p0
      q2 = (whole * q1) + q0
      t = 1.quo(high - whole)
      high = 1.quo(low - whole)
      low = t
      p0 = p1
      q0 = q1
      p1 = p2
      q1 = q2
    end
    ((whole * p1) + p0).__over((whole * q1) + q0)
  end

  def __flat?
    true
  end

  def __without_exact_zero
    self
  end

  def +@
    self
  end

  def __dividend
    __exact_number(:ratio)
  end

  # ---- as parts of a Complex

  # A 0 that is an Integer adds nothing, and has no sign.
  def __part_plus(other)
    other.is_a?(Integer) && other == 0 ? self : self + other
  end

  def __part_minus(other)
    other.is_a?(Integer) && other == 0 ? self : self - other
  end

  def __part_times(other)
    other.is_a?(Integer) && other == 1 ? self : self * other
  end

  def __part_quo(other)
    self / other
  end

  # As Ruby divides, or as Floats.
  def __part_over(other, exactly)
    exactly ? __part_quo(other) : fdiv(other)
  end

  def __part_power(exponent)
    self**exponent
  end

  # The Integer that it is, of a Rational that is one.
  def __without_one
    self
  end
end

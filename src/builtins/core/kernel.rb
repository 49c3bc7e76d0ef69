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

  def __refuse_frozen
    raise FrozenError.new("can't modify frozen #{self.class}: #{inspect}", receiver: self)
  end

  # What the `each` of something Enumerable yields, one value at a time, and what it gives.
  def __yielded
    out = []
    given = each do |*values|
      __refuse_yielded if values.size != 1
      out << values[0]
      nil
    end
    [out, given]
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

  # ---- numbers

  def Rational(number, below = 1, exception: true)
    __refuse_quiet_number unless exception
    raise TypeError, "can't convert nil into Rational" if number.__nil? || below.__nil?

    number = number.__exact_number(:Rational)
    below = below.__exact_number(:Rational)
    return number.__over(below) if number.is_a?(Integer) && below.is_a?(Integer)

    below.is_a?(Integer) && below == 1 ? number : number / below
  end

  def Complex(real, *imaginary, exception: true)
    __refuse_quiet_number unless exception
    raise TypeError, "can't convert nil into Complex" if real.__nil?
    return real.__number_alone if imaginary.empty?

    __complex_of(real, *imaginary)
  end

  def __complex_of(real, imaginary)
    raise TypeError, "can't convert nil into Complex" if imaginary.__nil?

    real.__number_part
    imaginary.__number_part
    return __complex(real, imaginary) if real.__real_number? && imaginary.__real_number?

    __complex_of_parts(real, imaginary)
  end

  def __complex_of_parts(real, imaginary)
    re = real.is_a?(Complex) && real.__real_alone? ? real.real : real
    im = imaginary.is_a?(Complex) && imaginary.__real_alone? ? imaginary.real : imaginary
    if im.is_a?(Complex)
      re.is_a?(Complex) ? re + (im * __complex(0, 1)) : (im * __complex(0, 1)) + re
    elsif re.is_a?(Complex)
      !im.is_a?(Float) && im == 0 ? re : re + (__complex(0, 1) * im)
    else
      __complex(re, im)
    end
  end

  # What is no number, as a Complex or a part of one.
  def __number_alone
    __no_number(:Complex)
  end

  def __number_part
    __no_number(:part)
  end

  def __exact_number(wanted)
    __no_number(wanted)
  end

  def __real_number?
    false
  end

  def __complex_polar(size, angle)
    return __complex(size, 0.0) if size == 0 || angle == 0

    if angle.is_a?(Float)
      return __complex(-size, 0.0) if angle == 3.141592653589793
      return __complex(0.0, size) if angle == 1.5707963267948966
      return __complex(0.0, -size) if angle == 4.71238898038469 && __ruby?(:polar_knows_three_quarters)
    end
    __complex(size.__part_times(Math.cos(angle)), size.__part_times(Math.sin(angle)))
  end
end

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

  # Of a Proc that gives the value behind another one.
  def __produce(value)
    loop do
      yield value
      value = call(value)
    end
  end

  def __produce_next
    value = nil
    loop do
      value = call(value)
      yield value
    end
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

  def __check_slices(count)
    raise ArgumentError, "invalid slice size" if __to_long(count) <= 0
  end

  def __check_windows(count)
    raise ArgumentError, "invalid size" if __to_long(count) <= 0
  end

  # Where the block of a binary search says to look: -1 is true, -2 is before, 0 is here, 1 is behind.
  def __side(answer)
    if answer.__same(true)
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

  # Is it a number on the line?
  def __flat?
    false
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

  # The first of two numbers of which a Rational is to be made.
  def __dividend
    __exact_number(:ratio)
  end

  def __real_number?
    false
  end

  # ---- as what Dates are made of

  def __date_part(name)
    raise TypeError, "invalid #{name} (not numeric)" unless is_a?(Numeric)

    __refuse_date_argument
  end

  def __date_year
    __date_part(:year)
  end

  def __date_number(name)
    __date_part(name)
  end

  def __is_italy?
    is_a?(Numeric) && self == 2_299_161
  end

  def __last_of(_month, _day)
    __refuse_year
  end
end

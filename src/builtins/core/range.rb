module Range
  # As MRI, which goes through Floats by their bits.
  def bsearch
    low = self.begin
    high = self.end
    if low.is_a?(Float) || high.is_a?(Float)
      from = (low.__nil? ? -1.0 / 0.0 : low.to_f).__number
      to = (high.__nil? ? 1.0 / 0.0 : high.to_f).__number
      __bsearch(from, to, exclude_end?, true) { |i| yield i.__float_of_number }
    elsif !low.__nil? && !high.__nil?
      __bsearch(low, high, exclude_end?, false) { |i| yield i }
    elsif low.__nil? && high.__nil?
      raise TypeError, "can't do binary search for NilClass"
    elsif high.__nil?
      __bsearch_upwards(low) { |i| yield i }
    else
      __bsearch_downwards(high) { |i| yield i }
    end
  end

  def __bsearch_upwards(low)
    distance = 1
    while true
      middle = low + distance
      side = __side(yield(middle))
      return middle if side == 0
      return __bsearch(low, middle, false, false) { |i| yield i } if side < 0

      low = middle if __ruby?(:range_bsearch_starts_outside)
      distance *= 2
    end
  end

  def __bsearch_downwards(high)
    distance = -1
    while true
      middle = high + distance
      side = __side(yield(middle))
      return middle if side == 0
      return __bsearch(middle, high, false, false) { |i| yield i } if side > 0

      high = middle if __ruby?(:range_bsearch_starts_outside)
      distance *= 2
    end
  end

  def __bsearch(low, high, exclusive, floats)
    if __ruby?(:range_bsearch_starts_outside)
      __bsearch_between(low, high, exclusive, floats) { |i| yield i }
    else
      __bsearch_within(low, high, exclusive, floats) { |i| yield i }
    end
  end

  # The numbers below and above are known without asking.
  def __bsearch_between(low, high, exclusive, floats)
    # Between numbers of one word the middle is rounded towards zero.
    words = floats || !(low.__large? || high.__large?)
    low -= 1
    high += 1 unless exclusive
    found = nil
    while low + 1 < high
      middle = (high < 0) == (low < 0) ? low + ((high - low) / 2) : (low + high) / 2
      middle += 1 if words && (high < 0) != (low < 0) && middle < 0 && (low + high).odd?
      side = __side(yield(middle))
      return floats ? middle.__float_of_number : middle if side == 0

      if side < 0
        high = middle
        found = middle if side == -1
      else
        low = middle
      end
    end
    found.__nil? || !floats ? found : found.__float_of_number
  end

  def __bsearch_within(low, high, exclusive, floats)
    high -= 1 if exclusive
    last = high
    found = nil
    while low < high
      middle = (high < 0) == (low < 0) ? low + ((high - low) / 2) : (low + high) / 2
      side = __side(yield(middle))
      return floats ? middle.__float_of_number : middle if side == 0

      if side < 0
        high = middle
        found = middle if side == -1
      else
        low = middle + 1
      end
    end
    if low == last
      side = __side(yield(low))
      return floats ? low.__float_of_number : low if side == 0
      return nil if side > 0

      found = low if side == -1
    end
    found.__nil? || !floats ? found : found.__float_of_number
  end

  # Is an object between the ends? One that cannot be compared is not.
  def __holds?(value)
    low = self.begin
    high = self.end
    unless low.__nil?
      order = low.__asked_order(value)
      return false if order.__nil? || __order(order, low, value) > 0
    end
    return true if high.__nil?

    order = value.__asked_order(high)
    return false if order.__nil?

    side = __order(order, value, high)
    exclude_end? ? side < 0 : side <= 0
  end

  # The sum of Integers and what is no number, of which MRI asks the sum for its `coerce`.
  def __sum_behind(initial)
    size == 0 ? initial : Float(initial) + sum
  end

  # `down`: may it go down?
  def __float_step(by, down)
    unit = by.to_f
    unless down
      order = __order(by <=> 0, by, 0)
      raise ArgumentError, "step can't be negative" if order < 0
    end
    raise ArgumentError, "step can't be 0" if unit == 0.0

    last = self.end.__nil? ? unit / 0.0 : self.end.to_f
    self.begin.to_f.__each_step(last, unit, exclude_end?) { |x| yield x }
    self
  end

  # The number of Integers from the beginning on, where an end is a Float.
  def __float_size
    n = self.begin.to_f.__steps(self.end.to_f, 1.0, exclude_end?)
    n.infinite? ? n : n.to_i
  end

  def __overlap?(other)
    low = self.begin
    start = other.begin
    if low.__passes?(other.end, other.exclude_end?) || start.__passes?(self.end, exclude_end?)
      false
    elsif !low.__nil? && !start.__nil? && low == start
      true
    elsif low.__nil? && start.__nil?
      true
    else
      !low.__passes?(self.end, exclude_end?) && !start.__passes?(other.end, other.exclude_end?)
    end
  end
end

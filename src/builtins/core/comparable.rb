module Comparable
  def ==(other)
    return true if __same(other)

    order = __asked_order(other)
    return false if order.__nil?

    order.is_a?(Integer) ? order == 0 : !(order > 0 || order < 0)
  end

  def <(other)
    __ordered(other) < 0
  end

  def <=(other)
    __ordered(other) <= 0
  end

  def >(other)
    __ordered(other) > 0
  end

  def >=(other)
    __ordered(other) >= 0
  end

  def between?(low, high)
    return false if __below?(low)

    !__above?(high)
  end

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

  # nil is no limit.
  def __clamp(low, high)
    __clamp_failed if !low.__nil? && !high.__nil? && low.__above?(high)
    if !low.__nil? && __below?(low)
      low
    elsif !high.__nil? && __above?(high)
      high
    else
      self
    end
  end
end

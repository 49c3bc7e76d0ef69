# A Range of Strings, and what one of Dates has of it.

module TextRange
  def begin
    __from
  end

  def end
    __to
  end

  def first(count = :__none)
    count.equal?(:__none) ? __from : to_a.first(count)
  end

  def last(count = :__none)
    count.equal?(:__none) ? __to : to_a.last(count)
  end

  # Does it end before it begins?
  def __void?
    order = __from <=> __to
    order > 0 || (order == 0 && exclude_end?)
  end

  def __min
    __void? ? nil : __from
  end

  def __max
    return to_a.max if exclude_end?

    __void? ? nil : __to
  end

  def __minmax
    [__min, __max]
  end

  def size
  end

  def ==(other)
    return false unless other.is_a?(Range)
    return false unless exclude_end? == other.exclude_end?

    __from == other.begin && __to == other.end
  end

  def eql?(other)
    return false unless other.is_a?(Range)
    return false unless exclude_end? == other.exclude_end?

    __from.eql?(other.begin) && __to.eql?(other.end)
  end

  def ===(value)
    cover?(value)
  end

  def cover?(value)
    low = __from
    order = low.__asked_order(value)
    return false if order.__nil? || order > 0

    order = value <=> __to
    exclude_end? ? order < 0 : order <= 0
  end

  def include?(value)
    value = "".__text_or_nil(value)
    return false unless value.is_a?(String)

    each { |text| return true if text == value }
    false
  end

  def member?(value)
    include?(value)
  end

  def each
    __from.upto(__to, exclude_end?) { |text| yield text }
    self
  end

  def to_a
    all = []
    __from.upto(__to, exclude_end?) { |text| all << text }
    all
  end

  def entries
    to_a
  end

  def map
    all = []
    __from.upto(__to, exclude_end?) { |text| all << yield(text) }
    all
  end

  def collect
    map { |text| yield text }
  end
end

# A Range of Strings.

module TextRange
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

# A Range of Dates, with both ends: what differs from one of Strings (`text_range.rb`).

module DateRange
  # The first day that is not in it.
  def __after
    exclude_end? ? __to.__day_of : __to.__day_of + 1
  end

  def ===(value)
    __covers?(value)
  end

  def cover?(value)
    __refuse_date_argument if value.is_a?(Range)
    __covers?(value)
  end

  def __covers?(value)
    if value.__date?
      n = value.__day_of
      return n >= __from.__day_of && n < __after
    end
    order = __from.__asked_order(value)
    return false if order.__nil? || order > 0

    order = value <=> __to
    return false if order.__nil?

    exclude_end? ? order < 0 : order <= 0
  end

  def include?(value)
    return __covers?(value) if value.__date?

    __refuse_date_argument if value.is_a?(Numeric) || value.is_a?(Date) || value.respond_to?(:coerce)
    false
  end

  def member?(value)
    include?(value)
  end

  def each
    n = __from.__day_of
    last = __after - 1
    return self if n > last

    yield __from
    while n < last
      n += 1
      yield __date(n)
    end
    self
  end

  def step(by = 1)
    raise ArgumentError, "step can't be 0" if by == 0

    __refuse_date_argument unless by.is_a?(Integer) && by > 0
    n = __from.__day_of
    after = __after
    return self if n >= after

    yield __from
    n += by
    while n < after
      yield __date(n)
      n += by
    end
    self
  end

  def to_a
    all = []
    each { |date| all << date }
    all
  end

  def entries
    to_a
  end

  def map
    all = []
    each { |date| all << yield(date) }
    all
  end

  def collect
    map { |date| yield date }
  end

  def __length
    n = __after - __from.__day_of
    n < 0 ? 0 : n
  end

  def __void?
    __length == 0
  end

  def to_s
    __from.__iso.__between(__to.__iso, exclude_end?)
  end

  def inspect
    __from.inspect.__between(__to.inspect, exclude_end?)
  end
end

# A Date is known by its chronological Julian day number. Before the reform of the calendar in Italy, which is day
# 2299161, years are those of the Julian calendar.

module Date
  def jd
    __day_of
  end

  # ---- civil

  # Years, months and days count from the first of March of the year -4800, in cycles of both calendars.
  def __civil
    n = __day_of
    __refuse_year if n > 400_000_000_000_000 || n < -400_000_000_000_000
    n.__civil_of_day
  end

  # Methods of these names may be the program's.
  def __year
    __civil[0]
  end

  def __month
    __civil[1]
  end

  def __day
    __civil[2]
  end

  def __yday
    __day_of - __year.__new_year + 1
  end

  def __wday
    (__day_of + 1) % 7
  end

  def year
    __year
  end

  def month
    __month
  end

  def day
    __day
  end

  def yday
    __yday
  end

  def wday
    __wday
  end

  def sunday?
    __wday == 0
  end

  def monday?
    __wday == 1
  end

  def tuesday?
    __wday == 2
  end

  def wednesday?
    __wday == 3
  end

  def thursday?
    __wday == 4
  end

  def friday?
    __wday == 5
  end

  def saturday?
    __wday == 6
  end

  # ---- commercial

  def __cwyear
    n = __day_of
    __refuse_year if n > 400_000_000_000_000 || n < -400_000_000_000_000
    y = (n - 3).__civil_of_day[0]
    n >= (y + 1).__first_week ? y + 1 : y
  end

  def __cweek
    (__day_of - __cwyear.__first_week).div(7) + 1
  end

  def __cwday
    (__day_of % 7) + 1
  end

  def cwyear
    __cwyear
  end

  def cweek
    __cweek
  end

  def cwday
    __cwday
  end

  # ---- other counts

  def mjd
    __day_of - 2_400_001
  end

  def ld
    __day_of - 2_299_160
  end

  def ajd
    __rational((2 * __day_of) - 1, 2)
  end

  def amjd
    __rational(__day_of - 2_400_001, 1)
  end

  def day_fraction
    __day_of
    0
  end

  def start
    __day_of
    2_299_161.0
  end

  def julian?
    __day_of < 2_299_161
  end

  def gregorian?
    __day_of >= 2_299_161
  end

  def leap?
    y = __year
    return y % 4 == 0 if __day_of < 2_299_161

    y % 4 == 0 && (y % 100 != 0 || y % 400 == 0)
  end

  # ---- arithmetic

  def +(other)
    __plus(other)
  end

  def -(other)
    __minus(other)
  end

  def >>(other)
    __plus_months(other)
  end

  def <<(other)
    __minus_months(other)
  end

  def __plus(other)
    return __date(__day_of + other) if other.is_a?(Integer)
    return __plus_float(other) if other.is_a?(Float)
    return __plus_rational(other) if other.is_a?(Rational)

    __refuse_date_argument if other.is_a?(Numeric)
    raise TypeError, "expected numeric"
  end

  def __plus_rational(days)
    __refuse_fraction if days.denominator != 1
    __date(__day_of + days.numerator)
  end

  # Within the days that MRI counts as one period: with Floats it miscounts others.
  def __plus_float(days)
    __refuse_fraction unless days.abs < 213_447_717.0 && days == days.floor
    n = __day_of
    sum = n + days.to_i
    __refuse_year if n < 0 || n >= 213_447_717 || sum < 0 || sum >= 213_447_717
    __date(sum)
  end

  def __minus(other)
    return __date(__day_of - other) if other.is_a?(Integer)
    return __rational(__day_of - other.__day_of, 1) if other.is_a?(Date)
    return __plus_float(-other) if other.is_a?(Float)
    return __plus_rational(-other) if other.is_a?(Rational)

    __refuse_date_argument if other.is_a?(Numeric)
    raise TypeError, "expected numeric"
  end

  def __plus_months(other)
    y, m, d = __civil
    months = (y * 12) + (m - 1) + other
    __refuse_date_argument unless other.is_a?(Integer)
    __date(months.div(12).__last_of((months % 12) + 1, d))
  end

  def __minus_months(other)
    raise TypeError, "expected numeric" unless other.is_a?(Numeric)

    __plus_months(-other)
  end

  def next
    __date(__day_of + 1)
  end

  def next_day(days = 1)
    __plus(days)
  end

  def prev_day(days = 1)
    __minus(days)
  end

  def next_month(months = 1)
    __plus_months(months)
  end

  def prev_month(months = 1)
    __minus_months(months)
  end

  def next_year(years = 1)
    __plus_months(years * 12)
  end

  def prev_year(years = 1)
    __minus_months(years * 12)
  end

  # ---- order

  def <=>(other)
    return __day_of <=> other.__day_of if other.is_a?(Date)
    return __order_with_number(other) if other.is_a?(Numeric)

    __order_by_coerce(other)
  end

  def __order_with_number(other)
    middle = __rational((2 * __day_of) - 1, 2)
    order = middle <=> other
    middle.__compare_failed(other) if order.__nil?
    order
  end

  def ===(other)
    return __day_of == other.__day_of if other.is_a?(Date)
    return __day_of == other if other.is_a?(Numeric)

    __refuse_date_argument if other.respond_to?(:coerce)
    nil
  end

  def eql?(other)
    other.is_a?(Date) && __day_of == other.__day_of
  end

  # ---- from one to the other

  def upto(limit)
    last = __last_until(limit, 1)
    n = __day_of
    return self if n > last

    yield self
    while n < last
      n += 1
      yield __date(n)
    end
    self
  end

  def downto(limit)
    last = __last_until(limit, -1)
    n = __day_of
    return self if n < last

    yield self
    while n > last
      n -= 1
      yield __date(n)
    end
    self
  end

  def step(limit, by = 1)
    __refuse_date_argument unless by.is_a?(Integer)
    if by == 0
      yield self while true
    end
    last = __last_until(limit, by)
    n = __day_of
    return self if by > 0 ? n > last : n < last

    yield self
    n += by
    while by > 0 ? n <= last : n >= last
      yield __date(n)
      n += by
    end
    self
  end

  # The last day that is not behind a limit.
  def __last_until(limit, by)
    return limit.__day_of if limit.is_a?(Date)

    __refuse_date_argument unless limit.is_a?(Integer)
    by > 0 ? limit : limit + 1
  end

  def to_date
    self
  end
end

# What Dates are computed by: Integers are chronological Julian day numbers, or years of the calendar that was in force.
# Years begin with March here, 4800 of them before the common era, so that leap days end them.

module Integer
  # Year, month and day of the month.
  def __civil_of_day
    julian = self < 2_299_161
    centuries = julian ? 0 : ((4 * self) + 128_179).div(146_097)
    n = julian ? self + 32_082 : self + 32_044 - (146_097 * centuries).div(4)
    y = ((4 * n) + 3).div(1461)
    n -= (1461 * y).div(4)
    m = ((5 * n) + 2).div(153)
    over = m.div(10)
    [(100 * centuries) + y - 4800 + over, m + 3 - (12 * over), n - ((153 * m) + 2).div(5) + 1]
  end

  # Of a year: the day of a month and day of the month that exist, counted from the end where they are negative; or nil.
  def __civil_day(m, d)
    m += 13 if m < 0
    return nil if m < 1 || m > 12
    return d.__october_day if m == 10 && self == 1582

    julian = self < 1582 || (self == 1582 && m < 10)
    last = __last_day(m, julian)
    d += last + 1 if d < 0
    return nil if d < 1 || d > last

    __day(m, d, julian)
  end

  # Of the month in which the calendar was reformed.
  def __october_day
    return self < -21 ? nil : 2_299_178 + self if self < 0
    return nil if self == 0 || self > 31 || (self > 4 && self < 15)

    __day_of_october
  end

  def __day_of_october
    self < 5 ? 2_299_156 + self : 2_299_146 + self
  end

  # The same of a day that may be behind the end of the month, which is the last one then.
  def __last_of(m, d)
    __refuse_year if self > 1_000_000_000_000 || self < -1_000_000_000_000
    return (d > 4 && d < 15 ? 4 : d).__day_of_october if m == 10 && self == 1582

    julian = self < 1582 || (self == 1582 && m < 10)
    last = __last_day(m, julian)
    __day(m, d > last ? last : d, julian)
  end

  def __last_day(m, julian)
    return 30 + ((m + (m >> 3)) & 1) if m != 2

    self % 4 == 0 && (julian || self % 100 != 0 || self % 400 == 0) ? 29 : 28
  end

  def __day(m, d, julian)
    before = m < 3 ? 1 : 0
    y = self + 4800 - before
    n = d + ((153 * (m + (12 * before) - 3)) + 2).div(5) + (365 * y) + y.div(4)
    julian ? n - 32_083 : n - y.div(100) + y.div(400) - 32_045
  end

  # The first day of a year.
  def __new_year
    __day(1, 1, self < 1583)
  end

  # The first Monday of the weeks that count as a year's.
  def __first_week
    n = __new_year + 3
    n - (n % 7)
  end

  def __ordinal_day(d)
    first = __new_year
    after = (self + 1).__new_year
    n = d < 0 ? after + d : first + d - 1
    n < first || n >= after ? nil : n
  end

  def __commercial_day(w, d)
    first = __first_week
    after = (self + 1).__first_week
    d += 8 if d < 0
    return nil if d < 1 || d > 7

    n = (w < 0 ? after + (w * 7) : first + ((w - 1) * 7)) + d - 1
    n < first || n >= after ? nil : n
  end

  # ---- as what Dates are made of

  def __date_part(_name)
    __c_int(self)
  end

  def __date_year
    __refuse_year if self > 1_000_000_000_000 || self < -1_000_000_000_000
    self
  end

  def __date_number(_name)
    self
  end
end

# Methods of the class Date.

module DateClass
  # The calendar that a section knows, which is that of whoever names none.
  def __reformed_in_italy(start)
    __refuse_calendar unless start.equal?(:__none) || start.__is_italy?
  end

  def __new(year = -4712, month = 1, day = 1, start = :__none)
    __reformed_in_italy(start)
    d = day.__date_part(:day)
    m = month.__date_part(:month)
    n = year.__date_year.__civil_day(m, d)
    __invalid_date if n.__nil?
    __date(n)
  end

  def __invalid_date
    raise Date::Error, "invalid date"
  end

  def jd(day = 0, start = :__none)
    __reformed_in_italy(start)
    __date(day.__date_number(:jd))
  end

  def ordinal(year = -4712, day = 1, start = :__none)
    __reformed_in_italy(start)
    d = day.__date_part(:yday)
    n = year.__date_year.__ordinal_day(d)
    __invalid_date if n.__nil?
    __date(n)
  end

  def commercial(year = -4712, week = 1, day = 1, start = :__none)
    __reformed_in_italy(start)
    d = day.__date_part(:cwday)
    w = week.__date_part(:cweek)
    n = year.__date_year.__commercial_day(w, d)
    __invalid_date if n.__nil?
    __date(n)
  end

  def valid_civil?(year, month, day, start = :__none)
    __reformed_in_italy(start)
    return false unless year.is_a?(Numeric) && month.is_a?(Numeric) && day.is_a?(Numeric)

    m = month.__date_part(:month)
    d = day.__date_part(:day)
    !year.__date_year.__civil_day(m, d).__nil?
  end

  def valid_ordinal?(year, day, start = :__none)
    __reformed_in_italy(start)
    return false unless year.is_a?(Numeric) && day.is_a?(Numeric)

    d = day.__date_part(:yday)
    !year.__date_year.__ordinal_day(d).__nil?
  end

  def valid_commercial?(year, week, day, start = :__none)
    __reformed_in_italy(start)
    return false unless year.is_a?(Numeric) && week.is_a?(Numeric) && day.is_a?(Numeric)

    w = week.__date_part(:cweek)
    d = day.__date_part(:cwday)
    !year.__date_year.__commercial_day(w, d).__nil?
  end

  def valid_jd?(day, start = :__none)
    __reformed_in_italy(start)
    day.is_a?(Numeric)
  end

  def gregorian_leap?(year)
    raise TypeError, "invalid year (not numeric)" unless year.is_a?(Numeric)

    __refuse_date_argument unless year.is_a?(Integer)
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  end

  def julian_leap?(year)
    raise TypeError, "invalid year (not numeric)" unless year.is_a?(Numeric)

    __refuse_date_argument unless year.is_a?(Integer)
    year % 4 == 0
  end
end

# frozen_string_literal: true

require "date"

module RandomPrograms
  # Dates, near and around the reform of the calendar, and what is asked of them.
  module Dates
    FORMATS = ["%Y-%m-%d", "%d.%m.%y", "%a %-d %b %Y", "%A, %B %e", "%j/%U/%W", "%G-W%V-%u", "%F %w",
               "%^a%10Y|%C"].freeze
    ASKED_OF_ALL = %w[uniq.size min.day max.month sort[1].yday tally.size].freeze
    ASKED_OF_RANGES = ["count(&:sunday?)", "sum(&:day)", "select { |f| f.wday > 3 }.size"].freeze
    FIELDS = %w[.year .month .day .wday .yday .cwyear .cweek .cwday .jd .mjd .ld].freeze
    MOVES = %w[.succ .next_day .prev_day(3) .next_month .prev_month(14) .next_year .prev_year .to_date].freeze

    # An Integer out of some.
    def date_number(depth)
      x = date(depth)
      case between(0, 7)
      when 0 then e("(", x, " - ", date(depth), ").to_i")
      when 1 then e("(", x, " <=> ", date(depth), ")")
      when 2 then e("((", x, pick([" == ", " < ", " >= ", ".eql? "]), date(depth), ") ? 1 : 2)")
      when 3 then e("{ ", date(depth), " => 1, ", date(depth), " => 2 }.fetch(", x, ", 7)")
      when 4 then e("[", x, ", ", date(depth), ", ", date(depth), "].", pick(ASKED_OF_ALL))
      when 5 then e(x, ".then { |d| (d..d + #{between(0, 9)}).", pick(ASKED_OF_RANGES), " }")
      else e(x, pick(FIELDS))
      end
    end

    # A text of one.
    def date_text(depth)
      x = date(depth)
      case between(0, 3)
      when 0 then e("\"\#{", x, "}\"")
      when 1 then e(x, pick(%w[.to_s .inspect .iso8601 .httpdate .rfc2822 .asctime]))
      else e(x, ".strftime(#{pick(FORMATS).dump})")
      end
    end

    # What a call gives, with some.
    def date_result(value)
      e("[", value, ", ", date(2), ", { ", date(1), " => [", date(1), "] }]")
    end

    private

    def few(depth, most) = e("(", expression([:int], [depth - 1, 0].max), " % #{most})")

    def date(depth)
      year = pick([2024, 2000, 1900, 1582, 1583, 4, 0, -4712, -1, 9999, 2023])
      made = case between(0, 6)
             when 0 then e("Date.new(#{year}, ", few(depth, 12), " + 1, ", few(depth, 28), " + 1)")
             when 1 then e("Date.new(#{year}, #{between(-13, 13)}, #{pick([1, 5, 14, 15, 28, 29, 30, 31, -1, -31])})")
             when 2 then e("Date.ordinal(#{year}, ", few(depth, 365), " + 1)")
             when 3 then e("Date.commercial(#{year.abs + 1}, ", few(depth, 52), " + 1, #{between(1, 7)})")
             when 4 then e("Date.parse(\"#{pick(%w[2024-02-2 1999-12-1 2001020])}\#{", few(depth, 9), " + 1}\")")
             else e("(Date.new(#{year}, #{between(1, 12)}, #{between(1, 4)}) + ", few(depth, 3000), ")")
             end
      return made if chance(0.5)

      case between(0, 5)
      when 4 then e("(Date.parse(", pick(['"bad"', '"2024-02-30"', "\"-\#{3}\"[0]"]), ") rescue ", made, ")")
      when 5
        days = pick(["upto(d + 3)", "downto(d - 2)", "step(d + 4, 2)"])
        one = pick([".to_a.last", ".map(&:next_day)[0]", ".each_slice(2).map(&:last).min", ".find { |x| x > d } || d"])
        e(made, ".then { |d| d.", days, one, " }")
      when 0 then e("(", made, pick([" >> ", " << ", " + ", " - "]), few(depth, 40), ")")
      when 1 then e(made, pick(MOVES))
      when 2 then e("(", made, pick([" + 1r", " - 2.0", " + 10**6", " >> 12"]), ")")
      else e("[", made, ", ", date([depth - 1, 0].max), "].", pick(%w[min max]))
      end
    end
  end
end

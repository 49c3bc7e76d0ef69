# frozen_string_literal: true

require "date"
require "open3"

# The standard library's Dates, which sections know by their days.
module Dates
  # What a program may have added.
  module Added
    def weekend? = saturday? || sunday?
    def month_begins = self - (mday - 1)
    def month_ends = Date.new(year, month, -1)
  end
  Date.include(Added)

  class Account
    attr_accessor :opened, :due, :list

    def initialize(opened)
      @opened = opened
      @list = []
    end

    def step
      @due = opened >> 1
      @opened = @due + 3 if @due.wday > 3
      @list << @due
    end
  end

  Entry = Struct.new(:on, :amount)
  EPOCH = Date.new(1970, 1, 1)
  # Around the reform of the calendar, leap days, the ends of years and weeks, and far away.
  SOME = [Date.new(2024, 2, 29), Date.new(1582, 10, 4), Date.new(1582, 10, 15), Date.new(2000, 12, 31),
          Date.new(1900, 3, 1), Date.new(1500, 2, 29), Date.new(-1, 3, 5), Date.jd(0), Date.new(2021, 1, 3),
          Date.new(10_000, 1, 1), Date.new(1_000_000_000, 6, 7), Date.new(-1_000_000_000, 6, 7)].freeze
  PLAIN = Array.new(12) { |i| Date.new(2023, 11, 28) + (i * 17) }.freeze

  def self.accounts = PLAIN.map { |date| Account.new(date) }
end

each_backend do |backend|
  {
    "fields" => ->(d) { [d.year, d.month, d.day, d.wday, d.yday, d.cwyear, d.cweek, d.cwday, d.mjd, d.ld, d.jd] },
    "fractions" => ->(d) { [d.ajd, d.amjd, d.start, d.day_fraction, d.infinite?] },
    "calendars" => ->(d) { [d.leap?, d.julian?, d.gregorian?, d.sunday?, d.monday?, d.saturday?] },
    "days" => ->(d) { [d + 1, d - 1, d + 2r, d.next, d.succ, d.next_day(3), d.prev_day, d - Dates::EPOCH] },
    "months" => ->(d) { [d >> 1, d << 1, d >> -25, d.next_month(3), d.prev_month, d.next_year, d.prev_year(4)] },
    "order" => lambda { |d|
                 [d <=> Dates::EPOCH, d == Dates::EPOCH, d < Dates::EPOCH, d == d + 0, d <=> 3, d <=> nil,
                  d <=> 2_440_000.5, d.send(:===, d + 0), d.send(:===, d.jd), d.eql?(d + 0),
                  d.equal?(d + 0), d.equal?(d), d == "x"]
               },
    "bounds" => ->(d) { [d.between?(Dates::EPOCH, d), d.clamp(Dates::EPOCH, Dates::EPOCH + 9), d.clamp(d..d + 1)] },
    "text" => ->(d) { ["#{d} #{d.inspect}", d.to_s, d.iso8601, d.httpdate, d.rfc2822, d.rfc3339, d.asctime] },
    "formats" => lambda { |d|
                   [d.strftime, d.strftime("%Y %C %y %m %B %b %^b %h %d %e %j %a %^A %u %w %G %g %V %U %W %% %s é"),
                    d.strftime("%H %I %l %M %S %L %3N %z %:z %::z %Z %p %P %c %D %F %T %R %r %v %+ %-d %_m %05d %10Y"),
                    d.strftime("%f %E %5f %:% %-y %010F|%^20c|%-20A|%"), d.strftime("%d".b).encoding.to_s]
                 },
    "frozen ones" => ->(d) { [d.frozen?, (d + 1).frozen?, d.next.freeze.frozen?, (d + 1).dup] },
    "classes" => lambda { |d|
                   [d.class, d.is_a?(Date), d.is_a?(Comparable), (case d when Date then 1 end), d.respond_to?(:+)]
                 },
    "constants" => ->(d) { [Date::MONTHNAMES[d.month], Date::ABBR_DAYNAMES[d.wday], Date::ITALY] }
  }.each do |what, work|
    it "have #{what}" do
      expect_same(Dates::SOME, &work)
    end
  end

  {
    "days of a calendar" => lambda { |n|
                              [Date.new(2020 + n, 1 + n, -1), Date.civil(1582, 10, n), Date.new(-4, -2, 3), Date.new]
                            },
    "days of weeks and years" => lambda { |n|
                                   [Date.commercial(2020, n, 2), Date.commercial(2021, -n), Date.ordinal(1582, -n),
                                    Date.ordinal(2020, 60 + n), Date.jd(n), Date.jd]
                                 },
    "answers" => lambda { |n|
                   [Date.valid_date?(2021, 2, 25 + n), Date.valid_civil?(1582, 10, n * 4), Date.valid_jd?(nil),
                    Date.valid_ordinal?(1582, 353 + n), Date.valid_commercial?(2020, 50 + n, 1), Date.leap?(2000 + n),
                    Date.valid_date?(2021, nil, 1), Date.julian_leap?(1900), Date.gregorian_leap?(1900)]
                 },
    "one of several" => ->(n) { [nil, Dates::EPOCH, Dates::EPOCH + n, n][n % 4] },
    "results with them inside" => ->(n) { { Date.jd(n) => [Dates::EPOCH >> n, Dates::Entry.new(Date.jd(n), n)] } },
    "keys" => lambda { |n|
                h = Hash.new(0)
                5.times { |i| h[Dates::EPOCH + (i % n)] += i }
                [h, h[Date.new(1970, 1, 1)], [Dates::EPOCH, Dates::EPOCH + 0].uniq.size]
              },
    "lists" => lambda { |n|
                 all = Array.new(5) { |i| Dates::EPOCH + ((i * 7 * n) % 11) }
                 [all.sort, all.min, all.max, all.minmax, all.sort_by(&:wday), all.group_by(&:month), all.tally,
                  all.sum(&:mjd), all.include?(Date.new(1970, 1, 1)), all.each_cons(2).map { |a, b| b - a }]
               },
    "loops" => lambda { |n|
                 all = []
                 Dates::EPOCH.upto(Dates::EPOCH + n) { |d| all << d }
                 Dates::EPOCH.downto(Dates::EPOCH - n) { |d| all << d }
                 Dates::EPOCH.step(Dates::EPOCH + 9, n) { |d| all << d.day }
                 all
               },
    "loops without a block" => lambda { |n|
                                 to = Dates::EPOCH + n
                                 steps = Dates::EPOCH.step(to, 2)
                                 [Dates::EPOCH.upto(to).to_a, to.downto(Dates::EPOCH).map(&:day), steps.with_index.to_a,
                                  steps.size, Dates::EPOCH.upto(to).each_slice(2).to_a, steps.each(&:day)]
                               },
    "ranges" => lambda { |n|
                  days = Dates::EPOCH..Dates::EPOCH + n
                  [days.to_a, days.map(&:wday), days.include?(Dates::EPOCH + 2), days.cover?(Dates::EPOCH - 1),
                   days.count, days.min, days.max, days.first(2), days.size, days.select(&:sunday?), days,
                   (Dates::EPOCH...Dates::EPOCH + n).to_a, days.inspect, days.sum(&:day), days.cover?(3),
                   (case Dates::EPOCH + 2 when days then :in else :out end), days.each_slice(2).to_a,
                   days.min { |a, b| b <=> a }, days.max(2), days.minmax { |a, b| b <=> a }, days.minmax, days.last(2),
                   days == (days.first..days.last), days == (days.begin...days.end), days.eql?(1..2)]
                },
    "a program's own methods" => ->(n) { (Dates::EPOCH + n).then { |d| [d.weekend?, d.month_begins, d.month_ends] } },
    "errors that are caught" => lambda { |n|
                                  begin
                                    Date.new(2023, n, 31)
                                  rescue Date::Error => e
                                    [e.message, e.is_a?(ArgumentError)]
                                  end
                                },
    "none of texts without numbers" => lambda { |n|
                                         ["bad", "", "no\tdate", "2024-02-3#{n}"].map do |text|
                                           [Date.parse(text), Date.iso8601(text)]
                                         rescue Date::Error => e
                                           e.message
                                         end
                                       }
  }.each do |what, work|
    it "make #{what}" do
      expect_same([1, 2, 3, 4], &work)
    end
  end

  {
    "days that are none" => ->(n) { Date.new(2023, 2, 27 + n) }, "texts" => ->(n) { Date.new(n, "x") },
    "nil" => ->(n) { Date.new(n, 1, nil) }, "months beyond an int" => ->(n) { Date.new(2020, n * 1_000_000_000_000) },
    "sums" => ->(n) { Date.jd(n) + nil }, "differences" => ->(n) { Date.jd(n) - "x" },
    "months that are none" => ->(n) { Date.jd(n) >> nil }, "years that are none" => ->(n) { Date.jd(n).next_year("x") },
    "comparisons" => ->(n) { Date.jd(n) < nil }, "formats" => ->(n) { Date.jd(n).strftime(nil) },
    "no other methods" => ->(n) { Date.jd(n).foo }
  }.each do |what, work|
    it "raise as Ruby does: #{what}" do
      expect_same([1, 2, 3], &work)
    end
  end

  it "are read from objects and written to them" do
    expected, actual = Array.new(2) { Dates.accounts }
    2.times { expected.each(&:step) }
    actual.peach(2, &:step)
    tell = ->(all) { all.map { |account| [account.opened, account.due, account.list] } }
    expect(tell.call(actual)).to eql(tell.call(expected))
  end

  it "stay the objects that they are" do
    days = Dates::PLAIN
    found = days.pmap { |d| d.day > 10 ? d : d + 1 }
    expect(found).to eql(days.map { |d| d.day > 10 ? d : d + 1 })
    expect(found.zip(days).map { |a, b| a.equal?(b) }).to eq(days.map { |d| d.day > 10 })
    expect((days.psum { |d| (d - Dates::EPOCH).to_i })).to eq(days.sum { |d| (d - Dates::EPOCH).to_i })
  end

  it "are keys of Hashes from before, which a section reads and changes" do
    table = Dates::PLAIN.to_h { |d| [d, d.day] }
    expect_same(Dates::PLAIN) { |d| [table[d + 0], table[d + 1], table.key?(d)] }
    expect_same_program do
      counts = Dates::PLAIN.to_h { |d| [d, 0] }
      Ikra.section { Dates::PLAIN.each { |d| counts[d + 0] += d.day } }
      counts
    end
  end

  next if backend == :ruby

  it "are refused where they are more than days" do
    odd = [Date.new(2020, 1, 1), Date.new(2020, 1, 1) + 0.5, Date.new(2020, 1, 1, Date::ENGLAND)]
    expect(odd.pmap { |d| d.is_a?(Date) }).to eq([true] * 3)
    expect(odd.first(1).pmap(&:year)).to eq([2020])
    [1, 2].each do |i|
      expect { [odd[0], odd[i]].pmap { |d| d.year } }.to raise_error(Ikra::UnsupportedError, /a part of a day/)
      work = proc { |d| [d].uniq.size + { d => 1 }[odd[0]] }
      expect { [odd[0], odd[i]].pmap(&work) }.to raise_error(Ikra::UnsupportedError)
    end
    expect { [1].pmap { |n| Date.jd(n) + 0.5 } }.to raise_error(Ikra::UnsupportedError, /part of a day/)
    expect { [DateTime.now].pmap { |d| d.year } }.to raise_error(Ikra::UnsupportedError, /DateTime#year.*date\.jd/m)
    expect { [1].pmap { |n| Date.new(n, 1, 1, Date::ENGLAND) } }.to raise_error(Ikra::UnsupportedError, /ITALY/)
  end

  it "keep no variables of their own when they leave the section" do
    work = proc { |n| Date.jd(n).tap { |d| d.instance_variable_set(:@a, 1) } }
    expect { [1].pmap(&work) }.to raise_error(Ikra::UnsupportedError)
  end

  it "run by a program's own methods instead" do
    program = <<~RUBY
      require "ikra"
      Ikra.backend = #{backend.inspect}
      begin
        [1].pmap { |n| Date.new(n) }
      rescue NameError => e
        puts e.message
      end
      require "date"
      days = [Date.new(2020, 1, 1), Date.new(2021, 2, 3)]
      p days.pmap { |d| d.year }
      class Date
        alias year_before year
        def year = year_before + 1
        def shown = @shown ||= "\#{year}!"
      end
      p days.pmap { |d| [d.year, d.to_s, d.yday, (d >> 12).to_s, d.shown] }, days[0].instance_variable_get(:@shown)
      class Date
        def initialize(*) = raise("none")
      end
      p (days.pmap { |d| Date.new(2020) } rescue $!.class)
    RUBY
    path = File.join(Dir.mktmpdir, "program.rb")
    File.write(path, program)
    out, = Open3.capture2e(RbConfig.ruby, "-I", File.expand_path("../lib", __dir__), path)
    expect(out.lines.map(&:chomp)).to eq(
      ["uninitialized constant Date", "[2020, 2021]",
       '[[2021, "2020-01-01", 1, "2021-01-01", "2021!"], [2022, "2021-02-03", 34, "2022-02-03", "2022!"]]', '"2021!"',
       "Ikra::UnsupportedError"]
    )
  end
end

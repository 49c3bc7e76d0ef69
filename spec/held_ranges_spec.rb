# frozen_string_literal: true

require "date"

# Ranges that were there before the section: in arrays, Hashes, objects and constants.
module HeldRanges
  ALIKE = [1..3, 5..9, 20..30].freeze
  MIXED = [1..3, 5...9, 20..30].freeze
  OPEN = [..2, 5...9, 30..].freeze
  NUMBERS = [0..3, 2.5...9.0, 30.., ..-1.5].freeze
  WORDS = ["a".."d", "b"..."e", "x".."b", "c"..."c"].freeze
  DATES = [Date.new(2024, 1, 30)..Date.new(2024, 2, 3), Date.new(2024, 2, 27)...Date.new(2024, 3, 2)].freeze
  RULES = { low: 0..9, high: 10..99 }.freeze
  NAMES = { (0..9) => :low, (10...99) => :high }.freeze
  XS = (-2..40).to_a.freeze
  Band = Struct.new(:range, :name)
  BANDS = [Band.new(0..9, "a"), Band.new(10...20, "b"), Band.new(20.., "c"), Band.new(0..9, "a")].freeze
  TEXT = "c".."k"

  class Period
    attr_accessor :span

    def initialize(span) = @span = span
    def days(&block) = span.each(&block)
    def depth(n) = n.zero? ? span.size : depth(n - 1) + span.begin
  end

  class Weird
    def <=>(_other) = raise(ArgumentError, "no order")
  end

  class Own < Range; end
end

# rubocop:disable Style/CaseEquality, Lint/Void
each_backend do |backend|
  {
    "values" => ->(r) { [r.cover?(6), r.include?(2), r.member?(3), r === 9, r.cover?(6..7), r === 2.5, r.cover?(nil)] },
    "ends" => ->(r) { [r.begin, r.end, r.first, r.last, r.exclude_end?, r.size, r.count, r.min, r.max, r.minmax] },
    "parts" => ->(r) { [r.first(2), r.last(2), r.take(1), r.to_a, r.entries, [*r, 0], Array(r)] },
    "sums" => ->(r) { [r.sum, r.sum { |x| x * 2 }, r.reduce(:+), r.inject { |a, b| a - b }, r.count(&:odd?)] },
    "blocks" => ->(r) { [r.map { |x| x * 2 }, r.select(&:even?), r.find { |x| x > 2 }, r.min_by { |x| -x }, r.tally] },
    "enumerators" => lambda { |r|
      [r.each_slice(2).to_a, r.each_with_index.map { |x, i| x * i }, r.each.with_index(1).to_a, r.step(2).to_a,
       (r % 3).map { |x| x }, r.reverse_each.first(2), r.each_slice(2).with_index.map { |a, i| a.sum + i },
       r.each_cons(2).size, r.step(2).size, r.each.size]
    },
    "themselves" => lambda { |r|
      [r.each { |x| x }, r.reverse_each { |x| x }, r.each_slice(2) { |x| x }, r.each_with_index { |x, _| x },
       r.step(2) { |x| x }, r.each_slice(2).each { |x| x }, r.freeze, r.itself].map { |given| given.equal?(r) }
    },
    "text" => ->(r) { ["#{r} #{r.inspect}", [r, { r => r }].inspect, format("%s %p", r, r)] },
    "sameness" => lambda { |r|
      [r == (5...9), r == (5..9), r.eql?(5...9), r != 3, r.frozen?, r.class, r.is_a?(Range), r.is_a?(Enumerable)]
    },
    "indices" => lambda { |r|
      list = HeldRanges::XS.dup
      list[r] = [0]
      [HeldRanges::XS[r], "hello world, and all"[r], :symbols[r], 1_234_567[r], list, list.values_at(r),
       list.fill(1, r)]
    },
    "loops" => lambda { |r|
      t = 0
      for x in r do t += x end
      r.each { |y| y == 2 ? next : (t += y) }
      [t, r.each { |y| break y if y > 6 }, catch(:out) { r.each { |y| throw(:out, y) if y > 2 } }.class]
    },
    "searches" => lambda { |r|
                    [r.bsearch do |x|
                       x >= 6
                     end, HeldRanges::XS.grep(r), HeldRanges::XS.any?(r), [[1], [2]].zip(r)]
                  },
    "random numbers" => ->(r) { Random.new(r.begin).rand(r) }
  }.each do |name, block|
    it "has of one its #{name}, whether all are alike or not" do
      expect_same(HeldRanges::ALIKE, &block)
      expect_same(HeldRanges::MIXED, &block)
    end
  end

  it "looks for one that holds a value" do
    expect_same(HeldRanges::XS) { |x| HeldRanges::ALIKE.any? { |r| r.cover?(x) } }
    expect_same(HeldRanges::XS) { |x| HeldRanges::OPEN.index { |r| r.include?(x) } }
    expect_same(HeldRanges::XS) { |x| HeldRanges::NUMBERS.count { |r| r === x + 0.5 } }
    expect_same(HeldRanges::XS) { |x| HeldRanges::RULES.find { |_, r| r === x }&.first }
    expect_same(HeldRanges::XS) { |x| HeldRanges::NAMES.find { |r, _| r.cover?(x) }&.last }
    expect_same(HeldRanges::XS) { |x| HeldRanges::BANDS.find { |band| band.range.cover?(x) }&.name }
    expect_same(HeldRanges::XS) { |x| HeldRanges::RULES[x.even? ? :low : :none]&.cover?(x) }
  end

  it "asks them in `case`, as patterns and with others" do
    expect_same(HeldRanges::XS) do |x|
      case x
      when HeldRanges::RULES[:high] then 1
      when *HeldRanges::MIXED then 2
      else 3
      end
    end
    expect_same(HeldRanges::BANDS) do |band|
      case band
      in { range: Range => range, name: "a" } then range.sum
      in { range: } then range.begin
      end
    end
    things = [1..2, 5, "a".."c", 1.5..2, :x, nil, Integer]
    expect_same(things) { |thing| [thing === 5, thing === "b", thing === 1.7] }
    expect_same(HeldRanges::XS) { |x| (x > 5 ? HeldRanges::ALIKE[1] : (0..2)).include?(x) }
    expect_same([[1..2, nil], [3...4, 5]]) { |all| all.map { |r| r.is_a?(Range) ? r.sum : r } }
  end

  it "goes through those of objects, which may get others" do
    periods = -> { [HeldRanges::Period.new(1..3), HeldRanges::Period.new(4...6), HeldRanges::Period.new(nil)] }
    expect_same(periods.call.first(2)) { |period| [period.depth(3), period.days { |day| day }.size] }
    expect_same(periods.call) { |period| period.span&.sum }
    expect_same(HeldRanges::BANDS) { |band| [HeldRanges::BANDS.map { |other| band == other }, band.inspect] }
    all = periods.call
    all.each_with_index.to_a.peach { |period, i| period.span = HeldRanges::MIXED[i] if i < 2 }
    expect(all.map(&:span)).to match([equal(HeldRanges::MIXED[0]), equal(HeldRanges::MIXED[1]), nil])
  end

  it "gives them back as the objects that they are" do
    expect(HeldRanges::MIXED.pmap { |r| r.each { |x| x } }).to match(HeldRanges::MIXED.map { |r| equal(r) })
    found = HeldRanges::XS.pmap { |x| { r: HeldRanges::MIXED.find { |r| r.cover?(x) } } }
    expect(found[8][:r]).to equal(HeldRanges::MIXED[1])
    expect_same([1]) { |_| HeldRanges::XS.group_by { |x| HeldRanges::MIXED.find { |r| r === x } } }
    expect(HeldRanges::MIXED.pselect { |r| r.cover?(6) }).to match([equal(HeldRanges::MIXED[1])])
  end

  it "tells them apart in arrays, Sets and Hashes that it makes" do
    expect_same(HeldRanges::MIXED) do |r|
      both = HeldRanges::MIXED + HeldRanges::ALIKE
      [both.uniq.size, both.tally, both.index(5..9), both.include?(5...9), (both - HeldRanges::ALIKE), both.count(r)]
    end
    expect_same(HeldRanges::MIXED) do |r|
      counts = Hash.new(0)
      HeldRanges::MIXED.each do |key|
        counts[key] += 1
        counts[key.begin..key.end] += 1
      end
      [counts.to_a, counts[r], { (1..3) => 5 }[r], { r => 1 }.key?(5...9)]
    end
  end

  it "goes by the ends that they have now" do
    block = ->(r) { [r.to_a, r.exclude_end?] }
    [[1..3, 2..4], [1...3, 2...4], [1..3, 2...4], [1..1], [], ["a".."b"], [1..2, "a"..."c"]].each do |ranges|
      expect_same(ranges, &block)
    end
  end

  it "has those of Strings and Dates" do
    expect_same(%w[a bb d x]) do |w|
      [HeldRanges::WORDS.map do |r|
         [r.cover?(w), r.include?(w)]
       end, HeldRanges::TEXT === w]
    end
    expect_same(HeldRanges::WORDS) do |r|
      [r.begin, r.end, r.first, r.last, r.first(2), r.min, r.max, r.minmax, r.size, r.count, r.to_a, r.map(&:upcase),
       r.exclude_end?, r.to_s, r.inspect, r == ("a".."d"), r.eql?("b"..."e"), r == (1..2), r.each_slice(2).to_a,
       r.each_with_index.to_a, r.reverse_each.to_a, r.max { |a, b| b <=> a }, r.each { |x| x }.equal?(r)]
    end
    expect_same(HeldRanges::DATES) do |r|
      [r.begin, r.end, r.first(2), r.min, r.max, r.minmax, r.count, r.map(&:day), r.step(2).to_a, r.to_s, r.inspect,
       r.cover?(Date.new(2024, 2, 1)), r == (r.begin..r.end), r.each_slice(2).map(&:size), r.last(1)]
    end
  end

  it "raises what Ruby raises" do
    expect_same([HeldRanges::Weird.new]) { |weird| HeldRanges::MIXED[1] === weird }
    expect_same(HeldRanges::XS) { |x| HeldRanges::MIXED[x].sum }
    expect_same(HeldRanges::MIXED) { |r| r.first(-1) }
    expect_same(HeldRanges::MIXED) { |r| r.step(0) { |x| x } }
    expect_same(HeldRanges::MIXED) { |r| [1, 2].first(r) }
    expect_same(HeldRanges::NUMBERS.last(1)) { |r| r.each { |x| x } }
    expect_same(HeldRanges::MIXED) { |r| r + 1 }
  end

  it "goes through them in drivers" do
    ranges = HeldRanges::MIXED
    expect(Ikra.section { ranges.map { |r| r.pmap { |x| x * 2 }.sum } }).to eq(ranges.map { |r| r.sum * 2 })
    period = HeldRanges::Period.new(1..4)
    expect(Ikra.section { period.span.psum { |x| x + period.span.end } }).to eq(26)
  end

  next unless %i[cpu cuda cuda-emulated].include?(backend)

  it "refuses what it has not, by name" do
    told = ->(text) { raise_error(Ikra::UnsupportedError, text) }
    expect { [HeldRanges::Own.new(1, 2)].pmap { |r| r.cover?(1) } }.to told.call(/`HeldRanges::Own#cover\?`/)
    expect { [1..2, 1r..2r].pmap { |r| r.cover?(1) } }.to told.call(/numbers, Strings or Dates, not Rational/)
    expect { [1..(2**70)].pmap { |r| r.cover?(1) } }.to told.call(/an Integer beyond 64 bits/)
    expect { [1].pmap { |_| HeldRanges::NAMES[0..9] } }.to told.call(/cannot be looked up by Range/)
    expect { HeldRanges::ALIKE.pmap(&:dup) }.to told.call(/`Range#dup`/)
    # What nobody comes to stops nobody.
    ranges = [1..2, 1r..2r]
    expect([1].pmap { |x| ranges[x - 1].sum }).to eq([3])
  end
end
# rubocop:enable Style/CaseEquality, Lint/Void

# frozen_string_literal: true

module RandomPrograms
  # Ranges that were there before the section, in arrays, Hashes and objects, and what is asked of them.
  module HeldRanges
    OWN_CLASSES = <<~RUBY
      class Period
        attr_accessor :span

        def initialize(span) = @span = span
        def holds?(value) = span.cover?(value)
        def days = span.sum
        def part(list) = list[@span]
      end

      Band = Struct.new(:range, :name)
      ALIKE = [1..3, 0..0, -2..5, 4..2, 7..9].freeze
      MIXED = [1..3, 0...4, -2..5, 4...2, 7...8].freeze
      OPEN = [..0, 1...4, 4..9, 10..].freeze
      FLOATS = [0..2, 0.5...3.5, 1.0..7, 5..].freeze
      WORDS = ["a".."d", "b"..."e", "x".."z", "d".."b"].freeze
      RULES = { low: ..0, middle: 1..4, high: 5... }.freeze
      BANDS = [Band.new(0...3, 7), Band.new(3..5, 8), Band.new(-9..-1, 9)].freeze
      BY_RANGE = { 0..2 => 5, 3...6 => 6 }.freeze
    RUBY
    ASKED = %w[sum size count to_a.size begin end map(&:succ).sum min.to_i max.to_i minmax.compact.sum
               each_slice(2).sum(&:first) select(&:even?).size reduce(0){|a,b|a-b} first(2).sum last(2).size
               inspect.size to_s.size each_with_index.sum{|a,b|a*b} step(2).sum
               reverse_each.first.to_i each_cons(2).count
               include?(2)?1:0 exclude_end??3:4 entries.size zip(MIXED).size tally.size each_entry.to_a.size].freeze
    OF_SOME = [".uniq", ".tally", ".group_by(&:begin)", " & MIXED", " - ALIKE", ".to_h { |r| [r, r.size] }",
               ".select { |r| r.size > 1 }"].freeze
    OF_WORDS = %w[count to_a.size first.size begin.size end.size each_slice(2).to_a.size map(&:size).sum
                  select{|w|w>"b"}.size inspect.size exclude_end??1:2 max.to_s.size each_with_index.to_a.size].freeze

    # An Integer that hangs on some of them.
    def held_range(depth)
      case between(0, 4)
      when 0 then asked_range(depth)
      when 1 then chosen_range(depth)
      when 2 then range_of_object(depth)
      when 3 then range_part(depth)
      else compared_ranges(depth)
      end
    end

    private

    def asked_range(depth)
      return e("(", range_at(depth), ".#{pick(ASKED)})") if chance(0.7)

      e("WORDS[", small(depth), " % 4].then { |r| (r.#{pick(OF_WORDS)}) }")
    end

    def chosen_range(depth)
      case between(0, 3)
      when 0
        asked = pick([".cover?(", " === (", ".member?("])
        e("(#{pick(%w[ALIKE MIXED OPEN FLOATS])}.index { |r| r#{asked}", small(depth), ") } || 7)")
      when 1 then e("(RULES.find { |_, r| r === ", small(depth), " } || [:none])[0].size")
      when 2 then e("(BY_RANGE.find { |r, _| r.include?(", small(depth), ") }&.last || 1)")
      else e("(case ", small(depth), " when MIXED[1] then 1 when *ALIKE then 2 when RULES[:high] then 3 else 4 end)")
      end
    end

    def range_of_object(depth)
      case between(0, 2)
      when 0 then e("BANDS.sum { |b| b.range.cover?(", small(depth), ") ? b.name : 1 }")
      when 1 then e("Period.new(", range_at(depth), ").then { |p| p.days + (p.holds?(", small(depth), ") ? 1 : 0) }")
      else e("(Period.new(", range_at(depth), ").part([1, 2, 3, 4]) || []).sum")
      end
    end

    def range_part(depth)
      case between(0, 2)
      when 0
        e("(", small(depth), ").then { |n| t = 0; ", range_at(depth), ".each { |i| break if i > n; t += i }; t }")
      when 1 then e("[*", range_at(depth), ", ", small(depth), "].sum")
      else e("(\"abcdefghij\"[", range_at(depth), "] || \"\").size")
      end
    end

    def compared_ranges(depth)
      if chance(0.5)
        by = pick([" == (", ".eql?(", " != (", ".equal?("])
        return e("(", range_at(depth), by, range_at(depth), ") ? 1 : 2)")
      end
      e("(#{pick(["ALIKE", "(MIXED + ALIKE)"])}#{pick(OF_SOME)}).size")
    end

    def small(depth) = e("(", expression([:int], [depth - 1, 0].max), " % 9)")

    def range_at(depth)
      e(pick(%w[ALIKE MIXED MIXED]), "[", expression([:int], [depth - 1, 0].max), " % 5]")
    end
  end
end

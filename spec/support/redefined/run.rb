# frozen_string_literal: true

# rubocop:disable all -- what is redefined here is redefined on purpose

# Runs built-ins in sections while a core method is another one, and prints what differs from Ruby:
# ruby -Ilib spec/support/redefined/run.rb BACKEND [Class#name …]
ENV["IKRA_CUDA_EMULATOR"] ||= File.expand_path("../cuda_emulator", __dir__) if ARGV[0] == "cuda-emulated"

require "set"
require "ikra"
require_relative "../redefined"

Warning[:experimental] = false
Ikra.backend = ARGV.shift.to_sym

# Built-ins over what they are made of in MRI and in Ikra.
module Redefined
  BASE = [3, 1, 2].freeze
  LIST = [3, 1, 2, 2, 5].freeze
  TEXTS = %w[b a c].freeze
  HASH = { 1 => 10, 3 => 30 }.freeze
  Pair = Struct.new(:a, :b)

  # An order and items of the user's.
  class Own
    include Comparable
    include Enumerable
    attr_reader :value

    def initialize(value) = @value = value
    def <=>(other) = value <=> other.value

    def each
      i = 0
      while i < value
        yield i
        i += 1
      end
      self
    end
  end

  NUMBERS = [
    ->(x) { [x + 1, x - 1, x * 2, 7 / x, -x, x <=> 2, x == 2, x != 2, x < 2, x.succ] },
    ->(x) { x.clamp(2, 3) },
    ->(x) { [!x, (!x ? 1 : 2), !(x > 2)] },
    ->(x) { [x * 1r, x * 1i, [x * 1r, 2r].sum, [x * 1i, 2i].sum, x + 1i] },
    ->(x) { [x].map(&4.method(:+)) },
    ->(x) { x.between?(2, 5) },
    ->(x) { [x.gcd(6), x.fdiv(2), x.bit_length, x.pow(3, 5), x.round(-1), x.to_f] },
    ->(x) { x.digits },
    ->(x) { [x.to_s, x.to_s(2), "a#{x}b"] },
    ->(x) { format("%05.1f %d", x, x) },
    ->(x) { x.times.map { |i| i } },
    ->(x) { 1.step(9, x).to_a },
    ->(x) { [x * 1.5, (x * 1.5).floor, (x * 1.5).round(1), x / 2.0 <=> 1.0] },
    ->(x) { [x * 1.0, 0.5, 2.5].sum },
    ->(x) { [x * 1.0, 0.5, 2.5].sort },
    ->(x) { [x * 1.0, 0.5, 2.5].max },
    ->(x) { [x.eql?(3), x.equal?(3), x.zero?, x.nil?, x.is_a?(Integer), Integer === x] },
    lambda { |x|
      case x
      when 1 then :one
      when 2..3 then :few
      end
    }
  ].freeze

  LISTS = [
    ->(x) { [LIST.sum, LIST.sum { |y| y + x }] },
    ->(_) { LIST.inject(:+) },
    ->(x) { LIST.inject(x) { |a, b| a * b } },
    ->(_) { LIST.max },
    ->(x) { [x, 2, 9].min },
    ->(_) { LIST.minmax },
    ->(_) { [LIST.max_by { |y| -y }, LIST.min_by { |y| y }, LIST.sort_by { |y| -y }] },
    ->(_) { LIST.sort },
    ->(x) { [[x, 1], [2, 2]].sort },
    ->(x) { [LIST.include?(x), LIST.index(x), LIST.count(x)] },
    ->(x) { [LIST - [x], LIST & [x, 2], LIST | [x, 9], LIST.uniq] },
    ->(x) { [LIST[1], LIST[-1], LIST[0, 2], LIST[x - 1], LIST.first(2), LIST.last, LIST.dig(0)] },
    ->(x) { LIST.map { |y| y * x } },
    ->(_) { LIST.map(&:succ) },
    ->(_) { [LIST.select(&:even?), LIST.partition(&:odd?)] },
    ->(x) { LIST.filter_map { |y| y if y > x } },
    ->(_) { [LIST.group_by { |y| y % 2 }, LIST.tally] },
    ->(x) { LIST.zip([x, 2]) },
    ->(_) { LIST.each_slice(2).to_a },
    ->(_) { LIST.each_cons(2).to_a },
    ->(_) { LIST.each_with_index.map { |y, i| y * i } },
    ->(_) { LIST.map.with_index(1) { |y, i| y * i } },
    ->(_) { LIST.join(",") },
    ->(_) { LIST.inspect },
    ->(x) { [LIST.any? { |y| y == x }, LIST.all?(Integer), LIST.none?(x)] },
    ->(_) { LIST.grep(1..2) },
    ->(x) { [*LIST, x, *nil] },
    ->(x) { [x, 2].then { |list| case list; in [a, b] then [b, a] end } },
    ->(x) { [[[x], [2]].sum([]), %w[a b].sum(x.to_s)] },
    ->(x) { [{ nil => x }[nil], [nil, nil, x].uniq, [:a, nil, 2.5] & [nil, 2.5], ["a"] | ["a"]] },
    ->(x) { [[x, 2] == [3, 2], [x, 2] <=> [2, 2], [x].eql?([3])] },
    ->(x) { [[x, 1], [2, 3]].transpose + [[x, 1], [2, 3]].flatten },
    ->(_) { LIST.combination(2).to_a },
    ->(_) { LIST.lazy.map { |y| y * 2 }.first(2) },
    lambda { |x|
      list = [1, 2, 3]
      list << x
      list.delete(2)
      list.map! { |y| y + 1 }
      list.size
    },
    lambda { |x|
      sum = 0
      for y in LIST do sum += y * x end
      sum
    }
  ].freeze

  RANGES = [
    ->(x) { (1..x).to_a },
    ->(x) { [*1..x] },
    ->(x) { (1..x).map { |y| y * 2 } },
    ->(x) { (1..x).inject(:*) },
    ->(x) { [(1..x).sum, (1..x).size, (1..x).count] },
    ->(x) { (1..x).include?(2) },
    ->(x) { (1..x) === 2 },
    ->(x) { (1..x).max },
    ->(x) { (1..x).first(2) },
    ->(x) { (1..9).step(x).to_a },
    ->(x) { (1..x).each_slice(2).to_a },
    lambda { |x|
      sum = 0
      (1..x).each { |i| sum += i }
      for i in 1..x do sum += i end
      sum
    }
  ].freeze

  STRINGS = [
    ->(x) { ["ab" + x.to_s, "ab" * x, "abc"[x - 1], "abc".size, "abc" == "ab#{x}", "abc" <=> "abd"] },
    ->(x) { ["a,b,#{x}".split(","), "abc".chars, "abc".include?("b"), "abc".index("c"), "abc".sub("b", "x")] },
    ->(_) { ["abc".tr("a-b", "x"), "abc".reverse, "abc".upcase, "abc".center(9, "*"), "12".to_i, "abc".count("ab")] },
    ->(x) { "#{nil}|#{:a}|#{x * 0.5}|#{[x]}|#{true}" },
    ->(_) { ["abc".match?(/b/), "abc".scan(/./), "abc".gsub(/[ab]/) { |m| m + m }] },
    ->(_) { [TEXTS.sort, TEXTS.include?("a"), TEXTS.index("a"), TEXTS.uniq, TEXTS - ["a"]] },
    ->(_) { TEXTS.max },
    ->(_) { TEXTS.join("-") },
    ->(_) { TEXTS.inject(:+) },
    ->(_) { [TEXTS.map(&:upcase), TEXTS.sort_by(&:size)] },
    ->(_) { "abc".between?("abb", "abd") },
    ->(_) { ("a".."e").to_a },
    ->(_) { ("a".."e") === "c" },
    ->(_) { [:a <=> :b, :a == :b, %i[b a].sort, %i[b a].include?(:a), :abc.size, :abc.to_s] },
    lambda { |x|
      text = +"a"
      text << "b" << x.to_s
      text
    }
  ].freeze

  HASHES = [
    ->(x) { [HASH[x], HASH.fetch(x, 0), HASH.key?(x), HASH.size, HASH.keys, HASH.values.sum] },
    ->(_) { HASH.map { |k, v| k * v } },
    ->(_) { [HASH.select { |_, v| v > 20 }, HASH.to_a, HASH.any? { |k, _| k == 3 }] },
    ->(_) { HASH.min_by { |_, v| -v } },
    ->(_) { HASH.sort_by { |_, v| -v } },
    ->(_) { HASH.sum { |_, v| v } },
    ->(x) { HASH.merge({ x => 5 }) },
    ->(x) { { "a" => 1, "b" => x }["b"] },
    ->(x) { { [1, x] => 5 }[[1, 3]] },
    ->(_) { HASH.inspect },
    lambda { |x|
      hash = Hash.new(0)
      LIST.each { |y| hash[y] += x }
      hash
    },
    ->(x) { [Pair.new(x, 2) == Pair.new(3, 2), Pair.new(x, 2).to_a, [Pair.new(x, 2), Pair.new(3, 2)].uniq.size] },
    ->(x) { Pair.new(x, 2).inspect },
    ->(x) { Pair.new(x, 2).sum },
    ->(x) { [Own.new(x), Own.new(2)].max.value },
    ->(x) { [Own.new(x), Own.new(2)].sort.map(&:value) },
    ->(x) { [Own.new(x) == Own.new(2), Own.new(x) > Own.new(2), Own.new(x).clamp(Own.new(2), Own.new(2)).value] },
    ->(x) { [Own.new(x).map { |y| y * 2 }, Own.new(x).sum, Own.new(x).include?(2), Own.new(x).each_slice(2).to_a] },
    ->(x) { Own.new(x).inject(:+) },
    ->(x) { Own.new(x).max }
  ].freeze

  ALL = NUMBERS + LISTS + RANGES + STRINGS + HASHES

  # What a parallel call puts together.
  def self.total(redefined)
    sum = 0
    most = 0
    add = lambda do |x|
      sum += x
      most = [most, x].max
    end
    redefined ? during { BASE.each(&add) } : outcome { BASE.peach(&add) }
    [sum, most]
  end

  def self.outcome
    [:given, yield]
  rescue StandardError, SystemStackError => e
    [:raised, e]
  end

  # @return [nil, String] how Ikra differs from Ruby
  def self.difference(block)
    ruby = during { BASE.map(&block) }
    ikra = outcome { BASE.pmap(&block) }
    # Regular expressions are matched on the CPU only.
    refused = ikra[1].is_a?(Ikra::UnsupportedError) || ikra[1].is_a?(Ikra::DeviceError)
    @refused += 1 if refused
    return if refused
    return if ruby[0] == ikra[0] && (ruby[1] == ikra[1] || (ruby[0] == :raised && ruby[1].instance_of?(ikra[1].class)))

    "line #{block.source_location[1]}: Ruby #{ruby[1].inspect}, Ikra #{ikra[1].inspect}"
  end

  def self.run(names)
    names.each do |name|
      method = METHODS.find { |of, own,| "#{of}##{own}" == name } or abort "#{name} is not in the list"
      @refused = 0
      found = with([method]) { ALL.map { |block| difference(block) } }
      puts "#{name}: #{@refused} of #{ALL.size} refused"
      found.compact.each { |text| puts "#{name} #{text}" }
    end
  end
end

Redefined.run(ARGV.empty? ? Redefined::METHODS.map { |of, name,| "#{of}##{name}" } : ARGV)

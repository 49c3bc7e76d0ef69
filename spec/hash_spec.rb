# frozen_string_literal: true

module Hashes
  Point = Struct.new(:x, :y)
  Pair = Struct.new(:first, :second)
  Rates = { 1 => 2.0, 3 => 4.0 }.freeze
  Tens = { 1 => 10, 2 => 20, 5 => 50 } # rubocop:disable Style/MutableConstant
  Mixed = { a: 1.5, :b => 2, nil => 3, true => 4, false => 5, 7 => :i, 7.0 => :f, [1, 2] => nil, -0.0 => 0 }.freeze
  Large = 1000.times.to_h { |i| [i * 7919, i] }.freeze
  Empty = {}.freeze
  # An object that holds a Hash.
  class Holder
    attr_reader :hash_map

    def initialize(hash_map) = @hash_map = hash_map
  end

  # Objects that say themselves what is the same key.
  class Own
    attr_reader :n

    def initialize(n) = @n = n
    def eql?(other) = n == other.n
    def hash = n.hash
  end
end

# Hashes in a section: each block is run by Ruby and by every back-end and must give the same.
each_backend do |backend|
  let(:odd) { [:a, :b, :c, nil, true, false, 7, 7.0, 0.0, -0.0, 0, 1.5, [1, 2], [1.0, 2], [], 2**40, -(2**62)] }

  def expect_refused(slug, &section)
    return if Ikra.backend == :ruby

    expect(&section).to raise_error(Ikra::UnsupportedError, /\[#{slug}\]/)
  end

  describe "one that was there before" do
    it "looks keys up by their class and value" do
      expect_same([1, 2, 3, 5]) { |x| Hashes::Tens[x] }
      expect_same([1, 2, 5]) { |x| Hashes::Tens[x] + 1 }
      expect_same(odd) { |x| Hashes::Mixed[x] }
      expect_same(odd) { |x| [Hashes::Tens[x], Hashes::Tens.key?(x), Hashes::Mixed.include?(x), Hashes::Mixed.has_key?(x), Hashes::Mixed.member?(x)] }
      expect_same(odd) { |x| Hashes::Mixed[x] ? 1 : Hashes::Mixed[:a] }
      expect_same(0..3000) { |x| Hashes::Large[x * 7919 / 2] }
    end

    it "looks up arrays, Structs and objects" do
      pairs = { [1, 2] => 3, [2, 1] => :x, [2] => :one, [] => :none, [[1, 2], :a] => 4 }
      expect_same([1, 2, 3]) { |x| pairs[[x, 3 - x]] }
      expect_same([1, 2, 3]) { |x| [pairs[[x]], pairs[[]], pairs[[[x, x + 1], :a]], pairs[[x, 3.0 - x]]] }
      expect_same(pairs.keys) { |key| pairs[key] }
      expect_same([2, 1]) { |n| pairs[Array.new(n) { |i| i + 1 }] }
      points = { Hashes::Point.new(1, 2) => :p, Hashes::Point.new(1, 3.0) => :q, Hashes::Pair.new(1, 2) => :r }
      expect_same([2, 3, 3.0]) { |y| points[Hashes::Point.new(1, y)] }
      expect_same(points.keys + [Hashes::Point.new(1, 9)]) { |point| points[point] }
      holders = [Hashes::Holder.new({}), Hashes::Holder.new({ a: 1 })]
      numbers = holders.each_with_index.to_h
      expect_same(holders + [Hashes::Holder.new({})]) { |holder| numbers[holder] }
    end

    it "gives defaults" do
      counts = Hash.new(42)
      counts[1] = 2
      expect_same([1, 3, nil]) { |x| [counts[x], counts.default, Hashes::Tens.default, counts.key?(x), counts.size] }
      expect_same([1, 3]) { |x| [counts.fetch(x, 7), Hashes::Tens.fetch(x) { |key| key * 100 }, counts.dig(x)] }
      expect_same([1]) { |x| Hashes::Tens.fetch(x) }
      expect_same([1, 3]) { |x| Hashes::Tens.fetch(x) }
      [:q, nil, true, 1.5, 2**40].each { |key| expect_same([1]) { |_| Hashes::Tens.fetch(key) } }
      expect_same([1, 3]) { |x| begin; Hashes::Tens.fetch(x); rescue KeyError; -1; end }
      expect_same([1, 3]) { |x| begin; Hashes::Tens.fetch(x); rescue IndexError; -1; end }
    end

    it "tells what it holds" do
      expect_same([10, 33]) { |x| [Hashes::Tens.key(x), Hashes::Tens.value?(x), Hashes::Tens.has_value?(x), Hashes::Tens.rassoc(x), Hashes::Tens.assoc(x / 10)] }
      expect_same([1, 9]) { |x| [Hashes::Tens.values_at(x, 2, 3), Hashes::Tens.fetch_values(1, 2), Hashes::Tens.keys, Hashes::Tens.values] }
      expect_same([1, 2]) { |x| Hashes::Tens.fetch_values(x, 9) { |key| key + x } }
      expect_same([0]) { |x| [Hashes::Tens.size, Hashes::Tens.length, Hashes::Tens.count, Hashes::Tens.empty?, Hashes::Empty.any?, Hashes::Tens.to_a, Hashes::Tens.entries][x..-2] }
      expect_same([0]) { |_| [Hashes::Tens.class == Hash, Hashes::Tens.is_a?(Hash), Hashes::Tens.is_a?(Enumerable), Hashes::Tens.nil?, Hashes::Tens.frozen?] }
      expect_same([0]) { |_| [Hashes::Rates.frozen?, Hashes::Tens.compare_by_identity?, Hashes::Tens.equal?(Hashes::Tens), Hashes::Tens.to_hash.size] }
      expect_same([1, 2]) { |x| keys = Hashes::Tens.keys; keys << x; values = Hashes::Tens.values; values.map! { |v| v * x }; [keys, values] }
    end

    it "is gone through in its order" do
      expect_same([1, 2]) { |x| n = 0; Hashes::Tens.each { |k, v| n = n * 3 + k * v * x }; n }
      expect_same([1, 2]) { |x| n = 0; Hashes::Tens.each_pair { |k, v| n = n * 3 + k * v * x }; n }
      expect_same([1, 2]) { |x| n = 0; Hashes::Tens.each_key { |k| n = n * 3 + k * x }; Hashes::Tens.each_value { |v| n -= v }; n }
      expect_same([1, 2]) { |x| n = []; Hashes::Tens.each { |pair| n << pair[0] + x << pair.last }; n }
      expect_same([10, 20]) { |x| [Hashes::Tens.find { |_, v| v == x }, Hashes::Tens.map { |k, v| k + v + x }, Hashes::Tens.sum { |k, v| k * v }] }
      expect_same([10, 20]) { |x| [Hashes::Tens.min_by { |_, v| (v - x).abs }, Hashes::Tens.max_by { |_, v| (v - x).abs }] }
      expect_same([10, 20]) { |x| [Hashes::Tens.sort_by { |_, v| (v - x).abs }, Hashes::Tens.count { |_, v| v > x }, Hashes::Tens.first(2)] }
      expect_same([10, 20]) { |x| [Hashes::Tens.any? { |_, v| v > x }, Hashes::Tens.all? { |_, v| v > x }, Hashes::Tens.none? { |k, _| k > x }] }
      expect_same([10, 20]) { |x| [Hashes::Tens.filter_map { |k, v| k if v > x }, Hashes::Tens.flat_map { |k, v| [k, v + x] }] }
      expect_same([1, 2]) { |x| [Hashes::Tens.each_with_index.map { |(k, v), i| k * v + i + x }, Hashes::Tens.partition { |k, _| k > x }] }
      expect_same([1, 2]) { |x| Hashes::Tens.each_with_index { |(k, v), i| k * v + i + x }.size }
      expect_same([1, 2]) { |x| Hashes::Tens.inject(x) { |sum, (k, v)| sum + k * v } }
      expect_same([1, 2]) { |x| Hashes::Tens.each_with_object([]) { |(k, v), list| list << k * v * x } }
      expect_same([1, 2]) { |x| [Hashes::Tens.zip([x]), Hashes::Tens.min, Hashes::Tens.max, Hashes::Tens.first, Hashes::Tens.take(1), Hashes::Tens.drop(2), Hashes::Tens.sort] }
      expect_same([1, 2]) { |x| list = []; Hashes::Tens.reverse_each { |k, _| list << k * x }; list }
      expect_same([1, 2]) { |x| Hashes::Tens.each { |k, v| break v if k > x } }
      expect_same([0]) { |_| Hashes::Mixed.map { |k, v| [v, k] } }
    end

    it "is captured, a constant, a variable of objects, an item and a value" do
      holders = [Hashes::Holder.new({ a: 1 }), Hashes::Holder.new({ b: 2, a: 3 }), Hashes::Holder.new({})]
      expect_same(holders) { |holder| [holder.hash_map[:a], holder.hash_map.sum { |_, v| v }, holder.hash_map.size] }
      expect_same(holders) { |holder| holder.hash_map }
      expect_same([1, 2, 3]) { |x| Hashes::Rates[x] }
      expect_same([{ a: 1 }, { a: 2, b: 4.0 }, {}]) { |hash| [hash[:a], hash[:b]] }
      expect_same([{ a: 1 }, nil, 3]) { |hash| hash.is_a?(Hash) ? hash[:a] : hash }
      nested = { a: { x: 1, y: [1, 2, 3] }, b: { x: 2, y: [4] } }
      expect_same(%i[a b]) { |x| [nested[x][:x], nested[x][:y].sum, nested.dig(x, :y, 0)] }
      expect_same(%i[a b c]) { |x| nested.dig(x, :x) }
      expect_same([1]) { |_| [nested, [Hashes::Tens], nested[:a]] }
      same = [Hashes::Tens, Hashes::Tens, { 1 => 3 }]
      expect_same(same) { |hash| [hash.equal?(Hashes::Tens), hash[1], Hashes::Tens[2]] }
      empty = {}
      expect_same(odd) { |x| [empty[x], empty.size, empty.key?(x), empty.sum { |_, v| v }, empty.map { |k, _| k }, empty.keys] }
    end

    it "may change between two calls" do
      hash = { 1 => 2 }
      look = -> { [1, 2, 3].pmap { |x| hash[x] } }
      expect(look.call).to eq([2, nil, nil])
      hash[3] = 4
      expect(look.call).to eq([2, nil, 4])
      hash.default = 0
      expect(look.call).to eq([2, 0, 4])
      hash.delete(1)
      hash[2] = :b
      expect(look.call).to eq([0, :b, 4])
    end

    it "is looked up by all elements of a section with several calls" do
      sums = Ikra.section do
        found = [1, 2, 3].pmap { |x| Hashes::Tens[x] || 0 }
        [found.sum, Hashes::Tens[5]]
      end
      expect(sums).to eq([30, 50])
    end

    it "refuses what it cannot know" do
      names = { "a" => 1 }
      expect_refused("unsupported-key") { ["a"].pmap { |x| names[x] } }
      own = { Hashes::Own.new(1) => 1 }
      expect_refused("unsupported-key") { own.keys.pmap { |x| own[x] } }
      not_numbers = { Float::NAN => 1 }
      expect_refused("unsupported-key") { [1.0].pmap { |x| not_numbers[x] } }
      changed = { (key = [1]) => 1 }
      key << 2
      expect_refused("unsupported-key") { [1].pmap { |x| changed[[x, 2]] } }
      points = { Hashes::Point.new(1, 2) => 3 }
      expect_refused("unsupported-key") { points.keys.peach { |point| point.x += points[point] } }
      by_identity = { 1.5 => 2 }.compare_by_identity
      expect_refused("unsupported-key") { [1.5].pmap { |x| by_identity[x] } }
      computed = Hash.new { |_, k| k * 2 }
      computed[1] = 5
      expect_same([1]) { |x| computed[x] }
      next if backend == :ruby

      expect { [1, 2].pmap { |x| computed[x] } }.to raise_error(Ikra::UnsupportedError, /default block/)
    end

    it "compares by identity where it is told to" do
      holders = [Hashes::Point.new(1, 2), Hashes::Point.new(1, 2)]
      numbers = {}.compare_by_identity
      numbers[holders[0]] = 1
      numbers[:a] = 2
      expect_same(holders + %i[a b]) { |x| numbers[x] }
      expect_same([1]) { |_| numbers.size }
    end
  end
end

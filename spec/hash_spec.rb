# frozen_string_literal: true

require "set"

module Hashes
  Point = Struct.new(:x, :y)
  Pair = Struct.new(:first, :second)
  RATES = { 1 => 2.0, 3 => 4.0 }.freeze
  TENS = Hash[[[1, 10], [2, 20], [5, 50]]]
  MIXED = { a: 1.5, :b => 2, nil => 3, true => 4, false => 5, 7 => :i, 7.0 => :f, [1, 2] => nil, -0.0 => 0 }.freeze
  LARGE = 1000.times.to_h { |i| [i * 7919, i] }.freeze
  EMPTY = {}.freeze
  CHANGED = { 1 => 2 } # rubocop:disable Style/MutableConstant
  # An object that holds a Hash.
  class Holder
    attr_reader :hash_map

    def initialize(hash_map) = @hash_map = hash_map
  end

  # Says what it is as a Hash.
  class Told
    def self.keys(**rest) = rest

    def initialize(hash) = @hash = hash
    def to_hash = @hash
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
      expect_same([1, 2, 3, 5]) { |x| Hashes::TENS[x] }
      expect_same([1, 2, 5]) { |x| Hashes::TENS[x] + 1 }
      expect_same(odd) { |x| Hashes::MIXED[x] }
      expect_same(odd) { |x| [Hashes::TENS[x], Hashes::TENS.key?(x), Hashes::MIXED.include?(x), Hashes::MIXED.has_key?(x), Hashes::MIXED.member?(x)] }
      expect_same(odd) { |x| Hashes::MIXED[x] ? 1 : Hashes::MIXED[:a] }
      expect_same(0..3000) { |x| Hashes::LARGE[x * 7919 / 2] }
    end

    it "has its pairs in its order however they lie in memory" do
      made = [0, 1, 7, 8, 9, 30, 300].flat_map do |size|
        fresh = -> { (0...size).to_h { |i| [i, -i] } }
        [fresh.(), fresh.().tap { |h| h.delete(0) }, fresh.().tap { |h| h.delete(size / 2) && h[-1] = 5 },
         fresh.().tap { |h| h.delete_if { |k,| k > 1 } }, fresh.().tap { |h| h.clear[4] = 6 },
         fresh.().tap { |h| 3.times { |i| h.delete(i) && h[1000 + i] = i } }, fresh.().freeze, fresh.().rehash]
      end
      expect_same(made) { |h| [h.keys, h.values, h.size, h[0], h[size = h.size], size, h[1000]] }
      expect_same(made) { |h| [h.default, h.compare_by_identity?] }
      with_default = made.map { |h| h.dup.tap { |copy| copy.default = 3 } }
      expect_same(with_default) { |h| [h[0], h[-7], h.keys] }
      with_block = made.map { |h| h.dup.tap { |copy| copy.default_proc = ->(_, k) { k + 2 } } }
      expect_same(with_block) { |h| [h[0], h[-7]] }
      strings = made.map { |h| h.transform_keys(&:to_s) }
      expect_same(strings) { |h| [h["0"], h["7"], h.keys.last] }
      nested = made.each_slice(3).map { |one| { "a" => one, 1 => { b: one.last, c: {} } } }
      expect_same(nested) { |h| [h["a"].sum { |one| one.size }, h[1][:b].keys.sum, h[1][:c].empty?] }
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
      expect_same([1, 3, nil]) { |x| [counts[x], counts.default, Hashes::TENS.default, counts.key?(x), counts.size] }
      expect_same([1, 3]) { |x| [counts.fetch(x, 7), Hashes::TENS.fetch(x) { |key| key * 100 }, counts.dig(x)] }
      expect_same([1]) { |x| Hashes::TENS.fetch(x) }
      expect_same([1, 3]) { |x| Hashes::TENS.fetch(x) }
      [:q, nil, true, 1.5, 2**40].each { |key| expect_same([1]) { |_| Hashes::TENS.fetch(key) } }
      expect_same([1, 3]) { |x| begin; Hashes::TENS.fetch(x); rescue KeyError; -1; end }
      expect_same([1, 3]) { |x| begin; Hashes::TENS.fetch(x); rescue IndexError; -1; end }
    end

    it "tells what it holds" do
      expect_same([10, 33]) { |x| [Hashes::TENS.key(x), Hashes::TENS.value?(x), Hashes::TENS.has_value?(x), Hashes::TENS.rassoc(x), Hashes::TENS.assoc(x / 10)] }
      expect_same([1, 9]) { |x| [Hashes::TENS.values_at(x, 2, 3), Hashes::TENS.fetch_values(1, 2), Hashes::TENS.keys, Hashes::TENS.values] }
      expect_same([1, 2]) { |x| Hashes::TENS.fetch_values(x, 9) { |key| key + x } }
      expect_same([0]) { |x| [Hashes::TENS.size, Hashes::TENS.length, Hashes::TENS.count, Hashes::TENS.empty?, Hashes::EMPTY.any?, Hashes::TENS.to_a, Hashes::TENS.entries][x..-2] }
      expect_same([0]) { |_| [Hashes::TENS.class == Hash, Hashes::TENS.is_a?(Hash), Hashes::TENS.is_a?(Enumerable), Hashes::TENS.nil?, Hashes::TENS.frozen?] }
      expect_same([0]) { |_| [Hashes::RATES.frozen?, Hashes::TENS.compare_by_identity?, Hashes::TENS.equal?(Hashes::TENS), Hashes::TENS.to_hash.size] }
      expect_same([1, 2]) { |x| keys = Hashes::TENS.keys; keys << x; values = Hashes::TENS.values; values.map! { |v| v * x }; [keys, values] }
    end

    it "is gone through in its order" do
      expect_same([1, 2]) { |x| n = 0; Hashes::TENS.each { |k, v| n = n * 3 + k * v * x }; n }
      expect_same([1, 2]) { |x| n = 0; Hashes::TENS.each_pair { |k, v| n = n * 3 + k * v * x }; n }
      expect_same([1, 2]) { |x| n = 0; Hashes::TENS.each_key { |k| n = n * 3 + k * x }; Hashes::TENS.each_value { |v| n -= v }; n }
      expect_same([1, 2]) { |x| n = []; Hashes::TENS.each { |pair| n << pair[0] + x << pair.last }; n }
      expect_same([10, 20]) { |x| [Hashes::TENS.find { |_, v| v == x }, Hashes::TENS.map { |k, v| k + v + x }, Hashes::TENS.sum { |k, v| k * v }] }
      expect_same([10, 20]) { |x| [Hashes::TENS.min_by { |_, v| (v - x).abs }, Hashes::TENS.max_by { |_, v| (v - x).abs }] }
      expect_same([10, 20]) { |x| [Hashes::TENS.sort_by { |_, v| (v - x).abs }, Hashes::TENS.count { |_, v| v > x }, Hashes::TENS.first(2)] }
      expect_same([10, 20]) { |x| [Hashes::TENS.any? { |_, v| v > x }, Hashes::TENS.all? { |_, v| v > x }, Hashes::TENS.none? { |k, _| k > x }] }
      expect_same([10, 20]) { |x| [Hashes::TENS.filter_map { |k, v| k if v > x }, Hashes::TENS.flat_map { |k, v| [k, v + x] }] }
      expect_same([1, 2]) { |x| [Hashes::TENS.each_with_index.map { |(k, v), i| k * v + i + x }, Hashes::TENS.partition { |k, _| k > x }] }
      expect_same([1, 2]) { |x| Hashes::TENS.each_with_index { |(k, v), i| k * v + i + x }.size }
      expect_same([1, 2]) { |x| Hashes::TENS.inject(x) { |sum, (k, v)| sum + k * v } }
      expect_same([1, 2]) { |x| Hashes::TENS.each_with_object([]) { |(k, v), list| list << k * v * x } }
      expect_same([1, 2]) { |x| [Hashes::TENS.zip([x]), Hashes::TENS.min, Hashes::TENS.max, Hashes::TENS.first, Hashes::TENS.take(1), Hashes::TENS.drop(2), Hashes::TENS.sort] }
      expect_same([1, 2]) { |x| list = []; Hashes::TENS.reverse_each { |k, _| list << k * x }; list }
      expect_same([1, 2]) { |x| Hashes::TENS.each { |k, v| break v if k > x } }
      expect_same([0]) { |_| Hashes::MIXED.map { |k, v| [v, k] } }
    end

    it "is captured, a constant, a variable of objects, an item and a value" do
      holders = [Hashes::Holder.new({ a: 1 }), Hashes::Holder.new({ b: 2, a: 3 }), Hashes::Holder.new({})]
      expect_same(holders) { |holder| [holder.hash_map[:a], holder.hash_map.sum { |_, v| v }, holder.hash_map.size] }
      expect_same(holders) { |holder| holder.hash_map }
      expect_same([1, 2, 3]) { |x| Hashes::RATES[x] }
      expect_same([{ a: 1 }, { a: 2, b: 4.0 }, {}]) { |hash| [hash[:a], hash[:b]] }
      expect_same([{ a: 1 }, nil, 3]) { |hash| hash.is_a?(Hash) ? hash[:a] : hash }
      nested = { a: { x: 1, y: [1, 2, 3] }, b: { x: 2, y: [4] } }
      expect_same(%i[a b]) { |x| [nested[x][:x], nested[x][:y].sum, nested.dig(x, :y, 0)] }
      expect_same(%i[a b c]) { |x| nested.dig(x, :x) }
      expect_same([1]) { |_| [nested, [Hashes::TENS], nested[:a]] }
      same = [Hashes::TENS, Hashes::TENS, { 1 => 3 }]
      expect_same(same) { |hash| [hash.equal?(Hashes::TENS), hash[1], Hashes::TENS[2]] }
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
        found = [1, 2, 3].pmap { |x| Hashes::TENS[x] || 0 }
        [found.sum, Hashes::TENS[5]]
      end
      expect(sums).to eq([30, 50])
    end

    it "refuses what it cannot know" do
      many = Array.new(257) { |i| [Hashes::Own.new(i), i] }.to_h
      expect_refused("unsupported-key") { many.keys.first(1).pmap { |x| many[x] } }
      not_numbers = { Float::NAN => 1 }
      expect_refused("unsupported-key") { [1.0].pmap { |x| not_numbers[x] } }
      changed = { (key = [1]) => 1 }
      # Of few keys Ruby knows a byte of the hash only, which may be the same.
      key << 2 until changed[key].nil?
      expect_refused("unsupported-key") { [1].pmap { |x| changed[[x, 2]] } }
      points = { Hashes::Point.new(1, 2) => 3 }
      expect_refused("unsupported-key") { points.keys.peach { |point| point.x += points[point] } }
      by_identity = { 1.5 => 2 }.compare_by_identity
      expect_refused("unsupported-key") { [1.5].pmap { |x| by_identity[x] } }
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

  describe "one that the block makes" do
    it "is written and read" do
      expect_same([1, 2]) { |x| h = { a: x, b: 2 }; h[:a] + h[:b] }
      expect_same([1, 2]) { |x| h = {}; h[x] = 1; h[x + 1] = 2.5; h[x] += 4; h.store(:z, nil); h }
      expect_same([1, 2]) { |x| h = Hash.new(0); [1, 2, 1, x].each { |y| h[y] += 1 }; [h.to_a, h] }
      expect_same([1, 2]) { |x| h = {}; [1, 2, 3, 4, x].each { |y| (h[y % 2] ||= []) << y }; h }
      expect_same([1, 2]) { |x| h = Hash.new { |_, k| k * x }; [h[3], h.size, h[:a.nil? ? 1 : 2]] }
      expect_same([1, 2]) { |x| h = Hash.new { |g, k| g[k] = [] }; [1, 2, 3, 4, x].each { |y| h[y % 2] << y }; h.to_a }
      expect_same([1, 3]) do |x|
        h = { 1 => x, 1.0 => 3, :a => 4, nil => 5, true => 6, [x, 1] => 7, -0.0 => 8 }
        [h[1], h[1.0], h[:a], h[nil], h[true], h[false], h[[1, 1]], h[[3, 1]], h[0.0], h[0], h.size, h]
      end
      expect_same([1, 2]) { |x| h = {}; 200.times { |i| h[i * i % 97] = i * x }; [h, h[4], h[95], h[3]] }
      expect_same([1, 2]) { |x| h = Hash.new(0); 60.times { |i| h[[i % 5, i % 3]] += i * x }; [h, h[[1, 2]]] }
      expect_same([1, 2]) { |x| h = {}; 40.times { |i| h[Hashes::Point.new(i % 7, x)] = i }; h[Hashes::Point.new(3, x)] }
      expect_same([20]) { |x| memo = {}; (0..x).each { |i| memo[i] = i < 2 ? i : memo[i - 1] + memo[i - 2] }; memo[x] }
      expect_same([1, 2]) { |x| h = Hash.new(5); [h[:a], h.size, h.default, h.fetch(:a, x)] }
      expect_same([:a, :b]) { |x| { a: 1 }.fetch(x) }
    end

    it "takes others into it" do
      expect_same([1, 2]) { |x| { a: x, **Hashes::TENS, 2 => x, **{ a: 0, z: 1 } } }
      expect_same([1, 2]) { |x| h = { a: 1 }; g = { **h }; g[:b] = x; [h, g, { **h, **g }, [c: x]] }
    end

    it "takes what says by `to_hash` that it is one, and nothing else" do
      hash, number, none = [Hashes::Told.new({ z: 9 }), Hashes::Told.new(5), Hashes::Told.new(nil)]
      all = [nil, 1, 2.5, :a, "a", true, false, [1], 1..2, String, hash, number, none, { b: 1 }]
      expect_same(all) { |x| { a: 1 }.merge(x) }
      all.each do |one|
        expect_same([one]) { |x| { a: 1 }.merge(x) }
        expect_same([one]) { |x| { a: 1 }.merge!({ c: 3 }, x) }
        expect_same([one]) { |x| { a: 1 }.update(x) { |_, old, _| old } }
        expect_same([one]) { |x| { a: 1, **x } }
        expect_same([one]) { |x| { **x } }
        expect_same([one]) { |x| Hashes::Told.keys(**x) }
        expect_same([one]) { |x| Hashes::Told.keys(a: 1, **x) }
        expect_same([one]) { |x| h = { a: 1 }; [begin h.update({ b: 2 }, x) rescue $!.message end, h] }
      end
      expect_same([1, 2]) { |x| { a: x }.merge(Hashes::Told.new({ b: x })) }
      expect_same([1, 2]) { |x| { a: x, **Hashes::Told.new(x) } }
      expect_same([1, 2]) { |x| y = x == 1 ? { b: 1 } : nil; [x, { a: x, **y }] }
      expect_same([{ a: 1 }.freeze]) { |h| h.merge!(1) }
      expect_same([{ a: 1 }.freeze]) { |h| h.merge!(1) { 2 } }
      expect_same([{ a: 1 }.freeze]) { |h| h.update { 2 } }
      expect_same([{ a: 1 }.freeze]) { |h| h.merge(nil) }
    end

    it "forgets pairs" do
      expect_same([1, 2]) do |x|
        h = { 1 => :a, 2 => :b, 3 => :c }
        [h.delete(x), h.size, h.keys, h.delete(9), h.delete(3) { 1 }, h.delete(x) { |k| k * 10 }, h]
      end
      expect_same([0, 1, 2]) { |x| h = { 1 => 2, 3 => 4 }; a = h.shift; h[5] = x; [a, h.shift, h.shift, h.shift, h.size] }
      expect_same([1, 2]) { |x| h = { 1 => 2 }; h.clear; h[x] = x; h }
      expect_same([1, 2, 9]) do |x|
        h = { 1 => 2, 3 => 4, 5 => 6 }
        [h.select! { |k, _| k > x }.nil?, h.dup, h.reject! { false }.nil?, h.keep_if { |k, _| k < 5 }.size]
      end
      expect_same([1, 2]) { |x| h = {}; 50.times { |i| h[i] = i }; 40.times { |i| h.delete(i * x) }; [h[45], h[3], h.size] }
      expect_same([nil, 2]) { |x| h = { 1 => x, 2 => 3 }; [h.compact, h.compact!.nil?, h] }
    end

    it "gives others" do
      expect_same([1, 2]) { |x| { 1 => :a }.merge({ x => :b, 5 => :z }) }
      expect_same([1, 2]) { |x| { 1 => 2 }.merge({ x => 3, 5 => 4 }) { |k, a, b| a * 10 + b + k } }
      expect_same([1, 2]) { |x| h = { 1 => 2 }; h.merge!({ x => 3 }, { 8 => 9 }); h.update({ 8 => 1 }) { |_, a, b| a + b }; h }
      expect_same([1, 2]) { |x| h = { 1 => 2, 3 => x }; [h.transform_values { |v| v * x }, h.transform_keys { |k| k * x }] }
      expect_same([1, 2]) { |x| h = { 1 => 2, 3 => 4 }; [h.select { |k, _| k > x }, h.reject { |k, _| k > x }, h.invert] }
      expect_same([1, 2]) { |x| h = { 1 => 2, 3 => 4 }; [h.filter { |_, v| v > x }, h.find_all { |_, v| v > x }, h.sort] }
      expect_same([1, 3]) { |x| h = { 1 => x, 2 => 3, 3 => 4 }; [h.slice(1, 3, 9), h.except(1, 7), h.to_h { |k, v| [v, k] }] }
      expect_same([1, 3]) { |x| h = { x => [1, [2]], 9 => 3 }; [h.flatten, h.flatten(0), h.flatten(2), h.flatten(-1)] }
      expect_same([1, 3]) { |x| h = { a: x, b: 2, "c" => 3 }; [h.transform_keys({ a: :z }), h.transform_keys(b: "q"), h] }
      expect_same([1, 3]) { |x| { a: x, b: 2, "c" => 3 }.transform_keys({ a: "z", 9 => 1 }, &:to_sym) }
      expect_same([1, 3]) do |x|
        h = { a: x, b: 2, c: 3 }
        [h.transform_keys!({ a: :b, b: :a }), h.transform_keys!(&:to_s), h.transform_keys!("c" => 1), h.key?("c")]
      end
      expect_same([1, 3]) { |x| h = { a: 1 }; g = h; [h.replace({ b: x }).equal?(g), g, h.replace(h), h.replace({}), g] }
      expect_same([1, 3]) { |x| h = { 1 => x, 2 => nil }; [[1, 2, 3].map(&h), [1, 2].select(&h), h.to_proc.call(1)] }
      expect_same([1, 3]) { |x| f = { x => 5 }.to_proc; [f.(1), f.lambda?, (f >> ->(y) { y.to_s }).(3)] }
      expect_same([1, 2]) { |x| h = { 1 => 2 }; g = h.dup; g[x] = 7; [h, g, h.equal?(g), h.equal?(h)] }
      expect_same([1, 2]) { |x| h = { 1 => 2 }; g = h; g[x] = 7; [h, g, h.equal?(g), h == g] }
      expect_same([1, 10]) { |x| [Hashes::TENS.select { |k, _| k >= x }, Hashes::TENS.merge({ x => 1 }), Hashes::TENS.dup] }
      expect_same([1, 10]) { |x| h = Hashes::TENS.dup; h[x] = 4; [h, Hashes::TENS, Hashes::TENS.to_h.equal?(Hashes::TENS)] }
      expect_same([1, 2]) { |x| [{ 1 => 2 } == { 1 => x }, { 1 => 2 } == { 1 => 2.0 }, {} == {}, { 1 => 2 } == x] }
      expect_same([1, 2]) { |x| [{ 1 => x }.eql?({ 1 => 1.0 }), { 1 => x }.eql?({ 1 => 1 }), { 1 => 2 } <= { 1 => x, 3 => 2 }] }
      expect_same([10, 2]) { |x| [{ 1 => x, 5 => 50, 2 => 20 } == Hashes::TENS, Hashes::TENS != { 1 => 10 }] }
    end

    it "comes of arrays" do
      expect_same([1, 2]) { |x| [[1, 2, 3, x].tally, [1, 2, 3, x].group_by { |y| y.odd? }, [[1, 2], [3, x]].to_h] }
      expect_same([1, 2]) { |x| [[1, 2, x].to_h { |y| [y, y * x] }, (1..3).to_h { |y| [y, y * x] }] }
      expect_same([5]) { |x| (1..x).group_by { |i| i % 3 }.transform_values(&:sum) }
      expect_same([5]) { |x| (1..x).map { |i| [i, i * i] }.to_h.select { |_, v| v > 5 }.keys }
      expect_same([1, 2]) { |x| [1, 2, 3, x].each_with_object({}) { |y, h| h[y] = y * x } }
      expect_same([1, 2]) { |x| [1, 2, 3, x].each_with_object(Hash.new(0)) { |y, h| h[y] += 1 } }
      expect_same([1, 2]) { |x| Hashes::TENS.group_by { |_, v| v > x * 10 } }
      expect_same([1, 2]) { |x| %i[a b].zip([x, 2]).to_h }
      expect_same([1, 2]) { |x| [[1, 2], [3, 4, x]].to_h }
      expect_same([1, 2]) { |x| [[1, 2], x].to_h }
      expect_same([1, 2]) { |x| (x..2).to_h { |y| y } }
      expect_same([Hashes::Point.new(1, 2.5)]) { |point| point.to_h }
      expect_same([[[1, 2], [3], 4, []], []]) { |x| [x.assoc(1), x.assoc(3), x.assoc(9), x.rassoc(2), x.rassoc(3)] }
      expect_same([nil, 3]) { |x| x.nil? ? x.to_h : { x => 1 } }
    end

    it "goes where values go" do
      expect_same([1, 2]) { |x| [{ a: { b: x } }.dig(:a, :b), { a: { b: x }, c: { d: 2 } }] }
      expect_same([1, 2]) { |x| h = {}; 5.times { |i| (h[i % 2] ||= {})[i] = x }; h }
      expect_same([1, 2]) { |x| [{ a: x }, { a: 2 }].map { |h| h[:a] } }
      expect_same([1, 2]) { |x| [{ a: x }, { b: 2 }, [{}]] }
      expect_same([1, 2]) { |x| f = ->(k, v) { k + v }; { 1 => 2 }.map(&f) + [x] }
      expect_same([1, 2]) { |x| [{ 1 => 2 }.map(&:first), { 1 => 2, 3 => x }.map { _1 + _2 }, { 1 => x }.map { |k| k }] }
      expect_same([1, 2, 3]) { |x| x > 1 ? { a: 1 } : { b: 2.0 } }
      expect_same([1, 2, 3]) { |x| h = x > 1 ? { a: 1 } : nil; h ? h[:a] : 0 }
      expect_same([1, 2, 3]) { |x| h = x > 1 ? { a: 1 } : Hashes::TENS; h.size }
      expect_same([1, 2]) { |x| count = ->(list) { list.tally }; count.([x, 1]).merge(count.([2])) }
      expect_same([{ a: 1 }, { a: 5 }]) { |h| h.merge({ b: h[:a] }) }
      expect([3, 1].pmap { |x| { x => Hash.new(x) } }.map { |h| h.values.first[:none] }).to eq([3, 1])
    end

    it "is written out with many pairs" do
      word = "b"
      expect_same([1, 2]) { |x| { a: x, b: x * 2, c: nil, d: "e", e: 0.5, f: x == 1 } }
      expect_same([1, 2]) { |x| h = { 1 => :a, 1.0 => "b", nil => x, true => nil, "s" => false, s: 3 }; [h, h[1], h[x], h["s"]] }
      expect_same([1, 3]) { |x| h = { x => 1, 2 => 2, 3 => 3, x + 2 => 4, 7 => 5 }; [h, h.size, h[3]] }
      expect_same([1]) do |x|
        a = +"x"
        h = { word => a, "a" => a, "c" => +"y", word => "w", "d" => "z", "e" => x.to_s }
        h["a"] << "!"
        [h, a, h["a"].equal?(a), h.keys.map(&:frozen?), h.keys[0].equal?(word)]
      end
      expect_same([{ z: 1 }]) { |others| { **others, a: 1, b: 2, c: 3, d: 4, e: 5, z: 6 } }
    end

    it "has frozen copies of Strings as keys, of each text one" do
      words = Array.new(6) { |i| "w#{i % 3}" }
      frozen = words.map { |word| word.dup.freeze }
      look = lambda do |keys, texts|
        [keys.map(&:frozen?), keys.map { |key| key.equal?(texts[0]) }, keys]
      end
      expect_same([words, frozen]) { |texts| h = {}; texts.each { |w| h[w] = 1 }; look.call(h.keys, texts) }
      expect_same([words]) do |texts|
        one = {}
        other = texts.to_h { |w| [w, 1] }
        texts.each { |w| one[w] = other[w] }
        k = one.keys[1]
        [k.equal?(other.keys[1]), k.equal?(other.keys[0]), other.max_by { |_, v| v }[0].frozen?]
      end
      keep = ->(h) { Ikra.section { words.each { |w| h[w] ||= w.size }; h.keys } }
      kept = {}
      given = keep.call(kept)
      expect(look.call(given, words)).to eq([[true] * 3, [false] * 3, %w[w0 w1 w2]])
      expect(given.zip(kept.keys).map { |a, b| a.equal?(b) }).to eq([true] * 3)
    end

    it "has arrays as keys that change no more" do
      expect_same([4, 7]) do |n|
        seen = {}
        at = [0, 0]
        n.times { |i| at = at.clone; at[i % 2] += 1; seen[at] ||= i }
        [seen.size, seen[[1, 1]], seen[[9, 9]], seen.sum { |key, i| key.sum + i }]
      end
      expect_same([4, 7]) do |n|
        seen = Set.new
        n.times { |i| row = [i % 3]; row << i % 2; seen << row }
        [seen.size, seen.include?([1, 1]), seen.include?([0])]
      end
      expect_same([3, 40]) { |n| (0...n).group_by { |i| a = [i]; a << i % 2; a.shift; a }.transform_values(&:size).values }
      others = [->(s) { s | 5 }, ->(s) { s - 5 }, ->(s) { s ^ 5 }, ->(s) { s.merge(5) }, ->(s) { s.subtract(nil) }]
      others.each { |f| expect { [Set[1]].pmap(&f) }.to raise_error(ArgumentError, "value must be enumerable") }
      expect_same([2]) { |n| (Set[n] ^ nil).to_a }
      next if backend == :ruby

      changing = -> { [3].pmap { |x| k = [x]; k << 1; h = { k => 1 }; k << 2; h.size } }
      expect(&changing).to raise_error(Ikra::UnsupportedError, /is the key of a Hash.*\[unsupported-key\]/m)
    end

    it "freezes arrays that were changed" do
      expect_same([1, 2]) do |n|
        a = [n]
        a << n + 1
        a.freeze
        [a.frozen?, a.dup.frozen?, a.clone.frozen?, a.map { |x| x + 1 }.frozen?, a.sum]
      end
      expect_same([1, 2]) { |n| a = [n]; a << 3; a.freeze if n > 1; a << 4; a }
      expect_same([1, 2]) { |n| a = [n]; a << 3; b = a.freeze.clone; b[0] = 4; b }
      expect_same([1, 2]) { |n| a = [n]; a << 3; b = a.freeze.dup; b[0] = 4; [a, b, b.frozen?] }
      expect_same([1, 2]) { |n| a = [n]; a << 3; a.freeze; begin; a.map!(&:succ); rescue FrozenError; :frozen; end }
    end

    it "has Sets as keys", if: RUBY_VERSION < "3.5" do
      sets = [Set[1, 2], Set[3]]
      known = { Set[2, 1] => :a, Set[3] => :b }
      expect_same([0, 1]) { |i| [known[sets[i]], known.key?(Set[3]), known[Set[]]] }
      expect_same([2, 5]) { |n| (0...n).map { |i| Set[i % 2, 1] }.tally.values }
      expect_same([2, 5]) { |n| [(0...n).map { |i| Set[i % 3, 0] }.uniq.size, Set[Set[n], Set[n, 1], Set[n]].size] }
      expect_same([2, 5]) { |n| h = {}; h[[Set[1, n], 3]] = n; [h[[Set[n, 1], 3]], h[[Set[n], 3]], h.size] }
      expect_same([2, 5]) { |n| [Set[1, n].eql?(Set[n, 1]), Set[n].eql?([n]), Set[n].eql?(Set[n.to_f])] }
      next if backend == :ruby

      changing = -> { [3].pmap { |x| s = Set[x]; h = { s => 1 }; s << 1; h.size } }
      expect(&changing).to raise_error(Ikra::UnsupportedError, /a Hash or Set is changed that.*\[unsupported-key\]/m)
    end

    it "refuses what it does not follow" do
      expect_refused("unsupported-key") { [3].pmap { |x| (k = [1]) && (h = { k => x }) && k.push(2) && h[[1, 2]] } }
      expect_refused("unsupported-result") { [1].pmap { |n| Hash.new { |h, k| h[k] = n } } }
      # One that exists.
      expect_refused("unsupported-method") { [1].pmap { |x| Hashes::CHANGED.freeze[x] } }
      next if backend == :ruby

      adding = -> { [1].pmap { |_| h = { 1 => 2 }; h.each { |k, _| h[k + 1] = 3 }; h } }
      expect(&adding).to raise_error(Ikra::UnsupportedError, /gets or loses keys/)
    end
  end

  # Until Ruby 3.4 it is written in Ruby, around a Hash.
  describe "a Set", if: RUBY_VERSION < "3.5" do
    it "is asked and gone through" do
      set = Set[1, 2, 5]
      mixed = Set[:a, [1, 2], nil, 1.0]
      expect_same(odd) { |x| [set.include?(x), set.member?(x), set === x, mixed.include?(x), mixed.size] }
      expect_same([1, 2]) { |x| [set.size, set.length, set.empty?, set.count, set.to_a, set.any? { |y| y > x }, set.min] }
      expect_same([1, 2]) { |x| n = 0; set.each { |y| n += y * x }; [n, set.map { |y| y * x }, set.sum, set.sort_by { |y| -y }] }
      expect_same([1, 2]) { |x| [set.inspect, mixed.to_s, "#{Set[x]} #{Set.new}", { x => Set[:a, "é"] }.inspect] }
      expect_same([1, 2]) { |x| [set.group_by { |y| y > x }, set.select { |y| y > x }.size, set.first, set.to_set.size] }
      expect_same([1]) { |_| set }
    end

    it "finds pairs by what their keys equal" do
      large = (1..20).to_h { |i| [i, i] }
      expect_same([1.0, 3.0, 21.0]) { |x| [{ 1 => 2, 3 => 4 }.assoc(x), large.assoc(x), large.assoc(x.to_i)] }
      expect_same([[1], [2]]) { |x| { [1] => 5 }.assoc(x)&.first.equal?(x) }
    end

    it "looks up keys that could be arrays by what stands there" do
      parse = ->(text) { text[0] == "-" ? [:neg, parse.call(text[1..])] : [:var, text] }
      value = lambda do |node, env|
        next -value.call(node[1], env) if node[0] == :neg

        node.size == 3 ? env[node[1]] = 5 : env[node[1]]
      end
      env = { "x" => 10 }
      expect_same(%w[x -x]) { |text| value.call(parse.call(text), env) }
    end

    it "is made" do
      expect_same([1, 3]) { |x| a = Set.new; a.add(x); a << 2; [a.add?(1).nil?, a.size, a.to_a, a.include?(3)] }
      expect_same([1, 3]) { |x| a = Set.new([1, x, 7]); a.delete(7); [a.to_a, [1, x].to_set.size, Set[1, x].include?(3)] }
      expect_same([1, 3]) { |x| a = Set[1, x]; [(a | [5]).to_a, (a & [1]).to_a, (a - [1]).to_a, (a ^ Set[3, 4]).to_a, a.size] }
      expect_same([1, 3]) { |x| a = Set[1, x]; [a.subset?(Set[1, 2, 3]), a.superset?(Set[1]), a == Set[x, 1], a.disjoint?(Set[1])] }
      expect_same([1, 3]) { |x| a = Set[1, x]; a.merge([5, 6, 7]); a.subtract([1]); a.delete_if { |y| y > 6 }; a.to_a }
      expect_same([4]) { |x| a = Set.new; 50.times { |i| a << i * i % 31 }; [a.size, a.include?(x), a.map { |y| y * 2 }.sum] }
      expect_same([4]) { |x| a = Set.new; 9.times { |i| a << [i % 3, x] }; [a.size, a.include?([1, 4]), a.include?([1, 5])] }
    end
  end
end

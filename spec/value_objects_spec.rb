# frozen_string_literal: true

require "set"

# Value objects as people write them, and others whose `eql?` and `hash` say different things. Small Hashes of Ruby's compare
# a byte of the hash, in which 1.hash and 1.0.hash, or Object#hash of two objects, may be equal by chance: where equal
# objects have different hashes these are numbers whose bytes differ.
module ValueObjects
  class Value
    attr_reader :x

    def initialize(x) = @x = x
    def ==(other) = other.is_a?(Value) && x == other.x
    alias eql? ==
    def hash = x.is_a?(Integer) ? x : (x.nan? ? 99 : 100 + x.to_i)
  end

  class Special < Value; end

  class Tree
    attr_reader :value, :left, :right

    def initialize(value, left = nil, right = nil)
      @value = value
      @left = left
      @right = right
    end

    def eql?(other) = other.is_a?(Tree) && [value, left, right].eql?([other.value, other.left, other.right])
    def hash = [value, left, right].hash
  end

  class Pair
    attr_reader :a, :b

    def initialize(a, b)
      @a = a
      @b = b
    end

    def eql?(other) = a.eql?(other.a) && b.eql?(other.b)
    def hash = (31 * ((31 * 17) + a.hash)) + b.hash
  end

  class NoHash
    attr_reader :x, :hash

    def initialize(x, hash)
      @x = x
      @hash = hash
    end

    def eql?(other) = x == other.x
  end

  class NoEql
    attr_reader :x

    def initialize(x) = @x = x
    def hash = x.hash
  end

  Held = Struct.new(:value, :number)
  SIZES = [3, 15, 16, 17, 18, 40].freeze
end

each_backend do
  it "counts, groups and looks up by an `eql?` and `hash` of one's own" do
    expect_same([[1, 1.0, 1], [0, 0.0, -0.0]]) do |numbers|
      all = numbers.map { |x| ValueObjects::Value.new(x) }
      [all.uniq.size, all.group_by(&:itself).size, all.tally.values, all.to_h { |v| [v, 0] }.size]
    end
    expect_same([3, 40, 400]) { |n| h = {}; n.times { |i| h[ValueObjects::Value.new(i % 7)] = i }; [h.size, h.values] }
    expect_same([3, 40]) do |n|
      h = Hash.new(0)
      n.times do |i|
        h[ValueObjects::Tree.new(i % 3, ValueObjects::Tree.new(i % 2), ValueObjects::Tree.new("a#{i % 2}"))] += 1
      end
      h.values
    end
    expect_same([3, 40]) do |n|
      h = Hash.new(0)
      n.times { |i| h[ValueObjects::Pair.new(i % 3, "k#{i % 4}")] += 1 }
      h.values
    end
  end

  it "asks them in what they are parts of" do
    expect_same([3, 40]) do |n|
      h = Hash.new(0)
      n.times { |i| h[ValueObjects::Held.new(ValueObjects::Value.new(i % 3), i % 2)] += 1 }
      h.values
    end
    expect_same([3, 40]) do |n|
      h = Hash.new(0)
      n.times { |i| h[[ValueObjects::Value.new(i % 3), ValueObjects::Value.new(i.odd? ? 1 : 2.5)]] += 1 }
      h.values
    end
  end

  it "finds objects of other classes, if they say so" do
    known = { ValueObjects::Value.new(1) => :a, ValueObjects::Value.new(2.0) => :b, ValueObjects::Special.new(3) => :c }
    expect_same([1, 2, 3, 2.0, 4]) do |n|
      [known[ValueObjects::Value.new(n)], known.key?(ValueObjects::Special.new(n)), known.fetch(ValueObjects::Value.new(n), 0)]
    end
    trees = Set[ValueObjects::Tree.new(1, ValueObjects::Tree.new(2)), ValueObjects::Tree.new(3)]
    expect_same([1, 3]) do |n|
      [trees.include?(ValueObjects::Tree.new(n)), trees.include?(ValueObjects::Tree.new(n, ValueObjects::Tree.new(2)))]
    end
  end

  it "changes Hashes by them" do
    counts = Array.new(2) { { ValueObjects::Value.new(1) => 0 } }
    [1, 2, 1].each { |x| counts[0][ValueObjects::Value.new(x)] = counts[0].fetch(ValueObjects::Value.new(x), 5) + 1 }
    Warnings.without do
      [1, 2, 1].peach { |x| counts[1][ValueObjects::Value.new(x)] = counts[1].fetch(ValueObjects::Value.new(x), 5) + 1 }
    end
    expect(counts[1].map { |key, value| [key.x, value] }).to eql(counts[0].map { |key, value| [key.x, value] })
  end

  it "knows an object again whose `eql?` says no of itself" do
    expect_same([0.0, 1.0]) do |zero|
      value = ValueObjects::Value.new(zero / zero)
      [[value, value].uniq.size, { value => 1 }[value], [value].intersect?([value]), ([value] - [value]).size]
    end
  end

  it "asks nothing for Hashes that compare by identity" do
    values = [1, 1, 2].map { |x| ValueObjects::Value.new(x) }
    known = {}.compare_by_identity
    known[values[0]] = :a
    known[values[2]] = :c
    expect_same(values) { |value| [known[value], known.key?(value), known.fetch(value, 0)] }
  end

  it "makes Integers of what `hash` gives, as MRI" do
    expect_same([nil, 2.7, 3, 2, "a", :b, Float::NAN]) do |given|
      h = { ValueObjects::NoHash.new(1, given) => 1 }
      [h.size, h[ValueObjects::NoHash.new(1, 2)]]
    rescue TypeError, FloatDomainError => e
      [e.class, e.message]
    end
  end

  it "asks `eql?` alone of few, and both of many, as MRI" do
    [ValueObjects::Value, ValueObjects::NoHash, ValueObjects::NoEql].each do |made|
      make = made == ValueObjects::NoHash ? ->(x, number) { made.new(x, number) } : ->(x, _) { made.new(x) }
      expect_same(ValueObjects::SIZES) do |n|
        a = Array.new(n) { |i| make.call(i.odd? ? i % 5 : (i % 5).to_f, i) }
        b = Array.new(n - 1) { |i| make.call(i.even? ? i % 4 : (i % 4).to_f, 100 + i) }
        [*[a - b, a & b, a | b, b - a, a.uniq, a.tally.keys].map(&:size), a.intersect?(b), a.intersect?(b.first(1))]
      end
    end
  end
end

# frozen_string_literal: true

# What Ruby asks objects for by itself: their `!` and `to_ary`; their classes; the order of symbols.
class OwnNot
  attr_reader :v

  def initialize(v) = @v = v
  def ! = @v
end

class SelfNot < OwnNot
  def ! = self
end

# Says that it is nil, which only those hear who ask it.
class NullObject
  def nil? = true
  def v = 5
end

# With methods by names that Ikra could ask for what is given.
class Everything
  attr_reader :v

  def initialize(v) = @v = v
  def tap = @v = 0
  def is_a?(_class) = true
end

class Pairing
  attr_reader :v

  def initialize(v) = @v = v
  def to_ary = [@v, @v + 1]
end

class NoPair < Pairing
  def to_ary = nil
end

class WrongPair < Pairing
  def to_ary = 5
end

class LongPair < Pairing
  def to_ary = (1..@v).map { |i| i * 2 }
end

class PrivatePair < Pairing
  def pair = ((a, = self); a.equal?(self) ? :self : a)

  private def to_ary = [@v, @v + 1]
end

each_backend do
  it "asks nothing of what elements give" do
    all = [1, 3, 2].map { |v| Everything.new(v) }
    expect([all.pmax_by { |one| one.v }, all.pmin { |a, b| a.v <=> b.v }, all.pfind { |one| one.v == 3 }])
      .to eq([all[1], all[0], all[1]])
    expect([all.pcount(all[0]), all.pfind_index(all[2]), all.map(&:v)]).to eq([1, 2, [1, 3, 2]])
  end

  it "calls a `!` of the user's" do
    base = [OwnNot.new(1), OwnNot.new(2)]
    expect_same(base) { |x| !x }
    expect_same(base) { |x| !(x && x) }
    expect_same(base) { |x| !(x.v == 1 && x) }
    expect_same(base) { |x| !(x.v == 1 || x) }
    expect_same(base) { |x| !!x }
    expect_same(base) { |x| !(!x) }
    expect_same(base) { |x| (not (x && x.v)) }
    expect_same(base) { |x| (not (x and x)) }
    expect_same(base) { |x| !(x.v == 1 ? x : nil) }
    expect_same(base) { |x| !(nil || x) }
    expect_same(base) { |x| if !(x && x) then 1 else 2 end }
    expect_same(base) { |x| if !(x.v == 1 && x) then 1 else 2 end }
    expect_same(base) { |x| x.v == 3 || !(x && x) }
    expect_same(base) { |x| unless !(x.v == 2 || x) then 1 else 2 end }
    expect_same(base) { |x| !(x; x) }
    expect_same(base) { |x| !begin x && x end }
  end

  it "calls a `!` that gives an object" do
    base = [SelfNot.new(1), SelfNot.new(2)]
    expect_same(base) { |x| (!(x && x)).v }
    expect_same(base) { |x| (!(!x)).v }
    expect_same(base) { |x| (!!x).v }
  end

  it "asks for to_ary" do
    base = [Pairing.new(1), Pairing.new(2)]
    expect_same(base) { |x| a, b = x; [a, b] }
    expect_same(base) { |x| a, b = x; [b, a] }
    expect_same(base) { |x| a, *b = x; [a, b] }
    expect_same(base) { |x| *a, b = x; [a, b] }
    expect_same(base) { |x| a, (b, c) = 5, x; [a, b, c] }
    expect_same(base) { |x| [x].each { |a, b| break [a, b] } }
    expect_same(base) { |x| [[x, 1]].map { |(a, b), c| [a, b, c] } }
    expect_same(base) { |x| [x].map { |a, b| b } }
    expect_same(base) { |x| [x].map { |a, | a } }
    expect_same(base) { |x| [x].inject(0) { |s, (a, b)| s + a + b } }
    expect_same(base) { |x| [x].each_with_index.map { |(a, b), i| a + b + i } }
    expect_same(base) { |x| [x].map { |a| a.v } }
    expect_same(base) { |x| for a, b in [x] do break [a, b] end }
    expect_same(base) { |x| [x].flatten }
    expect_same(base) { |x| [[1, x]].flatten }
    expect_same(base) { |x| [1] + x }
    expect_same(base) { |x| [x].size }
    expect_same(base) { |x| [[1, 2], x].transpose }
    expect_same(base) { |x| Array(x) }
    expect_same(base) { |x| pr2 = ->((a, b)) { a + b }; pr2.(x) }
    expect_same(base) { |x| [1, 2] == x }
    expect_same(base) { |x| x.then { |a, b| [a, b] } }
  end

  it "takes nil from to_ary for no array" do
    base = [NoPair.new(1), NoPair.new(2)]
    expect_same(base) { |x| a, b = x; [a.v, b] }
    expect_same(base) { |x| [x].map { |a, b| [a.v, b] } }
  end

  it "raises where to_ary gives no array" do
    base = [WrongPair.new(1), WrongPair.new(2)]
    expect_same(base) { |x| a, b = x; [a, b] }
    expect_same(base) { |x| [x].map { |a, b| b } }
  end

  it "takes arrays of any length from to_ary" do
    base = [LongPair.new(0), LongPair.new(3)]
    expect_same(base) { |x| a, b = x; [a, b] }
    expect_same(base) { |x| [x].map { |a, b| [a, b] } }
  end

  it "calls a private to_ary" do
    base = [PrivatePair.new(0), PrivatePair.new(3)]
    expect_same(base) { |x| a, b = x; a }
    expect_same(base) { |x| x.pair }
  end

  it "tells the class of a value of several classes" do
    base = [1, 2.5, nil, :a, true, false]
    expect_same(base) { |x| x.nil?.class == TrueClass }
    expect_same(base) { |x| x.nil?.class == FalseClass }
    expect_same(base) { |x| x.nil?.class == NilClass }
    expect_same(base) { |x| x.class == Integer }
    expect_same(base) { |x| x.nil?.class.equal?(TrueClass) }
    expect_same(base) { |x| c = x.nil?.class; c == TrueClass ? 1 : 2 }
    expect_same(base) { |x| x.class == x.nil?.class }
    expect_same(base) { |x| x.nil?.class === true }
    expect_same(base) { |x| case x.nil? when TrueClass then 1 else 2 end }
    expect_same(base) { |x| x.class == (x.nil? ? NilClass : Symbol) }
  end

  it "knows the order of symbols" do
    base = [:b, :a, :aa, :ab, :"", :"ä", :Z, :c]
    expect_same(base) { |x| x <=> :b }
    expect_same(base) { |x| :b <=> x }
    expect_same(base) { |x| x <=> x }
    expect_same(base) { |x| x <=> nil }
    expect_same(base) { |x| [x, :b, :aa].min }
    expect_same(base) { |x| [x, :b, :aa].sort }
    expect_same(base) { |x| [x, :b, :aa].max }
    expect_same(base) { |x| x.between?(:a, :b) }
    expect_same(base) { |x| x.clamp(:a, :b) }
    expect_same(base) { |x| x > :a }
    expect_same(base) { |x| x == :b }
  end

  it "sorts symbols" do
    base = [[:b, :a], [:aa, :b], [:z, :y]]
    expect_same(base) { |x| x[0] <=> x[1] }
    expect_same(base) { |x| x.sort }
    expect_same(base) { |x| x.min }
    expect_same(base) { |x| x.minmax }
    expect_same(base) { |x| x.sort_by { |s| s } }
    expect_same(base) { |x| x.max_by { |s| s } }
    expect_same(base) { |x| (x + [:q, :c]).sort }
  end

  it "takes the last numbers of a range" do
    base = [0, 1, 2, 3]
    expect_same(base) { |x| (1..x).last(2) }
    expect_same(base) { |x| (1...x).last(2) }
    expect_same(base) { |x| (1..1).last(2) }
    expect_same(base) { |x| (1..x).last(0) }
    expect_same(base) { |x| (1..1).last(-1) }
    expect_same(base) { |x| (x..1).last(-1) }
    expect_same(base) { |x| (1..x).last(5) }
    expect_same(base) { |x| (1..x).last(1.5) }
  end

  it "asks nil? only where it is called" do
    base = [NullObject.new, nil, 3]
    expect_same(base) { |x| [x, nil, 1].compact.size }
    expect_same(base) { |x| [x].compact.any? }
    expect_same(base) { |x| [x, nil].find { |y| y }.equal?(x) }
    expect_same(base) { |x| x.nil? ? (x ? x.v : 0) : x }
    expect_same(base) { |x| x.is_a?(Integer) ? 1 : x&.v }
    expect_same(base) { |x| [[x, 1]].to_a.first.first.nil? }
  end

  it "keeps classes as values" do
    base = [1, 2.5, nil, :a, true, false, Pairing.new(1), NoPair.new(1)]
    expect_same(base) { |x| x.class }
    expect_same(base) { |x| [x.class, 1] }
    expect_same(base) { |x| [x.class, x.nil?.class] }
    expect_same(base) { |x| c = nil; 3.times { |i| c = i == 1 ? x.class : Integer }; c }
    expect_same(base) { |x| x.is_a?(x.nil? ? NilClass : Integer) }
    expect_same(base) { |x| c = x.is_a?(Numeric) ? Integer : NilClass; case x when c then 1 else 2 end }
    expect_same(base) { |x| c = x.is_a?(Pairing) ? x.class : 5; c }
    expect_same(base) { |x| x.class <= Pairing }
    expect_same(base) { |x| x.class <= Comparable }
    expect_same(base) { |x| x.class.equal?(Integer) }
    expect_same(base) { |x| x.class != Integer }
    expect_same(base) { |x| x.class.eql?(Float) }
    expect_same(base) { |x| x.class === x }
    expect_same(base) { |x| x.class.frozen? }
    expect_same(base) { |x| x.class.nil? }
    expect_same(base) { |x| [x.class, Integer].uniq.size }
    expect_same(base) { |x| [x.class, Integer, Float].include?(x.class) }
    expect_same(base) { |x| [Integer, Float, Pairing].map { |k| x.is_a?(k) } }
    expect_same(base) { |x| [Integer, Float, Pairing].find { |k| k === x } }
    expect_same(base) { |x| [Integer, Float, Pairing].count { |k| x.is_a?(k) } }
    expect_same(base) { |x| x.class.is_a?(Class) }
    expect_same(base) { |x| [[x.class]].flatten }
    expect_same(base) { |x| x.instance_of?(x.class) }
    expect_same(base) { |x| x.class ? 1 : 2 }
    expect_same(base) { |x| x.class || 5 }
  end
end

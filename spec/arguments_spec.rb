# frozen_string_literal: true

# From Ruby 3.4 on it is a gem of its own, which need not be there.
begin
  require "bigdecimal"
rescue LoadError
  nil
end

# What Ruby's own methods make of objects that they are given: they ask them for `==`, `coerce`, `to_int`, `to_ary` and
# `to_f`, and know some of Ruby's own classes by what they are.
class ArgumentGrade
  include Comparable
  attr_reader :n

  def initialize(n) = @n = n
  def <=>(other) = n <=> (other.is_a?(ArgumentGrade) ? other.n : other)
end

class ArgumentUnordered
  include Comparable
end

class ArgumentTruthy
  def ==(other) = (other == 3 ? :yes : nil)
end

class ArgumentMoney
  attr_reader :c

  def initialize(c) = @c = c
  def coerce(other) = [other, c]
end

class ArgumentCents < ArgumentMoney
  def coerce(other) = [ArgumentCents.new(other), self]
  def <=>(other) = c <=> (other.is_a?(ArgumentMoney) ? other.c : other)
  def >(other) = c > other.c
  def fdiv(other) = c.fdiv(other.c)
  def &(other) = c & other.c
end

class ArgumentPrivateMoney < ArgumentMoney
  private :coerce
end

class ArgumentIndex
  attr_reader :i

  def initialize(i) = @i = i
  def to_int = i
end

class ArgumentWrongIndex
  def to_int = 1.5
end

class ArgumentReal < Numeric
  attr_reader :x

  def initialize(x) = @x = x
  def to_f = x
end

class ArgumentList < Array
end

class ArgumentPair
  attr_reader :v

  def initialize(v) = @v = v
  def to_ary = [v, v + 1]
  def ==(other) = other[0] == v
end

class ArgumentFast
  def self.cost = 1
end

class ArgumentSlow
  def self.cost = 2
end

ArgumentJob = Struct.new(:kind, :value)
ArgumentRange = Class.new(Range)
ARGUMENT_RANGE = (1..2)

each_backend do
  it "asks for the order where Comparable compares" do
    grades = [1, 3, 3.0, 4].map { |n| ArgumentGrade.new(n) }
    expect_same(grades) { |g| case g when 3 then :three else :other end }
    expect_same(grades) { |g| case g; in 3 then :three; in 1.0 then :one; else :other end }
    expect_same(grades) { |g| [3 == g, 3.0 == g, 3 != g, 4 === g] }
    expect_same(grades) { |g| [[3].include?(g), [1, 3].index(g), [3, 3.0, 1].count(g), [3] == [g], [1] != [g]] }
    expect_same([3, 1, nil, :a]) { |x| [x == ArgumentGrade.new(3), ArgumentGrade.new(3) == 3] }
    expect_same([ArgumentUnordered.new]) { |x| [x == 3, 3 == x, x == x, x <=> 3] }
    expect_same([ArgumentTruthy.new]) { |x| [3 == x, 4.0 == x, 3 != x, [3] == [x]] }
  end

  it "compares numbers with what coerce gives" do
    monies = [3, 5, 7.5].map { |c| ArgumentMoney.new(c) } + [ArgumentPrivateMoney.new(2)]
    expect_same(monies) { |m| [5 <=> m, 5 > m, 5 >= m, 5 < m, 5 <= m] }
    expect_same(monies) { |m| [5.5 <=> m, 5.5 > m, 5.5 >= m, 5.5 < m, (0.0 / 0.0) <=> m, (1.0 / 0.0) > m] }
    expect_same(monies) { |m| [5.between?(m, 6), 5.between?(2, m), 4.5.between?(m, m)] }
    expect_same(monies) { |m| [4, m].max.is_a?(Integer) }
    expect_same([3, 5, 8].map { |c| ArgumentCents.new(c) }) do |m|
      [(4..6).include?(m), (4...5) === m, (..5).cover?(m), (5..).member?(m), 5 <=> m, 5 > m, 7.fdiv(m), 7 & m]
    end
    expect_same([ArgumentGrade.new(3)]) { |g| [5 <=> g, (1..5).include?(g), 5.0 <=> g, (..5) === g, (1..5) === nil] }
    expect_same([ArgumentGrade.new(3)]) { |g| 5 > g }
    expect_same([ArgumentGrade.new(3)]) { |g| 5.between?(g, 6) }
    expect_same([ArgumentGrade.new(3)]) { |g| 5.clamp(g, 6) }
    expect_same([[3]]) { |a| 5.clamp(a, 6) }
    expect_same([ArgumentCents.new(3)]) { |g| 5.clamp(g, 6) }
    expect_same([ArgumentMoney.new(nil)]) { |m| 5 <=> m }
    expect_same(monies.first(3)) { |m| [1, 2].sum(m) }
    expect_same([ArgumentMoney.new(nil)]) { |m| 5 < m }
    expect_same([ArgumentMoney.new(:a)]) { |m| 5.0 < m }
  end

  it "asks for to_int, to_f and to_ary" do
    indices = [0, 1, -1].map { |i| ArgumentIndex.new(i) }
    expect_same(indices) { |i| [[10, 20][i], [10, 20].at(i), [1, 2, 3].rotate(i), 1.25.round(i), 5[i], 1 << i] }
    expect_same(indices) { |i| [[10, 20].fetch(i), [1, 2].values_at(i, 0), Array.new(2) { |k| [k, 7][i] }] }
    expect_same(indices) { |i| [[1, 2, 3].first(i), Array.new(i)] }
    expect_same([ArgumentIndex.new(2)]) { |i| [[1, 2, 3].first(i), [3] * i, Array.new(i, 5), (1..5).first(i)] }
    expect_same([ArgumentIndex.new(2)]) { |i| [Integer.sqrt(i), [1, 2, 3].each_slice(i).to_a, 19.digits(i)] }
    expect_same([ArgumentIndex.new(1)]) { |i| rand(i) }
    expect_same([ArgumentReal.new(4.0)]) { |x| [Math.sqrt(x), Math.atan2(0, x)] }
    expect_same([ArgumentIndex.new(4)]) { |x| Math.sqrt(x) }
    expect_same([ArgumentMoney.new(1)]) { |x| [1, 2][x] }
    pairs = [1, 2].map { |v| ArgumentPair.new(v) }
    expect_same(pairs) { |x| [[1, 2] == x, [1, 2] != x, [1, 2] <=> x, [[1, 2]].include?(x), [5].zip(x)] }
    expect_same(pairs) { |x| a = [5]; a.concat(x); a }
    expect_same(pairs) { |x| [[1], [2]].flat_map { |_| x } }
    expect_same(pairs) { |x| Array.new(x) }
    expect_same([3]) { |x| a = [5]; a.concat(x); a }
  end
end

each_compiling_backend do
  def expect_refused(base, hint = nil, &block)
    expect { base.pmap(&block) }.to raise_error(Ikra::UnsupportedError, hint && /#{hint}/)
  end

  it "refuses what is made in C where Ruby's own methods are given them" do
    [Time.at(1), *(BigDecimal("1") if defined?(BigDecimal))].each do |number|
      base = [ArgumentMoney.new(number)]
      expect_refused(base) { |x| 1 <=> x.c }
      expect_refused(base) { |x| 1.5 > x.c }
      expect_refused(base) { |x| 1 + x.c }
      expect_refused(base) { |x| 1 == x.c }
      expect_refused(base) { |x| (0..2).include?(x.c) }
      expect_refused(base) { |x| (0..2) === x.c }
      expect_refused(base) { |x| case x.c when 0..2 then 1 end }
      expect_refused(base) { |x| case x.c; in 0..2 then 1; else 2 end }
      expect_refused(base) { |x| 1.between?(0, x.c) }
      expect_refused(base) { |x| 1.clamp(0, x.c) }
      expect_refused(base) { |x| Math.sqrt(x.c) }
      expect_refused(base) { |x| [1, 2][x.c] }
      expect_refused(base) { |x| [1, 2].first(x.c) }
      expect_refused(base) { |x| [1, 2].fetch(x.c, 1) }
      expect_refused(base) { |x| Array.new(x.c) }
      expect_refused(base) { |x| a = [1]; a[x.c] = 3; a }
      expect_refused(base) { |x| [1].fill(1, x.c) }
      expect_refused(base) { |x| rand(x.c) }
      expect_refused(base) { |x| 1.fdiv(x.c) }
      expect_refused(base) { |x| 1 & x.c }
      expect_refused(base) { |x| 1.upto(x.c) { } }
    end
    mixed = [1, Time.at(1)].map { |c| ArgumentMoney.new(c) }
    expect_refused(mixed) { |x| 1 <=> x.c }
    expect(mixed.first(1).pmap { |x| 1 <=> x.c }).to eq([0])
  end

  it "carries them" do
    base = [1r, nil].map { |c| ArgumentMoney.new(c) }
    expect_same(base) { |x| [x.c, [x.c], x.c.nil?, x.c.equal?(x.c), nil == x.c, :a == x.c, x == x.c, x.c.is_a?(Rational)] }
    expect_same(base) { |x| a = [1]; a << x.c; a.push(x.c); a.fill(x.c, 0, 1); a[0] = x.c; a.insert(1, x.c); a }
    expect_same(base) { |x| [[1].fetch(4, x.c), Array.new(2, x.c), ArgumentMoney.new(x.c).c, [x.c].each { |y| y }] }
    expect_same(base) { |x| case x.c when Rational then 1 when nil then 2 end }
  end

  it "asks which class it is that an object holds" do
    jobs = [ArgumentFast, ArgumentSlow].map { |kind| ArgumentJob.new(kind, 1) }
    expect_same(jobs) { |j| j.kind.cost }
    expect_same(jobs) { |j| j.kind.cost rescue 0 }
    expect_same(jobs) { |j| j.kind.respond_to?(:cost) }
    expect_same(jobs) { |j| j.kind.equal?(ArgumentFast) }
    expect_same(jobs) { |j| ArgumentFast.equal?(j.kind) }
    expect_same(jobs) { |j| j.kind.eql?(ArgumentFast) }
    expect_same(jobs) { |j| ArgumentFast.eql?(j.kind) }
    expect_same(jobs) { |j| j.kind == ArgumentFast }
    expect_same(jobs) { |j| ArgumentFast == j.kind }
    expect_same(jobs) { |j| ArgumentFast != j.kind }
    expect_same(jobs) { |j| [ArgumentFast].include?(j.kind) }
    expect_same(jobs) { |j| j.class == j.kind }
    expect_same(jobs) { |j| ArgumentFast <= j.kind }
    expect_same(jobs) { |j| 5.is_a?(j.kind) }
    expect_same(jobs) { |j| j.kind_of?(j.kind) }
    expect_same(jobs) { |j| j.instance_of?(j.kind) }
    expect_same(jobs) { |j| case j when j.kind then 1 end }
    expect_same([Math]) { |m| m.sqrt(4) }
    expect_same(jobs) { |j| j.kind.name }
    expect_same(jobs) { |j| j.kind.new.class }
    expect_refused(jobs) { |j| j.kind.is_a?(Comparable) }
    expect_same(jobs) { |j| [j.kind, j.kind.nil?, j.kind.equal?(j.kind), j.kind.is_a?(Class), 1 == j.value, j.kind.eql?(nil)] }
    expect_same(jobs) { |j| [j.class.equal?(ArgumentJob), j.class == ArgumentJob, ArgumentFast.cost] }
  end

  it "refuses Arrays and Ranges of other classes" do
    base = [ArgumentMoney.new(ArgumentList.new([1, 2]))]
    expect_refused(base) { |x| [1, 2] == x.c }
    expect_refused(base) { |x| [1, 2] != x.c }
    expect_refused(base) { |x| [1, 2].eql?(x.c) }
    expect_refused(base) { |x| [1, 2] <=> x.c }
    expect_refused(base) { |x| [[1, 2]].include?(x.c) }
    expect_refused(base) { |x| [[1, 2]].index(x.c) }
    expect_refused(base) { |x| [[1, 2]] - [x.c] }
    expect_refused(base) { |x| [[1, 2]] & [x.c] }
    expect_refused(base) { |x| case x.c when [1, 2] then 1 end }
    expect_refused(base) { |x| case x.c; in [1, 2] then 1; else 2 end }
    expect_refused(base) { |x| a, b = x.c; [a, b] }
    expect_refused(base) { |x| [5].zip(x.c) }
    expect_refused(base) { |x| [5] + x.c }
    expect_refused(base) { |x| [[5], x.c].flatten }
    expect_refused(base) { |x| [1].flat_map { x.c } }
    expect_refused(base) { |x| Array.new(x.c) }
    expect_refused(base) { |x| Array(x.c) }
    expect_refused([ArgumentMoney.new(ARGUMENT_RANGE)], "ends of ranges") { |x| ARGUMENT_RANGE.equal?(x.c) }
    [[(1..2), :expect_same], [ArgumentRange.new(1, 2), :expect_refused]].each do |range, expectation|
      held = [ArgumentMoney.new(range)]
      public_send(expectation, held) { |x| (1..2) == x.c }
      public_send(expectation, held) { |x| (1..2).eql?(x.c) }
      public_send(expectation, held) { |x| [1, 2, 3][x.c] }
      public_send(expectation, held) { |x| [1, 2, 3].values_at(x.c) }
      public_send(expectation, held) { |x| 5.clamp(x.c) }
      public_send(expectation, held) { |x| [1, 2].include?(rand(x.c)) }
      public_send(expectation, held) { |x| (0..5).cover?(x.c) }
      public_send(expectation, held) { |x| [1].fill(0, x.c) }
      public_send(expectation, held) { |x| [1].zip(x.c) }
    end
  end

  it "refuses conversions that it cannot follow, and names no parts of built-ins" do
    expect_refused([ArgumentWrongIndex.new], "to_int") { |i| [1, 2][i] }
    expect_refused([ArgumentMoney.new(3)], "`zip` with ArgumentMoney") { |x| [5].zip(x) }
    expect_same([3, nil]) { |x| [5].zip(x) }
    expect_refused([ArgumentMoney.new(3)]) { |x| 1.upto(x) { } }
    expect_refused([ArgumentMoney.new(3)]) { |x| 7.remainder(x) }
    expect_refused([ArgumentMoney.new(3)]) { |x| (0..5).step(x) { } }
    expect_refused([ArgumentMoney.new(3)]) { |x| (0..5).sum(x) }
    expect_refused([ArgumentReal.new(3.0)]) { |x| (1.0 / 0.0) <=> x }
  end

  it "tells of nil as Ruby does, which has other words for an index" do
    expect_same([nil, 2]) { |n| 6[n] }
    expect_same([nil, 2]) { |n| 6 << n }
    expect_same([nil, 2]) { |n| [6, 7][n] }
    expect_same([nil, 2]) { |n| Integer.sqrt(n) }
    expect_same([nil, 2]) { |n| 6.round(n) }
  end
end

# frozen_string_literal: true

# What Rubies differ in: the running one decides. Each block is run by Ruby and by every back-end, and must give the
# same.
DialectPair = Struct.new(:one, :two)
DialectKey = Struct.new(:first_key, :second_key)

# A number of its own: Array#sum asks it for its Float, or adds it up.
class DialectReal < Numeric
  def initialize(value)
    super()
    @value = value
  end

  def to_f = @value
  def +(other) = @value + (other.is_a?(DialectReal) ? other.to_f : other)
  def coerce(other) = [other.to_f, @value]
end

# Has an order, and says what it was asked.
class DialectGrade
  include Comparable

  def initialize(grade) = @grade = grade
  attr_reader :grade

  def <=>(other) = other.is_a?(DialectGrade) ? grade <=> other.grade : nil
  def over(low, high) = clamp(low, high).grade
end

# Methods that raise, each defined in another way.
class DialectRoad
  def self.blocked(x) = closed(x)

  def drive(x) = turn(x)
  def turn(x) = x.nope
  alias steer turn

  class << self
    def closed(x) = raise(ArgumentError, "no way")
  end
end

class DialectLane < DialectRoad
  def drive(x) = super
  def narrow(a, b) = a
  def wide(x) = narrow(x)
end

module DialectMap
  module_function

  def find(x) = x.nope
end

each_backend do
  let(:sums) do
    [[0.1] * 10, [1e100, 1.0, -1e100], [1, 2, 3], [1, 2, 0.1, 0.2, 3], [3, 0.1, 5], [], [2**53, 1, 1], [1, -1e100],
     [Float::INFINITY, 1.0], [1e308, 1e308], [Float::NAN, 1], [-0.0], [1, -1], [1, 1e-17, 0.5]]
  end

  it "sums from a start as the running Ruby does" do
    expect_same(sums) { |a| a.sum }
    expect_same(sums) { |a| a.sum(0.0) }
    expect_same(sums) { |a| a.sum(0.3) }
    expect_same(sums) { |a| a.sum(-0.0) }
    expect_same(sums) { |a| a.sum(1e100) }
    expect_same(sums) { |a| a.sum(7) }
    expect_same(sums) { |a| [a.sum(0.5) { |x| x * 0.1 }, a.sum(0.0) { |x| x > 1 ? 1 : x }] }
    expect_same(sums) { |a| n = 0; a.sum(0.5) { |x| n += 1; x }; n }
    expect_same(sums) { |a| [a.each_with_index.sum(0.1) { |x, i| x }, a.each.sum(0.1)] }
    expect_same([1, 5, 50]) { |n| [(1..n).sum(0.1), (1..n).sum(0.1) { |i| i * 0.1 }, (1..n).sum(2) { |i| i }] }
    expect_same([DialectPair.new(1, 1e-17), DialectPair.new(3, 0.1)]) do |x|
      [x.sum(0.1), x.sum, x.sum(1) do |v|
                            v * 2
                          end]
    end
    expect_same([[2**62, 2**62 - 1, 0.5], [-(2**62), 7, 1.5, 2**61]]) { |a| [a.sum(0.25), a.sum(0.25) { |x| x }] }
  end

  it "sums numbers that the program defines" do
    reals = [0.25, 1e100].map { |x| DialectReal.new(x) }
    expect_same(reals) { |x| [1, 2].sum(x) }
    expect_same(reals) { |x| [1, 0.5, 2].sum(x) }
    expect_same(reals) { |x| [1, 0.5, x, 0.1, 0.1, 0.1].sum }
    expect_same(reals) { |x| [0.1, 0.2, x, 3, 4, 0.1, 0.7].sum(0.0) }
    expect_same(reals) { |x| (0..6).sum { |i| i == 2 ? x : i } }
    expect_same(reals) { |x| (0..6).sum { |i| i == 2 ? x : i * 0.1 } }
    expect_same(reals) { |x| (0..9).sum { |i| i == 2 ? x : i.even? ? i : i * 0.1 } }
  end

  it "divides by what is a Float or nothing" do
    pairs = [DialectPair.new(3, 2.5), DialectPair.new(7, nil)]
    expect_same(pairs) { |x| x.two ? x.one.fdiv(x.two) : 0.0 }
    expect_same(pairs) { |x| x.one.fdiv(x.two) }
    expect_same(pairs) { |x| x.two.is_a?(Integer) ? x.two.no_such_method : 1 }
  end

  it "sorts by keys that are equal" do
    lists = [7, 16, 17, 40, 100, 1000].map { |n| Array.new(n) { |i| (i * 7919) % n } }
    lists << Array.new(300) { |i| i } << Array.new(300) { |i| -i }
    expect_same(lists) { |a| a.sort_by { |x| x % 3 } }
    expect_same(lists) { |a| a.sort_by { |x| -x / 5 } }
    expect_same(lists) { |a| a.sort_by { |x| (x % 7) * 0.5 } }
    expect_same(lists) { |a| a.sort_by { |x| x.even? ? x % 5 : (x % 5) * 0.5 } }
    expect_same(lists) { |a| a.sort_by { |x| [x % 3, 0] } }
    expect_same(lists) { |a| a.sort_by { |x| x.even? ? :a : :b } }
    expect_same(lists) { |a| a.sort_by { |x| x % 9 == 0 ? (2**62) + (x % 2) : x % 4 } }
    expect_same(lists) { |a| a.each_with_index.sort_by { |x, i| i % 4 }.map(&:first) }
    expect_same(lists) { |a| (0...a.size).sort_by { |i| a[i] % 6 } }
    expect_same(lists) { |a| b = a.map { |x| x }; b.sort_by! { |x| x % 3 }; b }
    expect_same(lists) { |a| b = a.dup; n = 0; b.sort_by! { |x| n += 1; 0 }; n }
    expect_same([[], [1], [1, 2]]) { |a| b = a.dup; n = 0; b.sort_by! { |x| n += 1; 0 }; [n, b] }
    expect_same([DialectKey.new(3, 1), DialectKey.new(0, 2)]) { |x| x.sort_by { |v| v % 2 } }
  end

  it "sorts by keys in a way that makes it slow for others" do
    # Of many keys against which a quicksort from the middle does badly, some are equal.
    bad = [200, 3000].map do |n|
      Array.new(n) { |i| i }.tap do |a|
        2.upto(n - 1) { |i| a[i / 2], a[i] = a[i], a[i / 2] }
      end
    end
    expect_same(bad) { |a| a.sort_by { |x| x / 2 } }
    expect_same(bad) { |a| a.sort_by { |x| x } }
    expect_same(bad) { |a| a.each_with_index.sort_by { |x, i| x / 3 }.map(&:last) }
  end

  it "finds what cannot be compared where Ruby does" do
    lists = [3, 10, 17, 60].flat_map do |n|
      [0, n / 2, n - 1].map { |at| Array.new(n) { |i| i == at ? Float::NAN : ((i * 7919) % n) * 0.5 } }
    end
    lists.each { |list| expect_same([list]) { |a| a.sort_by { |x| x } } }
    lists.each { |list| expect_same([list]) { |a| a.sort_by { |x| x % 2 == 0.5 ? x.to_i : x } } }
  end

  it "searches as the running Ruby does" do
    sizes = [1, 2, 3, 10, 11, 64]
    expect_same(sizes) { |n| seen = []; [(0..n).bsearch { |i| seen << i; i >= n / 2 }, seen] }
    expect_same(sizes) { |n| seen = []; [(-n...n).bsearch { |i| seen << i; i >= 0 }, seen] }
    expect_same(sizes) { |n| seen = []; [(-n..n + 1).bsearch { |i| seen << i; i > n }, seen] }
    expect_same(sizes) { |n| seen = []; [(-n..n).bsearch { |i| seen << i; n - i }, seen] }
    expect_same(sizes) { |n| seen = []; [(n..).bsearch { |i| seen << i; i >= n * 3 }, seen] }
    expect_same(sizes) { |n| seen = []; [(..n).bsearch { |i| seen << i; i >= -n }, seen] }
    expect_same(sizes) { |n| seen = []; [(0.0..n.to_f).bsearch { |x| seen << x; x >= 0.3 }, seen.size, seen.sum] }
    expect_same(sizes) { |n| seen = []; [(-1.5...n).bsearch { |x| seen << x; x >= 0.3 }, seen.size] }
    expect_same(sizes) { |n| seen = []; [(-(2**62) - n..n).bsearch { |i| seen << i; i > -n }, seen.size, seen.first] }
    expect_same(sizes) { |n| seen = []; [(n..n - 1).bsearch { |i| seen << i; true }, seen] }
    # Blocks that no search is meant for.
    expect_same(sizes) { |n| seen = []; [(0..n).bsearch { |i| seen << i; i.even? }, seen] }
    lists = sizes.map { |n| Array.new(n) { |i| i } }
    expect_same(lists) { |a| [a.bsearch { |x| 1.0 - x }, a.bsearch { |x| x - 1.0 }, a.bsearch { |x| 1 - x }] }
    expect_same(lists) { |a| [a.bsearch_index { |x| 2.5 - x }, a.bsearch_index { |x| x > 1 ? 2**62 : -1 }] }
    expect_same(lists) { |a| seen = []; [a.bsearch { |x| seen << x; x > 1 ? -0.5 : 0.5 }, seen] }
  end

  it "steps through ranges" do
    by = [1, 2, 3, 7]
    expect_same(by) { |n| seen = []; (1..10).step(n) { |i| seen << i }; seen }
    expect_same(by) { |n| seen = []; (10..1).step(-n) { |i| seen << i }; seen }
    expect_same(by) { |n| seen = []; (10...1).step(-n) { |i| seen << i }; seen }
    expect_same(by) { |n| seen = []; (1..10).step(-n) { |i| seen << i }; seen }
    expect_same(by) { |n| ((1..10) % -n).to_a }
    expect_same(by) { |n| [(10..1).step(-n).to_a, ((10...1) % -n).map { |x| x * 2 }, (1..10).step(n).to_a] }
    expect_same(by) { |n| seen = []; (n..).step(-2) { |i| seen << i; break if seen.size > 3 }; seen }
    expect_same(by) { |n| seen = []; (1.0..2.0).step(n * 0.3) { |x| seen << x }; seen }
    expect_same(by) { |n| seen = []; (1.0...2.2).step(n * 0.3) { |x| seen << x }; seen }
    expect_same(by) { |n| seen = []; (2.0..1.0).step(n * -0.3) { |x| seen << x }; seen }
    expect_same(by) { |n| seen = []; (2...1.1).step(n * -0.3) { |x| seen << x }; seen }
    expect_same(by) { |n| [(2.0..1.0).step(n * -0.3).to_a, (1..2.5).step(n).to_a, (1.0..).step(n).first(3)] }
    expect_same(by) { |n| seen = []; (1.0..).step(0.5) { |x| seen << x; break if x > n }; seen }
    expect_same(by) { |n| seen = []; (1..Float::INFINITY).step(n) { |x| seen << x; break if x > 9 }; seen }
    expect_same([0, 0.0, -0.0]) { |n| (1..3).step(n) { |i| i }; 1 }
    expect_same([0, 0.0]) { |n| (1.0..3.0).step(n) { |i| i }; 1 }
    expect_same([0, 0.0]) { |n| (1..3).step(n); 1 }
    expect_same([0, 0.0]) { |n| (1..3) % n; 1 }
    expect_same([0, 0.0]) { |n| 1.step(5, n); 1 }
    expect_same([-1, -0.5, Float::NAN]) { |n| (1.0..3.0).step(n) { |i| i }; 1 }
    expect_same([Float::INFINITY, -Float::INFINITY]) { |n| s = []; (1.0..3.0).step(n) { |i| s << i }; s }
  end

  it "counts what ranges have" do
    ends = [3, 3.5, 0, -2, 3.0]
    expect_same(ends) { |n| [(1..n).size, (1...n).size, (1..n).count, (1...n).count] }
    expect_same(ends) { |n| (0.5..n).size }
    expect_same(ends) { |n| (0.5...n).size }
    expect_same(ends) { |n| (0.5..n).count }
    expect_same(ends) { |n| [(1..).size, (1..).count, (n..n + 2).count(&:odd?)] }
    expect_same(ends) { |n| (..n).size }
    expect_same(ends) { |n| (..n).count }
    expect_same(ends) { |n| (0.5..).size }
    expect_same(ends) { |n| [(1..Float::INFINITY).size, (1..-Float::INFINITY).size] }
    expect_same(ends) { |n| [(1..1).last(1), (1..1).last(5), (1...1).last(1), (1..2).last(1)] }
  end

  it "goes through ranges from their end" do
    ends = [3, 3.5, 0, 4.0]
    expect_same(ends) { |n| seen = []; (1..n).reverse_each { |i| seen << i }; seen }
    expect_same(ends) { |n| seen = []; (1...n).reverse_each { |i| seen << i }; seen }
    expect_same(ends) { |n| seen = []; (0.5..n).reverse_each { |i| seen << i }; seen }
    expect_same([3, 4]) { |n| seen = []; (..n).reverse_each { |i| seen << i; break if seen.size > 2 }; seen }
    expect_same([3.5]) { |n| (..n).reverse_each { |i| break i } }
    expect_same([3]) { |n| (n..).reverse_each { |i| break i } } if Range.instance_method(:reverse_each).owner == Range
  end

  it "asks whether ranges overlap" do
    skip "Range#overlap? is not there" unless (1..2).respond_to?(:overlap?)

    ends = [-1, 0, 1, 2, 3, 1.5]
    expect_same(ends) { |n| [(0..2).overlap?(n..5), (0...2).overlap?(n..5), (n..5).overlap?(0..2)] }
    expect_same(ends) { |n| [(0..2).overlap?(n...n), (n...n).overlap?(0..2), (2..0).overlap?(n..2)] }
    expect_same(ends) { |n| [(..n).overlap?(1..2), (1..2).overlap?(..n), (..n).overlap?(..0), (..n).overlap?(2..)] }
    expect_same(ends) { |n| [(n..).overlap?(1..2), (1...2).overlap?(n..), (n..).overlap?(5..), (...n).overlap?(1..)] }
    expect_same(ends) { |n| (1..2).overlap?(n) }
    expect_same(ends) { |n| (1..2).overlap?(nil) }
  end

  it "has the methods that the running Ruby has" do
    lists = [[3, 1, 2], [], [7, 7, 1, 9, -4]]
    expect_same(lists) { |a| a.fetch_values(0, -1) }
    expect_same(lists) { |a| a.fetch_values }
    expect_same(lists) { |a| a.fetch_values(0, 1.5, 7) { |i| i * 10 } }
    expect_same(lists) { |a| a.rfind { |x| x > 1 } }
    expect_same(lists) { |a| a.rfind.with_index { |x, i| i < 2 } }
    expect_same([7, -7, 0, 2**62, -(2**63)]) { |n| [n.ceildiv(3), n.ceildiv(-3), n.ceildiv(2.5)] }
    expect_same([7]) { |n| n.ceildiv(0) }
    expect_same([7]) { |n| n.ceildiv(nil) }
    expect_same([0.5, 0.0, -0.5, 1e-20, 3]) { |x| [Math.log1p(x), Math.expm1(x)] }
    expect_same([-2]) { |x| Math.log1p(x) }
    expect_same([1]) { |x| x.no_ruby_has_this }
  end

  it "gives blocks with keywords what the running Ruby gives them" do
    pairs = [[1, 2], [3, [4]], [[5, 6], 7]]
    expect_same(pairs) { |a, k: 0| a }
    expect_same(pairs) { |a, b, k: 0| [b, a, k] }
    expect_same(pairs) { |(a, b), k: 0| [b, a, k] }
    expect_same(pairs) { |*a, k: 0| [a.size, k] }
    expect_same(pairs) { |a = 9, k: 0| [a, k] }
    expect_same(pairs) { |a| [[1, 2]].map { |x, k: 3| x } }
    expect_same(pairs) { |a| [[1, 2]].map { |x = 8, *rest| [x, rest] } }
    expect_same(pairs) { |a| [[[1, 2], 3]].map { |x, *rest, k: 1| [x, rest, k] } }
    expect_same(pairs) { |a| [[1, 2]].each_with_index.map { |x, k: 3| x } }
    expect_same(pairs) { |a| [[[1, 2], 3]].map { |(x, y)| [x, y] } }
  end

  it "raises in the running Ruby's words" do
    grades = [1, 5].map { |n| DialectGrade.new(n) }
    expect_same(grades) { |g| g.clamp(DialectGrade.new(3), DialectGrade.new(2)).grade }
    expect_same(grades) { |g| g.clamp(DialectGrade.new(2), DialectGrade.new(3)).grade }
    expect_same([1, 2.5, :b]) { |x| x.clamp(x, x) }
    expect_same([1, 2.5]) { |x| x.clamp(3, 2) }
    expect_same([1]) { |x| x.clamp(3..2) }
    expect_same([1, :a]) { |x| x.nope }
    expect_same([1.5]) { |x| x.nope(1) }
    expect_same([nil]) { |x| x + 1 }
    expect_same([true]) { |x| x.nope }
    expect_same([1]) { |x| Math.nope }
    expect_same([1]) { |x| Integer.nope }
    expect_same([DialectPair.new(1, 2)]) { |x| x.third }
  end

  # The frames of this file that are not of `map` and `pmap` themselves, from the innermost on.
  def frames(count)
    yield
  rescue StandardError => e
    e.backtrace.grep(/#{Regexp.escape(__FILE__)}/).grep_v(/[#`]p?map'\z/).first(count)
  end

  it "names the code in backtraces as the running Ruby does" do
    base = [1]
    lane = DialectLane.new
    anonymous = Class.new { def go(x) = x.nope }.new
    each_way = lambda do |count, &block|
      expect(frames(count) { block.call(:pmap) }).to eq(frames(count) { block.call(:map) })
    end
    each_way.call(4) { |how| base.public_send(how) { |x| lane.drive(x) } }
    each_way.call(2) { |how| base.public_send(how) { |x| lane.steer(x) } }
    each_way.call(3) { |how| base.public_send(how) { |x| lane.wide(x) } }
    each_way.call(3) { |how| base.public_send(how) { |x| DialectLane.blocked(x) } }
    each_way.call(2) { |how| base.public_send(how) { |x| DialectMap.find(x) } }
    each_way.call(2) { |how| base.public_send(how) { |x| anonymous.go(x) } }
    each_way.call(1) { |how| base.public_send(how) { |x| x.nope } }
  end
end

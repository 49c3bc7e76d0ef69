# frozen_string_literal: true

# Array literals that are changed elsewhere: in a method or lambda that they are handed to, or by a chain of calls.
class Growing
  attr_reader :n

  def initialize(n) = @n = n
  def push(a) = a << @n
  def two(a) = (push(a); push(a); a)
  def build = (a = []; two(a); a)
  def pairs = (a = [[0, 0]]; add(a); a)
  def add(a) = a[0] << @n
  def rec(a, k) = k == 0 ? a : (a << k; rec(a, k - 1))
  def swap(a) = (a[0], a[1] = a[1], a[0]; a)
  def sorted(a) = a.sort!
  def keep(a) = (b = a; b << 1; a)
  def made = yield([])
  def pop(a) = a.pop
end

each_backend do
  it "finds memory for arrays of any length, several times over" do
    expect_same([1, 30, 200, 3000]) { |n| Array.new(n) { |i| i } }
    expect_same([3000, 200, 30, 1]) { |n| a = []; n.times { |i| a << [i, n] }; a.sum { |i, m| i * m } }
  end

  it "makes lists of them" do
    base = [Growing.new(1), Growing.new(2)]
    expect_same(base) { |x| x.build }
    expect_same(base) { |x| a = []; x.push(a); a }
    expect_same(base) { |x| a = [5]; x.two(a); a }
    expect_same(base) { |x| a = [5, 6]; x.push(a); [a, a.size] }
    expect_same(base) { |x| x.two([1, 2]) }
    expect_same(base) { |x| x.pairs }
    expect_same(base) { |x| x.rec([], 3) }
    expect_same(base) { |x| x.swap([1, 2]) }
    expect_same(base) { |x| x.swap([1, x.n]) }
    expect_same(base) { |x| x.sorted([3, 1, x.n]) }
    expect_same(base) { |x| x.keep([7]) }
    expect_same(base) { |x| x.made { |a| a << 3; a } }
    expect_same(base) { |x| x.pop([1, 2, 3]) }
    expect_same(base) { |x| a = [1]; b = a; x.push(b); a }
    expect_same(base) { |x| a = x.n == 1 ? [1] : [2, 3]; x.push(a); a }
    expect_same(base) { |x| a = x.n == 1 ? [1] : (1..3).map { |i| i }; x.push(a); a }
    expect_same(base) { |x| a = [1, 2]; f = ->(z) { z << 9 }; f.(a); a }
    expect_same(base) { |x| [1, 2].tap { |a| a << 3 } }
    expect_same(base) { |x| [1, 2].then { |a| a.push(4) } }
    expect_same(base) { |x| [[1], [2]].each { |a| a << x.n } }
    expect_same(base) { |x| [[1], [2]].map { |a| a << x.n } }
    expect_same(base) { |x| [[1], [2, 3]].map { |a| a << x.n } }
    expect_same(base) { |x| a = [[1], [2]]; a.each { |b| x.push(b) }; a }
    expect_same(base) { |x| [3, 1].sort.push(2) }
    expect_same(base) { |x| [1, 2].map { |v| v * 2 }.push(2) }
    expect_same(base) { |x| a, b = [1, 2], [3]; x.push(a); x.push(b); [a, b] }
    expect_same(base) { |x| h = [1, :a]; x.push(h); h }
    expect_same(base) { |x| [1, 2] << 3 }
    expect_same(base) { |x| [1, 2].push(x.n).size }
    expect_same(base) { |x| (x.n > 1 ? [1] : [2]) << 5 }
    expect_same(base) { |x| [[x.n, 1]].each_with_object([]) { |p, acc| acc << p } }
    expect_same(base) { |x| a = [1]; x.push(a) if x.n > 1; a }
  end
end

each_compiling_backend do
  it "refuses to change what methods of Ruby's own gave" do
    expect { [1].pmap { |x| 7.divmod(2) << x } }.to raise_error(Ikra::UnsupportedError, /\[unsupported-store\]/)
  end
end

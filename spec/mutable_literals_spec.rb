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

  it "makes lists of those that Ruby's own methods give" do
    base = [Growing.new(1), Growing.new(2)]
    expect_same(base) { |x| [x.n.divmod(2) << 3, [1, x.n].minmax.push(3).sort!, { a: x.n }.to_a[0] << 1] }
    expect_same(base) { |x| [x.n.divmod(2).tap { |p| p << 1 }, { a: x.n }.to_a.tap { |all| all[0] << 1 }] }
    expect_same(base) { |x| [1, 2, x.n].zip([3, 4, 5]).tap { |all| all[0] << 3 } }
    expect_same(base) { |x| r = x.n.divmod(2); x.push(r); [r, x.push({ a: x.n }.min_by { |_, n| n })] }
    expect_same(base) { |x| r = [x.n.divmod(2)]; r[0] << 3; [r, { q: x.n.divmod(2) }.each_value { |p| p << 4 }] }
    expect_same(base) { |x| x.n.divmod(2).freeze << 3 }
  end

  it "makes lists of those that they give to blocks" do
    base = [Growing.new(1), Growing.new(2)]
    expect_same(base) { |x| r = []; [1, 2, x.n].each_slice(2) { |p| r << x.push(p) << p }; r }
    expect_same(base) { |x| [1, 2, x.n].each_cons(2).select { |p| p << 3 } }
    expect_same(base) { |x| [1, 2, x.n].combination(2).partition { |p| (p << 3)[0] > 1 } }
    expect_same(base) { |x| { a: x.n, b: 2 }.sort_by { |p| -(p << 3)[1] } }
    expect_same(base) { |x| { a: x.n, b: 2 }.each_with_index.map { |p, i| p << i } }
    expect_same(base) { |x| [1, x.n].product([3]).each { |p| p << 3 } }
    expect_same(base) { |x| [1, 2, x.n].each_slice(2).to_a.each { |p| p << 3 } }
    expect_same(base) { |x| [1, 2, x.n].each_slice(2).to_a.tap { |all| all[0] << 3 } }
  end

  it "shows what elements change of them to the code around a parallel call" do
    [-> { [1, 2, 3].map { |x| x.divmod(2) }.tap { |all| all.peach { |p| p << 1 } } },
     -> { [1, 2, 3].zip([4, 5, 6]).tap { |all| all.peach { |p| p[0] = 9 } } },
     -> { { a: 1 }.to_a.tap { |all| all.peach { |p| p << 1 } } },
     -> { [1, 2, 3].each_slice(2).to_a.then { |all| [all.pmap { |p| p << 1 }, all] } }].each do |work|
      expect_same_program { Ikra.section(&work) }
    end
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

# Sets that are united.
class UnionFind
  def initialize(size) = (@parents, @sizes = (0...size).to_a, [1] * size)
  def find(x) = @parents[x] == x ? x : (@parents[x] = find(@parents[x]))

  def unite(a, b)
    a, b = find(a), find(b)
    return if a == b

    @parents[a] = b
    @sizes[b] += @sizes[a]
  end

  def size(x) = @sizes[find(x)]
  def self.filled(n) = Array.new(n, 0).tap { |a| a[n - 1] = 1 }
end

each_backend do
  numbers = [1, 2, 3]

  it "changes arrays of known length that methods made" do
    expect_same(numbers) { |n| u = UnionFind.new(10); u.unite(1, n); u.unite(n, 5); u.unite(7, 8); [u.size(1), u.size(8)] }
    expect_same(numbers) { |n| u = UnionFind.new(n + 10); u.unite(1, n); u.size(1) }
    expect_same(numbers) { |n| a = (1..3).to_a; a.pop; a << n; a }
    expect_same(numbers) { |n| a = [0] * 5; b = a; b[n] += 1; [a, b] }
    expect_same(numbers) { |n| a = [1, 2, 3].map { |x| x * n }; a[0] = 9; a.push(4); a }
    expect_same(numbers) { |n| a = [1, 2, 3]; b = a.first(2); b << n; [a, b] }
    expect_same(numbers) { |n| a = [1, n]; b = a.dup; b << 4; [a, b] }
    expect_same(numbers) { |n| g = Array.new(3) { [0] * 3 }; g[n - 1][1] += 5; g[0][n - 1] = 7; g }
    expect_same(numbers) { |n| g = [[0] * 2] * 2; g[0][0] = n; g }
    expect_same(numbers) { |n| a = [3, n, 1].sort; a.reverse!; a.shift; a }
    expect_same([0, 1, 2]) { |n| n > 1 ? UnionFind.filled(n) : [] }
    expect_same([0, 1, 2]) { |n| UnionFind.filled(n) rescue [] }
  end

  it "changes what other methods gave where it is" do
    expect_same(numbers) { |n| a = [[1, 2], [3, 4]]; b = a.first; b << n; a }
    expect_same([0, 1]) { |n| a = [[1, 2], [3, 4]]; b = a[n]; b << n; a }
    expect_same(numbers) { |n| a = [1, 2]; b = a.each { |x| x }; b << n; a }
    expect_same(numbers) { |n| a = [1, 2]; b = a.tap { |x| x }; b << n; a }
  end
end

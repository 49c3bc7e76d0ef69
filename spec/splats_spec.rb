# frozen_string_literal: true

# rubocop:disable Style/Semicolon, Layout/LineLength

# Splats of arrays whose length is known at run time only.
module Splats
  Point = Struct.new(:x, :y)

  # What is made of arguments.
  class Made
    def initialize(one, two = 7)
      @one = one
      @two = two
    end

    def number = (@one * 100) + @two
  end

  # An array in two ways.
  class Both
    def initialize(one) = @one = one
    def to_a = [@one, @one + 1]
    def to_ary = [@one, 9]
  end

  # Not always an array.
  class Sometimes
    def initialize(one) = @one = one
    def to_a = @one > 2 ? [@one] * 3 : nil
  end

  # Overridden with a bare `super`.
  class Base
    def counted(one, *rest) = [one, rest.size]
  end

  # Changes what `super` passes on.
  class Derived < Base
    def counted(one, *rest)
      rest << 1
      super
    end
  end

  module_function

  def all(*rest) = rest.sum
  def one(first, *rest) = [first, rest]
  def two(first, second) = (first * 10) + second
  def optional(first, second = first + 1, third = second + 1) = [first, second, third]
  # rubocop:disable Style/OptionalArguments
  def mixed(first, second = 5, *rest, last) = [first, second, rest, last]
  # rubocop:enable Style/OptionalArguments
  def named(first, *rest, by: 3) = [first, rest, by]
  def yielded(*rest) = yield(*rest)
  def counted_down(count, *rest) = count.zero? ? rest : counted_down(count - 1, *rest, count)
  def sum(first = nil, *rest) = first.nil? ? 0 : first + sum(*rest)

  def grown(*rest)
    rest << 4
    rest
  end
end

each_backend do
  numbers = [0, 1, 2, 3, 5]
  lists = numbers.map { |n| (1..n).to_a }
  some = lists.drop(1)
  made = Splats

  it "stand in literals" do
    expect_same(lists) { |xs| [*xs, 9] + [9, *xs] + [*xs, *xs] + [*xs] }
    expect_same(lists) { |xs| [*xs, 1.5, nil, *xs, :a] }
    expect_same(lists) { |xs| [xs.max, *xs].max }
    expect_same(numbers) do |n|
      a = (0...n).map { |i| i * 2 }
      b = [*a, n]
      b << 5
      [a, b, [*b, *a]]
    end
    expect_same(numbers) do |n|
      a = []
      n.times { |i| a = [i, *a, *a] }
      a
    end
    expect_same(numbers) { |n| [*1..n, *(1..n).map { |i| -i }] }
  end

  it "take what is no array as it is, and nil as nothing" do
    expect_same(numbers) do |n|
      x = n > 2 ? nil : n
      y = n > 1 ? [n, n] : n
      z = n > 2 ? [n] * n : nil
      [*x, *y, *z, 1]
    end
    expect_same(numbers) { |n| [*made::Point.new(n, 2), *n] }
    expect_same(numbers.map { |n| made::Point.new(n, n * 2) }) { |point| [*point, 1] }
    expect_same(numbers) { |n| [*made::Both.new(n), [*made::Sometimes.new(n)].size] }
    expect_same(numbers) do |n|
      a, *b = made::Both.new(n)
      c, *d = *made::Both.new(n), n
      [a, *b, c, *d]
    end
  end

  it "are arguments of methods" do
    expect_same(lists) { |xs| made.all(*xs) + made.all(1, *xs, 2) + made.all(*xs, *xs) }
    expect_same(lists) { |xs| made.one(4, *xs) + made.one(4, 5, *xs) }
    expect_same(lists) { |xs| made.one(*xs) }
    expect_same(lists) { |xs| made.two(*xs) }
    expect_same([[1, 2], [3, 4]]) { |xs| made.two(*xs) }
    expect_same(lists) { |xs| made.optional(*xs) }
    expect_same(lists.first(3)) { |xs| made.optional(1, *xs) }
    expect_same(some) { |xs| made.mixed(0, *xs) + made.mixed(*xs, 0) }
    expect_same(lists) { |xs| made.mixed(0, *xs) }
    expect_same(some) { |xs| made.named(*xs) + made.named(*xs, by: xs.size) }
    expect_same(lists) { |xs| made.grown(*xs) }
    expect_same(numbers) { |n| made.grown(n, n) }
    expect_same(lists) { |xs| made.send(:all, *xs) }
    expect_same(some) { |xs| made::Derived.new.counted(*xs) + made::Derived.new.counted(3, *xs) }
    expect_same(lists) do |xs|
      made.two(*xs)
    rescue ArgumentError
      -1
    end
  end

  it "are arguments of methods that call themselves" do
    expect_same(lists) { |xs| made.counted_down(3, *xs) }
    expect_same(numbers) { |n| made.counted_down(n) }
    expect_same(lists) { |xs| made.sum(*xs) + made.sum(*xs, 1) }
  end

  it "are arguments of blocks, lambdas, new and push" do
    expect_same(lists) { |xs| made.yielded(*xs) { |a, b| [a, b] } }
    expect_same(lists) { |xs| made.yielded(7, *xs) { |a, b| [a, b] } }
    expect_same(lists) { |xs| made.yielded(*xs) { |a, b = 4, *c| [a, b, *c] } }
    expect_same(lists) { |xs| made.yielded(*xs) { |a, b = 4, *c, d| [a, b, c, d] } }
    expect_same(lists) { |xs| made.yielded(*xs) { |a = 1, b = 2| [a, b] } }
    expect_same(lists) { |xs| ->(a, *b) { [a, b] }.call(1, *xs) }
    expect_same(lists) { |xs| ->(a, *b) { [a, b] }.call(*xs) }
    expect_same(lists) { |xs| proc { |a, b| [a, b] }.call(*xs) }
    expect_same(lists) { |xs| made::Point.new(*xs).to_a }
    expect_same(lists.first(3)) { |xs| made::Point.new(*xs).to_a }
    expect_same([[2], [1, 2]]) { |xs| made::Made.new(*xs).number }
    expect_same(lists) { |xs| made::Made.new(*xs).number }
    expect_same(lists) do |xs|
      a = [1]
      a.push(*xs)
      a.push(*a)
      a.append(5, *xs)
    end
    expect_same(lists) do |xs|
      a = [1]
      a.unshift(*xs)
      a.unshift(4, *a)
    end
    expect_same(lists) { |xs| [5, 6, 7].values_at(*xs) + [5, 6, 7].values_at(-1, *xs.map { |x| x - 2 }, 0) }
  end

  it "are targets" do
    expect_same(lists) do |xs|
      a, *b = xs
      *c, d = xs
      [a, d, *b, *c]
    end
    expect_same(lists) do |xs|
      a, b, *c, d = xs
      [a, b, c, d]
    end
    expect_same(lists) do |xs|
      a, (b, *c), *d = 1, xs, *xs
      [a, b, *c, *d]
    end
    expect_same(numbers) do |n|
      a = (1..n).to_a
      first, *rest = a
      rest << 7
      [first, rest, a]
    end
    expect_same(numbers) do |n|
      first, *rest = [1, 2, n]
      rest << 7
      [first, rest]
    end
    expect_same(numbers) do |n|
      x = n > 2 ? [n] * n : nil
      a, *b = x
      y = n > 2 ? [n] * n : n
      c, *d, e = y
      [a, c, e, *b, *d]
    end
  end

  it "are parameters of blocks" do
    expect_same([lists]) { |all| all.map { |a, *r| [a, r] } }
    expect_same([lists]) { |all| all.map { |a, b = 3, *r| [a, b, r] } }
    expect_same([lists]) { |all| all.map { |a, b = a| [a, b] } }
    expect_same([lists]) { |all| all.map { |a, *r, z| [a, r, z] } }
    expect_same([lists]) { |all| all.each_with_index.map { |(a, *r), i| [a, r, i] } }
    expect_same([[[1, 2], nil, 3, [4, 5, 6]]]) { |all| all.map { |a, *r| [a, r] } }
  end

  it "stand in patterns" do
    expect_same(lists) do |xs|
      case xs
      in [] then [0]
      in [a, *r] then [a, *r]
      end
    end
    expect_same(lists) do |xs|
      case xs
      in [a, *r, z] then [a, z, *r]
      in [*r] then r
      end
    end
  end

  it "takes all items before it assigns any" do
    expect_same(numbers) do |n|
      a = (0..n + 4).to_a
      a[1], a[0] = a
      a[3], a[2], *b = a
      [a, b]
    end
  end

  # rubocop:disable Style/ParallelAssignment
  it "evaluates what targets need before the values" do
    expect_same(numbers) do |n|
      a = [5, 6, n]
      i = 0
      a[(i += 1) - 1], x = i, 9
      [a, x]
    end
    expect_same(numbers) do |n|
      a = [5, 6, n]
      i = 0
      a[i += 1], (a[i += 1], y) = i, [i * 10, n]
      [a, y]
    end
    expect_same(numbers) do |n|
      a = [5, 6, n]
      i = 0
      i, a[i] = 1, 2
      [a, i]
    end
  end
  # rubocop:enable Style/ParallelAssignment

  # Built-in methods: those that take any number, and those that take some.
  describe "of arrays of unknown length in built-ins" do
    let(:rows) { [[1, 2], [3], [], [4, 5, 6]] }
    let(:pairs) { [[[1, 2], [3, 4]], [[5]], [], [[1], [2], [3, 9]]] }
    let(:prices) { { 1 => :a, 2 => :b, 3 => :c, 4 => :d } }

    it "gives all of them to methods of Hash" do
      known = prices
      expect_same(rows) { |xs| known.slice(*xs) }
      expect_same(rows) { |xs| [known.except(*xs), known.values_at(*xs), known.slice(9, *xs, 1)] }
      expect_same(rows) { |xs| known.fetch_values(*xs) }
      expect_same(rows) { |xs| { 7 => 1 }.merge(*xs.map { |x| { x => x * 2 } }) }
      expect_same(rows) { |xs| h = { 1 => 0 }; h.merge!(*xs.map { |x| { x => x * 2 } }) { |_, a, b| a + b }; h }
    end

    it "gives all of them to methods of Array" do
      expect_same(rows) { |xs| a = [9]; a.push(*xs); a.unshift(0, *xs); a.append(*xs, 7); a }
      expect_same(rows) { |xs| a = [8, 9]; a.insert(1, *xs); a.insert(-2, 5, *xs); a }
      expect_same(rows) { |xs| a = [1, 2, 3]; a.insert(*xs) }
      expect_same(rows) { |xs| [[5, 6, 7, 8].values_at(*xs), Array[*xs], [*xs, 3].max] }
      expect_same(pairs) { |xs| [[].concat(*xs), [7].concat([8], *xs)] }
      expect_same(pairs) { |xs| a = [1]; a.concat(*xs, a); a }
      expect_same(pairs) { |xs| [[1, 5, 1].union(*xs), [1, 5, 1].difference(*xs), [1, 5, 1].intersection(*xs)] }
      expect_same(pairs) { |xs| [[1, 2].zip(*xs), [1, 2, 3].product(*xs), [1].product([8, 9], *xs)] }
      expect_same(pairs) { |xs| all = []; [1, 2].zip(*xs) { |row| all << row }; [3].product(*xs) { |row| all << row }; all }
      expect_same([[1, 2], [3]]) { |xs| [4].concat(*xs) }
      expect_same([[1, 2], [3]]) { |xs| [4].zip(*xs) }
    end

    it "gives so many as there are to those that take some" do
      expect_same(rows) { |xs| [7, 8, 9, 10, 11].slice(*xs) }
      expect_same(rows) { |xs| [7, 8, 9, 10, 11].first(*xs) }
      expect_same(rows) { |xs| 12.clamp(*xs) }
      expect_same(rows) { |xs| [12.gcd(*xs), 12.5.round(*xs)] }
      expect_same(rows) { |xs| [3, 1].sum(*xs) }
      expect_same(rows) { |xs| Math.hypot(*xs) }
      expect_same(rows) { |xs| 12.between?(*xs) }
      expect_same(rows) { |xs| [[3, 1].include?(*xs), [3, 1].size(*xs)] }
      expect_same(rows) { |xs| Array.new(*xs) }
      expect_same(rows) { |xs| [0, 0, 0, 0].fill(*xs) }
      expect_same(rows) { |xs| [5, 6].inject(*xs.first(1)) { |a, b| a + b } }
      expect_same(rows) { |xs| "hello"[*xs] }
      expect_same(rows) { |xs| [[1, 2], [3, 4]].dig(*xs.map { |x| x - 1 }) }
    end

    it "stands between brackets that are assigned" do
      expect_same([1, 2]) { |n| a = [5, 6, 7]; at = [n, 9].first(1); a[*at] = n * 10; a[*at] += 1; a[*at, 2] = 3; a }
      expect_same([1, 2]) { |n| a = [5, 6, 7]; at = [n, 1].select { |x| x > 0 }; a[*at] = [0, 0, n]; a }
    end

    it "gives texts" do
      texts = [%w[l], %w[l o], [], %w[he l lo]]
      expect_same(texts) { |xs| "hello".delete(*xs) }
      expect_same(texts) { |xs| ["hello".start_with?(*xs), "hello".end_with?("x", *xs), "hello".squeeze(*xs)] }
      expect_same(texts) { |xs| s = +"a"; s.concat(*xs); s.prepend(*xs); s }
      expect_same(texts) { |xs| "hello".tr(*xs) }
      expect_same(texts) { |xs| "hello".sub(*xs) }
      expect_same(texts) { |xs| "hello".split(*xs) }
    end
  end

  it "passes Hashes as options to what rounds" do
    expect_same([0.5, 1.5, -2.5]) { |x| o = { half: :even }; [x.round(**o), x.round(0, **o), (x / 10).round(1, **o)] }
    expect_same([{ half: :up }, { half: :down }, { half: nil }, {}]) { |o| [2.5.round(**o), -2.5.round(**o), 25.round(-1, **o)] }
    expect_same([1, 2]) { |x| o = {}; o[:half] = :down if x > 1; [(x + 0.5).round(**o), (x + 0.5).floor(**{}.merge({}))] }
    expect_same([:even, :odd, nil, :up]) { |mode| [3, 2.5.round(half: mode)] }
    expect_same([{ half: :down, more: 1 }]) { |o| 2.5.round(**o) }
    expect_same([{ more: 1 }]) { |o| [3.round(**o), 3.round(more: 2), 3.round(half: :odd)] }
    expect_same([2.5]) { |x| x.floor(half: :up) }
    expect_same([2.5]) { |x| x.ceil(1, half: :up) }
  end
end
# rubocop:enable Style/Semicolon, Layout/LineLength

# frozen_string_literal: true

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
end

each_compiling_backend do
  it "refuses those whose number a built-in method would have to know" do
    refused = raise_error(Ikra::UnsupportedError, /\[unsupported-splat\].*hint/m)
    expect { [[1, 2], [3, 4]].pmap { |xs| Math.hypot(*xs) } }.to refused
  end
end

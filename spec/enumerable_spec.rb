# frozen_string_literal: true

# Methods of Enumerable over an `each` of the user's: as Ruby, they go through it, stop it early, and make one value of
# several where the method does.
module OwnEnumerable
  class Bag
    include Enumerable

    def initialize(*items) = @items = items
    def inspect = "a bag"

    def each
      return to_enum(:each) unless block_given?

      for item in @items do yield item end # rubocop:disable Style/For
      self
    end
  end

  class Forwarding < Bag
    def each(&) = @items.each(&)
  end

  # Yields two values at a time.
  class Pairs
    include Enumerable

    def initialize(*items) = @items = items
    def size = 77
    def inspect = "pairs"

    def each
      i = 0
      while i < @items.size
        yield @items[i], i
        i += 1
      end
      :done
    end
  end

  class Mixed
    include Enumerable

    def inspect = "mixed"

    def each
      yield 1
      yield 2, 3
      yield [4, 5]
      yield nil
    end
  end

  class Tree
    include Enumerable

    attr_reader :left, :value, :right

    def self.of(*values)
      return if values.empty?

      middle = values.size / 2
      new(of(*values[0...middle]), values[middle], of(*values[(middle + 1)..]))
    end

    def initialize(left, value, right)
      @left = left
      @value = value
      @right = right
    end

    def inspect = "a tree"

    def each(&block)
      return enum_for(__method__) unless block

      left&.each(&block)
      yield value
      right&.each(&block)
    end
  end

  class Deck
    include Enumerable

    def initialize(size) = @size = size

    def each
      return enum_for(:each) { @size } unless block_given?

      @size.times { |i| yield i }
    end
  end

  # Counts what it was asked for.
  class Counting
    include Enumerable

    attr_reader :count_of_yields

    def initialize = @count_of_yields = 0

    def each
      5.times do |i|
        @count_of_yields += 1
        yield i
      end
    end
  end

  class Missing
    include Enumerable

    def inspect = "missing"
  end

  NUMBERS = {
    "map" => ->(b) { b.map { |x| x * 2 } },
    "select, reject" => ->(b) { [b.select(&:even?), b.reject(&:even?), b.filter_map { |x| x + 1 if x > 1 }] },
    "sum" => ->(b) { [b.sum, b.sum { |x| x * 1.5 }, b.sum(0.1)] },
    "min, max" => ->(b) { [[b.min], [b.max], b.minmax] },
    "min with a block" => ->(b) { [b.min { |x, y| y <=> x }, b.max { |x, y| y <=> x }, *b.minmax { |x, y| y <=> x }] },
    "min_by" => ->(b) { [b.min_by { |x| -x }, b.max_by { |x| -x }, *b.minmax_by { |x| (x - 2).abs }] },
    "inject" => ->(b) { [b.inject(:+), b.inject { |x, y| x - y }, b.inject(5) { |x, y| x * y }, b.reduce(1, :*)] },
    "sort" => ->(b) { [b.sort, b.sort { |x, y| y <=> x }, b.sort_by { |x| -x }] },
    "include?" => ->(b) { [b.include?(3), b.member?(99)] },
    "first, take, drop" => ->(b) { [[b.first], b.first(2), b.take(2), b.drop(2), b.first(0)] },
    "take_while" => ->(b) { [b.take_while { |x| x < 4 }, b.drop_while { |x| x < 4 }] },
    "find" => ->(b) { [b.find { |x| x > 2 }, b.find_index(3), b.find_index { |x| x > 2 }] },
    "any?" => ->(b) { [b.any?, b.any? { |x| x > 3 }, b.all? { |x| x > -3 }, b.none?(3), b.one? { |x| x == 3 }] },
    "count" => ->(b) { [b.count, b.count(3), b.count { |x| x > 2 }] },
    "each_with_index" => ->(b) { b.each_with_index.map { |x, i| x * i } },
    "each_with_object" => ->(b) { b.each_with_object([]) { |x, all| all << x } },
    "each_slice" => ->(b) { [b.each_slice(2).map(&:sum), b.each_cons(2).map { |x, y| y - x }] },
    "reverse_each" => ->(b) { b.reverse_each.map { |x| x } },
    "each_entry" => ->(b) { b.each_entry.map { |x| x } },
    "to_a" => ->(b) { [b.to_a, b.entries, [*b, 1], Array(b)] },
    "flat_map" => ->(b) { b.flat_map { |x| [x, x] } },
    "partition" => ->(b) { b.partition { |x| x > 2 } },
    "uniq" => ->(b) { [b.uniq, b.uniq { |x| x % 2 }] },
    "grep" => ->(b) { [b.grep(2..4), b.grep_v(2..4) { |x| x + 1 }] },
    "zip" => ->(b) { b.zip([1, 2, 3]) },
    "with_index" => ->(b) { b.map.with_index(1) { |x, i| x * i } },
    "to_enum" => ->(b) { b.to_enum(:each).with_index.map { |x, i| x + i } },
    "a loop left" => ->(b) { b.each { |x| break x if x > 2 } && 1 },
    "itself" => ->(b) { b.map { |x| b.sum { |y| x * y } } },
    "self" => ->(b) { [b.each_with_index { |x, i| x + i }.equal?(b), b.each_slice(2) { |x| x }.equal?(b)] }
  }.freeze

  SEVERAL = {
    "map" => ->(b) { [b.map { |x| x }, b.map { |x, y| [y, x] }] },
    "select" => ->(b) { [b.select { |x| x }, b.select { |_, y| y }] },
    "questions" => ->(b) { [b.any? { |x| x == 5 }, b.all? { |x| x }, b.one? { |x| x == 5 }, b.any?(Array)] },
    "count" => ->(b) { [b.count, b.count { |x| x == 5 }, b.find_index { |x| x == 6 }, b.find_index([6, 1])] },
    "flat_map" => ->(b) { [b.flat_map { |x| x }, b.filter_map { |x| x }] },
    "take_while" => ->(b) { b.take_while { |x| [5, 1].include?(x) } },
    "drop_while" => ->(b) { b.drop_while(&:nil?) },
    "uniq" => ->(b) { [b.uniq { |x| x }, b.uniq] },
    "first" => ->(b) { [b.first, b.take(2), b.include?([6, 1])] },
    "each_with_index" => ->(b) { b.each_with_index.map { |x, i| [x, i] } },
    "each_entry" => ->(b) { b.each_entry.to_a },
    "each_slice" => ->(b) { [b.each_slice(2).to_a, b.each_cons(2).to_a] },
    "partition" => ->(b) { b.partition { |x| x.is_a?(Array) } },
    "sum" => ->(b) { b.sum { |x| x.is_a?(Array) ? 10 : 1 } },
    "grep" => ->(b) { [b.grep(Array), b.grep(Array) { |_, y| y }] },
    "zip" => ->(b) { b.zip([1, 2]) },
    "min_by" => ->(b) { b.min_by { |x| x.is_a?(Array) ? 1 : 0 } },
    "sort_by" => ->(b) { b.sort_by { |_, y| y || 9 } },
    "reverse_each" => ->(b) { b.reverse_each.to_a },
    "cycle" => ->(b) { [].tap { |all| b.cycle(2) { |x| all << x } } },
    "with_index" => ->(b) { [b.map.with_index { |x, i| [x, i] }, b.select.with_index { |_, i| i == 0 }] },
    "size" => ->(b) { [b.each_with_index.size, b.to_enum.size] },
    "each" => ->(b) { b.each(&:itself) }
  }.freeze
end

each_backend do
  bags = [OwnEnumerable::Bag.new(3, 1, 2, 5, 3), OwnEnumerable::Bag.new(7), OwnEnumerable::Bag.new]
  forwarding = [OwnEnumerable::Forwarding.new(3, 1, 2, 5, 3), OwnEnumerable::Forwarding.new(7)]
  trees = [OwnEnumerable::Tree.of(3, 1, 2, 5, 3), OwnEnumerable::Tree.of(7)]

  OwnEnumerable::NUMBERS.each do |name, block|
    it "gives what Ruby gives: #{name}" do
      expect_same(bags, &block)
      expect_same(forwarding, &block)
      expect_same(trees, &block)
    end
  end

  OwnEnumerable::SEVERAL.each do |name, block|
    it "takes several values as Ruby does: #{name}" do
      expect_same([OwnEnumerable::Pairs.new(5, 6, 7), OwnEnumerable::Pairs.new], &block)
      expect_same([OwnEnumerable::Mixed.new], &block)
    end
  end

  it "stops an each where the answer is known" do
    make = -> { [OwnEnumerable::Counting.new] }
    expect_same_effects(make) { |c| c.first }
    expect_same_effects(make) { |c| c.first(2) }
    expect_same_effects(make) { |c| c.find { |x| x == 3 } }
    expect_same_effects(make) { |c| c.any? { |x| x > 1 } }
    expect_same_effects(make) { |c| c.take(0) }
    expect_same_effects(make) { |c| c.include?(2) }
    expect_same_effects(make) { |c| c.take_while { |x| x < 1 } }
    expect_same_effects(make) { |c| c.each_slice(2) { |s| break if s[0] == 2 } }
    expect_same_effects(make) { |c| c.each_with_index { |_, i| break if i == 1 } }
    expect_same_effects(make) { |c| c.min }
  end

  it "takes an Enumerator that knows its size" do
    expect_same([OwnEnumerable::Deck.new(3)]) { |d| d.each.to_a + d.each.with_index.map { |x, i| x * i } }
  end

  it "raises what Ruby raises" do
    expect_same([OwnEnumerable::Missing.new], &:to_a)
    expect_same([OwnEnumerable::Bag.new(1, nil)], &:sum)
    expect_same([OwnEnumerable::Bag.new(1, :a)], &:max)
    expect_same([OwnEnumerable::Bag.new(1.0, Float::NAN)], &:min)
    expect_same([OwnEnumerable::Bag.new(1)]) { |b| b.first(-1) }
    expect_same([OwnEnumerable::Bag.new(1)]) { |b| b.each_slice(0) { |x| x } }
  end

  it "knows the first of several values where Enumerators of arrays give them" do
    lists = [[5, 6], [], [6]]
    expect_same(lists) { |a| a.each_with_index.any? { |x| x == 5 } }
    expect_same(lists) { |a| a.each_with_index.count { |x| x == 6 } }
    expect_same(lists) { |a| a.each_with_index.flat_map { |x| x } }
    expect_same(lists) { |a| a.each_with_index.take_while { |x| x == 5 } }
    expect_same(lists) { |a| a.each_with_index.each_slice(2).to_a }
    expect_same(lists) { |a| a.each_with_index.reverse_each.to_a }
    expect_same(lists) { |a| a.each_with_index.minmax_by { |x, _| -x } }
    expect_same(lists) { |a| a.each_with_index.map.with_index { |x, i| [x, i] } }
    expect_same(lists) { |a| a.each_with_index.sort { |x, y| y <=> x } }
  end

  it "computes no more than is asked for, of lazy ones" do
    expect_same([1, 2]) { |i| (1..Float::INFINITY).lazy.map { |x| x * i }.select(&:even?).first(3) }
    expect_same([3, 4]) { |i| (1..).lazy.select { |x| (x % i).zero? }.map { |x| x * x }.reject(&:odd?).first }
    expect_same([3]) { |i| n = 0; r = (1..).lazy.map { |x| n += 1; x * i }.select { |x| x > 6 }.first(2); [r, n] }
    expect_same([3]) { |i| (1..).lazy.map { |x| x > 4 ? raise("no") : x }.first(i) }
    expect_same([3]) { |i| (1..10).lazy.take_while { |x| x < 8 }.drop(2).drop_while { |x| x < i + 2 }.take(2).to_a }
    expect_same([3]) { |i| n = 0; [(1..).lazy.map { |x| n += x }.take(0).to_a, (1..).lazy.map { |x| n += x }.take(i).to_a, n] }
    expect_same([3]) { |i| (1..9).lazy.flat_map { |x| [x, -x] }.filter_map { |x| x * i if x.odd? }.first(5) }
    expect_same([3]) { |i| [3, 1, 3, nil, 2, 1].lazy.compact.uniq.map { |x| x + i }.to_a }
    expect_same([3]) { |i| [1, 5, 8].lazy.uniq { |x| x % i }.to_a + [1, 5].lazy.grep_v(2..6).to_a + [1, :b].lazy.grep(Symbol).to_a }
  end

  it "goes through lazy ones as through others" do
    expect_same([3]) { |i| %w[a b c].lazy.with_index.map { |s, j| s * (j + i) }.to_a }
    expect_same([3]) { |i| %w[a b c].lazy.each_with_index.map { |s, j| "#{s}#{i}#{j}" }.force }
    expect_same([3]) { |i| (1..3).lazy.with_index(1) { |x, j| i += x * j }.to_a << i }
    expect_same([3]) { |i| { a: 1, b: 2 }.lazy.map { |k, v| [k, v + i] }.to_a + (1..3).each_with_index.lazy.map { |x, j| x * j }.to_a }
    expect_same([3]) { |i| l = (1..3).lazy.map { |x| x + i }; [l.to_a, l.first(1), l.eager.map { |x| x }, l.lazy.sum] }
    expect_same([3]) { |i| a = (1..).lazy.map { |x| x * i }; b = a.select(&:even?); [a.first(2), b.first(2)] }
    expect_same([3]) { |i| s = []; (1..4).lazy.map { |x| s << x; x * i }.each { |y| s << y }; s }
    expect_same([3]) { |i| l = (1..6).lazy; [l.include?(i), l.count(&:odd?), l.reduce(:+), l.min_by { |x| (x - i).abs }, l.partition(&:even?)] }
    expect_same([3]) { |i| [(1..7).lazy.each_slice(i).to_a, (1..4).lazy.each_cons(2).map { |a, b| a * b }.first(2)] }
    expect_same([-1]) { |i| (1..3).lazy.take(i).to_a }
    expect_same([-1]) { |i| (1..3).lazy.drop(i).to_a }
    expect_same([3]) { |_| (1..3).lazy.map }
    expect_same([0]) { |i| (1..3).lazy.each_slice(i).to_a }
  end
end

# frozen_string_literal: true

# Methods that call themselves and take a block.
module RecursiveBlocks
  module_function

  def permute(all, from = 0, &block)
    return block.call(all) if from == all.size

    (from...all.size).each do |i|
      all[from], all[i] = all[i], all[from]
      permute(all, from + 1, &block)
      all[from], all[i] = all[i], all[from]
    end
  end

  def combine(all, count, from = 0, chosen = [], &)
    return yield(chosen) if count == chosen.size

    (from...all.size).each { |i| combine(all, count, i + 1, chosen + [all[i]], &) }
  end

  def queens(size, row, columns, &block)
    return block.call(columns) if row == size

    size.times do |column|
      next unless columns.each_with_index.all? { |c, r| c != column && (c - column).abs != row - r }

      columns << column
      queens(size, row + 1, columns, &block)
      columns.pop
    end
  end

  def hanoi(size, from, over, to, &move)
    return if size.zero?

    hanoi(size - 1, from, to, over, &move)
    move.call(from, to)
    hanoi(size - 1, over, from, to, &move)
  end

  def repeat(times, &block) = times.zero? ? 0 : yield(times) + repeat(times - 1, &block)

  def asked(times, &block)
    if times.zero?
      block_given? ? block.call(1) : 0
    else
      asked(times - 1, &block)
    end
  end

  def twice(times) = times.zero? ? 0 : twice(times - 1) { |x| yield(x) * 2 } + yield(times)

  # A binary tree.
  class Tree
    attr_accessor :key, :left, :right

    def self.build(low, high)
      return if low > high

      middle = (low + high) / 2
      new(middle, build(low, middle - 1), build(middle + 1, high))
    end

    def initialize(key, left = nil, right = nil)
      (@key = key
       @left = left
       @right = right)
    end

    def each(&block)
      @left&.each(&block)
      block.call(@key)
      @right&.each(&block)
    end

    def each_yielded(&block)
      @left&.each_yielded(&block)
      yield @key
      @right&.each_yielded(&block)
    end

    def fold(all, &block)
      all = @left.fold(all, &block) if @left
      all = yield(all, @key)
      all = @right.fold(all, &block) if @right
      all
    end

    def any?(&block) = block.call(@key) || (@left&.any?(&block) || false) || (@right&.any?(&block) || false)

    def each_ensured(&block)
      @left&.each_ensured(&block)
      yield @key
      @right&.each_ensured(&block)
    ensure
      @key += 100
    end

    def holds?(key)
      each { |x| return true if x == key }
      false
    end

    def first_of
      each { |x| return x if yield(x) }
      nil
    end

    def pair(other)
      each { |a| other.each { |b| return (a * 10) + b if a + b > 5 } }
      0
    end

    def each_with_depth(depth = 0, &block)
      @left&.each_with_depth(depth + 1, &block)
      block.call(@key, depth)
      @right&.each_with_depth(depth + 1, &block)
    end
  end

  # Adds up in a variable of its own.
  class Adder
    def initialize(factor)
      (@factor = factor
       @sum = 0)
    end

    def add(tree)
      tree.each { |key| @sum += key * @factor }
      @sum
    end
  end
end

each_backend do
  numbers = (1..6).to_a
  made = RecursiveBlocks
  tree = ->(n) { made::Tree.build(1, n) }

  it "hands a block on" do
    expect_same(numbers.first(5)) do |n|
      s = 0
      made.permute((1..n).to_a) { |p| s += p[0] * p[-1] }
      s
    end
    expect_same(numbers) do |n|
      count = 0
      made.queens(n, 0, []) { |board| count += board[0] + 1 }
      count
    end
    expect_same(numbers) do |n|
      all = []
      tree.call(n).each { |key| all << key }
      all
    end
    expect_same(numbers) do |n|
      o = []
      tree.call(n).each_with_depth { |key, depth| o << ((key * 10) + depth) }
      o
    end
    expect_same(numbers) { |n| tree.call(n).any? { |key| key == n } }
    expect_same(numbers) { |n| tree.call(n).any?(&:even?) }
  end

  it "yields what a block within was given" do
    expect_same(numbers) do |n|
      sum = 0
      tree.call(n).each_yielded { |key| sum = (sum * 3) + key }
      sum
    end
    expect_same(numbers) { |n| tree.call(n).fold(0) { |all, key| (all * 2) + key } }
    expect_same(numbers) { |n| tree.call(n).fold([]) { |all, key| all + [key, n] } }
    expect_same(numbers) { |n| made.repeat(n) { |x| x * n } }
    expect_same(numbers) do |n|
      s = 0
      made.combine((1..(n + 1)).to_a, 2) { |x| s += x[0] * x[1] }
      s
    end
  end

  it "sees the variables that the block assigns" do
    expect_same(numbers) do |n|
      count = x = 0
      made.hanoi(n, 0, 1, 2) do |a, b|
        count += 1
        x = ((x * 3) + a - b) % 1009
      end
      [count, x]
    end
    expect_same(numbers) do |n|
      c = 0
      m = nil
      made.permute([1, 2, n]) do |p|
        c += 1
        m = p[0] if m.nil? || p[0] * c > m
      end
      [c, m]
    end
    expect_same(numbers) do |n|
      sum = 0
      tree.call(n).each { |key| sum += key > 2 ? 0.5 : 1 }
      sum
    end
    expect_same(numbers) do |n|
      sum = 0
      [1, 2].each { |z| tree.call(n).each { |key| sum += key * z } }
      sum
    end
    expect_same(numbers) do |n|
      s = 0
      a = tree.call(n)
      b = tree.call(3)
      a.each { |x| b.each { |y| s += x * y } }
      s
    end
    expect_same(numbers) do |n|
      sum = 0
      add = ->(key) { sum += key }
      tree.call(n).each(&add)
      sum
    end
    expect_same(numbers) { |n| made::Adder.new(n).add(tree.call(n)) }
    expect_same(numbers) do |n|
      c = made::Tree.new(0)
      tree.call(n).each { |key| c.key += key }
      c.key
    end
    expect_same(numbers) do |n|
      a = [0, n]
      tree.call(n).each do |key|
        b = a.first
        a = a.last
        a = [a + key, b]
      end
      a
    end
  end

  it "ends with the block's break" do
    expect_same(numbers) { |n| tree.call(n).each { |key| break [key, n] if key == 2 }.is_a?(Array) }
    expect_same(numbers) do |n|
      sum = 0
      tree.call(n).each do |key|
        next if key == 1

        sum += key
        break if sum > 4
      end
      sum
    end
    expect_same(numbers) do |n|
      count = 0
      made.permute([1, 2, n, 4]) do |p|
        count += 1
        break if p[0] > 2
      end
      count
    end
    expect_same(numbers) do |n|
      all = []
      tree.call(n).each do |x|
        tree.call(3).each do |y|
          all << (x * y)
          break if y == 2
        end
        break if x == 2
      end
      all
    end
    expect_same(numbers) { |n| tree.call(n).first_of { |key| key == 1 && n > 2 ? (break 7) : key > 3 } }
    expect_same(numbers) { |n| made.repeat(n) { |x| x == 2 ? (break -1) : x * n } }
  end

  it "ends the method with the block's return" do
    expect_same(numbers) { |n| tree.call(n).holds?(2) }
    expect_same(numbers) { |n| tree.call(n).first_of { |key| key > 2 } }
    expect_same(numbers) { |n| tree.call(n).pair(tree.call(n + 1)) }
  end

  it "ensures what is to be on the way" do
    expect_same(numbers) do |n|
      sum = 0
      all = tree.call(n)
      all.each_ensured { |key| (sum += key) > 3 && break }
      sum + all.key
    end
    expect_same(numbers) do |n|
      sum = 0
      begin
        tree.call(n).each do |key|
          sum += 1
          break if 10 / (key - 3) == 10
        end
      rescue ZeroDivisionError
        sum += 100
      ensure
        sum += 1000
      end
      sum
    end
  end

  it "keeps what the block has assigned where its error is rescued" do
    expect_same(numbers) do |n|
      sum = 0
      tree.call(n).each { |key| sum += 10 / (key - 2) }
      sum
    rescue ZeroDivisionError
      sum
    end
  end

  it "knows whether there is a block" do
    expect_same(numbers) { |n| made.asked(n) { |x| x + n } + made.asked(n) }
  end

  it "raises what the block raises" do
    expect_same(numbers) { |n| tree.call(n).each { |key| raise ArgumentError, "three" if key == 3 } && n }
    expect_same(numbers) do |n|
      tree.call(n).each { |key| raise ArgumentError, "three" if key == 3 }
      1
    rescue ArgumentError
      2
    end
  end
end

each_compiling_backend do
  it "refuses blocks that give to variables around the section, and such without end" do
    refused = lambda { |&block|
      expect do
        [3].pmap(&block)
      end.to raise_error(Ikra::UnsupportedError, /\[unsupported-recursion\]/)
    }
    total = 0
    refused.call { |n| RecursiveBlocks::Tree.build(1, n).each { |key| total += key } }
    refused.call { |n| RecursiveBlocks.twice(n * 20) { |x| x } }
  end
end

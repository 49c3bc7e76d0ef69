# frozen_string_literal: true

# Classes whose objects are made in the section and change there, or hold each other.
module MadeObjects
  # A generator of numbers.
  class Lcg
    def initialize(seed) = @state = seed
    def next = @state = ((@state * 1_103_515_245) + 12_345) & 0x7fffffff
  end

  # A linked list.
  class Node
    attr_accessor :value, :rest

    def initialize(value, rest = nil)
      (@value = value
       @rest = rest)
    end
  end

  # Makes its children itself.
  class Tree
    attr_reader :left, :right

    def initialize(depth)
      @left = Tree.new(depth - 1) if depth.positive?
      @right = Tree.new(depth - 1) if depth.positive?
    end

    def count = 1 + (@left ? @left.count : 0) + (@right ? @right.count : 0)
  end

  # A search tree.
  class Search
    attr_accessor :key, :left, :right

    def initialize(key) = @key = key

    def insert(key)
      if key < @key
        @left ? @left.insert(key) : @left = Search.new(key)
      else
        @right ? @right.insert(key) : @right = Search.new(key)
      end
    end

    def in_order(found)
      @left&.in_order(found)
      found << @key
      @right&.in_order(found)
      found
    end

    def depth = 1 + [@left ? @left.depth : 0, @right ? @right.depth : 0].max
  end

  # Two variables of any kind.
  class Point
    attr_accessor :x, :y

    def initialize(x, y)
      (@x = x
       @y = y)
    end

    def move(by)
      @x += by
      self
    end
  end

  # An array of its own.
  class Stack
    def initialize = @items = []
    def empty? = @items.empty?
    def pop = @items.pop

    def push(item)
      @items << item
      self
    end
  end

  # Counts.
  class Counter
    attr_reader :count

    def initialize = @count = 0
    def add = @count += 1
  end

  Pair = Struct.new(:a, :b)

  # Of several classes.
  class Animal
    attr_reader :size

    def initialize(size) = @size = size
    def live = @size
  end

  # Grows by half.
  class Dog < Animal
    def live = @size *= 2
  end

  # Has a variable more.
  class Cat < Animal
    def initialize(size)
      super
      @mood = 1.5
    end

    def live = @size + (@mood += 1)
  end

  # Hands itself on before it has its variables.
  class Registered
    attr_reader :place

    def initialize(list)
      list << self
      @place = list.size
    end
  end

  # A parent and its child know each other.
  class Parent
    attr_reader :child

    def initialize = @child = Child.new(self)
    def value = 3
  end

  # See Parent.
  class Child
    attr_reader :parent

    def initialize(parent) = @parent = parent
  end

  def self.walk(counter, depth)
    return 0 if depth.zero?

    counter.add
    walk(counter, depth - 1) + walk(counter, depth - 1)
  end
end

each_backend do
  numbers = (1..12).to_a
  made = MadeObjects

  it "changes objects" do
    expect_same(numbers) do |n|
      random = made::Lcg.new(n)
      10.times.sum { random.next % 100 }
    end
    expect_same(numbers) do |n|
      c = made::Counter.new
      n.times { c.add }
      c.count
    end
    expect_same(numbers) do |n|
      c = made::Counter.new
      add = -> { c.add }
      n.times { add.call }
      c.count
    end
    expect_same(numbers) do |n|
      s = made::Stack.new
      n.times do |i|
        s.push(i * i)
      end
      r = 0
      r = (r * 2) + s.pop until s.empty?
      r
    end
  end

  it "changes them under each of their names" do
    expect_same(numbers) do |n|
      p = made::Point.new(n, 2.5)
      q = p
      q.move(3)
      p.y *= 2
      [p.x, p.y, q.x, q.y]
    end
    expect_same(numbers) do |n|
      a = made::Point.new(n, 1)
      b = made::Point.new(2, n)
      a, b = b, a
      a.x = 7
      [a.x, b.x, b.y]
    end
    expect_same(numbers) do |n|
      a = [made::Point.new(n, 1)] * 2
      a[0].x += 1
      a[1].x += 1
      a.map(&:x)
    end
    expect_same(numbers) do |n|
      p = n.odd? ? made::Point.new(1, 2) : nil
      q = p
      q.x = n if q
      p&.x
    end
  end

  it "keeps what a variable holds, whatever that is" do
    expect_same(numbers) do |n|
      p = made::Point.new(n, 1)
      p.x = 1.5 if n > 3
      p.x + p.y
    end
    expect_same(numbers) do |n|
      s = made::Search.new(n)
      s.left = 4
      s.left = nil if n.odd?
      s.left
    end
    expect_same(numbers) do |n|
      s = made::Search.new(n)
      s.left = 4 if n > 2
      s.left + 1
    end
    expect_same(numbers) do |n|
      p = made::Point.new(0, [n])
      p.y = [n, n + 1]
      p.x = p.y
      p.y << 3
      [p.x, p.y]
    end
    expect_same(numbers) do |n|
      p = made::Point.new(1..n, :a)
      p.y = :b if n.odd?
      [p.x.sum, p.y]
    end
    expect_same(numbers) do |n|
      node = made::Node.new(made::Point.new(n, 1))
      node.value.x += 1
      other = node.value
      node.value = nil if n.odd?
      other.x += 1
      other.x
    end
  end

  it "links objects" do
    expect_same(numbers) do |n|
      head = nil
      n.times { |i| head = made::Node.new(i, head) }
      sum = 0
      while head
        sum = (sum * 3) + head.value
        head = head.rest
      end
      sum
    end
    expect_same(numbers) do |n|
      head = last = made::Node.new(0)
      n.times do |i|
        last.rest = made::Node.new(i * i)
        last = last.rest
      end
      found = []
      until head.nil?
        found << head.value
        head = head.rest
      end
      found
    end
    expect_same(numbers) do |n|
      a = made::Node.new(n)
      a.rest = a
      a.rest.rest.rest.value
    end
    expect_same(numbers) do |n|
      p = made::Parent.new
      [p.child.parent.value + n, p.child.parent.equal?(p)]
    end
  end

  it "makes trees" do
    expect_same((0..8).to_a) { |n| made::Tree.new(n).count }
    expect_same(numbers) do |n|
      tree = made::Search.new(50)
      (n * 3).times { |i| tree.insert(((i * 37) + n) % 101) }
      [tree.depth, tree.in_order([])]
    end
  end

  it "tells objects apart" do
    expect_same(numbers) do |n|
      p = made::Point.new(n, 1)
      q = made::Point.new(n, 1)
      r = n.odd? ? p : q
      [p.equal?(q), p == q, p != q, p.eql?(p), r.equal?(p), r.equal?(nil), p == n, [p, q].include?(r), [p, q].index(r)]
    end
    expect_same(numbers) do |n|
      a = made::Counter.new
      b = made::Counter.new
      [[a, b, a].uniq.size, ([a, b] - [a]).size, n]
    end
  end

  it "changes Structs" do
    expect_same(numbers) do |n|
      pair = made::Pair.new(n, 2)
      pair.a += 1
      pair[:b] = 5
      pair[1] += n
      other = made::Pair.new(n + 1, 5 + n)
      [pair == other, pair.equal?(other), pair.eql?(other), pair.to_a, [pair, other].uniq.size, pair.sum]
    end
  end

  it "holds objects of several classes" do
    expect_same(numbers) do |n|
      all = [made::Dog.new(n), made::Cat.new(n), made::Animal.new(n)]
      3.times.map do |i|
        all[i].live
      end
    end
    expect_same(numbers) do |n|
      all = []
      n.times { |i| all << (i.even? ? made::Dog.new(i) : made::Cat.new(i)) }
      all.each(&:live)
      [all.sum(&:live), all.count { |a| a.is_a?(made::Cat) }, all.map(&:class).uniq.size]
    end
  end

  it "copies objects" do
    expect_same(numbers) do |n|
      a = made::Point.new(n, [1])
      b = a.dup
      b.x += 1
      b.y << 2
      [a.x, b.x, a.y, a.equal?(b), a.clone.x]
    end
    expect_same(numbers) do |n|
      a = made::Pair.new(n, 1)
      b = a.dup
      c = a == b
      b.a += 1
      [c, a == b, a.a, b.a]
    end
    expect_same(numbers) { |n| [made::Point.new(n, 1).dup.x, nil.dup, n.clone, :a.dup] }
  end

  it "copies an object while it is made" do
    stub_const("Doubled", Class.new do
      attr_accessor :x, :twin

      def initialize(x)
        @x = x
        @twin = dup
        @x += 1
      end
    end)
    expect_same(numbers) do |n|
      d = Doubled.new(n)
      [d.x, d.twin.x, d.twin.equal?(d), d.twin.twin.nil?]
    end
  end

  it "hands objects on while they are made" do
    expect_same(numbers) do |n|
      list = []
      n.times { made::Registered.new(list) }
      list.sum(&:place)
    end
  end

  it "passes objects to methods that call themselves" do
    expect_same((1..8).to_a) do |n|
      c = made::Counter.new
      made.walk(c, n)
      c.count
    end
  end

  it "makes many in a loop" do
    expect_same([1, 2]) do |n|
      sum = 0
      100_000.times do |i|
        p = made::Point.new(i, n)
        p.x += 1
        sum += p.x
      end
      sum
    end
    expect_same([1, 2]) do |n|
      all = Array.new(3_000) { |i| made::Point.new(i, n) }
      5.times do
        all.each do |p|
          p.move(1)
        end
      end
      all.sum(&:x)
    end
    expect_same([1, 2]) do |n|
      last = nil
      3_000.times do |i|
        p = made::Point.new(i, n)
        p.x += 1
        last = p if i % 7 == n
      end
      last.x
    end
  end

  it "raises of them as Ruby does" do
    expect_same(numbers) do |n|
      p = made::Point.new(1, nil)
      p.y = n if n < 3
      p.x + p.y
    end
  end
end

each_compiling_backend do
  it "writes nothing of them where an element fails" do
    cars = Array.new(3) { |i| MadeObjects::Counter.new.tap { |c| i.times { c.add } } }
    expect do
      cars.peach do |car|
        made = MadeObjects::Point.new(car, 1)
        made.x = car
        made.x.add
        raise IndexError if car.count == 3
      end
    end.to raise_error(IndexError)
    expect(cars.map(&:count)).to eq([0, 1, 2])
  end
end

# frozen_string_literal: true

# Values that hold themselves: two that are being compared are equal, and what is being shown is dots.
module Cycles
  Node = Struct.new(:parent, :children, :value)
  One = Struct.new(:a)
  Two = Struct.new(:a, :b)
  Chain = Struct.new(:head, :tail)
  Held = Data.define(:list, :n) if defined?(::Data) && ::Data.respond_to?(:define)

  # Equal to all, with a number of its own.
  class Eql
    def initialize(number) = @number = number
    def eql?(_other) = true
    def hash = @number
  end

  # Structs that compare themselves, or hand that on, and one that shows itself.
  Own = Struct.new(:list, :n) do
    def ==(other) = other.is_a?(Own) && n == other.n && list == other.list
  end

  Handing = Struct.new(:list, :n) do
    def ==(other) = other.is_a?(Handing) && super
  end

  # Says the contrary of what its items say, and what raises is no reason.
  Contrary = Struct.new(:list, :n) do
    def ==(other)
      raise ArgumentError if n == 3

      list != other.list
    rescue ArgumentError
      n == other.n
    end
  end

  class Shown
    attr_reader :list

    def initialize(number) = @list = [self, number]
    def inspect = "<#{@list.inspect}>"
  end

  module_function

  def of(klass, *numbers)
    numbers.map { |number| klass.new([], number).tap { |it| it.list << it } }
  end

  # A node with children, each of which has two.
  def tree(width, value = 0)
    root = Node.new(nil, [], value)
    width.times do |i|
      child = Node.new(root, [], i)
      root.children << child
      2.times { |j| child.children << Node.new(child, [], [j]) }
    end
    root
  end

  def list(*items)
    items << items
  end

  def hash(value)
    { a: value }.tap { |held| held[:me] = held }
  end

  def chain(length)
    (0...length).reduce(nil) { |tail, i| Chain.new(i, tail) }
  end

  def held(number)
    Held.new([], number).tap { |it| it.list << it }
  end
end

each_backend do
  let(:trees) { [Cycles.tree(2), Cycles.tree(2), Cycles.tree(3), Cycles.tree(2, 1)] }

  it "compares trees whose nodes know their parents" do
    other = Cycles.tree(2)
    expect_same(trees) { |t| [t == other, t.eql?(other), t != other, other == t.children[0]] }
    expect_same(trees) { |t| t.children[1].children[0] == other.children[1].children[0] }
    expect_same(trees) { |t| [t.children.include?(other.children[1]), t.children.index(other.children[1])] }
    expect_same(trees) do |t|
      [t.children.uniq.size, (t.children - [other.children[0]]).size, t.children.count(other.children[0])]
    end
    expect_same(trees) { |t| [(t.children & other.children).size, (t.children | other.children).size] }
    expect_same(trees) do |t|
      nodes = { other => 1, other.children[0] => 2 }
      [nodes[t], nodes.key?(t.children[0])]
    end
    expect_same(trees) do |t|
      found = case t when other then 1 else 2 end
      found
    end
  end

  it "shows them" do
    expect_same(trees) { |t| [t.inspect, t.to_s, t.children.inspect, t.children[0].inspect] }
    expect_same(trees) { |t| ["its #{t.children[1].children}", [t, 1].inspect, { t => t.children }.inspect] }
  end

  it "compares and shows arrays, Hashes and Structs that hold themselves" do
    lists = [Cycles.list(1), Cycles.list(1), Cycles.list(2), Cycles.list(1, 2)]
    expect_same(lists) { |l| [l == lists[0], l.eql?(lists[0]), l.inspect, l <=> lists[0], { l => 1 }.key?(lists[1])] }
    hashes = [Cycles.hash(1), Cycles.hash(1), Cycles.hash(2)]
    expect_same(hashes) { |h| [h == hashes[0], h.eql?(hashes[0]), h.inspect, h.key(hashes[0]), h.value?(hashes[0])] }
    ones = [Cycles::One.new, Cycles::One.new, Cycles::One.new(Cycles::One.new)]
    ones.each { |x| (x.a || x).a = x }
    expect_same(ones) { |x| [x == ones[0], x.eql?(ones[2]), x.inspect] }
    mixed = [1, 2].map { |i| { i => [Cycles::One.new] }.tap { |h| h[i][0].a = h } }
    expect_same(mixed) { |h| [h == mixed[0], h.inspect, h.values[0].inspect, h.values[0][0].inspect] }
  end

  it "does so with what the section makes" do
    expect_same([1, 2]) do |i|
      l = [i]
      t = [l, 2]
      l << t
      [t.inspect, l.inspect, t == l[1]]
    end
    expect_same([1, 2]) do |i|
      l = [i]
      l << [i, l]
      m = [i]
      m << m
      [l == m, m == l, l.eql?(m), l.inspect, l[1].inspect]
    end
    expect_same([1, 2]) do |i|
      h = { i => 1 }
      h[:me] = h
      g = { i => 1 }
      g[:me] = g
      [h == g, h.inspect, h.eql?(g)]
    end
    expect_same([1, 2]) do |_i|
      w = Cycles::One.new
      r = Cycles::One.new(w)
      w.a = r
      [r.inspect, w.inspect, r == w, r == Cycles::One.new(w)]
    end
    expect_same([1, 2]) do |i|
      a = Cycles::Two.new(i)
      b = Cycles::Two.new(i, a)
      a.b = b
      c = Cycles::Two.new(i)
      c.b = c
      [a == b, a == c, b.eql?(c), a.inspect]
    end
    expect_same([1, 2]) do |i|
      s = Cycles::One.new([i])
      s.a << s
      u = Cycles::One.new([i])
      u.a << u
      [s == u, s.inspect, s.a.inspect, [s, u].uniq.size]
    end
  end

  it "does so in a section with code of its own around" do
    expect_same_program do
      Ikra.section do
        one = Cycles.tree(3)
        other = Cycles.tree(3)
        [one == other, one.children.index(other.children[2]), one.inspect, one.children.to_s]
      end
    end
  end

  it "goes down what only could hold itself" do
    expect_same([3, 300]) { |n| [Cycles.chain(n) == Cycles.chain(n + 0), Cycles.chain(n).eql?(Cycles.chain(n + 1))] }
    # Calls on a GPU are not as deep.
    length = Ikra.backend == :cuda ? 20 : 100
    chains = [Cycles.chain(length), Cycles.chain(length + 1)]
    expect_same(chains) { |c| [c == chains[0], c.inspect.size] }
  end

  it "knows what it is in the midst of behind methods of the user's" do
    own = Cycles.of(Cycles::Own, 1, 1, 2)
    expect_same(own) { |o| [o == own[0], o.list == own[0].list, own[1].list.include?(o), [o] == [own[1]]] }
    handing = Cycles.of(Cycles::Handing, 1, 1, 2)
    expect_same(handing) { |o| [o == handing[0], o.list == handing[0].list, handing.index(o)] }
    contrary = Cycles.of(Cycles::Contrary, 1, 1, 2, 3, 3)
    contrary.each_with_index { |o, i| o.list << contrary[(i * 3) % 5] << i }
    expect_same(contrary) { |o| contrary.map { |other| [o == other, o.list == other.list, other.list == o.list] } }
    shown = [1, 2].map { |i| Cycles::Shown.new(i) }
    expect_same(shown) { |o| [o.inspect, o.list.inspect, "its #{o.list}"] }
  end

  it "joins no array that holds itself" do
    lists = [Cycles.list(1), [1, [2, [3]]]]
    expect_same(lists) { |l| l.join(",") }
    expect_same([lists[1]]) { |l| l.join(",") }
  end

  it "asks `eql?` of items alone, where they are in no Hash" do
    expect_same([1, 2]) { |i| [Cycles::Eql.new(i)].eql?([Cycles::Eql.new(3)]) }
    expect_same([1, 2]) { |i| Cycles::One.new(Cycles::Eql.new(i)).eql?(Cycles::One.new(Cycles::Eql.new(3))) }
    expect_same([1, 2]) { |i| { [Cycles::Eql.new(i)] => 1 }.key?([Cycles::Eql.new(2)]) }
  end

  next unless defined?(Cycles::Held)

  it "does so with value objects" do
    held = [Cycles.held(1), Cycles.held(1), Cycles.held(2)]
    expect_same(held) { |d| [d == held[0], d.eql?(held[0]), d.inspect, d.list.to_s] }
  end
end

# frozen_string_literal: true

# What programs have that people write without a thought of sections.
module Natural
  class Edge
    def initialize(graph) = graph.add(self)
  end

  class Graph
    attr_reader :edges

    def initialize = @edges = []
    def add(edge) = @edges << edge
  end

  class Shape
    def initialize(size) = @size = size
    def ==(other) = self.class == other.class && state == other.state

    protected

    def state = @size
  end

  class Square < Shape
    protected

    def state = @size * 2
  end

  class Job
    attr_reader :state

    def fail(why) = @state = [:failed, why]
    def block_given? = 21
    def eval(number) = number * 2
    def run(number) = number > 1 ? fail("too big") : [block_given?, eval(number)]
  end

  # Gives another one with more.
  class Stack
    attr_reader :items

    def initialize(items = []) = @items = items
    def push(item) = Stack.new(@items + [item])
    def pop = Stack.new(@items[0...-1])
  end

  Path = Struct.new(:nodes, :cost)

  class Counter
    @@made = 0
    def self.made = @@made
    def bump = @@made += 1
  end

  class Money
    attr_reader :cents

    def initialize(cents) = @cents = cents
    def -(other) = Money.new(cents - other.cents)
    def to_i = cents / 100
    def to_s = format("%d.%02d", cents / 100, cents % 100)
  end

  class Account
    RATE = 2
    attr_reader :balance, :log, :last

    def initialize(cents)
      @balance = Money.new(cents)
      @log = []
      @last = nil
    end

    def withdraw(amount)
      @balance -= amount
      @last = [amount.cents, self.class.name]
      self
    end
  end

  class Savings < Account
    RATE = 3

    def withdraw(amount) = amount.cents > 200 ? self : super
  end

  class Task
    attr_reader :id

    def initialize(id) = @id = id

    def run(time)
      @started ||= time
      @finished = time if time > 1
    end
  end

  Transfer = Struct.new(:from, :amount)

  def self.letters(text) = case text when /x(.)/ then letters(text[1..]) + 1 else 0 end
end

each_backend do
  it "stores what it makes in objects of several classes that references lead to" do
    transfers = lambda do
      accounts = [Natural::Account.new(500), Natural::Savings.new(900), Natural::Savings.new(50)]
      Array.new(8) { |i| Natural::Transfer.new(accounts[i * 2 % 3], Natural::Money.new(i * 40)) }
    end
    left, right = Array.new(2) { transfers.call }
    left.each { |transfer| transfer.from.withdraw(transfer.amount) }
    right.peach { |transfer| transfer.from.withdraw(transfer.amount) }
    told = ->(all) { all.map { |one| [one.from.class, one.from.balance.cents, one.from.last] } }
    expect(told.call(right)).to eq(told.call(left))
  end

  it "sets new variables of objects in the order of the code" do
    left, right = Array.new(2) { Array.new(3) { |i| Natural::Task.new(i) } }
    [1, 2].each { |time| left.each { |task| task.run(time + task.id) } }
    [1, 2].each { |time| right.peach { |task| task.run(time + task.id) } }
    expect(right.map(&:instance_variables)).to eq(left.map(&:instance_variables))
  end

  it "converts objects to numbers by their own methods, and only where that is asked for" do
    all = [Natural::Money.new(250), Natural::Money.new(1999)]
    expect_same(all) { |money| [Integer(money), format("%05d of %s", money, money)] }
    expect_same([Natural::Task.new(1)]) { |task| [Integer(task, exception: false), (Float(task) rescue 5)] }
    expect { [Natural::Task.new(1)].pmap { |task| Integer(task) } }
      .to raise_error(TypeError, /can't convert Natural::Task into Integer/)
  end

  it "looks constants up in classes of objects, of which some may not have them" do
    all = [Natural::Account.new(1), Natural::Savings.new(2), nil].map { |from| Natural::Transfer.new(from, 1) }
    expect_same(all) { |one| one.from ? one.from.class::RATE : 0 }
    expect { all.pmap { |one| one.from.class::RATE } }.to raise_error(NameError, /uninitialized constant NilClass::RATE/)
  end

  it "makes Enumerators of Structs, and zips Enumerators" do
    all = [Natural::Transfer.new(1, 2), Natural::Transfer.new(3, 5)]
    expect_same(all) { |one| [one.each_pair.map { |key, value| "#{key}=#{value}" }, one.each.to_a, one.each_pair.to_a] }
    expect_same(%w[abc abd]) { |text| text.each_char.zip("abd".each_char).count { |a, b| a == b } }
  end

  it "splats ranges of Strings" do
    expect_same([0]) { [*"a".."h"].size }
    expect_same([0]) do
      all = []
      all.push(*"a".."c")
      [all, [*"a".."b", *"x".."z"].join]
    end
    expect_same([0]) { [*"a".."h"][2] + "1" }
  end

  it "makes ranges of what may be nil" do
    expect_same([3, 4]) do |n|
      low, high = (1..n).map { |i| i * i }.minmax
      (low..high).sum
    end
    expect_same([[3, 4], [1, 5]]) { |a| (a.min..a.max).to_a + (a[0]..a[-1]).to_a }
    next if Ikra.backend == :ruby

    expect do
      [[1], []].pmap do |a|
        (a.min..a.max).size
      end
    end.to raise_error(Ikra::UnsupportedError, /\[unsupported-range\]/)
  end

  it "repeats and joins by `*`" do
    expect_same([[[2, 3], 2], [[1], 2], ["ab", 2], [[1, 2], "-"]]) { |a, b| a * b }
  end

  it "makes Strings by `String.new`" do
    expect_same(%w[ä b]) { |s| [String.new << s, String.new("abc") << s, String.new(s), String.new(capacity: 9)] }
  end

  it "makes objects of the arrays of others" do
    expect_same([3, 0]) do |n|
      (0...n).each_with_object([Natural::Stack.new]) { |i, all| all[0] = all[0].push(i) }[0].items
    end
    expect_same([4, 1]) do |n|
      stack = Natural::Stack.new
      n.times { |i| stack = i.zero? ? Natural::Stack.new([0]) : stack.push(i) }
      stack = Natural::Stack.new([*stack.pop.items, "é", nil])
      stack.items
    end
    expect_same([5, 9]) do |n|
      queue = [Natural::Path.new([0], 0)]
      found = nil
      while (path = queue.shift)
        break found = path if path.nodes.last > n

        queue << Natural::Path.new(path.nodes + [(path.nodes.last * 2) + 1], path.cost + 1)
      end
      [found.nodes, found.cost]
    end
    expect_same([3]) do |n|
      (0..n).inject(Natural::Stack.new) { |stack, i| Natural::Stack.new([*stack.items, i]) }.items
    end
  end

  it "lets objects give themselves away in `initialize`" do
    graphs = Array.new(2) { Natural::Graph.new }
    expect(graphs.pmap do |graph|
             Natural::Edge.new(graph)
             graph.edges.size
           end).to eq([1, 1])
    expect(graphs.map { |graph| graph.edges.map(&:class) }).to eq([[Natural::Edge]] * 2)
  end

  it "calls protected methods where self may call them" do
    shapes = [Natural::Shape.new(2), Natural::Square.new(1), Natural::Shape.new(2), Natural::Square.new(1)]
    expect_same(shapes) { |shape| shapes.map { |other| shape == other } }
  end

  it "calls methods of one's own that are named as Kernel's" do
    jobs = Array.new(2) { Natural::Job.new }
    expect(jobs.each_with_index.pmap { |job, i| job.run(i + 1) }).to eq([[21, 2], [:failed, "too big"]])
    expect(jobs.map(&:state)).to eq([nil, [:failed, "too big"]])
  end

  it "assigns class variables in methods that are given by name" do
    before = Natural::Counter.made
    Warnings.without { Array.new(3) { Natural::Counter.new }.peach(&:bump) }
    expect(Natural::Counter.made).to eq(before + 3)
  end
end

each_backend(Backends::ALL & %i[ruby cpu]) do
  it "matches patterns against what may be nil" do
    expect_same(%w[xaxb ab] << "x") { |text| Natural.letters(text) }
    expect_same(["a b", ""]) { |text| /a/ === text.split[0] }
  end
end

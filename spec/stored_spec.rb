# frozen_string_literal: true

# What elements make and keep in their own variables.
module Stored
  # Two numbers.
  class Vector
    attr_accessor :x, :y

    def initialize(x, y)
      @x = x
      @y = y
    end

    def +(other) = Vector.new(@x + other.x, @y + other.y)
    def length = Math.sqrt((@x * @x) + (@y * @y))
  end

  # Has a place and a way.
  class Body
    attr_accessor :position, :velocity, :trail, :mass, :other, :best

    def initialize(number)
      @mass = number
      @position = Vector.new(number, number * 0.5)
      @velocity = Vector.new(1, 0.25)
      @trail = [number]
      @best = nil
    end

    def step
      @position += @velocity
      @trail += [@position.x]
      self
    end

    def grow(count)
      @trail = []
      count.times { |i| @trail << (i * 0.5) }
      @trail.sum
    end
  end

  # One of another class.
  class Comet < Body
    def step
      @best = [self, @position]
      super
    end
  end

  Cell = Struct.new(:value, :found)
end

each_backend do
  def bodies = Array.new(5) { |i| (i == 3 ? Stored::Comet : Stored::Body).new(i) }

  def expect_same_world(make = method(:bodies), &block)
    left = make.call
    right = make.call
    results = [left.map(&block), right.pmap(&block)]
    expect(WholeObjects.of([right, results[1]])).to eq(WholeObjects.of([left, results[0]]))
  end

  it "keeps objects and arrays" do
    expect_same_world { |b| (b.best = Stored::Vector.new(b.mass, 1.5)) && nil }
    expect_same_world { |b| (b.best = [b.mass, 1e-300, b.position, nil]) && b.mass }
    expect_same_world { |b| (b.best = Array.new(b.mass) { |i| [i, Stored::Vector.new(i, b)] }) && nil }
    expect_same_world { |b| b.mass.even? ? b.best = b.position + b.velocity : nil }
    expect_same_world { |b| b.best = b.mass > 2 ? [b.mass] : 3 }
    expect_same_world { |b| (b.mass > 2 ? b.trail << 1 : b.trail = []) && nil }
  end

  it "reads them again, and changes them" do
    expect_same_world do |b|
      b.step.step
      b.position.length + b.trail.size
    end
    expect_same_world do |b|
      b.position = b.position + b.velocity
      b.position.x *= 2
      b.best = b.position
      b.best.y = -0.0
      b.position.y
    end
    expect_same_world { |b| b.grow(b.mass * 4) }
    expect_same_world do |b|
      4.times do |i|
        b.best = Stored::Vector.new(i, b.mass) if i > b.mass || b.best.nil?
        b.trail = [b.trail.size, *b.trail] if b.best.x < i
      end
      b.best.x
    end
  end

  it "goes on with what an earlier section has kept" do
    left = bodies
    right = bodies
    step = proc do |b|
      b.step
      b.best = [b.best, b.position] if b.mass < 3
      b.trail.last
    end
    4.times do
      results = [left.map(&step), right.pmap(&step)]
      expect(WholeObjects.of([right, results[1]])).to eq(WholeObjects.of([left, results[0]]))
    end
  end

  it "knows which object is which" do
    expect_same_world do |b|
      made = Stored::Vector.new(b, [1, 2])
      b.position = made
      b.best = [made, made.y]
      b.trail = made.y
      [made, b.trail, b]
    end
    expect_same_world do |b|
      items = [1.5, b.mass]
      b.trail = items
      b.best = items
      items << 2
      b.mass.odd? ? items : nil
    end
  end

  it "keeps what all elements of a base have" do
    make = -> { Array.new(4) { |i| Stored::Cell.new(i) } }
    expect_same_world(make) { |cell| cell.found = [cell, Stored::Cell.new(cell.value)] }
    expect_same_world(make) do |cell|
      next if cell.value == 2

      cell.found = Array.new(cell.value) { |i| i }.select(&:even?)
      cell.found.size
    end
  end

  it "gives an object that stands in the base twice the later one" do
    make = lambda do
      all = bodies
      [*all, all[1], all[1]]
    end
    expect_same_world(make) { |b| (b.best = Stored::Vector.new(1, 2)) && nil }
  end

  it "changes nothing where an element fails" do
    all = bodies
    before = deep_snapshot(*all)
    expect { all.peach { |b| b.best = [1 / (b.mass - 4)] } }.to raise_error(ZeroDivisionError)
    next if Ikra.backend == :ruby

    expect(deep_snapshot(*all)).to eq(before)
    all[2].freeze
    expect { all.peach { |b| b.best = [b.mass] } }.to raise_error(FrozenError)
    expect(deep_snapshot(*all)).to eq(before)
  end

  it "takes new objects again and again, whose variables are nil once more" do
    ways = {
      objects: proc { |b| b.best = (b.best || []) + [Stored::Vector.new(b.mass, 1)] },
      strings: proc { |b| b.best = (b.best || []) + ["x".upcase] },
      assigned: proc do |b|
        b.best ||= []
        b.best += [Stored::Vector.new(1, b.mass)]
      end
    }
    ways.each_value do |way|
      [3, 2, 1].each do |times|
        left, right = Array.new(2) { Array.new(4) { |i| Stored::Body.new(i) } }
        times.times do
          left.each(&way)
          right.peach(&way)
        end
        expect(WholeObjects.of(right)).to eq(WholeObjects.of(left))
      end
    end
  end

  it "takes nil where there were only arrays before" do
    way = proc { |b| b.best = (b.best || []) + [Stored::Vector.new(b.mass, 1)] }
    [[Stored::Vector.new(1, 2)], nil, [Stored::Vector.new(3, 4)], nil].each do |best|
      left, right = Array.new(2) { Array.new(4) { |i| Stored::Body.new(i).tap { |b| b.best = best&.dup } } }
      left.each(&way)
      right.peach(&way)
      expect(WholeObjects.of(right)).to eq(WholeObjects.of(left))
    end
  end
end

each_compiling_backend do
  def some = Array.new(4) { |i| Stored::Body.new(i) }

  it "does not look at what another element has made" do
    all = some
    all.each_with_index { |b, i| b.other = all[i - 1] }
    before = deep_snapshot(*all)
    expect do
      all.peach do |b|
        b.best = Stored::Vector.new(b.mass, 1)
        b.mass += b.other.best.x if b.other.best
      end
    end.to raise_error(Ikra::UnsupportedError, /@best holds what another element has made/)
    expect(deep_snapshot(*all)).to eq(before)
    expect { [all[0], all[0]].pmap { |b| (b.best = b.best ? 1 : [b.mass]) && nil } }
      .to raise_error(Ikra::UnsupportedError, /@best holds/)
  end

  it "stores in other objects, and refuses what cannot be kept" do
    all = some
    all.each_with_index { |b, i| b.other = all[i - 1] }
    all.peach { |b| b.other.best = [b.mass] }
    expect(all.map { |b| b.other.best }).to eq(all.map { |b| [b.mass] })
    expect { all.peach { |b| b.best = (1..b.mass) } }.to raise_error(Ikra::UnsupportedError, /unsupported-store/)
    expect { all.peach { |b| b.best = Hash.new { b } } }.to raise_error(Ikra::UnsupportedError, /unsupported-store/)
  end

  it "makes them while everything is collected and moved" do
    left = some
    right = some
    step = proc do |b|
      b.step
      b.best = [b.position, b.mass * 1e-300, [2**62, b]]
      [b.best, b.trail]
    end
    some.pmap(&step)
    expected = left.map(&step)
    GC.stress = true
    actual = right.pmap(&step)
    GC.stress = false
    GC.verify_compaction_references(toward: :empty) if GC.respond_to?(:verify_compaction_references)
    expect(WholeObjects.of([right, actual])).to eq(WholeObjects.of([left, expected]))
  rescue NotImplementedError
    skip "no compaction here"
  ensure
    GC.stress = false
  end
end

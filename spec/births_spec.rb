# frozen_string_literal: true

# What elements make and keep where it is looked at again: in later ticks, by later kernels, by the driver.
module Births
  # Two numbers.
  class Vector
    attr_accessor :x, :y, :extra

    def initialize(x, y)
      @x = x
      @y = y
    end

    def +(other) = Vector.new(@x + other.x, @y + other.y)
    def length = Math.sqrt((@x * @x) + (@y * @y))
  end

  # Has one variable more, of which nobody knows when it is set.
  class Moody < Vector
    def initialize(x, y)
      @mood = x if x.to_i.even?
      super
    end

    def +(other) = Moody.new(@x + other.x, @y - other.y)
    def brighten = @mood = (@mood || 0) + 1
  end

  # A linked list.
  class Node
    attr_accessor :value, :rest

    def initialize(value, rest)
      @value = value
      @rest = rest
    end

    def sum = @rest ? @value + @rest.sum : @value
  end

  Pair = Struct.new(:a, :b)

  # Has a place and a way.
  class Body
    attr_accessor :position, :velocity, :trail, :head, :mass, :other, :best

    def initialize(number)
      @mass = number
      @position = number == 2 ? Moody.new(number, 0.5) : Vector.new(number, number * 0.5)
      @velocity = Vector.new(1, 0.25)
      @trail = [number]
      @head = nil
      @best = nil
    end

    def push(value) = @head = Node.new(value, @head)
  end

  # One of another class.
  class Comet < Body
  end

  # Classes with a common superclass.
  class Hare
    attr_accessor :hp

    def initialize(hp) = @hp = hp
    def worth = hp
  end

  class Cony < Hare
  end

  class Pika < Hare
    def worth = hp * 100
  end

  # Has a hare, or several.
  class Burrow
    attr_accessor :hare, :hares, :sum, :any

    def initialize(number)
      @hare = nil
      @hares = []
      @sum = number
      @any = number
    end
  end

  # A place with a number.
  class Rabbit
    attr_accessor :x, :age, :mother, :children

    def initialize(x, mother = nil)
      @x = x
      @age = 0
      @mother = mother
      @children = nil
    end

    def alive? = @age < 3
  end
end

each_backend do
  def bodies
    all = Array.new(5) { |i| (i == 3 ? Births::Comet : Births::Body).new(i) }
    all.each_with_index { |body, i| body.other = all[i - 1] }
  end

  def rabbits = Array.new(5) { |i| Births::Rabbit.new(i) }

  # The block is given a world, and runs in Ruby and here.
  def expect_same_world(make = method(:bodies))
    outcomes = [:ruby, Ikra.chosen].map do |backend|
      previous = Ikra.chosen
      Ikra.backend = backend
      world = make.call
      WholeObjects.of([world, yield(world)])
    ensure
      Ikra.backend = previous
    end
    expect(outcomes[1]).to eq(outcomes[0])
  end

  describe "in several ticks" do
    it "keeps objects" do
      expect_same_world { |all| all.peach(10) { |b| b.position += b.velocity } && nil }
      expect_same_world do |all|
        all.peach(7) do |b|
          b.velocity = Births::Vector.new(b.velocity.x * 0.5, b.position.length) if b.mass != 1
          b.position += b.velocity
        end
        nil
      end
    end

    it "keeps lists that hold what was there before" do
      expect_same_world { |all| all.peach(5) { |b| b.push(b.position) } && nil }
      expect_same_world do |all|
        all.peach(6) do |b|
          b.push(b.mass)
          b.mass = b.head.sum
        end
        nil
      end
    end

    it "keeps arrays" do
      expect_same_world { |all| all.peach(4) { |b| b.trail = b.trail + [b.position.x, nil, b.mass * 1.5] } && nil }
      expect_same_world do |all|
        all.peach(4) do |b|
          b.trail = [b.trail.size, *b.trail, b.trail.last]
          b.best = [b.best, b.trail, [b.mass, [b.position]]]
        end
        nil
      end
      expect_same_world do |all|
        all.peach(3) do |b|
          b.best = Array.new(b.mass) do |i|
            [i, Births::Pair.new(i, b)]
          end
        end && nil
      end
    end

    it "changes what was made in an earlier tick" do
      expect_same_world do |all|
        all.peach(5) do |b|
          b.best = Births::Vector.new(b.mass, 1) if b.best.nil?
          b.best.x += 1.5
          b.best.extra = nil if b.best.x > 4
          b.position = b.best if b.mass > 3
          b.position.y = b.best.x
        end
        nil
      end
      expect_same_world do |all|
        all.peach(4) do |b|
          b.best = Births::Moody.new(b.mass, b.mass) unless b.best
          b.best.brighten if b.mass.odd?
          b.best.extra = b.best.x
        end
        nil
      end
      expect_same_world do |all|
        all.peach(4) do |b|
          b.trail = [b.mass, 0] unless b.trail.size == 2
          b.trail[1] += b.mass
        end
        nil
      end
    end

    it "tells classes of a hierarchy of which there was nothing before" do
      make = -> { Array.new(4) { |i| Births::Burrow.new(i) } }
      expect_same_world(make) do |all|
        all.peach(2) do |b|
          b.hare = b.hare ? Births::Hare.new(9) : Births::Cony.new(5)
          b.hare.hp -= 1
        end
        nil
      end
      expect_same_world(make) do |all|
        all.peach(3) do |b|
          pika = b.hare ? b.sum.odd? : b.sum > 1
          b.hare = pika ? Births::Pika.new(9) : Births::Cony.new(5)
          b.hare.hp -= b.sum
        end
        nil
      end
      expect_same_world(make) do |all|
        all.peach(2) do |b|
          b.hare = b.hare ? Births::Pika.new(9) : Births::Hare.new(5)
          b.sum += b.hare.hp + b.hare.worth
        end
        nil
      end
      expect_same_world(make) do |all|
        all.peach(2) do |b|
          b.hares = b.hares + [Births::Cony.new(5), Births::Hare.new(9)]
          b.hares.each { |hare| hare.hp -= 1 }
        end
        nil
      end
    end

    it "tells them beside numbers, and beside many that were there" do
      make = -> { Array.new(4) { |i| Births::Burrow.new((2**62) - 3 + i) } }
      expect_same_world(make) do |all|
        all.peach(3) do |b|
          b.sum = (b.any.is_a?(Births::Pika) ? 1 : 0) + (b.any.is_a?(Births::Hare) ? 2 : 0)
          b.any = b.any == 2**62 ? Births::Pika.new(1) : Births::Cony.new(2) unless b.any == (2**62) - 1
          b.sum += 4 if b.any.is_a?(Births::Cony)
        end
        nil
      end
      make = lambda do
        Array.new(3000) do |i|
          burrow = Births::Burrow.new(i)
          burrow.hare = (i.odd? ? Births::Pika : Births::Hare).new(i)
          burrow
        end
      end
      expect_same_world(make) do |all|
        all.peach(2) do |b|
          b.hare = b.hare.hp > 5 ? Births::Cony.new(1) : Births::Pika.new(2) if b.hare.hp < 10
          b.sum = b.hare.worth + (b.hare.is_a?(Births::Cony) ? 1 : 0)
        end
        nil
      end
    end

    it "reads what others have made, which conflicts" do
      Ikra.conflicts = :in_order
      expect_same_world do |all|
        all.peach(4) do |b|
          b.position = b.other.position + b.velocity
          b.best = [b.other.best, b.mass] if b.mass > 1
        end
        nil
      end
    end

    it "gives an object that stands in the base twice what it had before" do
      expect_same_world do |all|
        [*all, all[1], all[3], all[1]].peach(3) { |b| b.position = Births::Vector.new(b.position.y, b.position.x + 1) }
        nil
      end
    end

    it "goes on with what an earlier section has kept" do
      expect_same_world do |all|
        4.times do |i|
          all.peach(i + 1) do |b|
            b.push(b.position)
            b.position += b.velocity
          end
        end
        nil
      end
    end

    it "changes nothing where an element fails" do
      all = bodies
      before = deep_snapshot(*all)
      expect { all.peach(3) { |b| b.best = [1 / (b.mass - 4), b.best] } }.to raise_error(ZeroDivisionError)
      next if Ikra.backend == :ruby

      expect(deep_snapshot(*all)).to eq(before)
      all[2].freeze
      expect { all.peach(3) { |b| b.best = [b.mass, b.best] } }.to raise_error(FrozenError)
      expect(deep_snapshot(*all)).to eq(before)
    end
  end

  describe "in a section of several calls" do
    it "keeps objects" do
      expect_same_world do |all|
        Ikra.section do
          3.times do
            all.peach { |b| b.position += b.velocity }
            all.peach(2) { |b| b.push(b.position.x + b.other.position.y) }
          end
          all.sum { |b| b.head.value }
        end
      end
    end

    it "goes over what calls gave" do
      expect_same_world(method(:rabbits)) do |all|
        Ikra.section do
          children = all.pmap { |r| Births::Rabbit.new(r.x * 2, r) }
          children.peach { |r| r.x += r.mother.x }
          all.peach { |r| r.age += 1 }
          grandchildren = children.pselect { |r| r.x > 3 }.pmap { |r| Births::Rabbit.new(r.x, r) }
          grandchildren.peach { |r| r.mother.age += r.x }
          [children, grandchildren, children.sum { |r| r.age }]
        end
      end
    end

    it "gives arrays, and several kinds of things" do
      expect_same_world(method(:rabbits)) do |all|
        Ikra.section do
          pairs = all.pmap { |r| [r.x, r, r.x * 0.5] }
          some = all.pmap { |r| r.x.even? ? Births::Rabbit.new(r.x) : [r.x, nil] }
          none = all.pmap { |r| r.x > 2 ? Births::Pair.new(r, r.x) : nil }
          [pairs, some, none, pairs.sum { |pair| pair[2] }]
        end
      end
    end

    it "has births and deaths" do
      expect_same_world(method(:rabbits)) do |all|
        living = all
        Ikra.section do
          8.times do |tick|
            living.peach { |r| r.age += 1 }
            born = living.pmap { |r| (r.x + tick) % 3 == 0 ? Births::Rabbit.new(r.x + tick, r) : nil }.compact
            born.peach { |r| r.children = [r.mother, r.mother.age] }
            living = living.pselect { |r| r.alive? } + born
          end
          living.sum { |r| r.x }
        end
      end
    end

    it "has those that the code around calls makes" do
      expect_same_world(method(:rabbits)) do |all|
        Ikra.section do
          living = all.pselect { |r| r.x > 1 }
          first = nil
          made = []
          4.times do |tick|
            rabbit = Births::Rabbit.new(tick, first)
            first ||= rabbit
            first.age += tick
            all[tick].mother = rabbit
            made << rabbit
            living = [rabbit] + living + [Births::Rabbit.new(-tick, living[0])]
            living.peach { |r| r.age += r.mother ? r.mother.x : 1 }
            made.peach { |r| r.x += 1 }
          end
          [living, made, first, living.compact.size]
        end
      end
    end

    it "puts together what calls gave" do
      expect_same_world(method(:rabbits)) do |all|
        Ikra.section do
          xs = all.pmap { |r| r.x > 2 ? nil : r.x * 0.5 }
          flags = all.pmap { |r| r.x.even? ? true : nil }
          few = all.pselect { |r| r.x > 100 }
          [xs + [1, nil], xs.compact, [false] + flags + xs, flags.compact, few + few, (few + all).size, all + few]
        end
      end
    end

    it "raises what its elements raise" do
      all = rabbits
      before = deep_snapshot(*all)
      expect do
        Ikra.section do
          2.times do
            born = all.pmap { |r| Births::Rabbit.new(r.x) }
            born.peach { |r| r.x += r.mother.x }
          end
        end
      end.to raise_error(NoMethodError, /undefined method .x' for nil/)
      expect(deep_snapshot(*all)).to eq(before) unless Ikra.backend == :ruby
    end
  end
end

each_compiling_backend do
  it "makes what has rows while everything is collected and moved" do
    make = -> { Array.new(6) { |i| Births::Body.new(i) } }
    step = proc do |b|
      b.position += b.velocity
      b.push(b.mass * 1e-300)
      b.best = [b.best, [b.position, 2**62], Births::Pair.new(b.head, b)]
    end
    left, right = Array.new(2) { make.call }
    make.call.peach(3, &step)
    3.times { left.each(&step) }
    GCModes.while_collecting { right.peach(3, &step) }
    expect(WholeObjects.of(right)).to eq(WholeObjects.of(left))
  end

  it "refuses what a row cannot hold" do
    all = Array.new(4) { |i| Births::Body.new(i) }
    all.each_with_index { |body, i| body.other = all[i - 1] }
    expect { all.peach(2) { |b| b.best = Hash.new { b } } }.to raise_error(Ikra::UnsupportedError, /unsupported-store/)
    expect { all.peach(2) { |b| b.best = [1..b.mass] } }.to raise_error(Ikra::UnsupportedError, /unsupported-store/)
    all.peach(2) { |b| b.other.best = [b.mass] }
    expect(all.map { |b| b.other.best }).to eq(all.map { |b| [b.mass] })
  end
end

# frozen_string_literal: true

# Objects that a section makes and gives.
module Leaving
  # Two numbers.
  class Vector
    attr_accessor :x, :y, :extra

    def initialize(x, y)
      @x = x
      @y = y
    end

    def +(other) = self.class.new(@x + other.x, @y + other.y)
  end

  # Has a variable more, in front.
  class Heavy < Vector
    def initialize(x, y, weight: 1)
      @weight = weight
      super(x, y)
    end
  end

  # Which variables it has, and in which order, hangs on what it is given.
  class Moody
    def initialize(n)
      @first = n if n.odd?
      if n > 2
        @second = n
        @third = nil
      else
        @third = 1.5
        @second = nil
      end
      @first = -n
      @last = true unless n == 3
    end

    def change
      @late = 1
      @last = false
      self
    end
  end

  # A linked list, or a ring.
  class Node
    attr_accessor :value, :rest

    def initialize(value, rest = nil)
      @value = value
      @rest = rest
    end
  end

  # Freezes itself, if it is told to.
  class Fixed
    attr_accessor :x, :y

    def initialize(x, fixed: true)
      @x = x
      freeze if fixed
    end

    def +(other) = Fixed.new(@x + other.x)
  end

  # Sets what its block gives.
  class Lazy
    def initialize(n, factor = 2, *more, key: n, &block)
      @n = block.call(n) * factor
      @more = more
      @key = key
      @self = self if n > 1
    end
  end

  # Has no `initialize`.
  class Plain
    attr_accessor :a

    def with(a)
      @a = a
      self
    end
  end

  Pair = Struct.new(:a, :b)
  Named = Struct.new(:a, :b, keyword_init: true) do
    def initialize(**)
      super
      @sum = a
    end
  end
  # Has what no instance variable shows.
  class Lock < Mutex
    def initialize(code) = @code = code # rubocop:disable Lint/MissingSuper
  end

  # All of its variables are always set.
  class Wide
    def initialize(n)
      @a = @b = @c = @d = @e = @f = @g = n
      @h = @i = @j = @k = @l = @m = n
    end
  end

  # Any of its variables may be missing.
  class Twelve
    def initialize(n)
      @a = n if n[0] == 1
      @b = n if n[1] == 1
      @c = n if n[2] == 1
      @d = n if n[3] == 1
      @e = n if n[4] == 1
      @f = n if n[5] == 1
      @g = n if n[6] == 1
      @h = n if n[7] == 1
      @i = n if n[8] == 1
      @j = n if n[9] == 1
      @k = n if n[10] == 1
      @l = n if n[11] == 1
    end
  end

  # One is too many.
  class Thirteen < Twelve
    attr_reader :m

    def initialize(n)
      super
      @m = n
    end
  end
end

each_backend do
  let(:numbers) { [1, 2, 3, 4, 5] }
  let(:floats) { [0.0, -0.0, Float::NAN, Float::INFINITY, 1e-300, 5.0] }

  it "gives objects" do
    expect_same_objects(numbers) { |n| Leaving::Vector.new(n, n * 0.5) }
    expect_same_objects(floats) { |x| Leaving::Vector.new(x, x > 1 ? nil : x * 2) }
    expect_same_objects([]) { |n| Leaving::Vector.new(n, n) }
    expect_same_objects(numbers) { |n| Leaving::Heavy.new(n, 1, weight: n * (2**60)) + Leaving::Vector.new(1, 0.5) }
  end

  it "gives objects of several classes, nil and numbers" do
    expect_same_objects(numbers) do |n|
      case n
      when 1 then Leaving::Vector.new(n, n)
      when 2 then Leaving::Heavy.new(n, n)
      when 3 then nil
      when 4 then [n, Leaving::Pair.new(n, 1)]
      else n
      end
    end
    expect_same_objects([1, nil, 2.5, :sym, true]) { |x| x.nil? ? x : Leaving::Pair.new(x, [x, nil]) }
  end

  it "sets variables in the order of Ruby's, and only those that were set" do
    expect_same_objects(numbers) { |n| Leaving::Moody.new(n) }
    expect_same_objects(numbers) { |n| [Leaving::Moody.new(n), Leaving::Moody.new(n).change] }
    expect_same_objects(numbers) do |n|
      moody = Leaving::Moody.new(n)
      moody.change if n.even?
      moody
    end
    expect_same_objects(numbers) do |n|
      vector = Leaving::Vector.new(n, n)
      vector.extra = nil if n > 3
      vector
    end
    expect_same_objects([0, 1, 4095, 0b1010_1010_1010, *numbers]) { |n| Leaving::Twelve.new(n) }
    expect_same_objects(numbers) { |n| Leaving::Wide.new(n) }
    expect_same_objects(numbers) { |n| n > 2 ? Leaving::Plain.new : Leaving::Plain.new.with(n) }
  end

  it "gives Structs" do
    expect_same_objects(numbers) { |n| Leaving::Pair.new(n) }
    expect_same_objects(numbers) { |n| Leaving::Named.new(b: n, a: n * 1.5) }
    expect_same_objects(numbers) do |n|
      pair = Leaving::Pair.new(n, 2)
      pair.b = pair
      pair.a += 1
      pair
    end
  end

  it "knows which object is which" do
    expect_same_objects(numbers) do |n|
      vector = Leaving::Vector.new(n, n)
      [vector, vector, Leaving::Vector.new(n, n), Leaving::Pair.new(vector, vector.dup)]
    end
    expect_same_objects(numbers) do |n|
      vector = Leaving::Vector.new(n, n)
      n.odd? ? [vector, vector] : [vector, vector.clone]
    end
    expect_same_objects(numbers) do |n|
      row = Array.new(n) { |i| i * 0.5 }
      [row, Array.new(2) { row }, [row.dup], n > 2 ? row : nil]
    end
    expect_same_objects(numbers) { |n| Array.new(n) { |i| Array.new(i) { |k| Leaving::Vector.new(k, [i]) } } }
  end

  it "gives what holds itself" do
    expect_same_objects(numbers) do |n|
      node = Leaving::Node.new(n)
      node.rest = node
    end
    expect_same_objects(numbers) do |n|
      last = Leaving::Node.new(0)
      first = last
      n.times { |i| first = Leaving::Node.new(i * 0.5, first) }
      last.rest = first if n > 2
      first
    end
    expect_same_objects(numbers) do |n|
      node = Leaving::Node.new(n)
      node.value = [node, Leaving::Pair.new(node, [n])]
      node
    end
  end

  it "gives long lists" do
    expect_same_objects([3, 20_000]) do |n|
      first = nil
      n.times { |i| first = Leaving::Node.new(i, first) }
      first
    end
  end

  it "freezes them" do
    expect_same_objects(numbers) { |n| Leaving::Fixed.new(n) + Leaving::Fixed.new(1.5) }
    expect_same_objects(numbers) { |n| Leaving::Fixed.new(n, fixed: n > 2) }
    expect_same_objects(numbers) do |n|
      vector = Leaving::Vector.new(n, 1)
      vector.x += 1
      vector.freeze if n.even?
      [vector, vector.dup, vector.clone, vector.frozen?, vector.dup.frozen?, vector.clone.frozen?, n.freeze]
    end
    expect_same_objects(numbers) do |n|
      fixed = Leaving::Fixed.new(n, fixed: n < 3).dup
      fixed.y = n
      pair = Leaving::Pair.new(fixed, fixed.frozen?).freeze
      [pair, pair.frozen?, Leaving::Fixed.new(n).frozen?]
    end
  end

  it "runs initialize as Ruby does" do
    expect_same_objects(numbers) { |n| Leaving::Lazy.new(n, 3, 1.5, key: :k) { |x| x + 1 } }
    expect_same_objects(numbers) { |n| [Leaving::Lazy.new(n) { |x| x * x }, n] }
    expect { numbers.pmap { |n| Leaving::Vector.new(n, 1 / (n - 3)) } }.to raise_error(ZeroDivisionError)
  end

  it "gives objects that hold such as there are" do
    points = Array.new(4) { |i| Leaving::Vector.new(i, i * 0.5) }
    results = points.pmap { |point| Leaving::Pair.new(point, [points[0], point.x > 1 ? point : nil]) }
    results.each_with_index do |pair, i|
      expect(pair.a).to equal(points[i])
      expect(pair.b[0]).to equal(points[0])
    end
    expect(points.pmap { |point| point + point }.map(&:y)).to eq([0.0, 1.0, 2.0, 3.0])
  end

  it "gives them in chains and in other operations" do
    expect(WholeObjects.of(numbers.plazy.map { |n| Leaving::Vector.new(n, 1) }.select { |v| v.x > 2 }.to_a))
      .to eq(WholeObjects.of(numbers.map { |n| Leaving::Vector.new(n, 1) }.select { |v| v.x > 2 }))
    flat = proc { |n| n > 2 ? [Leaving::Vector.new(n, 1), n] : Leaving::Vector.new(n, nil) }
    expect(WholeObjects.of(numbers.pflat_map(&flat))).to eq(WholeObjects.of(numbers.flat_map(&flat)))
    shared = proc do |n|
      vector = Leaving::Vector.new(n, 1)
      n > 2 ? [vector, vector, [n]] : vector
    end
    expect(WholeObjects.of(numbers.pflat_map(&shared))).to eq(WholeObjects.of(numbers.flat_map(&shared)))
    expect(numbers.pgroup_by { |n| Leaving::Pair.new(n % 2) }).to eq(numbers.group_by { |n| Leaving::Pair.new(n % 2) })
  end
end

each_compiling_backend do
  it "gives what a program makes" do
    vector = Ikra.section do
      made = Leaving::Vector.new(1, 2)
      made.x = [1, 2, 3].pmap { |n| n * 2 }.sum
      made.y = [made, made]
      made
    end
    expect([vector.x, vector.y]).to match([12, [equal(vector), equal(vector)]])
  end

  it "gives value objects" do
    skip "no Data here" unless defined?(Data) && Data.respond_to?(:define)
    stub_const("LeavingPoint", Data.define(:x, :y) { def initialize(x:, y: nil) = super })
    expect_same_objects([1, 2, 3]) { |n| LeavingPoint.new(n, n * 0.5) }
    expect_same_objects([1, 2, 3]) { |n| [LeavingPoint.new(y: n, x: 1), LeavingPoint.new(n).with(y: [n])] }
  end

  it "makes them while everything is collected and moved" do
    numbers = Array.new(12) { |i| i }
    block = proc do |n|
      vector = Leaving::Vector.new(n * 1e-300, [n, n + (2**62)])
      [vector, Array.new(n) { Leaving::Node.new(Leaving::Vector.new(n, 1e300), vector) }, Leaving::Pair.new(n * 1e-300)]
    end
    single = proc { |n| Leaving::Pair.new(n * 1e-300, [2**62, n]) }
    numbers.pmap(&block)
    GC.stress = true
    results = numbers.pmap(&block)
    singles = numbers.pmap(&single)
    GC.stress = false
    GC.verify_compaction_references(toward: :empty) if GC.respond_to?(:verify_compaction_references)
    expect(WholeObjects.of(results)).to eq(WholeObjects.of(numbers.map(&block)))
    expect(WholeObjects.of(singles)).to eq(WholeObjects.of(numbers.map(&single)))
  rescue NotImplementedError
    skip "no compaction here"
  ensure
    GC.stress = false
  end

  it "does not write what is frozen" do
    expect { [1, 2].pmap { |n| Leaving::Fixed.new(n).y = n } }.to raise_error(FrozenError, /Leaving::Fixed/)
    expect([1, 2].pmap { |n| (Leaving::Fixed.new(n, fixed: false).x = 3) && n }).to eq([1, 2])
    rescued = [1, 2].pmap do |n|
      pair = Leaving::Pair.new(n, n).freeze
      pair.a = 1
    rescue FrozenError
      2
    end
    expect(rescued).to eq([2, 2])
    expect { [[1]].pmap(&:freeze) }.to raise_error(Ikra::UnsupportedError, /unsupported-method/)
  end

  it "refuses classes made in C, and variables in too many orders" do
    expect { [1].pmap { |n| Leaving::Lock.new(n) } }.to raise_error(Ikra::UnsupportedError, /made in C/)
    expect { [1, 2].pmap { |n| Leaving::Thirteen.new(n) } }.to raise_error(Ikra::UnsupportedError, /13 instance/)
    expect([1, 2].pmap { |n| Leaving::Thirteen.new(n).m }).to eq([1, 2])
  end
end

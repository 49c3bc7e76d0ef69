# frozen_string_literal: true

# Objects that a section makes: they live in values where that does not show.
class Vector
  attr_reader :x, :y

  def initialize(x, y = 0.0)
    @x = x
    @y = y
    @length = Math.sqrt((x * x) + (y * y)) if x.is_a?(Float)
  end

  def +(other) = Vector.new(@x + other.x, @y + other.y)
  def -(other) = Vector.new(@x - other.x, @y - other.y)
  def *(other) = other.is_a?(Vector) ? (@x * other.x) + (@y * other.y) : Vector.new(@x * other, @y * other)
  def ==(other) = @x == other.x && @y == other.y
  def coerce(other) = [self, other]
  def length = @length
  def unit = self * (1 / length)
  def self.polar(radius, angle) = new(radius * Math.cos(angle), radius * Math.sin(angle))
end

# A vector with a name for its class.
class Force < Vector
  def initialize(x, y)
    super(x * 2, y)
    @weight = 3
  end

  def weight = @weight
end

# Something that moves.
class Mote
  attr_accessor :x, :y

  def initialize(x, y)
    @x = x
    @y = y
  end

  def position = Vector.new(@x, @y)

  def pull(towards)
    move = (towards - position) * 0.5
    @x += move.x
    @y += move.y
  end
end

each_backend do
  let(:numbers) { [1.0, 2.5, -3.0] }

  it "does vector arithmetic" do
    expect_same(numbers) { |n| (Vector.new(n, 2.0) + Vector.new(1.0, n)).x }
    expect_same(numbers) { |n| (Vector.new(n, 2.0) * Vector.new(1.0, n)) + (2 * Vector.new(n, n)).y }
    expect_same(numbers) { |n| Vector.new(n, 2.0).unit.length.round }
    expect_same(numbers) { |n| Vector.new(n) == Vector.new(1.0) }
    expect_same(numbers, tolerance: 4) { |n| Vector.polar(n, 0.5).x }
    expect_same(numbers) { |n| Vector.new(1, 2).length }
  end

  it "keeps records in locals over loops and branches" do
    expect_same(numbers) do |n|
      sum = Vector.new(0.0, 0.0)
      5.times { |i| sum += Vector.new(n, i * 1.0) }
      sum = sum * 2 if n > 1
      [sum.x, sum.y].max
    end
  end

  it "runs initialize of superclasses" do
    expect_same(numbers) { |n| f = Force.new(n, 1.0); f.x + f.weight }
    expect_same(numbers) { |n| v = n > 0 ? Force.new(n, 1.0) : Force.new(1.0, n); v.class == Force ? v.y : 0 }
  end

  it "works beside objects of the heap" do
    expect_same_effects(-> { Array.new(3) { |i| Mote.new(i * 1.0, 2.0) } }, 3) { |mote| mote.pull(Vector.new(5.0, 5.0)) }
  end

  it "makes Structs" do
    point = stub_const("Spot", Struct.new(:x, :y) { def +(other) = Spot.new(x + other.x, y + other.y) })
    stub_const("Named", Struct.new(:a, :b, keyword_init: true))
    spots = [point.new(1, 2), point.new(3, 4)]
    expect_same(numbers) { |n| (Spot.new(n, 2) + spots[0]).to_a }
    expect_same(numbers) { |n| spots.sum(Spot[n, 0]).y }
    expect_same(numbers) { |n| [Spot.new(n).to_a, Spot.new.to_a, Named.new(b: n).to_a, Named.new.to_a] }
    expect_same(numbers) { |n| Spot.new(n, 2, 3).x }
    expect_same(numbers) { |n| Named.new(n).a }
    expect_same(numbers) { |n| Named.new(a: n, c: 3, d: n).a }
    expect_same([1, 2, 1.0]) { |n| [Spot.new(n, 2) == spots[0], spots[0] == Spot.new(n, 2), Spot.new(n, 2) != n] }
    expect_same([1, 1.0]) { |n| [Spot.new(n, 2).eql?(Spot.new(1, 2)), [Spot.new(n, 2), spots[0]].uniq.size] }
    expect_same(numbers) { |n| x, y = *Spot.new(n, 5); [x, y, Spot.new(n, 1)[:x], Spot.new(n, 1)[1]] }
    expect_same(numbers) { |n| case Spot.new(n, 5); in [a, b] then [b, a] end }
  end

  it "makes Structs with an initialize of their own" do
    stub_const("Filled", Struct.new(:a, :b) do
      attr_reader :c

      def initialize(a, b = 5)
        super
        @c = a + b
      end
    end)
    stub_const("Doubled", Struct.new(:a, :b) do
      def initialize(a)
        super(a * 2)
        self.b = a
      end
    end)
    expect_same(numbers) { |n| [Filled.new(n).to_a, Filled.new(n).c, Filled.new(n, 1).c, Doubled.new(n).to_a] }
    expect_same(numbers) { |n| Filled.new(n, n, n).c }
  end

  it "raises what initialize raises" do
    expect_same(numbers) { |n| Vector.new(n, nil).x }
    expect_same(numbers) { |n| Vector.new(n, n, n).x }
  end
end

each_compiling_backend do
  it "refuses what they cannot do" do
    motes = [Mote.new(1.0, 2.0)]
    stub_const("Spot", Struct.new(:x))
    expect { motes.pmap { |m| Spot.new(m, x: m.x).x } }.to raise_error(Ikra::UnsupportedError, /unsupported-new/)
    expect { motes.pmap { String.new("a", encoding: "UTF-8").size } }.to raise_error(Ikra::UnsupportedError, /unsupported-new/)
  end
end

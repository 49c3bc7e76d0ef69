# frozen_string_literal: true

# Hash patterns over Structs and value objects: each block is run by Ruby and by every back-end and must give the same.
module HashPatterns
  Point = Struct.new(:x, :y) do
    def inspect = "(#{x.inspect}, #{y.inspect})"
  end
  Keyed = Struct.new(:x, :z, keyword_init: true) do
    def inspect = "keyed"
  end

  class Point3 < Point
    attr_accessor :z

    def inspect = "a point"
  end

  Empty = Class.new(Struct.new(:x)) { def deconstruct_keys(_keys) = 5 }

  One = Struct.new(:x) do
    def inspect = "one"
  end

  class Private
    def inspect = "private"

    private

    def deconstruct_keys(_keys) = 5
  end

  if defined?(Data.define)
    Pair = Data.define(:left, :right) do
      def inspect = "a pair"
    end
  end
end

each_backend do
  point = HashPatterns::Point
  let(:points) do
    [point.new(1, 2), point.new(0, nil), point.new(-0.0, Float::NAN), point.new(:a, 3), HashPatterns::Point3.new(1, 5)]
  end
  let(:mixed) { [*points, HashPatterns::Keyed.new(x: 3, z: 4), 5, nil, :a, 2.5] }

  it "binds members" do
    expect_same(points) { |p| case p; in {x:, y:} then [x, y] end }
    expect_same(points) { |p| case p; in {y:} then y end }
    expect_same(points) { |p| case p; in {y: b, x: a} then [a, b] end }
    expect_same(points.first(1)) { |p| p => {x:, y:}; x + y }
    expect_same(points) { |p| p in {x: Integer} }
    expect_same(points) { |p| (p in {x: Integer => a}) ? a : -1 }
    expect_same(points) { |p| case p; in {"x": a} then a end }
  end

  it "matches values, classes and nested patterns" do
    expect_same(mixed) do |p|
      case p
      in {x: 1, y:} then y
      in {x: Integer | Float => a, y: nil} then a
      in {x: Symbol, y: 3..} then :symbol
      in {x:, z: Integer => z} then x + z
      in {x:} then x
      in Integer | Float => n then n
      else 0
      end
    end
    expect_same(mixed) { |p| case p; in {x:, y:} if x == y then 1; in {x:} unless x.nil? then 2 else 3 end }
    expect_same(points) { |p| case [p, 3]; in [{x: Integer => a}, b] then a + b else 0 end }
    expect_same(points) do |p|
      case HashPatterns::Point.new(p, 7)
      in {x: {y: Integer => a}, y:} then a + y
      else 0
      end
    end
  end

  it "asks the constant in front" do
    expect_same(mixed) do |p|
      case p
      in HashPatterns::Point(x:, y:) then [x, y]
      in HashPatterns::Keyed(z:) then z
      else 0
      end
    end
    expect_same(mixed) { |p| case p; in HashPatterns::Point3[x:] then x else 0 end }
  end

  it "knows whether there are other keys" do
    expect_same(mixed) { |p| case p; in {x:, **nil} then 1; in {x:, y:, **nil} then 2; in {} then 3 else 4 end }
    expect_same(mixed) { |p| case p; in {x:, y:, z:} then 1; in {q:} then 2; in {x:, q:} then 3 else 4 end }
  end

  it "raises what Ruby raises" do
    one = [point.new(1, 2)]
    expect_same(one) { |p| case p; in {x:, z:} then x + z end }
    expect_same(one) { |p| p => {x: 3} }
    expect_same([HashPatterns::One.new(2.5)]) { |p| p => {}; 1 }
    expect_same(one) { |p| p => {x:, **nil}; x }
    expect_same(one) { |p| p => {x:, y:, w:, z:}; x + y + w + z }
    expect_same([5]) { |p| p => {x:}; x }
    expect_same([nil]) { |p| p => {x:}; x }
    expect_same(one) { |p| case p; in {q: 1} then 1; in {x: 2} then 2 end }
    expect_same(one) { |p| case [p, 3]; in [{q:}, 3] then q end }
    expect_same(one) { |p| p => {q: 1} | [1, 5] }
    expect_same(one) { |p| p => [1, 5] | {q: 1} }
    expect_same([HashPatterns::Empty.new(1)]) { |p| p => {x:}; x }
    expect_same([HashPatterns::Private.new]) { |p| p => {x:}; x }
    expect_same(one) { |p| p => HashPatterns::Keyed(x:); x }
    expect_same(one) { |p| begin; p => {q:}; q; rescue NoMatchingPatternKeyError; 7; end }
  end

  if defined?(HashPatterns::Pair)
    it "takes value objects apart" do
      pairs = [HashPatterns::Pair.new(1, 2), HashPatterns::Pair.new(nil, 2.5)]
      expect_same(pairs) { |p| case p; in {left: Integer => a, right:} then a + right; in {right:} then right end }
      expect_same([1, 2]) { |n| case HashPatterns::Pair.new(n, n * 2); in {left:, right:} then left * right end }
      expect_same(pairs) { |p| p => {left: 1}; 0 }
    end
  end
end

each_backend do
  point = HashPatterns::Point
  let(:points) { [point.new(1, 2), point.new(0, nil), HashPatterns::Keyed.new(x: 3, z: 4), HashPatterns::One.new(9)] }

  it "gives the other keys as a Hash" do
    expect_same(points) { |p| case p; in {x:, **rest} then [x, rest] end }
    expect_same(points) { |p| case p; in {**all} then all.keys end }
    expect_same(points) { |p| case p; in {x: 0, **rest} then rest.size; in {z:, **rest} then [z, rest[:x]]; else -1 end }
    expect_same(points) { |p| case p; in {q:, **rest} then rest; in {x:, **} then x end }
    expect_same(points) { |p| p => {x:, z:, **rest}; [x, z, rest] }
    expect_same([1, 2]) do |n|
      options = { name: "a#{n}", age: n, tags: [n] }
      case options
      in {age: 1, **rest} then rest.merge!(b: 2); [options, rest]
      in {name: String => name, **rest} if rest.key?(:age) then [name, rest]
      end
    end
    table = { a: 1, b: 2, "c" => 3 }
    expect_same([1, 5]) { |n| case table; in {a: ^n, **rest} then rest; in {b:, **rest} then [b, rest.size] end }
    expect_same(points) { |p| case [p, 1]; in [{x:, **rest}, 1] then [x, rest.to_a] end }
  end
end

# frozen_string_literal: true

# rubocop:disable Layout/LineLength
module MethodFuzzer
  # Says that it is an Integer.
  class IntLike
    def to_int = 2
  end

  # The same, and lies.
  class IntLiar
    def to_int = nil
  end

  # Says that it is a String.
  class TextLike
    def to_str = "b"
    def to_s = "text"
  end

  # Shows itself as no String.
  class TextLiar
    def to_s = nil
    def to_str = 7
    def inspect = "liar"
  end

  # Says that it is an Array.
  class ListLike
    def to_ary = [1, 2]
    def to_a = [1, 2]
  end

  # Says that it is a Hash.
  class HashLike
    def to_hash = { a: 1 }
  end

  # Goes into arithmetic.
  class Coercing
    def coerce(other) = [other, 2]
  end

  # Does not, where it says that it does.
  class CoercingLiar
    def coerce(_other) = nil
  end

  # Equal to nothing, also not to itself.
  class NeverEqual
    def ==(_other) = false
    def inspect = "never"
  end

  # Equal to everything.
  class AlwaysEqual
    def ==(_other) = true
    def eql?(_other) = true
    def hash = 1
    def ===(_other) = 1
    def inspect = "always"
  end

  # Of one order with all others.
  class Ordered
    include Comparable

    attr_reader :size

    def initialize(size) = @size = size
    def <=>(other) = other.is_a?(Ordered) ? size <=> other.size : nil
    def inspect = "ordered"
    def succ = Ordered.new(size + 1)
  end

  # Has an order that is none.
  class OrderedLiar
    include Comparable

    def <=>(_other) = :less
    def inspect = "disordered"
  end

  # Raises whatever it is asked.
  class Raising
    def ==(_other) = raise(ArgumentError, "asked for ==")
    def to_int = raise(ArgumentError, "asked for to_int")
    def to_str = raise(ArgumentError, "asked for to_str")
    def to_s = raise(ArgumentError, "asked for to_s")
    def inspect = "raising"
  end

  # A list with an `each` of its own.
  class Each
    include Enumerable

    def initialize(items) = @items = items

    def each
      i = 0
      while i < @items.size
        yield @items[i]
        i += 1
      end
      self
    end

    def inspect = "each"
  end

  Point = Struct.new(:x, :y)
  Item = Struct.new(:value, keyword_init: true)

  # What methods are called on, by the heading of docs/ruby.md that they stand under, and what they are given.
  module Values
    INTEGERS = %w[0 1 -1 2 7 -7 10 255 -98765 2**31 2**53+1 2**62 2**63-1 -(2**63) 10**18].freeze
    FLOATS = %w[0.0 -0.0 0.5 -0.5 1.5 2.5 -2.5 0.1 1.005 25.0 110.4365763954013 12345.678 1e-5 1e15 1e22 1e300 5e-324
                2.0**53 2.0**63 Float::MAX Float::MIN Float::NAN Float::INFINITY -Float::INFINITY].freeze
    RATIONALS = %w[0r 1r -1/2r 3/2r 5/2r 22/7r -7/10r Rational(2**31,3) 1/1000000r].freeze
    COMPLEXES = %w[0i 1i Complex(1,2) Complex(-3,4) Complex(1.5,-2.5) Complex(0.0,-0.0) Complex(2,0.0) Complex(1/2r,1/3r)
                   Complex(Float::NAN,1) Complex(2,2) Complex(Float::INFINITY,0)].freeze
    STRINGS = ['""', '"a"', '"abc"', '"hello world"', '" x\n"', '"a,b,,c"', '"12.5e3"', '"-0x1f"', '"é日本"', '"aAzZ9"',
               '"a\nb\r\nc"', '"%d %s"', '"l" * 40', '"\xff"', '"ab".b'].freeze
    ARRAYS = ["[]", "[1]", "[3, 1, 2]", "[nil, nil]", '[1, "a", :b, nil]', "[[1, 2], [3, 4]]", "[[1, 2], [3]]", "[1.5, -0.0]",
              "[Float::NAN, 1.0]", '["b", "a", "b"]', "[:a, :b]", "[1, [2, [3, [4]]]]", "[true, false, nil]", "[1, 2.0, 3]",
              "[2**62, 2**62]", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", "[[1, :a], [2, :b]]", '["", " "]'].freeze
    RANGES = ["(1..3)", "(1...3)", "(3..1)", "(0...0)", "(1..)", "(..3)", "(1.0..2.5)", "(1..2.5)", '("a".."e")', "(nil..nil)",
              "(-3..-1)", "(1..2**62)", "(0.5..)"].freeze
    HASHES = ["{}", "{ a: 1 }", "{ 1 => 2, 3 => 4 }", '{ "x" => nil, "y" => [] }', "{ nil => 1, 2.5 => :b }", "Hash.new(5)",
              "{ [1] => { a: [7] } }", "{ a: 1, b: 2, c: 3 }"].freeze
    STRUCTS = ["MethodFuzzer::Point.new(1, 2)", 'MethodFuzzer::Point.new("a", nil)', "MethodFuzzer::Point.new([1], 2.5)",
               "MethodFuzzer::Item.new(value: 3)"].freeze
    OBJECTS = [*%w[IntLike IntLiar TextLike TextLiar ListLike HashLike Coercing CoercingLiar NeverEqual AlwaysEqual
                   OrderedLiar Raising].map { |name| "MethodFuzzer::#{name}.new" },
               "MethodFuzzer::Ordered.new(3)", "Object.new"].freeze
    ENUMERABLES = [*ARRAYS.first(13), *HASHES.first(4), *STRUCTS.first(2), "(1..3)", "(1...1)", '("a".."c")', "Set[1, 2]",
                   "[3, 1].each", "(1..4).each_slice(2)", "MethodFuzzer::Each.new([3, 1, 2])",
                   "MethodFuzzer::Each.new([])", "MethodFuzzer::Each.new([[1, 2], nil])"].freeze

    RECEIVERS = {
      "Integer" => INTEGERS, "Float" => FLOATS, "Numeric" => INTEGERS + FLOATS + RATIONALS, "Complex" => COMPLEXES, "Rational" => RATIONALS,
      "Complex." => ["Complex"], "NilClass" => %w[nil],
      "TrueClass" => %w[true], "FalseClass" => %w[false], "Symbol" => [":a", ":abc", ':""', ':"a b"', ":é", ":B"],
      "String" => STRINGS, "Array" => ARRAYS, "Range" => RANGES, "Hash" => HASHES, "Struct" => STRUCTS,
      "Enumerable" => ENUMERABLES,
      "Comparable" => ["MethodFuzzer::Ordered.new(3)", "MethodFuzzer::OrderedLiar.new", "1", "2.5", '"b"'],
      "Kernel" => ["nil", "1", "-0.0", ":a", '"abc"', "[1, 2]", "{ a: 1 }", "(1..2)", *OBJECTS.first(14), *STRUCTS.first(1)],
      "Kernel functions" => [""], "Math." => ["Math"], "Integer." => ["Integer"],
      "Regexp" => %w[/a/ /(b)(c)?/ /\d+/ /(?<x>l+)/i],
      "MatchData" => ['"hello".match(/l(l)(o)?/)', '"abc".match(/(?<x>b)(?<y>z)?/)']
    }.freeze

    # As they stand for nothing that has an answer in a process of its own.
    OMITTED = %w[shuffle shuffle! sample rand random_number seed hash block_given? loop throw catch raise fail lambda proc
                 last_match encoding force_encoding].freeze

    SMALL = %w[0 1 -1 2 3 -2 5].freeze
    HOSTILE = [
      "nil", "true", "false", ":a", ":+", ":to_s", '""', '"a"', '"b"', '"abc"', '" "', '"é"', '"a-c"', '"^a"', "0", "1", "-1", "2", "3",
      "-4", "16", "100", "2**31", "2**40", "2**62", "2**63-1", "-(2**63)", "0.0", "-0.0", "0.5", "1.0", "1.5", "-2.7", "3.999",
      "1e20", "Float::NAN", "Float::INFINITY", "-Float::INFINITY", "1r", "3/2r", "1i", "Complex(1.5,0)", "[]", "[1]", "[1, 2]", "[[1, 2]]", "[nil]", '["a"]', "[1, :a]",
      "{}", "{ a: 1 }", "{ 1 => 2 }", "(0..1)", "(1...-1)", "(-5..2)", "(2..)", "(..1)", "(nil..nil)", "(0..100)", "(5..1)", "(0.0..1.5)",
      '("a".."c")', "(1..nil)", "Integer", "String", "Comparable", "/a/", "/b|c/", '"x".freeze', "[1, 2].freeze", *OBJECTS, *STRUCTS.first(2)
    ].freeze

    BLOCKS = ["{ |x| x }", "{ |x, y| y }", "{ nil }", "{ true }", "{ 1 }", "{ |x| x.to_s }", "{ |x| x.nil? }", "{ |x, y| x <=> y }",
              "{ |x, y| [x, y] }", "{ |x| x + 1 }", "{ |*x| x.size }", '{ |x| raise ArgumentError, "in the block" }',
              "{ break 7 }", "{ |x| next }", "{ |a, (b, c)| c }", "{ :a }", "{ 2.5 }", '{ |x| "t" }', "{ |x, i = 3| i }"].freeze
  end
end
# rubocop:enable Layout/LineLength

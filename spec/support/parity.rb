# frozen_string_literal: true

require "tempfile"

# Ruby's built-in methods against plain Ruby. The tables in parity/ say which expressions are tried on which receivers
# and arguments; each expression becomes a block in a generated file, because a section is compiled from its source.
module Parity
  # Objects with an order.
  class Weight
    include Comparable

    def initialize(grams)
      @grams = grams
    end

    attr_reader :grams

    def <=>(other)
      other.is_a?(Weight) ? @grams <=> other.grams : nil
    end
  end

  # Receivers and arguments, with those among them on which arithmetic goes wrong most easily.
  VALUES = {
    integers: [
      0, 1, -1, 2, -2, 3, 7, -7, 10, 15, 25, -25, 100, -100, 255, 4096, 12_345, -98_765,
      (2**31) - 1, 2**31, -(2**31), -(2**31) - 1, 2**32, 10**12, 1_234_567_890_123,
      (2**53) - 1, 2**53, (2**53) + 1, -(2**53) - 1, 10**18, 5 * (10**18), -5 * (10**18), (5 * (10**18)) + 1,
      (2**62) - 1, 2**62, -(2**62), -(2**62) - 1, (2**63) - 1, (2**63) - 3, -(2**63), -(2**63) + 1,
      # The quotient with the second is not rounded correctly by MRI.
      1818, 8_794_855_227_999_093_745
    ],
    floats: [
      0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999999999999994, 0.5000000000000001, 1.0, -1.0, 3.0, -7.0,
      52_327.05, -818.473145, 0.9190485216377231,
      0.1, 0.3, 1.005, -1.005, 1.15, 2.675, 291.4, -291.4, 25.0, -35.0, 12_345.678, -12_345.678, 0.7999999999999999,
      1e-5, -1e-5, -1.37e-16, 5e-16, 2.5e-15, 0.123456789012345678, -1.5 / (2**40), 3.0 / (2**19),
      1.0000000000000005, 1.23456e-10, 1_000_000_000_000_000.5, (2.0**52) + 1, (2.0**52) + 2, -(2.0**52) - 1, 2.0**53,
      2.0**62, 2.0**63, -(2.0**63), 9_223_372_036_854_774_784.0, -9_223_372_036_854_777_856.0, 1e19, 1e22, 1e23, 1e300,
      5e-324, -5e-324, 1e-310, Float::MIN, Float::MAX, -Float::MAX, Float::EPSILON, Math::PI,
      Float::NAN, Float::INFINITY, -Float::INFINITY
    ],
    digits: [15, 16, 17, 18],
    small: [-21, -20, -19, -18, -17, -5, -3, -2, -1, 0, 1, 2, 3, 5, 10, 14],
    exponents: [0, 1, 2, 3, 5, 17, 62, 63, 64, -1, -2],
    fractions: [0.0, -0.0, 0.5, -0.5, 1.0, 2.0, 3.0, -1.0, 1.5, Float::NAN, Float::INFINITY, -Float::INFINITY],
    shifts: [0, 1, 2, 31, 32, 62, 63, 64, 65, -1, -2, -31, -63, -64, -65],
    rationals: [[0, 1], [1, 1], [-1, 1], [5, 1], [-3, 1], [1, 2], [-1, 2], [3, 2], [5, 2], [-5, 2], [1, 3], [-2, 3],
                [22, 7], [-7, 10], [123_456, 1000], [1005, 1000], [(2**31) - 1, 2**31], [1, 10**12], [10**12, 7]]
           .map do |number, below|
                 Rational(number, below)
               end,
    ratios: [[0, 1], [1, 1], [5, 1], [1, 2], [3, 2], [1, 3], [22, 7], [7, 10]].map do |number, below|
              Rational(number, below)
            end,
    rational_arguments: [0, 1, -2, 3, 0.0, 0.5, -1.5, 1e15, Float::NAN, Float::INFINITY, 1r, 3r, 0r, 1/2r, -2/3r, 5/2r,
                         22/7r, 0i, 2i, Complex(1, 1), Complex(1.5, -0.0), Complex(1/2r, 0), nil, :a, true],
    real_arguments: [0, 1, -2, 3, 7, 0.0, 0.5, -1.5, Float::NAN, Float::INFINITY, 1r, 0r, 1/2r, -2/3r, nil, :a],
    complexes: [
      [0, 0], [1, 0], [-1, 0], [0, 1], [0, -2], [1, 1], [-3, 4], [2, -2], [-2, -2], [-3, 3], [5, 7], [1 << 20, 3],
      [1, 0.0],
      [1.5, 2.5], [-0.5, 0.25], [0.0, 0.0], [-0.0, 0.0], [0.0, -0.0], [1.0, 0.0], [0.0, -3.0], [2.0, 2.0], [2.0, -2.0],
      [3, 0.5], [0.5, 3], [0, 0.0], [0.0, 0], [1e200, 1e200], [1e-200, 5e-324], [Float::NAN, 0.0], [1, Float::NAN],
      [Float::INFINITY, 1.0], [-1.0, -Float::INFINITY], [Float::INFINITY, 0], [1/2r, 0], [1/2r, 1/3r], [-3/4r, 2],
      [1/2r, 0.5], [Math::PI, -Math::E]
    ].map { |parts| Complex(*parts) },
    complex_arguments: [0, 1, -2, 3, 4, 0.0, -0.0, 0.5, -1.5, Float::NAN, Float::INFINITY, 1/2r, 2r, 1i, 0i,
                        Complex(1, 2), Complex(1.5, -2.5), Complex(0.0, -0.0), Complex(2, 0.0), Complex(1/2r, 1/3r),
                        Complex(Float::INFINITY, Float::NAN), nil, :a, true],
    others: [nil, :a, true, false],
    bools: [true, false],
    nils: [nil],
    symbols: [:a, :b, :c, :aa, :ab, :"", :B, :ä, :"a b", :"a\x00", :"a\x00b", :+, :[]=, :@a],
    plain_symbols: %i[a b9 az Zz zz a_z],
    texts: ["", "a", "l", "abc", "hello world", " x\n", "a\r\n", "10", "-0x1f", "1.5e3", "é", "日本語",
            "défg l", "\xff", "a\xc3", "l\xff".b, "us".encode("US-ASCII")],
    patterns: ["a", "l", "abc", " ", "é", "日", "o w", "us"],
    ascii: ["", "a", "Zz", "az", "a9", "hello World", "-9", "*", "10"],
    cased: ["Straße", "STRASSE", "ΣΊΣΥΦΟΣ σ", "ﬃ", "ǅ", "ǆa", "İi", "\u0345α", "ŉ", "Ა ა",
            "𐐀\u{e0001}\u{f0000}", "\u0085\u200b\u2028"],
    short: %w[a b zx 9 x],
    sets: ["a", "lo", "a-l", "^a-l", "\\-a", "é", "^日", ""],
    places: [0, 1, 2, 3, 5, 11, 12, -1, -2, -3, -5, -12],
    few: [0, 1, 3, -1],
    numerals: ["", "0", "12.5", "-1e3x", "1_000.25", " .5", "1e400",
               "123456789012345678901234567890", "2.2250738585072014e-308", "x"],
    codes: [65, 127, 128, 255, 0x65e5, -1],
    mixed: [1, 2.5, nil, :a, true, false],
    weights: [1, 2, 2.5, 3, Float::NAN].map { |grams| Weight.new(grams) },
    moduli: [1, 2, 7, -7, 10, 1000, (2**31) - 1, 3_037_000_500, 3_037_000_501, (2**61) - 1, (2**63) - 25, -(2**40), 0],
    unit: [0.0, -0.0, 0.1, 0.5, -0.5, 0.999, 1.0, -1.0, 1.0000000000000002, 2.0, -2.0, 5e-324, Float::NAN],
    reals: [
      0.0, -0.0, 0.1, -0.1, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5, -2.5, 2.0, 3.0, 4.0, -3.0, 10.0, 22.0, 23.0, 24.0, 25.5,
      100.0, 171.0, 172.0, -170.5, 700.0, -745.0, 1e10, -1e10, 1e22, 1e300, 5e-324, 1e-310, Float::MAX, Math::PI,
      Math::E, Float::NAN, Float::INFINITY, -Float::INFINITY
    ]
  }.freeze

  # One expression of `x` and `y`. `tolerance`: units in the last place on a GPU, whose C library is another.
  Row = Struct.new(:owner, :name, :code, :receivers, :arguments, :tolerance, keyword_init: true) do
    def to_s = arguments ? "#{code}, y in #{arguments}" : code
    def entry = "case_#{object_id}"
    # Is there a regular expression? They run on the CPU only.
    def pattern? = code.match?(%r{(?<!\d) ?/\S*[^/ ]\S*/})
  end
  ROWS = [] # rubocop:disable Style/MutableConstant

  # The rows of one class: `on` are the receivers.
  class Table
    UNARY = { "-@" => "-x", "+@" => "+x", "~" => "~x", "!" => "!x" }.freeze

    def initialize(owner, receivers)
      @owner = owner
      @receivers = receivers
    end

    # `x.name`, or the expressions given.
    def unary(*names, code: nil, on: @receivers, **rest)
      names.each do |name|
        Array(code || UNARY.fetch(name, "x.#{name}")).each { |text| add(name, text, on, nil, **rest) }
      end
    end

    # `x.name(y)` or `x name y`, or the expressions given, for each set of arguments.
    def binary(*names, by:, code: nil, on: @receivers, **rest)
      names.each do |name|
        text = name.match?(/\A\W+\z/) ? "x #{name} y" : "x.#{name}(y)"
        Array(code || text).product(Array(by)) { |expression, set| add(name, expression, on, set, **rest) }
      end
    end

    private

    def add(name, code, receivers, arguments, tolerance: 0)
      return unless Parity.method?(@owner, name)

      ROWS << Row.new(owner: @owner, name:, code:, receivers:, arguments:, tolerance:)
    end
  end

  # The classes of docs/ruby.md that the tables here are for. Other specs are about arrays, ranges and random numbers.
  OWNERS = %w[Integer Integer. Float Complex Complex. Rational Numeric Comparable Math. NilClass TrueClass FalseClass
              Symbol String Kernel].freeze

  module_function

  # Has the running Ruby the method? Owners are those of docs/ruby.md; others are no classes, and have all.
  def method?(owner, name)
    owner = owner.dup
    own = owner.delete_suffix!(".")
    return true unless Object.const_defined?(owner)

    owner = Object.const_get(owner)
    own ? owner.respond_to?(name) : owner.method_defined?(name) || owner.private_method_defined?(name)
  rescue NameError
    true
  end

  def table(owner, on:, &block)
    Table.new(owner, on).instance_exec(&block)
  end

  # Defines a method for each row, which runs its block by `map` or by `pmap`.
  def load_blocks
    return if @file

    text = ROWS.map do |row|
      "def #{row.entry}(base, y, how) = base.public_send(how) { |x| #{row.code} }"
    end
    @file = Tempfile.new(["parity", ".rb"])
    @file.write("module Parity\n  module Blocks\n    module_function\n#{text.join("\n")}\n  end\nend\n")
    @file.close
    # A file changed lately is compared with what was loaded from it; one as long as this takes a while.
    File.utime(0, 0, @file.path)
    Warnings.without { load(@file.path) }
  end

  # The differences between a row in Ruby and on the current back-end. `every`: tries each nth argument only.
  def differences(row, every: 1)
    load_blocks
    arguments = row.arguments ? VALUES.fetch(row.arguments) : [nil]
    arguments = arguments.each_slice(every).map(&:first)
    arguments.flat_map { |y| compare(row, VALUES.fetch(row.receivers), y) }
  end

  def compare(row, base, y)
    expected = base.map { |x| run(row, [x], y, :map) }
    good, bad = base.zip(expected).partition do |_, outcome|
      outcome.is_a?(Array) && storable?(outcome.first) && !of_another_sort?(row, outcome.first)
    end
    compare_all(row, good, y) + bad.filter_map { |x, outcome| difference(row, x, y, outcome, run(row, [x], y, :pmap)) }
  end

  def compare_all(row, good, y)
    return [] if good.empty?

    actual = run(row, good.map(&:first), y, :pmap)
    if actual.is_a?(Array)
      return good.zip(actual).filter_map { |(x, outcome), value| difference(row, x, y, outcome, [value]) }
    end

    found = good.filter_map { |x, outcome| difference(row, x, y, outcome, run(row, [x], y, :pmap)) }
    # What is computed with Integers of any size may be too much for one section where receivers are of many kinds.
    return found if found.any? || actual.message.include?("[section-too-large]")

    ["#{row} on all receivers: #{actual.inspect}"]
  end

  # An array with the values, or the exception.
  def run(row, base, y, how)
    Warnings.without { Blocks.public_send(row.entry, base, y, how) }
  rescue StandardError, SystemStackError => e
    e
  end

  # Can a section give it?
  def storable?(value)
    case value
    when Numeric, String, Symbol, Weight, nil, true, false then true
    else false
    end
  end

  # A power of an Integer or Float that is none of these: a section has such where the exponent is written out.
  def of_another_sort?(row, value)
    %w[** pow].include?(row.name) && %w[Integer Float].include?(row.owner) && [Complex, Rational].include?(value.class)
  end

  def difference(row, x, y, expected, actual)
    return if same?(row, expected, actual)

    "#{row.code} with x = #{x.inspect}#{", y = #{y.inspect}" if row.arguments}: " \
      "Ruby #{tell(expected)}, Ikra #{tell(actual)}"
  end

  def tell(outcome) = outcome.is_a?(Array) ? outcome.first.inspect : "#{outcome.class}: #{outcome.message.lines.first}"

  def same?(row, expected, actual)
    if expected.is_a?(Exception)
      # Of RangeErrors the class is enough: `NaN out of range` is told in other words.
      return actual.is_a?(RangeError) if expected.instance_of?(RangeError)

      actual.instance_of?(expected.class) && plain(actual) == plain(expected)
    elsif actual.is_a?(Array)
      same_value?(expected.first, actual.first, row.tolerance)
    else
      refused = of_another_sort?(row, expected.first) || !storable?(expected.first)
      refused && actual.is_a?(Ikra::UnsupportedError)
    end
  end

  def same_value?(expected, actual, tolerance)
    return false unless expected.instance_of?(actual.class)
    return expected.encoding == actual.encoding && expected == actual if expected.is_a?(String)

    if expected.is_a?(Complex)
      parts = expected.rectangular.zip(actual.rectangular)
      return parts.all? { |one, other| same_value?(one, other, tolerance) }
    end
    return expected == actual unless expected.is_a?(Float)
    return true if expected.nan? && actual.nan?

    a, b = [expected, actual].map { |x| [x].pack("G").unpack1("q>") }
    tolerance.zero? || Ikra.backend == :cpu ? a == b : (a - b).abs <= tolerance
  end

  # Without what error_highlight adds; MRI has two ways to say that nil is no Integer, which depend on the path taken.
  def plain(error)
    error.message.sub(/\n\n.*\n *\^+/m, "").sub("from nil to integer", "of nil into Integer")
  end
end

Dir[File.join(__dir__, "parity", "*.rb")].each { |file| require file }

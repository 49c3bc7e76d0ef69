# frozen_string_literal: true

# Compares a section with the same block in plain Ruby: value for value, class for class, Floats bit for bit, and the
# exception with its class and message where Ruby raises one.
module SameAsRuby
  # Runs the block over the base with Ruby's own `map` and with `pmap` on the current back-end.
  # @param tolerance [Integer] units in the last place that Floats may differ by (Math functions: 2)
  def expect_same(base, tolerance: 0, &block)
    expected = outcome { base.map(&block) }
    actual = outcome { base.pmap(&block) }
    return if same?(expected, actual, tolerance)

    raise RSpec::Expectations::ExpectationNotMetError,
          "Ruby gives\n  #{expected.inspect}\nIkra (#{Ikra.backend}) gives\n  #{actual.inspect}\n" \
          "for #{base.inspect[0, 200]} at #{block.source_location.join(":")}"
  end

  # Runs a program with Ruby's own methods and on the current back-end: it gives the same. What it works on it makes
  # itself.
  def expect_same_program
    chosen = Ikra.chosen
    Ikra.backend = :ruby
    expected = yield
    Ikra.backend = chosen
    expect(yield).to eq(expected)
  ensure
    Ikra.backend = chosen
  end

  # Runs `peach` on one copy of the objects and `each` on another, then compares all instance variables.
  # @yieldreturn the block to run, after `make` has built the base twice
  def expect_same_effects(make, ticks = 1, &block)
    left = make.call
    right = make.call
    expected = outcome { ticks.times { left.each(&block) } && nil }
    actual = outcome { right.peach(ticks, &block) && nil }
    expect(actual).to eq(expected)
    expect(right.map { |o| state(o) }).to eq(left.map { |o| state(o) }) unless expected.is_a?(Array)
  end

  def state(object)
    object.instance_variables.sort.to_h do |name|
      value = object.instance_variable_get(name)
      [name, value.is_a?(Float) ? [value].pack("G") : value.inspect.gsub(/0x\h+/, "")]
    end
  end

  private

  def outcome
    yield
  rescue StandardError, SystemStackError => e
    # Without the snippet of error_highlight, which only an error raised by the interpreter has.
    [:raised, e.class, e.message.gsub(/0x\h+/, "0x").sub(/\n\n.*\n *\^+/, "")]
  end

  def same?(expected, actual, tolerance)
    return expected == actual if expected.first == :raised || actual.first == :raised
    return false unless expected.size == actual.size

    expected.zip(actual).all? { |a, b| same_value?(a, b, tolerance) }
  end

  def same_value?(expected, actual, tolerance)
    return false unless expected.instance_of?(actual.class)
    if expected.is_a?(Array)
      return expected.size == actual.size && expected.zip(actual).all? { |a, b| same_value?(a, b, tolerance) }
    end
    return expected.equal?(actual) || expected == actual unless expected.is_a?(Float)
    return true if expected.nan? && actual.nan?

    a, b = [expected, actual].map { |x| [x].pack("G").unpack1("q>") }
    (a - b).abs <= tolerance
  end
end

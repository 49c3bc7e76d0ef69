# frozen_string_literal: true

module RandomPrograms
  # Choices, all from one seed; and texts of constants.
  module Chance
    EDGES = [2**31, -(2**31), (2**31) - 1, (2**32) + 1, 2**53, (2**53) + 1, -(2**53), 2**62, -(2**62), (2**63) - 1,
             -(2**63)].freeze
    FLOATS = %w[0.0 -0.0 0.5 -0.5 1.5 2.5 -2.5 3.7 -3.7 0.1 1e10 -1e10 1e-310 1e308 0.49999999999999994
                9007199254740992.0 4611686018427387904.0 Float::NAN Float::INFINITY -Float::INFINITY].freeze
    SYMBOLS = %w[:a :b :c :left].freeze
    CLASSES = { int: "Integer", float: "Float", sym: "Symbol", str: "String", nil: "NilClass" }.freeze

    def chance(probability) = @random.rand < probability
    def pick(choices) = choices.empty? ? nil : choices[@random.rand(choices.size)]
    def between(low, high) = @random.rand(low..high)

    # @param choices [Hash] weights by what is chosen
    def weighted(choices)
      at = @random.rand * choices.values.sum
      choices.each do |choice, weight|
        at -= weight
        return choice if at < 0
      end
      choices.keys.last
    end

    # Some of the choices, at least one.
    def some(choices, most)
      choices.sample(between(1, [most, choices.size].min), random: @random)
    end

    def integer_text
      value = chance(@edge) ? pick(EDGES) : between(-7, 12)
      value.to_s
    end

    def float_text
      chance(@edge + 0.05) ? pick(FLOATS) : pick(FLOATS.first(10))
    end

    def constant_text(type)
      case type
      when :int then integer_text
      when :float then float_text
      when :sym then pick(SYMBOLS)
      when :str then pick(Texts::TEXTS).inspect
      when :bool then pick(%w[true false])
      else "nil"
      end
    end

    def constant(type) = Node.expression(constant_text(type))

    def test_text(text, type)
      case type
      when :nil then pick(["#{text}.nil?", "(#{text} == nil)", "(nil == #{text})", "(NilClass === #{text})"])
      when :bool then "(#{text} == true || #{text} == false)"
      else pick(["#{text}.is_a?(#{class_name(type)})", "(#{class_name(type)} === #{text})"])
      end
    end

    def class_name(type) = CLASSES.fetch(type, type)

    def fresh(prefix)
      @names += 1
      "#{prefix}#{@names}"
    end
  end
end

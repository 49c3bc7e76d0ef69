# frozen_string_literal: true

module RandomPrograms
  # Statements that raise something, if a condition holds.
  module Raising
    def failure(depth)
      what = pick(["raise", "raise \"no\"", "raise ArgumentError", "raise ArgumentError, \"bad\"",
                   "raise IndexError.new(\"odd\")", "fail RangeError", "raise TaggedError",
                   "raise TaggedError, \"bad\"", "raise ArgumentError, [1, :bad]", "raise IndexError, { a: 1 }"])
      what = worded(depth) if chance(0.4)
      what = raised_of_several(depth) if chance(0.15, :raised_of_several)
      what = coded(depth) if chance(0.3)
      what = pick(FROZEN) if chance(0.12)
      Node.statement(what, " if ", e("(", number(depth), " == ", expression([:int], depth), ")"))
    end

    # What the program makes, freezes and then changes.
    FROZEN = ["\"a\".dup.freeze << \"b\"", "Cell.new(1, nil).freeze.value = 3", "[1, :a].freeze << 2",
              "Partial.new(4).freeze.instance_variable_set(:@value, 1)", "{ 1 => 2 }.freeze[3] = 4"].freeze

    # The message of the FrozenError, where what is changed is frozen by then.
    def frozen_text(depth)
      value = expression(pick([[:int], [:str], [:float]]), depth - 1)
      name = fresh("i")
      made, change = pick([[e("\"a\#{", value, "}\""), "#{name} << \"b\""],
                           [e("Cell.new(", value, ", 2)"), "#{name}.value = 3"],
                           [e("[", value, "]"), "#{name}.push(5)"], [e("{ 7 => ", value, " }"), "#{name}[8] = 9"]])
      e("(begin; ", made, ".then { |#{name}| #{name}.freeze if ", condition(depth - 1),
        "; #{change}; #{name}.inspect }; rescue FrozenError => e; e.message; end)")
    end

    # One of several classes, as the value of an expression says.
    def raised_of_several(depth)
      kinds = %w[KeyError ArgumentError CodedError TaggedError Integer nil RangeError.new("r")]
      kinds = kinds.sample(between(2, 4), random: @random)
      text = pick([", \"of several\"", "", Node.fixed(", \"no \#{", expression([:int], depth - 1), "}\"")])
      # A CodedError wants its code.
      text = ", 5" if kinds.include?("CodedError")
      kinds.delete("TaggedError") if text == ", 5"
      kinds << "IndexError" if kinds.size < 2
      Node.fixed("raise [#{kinds.join(", ")}][", expression([:int], depth - 1), " % #{kinds.size}]", text)
    end

    # An error with variables of its own.
    def coded(depth)
      code = expression(pick([[:int], [:float], %i[int nil], [:str]]), depth - 1)
      more = chance(0.5) ? Node.fixed(", ", expression([:int], depth - 1)) : ""
      Node.fixed("raise CodedError.new(", code, more, ")")
    end

    # An error with values in its message, or the class of one.
    def worded(depth)
      value = -> { expression([pick(%i[int float sym])], depth - 1) }
      return Node.fixed("raise ArgumentError, \"no \#{(", value.call, ").class}\"") if chance(0.15)

      types = pick([[:int], [:float], [:sym], [:bool], %i[int nil], %i[int float sym]])
      another = chance(0.3) ? Node.fixed(" of \#{", expression([:int], depth - 1), "}") : ""
      Node.fixed("raise #{pick(%w[ArgumentError RuntimeError ZeroDivisionError])}, \"bad \#{",
                 expression(types, depth - 1), "}", another, "\"")
    end
  end
end

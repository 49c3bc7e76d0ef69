# frozen_string_literal: true

module RandomPrograms
  # Statements that find out what a variable holds and rely on it.
  module Narrowing
    # A test of a variable's class, and code that relies on it.
    def narrowing(depth)
      variable = pick(scope.variables.select { |v| v.plain? && v.types.size > 1 })
      return unless variable

      type = pick(variable.types)
      others = variable.types - [type]
      return narrowing_case(variable, depth) if chance(0.3)
      return narrowing_leave(variable, type, others, depth) if chance(0.25)

      test = test_text(variable.name, type)
      return inverted(variable, test, type, others, depth) if chance(0.5)

      inside = scope.narrowed(variable, [type]) { arm(depth - 1) }
      outside = scope.narrowed(variable, others) { arm(depth - 1) }
      Node.statement("if ", e(test), "\n", inside, "\nelse\n", outside, "\nend")
    end

    def inverted(variable, test, type, others, depth)
      outside = scope.narrowed(variable, others) { arm(depth - 1) }
      inside = scope.narrowed(variable, [type]) { arm(depth - 1) }
      Node.statement("if !(", e(test), ")\n", outside, "\nelse\n", inside, "\nend")
    end

    def narrowing_case(variable, depth)
      whens = variable.types.first(3).map do |type|
        inside = scope.narrowed(variable, [type]) { arm(depth - 1, 2) }
        Node.fixed("when ", class_pattern(type), "\n", inside, "\n")
      end
      Node.statement("case ", variable.name, "\n", Node.list(whens, ""), "end")
    end

    # What is not of the class leaves; what follows relies on it.
    def narrowing_leave(variable, type, others, depth)
      leaving = leaving_text(depth)
      return unless leaving

      variable.types = others
      Node.statement(leaving, " if ", e(test_text(variable.name, type)))
    end
  end
end

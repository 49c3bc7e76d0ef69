# frozen_string_literal: true

module RandomPrograms
  # Statements that find out what a variable holds and rely on it.
  module Narrowing
    # A test of a variable's class, and code that relies on it.
    def narrowing(depth)
      variable = pick(scope.variables.select { |v| v.plain? && v.types.size > 1 })
      return unless variable

      equal = narrowing_equal(variable, depth) if chance(0.25, :narrowing_pattern)
      return equal if equal

      type = pick(variable.types)
      others = variable.types - [type]
      return narrowing_case(variable, depth) if chance(0.3)
      return narrowing_leave(variable, type, others, depth) if chance(0.25, :narrowing_leave)

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

    # What is equal to a literal is of its class, where it is no object with an `==` of its own.
    def narrowing_equal(variable, depth)
      type = pick(variable.types & %i[int float sym str])
      return if !type || variable.types.any? { |other| @classes.key?(other) }

      kinds = %i[int float].include?(type) ? variable.types & %i[int float] : [type]
      literals = Array.new(2) { constant_text(type) }.grep_v(/Float/)
      return if literals.empty?
      return narrowing_pattern(variable, kinds, literals, depth) if chance(0.5, :narrowing_pattern)

      name = variable.name
      tests = literals.map { |text| pick(["(#{name} == #{text})", "(#{text} == #{name})", "(#{text} === #{name})"]) }
      inside = scope.narrowed(variable, kinds) { arm(depth - 1) }
      Node.statement("if ", e(tests.join(" || ")), "\n", inside, "\nelse\n", arm(depth - 1), "\nend")
    end

    def narrowing_pattern(variable, kinds, literals, depth)
      bound = fresh("b")
      inside = scope.block do
        scope.declare(bound, kinds)
        scope.narrowed(variable, kinds) { arm(depth - 1) }
      end
      Node.statement("case ", variable.name, "\nin ", literals.join(" | "), " => ", bound, "\n", inside,
                     "\nelse\n", arm(depth - 1), "\nend")
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

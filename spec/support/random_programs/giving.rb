# frozen_string_literal: true

module RandomPrograms
  # Local variables around the section that its block writes, each in one way.
  module Giving
    # How it is written: the text before and after the value, the types of the value, and what it holds at first.
    FORMS = { "+=" => [[:int], "0"], "-=" => [[:int], "5"], "|=" => [[:int], "0"], "&=" => [[:int], "-1"],
              "^=" => [[:int], "3"], "*=" => [[:int], "1"], "||=" => [%i[int nil], "nil"],
              "&&=" => [%i[bool int], "true"],
              "=" => [%i[int float nil sym], ":none"], "max" => [[:int], "-3"], "min" => [[:int], "3"],
              "max later" => [[:int], "1"],
              "fmax" => [[:float], "0.5"], "f+=" => [[:float], "0.0"] }.freeze
    Given = Struct.new(:name, :form, :types)

    # @return [Array<Node>] the variables' first values
    def make_given
      @given = []
      return [] unless chance(0.45)

      Array.new(between(1, 2)) do
        form = pick(FORMS.keys)
        types, first = FORMS.fetch(form)
        @given << Given.new(fresh("total"), form, types)
        Node.fixed("#{@given.last.name} = #{first}")
      end
    end

    def give(depth)
      given = pick(scope.gives)
      return unless given
      # Floats that one element adds are added up first: it adds one.
      return if given.form == "f+=" && (scope.loops.positive? || !scope.gives.delete(given))

      # These do not want every value, so none of those may fail.
      plain = ["||=", "&&="].include?(given.form) && chance(0.9)
      Node.statement(*give_text(given, expression(given.types, plain ? 0 : depth)))
    end

    # What an operator does not take is found out after the section only, when an element may have failed otherwise.
    def give_text(given, value)
      name = given.name
      value = e("(", value, given.types == [:int] ? ").to_i" : ").to_f") if [[:int], [:float]].include?(given.types)
      case given.form
      when "max" then [name, " = [#{name}, ", value, "].max"]
      # The literal within fails for NaN, at once.
      when "fmax" then [name, " = [#{name}, [", value, ", 1e6].min].max"]
      when "max later" then [name, " = [", value, ", #{name}].max"]
      when "min" then [name, " = [", value, ", #{name}].min"]
      when "*=" then [name, " *= ", e("(", value, " % 3)")]
      when "+=", "-=" then [name, " #{given.form} ", e("(", value, " % 1009)")]
      when "f+=" then [name, " += ", value]
      else [name, " #{given.form} ", value]
      end
    end
  end
end

# frozen_string_literal: true

module RandomPrograms
  # Local variables around the section that its block writes, each in one way.
  module Accumulators
    # How it is written: the text before and after the value, the types of the value, and what it holds at first.
    FORMS = { "+=" => [[:int], "0"], "-=" => [[:int], "5"], "|=" => [[:int], "0"], "&=" => [[:int], "-1"],
              "^=" => [[:int], "3"], "*=" => [[:int], "1"], "||=" => [%i[int nil], "nil"],
              "&&=" => [%i[bool int], "true"],
              "=" => [%i[int float nil sym], ":none"], "max" => [[:int], "-3"], "min" => [[:int], "3"],
              "max later" => [[:int], "1"],
              "= +" => [[:int], "2"],
              # Elements share it.
              "shared" => [[:int], "7"],
              # No column has a place for what it holds at first.
              "outside" => [[:int], ["1..2", "Integer", "/a/", "Comparable"]],
              "outside last" => [[:int], ["2..5", "String"]],
              "fmax" => [[:float], "0.5"], "f+=" => [[:float], "0.0"] }.freeze
    Accumulator = Struct.new(:name, :form, :types)

    # @return [Array<Node>] the variables' first values
    def make_accumulators
      @accumulators = @counters.map { |name| Accumulator.new(name, "shared", [:int]) }
      return [] unless chance(0.5, :accumulate_text)

      Array.new(between(1, 2)) do
        form = pick(FORMS.keys)
        types, first = FORMS.fetch(form)
        @accumulators << Accumulator.new(fresh("total"), form, types)
        Node.fixed("#{@accumulators.last.name} = #{pick(Array(first))}")
      end
    end

    # Does the block change something around it, or an element?
    def changes? = @writes || @tallies.any? || @accumulators.any?

    def accumulate(depth)
      accumulator = pick(scope.accumulators)
      return unless accumulator
      # Floats that one element adds are added up first: it adds one.
      return if accumulator.form == "f+=" && (scope.loops.positive? || !scope.accumulators.delete(accumulator))

      # These do not want every value, so none of those may fail.
      plain = ["||=", "&&="].include?(accumulator.form) && chance(0.9)
      Node.statement(*accumulate_text(accumulator, expression(accumulator.types, plain ? 0 : depth)))
    end

    # What an operator does not take is found out after the section only, when an element may have failed otherwise.
    def accumulate_text(accumulator, value)
      name = accumulator.name
      conversion = { [:int] => ").to_i", [:float] => ").to_f" }[accumulator.types]
      value = e("(", value, conversion) if conversion
      case accumulator.form
      when "max" then [name, " = [#{name}, ", value, "].max"]
      # The literal within fails for NaN, at once.
      when "fmax" then [name, " = [#{name}, [", value, ", 1e6].min].max"]
      when "max later" then [name, " = [", value, ", #{name}].max"]
      when "min" then [name, " = [", value, ", #{name}].min"]
      when "*=" then [name, " *= ", e("(", value, " % 3)")]
      when "+=", "-=" then [name, " #{accumulator.form} ", e("(", value, " % 1009)")]
      when "= +" then [name, " = #{name} + ", e("(", value, " % 1009)")]
      when "shared" then [name, " = ((#{name} * 31) + ", value, ") % 1009"]
      when "outside" then [name, " = (#{name}.is_a?(Integer) ? (#{name} * 31) + ", value, " : 5) % 1009"]
      when "outside last" then [name, " = ", value]
      when "f+=" then [name, " += ", value]
      else [name, " #{accumulator.form} ", value]
      end
    end
  end
end

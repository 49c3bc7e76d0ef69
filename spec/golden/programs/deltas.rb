# frozen_string_literal: true

# Constraints between variables, strongest first, each with a method of its own kind.
class Variable
  attr_accessor :value, :by, :strength, :uses

  def initialize(value)
    @value = value
    @by = nil
    @strength = 0
    @uses = []
  end
end

class Constraint
  attr_reader :strength, :output

  def initialize(strength, output)
    @strength = strength
    @output = output
  end

  def weaker?(other) = strength < other.strength
  def inputs = []

  def satisfy
    return false if output.strength >= strength

    output.by = self
    output.strength = strength
    inputs.each { |input| input.uses << self unless input.uses.include?(self) }
    execute
    true
  end
end

class Stay < Constraint
  def execute = output.value
end

class Edit < Constraint
  attr_writer :target

  def initialize(strength, output, target)
    super(strength, output)
    @target = target
  end

  def execute = output.value = @target
end

class Scale < Constraint
  attr_reader :source

  def initialize(strength, output, source, factor, offset)
    super(strength, output)
    @source = source
    @factor = factor
    @offset = offset
  end

  def inputs = [source]
  def execute = output.value = (source.value * @factor) + @offset
end

class Plan
  def initialize(constraints) = @constraints = constraints

  def run
    chosen = @constraints.sort_by { |constraint| -constraint.strength }.select(&:satisfy)
    chosen.each { |constraint| propagate(constraint.output) }
    chosen.size
  end

  def propagate(variable)
    variable.uses.each do |constraint|
      constraint.execute
      propagate(constraint.output)
    end
  end
end

Ikra.section do
  variables = Array.new(12) { |i| Variable.new(i) }
  constraints = variables.each_cons(2).map { |a, b| Scale.new(5, b, a, 2, 1) }
  constraints << Edit.new(9, variables.first, 3) << Stay.new(1, variables.last)
  [Plan.new(constraints).run, variables.map(&:value)]
end

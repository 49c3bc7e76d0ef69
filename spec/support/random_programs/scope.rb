# frozen_string_literal: true

module RandomPrograms
  # A type of the generator is :int, :float, :nil, :sym, :bool, or a class's name; an Array of them is a union. An array
  # of the program has a type of its own: what its items are.
  ArrayType = Struct.new(:items)

  # A local variable. It holds what it was declared to hold; a test may narrow that for a while.
  Variable = Struct.new(:name, :declared, :types, :writable, :assignments) do
    def assigned
      self.types = declared
      self.assignments += 1
    end
  end

  # A method of a class: what calls need to know. Parameters are [name, types, :required | :optional | :keyword].
  Signature = Struct.new(:name, :parameters, :returns, :level, :mutates, :yields, :recursive)

  # A class: instance variables by name with their types, and the names of those that are written.
  Klass = Struct.new(:name, :parent, :ivars, :written, :signatures) do
    def all_ivars = (parent ? parent.all_ivars : {}).merge(ivars)
    def all_written = (parent ? parent.all_written : []) + written
    def all_methods = ((parent ? parent.all_methods : []) + signatures).uniq(&:name)
  end

  # Where code is being generated.
  class Scope
    attr_reader :variables, :own, :own_class, :level, :returns, :mutates, :yields
    attr_accessor :loops, :skips

    # @param own [String, nil] the expression of the object whose state may be written
    # @param returns [Array, nil] types that an early exit gives
    def initialize(own: nil, own_class: nil, level: 99, returns: nil, mutates: false, yields: nil, in_method: false)
      @variables = []
      @own = own
      @own_class = own_class
      @level = level
      @returns = returns
      @mutates = mutates
      @yields = yields
      @in_method = in_method
      @loops = 0
      @skips = []
    end

    def in_method? = @in_method

    def declare(name, types, writable: true)
      variable = Variable.new(name, types, types, writable, 0)
      @variables << variable
      variable
    end

    # Variables made within are gone afterwards.
    def block
      count = @variables.size
      yield
    ensure
      @variables = @variables.first(count)
    end

    # Variables made within may be nil afterwards: some paths do not come by.
    def path
      count = @variables.size
      result = yield
      @variables.drop(count).each do |variable|
        next if variable.declared.is_a?(ArrayType)

        variable.declared |= [:nil]
        variable.types = variable.declared
      end
      result
    end

    def narrowed(variable, types)
      before = variable.types
      count = variable.assignments
      variable.types = types
      yield
    ensure
      variable.types = variable.assignments == count ? before : variable.declared
    end
  end
end

# frozen_string_literal: true

module RandomPrograms
  # A type of the generator is :int, :float, :nil, :sym, :bool, or a class's name; an Array of them is a union. An array
  # of the program has a type of its own: what its items are.
  ArrayType = Struct.new(:items)

  # A Hash around the block: what its keys and its values are.
  HashType = Struct.new(:key_types, :value_types)

  # An array of two, by the types of its items: what a block gets, or a parameter takes apart.
  PairType = Struct.new(:items)

  # A lambda or proc that the program makes: types of its parameters, of which the last `optional` may be left out, of
  # what it gives, and of keywords that may be left out.
  LambdaType = Struct.new(:parameters, :optional, :returns, :keywords)

  # A local variable. It holds what it was declared to hold; a test may narrow that for a while. Where it holds an
  # array that may be changed it is writable, and `root` is the same for all variables that may hold the same array.
  Variable = Struct.new(:name, :declared, :types, :writable, :assignments, :root) do
    def plain? = declared.is_a?(Array)
    def list? = declared.is_a?(ArrayType)

    def assigned
      self.types = declared
      self.assignments += 1
    end
  end

  # A parameter of a method. A pair has two names with their types; rest and keyrest have perhaps none.
  Parameter = Struct.new(:name, :types, :kind) do
    def keyword? = %i[keyreq keyword keyrest].include?(kind)
  end
  Parameter::ORDER = %i[required pair optional rest post keyreq keyword keyrest].freeze

  # What a method gives its block, positional and by name, what the block gives, the block's name in the method, and
  # whether there may be none.
  Yielded = Struct.new(:parameters, :keywords, :returns, :name, :optional)

  # A method of a class: what calls need to know.
  Signature = Struct.new(:name, :parameters, :returns, :level, :mutates, :yields, :recursive)

  # A class: instance variables by name with their types, and the names of those that are written. The kind is :plain,
  # :struct (the variables are members), :record (objects are made in the section) or :data (so they are, and the
  # variables are members); the objects of a record class may change. Functions are methods of the class itself; methods
  # may be delegated to what a variable has.
  Klass = Struct.new(:name, :parent, :ivars, :written, :signatures, :kind, :functions, :delegated,
                     :changes) do
    def record? = %i[record data].include?(kind)
    def data? = kind == :data
    def member?(name) = ivars.key?(name) ? kind == :struct : parent&.member?(name)

    def all_ivars = (parent ? parent.all_ivars : {}).merge(ivars)
    def all_written = (parent ? parent.all_written : []) + written
    def all_methods = ((parent ? parent.all_methods : []) + signatures + delegated.values.flatten).uniq(&:name)
    def all_functions = ((parent ? parent.all_functions : []) + functions).uniq(&:name)
  end

  # Where code is being generated.
  class Scope
    attr_reader :variables, :own, :own_class, :level, :mutates, :yields
    attr_accessor :loops, :skips, :returns, :accumulators, :collected
    # Is it code around parallel calls?
    attr_accessor :driver

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
      @accumulators = []
      @collected = []
    end

    def in_method? = @in_method

    # That of an element, whose block stands here: variables made in it are its own.
    def of_element(own, own_class)
      inner = Scope.new(own:, own_class:, level: @level, mutates: @mutates, yields: @yields, in_method: @in_method)
      inner.variables.concat(@variables)
      inner.accumulators = @accumulators
      inner
    end

    def declare(name, types, writable: true)
      variable = Variable.new(name, types, types, writable, 0, name)
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
      made = @variables.drop(count).select(&:plain?)
      @variables = @variables.first(count) + made
      made.each do |variable|
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

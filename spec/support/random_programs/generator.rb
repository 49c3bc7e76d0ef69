# frozen_string_literal: true

require_relative "node"
require_relative "scope"
require_relative "chance"
require_relative "swarm"
require_relative "readable"
require_relative "expressions"
require_relative "numbers"
require_relative "conditions"
require_relative "statements"
require_relative "narrowing"
require_relative "loops"
require_relative "classes"
require_relative "parameters"
require_relative "blocks"
require_relative "inheritance"
require_relative "functions"
require_relative "globals"
require_relative "records"
require_relative "changed_records"
require_relative "lists"
require_relative "list_uses"
require_relative "enumerables"
require_relative "changed_hashes"
require_relative "hash_uses"
require_relative "identities"
require_relative "cycles"
require_relative "draws"
require_relative "texts"
require_relative "regexps"
require_relative "lambdas"
require_relative "held_procs"
require_relative "matching"
require_relative "accumulators"
require_relative "raising"
require_relative "rescuing"
require_relative "bases"
require_relative "operations"
require_relative "columns"
require_relative "launches"
require_relative "kept"
require_relative "pushed"
require_relative "aliases"
require_relative "made_arrays"
require_relative "printing"
require_relative "drivers"
require_relative "program"

module RandomPrograms
  # Makes a program from a seed.
  class Generator
    # So many programs change Hashes.
    TALLIES = Float(ENV.fetch("IKRA_FUZZ_TALLIES", 0.48))
    # So many match regular expressions, which a GPU refuses.
    REGEXPS = Float(ENV.fetch("IKRA_FUZZ_REGEXPS", 0.26))
    include Chance
    include Swarm
    include Readable
    include Expressions
    include Numbers
    include Conditions
    include Statements
    include Narrowing
    include Loops
    include Classes
    include Parameters
    include Blocks
    include Inheritance
    include Functions
    include Globals
    include Records
    include ChangedRecords
    include Lists
    include ListUses
    include Enumerables
    include ChangedHashes
    include HashUses
    include Identities
    include Cycles
    include Draws
    include Lambdas
    include HeldProcs
    include Texts
    include Regexps
    include Matching
    include Accumulators
    include Raising
    include Rescuing
    include Bases
    include Columns
    include Launches
    include Kept
    include Pushed
    include Aliases
    include MadeArrays
    include Drivers

    attr_reader :scope

    # @param section [Boolean] is it certainly one of Ikra.section?
    def initialize(seed, section: ENV.key?("IKRA_FUZZ_SECTIONS"))
      @seed = seed
      @random = Random.new(seed)
      @section = section?(section)
      favour
      @names = @levels = 0
      @classes = {}
      @pure = []
      @captured_objects = {}
      @regexps = [] if matches?(seed, REGEXPS)
      @captured_callables = []
      @counters = []
      @holds_procs = matches?(seed + 7, HeldProcs::SHARE)
      @edge = chance(0.2) ? 0.15 : 0.01
      @ill = chance(0.22, :ill_arguments) ? 0.05 : 0.0
      @calling = chance(0.25)
      @deep = chance(0.25)
      @any = @calling ? Expressions::CALLING : Expressions::ANY
      @base = weighted(ints: 3, floats: 2, mixed: 2, objects: 7)
      @operation = @base == :objects ? weighted(peach: 6, pmap: 3, pselect: 1) : weighted(pmap: 8, pselect: 1)
      choose_collection
      @writes = @base == :objects && (@operation == :peach || chance(0.3))
      choose_section
      # Do elements keep what they make in their variables?
      @keeps = @writes && chance(0.3)
      # Do they hold generators of random numbers?
      @dice = @writes && chance(0.25, :dice_value)
    end

    # @return [Program]
    def program
      @tallies = []
      make_classes
      make_globals
      make_signatures
      make_functions
      make_delegations
      leaves = @classes.values - things
      @pure = leaves.flat_map { |klass| klass.signatures.map(&:name) }
      classes = @classes.values.map do |klass|
        budget(@section ? 20 : 82, @calling ? 5 : 3)
        class_node(klass)
      end
      classes.concat(steps_node).concat(held_classes)
      captures = make_captures
      # What one element adds to a Float in several ticks is added up first.
      repeats = @operation == :peach && @accumulators.none? { |one| one.form == "f+=" }
      ticks = repeats ? between(1, 3) : 1
      operation = @section ? @operation : Operations.varied(@operation, @seed, changes: changes?)
      Program.new(seed: @seed, calling: [operation, ticks, @collection], captures:,
                  block: @section ? driver_node : block_node,
                  classes: Node.list(deep_nodes + frames_node + classes, "\n\n"), world:)
    end

    private

    def budget(nodes, calls)
      @budget = nodes
      @calls = calls
    end

    def spend = @budget -= 1
    def spent? = @budget <= 0

    def within(scope)
      outer = @scope
      @scope = scope
      yield
    ensure
      @scope = outer
    end

    # What the block captures: [name, text] with the scope's variables.
    def make_captures
      @outside = []
      texts = Array.new(between(0, 3)) do
        types = [pick(%i[int int float sym nil bool str])]
        name = fresh("k")
        @outside << [name, types]
        Node.fixed("#{name} = #{constant_text(types.first)}")
      end
      between(0, 2).times { texts << captured_array }
      texts << captured_hash if chance(0.3, :captured_hash)
      texts << captured_callable if chance(0.25, :captured_callable)
      between(3, 5).times { texts << captured_tally } if chance(TALLIES)
      texts.concat(captured_columns) if chance(0.27, :captured_columns)
      between(1, 2).times { texts << captured_procs } if @holds_procs
      texts << captured_regexp if @regexps && chance(0.5, :captured_regexp)
      @classes.each_value do |klass|
        next unless %w[Leaf Bud].include?(klass.name)

        name = fresh("k")
        @outside << [name, [klass.name]]
        (@captured_objects[klass.name] ||= []) << name
        texts << Node.fixed("#{name} = leaves.find { |l| l.instance_of?(#{klass.name}) }")
      end
      Node.list(global_nodes + texts + captured_by_driver + make_pushed + make_accumulators, "\n")
    end

    def captured_array
      types = pick(ITEM_TYPES + [%i[int float nil sym bool], [:sym]])
      name = fresh("k")
      @outside << [name, ArrayType.new(types)]
      Node.fixed("#{name} = ", captured_items(types))
    end

    def captured_items(types)
      items = Array.new(between(types.size, 6)) { |i| constant(types[i] || pick(types)) }
      Node.fixed("[", Node.list(items), "]")
    end

    def block_node
      budget(138, @calling ? 16 : 6)
      element, own_class = { ints: [[:int]], floats: [[:float]], mixed: [%i[int float nil sym bool]],
                             objects: [["Thing"], @classes["Thing"]] }.fetch(@base)
      returns = @operation == :peach ? nil : block_types
      outer = Scope.new(own: own_class && "x", own_class:, returns: returns || [:nil], mutates: @writes)
      within(outer) do
        scope.accumulators = @accumulators.dup
        @outside.each { |name, types| scope.declare(name, types, writable: false) }
        declare_globals(nil)
        scope.declare("x", element, writable: false)
        declare_parameters
        made = statements(3, 6)
        made << (returns ? result_of(returns) : statement(3))
        Node.fixed("proc do |#{parameters}|\n", Node.body(made), "\nend")
      end
    end

    def block_types
      return [:bool] if @operation == :pselect && chance(0.6)
      return pick([["Leaf"], ["Leaf", :nil], ["Leaf", :int]]) if chance(0.1)
      return made_types if @operation == :pmap && records.any? && chance(0.4, :made_types)
      return ArrayType.new(pick(ITEMS)) if chance(holds_lists? ? 0.2 : 0.02)

      pick(UNIONS)
    end

    # Objects that the section makes.
    def made_types
      type = [pick(records)]
      return ArrayType.new(type) if chance(0.3)

      chance(0.3) ? type + [pick(%i[nil int])] : type
    end

    def world
      leaves = Array.new(4) { |i| object(@classes[i.odd? && @classes["Bud"] ? "Bud" : "Leaf"], nil) }
      first = between(-9, 9) if @collection == :range
      elements = Array.new(20) { |i| first ? Node.fixed((first + i).to_s) : element }
      [Node.list(leaves, ",\n"), Node.list(elements, @base == :objects ? ",\n" : ", ")]
    end

    def element
      case @base
      when :ints then Node.fixed(integer_text)
      when :floats then Node.fixed(chance(0.2) ? pick(FLOATS) : float_text)
      when :mixed then Node.fixed(constant_text(pick(%i[int float nil sym bool])))
      else object(pick(things), "leaves")
      end
    end

    # An object made without `initialize`, so that any of its variables may be missing.
    def object(klass, leaves)
      values = klass.all_ivars.map do |name, types|
        next if types.is_a?(Array) && types.include?(:nil) && (types.any? { |type| record?(type) } || chance(0.25))

        Node.fixed("#{name}: ", value_text(types, leaves))
      end
      values << dice_value if @dice && things.include?(klass)
      Node.fixed("make(#{klass.name}, ", Node.list(values.compact), ")")
    end

    def value_text(types, leaves)
      if types.is_a?(ArrayType)
        count = between(3, 5)
        return Node.fixed("[", Node.commas(Array.new(count) { value_text(types.items, leaves) }), "]")
      end
      type = pick(types)
      Node.fixed(@classes.key?(type) ? "leaves[#{between(0, 3)}]" : constant_text(type))
    end
  end
end

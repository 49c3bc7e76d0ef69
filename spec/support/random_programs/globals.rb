# frozen_string_literal: true

module RandomPrograms
  # Global variables, which all code reads, and class variables, which the methods of their class read.
  module Globals
    GLOBAL_TYPES = %i[int int float sym nil bool].freeze

    def make_globals
      @globals = Array.new(chance(0.3) ? between(1, 2) : 0) { [fresh("$g"), [pick(GLOBAL_TYPES)]] }
      @globals << [fresh("$g"), ArrayType.new(pick(Classes::ITEM_TYPES))] if chance(0.1)
      @class_variables = {}
      @classes.each_key do |name|
        @class_variables[name] = [fresh("@@v"), [pick(GLOBAL_TYPES)]] if chance(0.15)
      end
    end

    # An array that it assigns, a section can go through with a block only.
    def assigned_share(types)
      return 0.005 if syncs?

      types.is_a?(ArrayType) ? 0.03 : 0.2
    end

    # What stands before the block.
    def global_nodes
      @globals.map do |name, types|
        Node.fixed("#{name} = ", types.is_a?(ArrayType) ? captured_items(types.items) : constant_text(types.first))
      end
    end

    # The first line of a class.
    def class_variable_line(klass)
      name, types = @class_variables[klass.name]
      name ? [Node.fixed("#{name} = #{constant_text(types.first)}\n")] : []
    end

    # All of them that the code of a class, or of none, sees.
    def declare_globals(klass)
      [*@globals, @class_variables[klass&.name]].compact.each do |name, types|
        scope.declare(name, types, writable: name.start_with?("$") && chance(assigned_share(types)))
      end
    end
  end
end

# frozen_string_literal: true

module Ikra
  module Testing
    # What a block can reach: the local variables around it, and self's instance variables, also those that RSpec keeps
    # for `let`. They can be replaced by deep copies, and put back.
    #
    # @api private
    class World
      # Where RSpec keeps the values of `let`.
      LET = :@__memoized
      # Variables of the frameworks, which are no part of the test.
      OF_FRAMEWORKS = /\A@(__.*|NAME|assertions|failures|time|metadata)\z/

      # @param block [Proc]
      def initialize(block)
        @binding = block.binding
        @self = @binding.receiver
        @locals = @binding.local_variables.to_h { |name| [name, @binding.local_variable_get(name)] }
        @variables = names.to_h { |name| [name, @self.instance_variable_get(name)] }
        @let = lets&.dup
      end

      # Puts fresh copies in place, which share among each other what the originals share.
      def renew
        copies = Ikra.const_get(:DeepCopy).new.of([@locals, @variables, @let])
        put(*copies)
      end

      # Puts the originals back.
      def restore = put(@locals, @variables, @let)

      # @return [Hash{Symbol => Object}] what it is now, by name
      def to_h
        locals = @locals.keys.to_h { |name| [name, @binding.local_variable_get(name)] }
        variables = (@variables.keys | names).to_h { |name| [name, @self.instance_variable_get(name)] }
        # Values of `let` that are first asked for in the block count, too.
        { **locals, **variables, **lets.to_h }
      end

      private

      def put(locals, variables, let)
        locals.each { |name, value| @binding.local_variable_set(name, value) }
        (names - variables.keys).each { |name| @self.remove_instance_variable(name) }
        variables.each { |name, value| @self.instance_variable_set(name, value) unless @self.frozen? }
        lets&.replace(let) if let
      end

      def names = @self.instance_variables.grep_v(OF_FRAMEWORKS)

      def lets
        memoized = @self.instance_variable_get(LET)
        memoized&.instance_variable_get(:@memoized)
      end
    end
  end
end

# frozen_string_literal: true

module RandomPrograms
  # Tells whether plain Ruby compares arrays in which NaN is: there one NaN is equal to itself, as the same object, and
  # a section has no objects for Floats. Also where NaN is in what blocks give as keys, and where `equal?` is asked of
  # equal numbers that are two objects. With methods replaced, in a process of its own, which ends once it is known.
  module Nans
    COMPARING = %i[== != eql? <=> include? member? index find_index count - & | uniq uniq! group_by
                   tally].freeze
    # Those whose blocks give keys.
    KEYED = %i[uniq uniq! group_by].freeze
    # From Ruby 3.2 on.
    DATA = defined?(::Data) && ::Data.respond_to?(:define) ? [::Data].freeze : [].freeze

    class << self
      # @yield runs the program
      def compared?
        child = fork do
          replace
          yield
          exit!(1)
        rescue StandardError, SystemStackError
          exit!(1)
        end
        Process.wait2(child).last.success?
      end

      private

      def replace
        [Integer, Float].each do |owner|
          owner.define_method(:equal?) do |other|
            super(other).tap { |same| exit!(0) if !same && eql?(other) }
          end
        end
        [Array, Enumerable].each do |owner|
          (COMPARING & owner.instance_methods(false)).each { |name| look_into(owner, name) }
        end
      end

      def look_into(owner, name)
        original = owner.instance_method(name)
        gives_keys = KEYED.include?(name)
        owner.define_method(name) do |*arguments, &block|
          Nans.send(:found_in, [is_a?(Hash) ? to_a : self, *arguments])
          keyed = block && ->(*items) { block.call(*items).tap { |key| Nans.send(:found_in, [key]) } }
          original.bind_call(self, *arguments, &(gives_keys ? keyed : block))
        end
      end

      def found_in(values)
        exit!(0) if values.any? { |value| nan_in?(value, 0) }
      end

      def nan_in?(value, depth)
        case value
        when Float then value.nan?
        when Array then depth < 10 && value.any? { |item| nan_in?(item, depth + 1) }
        when Hash then depth < 10 && value.any? { |pair| nan_in?(pair, depth + 1) }
        when Struct then depth < 10 && nan_in?(value.to_a, depth + 1)
        when *DATA then depth < 10 && nan_in?(value.to_h, depth + 1)
        end
      end
    end
  end
end

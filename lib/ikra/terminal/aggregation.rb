# frozen_string_literal: true

module Ikra
  class Terminal
    # What puts the values together: sums, counts, folds, questions.
    #
    # @api private
    module Aggregation
      # Array#sum of some Rubies adds up as + does, without compensation, where it begins with a Float.
      PLAIN_FROM_FLOATS = ([0.1] * 10).sum(0.0) < 1.0
      private_constant :PLAIN_FROM_FLOATS

      def sum
        return ruby if nothing_to_run? && !whole_column?

        flow = @block ? flow(:map, @block) : flow()
        total = Sum.new(*@arguments)
        return replay(flow.values) if plain_sum? || !total.of_numbers?

        flow.each_part do |values, first, count|
          next if !apart?(values) && total.add(values)

          return replay(count == items.size && first.zero? ? values : flow.values)
        end
        total.value
      end

      def count
        return ruby if nothing_to_run? || !@arguments.empty?

        total = 0
        flow = @block ? flow(:select, @block, rows: true) : flow()
        flow.each_part { |values,| total += values.size }
        total
      end

      def inject
        operator = @arguments.last
        operator = nil unless @block.nil? && (operator.is_a?(Symbol) || operator.is_a?(String))
        return Trees.fold(flow.values.to_a, @title, @arguments, @block) if @options[:associative] && @block
        return ruby if @stages.empty?
        return flow.unchanging(@name).to_a.inject(*@arguments, &@block) unless operator

        Folds.fold(flow, operator.to_sym, @arguments[...-1]) { flow.values.to_a.inject(*@arguments) }
      end
      alias reduce inject

      def any? = known? ? own_answer : hits?(1, :select, :truths)
      def all? = known? ? own_answer : !hits?(1, :reject, :falsities)
      def none? = known? ? own_answer : !hits?(1, :select, :truths)

      def one?
        return own_answer if known?

        hits?(2, :select, :truths) { |hits| return hits == 1 }
        false
      end

      def find
        first_hit(:select) { |values, rows| return rows ? items.item(rows[0]) : values[0] }
        ifnone = @arguments.first
        ifnone&.call
      end
      alias detect find

      def find_index
        return @stages.empty? ? ruby : own_answer unless @block && @arguments.empty?
        return before_end(:judged_true) { |before, ended| before.size if ended } unless @stages.empty?

        first_hit(:select) { |_, rows| return rows[0] }
        nil
      end

      def include? = @stages.empty? ? ruby : Plain.of(@collection, @stages).include?(*@arguments)

      def first
        count = @arguments.empty? ? 1 : @arguments.first
        raise ArgumentError, "attempt to take negative size" if count.negative? && @title == :first
        return ruby if @stages.empty?

        taken = []
        return taken if count.zero?

        flow.each_part_until(count, @options[:unchanging]) do |values,|
          taken.concat(values.to_a)
          break if taken.size >= count
        end
        @arguments.empty? ? taken.first : taken.first(count)
      end

      private

      def plain_sum? = PLAIN_FROM_FLOATS && from_float?

      # Array#sum from a Float on adds up the Integers before the first Float by themselves, exactly.
      def apart?(values) = from_float? && (values.is_a?(Array) ? Native.values(values) : values)&.kind == :integer

      def from_float?
        @arguments.first.is_a?(Float) && @stages.empty? &&
          (@collection.is_a?(Array) || @collection.instance_of?(Column))
      end

      # Are there so many hits?
      def hits?(count, kind, kind_of_values)
        flow = @block ? flow(kind, @block, rows: true) : flow(kind_of_values)
        hits = 0
        flow.each_part_until(count) { |values,| return true if (hits += values.size) >= count }
        yield hits if block_given?
        false
      end

      # Does Ruby's own method know: of a pattern, or of what is there?
      def known?
        !@arguments.empty? || nothing_to_run?
      end
    end
  end
end

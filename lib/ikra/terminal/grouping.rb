# frozen_string_literal: true

module Ikra
  class Terminal
    # What is equal: groups, tallies, sets.
    #
    # @api private
    module Grouping
      def group_by
        keyed { |keys| column(keys)&.group(items.to_a) || replay(keys) }
      end

      def tally
        return ruby if nothing_to_run? && !@collection.instance_of?(Array)
        return told_apart(all(flow.values)).tally(*@arguments) unless @arguments.empty?

        counts = nil
        flow.each_part do |values,|
          counted = column(values)&.tally || told_apart(values.to_a).tally
          counts = counts ? counts.merge!(counted) { |_, a, b| a + b } : counted
        end
        counts || {}
      end

      def uniq
        return ruby if single?

        if @block
          keyed do |keys|
            rows = column(keys)&.firsts
            rows ? items.at(rows) : replay(keys)
          end
        else
          values = column_or_ruby { return of_all(@collection) }
          rows = column(values)&.firsts
          return of_all(values) unless rows

          @stages.empty? ? Native.gather(items.columns.first, rows) : values.take(rows).to_a
        end
      end

      # Array's own method runs no block for a single item.
      def single? = @block && @stages.empty? && @collection.is_a?(Array) && @collection.size < 2
      private :single?

      def to_set
        return ruby if nothing_to_run? || !@arguments.empty?

        values = (@block ? flow(:map, @block) : flow).values
        found = column(values)
        rows = found&.firsts
        Set.new(rows ? found.take(rows).to_a : told_apart(values.to_a))
      end

      def to_h
        return @stages.empty? ? ruby : all(flow.values).to_h unless @block

        keyed { |pairs| replay(pairs) }
      end

      def partition
        return over_array unless @stages.empty?

        rows = selected_rows
        rows ? [items.at(rows), items.at(rows.others(items.size))] : [[], []]
      end

      def chunk
        keyed do |keys|
          keys = told_apart(keys.to_a)
          pairs = items.to_a.each_with_index.chunk { |_, row| keys[row] }
          pairs.map { |key, all| [key, all.map(&:first)] }.each
        end
      end

      def slice_before = sliced(0)
      def slice_after = sliced(1)

      private

      # Arrays that end so many elements behind the start of those that the block answers yes for. A pattern is Ruby's
      # business, and so is what the arguments do not fit.
      def sliced(behind)
        return ruby unless @block && @arguments.empty?

        all = items.to_a
        return [].each if all.empty?

        cuts = selected_rows.to_a.map { |row| row + behind }
        [0, *cuts, all.size].uniq.each_cons(2).map { |first, last| all[first...last] }.each
      end
    end
  end
end

# frozen_string_literal: true

module Ikra
  class Terminal
    # Sorting.
    #
    # @api private
    module Ordering
      def sort
        return compared if @block

        return sorted_column&.to_a || ruby if whole_column?

        values = column_or_ruby { return ruby }
        order = order(values)
        return of_all(values) unless order

        @stages.empty? ? Native.gather(items.columns.first, order) : values.take(order).to_a
      end

      def sort_by
        keyed do |keys|
          order = order(keys)
          order ? items.at(order) : replay(keys)
        end
      end

      # What Changes#sort! of a Column is.
      def sorted_column = (Native.column_sorted(@collection) if compares?)
    end
  end
end

# frozen_string_literal: true

module Ikra
  class Terminal
    # What is the least, and what the greatest.
    #
    # @api private
    module Extremes
      def min = best(false)
      def max = best(true)

      def minmax
        return compared if @block

        values = column_or_ruby { return ruby }
        rows = [false, true].map { |greatest| best_row(values, greatest) }
        return of_all(values) unless rows.all?

        of_rows(rows) { |row| value_at(values, row) }
      end

      def min_by = best_by(false)
      def max_by = best_by(true)

      def minmax_by
        keyed do |keys|
          rows = [false, true].map { |greatest| best_row(keys, greatest) }
          rows.all? ? of_rows(rows) { |row| items.item(row) } : replay(keys)
        end
      end

      private

      # What is least and greatest at once is one object.
      def of_rows(rows)
        found = rows.uniq.to_h { |row| [row, yield(row)] }
        found.values_at(*rows)
      end

      def best(greatest)
        return compared if @block

        return of_all(column_or_ruby { return ruby }) unless @arguments.empty?
        return best_of_array(greatest) if @stages.empty?

        found = NONE
        flow.each_part do |values,|
          next if values.size.zero?

          row = best_row(values, greatest)
          return all(flow.values).public_send(@name) unless row

          value = values[row]
          found = value if found.equal?(NONE) || (greatest ? value > found : value < found)
        end
        found.equal?(NONE) ? nil : found
      end

      def best_of_array(greatest)
        values = column_or_ruby { return ruby }
        row = best_row(values, greatest)
        row ? value_at(values, row) : ruby
      end

      def best_by(greatest)
        keyed do |keys|
          row = best_row(keys, greatest) if @arguments.empty?
          row ? items.item(row) : replay(keys)
        end
      end
    end
  end
end

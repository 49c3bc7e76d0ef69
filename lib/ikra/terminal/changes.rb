# frozen_string_literal: true

module Ikra
  class Terminal
    # Methods that change the collection itself, and those of Hashes that give another one. The block runs in a section;
    # then it is Ruby's own method that changes, with a block that gives what the section has given. A block that may
    # read the collection meanwhile is refused: in Ruby it would see it half changed.
    #
    # @api private
    module Changes
      def map! = changed
      alias collect! map!
      alias select! map!
      alias filter! map!
      alias keep_if map!
      alias reject! map!
      alias delete_if map!

      def uniq! = @block && size > 1 ? changed : ruby

      def sort!
        return ruby if frozen_or_small?
        return sort_column if @collection.instance_of?(Column)
        return @collection.replace(compared) if @block

        values = column_or_ruby { return ruby }
        order = order(values)
        order ? @collection.replace(Native.gather(items.columns.first, order)) : ruby
      end

      def sort_by!
        return ruby if frozen_or_small?

        keys = values
        order = order(keys)
        order ? @collection.replace(items.at(order)) : ruby_with(keys)
      end

      def transform_values = of_pairs
      def transform_values! = of_pairs
      def transform_keys = of_pairs
      def transform_keys! = of_pairs

      private

      # Ruby tells what is frozen before its block runs.
      def changed = @collection.frozen? ? ruby : ruby_with(values)

      def of_pairs
        return ruby if !@block || !@arguments.empty? || (@collection.frozen? && @name.end_with?("!"))

        ruby_with(values)
      end

      def frozen_or_small? = @collection.frozen? || size < 2

      def size = @collection.size

      def sort_column
        sorted = @block ? Column.from_a(compared, @collection.type) : sorted_column
        sorted ? Native.column_take_over(@collection, sorted) : ruby
      end

      def values
        @items ||= changing
        items.size.zero? ? [] : flow(:map, @block).values
      end

      def ruby_with(values)
        values = InTurn.new(values.to_a)
        @collection.public_send(@name) { values.next }
      end

      # What the block gets.
      #
      # @return [Items]
      def changing
        return Collections.items(@collection, :pmap, asked).changed(@collection) unless @collection.is_a?(Hash)

        columns = Native.pairs(@collection)
        yielded = { transform_values: [1], transform_keys: [0] }.fetch(@name[/\w+/].to_sym, [0, 1])
        items = Items.new(columns, columns.first.size, @collection, yielded:, original: @collection)
        @name.end_with?("_values", "_keys") ? items : items.changed(@collection)
      end
    end
  end
end

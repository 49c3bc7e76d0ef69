# frozen_string_literal: true

module Ikra
  class Terminal
    # Some of the elements, or what comes of each.
    #
    # @api private
    module Restriction
      def to_a
        return flow.unchanging(@options[:unchanging]).to_a if @options[:unchanging]

        values = (@block ? flow(:map, @block) : flow(rows: true)).values
        values.is_a?(Array) && values.equal?(@collection) ? values.dup : values.to_a
      end
      alias map to_a
      alias force to_a

      def each
        flow(:map, @block).carry_out
        @collection
      end

      def select
        rows = selected_rows
        rows ? items.at(rows) : []
      end
      alias filter select
      alias find_all select

      def reject
        return reject_pairs if @collection.is_a?(Hash)

        rows = selected_rows
        others = rows ? items.at(rows.others(items.size)) : []
        # So does that of a column.
        items.column? ? Column.from_a(others, @collection.type) : others
      end

      def flat_map = flow(:map, @block).flat
      alias collect_concat flat_map

      def filter_map
        values = flow(:map, @block).values
        values.is_a?(Array) ? values.select(&:itself) : values.take(values.truths).to_a
      end

      def take_while
        return items.part(0, first_false_row).to_a if @stages.empty?

        before_end(:judged_false) { |before,| before }
      end

      def drop_while
        row = first_false_row
        items.part(row, items.size - row).to_a
      end

      def grep = grepped(:grep)
      def grep_v = grepped(:grep_v)

      def chunk_while = between(false)
      def slice_when = between(true)

      private

      # Hash#reject gives a Hash.
      def reject_pairs
        base = Base.of(@collection, :pselect, @block)
        return base.result(:pselect, nil) if base.empty?

        rows = Section.native(base, Call.new(@title, output: :selection, form: :rows), @block).others(base.size)
        columns = base.columns.map do |column|
          column.is_a?(Series) ? column.at(rows.to_a) : Native.gather(column, rows)
        end
        base.result(:pselect, columns)
      end

      def grepped(kind)
        return over_array unless @stages.empty?

        stages = [[kind, *@arguments], [:map, @block]]
        return Flow.new(@title, items, stages).values.to_a if @block && Composition.keeps_match?(stages)

        values = Plain.of(@collection, []).public_send(kind, *@arguments)
        @block ? Section.run(values, :pmap, 1, nil, @block, :map) : values
      end

      # Arrays of what stands together: the block tells of two neighbours whether they do.
      def between(splits)
        return over_array unless @stages.empty?

        all = items.to_a
        return [].each if all.empty?

        pairs = Items.new([all[...-1], all[1..]], all.size - 1, nil, yielded: [0, 1])
        answers = Flow.new(@title, pairs, [[splits ? :select : :reject, @block]],
                           passing: :values, rows: true)
        cuts = pairs.size.zero? ? [] : answers.rows.to_a
        [-1, *cuts, all.size - 1].each_cons(2).map { |before, last| all[(before + 1)..last] }.each
      end

      def first_false_row
        raise Ikra::UnsupportedError, "without a block, write #{@name}" unless @block

        first_hit(:reject) { |_, rows| return rows[0] }
        Collections.refuse_endless(@collection) if endless?
        items.size
      end
    end
  end
end

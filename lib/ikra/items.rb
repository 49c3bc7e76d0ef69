# frozen_string_literal: true

module Ikra
  using OwnMethods

  # Integers at equal distances: a column that takes no memory.
  #
  # @api private
  class Series
    attr_reader :first, :step

    def initialize(first, step)
      @first = first
      @step = step
    end

    def [](row) = first + (row * step)
    def from(row) = Series.new(self[row], step)
    def at(rows) = rows.map { |row| self[row] }
    def to_a(size) = Array.new(size) { |row| self[row] }
  end

  # Gives one value after the other, to the block of a method of Ruby's own.
  #
  # @api private
  class InTurn
    def initialize(values)
      @values = values
      @row = -1
    end

    def next = @values[@row += 1]
  end

  # What the `each` of a collection yields: columns (Arrays, Series, Columns) of as many values as there are elements.
  #
  # @api private
  class Items
    # A class may define a method of its own by this name.
    PART = Array.instance_method(:[])

    # @return [Array<Array, Series, Column>]
    attr_reader :columns
    # @return [Integer] the number of elements
    attr_reader :size
    # @return [Array<Integer, Array>] what is yielded: the numbers of columns, in an array where `each` makes one
    attr_reader :yielded
    # @return [Object] what `each` gives
    attr_reader :returned
    # @return [Array] arrays and Structs that `each` looks at all the time, and an {OwnEach} that was gone through
    attr_reader :looked_at

    # @param kind [:pairs, :made, :column, nil] +:pairs+: `each` yields arrays of two, or two values to a lambda that
    #   takes two, as Hash#each does; +:made+: it makes arrays; +:column+: they are those of a Column or TupleColumn
    def initialize(columns, size, returned, yielded: [0], looked_at: [], original: nil, kind: nil)
      @columns = columns
      @size = size
      @yielded = yielded
      @returned = returned
      @looked_at = looked_at
      @original = original
      @kind = kind
      @changed = false
      @compared_by = nil
    end

    # Do they take no memory?
    def computed? = columns.all?(Series)
    def pairs? = @kind == :pairs
    def made? = @kind == :made
    def column? = @kind == :column
    # Which element's value is what `each` gives, if it is that of the block?
    def answer = Answer.row(returned)
    # May the block not read what is looked at?
    def changed? = @changed

    # The operation that looks into what the block gives, as it comes.
    #
    # @return [Symbol, nil]
    attr_reader :compared_by

    # The same for such an operation.
    def compared(name)
      copy = dup
      copy.compared_by = name
      copy
    end

    # The same of a collection that the operation changes.
    def changed(collection)
      copy = dup
      copy.changed = true
      copy.looked_at = [collection]
      copy
    end

    # So many of the elements, from one on.
    def part(first, count)
      some = columns.map { |column| column.is_a?(Series) ? column.from(first) : cut(column, first, count) }
      Items.new(some, count, returned, yielded:, looked_at:, kind: @kind)
    end

    # All but those that are done, for the same operation: series have them still.
    def rest(done)
      rest = columns.map { |column| column.is_a?(Series) ? column : cut(column, done, size - done) }
      copy = dup
      copy.columns = rest
      copy.size -= done
      copy
    end

    # Ruby's values of what is yielded, each as one value.
    def to_a = rows(columns.map { |column| all(column) })

    # The same as a column, where that takes no objects.
    #
    # @return [Native::Values, Array]
    def values
      only = columns.first if column? && yielded == [0] && columns.size == 1
      (only && Native.values_of_column(only)) || to_a
    end

    # That of one row.
    def item(row) = packed.is_a?(Integer) ? columns[packed][row] : value(packed, columns, row)

    # The same for some rows.
    #
    # @param rows [Native::Values]
    def at(rows)
      rows(columns.map do |column|
        column.is_a?(Series) ? column.at(rows.to_a) : Native.gather(all(column), rows)
      end)
    end

    # All that is yielded at once, as one value.
    def packed = yielded.size == 1 ? yielded.first : yielded

    # Ruby's values of that, for what is left of the columns.
    def rows(columns)
      return columns[packed] if packed.is_a?(Integer)
      return TupleColumn.over(columns) if columns.first.is_a?(Column)

      Array.new(columns.first.size) { |row| value(packed, columns, row) unless packed.empty? }
    end

    # What Ruby can go through in place of the collection: not all can be gone through a second time.
    def again
      return @original if @original

      Enumerator.new do |yielder|
        given = Array.new(size) { |row| yielder.yield(*yielded.map { |part| value(part, columns, row) }) }
        answer ? given[answer] : returned
      end
    end

    # The same with the number of each element beside it.
    def with_index(offset, returned)
      at = columns.size
      Items.new([*columns, Series.new(offset, 1)], size, returned, yielded: [packed, at], looked_at:,
                                                                   kind: (:made if made?))
    end

    # The same with a column of the elements' numbers, which is not yielded.
    def numbered(original)
      Items.new([*columns, Series.new(0, 1)], size, returned, yielded:, looked_at:, original:, kind: @kind)
    end

    protected

    # Of a copy that nobody has yet.
    attr_writer :columns, :size, :looked_at, :changed, :compared_by

    private

    def cut(column, first, count)
      column.is_a?(Column) ? column[first, count] : PART.bind_call(column, first, count)
    end

    # An Array of a column's values.
    def all(column)
      case column
      when Series then column.to_a(size)
      when Column then column.to_a
      else column
      end
    end

    def value(part, columns, row)
      part.is_a?(Array) ? part.map { |inner| value(inner, columns, row) } : columns[part][row]
    end
  end
  private_constant :Series, :Items, :InTurn
end

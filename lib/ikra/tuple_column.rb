# frozen_string_literal: true

module Ikra
  # Columns side by side, as one whose items are arrays: {Column.new} gives it for an array of types.
  #
  #   points = Ikra::Column.new(1_000, %i[float64 float64])
  #   points[0] = [1.0, 2.0]
  #   points.pmap { |x, y| Math.hypot(x, y) }
  #   xs, ys = points.columns
  #
  # Sections can be called on it. What a block captures are its {#columns}, each by itself.
  class TupleColumn
    include Enumerable
    include ColumnMethods

    # @return [Array<Column>] one for each type; writing into them writes here
    attr_reader :columns

    class << self
      # As {Column.from_a}.
      #
      # @param array [Array<Array>]
      # @param type [Array<Symbol>, nil]
      # @return [TupleColumn]
      def from_a(array, type = nil)
        width = (type || array.first).size
        array.each do |item|
          raise TypeError, "an item of a column of #{width} types is an Array of so many, not #{item.inspect}" unless
            item.is_a?(Array) && item.size == width
        end
        return new(0, type) if array.empty?

        over(array.transpose.each_with_index.map { |items, at| Column.from_a(items, type && type[at]) })
      end

      # @param columns [Array<Column>] of one size
      # @return [TupleColumn] that shares their memory
      # @raise [ArgumentError] when they are not of one size
      def over(columns)
        raise ArgumentError, "a column of no types" if columns.empty?
        raise ArgumentError, "columns of several sizes" unless columns.map(&:size).uniq.size == 1

        allocate.tap { |made| made.instance_variable_set(:@columns, columns.dup.freeze) }
      end

      # @api private
      # Are the values arrays that a column holds?
      def holds?(values)
        first = values.first
        first.is_a?(Array) && !first.empty? && values.all? { |value| value.is_a?(Array) && value.size == first.size }
      end

      # @api private
      def of_results(values) = over(values.transpose.map { |items| Column.of_results(items) })
    end

    # @param size [Integer]
    # @param types [Array<Symbol>]
    # @param fill [Array, nil] what all items are at first
    def initialize(size, types, fill = nil)
      raise ArgumentError, "a column of no types" if types.empty?
      raise TypeError, "an item of this column is an Array of #{types.size}" if fill && fill.size != types.size

      @columns = types.each_with_index.map do |type, at|
        fill ? Column.new(size, type, fill[at]) : Column.new(size, type)
      end.freeze
    end

    # @return [Array<Symbol>] the types of {#columns}
    def type = @columns.map(&:type)

    # @return [Integer] the number of items
    def size = @columns.first.size
    alias length size

    def empty? = size.zero?

    # As {Column#[]}: an item is an Array.
    def [](*index)
      parts = @columns.map { |column| column[*index] }
      return if parts.first.nil?

      return parts unless parts.first.is_a?(Column)

      made = TupleColumn.over(parts)
      frozen? ? made.freeze : made
    end
    alias slice []

    # Stores an item: all of it, or nothing where a part does not fit.
    def []=(index, item)
      raise FrozenError.new("can't modify frozen #{self.class}: #{inspect}", receiver: self) if frozen?

      unless item.is_a?(Array) && item.size == @columns.size
        raise TypeError, "an item of this column is an Array of #{@columns.size}, not #{item.inspect}"
      end

      parts = @columns.zip(item).map { |column, part| Column.from_a([part], column.type) }
      @columns.zip(parts) { |column, part| column[index] = part[0] }
    end

    # @yield [item] an Array
    # @return [self, Enumerator]
    def each
      return to_enum(:each) { size } unless block_given?

      size.times { |row| yield(@columns.map { |column| column[row] }) }
      self
    end

    # @return [Array<Array>] the items
    def to_a = @columns.first.to_a.zip(*@columns.drop(1).map(&:to_a))
    alias entries to_a

    # @return [Boolean] are all {#columns} equal?
    def ==(other) = other.is_a?(TupleColumn) && columns == other.columns

    # Its {#columns} can be written no more.
    def freeze
      @columns.each(&:freeze)
      super
    end

    private

    def initialize_copy(other)
      super
      @columns = other.columns.map(&:dup).freeze
    end
  end
end

# frozen_string_literal: true

module Ikra
  # Memory for a structure of Arrow's C interfaces: an ArrowSchema, ArrowArray or ArrowArrayStream. Who takes it moves
  # what is in it; what nobody took is released with this object.
  #
  # @!method to_i
  #   @return [Integer] the address
  class ArrowStructure
    # @return [String] in a line
    def inspect = format("#<%<class>s 0x%<address>x>", class: self.class, address: to_i)
  end

  # Columns by name, for whoever takes tables by Arrow's C stream interface, such as polars. Numbers are not copied, but
  # for true and false, which Arrow packs: who writes into the columns later writes into a copy.
  #
  #   table = Ikra::ArrowTable.new("price" => prices, "pieces" => pieces)
  #   Polars::DataFrame.new(table)
  class ArrowTable
    # @return [Hash{String => Column}]
    attr_reader :columns

    # @param columns [Hash{String, Symbol => Column}] of one size
    # @raise [ArgumentError] where they are none, or of several sizes
    # @raise [TypeError] where one is no Column
    def initialize(columns)
      other = columns.values.find { |column| !column.is_a?(Column) }
      raise TypeError, "a table has columns, not #{other.class}" if other

      @columns = columns.transform_keys(&:to_s).freeze
      TupleColumn.over(@columns.values)
    end

    # @return [ArrowStructure] the address of an ArrowArrayStream: take it once
    def arrow_c_stream = Native.arrow_stream(columns.values, columns.keys)

    # @return [Array(ArrowStructure, ArrowStructure)] addresses of an ArrowSchema and an ArrowArray: take them once
    def arrow_c_array = Native.arrow_array(columns.values, columns.keys)
  end

  class Column
    class << self
      # Columns of what others have by Arrow's C interfaces: polars, red-arrow, DuckDB. Numbers that Arrow has as a
      # column has them stay where they are, and are kept as long as a column wants them; who writes into the column
      # writes into a copy. Copied are true and false, smaller integers, which become +:int32+ or +:int64+, and streams
      # of several pieces. Dates and times become the integers that Arrow has for them.
      #
      #   Ikra::Column.from_arrow(Polars.read_parquet("prices.parquet"))["price"]
      #   Ikra::Column.from_arrow(*arrow_array.export)   # red-arrow
      #
      # @overload from_arrow(source)
      #   @param source [#arrow_c_stream, #arrow_c_array] what these return is taken by its +to_i+
      # @overload from_arrow(array, schema)
      #   @param array [#to_i] the address of an ArrowArray, which is taken over
      #   @param schema [#to_i] that of its ArrowSchema, which is taken over too
      # @return [Column, Hash{String => Column}] a Hash where there are columns with names
      # @raise [TypeError] when no column holds what is there, such as texts
      # @raise [ArgumentError] when there is a null, or nothing any more
      def from_arrow(source, schema = nil)
        found = schema ? Native.columns_of_arrow(source.to_i, schema.to_i) : of_arrow_source(source)
        found.is_a?(Array) ? found.to_h : found
      end

      private

      # What is returned is kept until it is taken.
      def of_arrow_source(source)
        if source.respond_to?(:arrow_c_stream)
          stream = source.arrow_c_stream
          Native.columns_of_arrow_stream(stream.to_i)
        elsif source.respond_to?(:arrow_c_array)
          schema, array = source.arrow_c_array
          Native.columns_of_arrow(array.to_i, schema.to_i)
        else
          raise TypeError, "#{source.class} has no method arrow_c_stream"
        end
      end
    end

    # @return [ArrowStructure] the address of an ArrowArrayStream of this column alone: take it once
    def arrow_c_stream = Native.arrow_stream([self], nil)

    # @return [Array(ArrowStructure, ArrowStructure)] addresses of an ArrowSchema and an ArrowArray: take them once
    def arrow_c_array = Native.arrow_array([self], nil)
  end
end

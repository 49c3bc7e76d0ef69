# frozen_string_literal: true

module Ikra
  # What {Column} and {TupleColumn} do alike.
  module ColumnMethods
    # So many items are shown.
    HEAD = 3
    private_constant :HEAD

    # As Array#map, but what it gives is a Column, of the type of the values: of Floats +:float64+, of Integers
    # +:int64+, of true and false +:bool+, of arrays of these a {TupleColumn}. +to_a.map+ gives an Array.
    #
    # @yield [item]
    # @return [Column, TupleColumn]
    # @raise [Ikra::UnsupportedError] when no column holds the values
    def map
      return to_enum(:map) { size } unless block_given?

      values = []
      each { |item| values << yield(item) }
      return Column.new(0, type) if values.empty?

      (TupleColumn.holds?(values) ? TupleColumn : Column).of_results(values)
    end
    alias collect map

    # @yield [item]
    # @return [Column, TupleColumn] of the same type: the items for which the block's value is true
    def select
      return to_enum(:select) { size } unless block_given?

      chosen = []
      each { |item| chosen << item if yield(item) }
      Column.from_a(chosen, type)
    end
    alias filter select

    # @yield [item]
    # @return [Column, TupleColumn] of the same type: the items for which the block's value is false or nil
    def reject
      return to_enum(:reject) { size } unless block_given?

      select { |item| !yield(item) }
    end

    # @return [String] type, size and the first items
    def inspect
      shown = first(HEAD).map(&:inspect)
      shown << "…" if size > HEAD
      name = type.is_a?(Array) ? "(#{type.join(", ")})" : type
      "#<#{self.class} #{name}[#{size}]#{" " unless shown.empty?}#{shown.join(", ")}>"
    end
    alias to_s inspect
  end
end

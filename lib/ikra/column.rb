# frozen_string_literal: true

require_relative "column_methods"
require_relative "tuple_column"
require_relative "column_exchange"

module Ikra
  # A typed array of fixed length, whose memory is Ikra's: sections read and write it as it is, without a conversion of
  # items. It has what an Array of numbers has, but for what would change its length.
  #
  #   xs = Ikra::Column.generate(1_000_000, :float64) { |i| i * 0.5 }
  #   ys = Ikra::Column.new(1_000_000, :float64, 1.0)
  #   ys.size.ptimes { |i| ys[i] += 2.0 * xs[i] }
  #   xs.pmap { |x| Math.sqrt(x) }                  # a Column again, no Array is made
  #
  # Types are +:float64+, +:float32+, +:int64+, +:int32+ and +:bool+. What is read from a +:float32+ column is a Float
  # as any other, with which Ruby computes in double precision; it is rounded when it is stored. An Integer that does
  # not fit raises RangeError when it is stored, a value of another class TypeError; columns of Floats take Integers
  # too.
  #
  # An array of types gives a {TupleColumn}, whose items are arrays.
  #
  # @!method [](index)
  #   An item, or a view of rows: a Column that shares the memory of this one. Of a frozen column it is frozen.
  #   @overload [](index)
  #     @param index [Integer] from the end where it is negative
  #     @return [Float, Integer, Boolean, nil] nil where there is no such item
  #   @overload [](range)
  #     @param range [Range<Integer>]
  #     @return [Column, nil] nil where it begins outside
  #   @overload [](start, count)
  #     @return [Column, nil]
  #
  # @!method []=(index, value)
  #   Stores an item, or an Array or Column of as many items as there are rows.
  #   @overload []=(index, value)
  #   @overload []=(range, values)
  #   @overload []=(start, count, values)
  #   @raise [IndexError] when there is no such item
  #   @raise [RangeError] when an Integer does not fit
  #   @raise [TypeError] when the value is of another class
  #   @raise [FrozenError]
  #
  # @!method fetch(index)
  #   As Array#fetch.
  #
  # @!method size
  #   @return [Integer] the number of items
  #
  # @!method type
  #   @return [Symbol] such as +:float64+
  #
  # @!method each
  #   @yield [item]
  #   @return [self, Enumerator]
  #
  # @!method to_a
  #   @return [Array] the items as Ruby's objects
  #
  # @!method to_packed
  #   @return [String] the items as they are in memory, as Array#pack gives them with +d*+, +f*+, +q*+, +l*+ or (true
  #     and false as 1 and 0) +C*+
  #
  # @!method fill(value)
  #   Stores it everywhere.
  #   @return [self]
  #
  # @!method ==(other)
  #   @return [Boolean] is it a Column of as many items, each of which is equal? The types may differ.
  #
  # @!method dup
  #   @return [Column] with memory of its own, not frozen
  class Column
    # What a column can be of.
    TYPES = %i[float64 float32 int64 int32 bool].freeze
    # How Marshal writes a column down: its type and the items as in memory.
    DUMP = "a8a*"
    BYTES = { float64: 8, float32: 4, int64: 8, int32: 4, bool: 1 }.freeze
    private_constant :DUMP, :BYTES

    class << self
      # @param size [Integer] the number of items
      # @param type [Symbol, Array<Symbol>] one of {TYPES}; or several, for a {TupleColumn}
      # @param fill [Object] what all items are at first; zero or false without it
      # @return [Column, TupleColumn]
      # @raise [ArgumentError] for another type, or a negative size
      def new(size, type, fill = (zero = true))
        return zero ? TupleColumn.new(size, type) : TupleColumn.new(size, type, fill) if type.is_a?(Array)

        size = checked_size(size)
        column = Native.column(size, checked_type(type))
        column.fill(fill) unless zero
        column
      end

      # A column of the items of an array.
      #
      #   Ikra::Column.from_a([1.0, 2.0])            # float64
      #   Ikra::Column.from_a([1, 2], :int32)
      #   Ikra::Column.from_a([[1.0, 2], [3.0, 4]])  # a TupleColumn of float64 and int64
      #
      # @param array [Array]
      # @param type [Symbol, Array<Symbol>, nil] without it, that of the items: +:float64+, +:int64+ or +:bool+
      # @return [Column, TupleColumn]
      # @raise [ArgumentError] when there are no items to see the type of
      # @raise [TypeError] when no type holds all of them, or an item is of another class
      # @raise [RangeError] when an Integer does not fit
      def from_a(array, type = nil)
        return TupleColumn.from_a(array, type) if type.is_a?(Array) || (type.nil? && array.first.is_a?(Array))

        Native.column_of(array, type ? checked_type(type) : type_of(array))
      end

      # A column of what Array#pack has made (see {#to_packed}).
      #
      # @param string [String]
      # @param type [Symbol] one of {TYPES}
      # @return [Column]
      # @raise [ArgumentError] when it ends within an item
      def from_packed(string, type)
        bytes = BYTES.fetch(checked_type(type))
        unless (string.bytesize % bytes).zero?
          raise ArgumentError, "#{string.bytesize} bytes are no whole number of items of #{bytes} bytes"
        end

        Native.column_of_bytes(string, type)
      end

      # A column of what the block gives for each index.
      #
      # @param size [Integer]
      # @param type [Symbol, Array<Symbol>]
      # @yield [index]
      # @return [Column, TupleColumn]
      def generate(size, type)
        column = new(size, type)
        column.size.times { |i| column[i] = yield(i) }
        column
      end

      # @api private
      def checked_type(type)
        return type if TYPES.include?(type)

        names = TYPES.map(&:inspect).join(", ")
        raise ArgumentError, "unknown type of a column: #{type.inspect}; choose one of #{names}"
      end

      # @api private
      def checked_size(size)
        raise TypeError, "the size of a column is an Integer, not #{size.inspect}" unless size.is_a?(Integer)
        raise ArgumentError, "negative size of a column: #{size}" if size.negative?
        raise ArgumentError, "so large a column has no memory: #{size}" if size >= 1 << 48

        size
      end

      # @api private
      # @return [Column] of what a block has given for each item
      def of_results(values)
        return from_a(values) if Native.column_holds(values)

        classes = values.map(&:class).uniq.first(2).join(" and ")
        raise UnsupportedError, "no Column holds what the block gives: #{classes} [column-result]\n  " \
                                "hint: have an Array of them: to_a.map or to_a.pmap"
      end

      private

      # Sections know what a column is by its class.
      def inherited(_)
        super
        raise TypeError, "Ikra::Column has no subclasses"
      end

      def type_of(array)
        raise ArgumentError, "give the type of a column of no items" if array.empty?

        Native.column_holds(array) ||
          raise(TypeError, "no type of columns holds all items: #{array.map(&:class).uniq.first(3).join(", ")}")
      end

      def _load(dumped)
        type, items = dumped.unpack(DUMP)
        from_packed(items, type.delete("\0").to_sym)
      end
    end

    include ColumnMethods

    alias eql? equal?

    # @return [Column] with memory of its own
    def clone(freeze: nil)
      copy = dup
      freeze || (freeze.nil? && frozen?) ? copy.freeze : copy
    end

    # Sorts the items where they are; equal ones stay in their order.
    #
    # @yield [one, other] compares two items
    # @return [self]
    # @raise [FrozenError]
    # @raise [ArgumentError] when they cannot be compared
    def sort!(&block)
      raise FrozenError.new("can't modify frozen #{self.class}: #{inspect}", receiver: self) if frozen?
      return self if size < 2

      own = block.nil? && [Integer, Float].all? { |type| Native.own?(type, :<=>) }
      Native.column_take_over(self, (own && Native.column_sorted(self)) || Column.from_a(to_a.sort(&block), type))
    end

    # {#sort!}, with a block compiled, and on a GPU where the items are there.
    #
    # @yield (see #sort!)
    # @return (see #sort!)
    # @raise (see #sort!)
    def psort!(&block) = Terminal.run(self, [], :sort!, :psort!, [], block)

    private

    def _dump(_level) = [type.to_s, to_packed].pack(DUMP)
  end
end

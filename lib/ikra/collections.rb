# frozen_string_literal: true

require_relative "items"
require_relative "enumerators"

module Ikra
  # Finds what the elements of a collection are, before a section runs: as +Items+, which are *columns* with a value for
  # each element, and what of them +each+ yields. Whatever is not known is gone through once: its +each+ runs, as
  # ordinary Ruby, with a block in C that takes the arguments into columns (+reading/items.rs+ of the extension).
  #
  # @api private
  module Collections
    # An element has a number of 32 bits.
    MOST = (2**31) - 1
    WORDS = -(2**63)...(2**63)
    # A class may define methods of its own by these names.
    METHOD = Kernel.instance_method(:method)
    INSTANCE_VARIABLE = Kernel.instance_method(:instance_variable_get)
    SIZE = Array.instance_method(:size)
    FIRST = Range.instance_method(:begin)
    LAST = Range.instance_method(:end)
    EXCLUDES_END = Range.instance_method(:exclude_end?)
    MEMBERS = Struct.instance_method(:members)
    VALUES = Struct.instance_method(:to_a)

    class << self
      # @param operation [Symbol] one of {Section::SEQUENTIAL}
      # @return [Items]
      def items(collection, operation)
        return pairs(ENV.to_h, ENV) if ENV.equal?(collection)

        found = case collection
                when Array then array(collection)
                when Integer then series(0, 1, collection, collection)
                when Hash then hash(collection)
                when Range then range(collection)
                when Struct then struct(collection, operation)
                when Column, TupleColumn then column(collection)
                else enumerator(collection, operation)
                end
        found || gone_through(collection, operation, looked_at: hash_of(collection))
      end

      def enumerator(enumerator, operation)
        case enumerator
        when Enumerator::ArithmeticSequence then sequence(enumerator)
        when Enumerator::Lazy then refuse_lazy
        when Enumerator then Enumerators.items(enumerator, operation)
        end
      end

      def array(array) = Items.new([array], SIZE.bind_call(array), array, looked_at: [array], original: array)

      # The items of a Column are read as they are in memory.
      def column(column, kind: :column)
        tuples = column.is_a?(TupleColumn)
        columns = tuples ? column.columns : [column]
        Items.new(columns, column.size, column, yielded: [tuples ? [*0...columns.size] : 0], looked_at: columns,
                                                original: column, kind:)
      end

      # @return [Items, nil] of one that goes through its pairs
      def hash(hash)
        pairs(hash) if own?(hash, :each, Hash)
      end

      def pairs(hash, returned = hash)
        columns = Native.pairs(hash)
        Items.new(columns, columns.first.size, returned, yielded: [[0, 1]], looked_at: [hash], original: returned,
                                                         kind: :pairs)
      end

      # The Hash around which a Set is written, up to Ruby 3.4.
      def hash_of(collection)
        return [] unless defined?(::Set) && ::Set === collection # rubocop:disable Style/CaseEquality

        [INSTANCE_VARIABLE.bind_call(collection, :@hash)].compact
      end

      # Struct#select does not ask `each`.
      def struct(struct, operation)
        return unless operation == :pselect || own?(struct, :each, Struct)

        values = VALUES.bind_call(struct)
        Items.new([values], values.size, struct, looked_at: [struct], original: struct)
      end

      # As Struct#each_pair has them.
      def members(struct)
        columns = [MEMBERS.bind_call(struct), VALUES.bind_call(struct)]
        Items.new(columns, columns.first.size, struct, yielded: [[0, 1]], looked_at: [struct], kind: :pairs)
      end

      # @return [Items, nil] of a Range of Integers
      def range(range)
        first = FIRST.bind_call(range)
        refuse_endless(range) if first && endless?(LAST.bind_call(range))
        return unless first.is_a?(Integer) && own?(range, :each, Range)

        last = whole_end(range)
        last && series(first, 1, last - first + 1, range)
      end

      # @return [Items, nil] of one of Integers
      def sequence(sequence)
        refuse_endless(sequence) if endless?(sequence.end) || sequence.size == Float::INFINITY
        return unless [sequence.begin, sequence.end, sequence.step].all?(Integer)

        series(sequence.begin, sequence.step, sequence.size, sequence)
      end

      def series(first, step, size, returned)
        size = [size, 0].max
        refuse_size(size) if size > MOST
        column = Series.new(first, step)
        large = [0, size - 1].any? { |row| !WORDS.cover?(column[row]) } unless size.zero?
        refuse_large(WORDS.cover?(first) ? (0...size).bsearch { |row| !WORDS.cover?(column[row]) } : 0) if large
        Items.new([column], size, returned, original: returned)
      end

      # What `each` yields.
      def gone_through(collection, operation, looked_at: [], kind: nil)
        count, returned, rows, *columns = Native.items(collection)
        refuse_size(count) if count > MOST
        if rows
          refuse_mixed(rows, operation) if operation != :pselect || rows.any?(&:empty?)
          # Enumerable#select makes one value of several.
          return Items.new([rows.map { |row| row.size == 1 ? row.first : row }], count, returned, looked_at:, kind:)
        end
        yielded = [*0...columns.size]
        columns = [Series.new(0, 1)] if columns.empty?
        Items.new(columns, count, returned, yielded:, looked_at:, kind:)
      end

      # Is the method what Ruby defines there?
      def own?(object, name, owner) = METHOD.bind_call(object, name).owner == owner

      def refuse(message, hint)
        raise UnsupportedError, "#{message}\n  hint: #{hint}"
      end

      def refuse_endless(collection)
        raise RangeError, "cannot go through #{collection.inspect} in parallel, which has no end"
      end

      private

      def endless?(last) = last.nil? || (last.is_a?(Float) && last.infinite? == 1)

      # The last Integer of a Range up to an Integer or Float.
      def whole_end(range)
        last = LAST.bind_call(range)
        return unless last.is_a?(Integer) || (last.is_a?(Float) && last.finite?)

        whole = last.floor
        EXCLUDES_END.bind_call(range) && whole == last ? whole - 1 : whole
      end

      def refuse_size(size)
        raise Error, "a section can number at most #{MOST} elements, and these are #{size}"
      end

      def refuse_large(row)
        raise OverflowError, "element #{row} is an Integer beyond 64 bits"
      end

      def refuse_mixed(rows, operation)
        counts = rows.map(&:size).uniq.first(2)
        refuse("the `each` of what #{operation} is called on yields now #{counts.first} values, now #{counts.last} " \
               "[mixed-yield]", "make an Array of it first: to_a.#{operation}")
      end

      def refuse_lazy
        refuse("a lazy enumerator gives no values before it is asked for them, and a section gives all [lazy-base]",
               "call `eager` or `to_a` on it, or leave `lazy` out")
      end
    end
  end
  private_constant :Collections
end

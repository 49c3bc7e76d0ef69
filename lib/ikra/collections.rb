# frozen_string_literal: true

require_relative "own_each"
require_relative "answer"
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
    CLASS = Kernel.instance_method(:class)
    SINGLETON_CLASS = Kernel.instance_method(:singleton_class)
    PART = Array.instance_method(:[])
    TO_ENUM = Kernel.instance_method(:to_enum)
    INSTANCE_VARIABLE = Kernel.instance_method(:instance_variable_get)
    SIZE = Array.instance_method(:size)
    FIRST = Range.instance_method(:begin)
    LAST = Range.instance_method(:end)
    EXCLUDES_END = Range.instance_method(:exclude_end?)
    MEMBERS = Struct.instance_method(:members)
    VALUES = Struct.instance_method(:to_a)

    # Those of Ruby's classes that have methods of Enumerable's anew, which do not ask `each`.
    HOLDING = [::Array, ::Hash, ::Struct].freeze

    class << self
      # @param operation [Symbol] one of {Section::SEQUENTIAL}
      # @param name [Symbol] Ruby's method that is to be done
      # @param answered [Boolean] whether Ruby's method gives `each` the values of the user's block
      # @return [Items]
      def items(collection, operation, name = Section::SEQUENTIAL.fetch(operation), answered: operation == :peach)
        return pairs(ENV.to_h, ENV) if ENV.equal?(collection)

        found = case collection
                when Integer then series(0, 1, collection, collection)
                when Range then range(collection)
                when *HOLDING then held_items(collection, name)
                when Column, TupleColumn then column(collection)
                else enumerator(collection, operation)
                end
        found || gone_through(collection, operation, looked_at: hash_of(collection), answered:)
      end

      def enumerator(enumerator, operation)
        case enumerator
        when Enumerator::ArithmeticSequence then sequence(enumerator)
        when Enumerator::Lazy then refuse_lazy
        when Enumerator then Enumerators.items(enumerator, operation)
        end
      end

      # What an Array, Hash or Struct holds, where that is what the method goes through.
      #
      # @return [Items, nil]
      def held_items(collection, name)
        return unless held?(collection, name)

        case collection
        when Array then array(collection)
        when Hash then pairs(collection)
        else struct(collection)
        end
      end

      # Does Ruby's method of this name go through what an Array, Hash or Struct holds? Those of its class do, those of
      # Enumerable ask its `each`, which may be one of its own.
      def held?(collection, name)
        return true if Native.plain_size(collection, name)

        core = core(collection)
        own?(collection, name, core) || (name != :each && own?(collection, :each, core))
      end

      # What goes through the same by its `each` as the method does.
      #
      # @return [Enumerable] the collection itself, as far as it has no `each` of its own
      def asked(collection, name)
        core = core(collection)
        return collection if core.nil? || own?(collection, :each, core) || !held?(collection, name)

        case collection
        when Array then PART.bind_call(collection, 0..)
        when Hash then {}.replace(collection)
        else VALUES.bind_call(collection)
        end
      end

      # What asks an `each` of its own, as all do that go through an Enumerator.
      #
      # @return [Enumerable] the collection itself, as far as it has none
      def asking(collection)
        core = core(collection)
        core.nil? || own?(collection, :each, core) ? collection : TO_ENUM.bind_call(collection, :each)
      end

      # Has it a method of this name that comes before Ruby's?
      def overridden?(collection, name)
        return false if Native.basic?(collection, name)

        core = [*HOLDING, ::Range, ::Set].find { |type| type === collection } or return false # rubocop:disable Style/CaseEquality
        owner = METHOD.bind_call(collection, name).owner
        return false if owner == core || owner == Enumerable

        SINGLETON_CLASS.bind_call(collection).ancestors.take_while { |type| type != core }.include?(owner)
      rescue NameError
        false
      end

      # Refuses an operation that does what Ruby's method does, as the collection's does something else.
      def refuse_own(collection, name, title)
        refuse("#{CLASS.bind_call(collection)} has a method `#{name}` of its own, and #{title} does what Ruby's does " \
               "[own-operation]", "write #{name} without the p, or to_a.#{title}")
      end

      def array(array) = Items.new([array], SIZE.bind_call(array), array, looked_at: [array], original: array)

      # The items of a Column are read as they are in memory.
      def column(column, kind: :column)
        tuples = column.is_a?(TupleColumn)
        columns = tuples ? column.columns : [column]
        Items.new(columns, column.size, column, yielded: [tuples ? [*0...columns.size] : 0], looked_at: columns,
                                                original: column, kind:)
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

      def struct(struct)
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

      # @param original [Object] what Ruby can go through in place of them
      def series(first, step, size, returned, original: returned)
        size = [size, 0].max
        refuse_size(size) if size > MOST
        column = Series.new(first, step)
        large = [0, size - 1].any? { |row| !WORDS.cover?(column[row]) } unless size.zero?
        refuse_large(WORDS.cover?(first) ? (0...size).bsearch { |row| !WORDS.cover?(column[row]) } : 0) if large
        Items.new([column], size, returned, original:)
      end

      # What `each` yields.
      #
      # @param answered [Boolean] see {items}
      def gone_through(collection, operation, looked_at: [], kind: nil, answered: operation == :peach)
        own = OwnEach.of(collection)
        $~ = LastMatch::BEFORE
        go = ->(answer) { Native.items(collection, answer) }
        count, returned, rows, _, *columns = answered ? Answer.to_each(own) { go.call(Answer) } : go.call(nil)
        LastMatch.leave($~) # rubocop:disable Style/SpecialGlobalVars
        refuse_size(count) if count > MOST
        looked_at = [*looked_at, *own.looked_at]
        if rows
          refuse_mixed(rows, operation) if operation != :pselect || rows.any?(&:empty?)
          # Enumerable#select makes one value of several.
          return Items.new([rows.map { |row| row.size == 1 ? row.first : row }], count, returned, looked_at:, kind:)
        end
        yielded = [*0...columns.size]
        columns = [Series.new(0, 1)] if columns.empty?
        Items.new(columns, count, returned, yielded:, looked_at:, kind:)
      end

      # Which of these it is.
      def core(collection)
        case collection
        when ::Array then ::Array
        when ::Hash then ::Hash
        when ::Struct then ::Struct
        end
      end

      # Is the method what Ruby defines there?
      def own?(object, name, owner)
        method = METHOD.bind_call(object, name)
        return false unless method.owner == owner

        # Some of Ruby's own are written in Ruby.
        Native.basic?(object, name) || !(path, = method.source_location) || path.start_with?("<internal:")
      end

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

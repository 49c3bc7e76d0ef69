# frozen_string_literal: true

require_relative "collections"

module Ikra
  using OwnMethods

  # What a section is called on: the elements of a collection, and how its block gets them.
  #
  # How the block gets them depends on the method, since Ruby's differ: Enumerable#select makes one value of several,
  # which also a lambda takes apart; Hash#select yields two values; Hash#each yields a pair, but two values to the
  # lambda of a Hash#map that takes two.
  #
  # @api private
  class Base
    # A class may define methods of its own by these names.
    ARITY = Proc.instance_method(:arity)
    IS_LAMBDA = Proc.instance_method(:lambda?)
    BY_IDENTITY = Hash.instance_method(:compare_by_identity?)
    # If one of so many is left, what is left is put into a new Hash.
    MOST_LEFT_OUT = 8

    # How a block gets what `each` yields: as several arguments, as Enumerable#map hands them on; as one value, which
    # also a lambda takes apart, as Enumerable#select does it; as one value; of pairs, as Hash#to_h gives them; or as
    # Array#to_h gives its items, which a lambda takes apart like a block.
    PASSING = { values: :peach, taken_apart: :pselect, packed: :packed, split: :peach, as_to_block: :peach }.freeze

    # @param passing [Symbol] one of {PASSING}
    # @return [Base] for the block of a method that gives neither what `each` does nor a collection
    def self.passing(items, passing, block)
      arguments = [items.packed] if passing == :packed
      arguments = items.packed if passing == :split && items.pairs?
      base = new(items, PASSING.fetch(passing), block, arguments:)
      base.as_to_block if passing == :as_to_block
      base
    end

    # @param operation [Symbol] one of {Section::SEQUENTIAL}
    # @param called [Symbol] Ruby's method, by the name that the user has called
    # @return [Base, ArrayBase]
    # @raise [UnsupportedError] where the collection has one of its own of this name
    def self.of(collection, operation, block, called = nil)
      size = called && Native.plain_size(collection, called)
      return ArrayBase.new(collection, size) if size

      refuse_own(collection, operation, called) if called
      # ENV has the methods of a Hash.
      collection = ENV.to_h if operation == :pselect && ENV.equal?(collection)
      name = Section::SEQUENTIAL.fetch(operation)
      case collection
      when Array then return ArrayBase.new(collection) if Collections.held?(collection, name)
      when Hash then return of_hash(collection, block) if operation == :pselect
      end
      new(Collections.items(collection, operation), operation, block)
    end

    # The `each` of a collection's own is asked, other methods of its own are not.
    def self.refuse_own(collection, operation, called)
      return if called == :each || !Collections.overridden?(collection, called)

      Collections.refuse_own(collection, called, operation)
    end

    # Hash#select yields two values, and gives a Hash.
    def self.of_hash(hash, block)
      # Ruby copies it, which is faster than to make another one.
      copy = Hash[hash] unless BY_IDENTITY.bind_call(hash) # rubocop:disable Style/HashConversion
      items = Collections.pairs(copy || hash).numbered(hash)
      new(items, :pselect, block, arguments: [0, 1]) do |keys, values, rows|
        next keep(copy, rows) if copy && rows.size > items.size / MOST_LEFT_OUT

        selected = copy ? {} : {}.compare_by_identity
        keys.each_with_index { |key, at| selected[key] = values[at] }
        selected
      end
    end

    # Leaves the pairs in other rows out.
    def self.keep(hash, rows)
      at = 0
      row = -1
      hash.keep_if { rows[at] == (row += 1) && (at += 1) }
    end
    private_class_method :of_hash, :keep, :refuse_own

    # @param items [Items]
    # @param arguments [Array<Integer, Array>, nil] what the block gets, if it is not what `each` yields: columns by
    #   number, and arrays of such
    # @yield [columns] what was selected of the columns
    # @yieldreturn [Object] what Ruby's +select+ gives for that
    def initialize(items, operation, block, arguments: nil, &selection)
      @items = items
      # Enumerable#select makes one value of several, which also a lambda takes apart.
      @takes_apart = operation == :pselect && !arguments && items.yielded.size > 1
      @arguments = arguments || (@takes_apart ? [items.yielded] : items.yielded)
      # Enumerable#map tells `each` what the lambda takes.
      @arguments = @arguments.first if operation == :pmap && items.pairs? && takes_several?(block)
      @selection = selection
    end

    # Has also a lambda take its only argument apart.
    def as_to_block
      @takes_apart = true
    end

    def size = @items.size
    def empty? = size.zero?

    # What the extension is told: the columns, and how the block gets them.
    def columns = @items.columns

    def form
      marks = [@items.made?, @items.column?, @items.changed?, @items.compared_by]
      own, looked_at = @items.looked_at.partition { |object| OwnEach === object } # rubocop:disable Style/CaseEquality
      [@items.size, @arguments, @takes_apart, looked_at, *marks, own.first&.read]
    end

    # The same without so many elements at the beginning.
    def rest(done)
      copy = dup
      copy.items = @items.rest(done)
      copy
    end

    # Something that yields what the collection has yielded.
    def again = @items.again

    # What the extension is asked for: `each` may give what the block gives for an element.
    def asked(operation, ticks)
      return operation unless operation == :peach && @items.answer

      ticks == 1 ? :pmap : Answer.refuse
    end

    # What the operation gives, made of what the extension does: nil where there are no elements.
    def result(operation, given)
      case operation
      when :pmap then @items.column? ? mapped(given) : given || []
      when :pselect then selected(given || columns.map { |column| empty(column) })
      else @items.answer ? given.to_a[@items.answer] : @items.returned
      end
    end

    protected

    attr_writer :items

    private

    def selected(columns) = @selection ? @selection.call(*columns) : @items.rows(columns)
    def empty(column) = column.is_a?(Column) ? Column.new(0, column.type) : []

    # What comes of a Column is one: of arrays a TupleColumn, of nothing one like it.
    def mapped(given)
      return @items.returned[0...0].dup unless given

      given.is_a?(Array) ? TupleColumn.over(given) : given
    end

    # Is it a lambda that takes two arguments at least?
    def takes_several?(block)
      arity = ARITY.bind_call(block)
      IS_LAMBDA.bind_call(block) && (arity > 1 || arity < -2)
    end
  end

  # An Array as a base, as most are: the only column, which is yielded as it is.
  #
  # @api private
  class ArrayBase
    SIZE = Array.instance_method(:size)
    PART = Array.instance_method(:[])

    # @return [Array] what is gone through, and can be again
    attr_reader :columns
    alias again columns
    # @return [Integer]
    attr_reader :size

    def initialize(array, size = SIZE.bind_call(array))
      @columns = array
      @size = size
    end

    def empty? = @size.zero?
    def form = nil
    def asked(operation, _ticks) = operation
    def rest(done) = ArrayBase.new(PART.bind_call(columns, done..) || [])

    def result(operation, given)
      case operation
      when :pmap then given || []
      when :pselect then given ? given.first : []
      else @columns
      end
    end
  end

  # Of a section that is a program: nothing is gone through, and its block gets nothing.
  #
  # @api private
  class ProgramBase
    # It has no elements of its own.
    def size = nil
    def empty? = false
    def columns = [Series.new(0, 1)]
    def form = [1, [], false, [], false, false, false, nil, nil]
  end
  OwnMethods.keep_new(Base, ArrayBase, ProgramBase, Items)
  private_constant :Base, :ArrayBase, :ProgramBase
end

# frozen_string_literal: true

module Ikra
  # What a parallel method gives without a block: an Enumerator, as Ruby's method does, whose methods with
  # a block are parallel again.
  #
  #   rows.pmap.with_index(1) { |row, number| row.line(number) }
  #   points.psort_by.with_index { |point, i| [point.x, i] }
  #
  # @api private
  class WithoutBlock < Enumerator
    # Those whose value is made of what the block gives alone.
    GIVING = %i[map collect flat_map collect_concat filter_map find_index].freeze
    # Those that give some of the elements, with their indices; or one of them.
    SOME = %i[take_while drop_while].freeze
    ONE = %i[find detect].freeze

    # @param collection [Enumerable]
    # @param name [Symbol] Ruby's method
    def initialize(collection, name)
      @collection = collection
      @name = name
      sized = collection.respond_to?(:size) && ![*ONE, *SOME, :find_index].include?(name)
      super(sized ? collection.size : nil) do |yielder|
        collection.public_send(name) { |*values| yielder.yield(*values) }
      end
    end

    # What Ruby's method gives with a block that gets each element and its index.
    #
    # @param offset [Integer, nil] the first index
    # @yield [element, index]
    # @return [Object]
    # @raise (see ParallelMethods#pmap)
    def with_index(offset = 0, &block)
      return super unless parallel?(block)
      return refused(block) { super } if Collections.overridden?(@collection, @name)

      given(indexed(offset || 0), block)
    end

    # {#with_index} from 0 on.
    def each_with_index(&block) = parallel?(block) ? with_index(0, &block) : super

    # Calls the block with each element and an object, in parallel.
    #
    # @param memo [Object]
    # @yield [element, memo]
    # @return [Object] the memo
    # @raise (see ParallelMethods#pmap)
    def with_object(memo, &block)
      return super unless parallel?(block)
      return refused(block) { super } if Collections.overridden?(@collection, @name)

      Collections.asked(@collection, @name).peach_with_object(memo, &block)
    end
    alias each_with_object with_object

    # @return [String]
    def inspect = "#<Enumerator: #{@collection.inspect}:p#{@name}>"
    alias to_s inspect

    private

    # Is there one, and not what Ruby itself goes through the elements with, as for `pmap.with_index.to_a`?
    def parallel?(block)
      block && (block.source_location || block.lambda? || !Written.block(block).equal?(block))
    end

    # The elements with their indices, as Ruby's method goes through them.
    def indexed(offset)
      asked = Collections.asked(@collection, @name)
      (asked.is_a?(Enumerator) ? asked : asked.each_entry).with_index(offset)
    end

    # What Ruby's method gives with a block that gets elements with indices.
    def given(indexed, block)
      case @name
      when :each then indexed.peach(&block)
      when *GIVING then return indexed.public_send(:"p#{@name}", &block)
      when *SOME then return indexed.public_send(:"p#{@name}", &block).map(&:first)
      when *ONE then return indexed.pfind(&block)&.first
      else return decided(indexed.pmap(&block))
      end
      @collection
    end

    # Refuses a method of the collection's own, or has Ruby run it.
    #
    # @yield to run it
    def refused(block)
      Section.carry_out(:"p#{@name}", block) do |plainly|
        next yield if plainly

        Collections.refuse_own(@collection, @name, :"p#{@name}")
      end
    end

    # Ruby's own method, with a block that gives what the section has given.
    def decided(values)
      values = InTurn.new(values)
      @collection.public_send(@name) { values.next }
    end
  end
  private_constant :WithoutBlock
end

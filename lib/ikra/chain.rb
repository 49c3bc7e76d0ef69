# frozen_string_literal: true

module Ikra
  # Stages over the elements of a collection, and what ends them. +plazy+ gives one without stages:
  #
  #   orders.plazy.select { |order| order.paid? }.map { |order| order.total }.sum
  #
  # Stages run nothing; a method that gives a value runs all of them at once, in one section, with no Array between.
  # Where a stage needs everything that comes before it (+sort_by+, +uniq+, +flat_map+ …), the section ends there, and
  # another one goes on with what it gave. What is computed, and what is raised, is what Ruby's
  # Enumerator::Lazy does.
  #
  # Where the collection yields several values at once, +map+, +filter_map+, +flat_map+, +take_while+ and +drop_while+
  # give their block all of them, as Lazy's do, until a stage makes one value of them. Other blocks get an array
  # of them, and the methods that end a chain do.
  class Chain
    # Stages that a section has room for.
    FUSED = %i[map select reject filter_map].freeze
    # Stages behind which elements have the numbers that they had before.
    NUMBERED = %i[map numbered each_numbered].freeze
    # Stages that give an Array, of which the chain goes on: Ruby's methods with these names.
    BARRIERS = %i[flat_map each_slice each_cons chunk_while slice_when sort sort_by reverse shuffle flatten].freeze
    # Those of them that need everything in Ruby, too; the others go through elements one after the other there, through
    # all stages at a time.
    ORDERS = %i[sort sort_by reverse shuffle].freeze
    # Those whose blocks get several values as such.
    SPREADING = %i[flat_map collect_concat].freeze
    # Those that have no block, in Ruby either.
    WITHOUT_BLOCK = %i[reverse shuffle flatten include? tally].freeze
    # Ruby's methods that end a chain.
    ENDS = %i[sum count min max minmax min_by max_by minmax_by inject any? all? none? one? find find_index include?
              group_by tally to_h partition to_set chunk].freeze

    # @api private
    def initialize(collection, stages = [])
      @collection = collection
      @stages = stages
    end

    # @!method map
    #   @yield [element]
    #   @return [Chain] of the block's values
    # @!method select
    #   @yield [element]
    #   @return [Chain] of the elements for which the block's value is true
    # @!method reject
    #   @yield [element]
    #   @return [Chain] of the elements for which the block's value is false
    # @!method filter_map
    #   @yield [element]
    #   @return [Chain] of the block's values that are true
    FUSED.each do |name|
      define_method(name) do |&block|
        Section.refuse(ArgumentError, "tried to call lazy #{name} without a block") unless block

        with(name, block)
      end
    end
    alias collect map
    alias filter select

    # @return [Chain] of the elements that are not nil
    def compact(&block)
      Section.takes_no_block(:compact, block)
      with(:compact)
    end

    # @param pattern [#===]
    # @yield [element] if it matches
    # @return [Chain] of the elements that match, or of the block's values for these
    def grep(pattern, &block) = matching(:grep, pattern, block)

    # @param pattern [#===]
    # @yield [element] if it does not match
    # @return [Chain] of the elements that do not match, or of the block's values for these
    def grep_v(pattern, &block) = matching(:grep_v, pattern, block)

    # @param offset [Integer] the number of the first element
    # @yield [element, number]
    # @return [Chain] of the elements with their numbers, or, with a block, of the elements
    def with_index(offset = 0, &block)
      offset ||= 0
      # Behind a filter the number of an element is known when all before it are done.
      counted = @stages.all? { |kind,| NUMBERED.include?(kind) }
      return unchanged(:with_index).with_index(offset, &block) unless counted

      block ? with(:each_numbered, block, offset) : with(:numbered, offset)
    end

    # @yield [element, number] for what it changes: the stages and the block run at once
    # @return [Chain, Object] of the elements with their numbers, or, with a block, the collection
    def each_with_index(&block)
      return with_index unless block

      with_index(0, &block).to_a
      @collection
    end

    # @param count [Integer]
    # @return [Chain] of so many elements; the others are not computed
    def take(count, &block)
      Section.takes_no_block(:take, block)
      Section.refuse(ArgumentError, "attempt to take negative size") if count.negative?

      @stages.empty? ? passed(:first, [count]) : Taken.new(@collection, @stages, count)
    end

    # @yield [element]
    # @return [Chain] of the elements before the first one for which the block's value is false; those behind it are not
    #   computed
    def take_while(&block) = passed(:take_while, [], block)

    # @param count [Integer]
    # @return [Chain] of all but so many elements
    def drop(count, &block)
      Section.takes_no_block(:drop, block)
      unchanged(:drop).passed(:drop, [count])
    end

    # @yield [element]
    # @return [Chain] of the elements from the first one on for which the block's value is false
    def drop_while(&block) = unchanged(:drop_while).passed(:drop_while, [], block)

    # @yield [element]
    # @return [Chain] of the elements without those that are equal to an earlier one, or for which the block gives an
    #   equal value
    def uniq(&block) = unchanged(:uniq).passed(:uniq, [], block, computed: !@stages.empty?)

    # @param others [Array<Enumerable>]
    # @yield [element, other, ...] for what it changes
    # @return [Chain, nil] of arrays of an element and what stands at its place in the others; nil with a block
    def zip(*others, &block)
      block ? unchanged(:zip).to_a.zip(*others, &block) : unchanged(:zip).passed(:zip, others)
    end

    # @!method flat_map
    #   @yield [element]
    #   @return [Chain] of the items of the arrays that the block gives
    # @!method sort_by
    #   @yield [element]
    #   @return [Chain] of the elements in the order of the block's values
    BARRIERS.each do |name|
      define_method(name) do |*arguments, **options, &block|
        Section.takes_no_block(name, block) if WITHOUT_BLOCK.include?(name)
        next Chain.new(Chain.ended(@collection, @stages, name, arguments, block, options)) if name == :sort_by

        all = ORDERS.include?(name) ? to_array : unchanged(name).collection
        Chain.new(Chain.ended(all, [], name, arguments, block, options).to_a)
      end
    end
    alias collect_concat flat_map

    # @!method sum
    #   @return [Object] as Enumerable#sum
    ENDS.each do |name|
      define_method(name) do |*arguments, **options, &block|
        Section.takes_no_block(name, block) if WITHOUT_BLOCK.include?(name)
        Chain.ended(@collection, @stages, name, arguments, block, options)
      end
    end
    alias reduce inject
    alias detect find
    alias member? include?

    # @param count [Integer]
    # @return [Object, Array] the first element, or so many; the others are not computed
    def first(*count, &block)
      Section.takes_no_block(:first, block)
      Chain.ended(@collection, @stages, :first, count, nil, {})
    end

    # @return [Array] all that comes out of the stages
    def to_a(&block)
      Section.takes_no_block(:to_a, block)
      Chain.ended(@collection, @stages, :to_a, [], nil, {})
    end
    alias force to_a
    alias entries to_a

    # Runs the stages and the block for what they change.
    #
    # @yield [element]
    # @return [Object] the collection
    def each(&block)
      Section.refuse(ArgumentError, "each needs a block") unless block

      Chain.ended(@collection, @stages, :each, [], block, {})
    end

    # @param memo [Object] given with each element, for what the block puts into it
    # @yield [element, memo]
    # @return [Object] the memo
    def each_with_object(memo, &block) = unchanged(:each_with_object).collection.each_with_object(memo, &block)

    # @return [Chain] self: it is one already
    def plazy(&block)
      Section.takes_no_block(:plazy, block)
      self
    end

    # @return [String]
    def inspect
      "#<Ikra::Chain: #{[@collection.class, *@stages.map(&:first)].join(".")}>"
    end

    # @api private
    # @return [Array(Base, Call, Proc)] what its section is
    def explained
      raise ArgumentError, "the chain has no stages that run in a section" if @stages.empty?

      Flow.new(:plazy, Collections.items(@collection, :pmap), @stages).explained
    end

    # @api private
    def self.ended(collection, stages, name, arguments, block, options)
      collection = collection.to_a if stages.empty? && collection.is_a?(SeveralValues) && !SPREADING.include?(name)
      Terminal.run(collection, stages, name, name, arguments, block, **options)
    end

    protected

    attr_reader :collection

    def with(*stage) = Chain.new(@collection, [*@stages, stage])

    # What a stage gives that gives some of the elements, or several values for each.
    def passed(name, arguments = [], block = nil, **options)
      given, width = Terminal.passed(@collection, @stages, name, arguments, block, **options)
      Chain.new(width == 1 ? given : SeveralValues.new(given))
    end

    private

    def matching(kind, pattern, block)
      matched = with(kind, pattern)
      block ? matched.with(:matched, block) : matched
    end

    # What comes out of the stages, as an Array of its own or the collection.
    def to_array = @stages.empty? ? @collection : to_a

    # The chain of it, where the stages change nothing.
    def unchanged(name) = @stages.empty? ? self : passed(:to_a, unchanging: name)
  end

  # Yields the items of each array.
  #
  # @api private
  class SeveralValues
    include Enumerable

    def initialize(arrays) = @arrays = arrays

    def each
      @arrays.each { |values| yield(*values) }
      self
    end
  end

  # The first elements that come out of a chain, which are computed when something is done with them.
  #
  # @api private
  class Taken < Chain
    # @api private
    def initialize(collection, stages, count)
      super(collection, stages)
      @count = count
    end

    (Chain.public_instance_methods(false) - %i[inspect plazy explained take first to_a force entries]).each do |name|
      define_method(name) do |*arguments, **options, &block|
        passed(:first, [@count], unchanging: name).public_send(name, *arguments, **options, &block)
      end
    end

    # @return [Chain] of so many of them
    def take(count, &block)
      Section.takes_no_block(:take, block)
      Section.refuse(ArgumentError, "attempt to take negative size") if count.negative?

      Taken.new(@collection, @stages, [count, @count].min)
    end

    # @return [Object, Array] the first element, or so many; the others are not computed
    def first(*count, &block)
      Section.takes_no_block(:first, block)
      return taken([1, @count].min).first if count.empty?

      count.all?(Integer) ? taken([*count, @count].min) : to_a.first(*count)
    end

    # @return [Array]
    def to_a(&block)
      Section.takes_no_block(:to_a, block)
      taken(@count)
    end
    alias force to_a
    alias entries to_a

    # @return [String]
    def inspect = "#{super.chomp(">")}.take(#{@count})>"

    private

    def taken(count) = Chain.ended(@collection, @stages, :first, [count], nil, {})
  end
  private_constant :SeveralValues, :Taken
end

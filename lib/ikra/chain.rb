# frozen_string_literal: true

module Ikra
  # Stages over the elements of a collection, and what ends them. +plazy+ gives one without stages:
  #
  #   orders.plazy.select { |order| order.paid? }.map { |order| order.total }.sum
  #
  # Stages run nothing; a method that gives a value runs all of them at once, in one section, with no Array between.
  # Where a stage needs everything that comes before it (+uniq+, +flat_map+ …), the section ends there, and another one
  # goes on with what it gave. +sort+, +sort_by+, +reverse+ and +shuffle+ run at once, as they do in Ruby. What is
  # computed, and what is raised, is what Ruby's Enumerator::Lazy does.
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
    # Stages that run nothing of the user's.
    BLOCKLESS = %i[numbered compact].freeze
    # Those that go through all of it, so that all of it is computed before.
    OF_ALL = %i[to_a sum count min max minmax tally to_h to_set sort sort_by].freeze
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
      base
    end

    # @param count [Integer]
    # @return [Chain] of so many elements; the others are not computed
    def take(count, &block)
      Section.takes_no_block(:take, block)
      Section.refuse(ArgumentError, "attempt to take negative size") if count.negative?

      @stages.empty? ? behind(:first, [count]) : Taken.new(@collection, @stages, count)
    end

    # @yield [element]
    # @return [Chain] of the elements before the first one for which the block's value is false; those behind it are not
    #   computed
    def take_while(&block) = behind(:take_while, [], block)

    # @param count [Integer]
    # @return [Chain] of all but so many elements
    def drop(count, &block)
      Section.takes_no_block(:drop, block)
      unchanged(:drop).behind(:drop, [count])
    end

    # @yield [element]
    # @return [Chain] of the elements from the first one on for which the block's value is false
    def drop_while(&block) = unchanged(:drop_while).behind(:drop_while, [], block)

    # @yield [element]
    # @return [Chain] of the elements without those that are equal to an earlier one, or for which the block gives an
    #   equal value
    def uniq(&block) = unchanged(:uniq).behind(:uniq, [], block, computed: !@stages.empty?)

    # @param others [Array<Enumerable>]
    # @yield [element, other, ...] for what it changes
    # @return [Chain, nil] of arrays of an element and what stands at its place in the others; nil with a block
    def zip(*others, &block)
      block ? unchanged(:zip).to_a.zip(*others, &block) : unchanged(:zip).behind(:zip, others)
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
        next unchanged(name).behind(name, arguments, block, **options) unless ORDERS.include?(name)
        next Chain.new(ended(name, arguments, block, options)) if name == :sort_by

        Chain.new(Chain.ended(to_array, [], name, arguments, block, options).to_a)
      end
    end
    alias collect_concat flat_map

    # @!method sum
    #   @return [Object] as Enumerable#sum
    ENDS.each do |name|
      define_method(name) do |*arguments, **options, &block|
        Section.takes_no_block(name, block) if WITHOUT_BLOCK.include?(name)
        ended(name, arguments, block, options)
      end
    end
    alias reduce inject
    alias detect find
    alias member? include?

    # @param count [Integer]
    # @return [Object, Array] the first element, or so many; the others are not computed
    def first(*count, &block)
      Section.takes_no_block(:first, block)
      ended(:first, count)
    end

    # @return [Array] all that comes out of the stages
    def to_a(&block)
      Section.takes_no_block(:to_a, block)
      ended(:to_a)
    end
    alias force to_a
    alias entries to_a

    # Runs the stages and the block for what they change.
    #
    # @yield [element]
    # @return [Object] the collection
    def each(&block)
      Section.refuse(ArgumentError, "each needs a block") unless block

      ended(:each, [], block)
    end

    # @param memo [Object] given with each element, for what the block puts into it
    # @yield [element, memo]
    # @return [Object] the memo
    def each_with_object(memo, &block) = unchanged(:each_with_object).to_array.each_with_object(memo, &block)

    # @return [Chain] self: it is one already
    def plazy(&block)
      Section.takes_no_block(:plazy, block)
      self
    end

    # @return [String]
    def inspect
      "#<Ikra::Chain: #{steps.join(".")}>"
    end

    # @api private
    # @return [Array(Base, Call, Proc)] what its section is
    def explained
      raise ArgumentError, "the chain has no stages that run in a section" if @stages.empty?

      Flow.new(:plazy, Collections.items(base, :pmap), @stages).explained
    end

    # @api private
    def self.ended(collection, stages, name, arguments, block, options)
      collection = collection.to_a if stages.empty? && collection.is_a?(SeveralValues) && !SPREADING.include?(name)
      Terminal.run(collection, stages, name, name, arguments, block, **options)
    end

    protected

    def with(*stage) = Chain.new(@collection, [*@stages, stage])

    # Behind a stage that another section begins with.
    def behind(name, arguments = [], block = nil, **options)
      Chain.new(Barrier.new(self, name, arguments, block, options))
    end

    # What a barrier gives.
    def passed(name, arguments, block, options)
      all = base(options.fetch(:unchanging, name))
      return Chain.ended(all, [], name, arguments, block, options).to_a if BARRIERS.include?(name)

      given, width = Terminal.passed(all, @stages, name, arguments, block, **options)
      width == 1 ? given : SeveralValues.new(given)
    end

    # The same in plain Ruby.
    #
    # @return [Enumerator::Lazy]
    def in_ruby = Plain.lazy(@collection.is_a?(Barrier) ? @collection.in_ruby : @collection, @stages)

    # What the stages run over. Before another stage it may change nothing.
    def base(next_stage = nil) = @collection.is_a?(Barrier) ? @collection.given(next_stage) : @collection

    # What comes out of the stages, as an Array of its own or the collection.
    def to_array = @stages.empty? ? base : to_a

    def steps = [*(@collection.is_a?(Barrier) ? @collection.steps : @collection.class), *@stages.map(&:first)]

    private

    def matching(kind, pattern, block)
      matched = with(kind, pattern)
      block ? matched.with(:matched, block) : matched
    end

    # The chain of what comes out of the stages, where these change nothing.
    def unchanged(name) = @stages.empty? ? self : behind(:to_a, unchanging: name)

    # Ends it.
    def ended(name, arguments = [], block = nil, options = {})
      return Chain.ended(@collection, @stages, name, arguments, block, options) unless @collection.is_a?(Barrier)

      ruby = -> { in_ruby.public_send(name, *arguments, **options.slice(:random), &block) }
      return ruby.call if Ikra.backend == :ruby

      begin
        all = base(@stages.empty? && block.nil? && OF_ALL.include?(name) ? nil : name)
      rescue StandardError => e
        return raised_before(e, name, &ruby)
      end
      Chain.ended(all, @stages, name, arguments, block, options)
    end

    # Ruby runs the stages for one element after the other, and so not for those behind the last that is asked for:
    # where a section before the last barrier has raised something, plain Ruby finds out whether `first` comes to that.
    # What stands before the barrier changes nothing then.
    #
    # @yield the chain in plain Ruby
    def raised_before(error, name)
      runs_blocks = @stages.any? { |kind,| !BLOCKLESS.include?(kind) }
      Failures.raise_as_it_is(error, Failures.cause(error)) if error.is_a?(Error) || name != :first || runs_blocks

      begin
        yield
      rescue StandardError => e
        told = e.instance_of?(error.class) && e.message == error.message ? error : e
        Failures.raise_as_it_is(told, Failures.cause(told))
      end
    end
  end

  # What stands between two sections of a chain: a stage that needs all that comes before it. It runs when the chain
  # ends, each time anew.
  #
  # @api private
  class Barrier
    # Ruby's names for those that are stages in Ruby, too.
    LAZY = { first: :take }.freeze

    def initialize(chain, name, arguments, block, options)
      @chain = chain
      @name = name
      @arguments = arguments
      @block = block
      @options = options
    end

    # @param next_stage [Symbol, nil] what goes on element by element in Ruby, so that the stage may change nothing
    # @return [Enumerable]
    def given(next_stage)
      options = @block && next_stage ? { unchanging: next_stage, **@options } : @options
      @chain.send(:passed, @name, @arguments, @block, options)
    end

    # @return [Enumerator::Lazy]
    def in_ruby
      before = @chain.send(:in_ruby)
      return before if @name == :to_a
      return before.to_a.flatten(*@arguments).lazy if @name == :flatten

      before.public_send(LAZY.fetch(@name, @name), *@arguments, &@block).lazy
    end

    # @return [Array] for {Chain#inspect}
    def steps = [*@chain.send(:steps), *(LAZY.fetch(@name, @name) unless @name == :to_a)]
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
        behind(:first, [@count], unchanging: name).public_send(name, *arguments, **options, &block)
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

    protected

    def in_ruby = super.take(@count)
    def to_array = to_a

    private

    def taken(count) = ended(:first, [count])
  end
  private_constant :SeveralValues, :Taken, :Barrier
end

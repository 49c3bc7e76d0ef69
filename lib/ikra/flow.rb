# frozen_string_literal: true

module Ikra
  # The elements of a collection on their way through stages, of which as many as possible are one section. What comes
  # out is a +Native::Values+ where it is numbers, or an Array.
  #
  # Ends that need no values afterwards run in parts of a million elements with a carried state (+Sum+: what was added
  # up, and what rounding has lost). Ends that stop at an element run in parts that grow from 4,096 elements; where one
  # raises, the elements before it run again alone, and only if none of them is the hit the exception counts. A part
  # must change nothing, as all or nothing is decided by section: the extension gives nil for one that would, before it
  # runs. Then an end that stops at an element is one element's (+Flow#in_order+): its text goes through the collection
  # with +each+. Of other ends the block is compiled with the stages (+Terminal#judged+), so that it runs between them.
  #
  # Barriers (+sort_by+, +uniq+, +flat_map+, an index behind a filter …) end the section; the chain goes on with the
  # array. It is computed when the chain is ended (+Barrier+), as in Ruby; those that Ruby's Lazy does not have
  # (+sort_by+) at once. What Ruby's lazy enumerators run element by element with the stages may only stand behind such
  # as change nothing (+Flow#unchanging+), so that +first+ of a chain in which something is raised before a barrier can
  # run once more, in plain Ruby, which knows whether it comes to that.
  #
  # @api private
  class Flow
    # More elements than that run in parts, so that their values take memory only for a while. What stands in an Array
    # has memory anyhow.
    PART = 1 << 20
    # A part has at least so many elements for each value that is read from around the section, again for each part.
    PER_VALUE = 8
    # Where the first hit ends it all, parts begin with so many elements, and grow.
    FIRST_PART = 1 << 12
    GROWTH = 8

    # @return [Items]
    attr_reader :items

    # @param name [Symbol] the method, as the user has called it
    # @param items [Items]
    # @param stages [Array<Array(Symbol, Object, ...)>] see {Composition::LINES}
    # @param passing [Symbol, nil] how the last block gets the elements, see {Base::PASSING}, if not as that of a stage
    # @param rows [Boolean] where elements are selected by one block, that gives their rows
    # @param unchanging [Symbol, nil] the method for which the stages may change nothing
    def initialize(name, items, stages, passing: nil, rows: false, unchanging: nil)
      @name = name
      @items = items
      @stages = stages
      @passing = passing || Composition::PASSING.fetch(stages.last&.first, :packed)
      @unchanging = unchanging
      prepare(rows)
    end

    # What comes out of the last stage.
    #
    # @return [Native::Values, Array]
    def values
      return items.values if @stages.empty?
      return [] if items.size.zero?
      return unchanging(@unchanging) if @unchanging

      given = run(items)
      selects? ? items.at(given) : given
    end

    # The same, or nil where the stages change something, and nothing is run.
    def values_unchanged = @stages.empty? || items.size.zero? ? values : run(items, 0)

    # The same for a method that runs element by element with the stages in Ruby, which therefore may change nothing.
    def unchanging(method) = values_unchanged || refuse_changes(method)

    # The rows of the elements that are selected.
    #
    # @return [Native::Values]
    def rows = run(items)

    # The items of the arrays that its block gives, if it has one stage.
    #
    # @return [Array]
    def flat
      return [] if items.size.zero?

      @unchanging ? unchanging(@unchanging).to_a.flat_map(&:itself) : native(items, @output, :flat)
    end

    # Are the rows of the elements what comes out?
    def selects? = @output == :selection

    # Gives what comes out in parts, where there are many elements and nothing is changed. The block is given the
    # values, or where elements are selected their rows; the first row of the part, and how many it has.
    def each_part(&block)
      return if items.size.zero? || (many? && parts(&block))

      yield (@stages.empty? ? items.values : run(items)), 0, items.size
    end

    # The same for what stops at the hit of a number, when the block does not come back: what elements behind that would
    # raise is not raised. Where the stages change something, elements behind it must not run: all is one element's
    # then.
    #
    # @param most [Integer, Symbol] how many hits it takes, or one of {Composition::ENDS}
    # @param unchanging [Symbol, nil] the method for which the stages may change nothing
    def each_part_until(most = 1, unchanging = nil)
      first = 0
      size = FIRST_PART
      while first < items.size
        count = [size, items.size - first].min
        begin
          given = run(items.part(first, count), first, ending(most))
        rescue ElementError => e
          before = e.element_index - first
          yield run(items.part(first, before), first), first, before if before.positive?
          Failures.raise_as_it_is(e, Failures.cause(e))
        end
        refuse_changes(unchanging) if unchanging && given.nil?
        return yield(in_order(most), 0, items.size) unless given

        yield given, first, count
        first += count
        size *= GROWTH
      end
    end

    # Runs the section for what its blocks change.
    def carry_out
      native(items, :nothing, :arrays) unless items.size.zero?
    end

    # What the section is, for +Ikra.explain+.
    #
    # @return [Array(Base, Call, Proc)]
    def explained = [base(items), call(@output, selects? ? :rows : :column), @block]

    private

    def many? = items.size > PART && items.computed? && !@stages.empty?

    # False, and nothing is run, where the block changes something.
    def parts
      first = 0
      count = PART
      while first < items.size
        count = [count, items.size - first].min
        given = run(items.part(first, count), first) or return false
        yield given, first, count
        given.clear unless given.is_a?(Array)
        first += count
        count = [PART, PER_VALUE * Native.values_read].max
      end
      true
    end

    def prepare(rows)
      kind, block = @stages.first
      if @stages.size == 1 && (kind == :map || (rows && %i[select reject].include?(kind)))
        @block = block
        @output = kind == :map ? :values : :selection
        @negated = kind == :reject
      elsif !@stages.empty?
        @composed = Composition.of(@stages, items.yielded.size, @passing)
        @block = @composed.block
        @output = @composed.drops ? :kept : :values
      end
    end

    def run(items, part = nil, ending = nil)
      call = call(@output, selects? ? :rows : :column, part, ending)
      given = Section.native(base(items), call, @block)
      given && @negated ? given.others(call.ended || items.size) : given
    end

    def native(items, output, form)
      Section.native(base(items), call(output, form), @block)
    end

    # Tells of what the block gives for one element after the other whether nothing behind it need run.
    def ending(most)
      hits = 0
      lambda do |value|
        next false if Dropped.equal?(value)

        case most
        when :judged_true then value[1]
        when :judged_false then !value[1]
        else
          hits += 1 if !selects? || (value ? !@negated : @negated)
          hits >= most
        end
      end
    end

    def call(output, form, part = nil, ending = nil)
      return Call.plain(@name, output, form) unless part || ending || @composed

      Call.new(@name, output:, form:, part:, ending:, composed: @composed)
    end

    def base(items)
      return Base.passing(items, @passing, @block) unless @composed

      packed = items.packed
      items = items.with_index(0, nil) if @composed.numbered
      Base.new(items, :packed, @block, arguments: @composed.numbered ? [packed, items.columns.size - 1] : [packed])
    end

    def refuse_changes(method)
      raise UnsupportedError, "stages before `#{method}` change something, and would run for all elements before it " \
                              "does [changing-stage]\n  hint: if they may, say so: to_a.plazy.#{method}"
    end

    # The first hits, and no element behind them.
    #
    # @return [Array] what comes out of the stages, or rows where elements are selected
    def in_order(most)
      from = items.columns.first if items.yielded == [0]
      from = nil unless from.is_a?(Series)
      passing = @passing == :taken_apart && @block.lambda? ? :values : @passing
      how = { most:, passing:, rows: selects?, series: !from.nil?, width: items.yielded.size }
      one = Collections.array([from ? [from.first, from.step, items.size] : items.to_a])
      Flow.new(@name, one, [[:in_order, @stages, how]]).values.to_a.first
    rescue ElementError => e
      # The only element is all of them.
      e.element_index = nil
      Failures.raise_as_it_is(e, Failures.cause(e))
    end
  end
  private_constant :Flow
end

# frozen_string_literal: true

require "set"
require_relative "sums"
require_relative "telling_apart"
require_relative "without_block"
require_relative "terminal/aggregation"
require_relative "terminal/extremes"
require_relative "terminal/ordering"
require_relative "terminal/grouping"
require_relative "terminal/restriction"
require_relative "terminal/changes"

module Ikra
  # What ends a chain; an eager method such as +psort_by+ is a chain of nothing else. Each operation does what Ruby's
  # method of that name does with the values that come out of the stages. What of it needs Ruby's own operators, Ruby
  # does: its own method runs over the same collection, with a block that gives what the section gave.
  #
  # @api private
  class Terminal
    OPERATIONS = [Aggregation, Extremes, Ordering, Grouping, Restriction, Changes].freeze
    include(*OPERATIONS)
    # Those that are done here.
    DONE = OPERATIONS.flat_map { |one| one.public_instance_methods(false) }.to_h { |name| [name, true] }.freeze

    # How these methods give their block what `each` yields: see {Base::PASSING}.
    PASSING = {
      **%i[group_by partition min_by max_by minmax_by find detect sort_by drop_while reject select filter
           find_all each_entry].to_h { |name| [name, :taken_apart] },
      **%i[to_set chunk slice_before slice_after sum].to_h { |name| [name, :packed] },
      to_h: :split
    }.freeze
    # What looks into the block's values, or those of the stages, as they come, and so before another element changes
    # them. Keys to sort by are there all before.
    COMPARING = %i[group_by tally tally_by uniq uniq! to_set to_h chunk min max minmax min_by max_by minmax_by sum
                   inject reduce].freeze
    # Those stages that see elements as one value each.
    WHOLE = %i[uniq drop zip].freeze
    # Does Lazy#zip make several values also of elements that are one? Ruby 3.1's does, 3.4's does not.
    ZIP_SPREADS = [0].lazy.zip([0]).map { |*values| values.size }.first > 1
    # Those that stop at an element, which there may be although the collection has no end.
    EARLY = %i[find detect find_index first any? all? none? take_while].freeze
    # Those of Array that call Enumerable's method where there is a block.
    CALLING_ENUMERABLE = %i[minmax sort_by!].freeze
    NONE = Object.new.freeze

    # @param collection [Enumerable]
    # @param stages [Array] see {Flow}
    # @param name [Symbol] Ruby's method
    # @param title [Symbol] the method, as the user has called it
    def self.run(collection, stages, name, title, arguments, block, **options)
      terminal = new(collection, stages, name, title, arguments, block, options)
      Section.carry_out(title, terminal.user_block) { |plainly| plainly ? terminal.plain : terminal.outcome }
    end

    # The same for a stage that gives some of the elements: also how many values stand for each, several being an array.
    #
    # @return [Array(Array, Integer)]
    def self.passed(collection, stages, name, arguments, block, **options)
      terminal = new(collection, stages, name, name, arguments, block, { **options, passed: true })
      Section.carry_out(name, terminal.user_block) do |plainly|
        plainly ? Plain.passed(collection, stages, name, arguments, block) : terminal.passed
      end
    end

    # Those of a block that answers yes or no, and those of one that gives a value.
    ASKING = %i[filter find_all reject partition count any? all? none? one? find detect find_index take_while
                drop_while slice_before slice_after].freeze
    GIVING = %i[collect flat_map collect_concat filter_map uniq sort_by min_by max_by minmax_by group_by to_h to_set
                chunk sum map! collect! select! filter! keep_if reject! delete_if sort_by! uniq! transform_values
                transform_values! transform_keys transform_keys!].freeze
    # Those that are Enumerators in Ruby, or raise, where there is no block.
    NEEDING = %i[select filter find_all reject partition flat_map collect_concat filter_map take_while drop_while find
                 detect sort_by group_by min_by max_by minmax_by chunk chunk_while slice_when map! collect! select!
                 filter! keep_if reject! delete_if sort_by!].freeze

    # Is it a method with a block for each element?
    def self.block?(title)
      Section::SEQUENTIAL.key?(title) || (title.start_with?("p") && [*ASKING, *GIVING].include?(title[1..].to_sym))
    end

    # What the section of a method is, for +Ikra.explain+.
    #
    # @return [Array(Base, Call, Proc)]
    def self.explained(collection, title, block)
      if (output = Section::OUTPUTS[title])
        return [Base.of(collection, title, block), Call.new(title, output:), block]
      end

      new(collection, [], title[1..].to_sym, title, [], block, {}).explained
    end

    # @return [Array(Base, Call, Proc)]
    def explained = flow(ASKING.include?(@name) ? :select : :map, @block, rows: true).explained

    def initialize(collection, stages, name, title, arguments, block, options)
      @collection = collection
      @stages = stages
      @name = name
      @title = title
      # A value of the user's may have an `is_a?` of its own.
      @arguments = arguments.map do |argument|
        case argument
        when Chain then argument.to_a
        else argument
        end
      end
      @block = block
      @options = options
    end

    # The last block of the user's.
    def user_block = @block || @stages.reverse_each.find { |_, block| block.is_a?(Proc) }&.at(1)

    # What Ruby's method gives. Of those that are not here it is Ruby's own that runs.
    def outcome
      return ruby if own_operation?
      return without_block if @block.nil? && NEEDING.include?(@name)

      DONE[@name] ? public_send(@name) : ruby
    end

    # @return [Array(Array, Integer)] see {Terminal.passed}
    def passed
      return [outcome.to_a, 1] if @collection.is_a?(Array) && @stages.empty? && @name != :zip

      width = Composition.width(@stages, items.yielded.size)
      @collection = WHOLE.include?(@name) ? items.to_a : items.again if @stages.empty?
      given = outcome.to_a
      width = @arguments.size + 1 if @name == :zip && (width > 1 || ZIP_SPREADS)
      [given, width]
    end

    # The same in plain Ruby.
    def plain
      return Plain.associative(Plain.of(@collection, @stages), @arguments, @block) if @options[:associative]

      collection = Plain.of(@collection, @stages)
      return Plain.matching(collection, @name, *@arguments, @block) if @block && %i[grep grep_v].include?(@name)

      $~ = LastMatch::BEFORE
      given = collection.public_send(@name, *@arguments, &@block)
      LastMatch.leave($~) # rubocop:disable Style/SpecialGlobalVars
      @name == :each ? @collection : given
    end

    private

    def items
      return @items ||= endless if EARLY.include?(@name) && endless?

      # Struct#to_h yields names too.
      return @items ||= Collections.members(@collection) if @title == :pto_h && @collection.is_a?(Struct)

      # Enumerable's methods give `each` nil, and lazy enumerators what the stages give.
      @items ||= Collections.items(@collection, passing == :taken_apart ? :pselect : :pmap, direct? ? asked : :each,
                                   answered: !direct?)
    end

    # The method by which Ruby goes through the collection.
    def asked = @block && CALLING_ENUMERABLE.include?(@name) ? :each : @name

    # Is it one that the collection does in a way of its own? Then it runs without a block alone.
    def own_operation?
      return false unless direct? && Collections.overridden?(@collection, @name)

      @block ? Collections.refuse_own(@collection, @name, @title) : true
    end

    # Is it the method of a collection, and not what ends a chain, which asks `each`?
    def direct? = @title != @name

    def endless? = @collection.instance_of?(Range) && @collection.begin.is_a?(Integer) && @collection.end.nil?

    # As many as elements can be numbered.
    def endless = Collections.series(@collection.begin, 1, Collections::MOST, @collection)

    # What comes out of the stages, and out of one more.
    def flow(*last, rows: false)
      stages = last.empty? ? @stages : [*@stages, last]
      items = COMPARING.include?(@name) ? self.items.compared(@name) : self.items
      Flow.new(@title, items, stages, passing: (passing unless last.empty?), rows:,
                                      unchanging: (@options[:unchanging] unless last.empty?))
    end

    # How the block gets what comes out of the stages.
    def passing
      if @options[:passed] then :values
      elsif @name == :to_h && direct? && @collection.is_a?(Array) then :as_to_block
      elsif @stages.empty? then PASSING.fetch(@name, :values)
      else
        :packed
      end
    end

    def nothing_to_run? = @block.nil? && @stages.empty?

    # The column alone, of which something is made as a whole?
    def whole_column? = nothing_to_run? && @collection.instance_of?(Column)

    # What Ruby's own method gives.
    def own_answer = Plain.of(@collection, @stages).public_send(@name, *@arguments)

    def without_block
      @stages.empty? && @arguments.empty? ? WithoutBlock.new(@collection, @name) : own_answer
    end

    def ruby
      $~ = LastMatch::BEFORE
      given = @collection.public_send(@name, *@arguments, &@block)
      LastMatch.leave($~) # rubocop:disable Style/SpecialGlobalVars
      given
    end

    # Ruby's own method, with a block that gives what the section has given.
    def replay(values)
      values = told_apart(values.to_a)
      return values.public_send(@name, *@arguments) unless @block

      values = InTurn.new(values)
      again = items.again
      # Methods of Array and of Enumerable differ in what they say.
      again = again.each if again.is_a?(Array) && !@collection.is_a?(Array)
      again.public_send(@name, *@arguments) { values.next }
    end

    # @return [Array] the values, of which no two are NaN where that matters
    def told_apart(values)
      TellingApart.check(@name, values) if @block || @stages.any? || @options[:computed]
      values
    end

    # Where the block's values belong to items, these must be there first.
    def keyed
      return ruby unless @block
      return over_array unless @stages.empty?

      yield flow(:map, @block).values
    end

    # Ruby's own method over what comes out of the stages, with what the block gives for it: it runs for an element
    # behind the stages.
    def judged
      values = flow(:judged, @block).values.to_a
      judgements = InTurn.new(values)
      values.map(&:first).public_send(@name, *@arguments) { judgements.next[1] }
    end

    # The same method over the array of what comes out of the stages. If these change something, its block has to run
    # between them.
    def over_array
      values = @block && @name != :chunk ? flow.values_unchanged : flow.values
      return judged unless values

      Terminal.new(all(values), [], @name, @title, @arguments, @block, @options).outcome
    end

    def all(values) = values.to_a

    # Ruby's own method over what comes out of the stages.
    def of_all(values)
      return told_apart(values.to_a).public_send(@name, *@arguments) unless @stages.empty?

      told_apart(@collection) if @options[:computed]
      ruby
    end

    def column(values)
      values.is_a?(Array) ? Native.values(values) : values
    end

    # Values as a column where they can be one. Of collections without stages only Arrays and Columns are looked at.
    def column_or_ruby
      yield if @stages.empty? && !(@collection.instance_of?(Array) || whole_column?)
      values = flow.values
      column(values) || values
    end

    def value_at(values, row) = @stages.empty? && !whole_column? ? @collection[row] : values[row]

    # Gives the first values that are hits; where elements are selected also their rows.
    def first_hit(kind)
      flow = flow(kind, @block, rows: true)
      flow.each_part_until do |values, first,|
        next unless values.size.positive?

        flow.selects? ? yield(nil, [values[0] + first]) : yield(values, nil)
      end
    end

    # What comes out of the stages before the first value of which the block says what ends it; gives it, and whether
    # there is such a value.
    def before_end(how)
      before = []
      flow(:judged, @block).each_part_until(how) do |values,|
        values.to_a.each do |value, truth|
          return yield(before, true) if how == (truth ? :judged_true : :judged_false)

          before << value
        end
      end
      yield(before, false)
    end

    def selected_rows
      return if items.size.zero?

      flow(:select, @block, rows: true).rows
    end

    # With a block that compares two items the method is one element's, compiled.
    def compared
      all = @stages.empty? ? items.to_a : all(flow.values)
      # The section sorts an Array, whatever methods the collection has.
      all = Collections::PART.bind_call(all, 0..) unless all.instance_of?(Array) && Collections.own?(all, :each, Array)
      one = Collections.array([all])
      Flow.new(@title, one, [[:compared, @block, @name.to_s.delete_suffix("!"), @arguments]]).values.to_a.first
    end

    def compares? = [Integer, Float].all? { |type| Native.own?(type, :<=>) }

    def best_row(values, greatest)
      column = column(values)
      column.best(greatest) if column && compares?
    end

    def order(values)
      column = column(values)
      column.order if column && compares?
    end
  end
  private_constant :Terminal
end

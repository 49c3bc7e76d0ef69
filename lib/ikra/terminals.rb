# frozen_string_literal: true

require "set"
require_relative "sums"

module Ikra
  # What ends a chain; an eager method such as +psort_by+ is a chain of nothing else. Each method here does what Ruby's
  # method of that name does with the values that come out of the stages. What of it needs Ruby's own operators, Ruby does:
  # its own method runs over the same collection, with a block that gives what the section gave.
  class Terminal
    # How these methods give their block what `each` yields: see {Base::PASSING}.
    TAKEN_APART = %i[
      group_by partition min_by max_by minmax_by find detect sort_by drop_while reject select filter each_entry
    ].freeze
    PACKED = %i[to_set chunk sum].freeze
    # Those that stop at an element, which there may be although the collection has no end.
    EARLY = %i[find detect find_index first any? all? none? take_while].freeze
    NONE = Object.new.freeze

    # @param collection [Enumerable]
    # @param stages [Array] see {Flow}
    # @param name [Symbol] Ruby's method
    # @param title [Symbol] the method, as the user has called it
    def self.run(collection, stages, name, title, arguments, block, **options)
      terminal = new(collection, stages, name, title, arguments, block, options)
      Section.carry_out(title, -> { terminal.plain }) { terminal.outcome }
    end

    # Those of a block that answers yes or no, and those of one that gives a value.
    ASKING = %i[filter reject partition count any? all? none? one? find detect find_index take_while drop_while].freeze
    GIVING = %i[collect flat_map collect_concat filter_map uniq sort_by min_by max_by minmax_by group_by to_h to_set chunk
                sum].freeze

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
      @arguments = arguments.map { |argument| argument.is_a?(Chain) ? argument.to_a : argument }
      @block = block
      @options = options
    end

    # What Ruby's method gives. Of those that are not here it is Ruby's own that runs.
    def outcome = self.class.public_method_defined?(@name, false) ? public_send(@name) : ruby

    # The same in plain Ruby.
    def plain
      return Plain.associative(Plain.of(@collection, @stages), @arguments, @block) if @options[:associative]

      given = Plain.of(@collection, @stages).public_send(@name, *@arguments, &@block)
      @name == :each ? @collection : given
    end

    # ---- aggregation ------------------------------------------------------------------------------------------------

    def sum
      return ruby if nothing_to_run?

      flow = @block ? flow(:map, @block) : flow()
      total = Sum.new(*@arguments)
      return replay(flow.values) unless total.of_numbers?

      flow.each_part do |values, first, count|
        next if total.add(values)

        return replay(count == items.size && first.zero? ? values : flow.values)
      end
      total.value
    end

    def count
      return ruby if nothing_to_run? || !@arguments.empty?

      total = 0
      flow = @block ? flow(:select, @block, rows: true) : flow()
      flow.each_part { |values,| total += values.size }
      total
    end

    def inject
      operator = @arguments.last
      operator = nil unless @block.nil? && (operator.is_a?(Symbol) || operator.is_a?(String))
      return Trees.fold(flow.values.to_a, @title, @arguments, @block) if @options[:associative] && @block
      return ruby if @stages.empty?
      return flow.values.to_a.inject(*@arguments, &@block) unless operator

      Folds.fold(flow, operator.to_sym, @arguments[...-1]) { flow.values.to_a.inject(*@arguments) }
    end
    alias reduce inject

    def any? = known? ? own_answer : hits?(1, :select, :truths)
    def all? = known? ? own_answer : !hits?(1, :reject, :falsities)
    def none? = known? ? own_answer : !hits?(1, :select, :truths)

    def one?
      return own_answer if known?

      hits?(2, :select, :truths) { |hits| return hits == 1 }
      false
    end

    def find
      return Plain.of(@collection, @stages).find(*@arguments) unless @block

      first_hit(:select) { |values, rows| return rows ? items.item(rows[0]) : values[0] }
      ifnone = @arguments.first
      ifnone&.call
    end
    alias detect find

    def find_index
      return over_array unless @stages.empty?
      return ruby unless @block && @arguments.empty?

      first_hit(:select) { |_, rows| return rows[0] }
      nil
    end

    def include? = @stages.empty? ? ruby : Plain.of(@collection, @stages).include?(*@arguments)

    def first
      return ruby if @stages.empty?

      count = @arguments.empty? ? 1 : @arguments.first
      raise ArgumentError, "attempt to take negative size" if count.negative?

      taken = []
      return taken if count.zero?

      flow.each_part_until do |values,|
        taken.concat(values.to_a)
        break if taken.size >= count
      end
      @arguments.empty? ? taken.first : taken.first(count)
    end

    # ---- what is the least -------------------------------------------------------------------------------------------

    def min = best(false)
    def max = best(true)

    def minmax
      refuse_comparison
      values = column_or_ruby { return ruby }
      rows = [false, true].map { |greatest| best_row(values, greatest) }
      return of_all(values) unless rows.all?

      rows.map { |row| value_at(values, row) }
    end

    def min_by = best_by(false)
    def max_by = best_by(true)

    def minmax_by
      keyed do |keys|
        rows = [false, true].map { |greatest| best_row(keys, greatest) }
        rows.all? ? rows.map { |row| items.item(row) } : replay(keys)
      end
    end

    # ---- order -------------------------------------------------------------------------------------------------------

    def sort
      refuse_comparison
      values = column_or_ruby { return ruby }
      order = order(values)
      return of_all(values) unless order

      @stages.empty? ? Native.gather(items.columns.first, order) : values.take(order).to_a
    end

    def sort_by
      keyed do |keys|
        order = order(keys)
        order ? items.at(order) : replay(keys)
      end
    end

    # ---- groups ------------------------------------------------------------------------------------------------------

    def group_by
      keyed { |keys| column(keys)&.group(items.to_a) || replay(keys) }
    end

    def tally
      return ruby if nothing_to_run? && !@collection.instance_of?(Array)
      return all(flow.values).tally(*@arguments) unless @arguments.empty?

      counts = nil
      flow.each_part do |values,|
        counted = column(values)&.tally || values.to_a.tally
        counts = counts ? counts.merge!(counted) { |_, a, b| a + b } : counted
      end
      counts || {}
    end

    def uniq
      if @block
        keyed do |keys|
          rows = column(keys)&.firsts
          rows ? items.at(rows) : replay(keys)
        end
      else
        values = column_or_ruby { return ruby }
        rows = column(values)&.firsts
        return of_all(values) unless rows

        @stages.empty? ? Native.gather(items.columns.first, rows) : values.take(rows).to_a
      end
    end

    def to_set
      return ruby if nothing_to_run? || !@arguments.empty?

      values = (@block ? flow(:map, @block) : flow()).values
      found = column(values)
      rows = found&.firsts
      Set.new(rows ? found.take(rows).to_a : values.to_a)
    end

    def to_h
      return @stages.empty? ? ruby : all(flow.values).to_h unless @block

      keyed { |pairs| replay(pairs) }
    end

    def partition
      return over_array unless @stages.empty?

      rows = selected_rows
      rows ? [items.at(rows), items.at(rows.others(items.size))] : [[], []]
    end

    def chunk
      keyed do |keys|
        keys = keys.to_a
        pairs = items.to_a.each_with_index.chunk { |_, row| keys[row] }
        pairs.map { |key, all| [key, all.map(&:first)] }.each
      end
    end

    # ---- what is left ------------------------------------------------------------------------------------------------

    def to_a
      values = (@block ? flow(:map, @block) : flow(rows: true)).values
      values.is_a?(Array) && values.equal?(@collection) ? values.dup : values.to_a
    end
    alias map to_a
    alias force to_a

    def each
      flow(:map, @block).carry_out
      @collection
    end

    def select
      rows = selected_rows
      rows ? items.at(rows) : []
    end
    alias filter select

    def reject
      return reject_pairs if @collection.is_a?(Hash)

      rows = selected_rows
      rows ? items.at(rows.others(items.size)) : []
    end

    def flat_map = flow(:map, @block).values.to_a.flatten(1)

    def filter_map
      values = flow(:map, @block).values
      values.is_a?(Array) ? values.select(&:itself) : values.take(values.truths).to_a
    end

    def take_while = items.part(0, first_false_row).to_a

    def drop_while
      row = first_false_row
      items.part(row, items.size - row).to_a
    end

    def grep = grepped(:grep)
    def grep_v = grepped(:grep_v)

    def chunk_while = between(false)
    def slice_when = between(true)

    private

    def items
      return @items ||= endless if EARLY.include?(@name) && endless?

      # Struct#to_h yields names too.
      return @items ||= Collections.members(@collection) if @name == :to_h && @collection.is_a?(Struct)

      @items ||= Collections.items(@collection, TAKEN_APART.include?(@name) ? :pselect : :pmap)
    end

    def endless? = @collection.instance_of?(Range) && @collection.begin.is_a?(Integer) && @collection.end.nil?

    # As many as elements can be numbered.
    def endless = Collections.series(@collection.begin, 1, Collections::MOST, @collection)

    # What comes out of the stages, and out of one more.
    def flow(*last, rows: false)
      stages = last.empty? ? @stages : [*@stages, last]
      passing = if TAKEN_APART.include?(@name) then :taken_apart
                elsif PACKED.include?(@name) then :packed
                elsif @name == :to_h then :split
                else :values
                end
      Flow.new(@title, items, stages, passing:, rows:)
    end

    def nothing_to_run? = @block.nil? && @stages.empty?

    # Ruby's own method.
    def ruby = @collection.public_send(@name, *@arguments, &@block)

    # Ruby's own method, with a block that gives what the section has given.
    def replay(values)
      values = values.to_a
      return values.public_send(@name, *@arguments) unless @block

      row = -1
      again = items.again
      # Methods of Array and of Enumerable differ in what they say.
      again = again.each if again.is_a?(Array) && !@collection.is_a?(Array)
      again.public_send(@name, *@arguments) { values[row += 1] }
    end

    # Where the block's values belong to items, these must be there first.
    def keyed
      return ruby unless @block
      return over_array unless @stages.empty?

      yield flow(:map, @block).values
    end

    # The same method over the array of what comes out of the stages.
    def over_array
      Terminal.new(all(flow.values), [], @name, @title, @arguments, @block, @options).outcome
    end

    def all(values) = values.to_a

    # Ruby's own method over what comes out of the stages.
    def of_all(values) = @stages.empty? ? ruby : values.to_a.public_send(@name, *@arguments)

    def column(values)
      values.is_a?(Array) ? Native.column(values) : values
    end

    # Values as a column where they can be one. Of a collection without stages only an Array is looked at.
    def column_or_ruby
      yield if @stages.empty? && !@collection.instance_of?(Array)
      values = flow.values
      column(values) || values
    end

    def value_at(values, row) = @stages.empty? ? @collection[row] : values[row]

    # ---- the first hit

    # Are there so many hits?
    def hits?(count, kind, kind_of_values)
      flow = @block ? flow(kind, @block, rows: true) : flow(kind_of_values)
      hits = 0
      flow.each_part_until { |values,| return true if (hits += values.size) >= count }
      yield hits if block_given?
      false
    end

    # Does Ruby's own method know: of a pattern, or of what is there?
    def known?
      !@arguments.empty? || nothing_to_run?
    end

    def own_answer = Plain.of(@collection, @stages).public_send(@name, *@arguments)

    # Gives the first values that are hits; where elements are selected also their rows.
    def first_hit(kind)
      flow = flow(kind, @block, rows: true)
      flow.each_part_until do |values, first,|
        next unless values.size.positive?

        flow.selects? ? yield(nil, [values[0] + first]) : yield(values, nil)
      end
    end

    def first_false_row
      raise Ikra::UnsupportedError, "without a block, write #{@name}" unless @block

      first_hit(:reject) { |_, rows| return rows[0] }
      Collections.refuse_endless(@collection) if endless?
      items.size
    end

    def selected_rows
      return if items.size.zero?

      flow(:select, @block, rows: true).rows
    end

    # ---- comparisons

    def refuse_comparison
      return unless @block

      by = "#{@title}_by"
      raise UnsupportedError, "the block of `#{@title}` compares two elements, which is not run in parallel " \
                              "[comparison-block]\n  hint: write #{by} with a block that gives a key, or use `#{@name}`"
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

    def best(greatest)
      refuse_comparison
      return of_all(column_or_ruby { return ruby }) unless @arguments.empty?
      return best_of_array(greatest) if @stages.empty?

      found = NONE
      flow.each_part do |values,|
        next if values.size.zero?

        row = best_row(values, greatest)
        return all(flow.values).public_send(@name) unless row

        value = values[row]
        found = value if found.equal?(NONE) || (greatest ? value > found : value < found)
      end
      found.equal?(NONE) ? nil : found
    end

    def best_of_array(greatest)
      values = column_or_ruby { return ruby }
      row = best_row(values, greatest)
      row ? value_at(values, row) : ruby
    end

    def best_by(greatest)
      keyed do |keys|
        row = best_row(keys, greatest) if @arguments.empty?
        row ? items.item(row) : replay(keys)
      end
    end

    # ---- others

    # Hash#reject gives a Hash.
    def reject_pairs
      base = Base.of(@collection, :pselect, @block)
      return base.result(:pselect, nil) if base.empty?

      rows = Section.native(base, Call.new(@title, output: :selection, form: :rows), @block).others(base.size)
      base.result(:pselect, base.columns.map { |column| column.is_a?(Series) ? column.at(rows.to_a) : Native.gather(column, rows) })
    end

    def grepped(kind)
      return over_array unless @stages.empty?

      values = Plain.of(@collection, []).public_send(kind, *@arguments)
      @block ? Section.run(values, :pmap, 1, @block) : values
    end

    # Arrays of what stands together: the block tells of two neighbours whether they do.
    def between(splits)
      return over_array unless @stages.empty?
      raise ArgumentError, "tried to create Proc object without a block" unless @block

      all = items.to_a
      return [].each if all.empty?

      pairs = Items.new([all[...-1], all[1..]], all.size - 1, nil, yielded: [0, 1])
      answers = Flow.new(@title, pairs, [[splits ? :select : :reject, @block]], rows: true)
      cuts = pairs.size.zero? ? [] : answers.rows.to_a
      [-1, *cuts, all.size - 1].each_cons(2).map { |before, last| all[(before + 1)..last] }.each
    end
  end
  private_constant :Terminal
end

# frozen_string_literal: true

module Ikra
  # A sum over the parts of a flow, as Array#sum makes it: Integers exactly, Floats with compensation.
  #
  # @api private
  class Sum
    def initialize(first = 0)
      @exact = first if first.is_a?(Integer)
      @float = [first, 0.0] if first.is_a?(Float)
    end

    # Does it begin with an Integer or a Float?
    def of_numbers? = !(@exact.nil? && @float.nil?)

    # @param values [Native::Values, Array]
    # @return [Boolean] false where it takes Ruby's operators
    def add(values)
      values = Native.values(values) if values.is_a?(Array)
      return false unless values && own?
      return true if values.size.zero?

      case values.kind
      when :integer then add_integers(values)
      when :float
        @float ||= [@exact.to_f, 0.0]
        @float = values.float_sum(*@float)
      else return false
      end
      true
    end

    def value = @float ? @float.sum : @exact

    private

    def add_integers(values)
      if @float
        @float = values.float_sum(*@float)
      else
        @exact += values.integer_sum
      end
    end

    def own? = [Integer, Float].all? { |type| Native.own?(type, :+) }
  end

  # What inject does with an operator.
  #
  # @api private
  module Folds
    NONE = Object.new.freeze

    # @yieldreturn [Object] what Ruby's own method gives
    def self.fold(flow, operator, given)
      return yield unless [Integer, Float].all? { |type| Native.own?(type, operator) || type == Float }

      folded = given.empty? ? NONE : given.first
      flow.each_part do |values,|
        values = Native.values(values) if values.is_a?(Array)
        return yield unless values

        folded = part(values, operator, folded)
        return yield if folded.nil?
      end
      folded.equal?(NONE) ? nil : folded
    end

    # With one part more: nil where it takes Ruby.
    def self.part(values, operator, folded)
      return folded if values.size.zero?
      return values.reduce(operator, folded) unless folded.equal?(NONE)
      return values[0] if values.size == 1

      # The first value is what it begins with; what changes nothing in front of it is found by its class.
      neutral = { :+ => 0, :* => 1, :| => 0, :^ => 0, :& => -1 }[operator]
      neutral && values.kind == :integer ? values.reduce(operator, neutral) : nil
    end
    private_class_method :part
  end

  # Prefix folds.
  #
  # @api private
  module Scans
    def self.of(collection, arguments, block)
      operator = arguments.last unless block
      Section.carry_out(:paccumulate, block) { scan(collection, arguments, operator, block) }
    end

    def self.scan(collection, arguments, operator, block)
      # What is missing Array#inject says.
      return [1, 2].inject(*arguments) unless block || operator.respond_to?(:to_sym)
      return blocked(collection, arguments, block) if block

      of_column(collection, operator.to_sym, *arguments[...-1]) ||
        blocked(collection, arguments[...-1], operator.to_sym.to_proc)
    end

    def self.blocked(collection, arguments, block)
      memo = arguments.empty? ? Folds::NONE : arguments.first
      collection.map { |*element| memo = memo.equal?(Folds::NONE) ? one(element) : block.call(memo, one(element)) }
    end

    # The sums of a Column's items, without an object for each; nil where that takes Ruby.
    def self.of_column(column, operator, first = nil)
      return unless operator == :+ && column.instance_of?(Column) && !column.empty? && column.type != :bool

      Native.column_scan(column, first) if [Integer, Float].all? { |type| Native.own?(type, :+) }
    end

    def self.one(element) = element.size == 1 ? element.first : element
    private_class_method :scan, :blocked, :one, :of_column
  end

  # Folds of an associative operation: two neighbours at a time, all pairs in parallel.
  #
  # @api private
  module Trees
    def self.fold(values, title, given, block)
      values = [*given.first(1), *values]
      while values.size > 1
        rest = values.size.odd? ? [values.pop] : []
        left, right = values.each_slice(2).to_a.transpose
        items = Items.new([left, right], right.size, nil, yielded: [0, 1])
        folded = Flow.new(title, items, [[:map, block]]).values.to_a
        values = folded.concat(rest)
      end
      values.first
    end
  end

  # The same in plain Ruby.
  #
  # @api private
  module Plain
    METHODS = { truths: %i[select itself], falsities: %i[reject itself] }.freeze

    # @return [Enumerable] what comes out of the stages
    def self.of(collection, stages)
      stages.empty? ? collection : lazy(collection, stages).eager
    end

    # The same for a method that gives some of it, and how many values stand for each element: several are an array.
    #
    # @return [Array(Array, Integer)]
    def self.passed(collection, stages, name, arguments, block)
      passed = lazy(collection, stages)
      passed = passed.public_send(name == :first ? :take : name, *arguments, &block) unless name == :to_a
      rows = passed.map { |*values| values }.to_a
      rows.all? { |values| values.size == 1 } ? [rows.map(&:first), 1] : [rows, 2]
    end

    # `grep` and `grep_v`, whose block sees what was matched last as if Ruby had called it from where it stands.
    def self.matching(collection, name, pattern, block)
      tell = last_match(block)
      return collection.public_send(name, pattern, &block) unless tell

      telling(collection, name, pattern, tell, &block)
    end

    def self.telling(collection, name, pattern, tell)
      collection.public_send(name, pattern) do |item|
        tell.call($~) # rubocop:disable Style/SpecialGlobalVars
        yield item
      end
    end

    # @return [Proc, nil] what sets the last match of the method that the block stands in
    def self.last_match(block)
      Meanwhile::BINDING.bind_call(block).eval(Meanwhile::LAST_MATCH).last
    rescue ArgumentError
      # It has no frame.
    end

    # @return [Enumerator::Lazy] what comes out of the stages
    def self.lazy(collection, stages)
      stages.each_with_index.inject(collection.lazy) do |lazy, (stage, at)|
        stage.first == :matched ? matched(lazy, stage.last, stages[at - 1].last) : after(lazy, *stage)
      end
    end

    # The block of a `grep`, for what its pattern has let through.
    def self.matched(lazy, block, pattern)
      tell = last_match(block) if pattern.is_a?(Regexp)
      lazy.map do |*values|
        value = values.size == 1 ? values.first : values
        tell&.call(pattern.match(value)) if value.is_a?(String) || value.is_a?(Symbol)
        block.call(value)
      end
    end

    def self.after(lazy, kind, *given)
      case kind
      when :map, :select, :reject, :filter_map then lazy.public_send(kind, &given.first)
      when :compact then lazy.compact
      when :grep, :grep_v then lazy.public_send(kind, given.first)
      when :numbered then lazy.with_index(given.first)
      when :each_numbered then lazy.with_index(given.last, &given.first)
      end
    end
    private_class_method :after, :matched, :last_match, :telling

    def self.associative(values, given, block) = values.inject(*given, &block)
  end
  private_constant :Sum, :Folds, :Scans, :Trees, :Plain
end

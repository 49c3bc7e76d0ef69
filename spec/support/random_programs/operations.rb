# frozen_string_literal: true

module RandomPrograms
  # What is called with a program's block, and what that is in Ruby; and the parallel methods inside of blocks.
  module Operations
    SEQUENTIAL = {
      peach: :each, pmap: :map, pselect: :select, preject: :reject, ppartition: :partition, pcount: :count,
      pflat_map: :flat_map, pfilter_map: :filter_map, pgroup_by: :group_by, puniq: :uniq, pfind: :find,
      pany?: :any?, pall?: :all?, pnone?: :none?, pone?: :one?, ptake_while: :take_while, pdrop_while: :drop_while,
      pfind_index: :find_index, psum: :sum, pmin_by: :min_by, pmax_by: :max_by, pminmax_by: :minmax_by, pto_set: :to_set
    }.freeze
    # Stages and what ends them.
    CHAINS = {
      chained_map: ->(chain, block) { chain.map(&block).map { |x| x }.to_a },
      chained_filter_map: ->(chain, block) { chain.filter_map(&block).reject { |x| x == 0 }.to_a },
      chained_select: ->(chain, block) { chain.select(&block).map { |x| [x, 1] }.to_a },
      chained_count: ->(chain, block) { chain.map(&block).select { |x| x }.count },
      chained_first: ->(chain, block) { chain.map(&block).first(2) },
      chained_take: ->(chain, block) { chain.map(&block).take(2).to_a },
      chained_take_while: ->(chain, block) { chain.map { |x| x }.take_while(&block).to_a },
      chained_find_index: ->(chain, block) { chain.map { |x| x }.find_index(&block) },
      chained_group_by: ->(chain, block) { chain.map { |x| x }.group_by(&block) },
      chained_partition: ->(chain, block) { chain.map { |x| x }.partition(&block) },
      chained_drop: ->(chain, block) { chain.drop(1).map(&block).to_a },
      chained_uniq: ->(chain, block) { chain.uniq(&block).map { |x| x }.to_a },
      chained_drop_while: ->(chain, block) { chain.drop_while(&block).map { |x| x }.to_a },
      chained_zip: ->(chain, block) { chain.map(&block).zip([1, 2]).map { |x| x }.to_a },
      chained_with_index: ->(chain, block) { chain.map(&block).with_index.map { |x| x }.to_a }
    }.freeze
    # Stages before these run for all elements first, and so change nothing.
    AT_ONCE = %i[chained_zip chained_uniq chained_drop_while].freeze
    # What changes an array: it does so with a copy, of which it gives whether it was given, and what it holds then.
    CHANGES = { pmap!: :map!, pselect!: :select!, preject!: :reject!, pdelete_if: :delete_if }.freeze
    VARIED = {
      pmap: %i[pmap! pflat_map pfilter_map pgroup_by puniq psum pmin_by pmax_by pminmax_by pto_set
               chained_map chained_filter_map chained_count chained_first chained_take chained_group_by
               chained_drop chained_uniq chained_zip chained_with_index],
      pselect: %i[pselect! preject! pdelete_if preject ppartition pcount pfind pfind_index pany? pall? pnone? pone?
                  ptake_while pdrop_while chained_select chained_take_while chained_find_index chained_partition
                  chained_drop_while]
    }.freeze

    # These do more with what the block gives than to look whether it is true: what they raise is no element's.
    COMBINING = %i[psum pmin_by pmax_by pminmax_by].freeze

    class << self
      # Other choices stay what they are.
      def varied(operation, seed, changes: false)
        random = Random.new(seed + (1 << 41))
        others = VARIED[operation]
        others -= AT_ONCE if others && changes && random.rand > 0.02
        others && random.rand < 0.35 ? others.sample(random:) : operation
      end

      # What Ruby gives, as one can compare it. The block takes whatever is yielded.
      def in_ruby(operation, collection, &block)
        return changed(collection, CHANGES[operation], block) if CHANGES.key?(operation)

        chain = CHAINS[operation]
        told(operation, chain ? chain.call(collection.lazy, block) : of(collection, operation, block))
      end

      def in_ikra(operation, collection, ticks, block)
        case operation
        when :peach then collection.peach(ticks, &block) && nil
        when *CHANGES.keys then changed(collection, operation, block)
        when *CHAINS.keys then told(operation, CHAINS.fetch(operation).call(collection.plazy, block))
        else told(operation, collection.public_send(operation, &block))
        end
      end

      # Some of the methods with a block in a text are those with a p.
      def nested(text, seed)
        random = Random.new(seed + (1 << 42))
        return text unless random.rand < 0.25

        text.gsub(/(?<=[\w)\]}])\.(?:#{NESTED.join("|")})(?=(?: \{| do\b|\(&)(?<loop> \|i\|\n)?)/) do |call|
          # Loops with calls and syncs of their own.
          share = Regexp.last_match[:loop] ? 0.02 : 0.5
          random.rand < share ? ".p#{call[1..]}" : call
        end
      end

      # The number of the element that has raised an error, if one has: what stops at an element and runs in order does
      # not say.
      def element_of(error, expected) = error.is_a?(Ikra::ElementError) && (error.element_index || expected)

      # Values are put together when all elements have run. If that raises, or raises in Ruby before a later element
      # does, it is an error in both.
      def combined?(operation, expected, raised_at, error)
        return false unless COMBINING.include?(operation)

        error.is_a?(Ikra::ElementError) ? error.element_index > raised_at : error.instance_of?(expected.class)
      end

      private

      NESTED = %w[map select reject filter_map flat_map partition each times count any? all? none? one? find find_index
                  min_by max_by sort_by sum inject].freeze

      def of(collection, operation, block) = collection.public_send(SEQUENTIAL.fetch(operation), &block)

      def changed(collection, operation, block)
        copy = collection.to_a.dup
        given = copy.public_send(operation, &block)
        [given.nil?, *copy]
      end

      def told(operation, result)
        return if operation == :peach

        result.respond_to?(:to_a) && !result.nil? ? result.to_a : [result]
      end
    end
  end
end

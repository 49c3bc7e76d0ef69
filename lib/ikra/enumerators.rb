# frozen_string_literal: true

module Ikra
  # Finds what the elements of an Enumerator are: of some, such as `array.each_with_index` and `n.times`, without going
  # through it.
  #
  # What is known of an Enumerator, receiver, method and arguments, stands in its memory (+vm/enumerators.rs+), which is
  # tried when the extension is loaded. The methods that lead there have to be Ruby's own.
  #
  # @api private
  module Enumerators
    # What these give, and when they end, does not depend on what their block gives.
    INDIFFERENT = %i[
      each each_entry each_with_index with_index each_with_object with_object each_slice each_cons reverse_each cycle
      each_pair each_key each_value each_index each_char each_byte each_line each_codepoint each_grapheme_cluster
      each_child times upto downto step combination permutation repeated_combination repeated_permutation product
    ].freeze
    # Those of an Array that yield its items, one by one, to a block that gives nil.
    ITEM_BY_ITEM = %i[each each_entry map collect select filter flat_map collect_concat filter_map].freeze

    class << self
      # @return [Items, nil]
      def items(enumerator, operation)
        receiver, name, arguments = Native.enumerator(enumerator)
        return unless name && Collections.own?(enumerator, :each, Enumerator)

        return own_items(enumerator, receiver, operation) unless builtin?(receiver, name)

        Collections.refuse_endless(enumerator) if enumerator.size == Float::INFINITY
        refuse_answers(name) if operation == :peach && !INDIFFERENT.include?(name)
        of_call(receiver, name, arguments, operation) || own_items(enumerator, receiver, operation, kind: :made)
      end

      private

      def own_items(enumerator, receiver, operation, kind: nil)
        Collections.gone_through(enumerator, operation, looked_at: looked_at(receiver, operation), kind:)
      end

      # What a method of Ruby's yields, where that is known.
      def of_call(receiver, name, arguments, operation)
        case [name, *arguments]
        in [:each_with_index] | [:with_index] | [:with_index, nil] then numbered(receiver, 0, operation)
        in [:with_index, Integer => offset] then numbered(receiver, offset, operation)
        in [:upto | :downto, Integer] if of?(Integer, receiver) then counted(receiver, name, arguments.first)
        in [_] then of_plain_call(receiver, name, operation)
        else nil
        end
      end

      def of_plain_call(receiver, name, operation)
        case receiver
        when Integer
          # An Integer cannot be gone through.
          Collections.series(0, 1, receiver, receiver, original: receiver.times) if name == :times
        when Array, Column, TupleColumn then of_items(receiver, name)
        when Hash, Struct then of_pairs(receiver, name)
        when Range, Enumerator then Collections.items(receiver, operation) if name == :each
        end
      end

      def of_items(receiver, name)
        return unless ITEM_BY_ITEM.include?(name)
        return Collections.column(receiver, kind: nil) unless of?(Array, receiver)

        Collections.array(receiver) if Collections.held?(receiver, name)
      end

      def of_pairs(receiver, name)
        return unless %i[each each_pair].include?(name)
        return Collections.pairs(receiver) if of?(Hash, receiver)

        name == :each ? Collections.struct(receiver) : Collections.members(receiver)
      end

      def counted(first, name, last)
        original = first.public_send(name, last)
        return Collections.series(first, 1, last - first + 1, first, original:) if name == :upto

        Collections.series(first, -1, first - last + 1, first, original:)
      end

      # Elements with their numbers beside them.
      def numbered(receiver, offset, operation)
        # What its own method gives is what the sequence was made of, which it does not tell.
        return if operation == :peach && of?(Enumerator::ArithmeticSequence, receiver)

        of_enumerator = of?(Enumerator, receiver)
        inner = of_enumerator ? Collections.items(receiver, operation) : of_plain_call(receiver, :each, operation)
        return unless inner && [offset, offset + inner.size].all?(Collections::WORDS)

        inner.with_index(offset, of_enumerator ? inner.returned : receiver)
      end

      # The arrays, Hashes and Structs that an Enumerator's receiver is, or goes through.
      def looked_at(receiver, operation)
        case receiver
        when Array, Hash, Struct then [receiver]
        when Enumerator
          inner, name, = Native.enumerator(receiver)
          return [] unless name

          refuse_answers(name) if operation == :peach && builtin?(inner, name) && !INDIFFERENT.include?(name)
          looked_at(inner, operation)
        else Collections.hash_of(receiver)
        end
      end

      # A class may define an `is_a?` of its own.
      def of?(type, object) = type === object # rubocop:disable Style/CaseEquality

      # Is the method Ruby's own, and the `each` of what has it?
      def builtin?(receiver, name)
        names = of?(Enumerable, receiver) ? [name, :each] : [name]
        names.all? do |method|
          path, = Collections::METHOD.bind_call(receiver, method).source_location
          path.nil? || path.start_with?("<internal:")
        end
      rescue NameError
        false
      end

      def refuse_answers(name)
        Collections.refuse("what `#{name}` does depends on what its block gives, so its Enumerator cannot go through " \
                           "the elements before the block runs [enumerator-answers]",
                           "write pmap, or peach on the collection itself")
      end
    end
  end
  private_constant :Enumerators
end

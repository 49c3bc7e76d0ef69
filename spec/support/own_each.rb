# frozen_string_literal: true

require "set"

# Classes below Ruby's own that have an `each` of their own: which methods ask it is Ruby's business.
module OwnEach
  # Yields each value and something more.
  module Twice
    def each
      return to_enum unless block_given?

      super() do |value|
        yield value
        yield(value.is_a?(Array) ? value.reverse : 1_000)
      end
    end
  end

  List = Class.new(Array) { prepend Twice }
  Table = Class.new(Hash) { prepend Twice }
  Group = Class.new(Set) { prepend Twice }
  Numbers = Class.new(Range) { prepend Twice }
  Members = Class.new(Struct.new(:a, :b, :c, :d)) { prepend Twice }

  # One's own Enumerable.
  class Own
    include Enumerable

    def initialize(values) = @values = values
    def each(&block) = @values.each(&block) && self
  end

  # Collections of these values; of a Hash the values come behind their numbers.
  COLLECTIONS = {
    own: ->(values) { Own.new(values) },
    array_with_each: ->(values) { List.new(values) },
    array_with_singleton: ->(values) { values.dup.extend(Twice) },
    hash_with_each: ->(values) { Table[values.each_with_index.to_a] },
    set_with_each: ->(values) { Group.new(values) },
    range_with_each: ->(values) { Numbers.new(0, values.size) },
    struct_with_each: ->(values) { Members.new(*values.first(4)) }
  }.freeze
end

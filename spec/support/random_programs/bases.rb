# frozen_string_literal: true

module RandomPrograms
  # What the elements of a program are a collection of, and what its block takes then.
  module Bases
    # What yields its items by a method written in Ruby.
    class Shelf
      include Enumerable

      def initialize(items) = @items = items

      def each
        @items.each { |item| yield item, item.nil? }
        self
      end
    end

    # Goes through its items from the last to the first.
    module Backwards
      def each(&block)
        return to_enum unless block

        to_a.reverse.each(&block)
        self
      end
    end

    Pile = Class.new(Array) { prepend Backwards }
    Ledger = Class.new(Hash) { prepend Backwards }

    # The parameters of a block, with their types but for that of the element `x`.
    FORMS = {
      array: ["x"], range: ["x"], enumerator: ["x"], with_index: ["x, at", [:int]], offset: ["x, at", [:int]],
      hash: ["at, x", [:int]], symbols: ["at, x", [:sym]], nested: ["(at, x), again", [:int]],
      shelf: ["x, at", [:bool]],
      column: ["x"], column_each: ["x"], pile: ["x"], ledger: ["at, x", [:int]]
    }.freeze
    WEIGHTS = { array: 8.5, range: 2, enumerator: 1, with_index: 2, offset: 1, hash: 2, symbols: 1, nested: 1,
                shelf: 1, column: 1, column_each: 1, pile: 1, ledger: 0.5 }.freeze
    SYMBOLS = %i[a b c left].freeze

    # @param items [Array]
    # @return [Enumerable] a collection of them
    def self.collection(form, items)
      case form
      when :range then consecutive?(items) ? items.first..items.last : items
      when :enumerator then Enumerator.new { |yielder| items.each { |item| yielder << item } }
      when :with_index then items.each_with_index
      when :offset then items.each.with_index(-3)
      when :hash then numbered(items)
      when :symbols then items.each_with_index.to_h { |item, i| [SYMBOLS[i] || :"key#{i}", item] }
      when :nested then numbered(items).each_with_index
      when :pile then Pile.new(items)
      when :ledger then Ledger[numbered(items)]
      when :shelf then Shelf.new(items)
      when :column then column(items) || items
      # Ruby's map of an Enumerator gives an Array, whatever is in it.
      when :column_each then column(items)&.each || items
      else items
      end
    end

    # Of what fits one.
    def self.column(items)
      Ikra::Column.from_a(items) if [Integer, Float].any? { |type| items.all?(type) } && items.none? { |x| huge?(x) }
    end

    def self.huge?(item) = item.is_a?(Integer) && item.bit_length > 63

    def self.numbered(items) = items.each_with_index.to_h { |item, i| [(3 * i) - 4, item] }

    def self.consecutive?(items)
      items.all?(Integer) && items.each_cons(2).all? { |a, b| b == a + 1 } && items.any?
    end
    private_class_method :numbered, :consecutive?, :column, :huge?

    private

    # Other choices stay what they are.
    def choose_collection
      at = Random.new(@seed + (1 << 40)).rand * WEIGHTS.values.sum
      @collection = WEIGHTS.find { |_, weight| (at -= weight) < 0 }.first
      @collection = :array if @collection == :range && @base != :ints
    end

    def declare_parameters
      _, at = FORMS.fetch(@collection)
      scope.declare("at", at, writable: false) if at
    end

    def parameters = FORMS.fetch(@collection).first
  end
end

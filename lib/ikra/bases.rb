# frozen_string_literal: true

require_relative "collections"

module Ikra
  # What a section is called on: the elements of a collection, and how its block gets them.
  class Base
    # A class may define methods of its own by these names.
    ARITY = Proc.instance_method(:arity)
    IS_LAMBDA = Proc.instance_method(:lambda?)
    BY_IDENTITY = Hash.instance_method(:compare_by_identity?)

    # @param operation [Symbol] one of {Section::SEQUENTIAL}
    # @return [Base]
    def self.of(collection, operation, block)
      # ENV has the methods of a Hash.
      collection = ENV.to_h if operation == :pselect && ENV.equal?(collection)
      case collection
      when Hash then return of_hash(collection, block) if operation == :pselect
      end
      new(Collections.items(collection, operation), operation, block)
    end

    # Hash#select yields two values, and gives a Hash.
    def self.of_hash(hash, block)
      new(Collections.pairs(hash), :pselect, block, arguments: [0, 1]) do |keys, values|
        selected = BY_IDENTITY.bind_call(hash) ? {}.compare_by_identity : {}
        keys.each_with_index { |key, row| selected[key] = values[row] }
        selected
      end
    end
    private_class_method :of_hash

    # @return [Items]
    attr_reader :items

    # @param items [Items]
    # @param arguments [Array<Integer, Array>, nil] what the block gets, if it is not what `each` yields: columns by
    #   number, and arrays of such
    # @yield [columns] what was selected of the columns
    # @yieldreturn [Object] what Ruby's +select+ gives for that
    def initialize(items, operation, block, arguments: nil, &selection)
      @items = items
      # Enumerable#select makes one value of several, which also a lambda takes apart.
      @takes_apart = operation == :pselect && !arguments && items.yielded.size > 1
      @arguments = arguments || (@takes_apart ? [items.yielded] : items.yielded)
      # Enumerable#map tells `each` what the lambda takes.
      @arguments = @arguments.first if operation == :pmap && items.pairs? && takes_several?(block)
      @selection = selection || ->(*columns) { items.rows(columns) }
    end

    # What the extension is told.
    def description = [items.columns, items.size, @arguments, @takes_apart, items.looked_at]

    # What Ruby's +select+ gives, made of what was selected of the columns.
    def selected(columns) = @selection.call(*columns)

    private

    # Is it a lambda that takes two arguments at least?
    def takes_several?(block)
      arity = ARITY.bind_call(block)
      IS_LAMBDA.bind_call(block) && (arity > 1 || arity < -2)
    end
  end
  private_constant :Base
end

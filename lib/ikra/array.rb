# frozen_string_literal: true

module Ikra
  # The parallel methods of Array. +require "ikra"+ includes them in every Array; +require "ikra/refinements"+ has them
  # as a refinement.
  module ParallelMethods
    # Calls the block with each element, in parallel and in place. The objects are changed only when all calls have
    # succeeded.
    #
    # Elements must be independent: within one tick, what one element reads may not be written by another. Then the
    # result is that of sequential +each+; otherwise it depends on the order, which is not defined. Whether they are is
    # found out with {Ikra.check=}: with +:races+ two elements that race raise an {Ikra::RaceError}, which says what for
    # and where. Without it only what is certain is refused: that all elements write one captured object or one item of
    # a captured array. A histogram is a race that is not noticed, and its counts can be wrong:
    #
    #   marks.peach { |mark| histogram[mark / 10] += 1 }   # wrong: two marks may add to one item at once
    #   marks.pmap { |mark| mark / 10 }.tally              # right
    #   marks.peach { |mark| total += mark }               # right: a local variable around the block can be added to
    #
    # So is <tt>item.category.total += item.price</tt>, where two items have one category.
    #
    #   actors.peach(1_000) { |actor| actor.move(weather) }
    #
    # @param ticks [Integer] how many times all elements are gone through; each time sees all writes of the one before
    # @yield [element]
    # @return [self]
    # @raise [Ikra::UnsupportedError] when the block cannot be compiled
    # @raise [Ikra::OverflowError] when an Integer leaves 64 bits
    # @raise [Ikra::DeviceError] when the device or its driver fails
    # @raise [Ikra::RaceError] when two elements are not independent and <tt>Ikra.check</tt> is +:races+
    # @raise [ArgumentError] without a block, or for a negative number of ticks
    # @raise [TypeError] when the number of ticks is no Integer
    # @raise [Exception] what the block raises; no object has changed then
    def peach(ticks = 1, &block)
      Section.run(self, :peach, ticks, block)
    end

    # Calls the block with each element, in parallel.
    #
    #   speeds = cars.pmap { |car| car.speed * 3.6 }
    #
    # @yield [element]
    # @return [Array] the block's values, in the order of the elements
    # @raise (see #peach)
    def pmap(&block)
      Section.run(self, :pmap, 1, block)
    end

    # Calls the block with each element, in parallel.
    #
    #   late = cars.pselect { |car| car.delay > 5 }
    #
    # @yield [element]
    # @return [Array] the elements, the very same objects in their order, for which the block's value is true
    # @raise (see #peach)
    def pselect(&block)
      Section.run(self, :pselect, 1, block)
    end
  end
end

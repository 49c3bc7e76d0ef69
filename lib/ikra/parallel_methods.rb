# frozen_string_literal: true

module Ikra
  # The parallel methods of what has elements: Array, Hash, Range, Set, Struct, Enumerator and all else that includes
  # Enumerable. +require "ikra"+ gives them to all of these; +require "ikra/refinements"+ has them as a refinement.
  #
  # Each does what Ruby's method without the +p+ does on the same collection: the block gets the same arguments, and the
  # value is of the same class.
  #
  #   (1..1_000).pmap { |n| Math.sqrt(n) }                               # no Array of these is made
  #   prices.pselect { |name, price| price > 10 }                        # a Hash gives a Hash
  #   rows.each_with_index.peach { |row, i| row.number = i }
  #   samples.each_slice(100).pmap { |slice| slice.sum }
  #
  # The elements are found before the block runs. A class of your own has its +each+ run for that, once; so has one
  # below Array or Hash, for those methods that ask it in Ruby.
  module ParallelMethods
    # Calls the block with each element, in parallel and in place. The objects are changed only when all calls have
    # succeeded.
    #
    # Elements should be independent: within one tick, what one element reads is not written by another. Those that are
    # not run one after the other, with a warning, or raise an {Ikra::ConflictError}: see {Ikra.conflicts=}.
    #
    #   marks.peach { |mark| histogram[mark / 10] += 1 }   # parallel: what elements only add to is no conflict
    #   marks.peach { |mark| total += mark }               # the same with a local variable around the block
    #   cells.peach { |cell| cell.x = cell.left.x }        # in order: reads what its neighbour writes
    #
    #   actors.peach(1_000) { |actor| actor.move(weather) }
    #
    # @param ticks [Integer] how many times all elements are gone through; each time sees all writes of the one before
    # @param progress [Boolean, String, nil] whether a bar on the terminal shows how far it is, or under which title; it
    #   takes the gem ruby-progressbar, and is seen where standard error is a terminal
    # @yield [element]
    # @return [Object] what +each+ gives: self, and of an Enumerator mostly what it was made of; without a block an
    #   Enumerator, whose +with_index+ and +with_object+ are parallel
    # @raise [Ikra::UnsupportedError] when the block cannot be compiled
    # @raise [Ikra::OverflowError] when an Integer leaves 64 bits where none can be larger: see docs/precision.md
    # @raise [Ikra::DeviceError] when the device or its driver fails
    # @raise [Ikra::ConflictError] when two elements are not independent and <tt>Ikra.conflicts</tt> is +:raise+
    # @raise [ArgumentError] for a negative number of ticks, and for several of them without a block
    # @raise [RangeError] when there is no end of elements, as in <tt>(1..)</tt>
    # @raise [TypeError] when the number of ticks is no Integer
    # @raise [Exception] what the block raises; no object has changed then
    def peach(ticks = 1, progress: nil, &block)
      return WithoutBlock.new(self, :each) if block.nil? && ticks == 1

      Section.run(self, :peach, ticks, progress, block, :each)
    end

    # Calls the block with each element, in parallel.
    #
    #   speeds = cars.pmap { |car| car.speed * 3.6 }
    #   places = cars.pmap.with_index(1) { |car, place| car.result(place) }
    #
    # @param progress (see #peach)
    # @yield [element]
    # @return [Array] the block's values, in the order of the elements
    # @raise (see #peach)
    def pmap(progress: nil, &block)
      return WithoutBlock.new(self, :map) unless block

      Section.run(self, :pmap, 1, progress, block, :map)
    end

    # Calls the block with each element, in parallel.
    #
    #   late = cars.pselect { |car| car.delay > 5 }
    #
    # @param progress (see #peach)
    # @yield [element]
    # @return [Array, Hash] the elements, the very same objects in their order, for which the block's value is true; of
    #   a Hash a Hash of them
    # @raise (see #peach)
    def pselect(progress: nil, &block)
      return WithoutBlock.new(self, :select) unless block

      Section.run(self, :pselect, 1, progress, block, :select)
    end
  end

  # The parallel method of Integer.
  module ParallelTimes
    # Calls the block with each Integer from 0 up to this one, in parallel.
    #
    #   pixels.size.ptimes { |i| pixels[i] = shade(i % width, i / width) }
    #
    # @param progress (see ParallelMethods#peach)
    # @yield [index]
    # @return [Integer] self
    # @raise (see ParallelMethods#peach)
    def ptimes(progress: nil, &block)
      Section.run(self, :ptimes, 1, progress, block, :times)
    end
  end
end

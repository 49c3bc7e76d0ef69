# frozen_string_literal: true

require_relative "terminals"

module Ikra
  # The methods of Enumerable besides +each+, +map+ and +select+. Each takes what Ruby's method without the +p+ takes,
  # and gives what that gives. Blocks may do what those of {#pmap} may, and raise what that raises.
  #
  # Methods that stop at an element (+pfind+, +pany?+, +ptake_while+ …) run the elements in parts that grow. What is
  # behind that element is computed in vain at most, and what it would raise is not raised; so their blocks must change
  # nothing.
  module ParallelMethods
    # Stages over the elements, which run in one section.
    #
    #   orders.plazy.select { |order| order.paid? }.map { |order| order.total }.sum
    #
    # @return [Chain]
    # @raise [ArgumentError] with a block
    def plazy(&block)
      Section.takes_no_block(:plazy, block)
      Chain.new(Collections.asking(self))
    end

    # ---- projection --------------------------------------------------------------------------------------------------

    # Calls the block with each element, in parallel, and joins the arrays that it gives.
    #
    #   orders.pflat_map { |order| [order.net, order.tax] }
    #
    # @yield [element]
    # @return [Array] the items of the arrays, and what is no array as it is
    # @raise (see #pmap)
    def pflat_map(&block)
      Terminal.run(self, [], :flat_map, :pflat_map, [], block)
    end

    # @see #pflat_map
    def pcollect_concat(&block)
      Terminal.run(self, [], :collect_concat, :pcollect_concat, [], block)
    end

    # Calls the block with each element, in parallel, and leaves out what is nil or false.
    #
    #   cars.pfilter_map { |car| car.speed if car.moving? }
    #
    # @yield [element]
    # @return [Array] the block's values that are true
    # @raise (see #pmap)
    def pfilter_map(&block)
      Terminal.run(self, [], :filter_map, :pfilter_map, [], block)
    end

    # ---- restriction -------------------------------------------------------------------------------------------------

    # Calls the block with each element, in parallel.
    #
    #   cars.preject { |car| car.parked? }
    #
    # @yield [element]
    # @return [Array, Hash] the elements for which the block's value is false; of a Hash a Hash
    # @raise (see #pmap)
    def preject(&block)
      Terminal.run(self, [], :reject, :preject, [], block)
    end

    # Calls the block with each element, in parallel.
    #
    #   prices.pfind_all { |name, price| price > 5 }
    #
    # @yield [element]
    # @return [Array] the elements for which the block's value is true; also of a Hash, as Ruby's +find_all+
    # @raise (see #pmap)
    def pfind_all(&block)
      Terminal.run(self, [], :find_all, :pfind_all, [], block)
    end

    # Calls the block with each element, in parallel.
    #
    #   fast, slow = cars.ppartition { |car| car.speed > 50 }
    #
    # @yield [element]
    # @return [Array(Array, Array)] the elements for which the block's value is true, and the others
    # @raise (see #pmap)
    def ppartition(&block)
      Terminal.run(self, [], :partition, :ppartition, [], block)
    end

    # Leaves out elements that are equal to an earlier one: by +eql?+ and +hash+ of them or of the block's values.
    #
    #   points.puniq { |point| point.x }
    #
    # @yield [element]
    # @return [Array] the others, in their order
    # @raise (see #pmap)
    def puniq(&block)
      Terminal.run(self, [], :uniq, :puniq, [], block)
    end

    # The elements that match, or with a block its values for these.
    #
    #   [1, nil, 2].pgrep(Integer) { |n| n * 2 } # => [2, 4]
    #
    # @param pattern [#===]
    # @yield [element] if it matches
    # @return [Array]
    # @raise (see #pmap)
    def pgrep(pattern, &block)
      Terminal.run(self, [], :grep, :pgrep, [pattern], block)
    end

    # The elements that do not match, or with a block its values for these.
    #
    #   [1, nil, 2].pgrep_v(nil) { |n| n * 2 } # => [2, 4]
    #
    # @param pattern [#===]
    # @yield [element] if it does not match
    # @return [Array]
    # @raise (see #pmap)
    def pgrep_v(pattern, &block)
      Terminal.run(self, [], :grep_v, :pgrep_v, [pattern], block)
    end

    # The elements before the first for which the block's value is nil or false. What is far behind that one does
    # not run.
    #
    #   levels.ptake_while { |level| level < 9 }
    #
    # @yield [element]
    # @return [Array]
    # @raise (see #pmap)
    def ptake_while(&block)
      Terminal.run(self, [], :take_while, :ptake_while, [], block)
    end

    # The elements from the first on for which the block's value is nil or false. What is far behind that one does
    # not run.
    #
    #   levels.pdrop_while { |level| level < 9 }
    #
    # @yield [element]
    # @return [Array]
    # @raise (see #pmap)
    def pdrop_while(&block)
      Terminal.run(self, [], :drop_while, :pdrop_while, [], block)
    end

    # Arrays of neighbours: the block tells of each two whether they belong together.
    #
    #   [1, 2, 4, 5].pchunk_while { |a, b| b == a + 1 }.to_a # => [[1, 2], [4, 5]]
    #
    # @yield [element, next]
    # @return [Enumerator] of the arrays
    # @raise (see #pmap)
    def pchunk_while(&block)
      Terminal.run(self, [], :chunk_while, :pchunk_while, [], block)
    end

    # Arrays of neighbours: the block tells of each two whether a new array begins between them.
    #
    #   [1, 2, 4, 5].pslice_when { |a, b| b > a + 1 }.to_a # => [[1, 2], [4, 5]]
    #
    # @yield [element, next]
    # @return [Enumerator] of the arrays
    # @raise (see #pmap)
    def pslice_when(&block)
      Terminal.run(self, [], :slice_when, :pslice_when, [], block)
    end

    # ---- ordering ----------------------------------------------------------------------------------------------------

    # Sorts the elements by +<=>+, or by a block, which runs compiled, but on one thread: {#psort_by} is faster. Equal
    # Integers and Floats stay in their order.
    #
    #   [3, 1, 2].psort # => [1, 2, 3]
    #
    # @yield [one, other] compares two elements
    # @return [Array]
    # @raise (see #pmap)
    def psort(&block)
      Terminal.run(self, [], :sort, :psort, [], block)
    end

    # Calls the block with each element, in parallel, and sorts the elements by its values. Where these are all
    # Integers or all Floats, elements of equal ones stay in their order.
    #
    #   cars.psort_by { |car| -car.speed }
    #
    # @yield [element]
    # @return [Array]
    # @raise (see #pmap)
    def psort_by(&block)
      Terminal.run(self, [], :sort_by, :psort_by, [], block)
    end

    # The least element by +<=>+, or so many of them.
    #
    #   [3, 1, 2].pmin # => 1
    #
    # @param count [Integer] how many, in an Array
    # @return [Object, Array, nil] nil where there are no elements
    # @raise (see #pmap)
    def pmin(*count, &block)
      Terminal.run(self, [], :min, :pmin, count, block)
    end

    # The greatest element by +<=>+, or so many of them.
    #
    #   [3, 1, 2].pmax # => 3
    #
    # @param count [Integer] how many, in an Array
    # @return [Object, Array, nil] nil where there are no elements
    # @raise (see #pmap)
    def pmax(*count, &block)
      Terminal.run(self, [], :max, :pmax, count, block)
    end

    # The least and the greatest element by +<=>+.
    #
    #   [3, 1, 2].pminmax # => [1, 3]
    #
    # @return [Array(Object, Object)]
    # @raise (see #pmap)
    def pminmax(&block)
      Terminal.run(self, [], :minmax, :pminmax, [], block)
    end

    # Calls the block with each element, in parallel.
    #
    #   cars.pmin_by { |car| car.speed }
    #
    # @param count [Integer] how many, in an Array
    # @yield [element]
    # @return [Object, Array, nil] the element with the least of its values, or so many of them
    # @raise (see #pmap)
    def pmin_by(*count, &block)
      Terminal.run(self, [], :min_by, :pmin_by, count, block)
    end

    # Calls the block with each element, in parallel.
    #
    #   cars.pmax_by { |car| car.speed }
    #
    # @param count [Integer] how many, in an Array
    # @yield [element]
    # @return [Object, Array, nil] the element with the greatest of its values, or so many of them
    # @raise (see #pmap)
    def pmax_by(*count, &block)
      Terminal.run(self, [], :max_by, :pmax_by, count, block)
    end

    # Calls the block with each element, in parallel.
    #
    #   cars.pminmax_by { |car| car.speed }
    #
    # @yield [element]
    # @return [Array(Object, Object)] the elements with the least and the greatest of its values
    # @raise (see #pmap)
    def pminmax_by(&block)
      Terminal.run(self, [], :minmax_by, :pminmax_by, [], block)
    end

    # ---- grouping ----------------------------------------------------------------------------------------------------

    # Calls the block with each element, in parallel.
    #
    #   cars.pgroup_by { |car| car.lane }
    #
    # @yield [element]
    # @return [Hash] of its values and the Arrays of elements that it gave these for
    # @raise (see #pmap)
    def pgroup_by(&block)
      Terminal.run(self, [], :group_by, :pgroup_by, [], block)
    end

    # How often each element is there.
    #
    #   [3, 1, 3].ptally # => {3=>2, 1=>1}
    #
    # @param counts [Hash] counts to add to
    # @return [Hash] of elements and counts
    # @raise [ArgumentError] with a block
    # @raise (see #pmap)
    def ptally(*counts, &block)
      Section.takes_no_block(:ptally, block)
      Terminal.run(self, [], :tally, :ptally, counts, nil)
    end

    # Calls the block with each element, in parallel.
    #
    #   cars.pto_h { |car| [car.number, car.lane] }
    #
    # @yield [element]
    # @return [Hash] of the pairs that it gives, or that the elements are
    # @raise (see #pmap)
    def pto_h(*arguments, &block)
      Terminal.run(self, [], :to_h, :pto_h, arguments, block)
    end

    # Calls the block with each element, in parallel.
    #
    #   cars.pto_set { |car| car.lane }
    #
    # @yield [element]
    # @return [Set] of its values, or of the elements
    # @raise (see #pmap)
    def pto_set(*arguments, &block)
      Terminal.run(self, [], :to_set, :pto_set, arguments, block)
    end

    # Calls the block with each element, in parallel. Neighbours with equal values stand together.
    #
    #   numbers.pchunk { |n| n.even? }.to_a
    #
    # @yield [element]
    # @return [Enumerator] of the values and the Arrays of elements
    # @raise (see #pmap)
    def pchunk(&block)
      Terminal.run(self, [], :chunk, :pchunk, [], block)
    end

    # Calls the block with each element, in parallel. An array begins at each for which its value is true, or which
    # matches the pattern.
    #
    #   lines.pslice_before { |line| line.start_with?("#") }.to_a
    #
    # @param pattern [#===]
    # @yield [element]
    # @return [Enumerator] of Arrays of elements
    # @raise (see #pmap)
    def pslice_before(*pattern, &block)
      Terminal.run(self, [], :slice_before, :pslice_before, pattern, block)
    end

    # The same, but that an array ends there.
    #
    # @param pattern [#===]
    # @yield [element]
    # @return [Enumerator] of Arrays of elements
    # @raise (see #pmap)
    def pslice_after(*pattern, &block)
      Terminal.run(self, [], :slice_after, :pslice_after, pattern, block)
    end

    # ---- aggregation -------------------------------------------------------------------------------------------------

    # Calls the block with each element, in parallel, and adds up its values, as Array#sum does: Floats with
    # compensation for what rounding loses.
    #
    #   orders.psum { |order| order.total }
    #
    # @param first [Object] what is added to, 0 if nothing is given
    # @yield [element]
    # @return [Object]
    # @raise (see #pmap)
    def psum(*first, &block)
      Terminal.run(self, [], :sum, :psum, first, block)
    end

    # Calls the block with each element, in parallel.
    #
    #   cars.pcount { |car| car.moving? }
    #
    # @param item [Object]
    # @yield [element]
    # @return [Integer] for how many elements its value is true; without a block how many there are, or how many
    #   are equal to the item
    # @raise (see #pmap)
    def pcount(*item, &block)
      Terminal.run(self, [], :count, :pcount, item, block)
    end

    # Puts the elements together: by an operator, or from the first to the last by a block. Where the operation is
    # +associative+ the block puts neighbours together, all pairs in parallel.
    #
    #   masks.pinject(:|)
    #   matrices.pinject(associative: true) { |a, b| a * b }
    #
    # @param arguments [Array] a first value, the name of an operator, or both
    # @param associative [Boolean] may neighbours be put together first?
    # @yield [memo, element]
    # @return [Object, nil]
    # @raise (see #pmap)
    def pinject(*arguments, associative: false, &block)
      Terminal.run(self, [], :inject, :pinject, arguments, block, associative:)
    end

    # @see #pinject
    def preduce(*arguments, associative: false, &block)
      Terminal.run(self, [], :reduce, :preduce, arguments, block, associative:)
    end

    # Is the block's value true for some element, or does one match the pattern? What is far behind the first does
    # not run.
    #
    #   cars.pany? { |car| car.late? }
    #
    # @param pattern [#===]
    # @yield [element]
    # @return [Boolean]
    # @raise (see #pmap)
    def pany?(*pattern, &block)
      Terminal.run(self, [], :any?, :pany?, pattern, block)
    end

    # Is the block's value true for all elements, or do all match the pattern? What is far behind the first that
    # is not does not run.
    #
    #   cars.pall? { |car| car.late? }
    #
    # @param pattern [#===]
    # @yield [element]
    # @return [Boolean]
    # @raise (see #pmap)
    def pall?(*pattern, &block)
      Terminal.run(self, [], :all?, :pall?, pattern, block)
    end

    # Is the block's value true for no element, or does none match the pattern?
    #
    #   cars.pnone? { |car| car.late? }
    #
    # @param pattern [#===]
    # @yield [element]
    # @return [Boolean]
    # @raise (see #pmap)
    def pnone?(*pattern, &block)
      Terminal.run(self, [], :none?, :pnone?, pattern, block)
    end

    # Is the block's value true for exactly one element, or does exactly one match the pattern?
    #
    #   cars.pone? { |car| car.late? }
    #
    # @param pattern [#===]
    # @yield [element]
    # @return [Boolean]
    # @raise (see #pmap)
    def pone?(*pattern, &block)
      Terminal.run(self, [], :one?, :pone?, pattern, block)
    end

    # The first element for which the block's value is true. What is far behind it does not run.
    #
    #   cars.pfind { |car| car.late? }
    #
    # @param ifnone [#call, nil] gives the value where there is none
    # @yield [element]
    # @return [Object, nil]
    # @raise (see #pmap)
    def pfind(*ifnone, &block)
      Terminal.run(self, [], :find, :pfind, ifnone, block)
    end

    # @see #pfind
    def pdetect(*ifnone, &block)
      Terminal.run(self, [], :detect, :pdetect, ifnone, block)
    end

    # The number of the first element for which the block's value is true, or that is equal to the item.
    #
    #   cars.pfind_index { |car| car.late? }
    #
    # @param item [Object]
    # @yield [element]
    # @return [Integer, nil]
    # @raise (see #pmap)
    def pfind_index(*item, &block)
      Terminal.run(self, [], :find_index, :pfind_index, item, block)
    end

    # What has come out of the elements so far, at each of them: the prefix fold, or scan.
    #
    #   [1, 2, 3].paccumulate(:+) # => [1, 3, 6]
    #
    # @param arguments [Array] a first value, the name of an operator, or both
    # @yield [memo, element]
    # @return [Array]
    # @raise (see #pmap)
    def paccumulate(*arguments, &block)
      Section.natively { Scans.of(self, arguments, block) }
    end

    # ---- what Ruby does itself ----------------------------------------------------------------------------------

    # The first element, or so many.
    #
    # @param count [Integer]
    # @return [Object, Array, nil]
    # @raise [ArgumentError] with a block
    def pfirst(*count, &block)
      Section.takes_no_block(:pfirst, block)
      Section.natively { first(*count) }
    end

    # So many elements from the beginning.
    #
    # @param count [Integer]
    # @return [Array]
    # @raise [ArgumentError] with a block
    def ptake(count, &block)
      Section.takes_no_block(:ptake, block)
      Section.natively { take(count) }
    end

    # All elements but so many from the beginning.
    #
    # @param count [Integer]
    # @return [Array]
    # @raise [ArgumentError] with a block
    def pdrop(count, &block)
      Section.takes_no_block(:pdrop, block)
      Section.natively { drop(count) }
    end

    # Is an element equal to the item?
    #
    # @param item [Object]
    # @return [Boolean]
    # @raise [ArgumentError] with a block
    def pinclude?(item, &block)
      Section.takes_no_block(:pinclude?, block)
      Section.natively { include?(item) }
    end

    # @see #pinclude?
    def pmember?(item, &block)
      Section.takes_no_block(:pmember?, block)
      Section.natively { member?(item) }
    end

    # Arrays of the elements with those of other collections at the same places.
    #
    # @param others [Array<Enumerable>]
    # @yield [array] in parallel, if there is a block; then nil is given
    # @return [Array<Array>]
    def pzip(*others, &block)
      zipped = Section.natively { zip(*others) }
      block ? zipped.peach(&block) && nil : zipped
    end

    # The elements that are not nil; of a Hash the pairs whose value is not nil.
    #
    # @return [Array, Hash]
    # @raise [ArgumentError] with a block
    def pcompact(&block)
      Section.takes_no_block(:pcompact, block)
      Section.natively { compact }
    end

    # @return [Array] the items of the elements that are arrays, and of arrays in these, so many levels deep
    # @param depth [Integer] all levels, if it is not given
    # @raise [ArgumentError] with a block
    def pflatten(*depth, &block)
      Section.takes_no_block(:pflatten, block)
      Section.natively { respond_to?(:flatten) ? flatten(*depth) : to_a.flatten(*depth) }
    end

    # @return [Array] the elements from the last to the first
    # @raise [ArgumentError] with a block
    def preverse(&block)
      Section.takes_no_block(:preverse, block)
      Section.natively { to_a.reverse }
    end

    # @param random [#rand] a generator of random numbers
    # @return [Array] the elements in an order by chance: that of Array#shuffle
    # @raise [ArgumentError] with a block
    def pshuffle(random: Random, &block)
      Section.takes_no_block(:pshuffle, block)
      Section.natively { to_a.shuffle(random:) }
    end

    # Calls the block with each element and its number, in parallel, as {#peach} does.
    #
    # @yield [element, index]
    # @return [Object] what +each_with_index+ gives: self, and of an Enumerator mostly what it was made of
    def peach_with_index(&block) = block ? each_with_index.peach(&block) : each_with_index

    # Calls the block with each element, in parallel: with an array of them where `each` yields several values.
    #
    # @yield [element]
    # @return [Object] what +each_entry+ gives
    def peach_entry(&block) = block ? each_entry.peach(&block) : each_entry

    # Calls the block with each element, in parallel; where elements conflict and run in order, from the last one to the
    # first.
    #
    # @yield [element]
    # @return [Object] what +reverse_each+ gives
    def preverse_each(&block) = block ? reverse_each.peach(&block) : reverse_each

    # As {#peach_with_index}, with numbers from an offset on.
    #
    # @param offset [Integer]
    # @yield [element, number]
    # @return [Object] self
    def pwith_index(offset = 0, &block)
      Section.natively { (is_a?(Enumerator) ? self : each_entry).with_index(offset) }.peach(&block)
      self
    end

    # Calls the block with each element and an object, in parallel.
    #
    # @param memo [Object]
    # @yield [element, memo]
    # @return [Object] the memo
    def peach_with_object(memo, &block)
      return each_with_object(memo) unless block

      each_with_object(memo).peach(&block)
      memo
    end

    # Calls the block with arrays of so many elements, in parallel.
    #
    # @param count [Integer]
    # @yield [Array]
    # @return [Object] what +each_slice+ gives
    def peach_slice(count, &block)
      slices = Section.natively { each_slice(count) }
      block ? slices.peach(&block) : slices
    end

    # Calls the block with all arrays of so many elements in a row, in parallel.
    #
    # @param count [Integer]
    # @yield [Array]
    # @return [Object] what +each_cons+ gives
    def peach_cons(count, &block)
      windows = Section.natively { each_cons(count) }
      block ? windows.peach(&block) : windows
    end

    # Calls the block for each element with the elements at some distances from it, in parallel: a stencil. Of an array
    # of arrays, all of one length, the elements are the innermost ones, and a distance is an array of as many Integers
    # as there are dimensions.
    #
    #   heat = heat.pstencil([-1, 0, 1], outside: 0.0) { |left, here, right| (left + here + right) / 3 }
    #   cells.pstencil([[-1, 0], [0, -1], [0, 1], [1, 0]], outside: 0) { |n, w, e, s| n + w + e + s }
    #
    # @param offsets [Array<Integer>, Array<Array<Integer>>]
    # @param outside [Object] what the block gets for elements that are not there
    # @yield [element, ...] as many as there are offsets
    # @return [Array] of the block's values, nested as the elements are
    # @raise [ArgumentError] without a block, and for offsets or arrays that do not fit together
    # @raise (see #pmap)
    def pstencil(offsets, outside: nil, &block)
      Section.natively { Space.stencil(to_a, offsets, outside, block) }
    end

    # @see #pselect
    def pfilter(&block)
      block ? Section.run(self, :pselect, 1, nil, block, :filter) : WithoutBlock.new(self, :filter)
    end

    # @see #pmap
    def pcollect(&block)
      block ? Section.run(self, :pmap, 1, nil, block, :collect) : WithoutBlock.new(self, :collect)
    end
  end
end

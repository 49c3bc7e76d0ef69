# frozen_string_literal: true

require_relative "terminals"

module Ikra
  # The parallel methods that change a collection in place. Each does what Ruby's method without the +p+ does, when the
  # block has run for all elements: what it raises leaves the collection as it was. Blocks that may read the collection
  # itself are refused, as Ruby's would see it half changed.
  module ParallelChanges
    # Keeps the elements for which the block's value is true.
    #
    #   particles.pselect! { |particle| particle.alive? }
    #
    # @yield [element] of a Hash key and value
    # @return [Object, nil] self; nil where all are kept
    # @raise [FrozenError]
    # @raise (see ParallelMethods#pmap)
    def pselect!(&block)
      Terminal.run(self, [], :select!, :pselect!, [], block)
    end

    # @see #pselect!
    def pfilter!(&block)
      Terminal.run(self, [], :filter!, :pfilter!, [], block)
    end

    # {#pselect!} that gives self in any case.
    #
    # @return [Object] self
    def pkeep_if(&block)
      Terminal.run(self, [], :keep_if, :pkeep_if, [], block)
    end

    # Removes the elements for which the block's value is true.
    #
    #   sessions.preject! { |session| session.idle > 600 }
    #
    # @yield [element] of a Hash key and value
    # @return [Object, nil] self; nil where none is removed
    # @raise [FrozenError]
    # @raise (see ParallelMethods#pmap)
    def preject!(&block)
      Terminal.run(self, [], :reject!, :preject!, [], block)
    end

    # {#preject!} that gives self in any case.
    #
    # @return [Object] self
    def pdelete_if(&block)
      Terminal.run(self, [], :delete_if, :pdelete_if, [], block)
    end
  end

  # Those of what can hold any values: Array and Set.
  module ParallelReplacing
    # Puts the block's values in place of the elements.
    #
    #   samples.pmap! { |sample| sample * gain }
    #
    # @yield [element]
    # @return [Object] self
    # @raise [FrozenError]
    # @raise (see ParallelMethods#pmap)
    def pmap!(&block)
      Terminal.run(self, [], :map!, :pmap!, [], block)
    end

    # @see #pmap!
    def pcollect!(&block)
      Terminal.run(self, [], :collect!, :pcollect!, [], block)
    end
  end

  # Those of Array.
  module ParallelOrdering
    # Sorts the array; see {ParallelMethods#psort}.
    #
    # @return [Array] self
    # @yield [one, other] compares two elements, on one thread
    # @raise [FrozenError]
    def psort!(&block)
      Terminal.run(self, [], :sort!, :psort!, [], block)
    end

    # Sorts the array by the block's values; see {ParallelMethods#psort_by}.
    #
    #   cars.psort_by! { |car| car.position }
    #
    # @yield [element]
    # @return [Array] self
    # @raise [FrozenError]
    # @raise (see ParallelMethods#pmap)
    def psort_by!(&block)
      Terminal.run(self, [], :sort_by!, :psort_by!, [], block)
    end

    # Removes elements that are equal to an earlier one; see {ParallelMethods#puniq}.
    #
    # @yield [element]
    # @return [Array, nil] self; nil where none is removed
    # @raise [FrozenError]
    # @raise (see ParallelMethods#pmap)
    def puniq!(&block)
      Terminal.run(self, [], :uniq!, :puniq!, [], block)
    end
  end

  # Those of Hash that have no like elsewhere.
  module ParallelPairs
    # Calls the block with each value, in parallel.
    #
    #   prices.ptransform_values { |price| price * 1.19 }
    #
    # @yield [value]
    # @return [Hash] the block's values, under the same keys
    # @raise (see ParallelMethods#pmap)
    def ptransform_values(&block)
      Terminal.run(self, [], :transform_values, :ptransform_values, [], block)
    end

    # Puts the block's values in place of the values.
    #
    # @yield [value]
    # @return [Hash] self
    # @raise [FrozenError]
    # @raise (see ParallelMethods#pmap)
    def ptransform_values!(&block)
      Terminal.run(self, [], :transform_values!, :ptransform_values!, [], block)
    end

    # Calls the block with each key, in parallel.
    #
    # @param names [Hash] new keys by the old ones, as Ruby's method takes it; then Ruby's method runs
    # @yield [key]
    # @return [Hash] the values under the block's values
    # @raise (see ParallelMethods#pmap)
    def ptransform_keys(*names, &block)
      Terminal.run(self, [], :transform_keys, :ptransform_keys, names, block)
    end

    # Puts the block's values in place of the keys.
    #
    # @param names (see #ptransform_keys)
    # @yield [key]
    # @return [Hash] self
    # @raise [FrozenError]
    # @raise (see ParallelMethods#pmap)
    def ptransform_keys!(*names, &block)
      Terminal.run(self, [], :transform_keys!, :ptransform_keys!, names, block)
    end

    # Calls the block with each key and value, in parallel.
    #
    # @yield [key, value]
    # @return [Hash] self
    # @raise (see ParallelMethods#pmap)
    def peach_pair(&block) = block ? Pairs.each(self, :each_pair, block) : each_pair

    # Calls the block with each value, in parallel.
    #
    #   accounts.peach_value { |account| account.add_interest }
    #
    # @yield [value]
    # @return [Hash] self
    # @raise (see ParallelMethods#pmap)
    def peach_value(&block)
      block ? Pairs.each(self, :each_value, block) : each_value
    end

    # Calls the block with each key, in parallel.
    #
    # @yield [key]
    # @return [Hash] self
    # @raise (see ParallelMethods#pmap)
    def peach_key(&block)
      block ? Pairs.each(self, :each_key, block) : each_key
    end
  end

  # What goes through a Hash besides `each`.
  #
  # @api private
  module Pairs
    KEYS = Hash.instance_method(:keys)
    VALUES = Hash.instance_method(:values)

    # @param name [Symbol] the method, which may be one of the user's
    # @return [Object] what it gives
    def self.each(hash, name, block)
      return Collections::TO_ENUM.bind_call(hash, name).peach(&block) unless Collections.own?(hash, name, Hash)

      case name
      when :each_key then KEYS.bind_call(hash).peach(&block)
      when :each_value then VALUES.bind_call(hash).peach(&block)
      else Collections.asked(hash, name).peach(&block)
      end
      hash
    end
  end
  private_constant :Pairs

  # Which parallel methods which class has. What includes Enumerable has {ParallelMethods}.
  PARALLEL = [
    [::Array, ParallelMethods], [::Array, ParallelChanges], [::Array, ParallelReplacing], [::Array, ParallelOrdering],
    [::Array.singleton_class, ParallelArrays], [::Set, ParallelChanges], [::Set, ParallelReplacing],
    [::Hash, ParallelChanges], [::Hash, ParallelPairs], [::Integer, ParallelTimes]
  ].freeze
  private_constant :PARALLEL
end

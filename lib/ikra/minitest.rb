# frozen_string_literal: true

require "minitest"
require_relative "testing"

module Ikra
  # Assertions for blocks with parallel calls in them; `require "ikra/minitest"` gives them to every test:
  #
  #   def test_cars_move_as_in_plain_ruby
  #     assert_agrees_with_ruby { cars.peach(10) { |car| car.move(0.5) } }
  #   end
  module MinitestAssertions
    # Fails unless the block does on each back-end what it does in plain Ruby. It runs once on each, over deep copies of
    # the variables around it and of those of the test, with one seed.
    #
    # @param backends [Array<Symbol>] those that can run here, if none are given
    # @param seed [Integer] of +rand+
    # @yield the block with parallel calls
    # @return [true]
    def assert_agrees_with_ruby(backends: Testing.backends, seed: 1, &block)
      told = Testing.disagreement(block, backends:, seed:)
      assert(told.nil?, -> { "Expected the block to do what plain Ruby does, but #{told}" })
    end

    # Fails where something of the block is unsupported, or an element conflicts with another.
    #
    # @yield the block with parallel calls
    # @return [true]
    def assert_runs_in_parallel(&block)
      told = Testing.not_parallel(block)
      assert(told.nil?, -> { "Expected the block to run in parallel, but:\n#{told}" })
    end

    # Fails where an element conflicts with another.
    #
    # @yield the block with parallel calls
    # @return [true]
    def assert_free_of_conflicts(&block)
      told = Testing.conflict(block)
      assert(told.nil?, -> { "Expected the block to be free of conflicts, but:\n#{told}" })
    end

    # Fails where the block cannot be compiled for a back-end; skips the test where that is not there.
    #
    # @param backend [Symbol] such as +:cuda+
    # @yield the block with parallel calls
    # @return [true]
    def assert_compiles_for(backend, &block)
      told = begin
        Testing.not_compiled(block, backend)
      rescue DeviceError => e
        skip(e.message)
      end
      assert(told.nil?, -> { "Expected the block to compile for #{backend.inspect}, but:\n#{told}" })
    end
  end
end

# The gem minitest.
module Minitest
  # Every test has the assertions of {Ikra::MinitestAssertions}.
  class Test
    include Ikra::MinitestAssertions
  end
end

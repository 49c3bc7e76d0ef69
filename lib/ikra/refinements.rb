# frozen_string_literal: true

require "set"
require_relative "base"

module Ikra
  # The parallel methods where they are asked for only:
  #
  #   require "ikra/refinements"
  #   using Ikra::Refinements
  #
  # Ruby's own collections have them then, not classes of the user's that include Enumerable: Ruby 3.4 crashes where
  # `public_send` finds a method that a refinement of Enumerable has too.
  module Refinements
    [::Array, ::Hash, ::Range, ::Struct, ::Set, ::Enumerator, Column, TupleColumn].each do |collection|
      refine(collection) { import_methods ParallelMethods }
    end

    refine ::Array.singleton_class do
      import_methods ParallelArrays
    end

    refine ::Integer do
      import_methods ParallelTimes
    end
  end
end

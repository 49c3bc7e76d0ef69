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
    [*PARALLEL, *[::Hash, ::Range, ::Struct, ::Set, ::Enumerator, Column, TupleColumn]
      .map { |collection| [collection, ParallelMethods] }].each do |collection, methods|
      refine(collection) { import_methods methods }
    end
  end
end

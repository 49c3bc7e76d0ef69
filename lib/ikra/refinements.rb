# frozen_string_literal: true

require_relative "base"

module Ikra
  # The parallel methods where they are asked for only:
  #
  #   require "ikra/refinements"
  #   using Ikra::Refinements
  module Refinements
    refine ::Array do
      import_methods ParallelMethods
    end

    refine ::Enumerable do
      import_methods ParallelMethods
    end

    refine ::Integer do
      import_methods ParallelTimes
    end
  end
end

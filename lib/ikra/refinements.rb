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
  end
end

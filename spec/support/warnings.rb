# frozen_string_literal: true

# Ruby's warnings, and Ikra's.
module Warnings
  # Runs the block without them.
  def self.without
    verbose = $VERBOSE
    $VERBOSE = nil
    yield
  ensure
    $VERBOSE = verbose
  end
end

# frozen_string_literal: true

# The exceptions that Ikra itself raises. What a block raises has the class that Ruby would raise (see failures.rb).
module Ikra
  # Anything that kept a section from running.
  class Error < StandardError; end

  # The section was refused before it ran: the message says which construct, where, and what to write instead.
  class UnsupportedError < Error; end

  # The device, its driver or its compiler failed or is missing.
  class DeviceError < Error; end

  # An Integer left the 64 bits that it has in a section. Sequential Ruby would have gone on with a larger one.
  class OverflowError < RangeError; end

  # Which element and tick an exception of a block comes from. Exceptions raised by an element are extended with it.
  module ElementError
    # @return [Integer] index of the element in the array
    attr_accessor :element_index
    # @return [Integer] the tick, counted from 0
    attr_accessor :tick
  end
end

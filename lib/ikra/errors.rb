# frozen_string_literal: true

require_relative "diagnostic"

# The exceptions that Ikra itself raises. What a block raises has the class that Ruby would raise (see failures.rb).
module Ikra
  # How the messages of Ikra's own exceptions are shown: with colours on a terminal.
  #
  # @api private
  module Shown
    BOLD = "\e[1m"
    CLASS = "\e[1;4m"
    RED = "\e[31m"
    CYAN = "\e[36m"
    PLAIN = "\e[0m"
    CARETS = /^( {2} *\| \s*)(\^+)$/
    HINT = /^ {2}hint: .*(?:\n {8}.*)*/
    private_constant :BOLD, :CLASS, :RED, :CYAN, :PLAIN, :CARETS, :HINT

    # What Ruby prints of an exception that nobody rescues (since Ruby 3.2), and what loggers show.
    #
    # @param highlight [Boolean] with colours
    # @return [String] the message, with the class behind its first line
    def detailed_message(highlight: false, **)
      first, rest = message.split("\n", 2)
      return ["#{first} (#{self.class})", rest].compact.join("\n") unless highlight

      rest = rest&.gsub(CARETS, "\\1#{RED}\\2#{PLAIN}")&.gsub(HINT) { |hint| "#{CYAN}#{hint}#{PLAIN}" }
      ["#{BOLD}#{first} (#{CLASS}#{self.class}#{PLAIN}#{BOLD})#{PLAIN}", rest].compact.join("\n")
    end
  end
  private_constant :Shown

  # Anything that kept a section from running.
  class Error < StandardError
    include Shown
  end

  # The section came to what is not supported, or every run of it would, and has changed nothing: the message says which
  # construct, where, and what to write instead.
  class UnsupportedError < Error
    # The message as data, for editors and reports.
    #
    # @return [Array<Diagnostic>] all reasons that were found, one at least
    def diagnostics = Diagnostic.all(message)
  end

  # A section has changed something and then thrown what a +catch+ around it waits for. What was changed before stays in
  # Ruby, so Ruby does all of it; no user meets this exception.
  #
  # @api private
  class ThrownWithChanges < StandardError; end
  private_constant :ThrownWithChanges

  # The device, its driver or its compiler failed or is missing.
  class DeviceError < Error; end

  # With +Ikra.conflicts = :raise+: two elements are not independent.
  class ConflictError < Error
    # @return [Array(Integer, Integer)] the indices of the elements, in the order in which sequential Ruby would have
    #   come to them
    attr_reader :elements
    # @return [Object] the object or Array that both touch
    attr_reader :object
    # @return [String, Integer] the instance variable (+"@speed"+), the Struct's member (+"speed"+) or the array's index
    attr_reader :variable
    # @return [Array(Symbol, Symbol)] what each does: +:read+ or +:write+
    attr_reader :accesses
    # @return [Array(String, String)] where each does it: +"cars.rb:12"+
    attr_reader :lines

    # @api private
    def initialize(message, elements: nil, object: nil, variable: nil, accesses: nil, lines: nil)
      super(message)
      @elements = elements
      @object = object
      @variable = variable
      @accesses = accesses
      @lines = lines
    end
  end

  # The name that {ConflictError} had before.
  RaceError = ConflictError

  # An Integer left 64 bits where a section can have no larger one, or would have had more than 2**28 bits. Sequential
  # Ruby would have gone on. What it counts by has 64 bits, and so has what leaves them behind an {Ikra.sync} that has
  # run.
  class OverflowError < RangeError
    include Shown
  end

  # Which element and tick an exception of a block comes from. Exceptions raised by an element are extended with it.
  # That is kept apart from their instance variables, which are those that they have in plain Ruby.
  module ElementError
    # @return [Integer, nil] index of the element in the array; nil where a method that stops at an element runs in
    #   order
    def element_index = Native.noted(self, :element_index)

    # @param index [Integer, nil]
    def element_index=(index)
      Native.note(self, :element_index, index)
    end

    # @return [Integer] the tick, counted from 0
    def tick = Native.noted(self, :tick)

    # @param tick [Integer]
    def tick=(tick)
      Native.note(self, :tick, tick)
    end
  end
end

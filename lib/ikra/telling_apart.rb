# frozen_string_literal: true

module Ikra
  # Values that a section has computed and that are to be told apart: Ruby takes an object for equal to itself, also
  # NaN, and which of those that a section computes are one object nobody knows.
  #
  # @api private
  module TellingApart
    # What looks for values that are equal.
    NAMES = %i[group_by tally uniq uniq! to_set to_h chunk].freeze
    # Of what is nested deeper nothing is found out.
    DEEPEST = 10
    # A class may have a `to_a` of its own.
    MEMBERS = Struct.instance_method(:to_a)
    PAIRS = Hash.instance_method(:to_a)

    # Called with what a method comes to, by the extension before what the section has changed is written.
    #
    # @param name [Symbol] Ruby's method
    # @param values [Array, Column, nil]
    # @raise [UnsupportedError] where several of them are NaN, or hold it
    def self.check(name, values)
      return unless NAMES.include?(name) && values
      return if values.to_a.lazy.select { |value| nan?(value, 0) }.first(2).size < 2

      raise UnsupportedError,
            "which NaN are one object is not known of those that a section computes, and `#{name}` takes one for " \
            "equal to itself [unsupported-identity]\n  hint: make them something else: `value.nan? ? nil : value`"
    end

    def self.nan?(value, depth)
      case value
      when Float then value.nan?
      when Array, Struct, Hash then depth < DEEPEST && items(value).any? { |item| nan?(item, depth + 1) }
      end
    end

    def self.items(value)
      case value
      when Array then value
      when Struct then MEMBERS.bind_call(value)
      when Hash then PAIRS.bind_call(value)
      end
    end
    private_class_method :nan?, :items
  end
  private_constant :TellingApart
end

# frozen_string_literal: true

module Ikra
  # How the parts that elements gave to a local variable around the section become its new value. Called by the
  # extension; Ruby's own operators do the work, so Integers grow as they do in Ruby.
  module Captured
    class << self
      # `total += x`: the parts in the order of the elements.
      def operator(now, parts, operator) = parts.inject(now, operator.to_sym)

      # `least = [least, x].min`, with an array literal: its error is another than that of Array#min.
      def best(now, parts, method)
        return parts.inject(now) { |best, part| [best, part].max } if method == "max"

        parts.inject(now) { |best, part| [best, part].min }
      end

      # `least = [x, least].min`
      def best_later(now, parts, method)
        return parts.inject(now) { |best, part| [part, best].max } if method == "max"

        parts.inject(now) { |best, part| [part, best].min }
      end

      # `found ||= x`
      def or(now, parts, _) = now || parts.first

      # `all &&= x`
      def and(now, parts, _) = now && parts.first

      # `last = x`
      def last(_now, parts, _) = parts.first
    end
  end
  private_constant :Captured
end

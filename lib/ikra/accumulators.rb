# frozen_string_literal: true

module Ikra
  # Accumulators, the local variables around the section that elements write: their parts are reduced. Called by the
  # extension; Ruby's own operators do the work, so Integers grow as they do in Ruby. Each part has a place: its element
  # and tick, for the exception where an operator does not take it.
  #
  # @api private
  module Accumulators
    class << self
      # `total += x`: the parts in the order of the elements.
      def operator(now, parts, operator, *places)
        fold(now, parts, *places) { |sum, part| sum.public_send(operator, part) }
      end

      # `least = [least, x].min`. A literal says in another way than Array#min what cannot be compared.
      def best(now, parts, method, *places)
        return fold(now, parts, *places) { |best, part| [best, part].max } if method == "max"

        fold(now, parts, *places) { |best, part| [best, part].min }
      end

      # `least = [x, least].min`
      def best_later(now, parts, method, *places)
        return fold(now, parts, *places) { |best, part| [part, best].max } if method == "max"

        fold(now, parts, *places) { |best, part| [part, best].min }
      end

      # `found ||= x`
      def or(now, parts, *) = now || parts.first

      # `all &&= x`
      def and(now, parts, *) = now && parts.first

      # `last = x`
      def last(_now, parts, *) = parts.first

      private

      # `places`: the element and tick of each part. `frames`: where the block writes the variable.
      def fold(now, parts, places, frames)
        done = 0
        parts.inject(now) do |sum, part|
          sum = yield(sum, part)
          done += 1
          sum
        end
      rescue StandardError => e
        raise Failures.as_raised_at(e, frames, *places[done]), cause: e.cause
      end
    end
  end
  private_constant :Accumulators
end

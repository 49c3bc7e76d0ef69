# frozen_string_literal: true

module Ikra
  using OwnMethods

  # With +Ikra.fallback = :ruby+: the blocks that are not supported. To find that out again costs as much as to compile
  # them, so ever more calls run in plain Ruby at once, until one tries again: what it is called on may be another.
  #
  # @api private
  module Fallbacks
    # So many blocks are known, the latest of them.
    MOST = 1_000
    # No more calls than that are not tried.
    LONGEST = 1_023
    SOURCE = Proc.instance_method(:source_location)

    @known = {}

    class << self
      # Is this call of the block not to be tried?
      def skip?(block)
        known = @known[place(block)]
        return false unless known && known[1].positive?

        known[1] -= 1
        true
      end

      def refused(block)
        place = place(block) or return
        before, = @known.delete(place)
        @known.shift if @known.size >= MOST
        wait = [((before || 0) * 2) + 1, LONGEST].min
        @known[place] = [wait, wait]
      end

      # Another setting may change what is refused.
      def clear = @known.clear

      def ran(block) = @known.empty? || @known.delete(place(block))

      private

      def place(block) = block && SOURCE.bind_call(block)
    end
  end
  private_constant :Fallbacks
end

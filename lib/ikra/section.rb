# frozen_string_literal: true

module Ikra
  # Runs one call of a parallel method on the chosen back-end.
  module Section
    # What each operation is in sequential Ruby.
    SEQUENTIAL = { peach: :each, pmap: :map, pselect: :select }.freeze
    # An element and its tick are numbered with 64 bits.
    MAXIMUM_TICKS = (2**63) - 1

    @warned = {}

    class << self
      # @param base [Array]
      # @param operation [Symbol] +:peach+, +:pmap+ or +:pselect+
      # @return [Array]
      def run(base, operation, ticks, block)
        raise ArgumentError, "#{operation} needs a block" unless block

        check_ticks(ticks)
        return operation == :peach ? base : [] if base.empty? || ticks.zero?
        return sequential(base, operation, ticks, block) if Ikra.chosen == :ruby

        begin
          Native.run(base, operation, ticks, block, Ikra.chosen, Ikra.check)
        rescue UnsupportedError => e
          raise from_caller(e) unless Ikra.fallback == :ruby

          warn_once(e, operation)
          sequential(base, operation, ticks, block)
        rescue Ractor::UnsafeError
          raise Error, "parallel sections run in the main Ractor only: send it what they need, and back what they give"
        rescue StandardError => e
          raise from_caller(e)
        end
      end

      private

      def check_ticks(ticks)
        raise TypeError, "ticks must be an Integer, not #{ticks.inspect}" unless ticks.is_a?(Integer)
        raise ArgumentError, "ticks must not be negative: #{ticks}" if ticks.negative?
        raise ArgumentError, "so many ticks would never end: #{ticks}" if ticks > MAXIMUM_TICKS
      end

      def sequential(base, operation, ticks, block)
        start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        result = base.public_send(SEQUENTIAL.fetch(operation), &block)
        (ticks - 1).times { base.each(&block) }
        result
      ensure
        profile(Process.clock_gettime(Process::CLOCK_MONOTONIC) - start)
      end

      # Profiles are of the main Ractor.
      def profile(seconds)
        Native.profile_ruby(seconds) if Ractor.current == Ractor.main
      end

      # The user's lines are what the backtrace is read for.
      def from_caller(error)
        error.set_backtrace(error.backtrace&.reject { |frame| frame.start_with?("#{__dir__}/") })
        error
      end

      def warn_once(error, operation)
        place = caller.find { |frame| !frame.start_with?("#{__dir__}/") }
        return if @warned[place]

        @warned[place] = true
        warn "#{place}: #{operation} runs in plain Ruby:\n#{error.message}"
      end
    end
  end
  private_constant :Section
end

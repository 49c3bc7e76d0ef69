# frozen_string_literal: true

require "stringio"
require_relative "../ikra"
require_relative "testing/comparison"
require_relative "testing/world"

module Ikra
  # What `ikra/rspec` and `ikra/minitest` ask of a block with parallel calls in it. Each method returns nil where all is
  # well, else a text that says what is not.
  #
  # @api private
  module Testing
    # Hooks into the one place where sections are run.
    module Watched
      KEY = :ikra_testing_watch

      # @api private
      def native(base, call, block)
        Thread.current[KEY]&.call(base, call, block)
        super
      end
    end
    Ikra.const_get(:Section).singleton_class.prepend(Watched)

    QUOTING = %w[DidYouMean::Correctable ErrorHighlight::CoreExt].freeze
    private_constant :QUOTING
    NOTHING_RAN = "no section ran: there is no parallel call in the block, or its collections are empty"

    class << self
      # The back-ends that can run here, but for plain Ruby.
      #
      # @return [Array<Symbol>]
      def backends = Ikra.backend == :cuda ? %i[cpu cuda] : %i[cpu]

      # Does the block do the same on each back-end as in plain Ruby? It runs once on each over deep copies of what it
      # can reach, so that all stays as it is.
      #
      # @param backends [Array<Symbol>]
      # @param seed [Integer] of +rand+, each time
      # @return [String, nil]
      def disagreement(block, backends: self.backends, seed: 1)
        world = World.new(block)
        expected = outcome(world, :ruby, seed, block)
        backends.each do |backend|
          actual = outcome(world, backend, seed, block)
          found = Comparison.new(expected, actual).difference or next
          return "on #{backend.inspect} #{found.path} differs:\n  #{found.actual}\ninstead of\n  #{found.expected}"
        end
        nil
      rescue UnsupportedError => e
        "it is unsupported:\n#{e.detailed_message}"
      rescue OverflowError => e
        "an Integer leaves 64 bits:\n#{e.detailed_message}"
      ensure
        world&.restore
      end

      # Why the block does not run in parallel: it is unsupported, runs in plain Ruby, or elements conflict.
      #
      # @return [String, nil]
      def not_parallel(block)
        ran = 0
        return "sections run in plain Ruby here: Ikra.backend is :ruby" if Ikra.backend == :ruby

        with(fallback: :raise, conflicts: :raise, meanwhile: :wait) { watch(->(*) { ran += 1 }, &block) }
        ran.zero? ? NOTHING_RAN : nil
      rescue UnsupportedError, OverflowError, ConflictError => e
        e.detailed_message
      end

      # Which elements conflict.
      #
      # @return [String, nil]
      def conflict(block)
        ran = 0
        with(conflicts: :raise) { watch(->(*) { ran += 1 }, &block) }
        ran.zero? ? NOTHING_RAN : nil
      rescue ConflictError => e
        e.detailed_message
      end

      # Why a section of the block cannot be compiled for a back-end. The block runs, on the back-end that is chosen.
      #
      # @param backend [Symbol]
      # @return [String, nil]
      # @raise [DeviceError] when the back-end is not here
      def not_compiled(block, backend)
        missing = Ikra.const_get(:Native).missing(backend)
        raise DeviceError, "the back-end #{backend.inspect} cannot compile here\n#{missing}" if missing

        sections = 0
        compile = lambda do |base, call, body|
          sections += 1
          body = Ikra.const_get(:Written).block(body)
          Ikra.const_get(:Native).explain(base.columns, base.form, call.how, body, backend, Ikra.conflicts)
        end
        with(fallback: :raise) { watch(compile, &block) }
        sections.zero? ? NOTHING_RAN : nil
      rescue UnsupportedError => e
        e.detailed_message
      end

      private

      # What the block returns or raises, and what all that it can reach is then. What it prints belongs to it.
      def outcome(world, backend, seed, block)
        world.renew
        before = [$stdout, $stderr]
        $stdout = StringIO.new
        $stderr = StringIO.new
        srand(seed)
        Ikra.srand(seed)
        raises = returns = nil
        begin
          with(backend:, fallback: :raise, meanwhile: :wait) { returns = block.call }
        rescue UnsupportedError, OverflowError
          # What Ikra says, and plain Ruby would not.
          raise
        rescue StandardError, SystemStackError, ScriptError => e
          raises = [e.class, message_of(e)]
        end
        { raises:, returns:, prints: $stdout.string, **world.to_h }
      ensure
        $stdout, $stderr = before
      end

      # Before 3.2, did_you_mean and error_highlight put lines behind a message that quote the source.
      def message_of(error)
        return error.message unless error.is_a?(NameError) && error.method(:message).owner == Exception

        to_s = error.method(:to_s)
        to_s = to_s.super_method while QUOTING.include?(to_s.owner.name)
        to_s.call
      end

      def watch(watcher)
        before = Thread.current[Watched::KEY]
        Thread.current[Watched::KEY] = watcher
        yield
      ensure
        Thread.current[Watched::KEY] = before
      end

      # Runs the block with other settings.
      def with(**settings)
        before = Ikra.settings.slice(*settings.keys)
        settings.each { |name, value| Ikra.public_send(:"#{name}=", value) }
        yield
      ensure
        before&.each { |name, value| Ikra.public_send(:"#{name}=", value) }
      end
    end
  end
end

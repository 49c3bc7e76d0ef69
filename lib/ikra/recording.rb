# frozen_string_literal: true

module Ikra
  using OwnMethods

  # What each call of a section took, for {Ikra.profile}, and how many there were, for {Ikra.stats}.
  #
  # @api private
  module Recording
    # One call. The phases are those of the extension, in seconds.
    Event = Struct.new(:operation, :place, :elements, :ticks, :thread, :start, :seconds, :backend, :phases)

    # The extension's names of phases that have others here.
    NAMES = { trace: :read, copy_back: :write_back }.freeze

    # What is counted all the time.
    @sections = 0
    @counts = { plain: 0, unsupported: 0, conflicts: 0, given_up: 0 }
    # A list of events for each profile that is open.
    @open = []
    @any_open = false

    class << self
      # @return [Integer] how many sections there were
      attr_reader :sections

      # @return [Hash{Symbol => Integer}]
      def counts = { sections: @sections, **@counts }

      # @param facts [Hash] what the extension tells
      # @return [Hash{Symbol => Float}] the seconds of phases
      def phases(facts) = facts.transform_keys { |name| NAMES.fetch(name, name) }.slice(*Profile::PHASES)

      # @param what [Symbol] a key of {counts}
      def count(what) = @counts[what] += 1

      # Counts a section.
      #
      # @return [Boolean] is it to be recorded?
      def section
        @sections += 1
        @any_open
      end

      # @yield what is to be recorded
      # @return [Array<Event>]
      def during
        events = []
        # Profiles are compared by what they are: two may have the same events.
        @open = [*@open, events]
        @any_open = true
        yield
        events
      ensure
        @open = @open.reject { |other| other.equal?(events) }
        @any_open = !@open.empty?
      end

      # Runs a call, and records it where a profile is open.
      #
      # @param operation [Symbol] the method, as the user has called it
      # @param block [Proc, nil] the user's
      def of(operation, block, elements, ticks, &)
        @open.empty? ? yield : recorded(Event.new(operation, place(block), elements, ticks, Thread.current), &)
      end

      private

      def recorded(event)
        lists = @open
        number = Native.open_profile
        event.start = now
        yield
      ensure
        event.seconds = now - event.start
        facts = Native.close_profile(number)
        event.backend = facts[:backend]
        event.phases = phases(facts).reject { |_, seconds| seconds.zero? }
        lists.each { |list| list << event }
      end

      def place(block) = block&.source_location&.join(":")
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
  private_constant :Recording

  class << self
    # What has happened since the program began, of all threads:
    #
    # sections:: calls that ran compiled, or were compiled
    # plain:: calls that ran in plain Ruby, as {backend} or {fallback} asks for it
    # unsupported:: of these, those that fell back
    # conflicts:: sections that began anew, in order, as elements conflicted
    # given_up:: sections that a GPU could not run, and that stay on the CPU
    #
    # It is always counted, and costs nothing that can be measured. To see where time goes ask {profile}.
    #
    #   Ikra.stats # => {sections: 12, plain: 0, unsupported: 0, conflicts: 1, given_up: 0}
    #
    # @return [Hash{Symbol => Integer}]
    def stats = Recording.counts
  end
end

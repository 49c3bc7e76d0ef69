# frozen_string_literal: true

module RandomPrograms
  # Trials of programs of Ikra.section: there is no element that fails, and none is left out then.
  module SectionTrials
    private

    # The parallel methods are sequential ones there.
    def sequential_section(block)
      yield 0
      Redefined.on { block.call }
    end

    def section? = @program.operation == :section

    # What was done before a sync stays, whatever comes later.
    def synced? = @program.source.include?("Ikra.sync")

    # What is found out when it happens only. Arrays of the section are frozen in syncs.
    def refused_late?(error)
      error.message.match?(/\[unsupported-(rescue|rescue-variable|ensure|raise|regexp|special-global|hash)\]/) ||
        error.message.match?(/\[(changing-base|changed-in-sync)\]/) ||
        (synced? && error.is_a?(FrozenError) && frozen_array?(error))
    end

    def frozen_array?(error)
      error.receiver.is_a?(Array)
    rescue ArgumentError
      false
    end
  end
end

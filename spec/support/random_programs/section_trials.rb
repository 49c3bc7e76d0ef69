# frozen_string_literal: true

module RandomPrograms
  # Trials of programs of Ikra.section: there is no element that fails, and none is left out then.
  module SectionTrials
    private

    # The parallel methods are sequential ones there.
    def sequential_section(block)
      yield 0
      before = Ikra.chosen
      Ikra.backend = :ruby
      block.call
    ensure
      Ikra.backend = before
    end

    def section? = @program.operation == :section

    # What is found out when it happens only.
    def refused_late?(error) = error.message.match?(/\[(unsupported-rescue|changing-base)\]/)
  end
end

# frozen_string_literal: true

module RandomPrograms
  # Where exceptions came from, in the program: what is below the element's block is Ikra's own, or the trial's.
  module Backtraces
    private

    # A verdict where an exception comes from another line: labels, and what is below, are not always Ruby's.
    def other_backtrace(expected, error)
      ruby, ikra = [expected, error].map { |e| frames(e) }
      return if ikra.first.to_s[/:\d+:/] == ruby.first.to_s[/:\d+:/]

      verdict(:wrong_backtrace, "#{text(error)}\nRuby: #{ruby.inspect}\nIkra: #{ikra.inspect}")
    end

    # Frames of the program, with methods of Ruby's own that it calls.
    def frames(error) = error.backtrace.to_a.grep(/random_program_/).map { |line| line[/:\d+:in .*/] }
  end
end

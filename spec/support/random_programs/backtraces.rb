# frozen_string_literal: true

module RandomPrograms
  # Where exceptions came from, in the program: what is below the element's block is Ikra's own, or the trial's.
  module Backtraces
    private

    # A verdict where an exception comes from elsewhere: below its top a backtrace is not always Ruby's.
    def other_backtrace(expected, error)
      ruby, ikra = [expected, error].map { |e| frames(e) }
      return if ikra.first == ruby.first || within_own?(ruby, ikra) || within_sync?(ruby, ikra)

      verdict(:wrong_backtrace, "#{text(error)}\nRuby: #{ruby.inspect}\nIkra: #{ikra.inspect}")
    end

    # Frames of the program, with methods of Ruby's own that it calls.
    def frames(error) = error.backtrace.to_a.grep(/random_program_/).map { |line| line[/:\d+:in .*/] }

    # The block of an Ikra.sync is evaluated apart from its method, whose name it does not tell.
    def within_sync?(ruby, ikra)
      ikra.first.to_s.end_with?("nowhere'") && ruby.first[/:\d+:/] == ikra.first[/:\d+:/]
    end

    # What one of Ruby's own methods calls (`to_int`) is no frame in Ikra.
    def within_own?(ruby, ikra) = ruby[1] == ikra.first && ruby[0][/:\d+:/] == ruby[1][/:\d+:/]
  end
end

# frozen_string_literal: true

module RandomPrograms
  # Where exceptions came from, in the program: what is below the section's block is Ikra's own, or the trial's.
  module Backtraces
    private

    # A verdict where an exception comes from another line. What is below it is not always Ruby's: with
    # IKRA_SPEC_BACKTRACES=1 all of it is compared.
    def other_backtrace(expected, error)
      ruby, ikra = [expected, error].map { |e| frames(e) }
      return if ikra == ruby || within_own?(ruby, ikra)
      return if ENV["IKRA_SPEC_BACKTRACES"] != "1" && ikra.first.to_s[/:\d+:/] == ruby.first.to_s[/:\d+:/]

      verdict(:wrong_backtrace, "#{text(error)}\nRuby: #{ruby.inspect}\nIkra: #{ikra.inspect}")
    end

    # Frames of the program, with methods of Ruby's own that it calls. Methods that call themselves are told once; what
    # hands items on within an enumerator of Ruby's own (`chunk_while`) is not.
    def frames(error)
      lines = error.backtrace.to_a.grep(/random_program_/).map { |line| line[/:\d+:in .*/] }
      lines = lines.grep_v(/<<'\z/)
      lines.chunk_while { |a, b| a[/in .*/] == b[/in .*/] }.map(&:first)
    end

    # What one of Ruby's own methods calls (`to_int`) is no frame in Ikra.
    def within_own?(ruby, ikra) = ruby.drop(1) == ikra && ruby[0][/:\d+:/] == ruby[1][/:\d+:/]
  end
end

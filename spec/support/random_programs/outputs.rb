# frozen_string_literal: true

require_relative "printing"

module RandomPrograms
  # What programs print, in Ruby and in Ikra.
  module Outputs
    private

    # Runs the block with streams that keep what is printed.
    def printing(who)
      out = $stdout
      err = $stderr
      $stdout = StringIO.new
      $stderr = StringIO.new
      yield
    ensure
      texts = [$stdout.string, $stderr.string.lines.grep(/\A#{Printing::WARNED}/o).join]
      (@printed ||= {})[who] = texts
      $stdout = out
      $stderr = err
    end

    # A failure, where one has printed something else.
    def other_output
      ruby, ikra = @printed.values_at(:ruby, :ikra)
      return if ruby == ikra

      verdict(:other_output, difference(ruby, ikra))
    end
  end
end

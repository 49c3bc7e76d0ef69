# frozen_string_literal: true

module RandomPrograms
  # Trials of programs whose methods are functions as far as they can be.
  module Outlining
    private

    # In every third program each method that can be one is a function, however seldom it is called.
    def outlined? = (@program.seed % 3).zero? && !@inlined

    # In every second one loops copy what their variables hold as soon as they can.
    def outlining
      ENV["IKRA_TEST_OUTLINED"] = "1" if outlined?
      ENV["IKRA_TEST_COPIES"] = "1" if @program.seed.odd?
      ENV["IKRA_TEST_FORGETTING"] = "1" if (@program.seed % 5).zero?
      yield
    ensure
      %w[IKRA_TEST_OUTLINED IKRA_TEST_COPIES IKRA_TEST_FORGETTING].each { |name| ENV.delete(name) }
    end

    # Backtraces name the callers of functions as those of methods that are inlined.
    def inlined_alike(kept, error, raised_at)
      @inlined = true
      found = frames(error)
      unload
      load_program
      other = in_ikra(kept)[1][1]
      # With all inlined it may be too much for one section.
      return [nil, raised_at] if other.is_a?(Ikra::UnsupportedError) && !error.is_a?(Ikra::UnsupportedError)

      inlined = frames(other)
      # What has called a method that launches elements is not told of these.
      inlined = inlined.first(found.size) if section?
      return [nil, raised_at] if found == inlined

      verdict(:wrong_backtrace, "#{text(error)}\ninlined: #{inlined.inspect}\noutlined: #{found.inspect}")
    ensure
      @inlined = false
    end
  end
end

# frozen_string_literal: true

module RandomPrograms
  # Trials of programs whose elements Ruby begins with, until compiled code goes on.
  module BeginningInRuby
    private

    # Every fourth program, each with code after another number of elements. With IKRA_FUZZ_MEANWHILE=1 all do so, but
    # those for which core methods are others: they are so for their own code only.
    def begins_in_ruby?
      ((@program.seed % 4) == 1 || ENV.key?("IKRA_FUZZ_MEANWHILE")) && redefined.empty?
    end

    def beginning_in_ruby(size)
      Ikra.meanwhile = :wait
      return yield unless begins_in_ruby?

      Ikra.meanwhile = :ruby
      ENV["IKRA_TEST_MEANWHILE"] = (((@program.seed / 4) + @rounds) % (size + 1)).to_s
      yield
    ensure
      ENV.delete("IKRA_TEST_MEANWHILE")
    end
  end
end

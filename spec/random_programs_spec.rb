# frozen_string_literal: true

require "etc"
require "open3"
require "rbconfig"

# Random programs compute in Ikra what they compute in plain Ruby. `rake fuzz:programs[10000,1]` runs more of them.
# IKRA_SPEC_PROGRAMS=count,seed chooses how many and which.
RSpec.describe "Random programs" do
  count, seed = ENV.fetch("IKRA_SPEC_PROGRAMS", "400,1").split(",").map(&:to_i)
  # The emulator's C++ takes long to compile.
  counts = { cpu: count, "cuda-emulated": count / 25 }
  # A debug build is slow: outside CI it runs as many as there is time for.
  seconds = ENV["CI"] ? 100_000 : 100
  runner = File.join(__dir__, "support/random_programs/run.rb")

  (Backends::COMPILING & counts.keys).each do |backend|
    it "are the same on #{backend}" do
      # In a process of its own: children of one that has used CUDA cannot use it.
      command = [RbConfig.ruby, "-I#{File.join(__dir__, "../lib")}", runner]
      given = [counts[backend], seed, backend, Etc.nprocessors, seconds]
      # Inference ends when nothing grows that it has gone by: one walk more must find nothing else.
      told, words, status = Open3.capture3({ "IKRA_TEST_WALKS" => "1" }, *command, *given.map(&:to_s))
      RSpec.configuration.reporter.message(told.lines.last)
      expect(status).to be_success, "#{told[0, 12_000]}#{words[0, 2000]}\n#{told[-4000..]}"
      total, passed = told.lines.last.scan(/(\d+) (?:programs|passed)/).flatten.map(&:to_i)
      # Most can be compared; of few, some more may be such that cannot. What is refused is written too: programs favour
      # what is rare, of which some go together in no section.
      expect(passed).to be > (total * 0.74) - 6
    end
  end
end

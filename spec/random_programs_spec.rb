# frozen_string_literal: true

require "support/random_programs/shards"

# Random programs compute in Ikra what they compute in plain Ruby. `rake fuzz:programs[10000,1]` runs more of them.
# IKRA_SPEC_PROGRAMS=count,seed chooses how many and which.
RSpec.describe "Random programs" do
  count, seed = ENV.fetch("IKRA_SPEC_PROGRAMS", "2000,1").split(",").map(&:to_i)
  # The emulator's C++ takes long to compile.
  counts = { cpu: count, "cuda-emulated": count / 50 }
  # A debug build is slow: outside CI it runs as many as there is time for.
  seconds = ENV["CI"] ? Float::INFINITY : 100

  (Backends::COMPILING & counts.keys).each do |backend|
    it "are the same on #{backend}" do
      campaign = RandomPrograms::Shards.run(backend, seed...(seed + counts[backend]), seconds:)
      RSpec.configuration.reporter.message(campaign.to_s)
      expect(campaign.failures.first(3).join("\n\n")).to eq("")
      expect(campaign.passed).to be > campaign.total * 0.9
    end
  end
end

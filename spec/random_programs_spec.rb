# frozen_string_literal: true

require "support/random_programs/campaign"

# Random programs compute in Ikra what they compute in plain Ruby. `rake fuzz:programs[10000,1]` runs more of them.
# IKRA_SPEC_PROGRAMS=count,seed chooses how many and which.
RSpec.describe "Random programs" do
  count, seed = ENV.fetch("IKRA_SPEC_PROGRAMS", "2000,1").split(",").map(&:to_i)
  # What the emulator compiles takes it long.
  counts = { cpu: count, "cuda-emulated": count / 50 }

  (Backends::COMPILING & counts.keys).each do |backend|
    it "are the same on #{backend}" do
      campaign = RandomPrograms::Campaign.new(backend, shrink: 30)
      campaign.run(seed...(seed + counts[backend]))
      expect(campaign.failures.first(3).join("\n\n")).to eq("")
      expect(campaign.passed).to be > counts[backend] * 0.95, campaign.to_s
      RSpec.configuration.reporter.message(campaign.to_s)
    end
  end
end

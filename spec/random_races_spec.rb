# frozen_string_literal: true

# With Ikra.check = :races random programs raise the race that sequential Ruby comes to first, with both elements, the
# object, the variable and the tick; and where there is none, they compute what it computes. IKRA_SPEC_RACES=count,seed
# chooses how many programs and which.
RSpec.describe "Random races" do
  count, seed = ENV.fetch("IKRA_SPEC_RACES", GCModes.chosen ? "10,1" : "60,1").split(",").map(&:to_i)

  around do |example|
    chosen = Ikra.chosen
    Ikra.backend = :cpu
    example.run
  ensure
    Ikra.backend = chosen
  end

  it "are found, and nothing else is" do
    races = quiet = 0
    (seed...(seed + count)).each do |number|
      trial = RandomRaces::Trial.new(number)
      expect(trial.run(0...24)).to be_nil
      races += trial.races
      quiet += trial.quiet
    end
    expect([races, quiet].min).to be > (races + quiet) / 5
  end
end

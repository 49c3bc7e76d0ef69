# frozen_string_literal: true

# Random programs over objects that see each other. With Ikra.conflicts = :raise they raise the race that sequential
# Ruby comes to first, with both elements, the object, the variable and the tick; otherwise they compute what it
# computes, whatever runs at the same time. IKRA_SPEC_RACES=count,seed chooses how many programs and which.
each_compiling_backend do |backend|
  count, seed = ENV.fetch("IKRA_SPEC_RACES", GCModes.chosen || backend != :cpu ? "10,1" : "60,1").split(",").map(&:to_i)

  around do |example|
    # Each element is a task of its own.
    ENV["IKRA_TEST_SPLIT"] = "1"
    Warnings.without { example.run }
  ensure
    ENV.delete("IKRA_TEST_SPLIT")
  end

  it "finds random races, and nothing else" do
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

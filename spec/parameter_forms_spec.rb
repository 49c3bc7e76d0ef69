# frozen_string_literal: true

require_relative "support/parameter_forms"

# Every form of parameters with every form of arguments: of methods, procs, lambdas and blocks, and of methods that pass
# them on by `super`. IKRA_SPEC_FORMS=count,seed chooses how many of them and which.
each_compiling_backend do |backend|
  count, seed = ENV.fetch("IKRA_SPEC_FORMS", "80,1").split(",").map(&:to_i)
  count /= 8 unless backend == :cpu

  it "binds parameters as Ruby does" do
    differences = ParameterForms.sample(count, seed).flat_map(&:differences)
    expect(differences).to eq([]), -> { differences.first(5).join("\n\n") }
  end
end

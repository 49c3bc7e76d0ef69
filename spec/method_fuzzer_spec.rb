# frozen_string_literal: true

RSpec.describe MethodFuzzer do
  it "chooses among all methods that run" do
    methods = described_class::Calls.methods
    expect(methods.keys).to match_array(described_class::Values::RECEIVERS.keys)
    expect(methods.values.sum(&:size)).to be > 600
  end
end

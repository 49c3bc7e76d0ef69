# frozen_string_literal: true

require "etc"
require "open3"
require "rbconfig"

# Ruby's own methods do in sections what they do in Ruby, whatever they are called on and given.
# `rake fuzz:methods[20000,1]` calls more of them. IKRA_SPEC_METHODS=count,seed chooses how many and which.
RSpec.describe MethodFuzzer do
  # Each Ruby takes other ones.
  own = (10_000 * RUBY_VERSION.delete(".").to_i) + 100
  count, seed = ENV.fetch("IKRA_SPEC_METHODS", "1500,#{own}").split(",").map(&:to_i)
  runner = File.join(__dir__, "support/method_fuzzer/run.rb")

  it "chooses among all methods that run" do
    methods = described_class::Calls.methods
    expect(methods.keys).to match_array(described_class::Values::RECEIVERS.keys)
    expect(methods.values.sum(&:size)).to be > 600
  end

  if Backends::COMPILING.include?(:cpu)
    it "finds no difference" do
      command = [RbConfig.ruby, "-I#{File.join(__dir__, "../lib")}", runner]
      given = [count, seed, :cpu, Etc.nprocessors]
      told, words, status = Open3.capture3(*command, *given.map(&:to_s))
      RSpec.configuration.reporter.message(told.lines.last)
      expect(status).to be_success, "#{told[0, 12_000]}#{words[0, 2000]}"
      agreed, refused = %w[agreed unsupported].map { |kind| told.lines.last[/(\d+) #{kind}/, 1].to_i }
      # Most can be compared.
      expect(agreed).to be > refused * 3
    end
  end
end

# frozen_string_literal: true

# What the checks cost that Ruby's semantics ask for (overflow, division by zero, range, nil): kernels with them against
# the same kernels without, which would be wrong where Ruby raises.
#
#   rake bench:checks        ruby -Ilib benchmark/checks.rb

require "json"
require_relative "measurement"
$LOAD_PATH.unshift("#{Measurement::ROOT}/lib")
require "ikra"
abort "without checks runs only what `rake compile:testing` builds" unless Ikra.const_get(:Native)::TESTING

# Prints the kernel seconds of a second call, in a process of its own.
SECTIONS = {
  "traffic, 1,000 ticks" => <<~RUBY,
    require "\#{examples}/traffic/scenario"
    require "\#{examples}/traffic/weather"
    scenario = Scenario.new
    table = scenario.table
    weather = Weather::GOOD
    section = -> { scenario.actors.peach(1_000) { |actor| actor.move(weather, table) } }
  RUBY
  "n-body, 1,000 bodies" => <<~RUBY
    require "\#{examples}/nbody/body"
    random = Random.new(1)
    bodies = Array.new(1_000) { Body.new(Array.new(3) { random.rand }, [0.0, 0.0, 0.0], random.rand) }
    section = -> { 20.times { bodies.peach { |body| body.attract(bodies, 0.01) } } }
  RUBY
}.freeze

def kernel_seconds(section, environment)
  Dir.mktmpdir do |folder|
    script = File.join(folder, "section.rb")
    examples = File.join(Measurement::ROOT, "examples")
    File.write(script, <<~RUBY)
      require "ikra"
      Ikra.backend = :cpu
      #{section.gsub('#{examples}', examples)}
      section.call
      puts Ikra.profile(&section)[:kernel]
    RUBY
    Measurement.output(environment, RbConfig.ruby, "-I#{Measurement::ROOT}/lib", script).to_f
  end
end

require "tmpdir"
rows = SECTIONS.map do |name, section|
  pairs = Array.new(7) do
    [kernel_seconds(section, {}), kernel_seconds(section, { "IKRA_BENCHMARK_UNCHECKED" => "1" })]
  end
  checked, unchecked = pairs.transpose.map { |seconds| Measurement.median(seconds) }
  ratio = Measurement.median(pairs.map { |with, without| with / without })
  [name, format("%.1f ms", checked * 1e3), format("%.1f ms", unchecked * 1e3), format("%.3f", ratio)]
end
puts "kernel time on the CPU, medians of 7 rounds",
     Measurement.table([["", "with checks", "without", "ratio"], *rows])

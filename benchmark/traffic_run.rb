# frozen_string_literal: true

# One measured process of the traffic benchmark: prints seconds and checksums as JSON. With --backend, the first and the
# second call of the section in this process; with --sequential, the same block in plain Ruby.

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "json"
require "optparse"
require_relative "../examples/traffic/checksum"
require_relative "../examples/traffic/scenario"
require_relative "../examples/traffic/weather"

# Sequential Ruby is measured after a few ticks, when its compiler, if it has one, has done its work.
WARM_UP_TICKS = 10

def timed
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  result = yield
  [Process.clock_gettime(Process::CLOCK_MONOTONIC) - start, result]
end

def call_of_section(ticks, actors, weather, table)
  seconds, profile = timed do
    Ikra.profile { actors.peach(ticks) { |actor| actor.move(weather, table) } }
  end
  phases = %i[capture infer compile read upload kernel download write_back].to_h { |phase| [phase, profile[phase]] }
  { seconds:, phases:, backend: profile[:backend] }
end

def sequential(ticks, actors, weather, table)
  run = ->(count) { count.times { actors.each { |actor| actor.move(weather, table) } } }
  run.call(WARM_UP_TICKS)
  seconds, = timed { run.call(ticks) }
  { seconds_per_tick: seconds / ticks }
end

options = { ticks: 1000, backend: :auto }
OptionParser.new do |parser|
  parser.on("--ticks N", Integer)
  parser.on("--backend NAME", %i[auto cuda cpu])
  parser.on("--sequential")
  parser.on("--shuffle")
end.parse!(into: options)

scenario = Scenario.new
actors = options[:shuffle] ? scenario.actors.shuffle(random: Random.new(Scenario::SEED)) : scenario.actors
arguments = [options[:ticks], actors, Weather::GOOD, scenario.table]

if options[:sequential]
  puts JSON.generate(sequential(*arguments))
else
  require "ikra"
  Ikra.backend = options[:backend]
  first = call_of_section(*arguments)
  checksum = Checksum.of(scenario.actors)
  puts JSON.generate(first:, second: call_of_section(*arguments), checksum:)
end

#!/usr/bin/env ruby
# frozen_string_literal: true

# Cars and pedestrians on a random street network, moved in parallel: the simulation that the Ikra paper measures.
# The classes under traffic/ are plain Ruby; the one line that knows of Ikra is the peach below.
#
#   ruby examples/traffic.rb --ticks 1000 --weather bad
#   ruby examples/traffic.rb --ticks 1000 --report

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"
require_relative "traffic/checksum"
require_relative "traffic/report"
require_relative "traffic/scenario"
require_relative "traffic/weather"

options = { ticks: 1000, weather: Weather::GOOD, cars: 4096, peds: 16_384, streets: 500, backend: Ikra.backend }
OptionParser.new do |parser|
  parser.on("--ticks N", Integer, "how long to simulate (#{options[:ticks]})")
  parser.on("--weather WEATHER", Weather::ALL, "good or bad (#{options[:weather]})")
  parser.on("--cars N", Integer, "(#{options[:cars]})")
  parser.on("--peds N", Integer, "pedestrians (#{options[:peds]})")
  parser.on("--streets N", Integer, "(#{options[:streets]})")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
  parser.on("--shuffle", "mix cars and pedestrians in the array")
  parser.on("--report", "tell the time of each phase and the speed-up over sequential Ruby")
end.parse!(into: options)

Ikra.backend = options[:backend]
weather = options[:weather]
scenario = Scenario.new(cars: options[:cars], pedestrians: options[:peds], streets: options[:streets])
table = scenario.table
base = options[:shuffle] ? scenario.actors.shuffle(random: Random.new(Scenario::SEED)) : scenario.actors

simulate = lambda do |actors, ticks|
  actors.peach(ticks) { |actor| actor.move(weather, table) }
end

if options[:report]
  report = TrafficReport.new(scenario, options[:ticks])
  report.measure { simulate.call(base, options[:ticks]) }
  report.compare(simulate) { |actor| actor.move(weather, table) }
else
  simulate.call(base, options[:ticks])
end
puts Checksum.of(scenario.actors)

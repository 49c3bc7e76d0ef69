#!/usr/bin/env ruby
# frozen_string_literal: true

# Cars and pedestrians in a real town: the classes of traffic.rb on a street network from OpenStreetMap. A tick is a
# second. After the last one the town is drawn as an SVG picture.
#
#   ruby examples/city.rb --ticks 600 --output tmp/city.svg
#   ruby examples/city.rb --ticks 600 --live 8000

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"
require_relative "city/map"
require_relative "city/street_network"
require_relative "pictures/live"
require_relative "traffic/car"
require_relative "traffic/checksum"
require_relative "traffic/pedestrian"
require_relative "traffic/weather"

SECONDS_PER_MINUTE = 60

options = {
  ticks: 600, cars: 400, peds: 600, seed: 1, weather: Weather::GOOD, backend: Ikra.backend, output: "tmp/city.svg",
  map: File.expand_path("data/dillingham.graphml", __dir__), title: "Dillingham, Alaska"
}
OptionParser.new do |parser|
  parser.on("--ticks N", Integer, "how many seconds to simulate (#{options[:ticks]})")
  parser.on("--cars N", Integer, "(#{options[:cars]})")
  parser.on("--peds N", Integer, "pedestrians (#{options[:peds]})")
  parser.on("--seed N", Integer, "where everyone starts and turns (#{options[:seed]})")
  parser.on("--weather WEATHER", Weather::ALL, "good or bad (#{options[:weather]})")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
  parser.on("--output FILE", "the picture (#{options[:output]})")
  parser.on("--live PORT", Integer, "show each second in a browser (with the gem webrick)")
  parser.on("--map FILE", "another street network, in the GraphML of OSMnx")
  parser.on("--title TEXT", "what to write on the picture (#{options[:title]})")
end.parse!(into: options)

Ikra.backend = options[:backend]
weather = options[:weather]
random = Random.new(options[:seed])
streets = StreetNetwork.load(options[:map])

actors = Array.new(options[:peds] + options[:cars]) do |i|
  street = streets.sample(random:)
  progress = random.rand * street.length
  i < options[:peds] ? Pedestrian.new(street, progress) : Car.new(street, progress, random.rand(15..40).to_f)
end

live = Live.new(options[:live]) if options[:live]
drawn = -> { Map.new(options[:title], streets, actors).to_svg }

# Every minute people think anew about where they go.
remaining = options[:ticks]
while remaining > 0
  table = Array.new(streets.size) { random.rand(streets.size) }
  ticks = [remaining, SECONDS_PER_MINUTE].min
  # Who looks at it sees each second.
  steps, each = live ? [ticks, 1] : [1, ticks]
  steps.times do
    actors.peach(each) { |actor| actor.move(weather, table) }
    live&.show(drawn.call)
  end
  remaining -= ticks
end

live&.finish

drawn.call.save(options[:output])
puts Checksum.of(actors)

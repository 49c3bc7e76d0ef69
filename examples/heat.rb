#!/usr/bin/env ruby
# frozen_string_literal: true

# Heat flows along a ring of pieces, of which one is kept hot and one cold. A step is two parallel calls: first all look
# at their neighbours, then all change. They are in one section, so that the pieces are read once and written once,
# however many steps there are; it ends when nothing changes much any more.
#
#   ruby examples/heat.rb --pieces 1000 --steps 5000
#   ruby examples/heat.rb --pieces 200 --output tmp/heat.svg
#   ruby examples/heat.rb --pieces 200 --live 8000

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"
require_relative "pictures/chart"
require_relative "pictures/live"

# A part of the ring.
class Piece
  attr_accessor :before, :after
  attr_reader :heat, :flow

  def initialize(heat, fixed)
    @heat = heat
    @fixed = fixed
    @flow = 0.0
  end

  def look
    @flow = @fixed ? 0.0 : 0.25 * (@before.heat - (2.0 * @heat) + @after.heat)
  end

  def change
    @heat += @flow
  end
end

def curve(ring) = ring.each_with_index.map { |piece, i| [i, piece.heat] }
def drawn(lines) = Chart.new("Heat on a ring", across: "piece", up: "heat", lines:).to_svg

options = { pieces: 1000, steps: 5000, least: 1e-5, backend: Ikra.backend }
OptionParser.new do |parser|
  parser.on("--pieces N", Integer, "(#{options[:pieces]})")
  parser.on("--steps N", Integer, "at most (#{options[:steps]})")
  parser.on("--least X", Float, "the change at which it ends (#{options[:least]})")
  parser.on("--output FILE", "draw the heat along the ring, as it changes, as SVG")
  parser.on("--live PORT", Integer, "show each 50th step in a browser (with the gem webrick)")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
end.parse!(into: options)

Ikra.backend = options[:backend]
count = options[:pieces]
ring = Array.new(count) do |i|
  case i
  when 0 then Piece.new(100.0, true)
  when count / 3 then Piece.new(0.0, true)
  else Piece.new(20.0, false)
  end
end
ring.each_with_index do |piece, i|
  piece.before = ring[i - 1]
  piece.after = ring[(i + 1) % count]
end

curves = {}
live = Live.new(options[:live]) if options[:live]
looked_at = !live.nil?
steps = 0
most = options[:steps]
least = options[:least]
Ikra.section do
  change = 1.0
  while steps < most && change > least
    ring.peach(&:look)
    ring.peach(&:change)
    steps += 1
    # That takes a look at all of them.
    change = ring.pmap { |piece| piece.flow.abs }.max if (steps % 50).zero?
    Ikra.sync { live.show(drawn({ "#{steps} steps" => curve(ring) })) } if looked_at && (steps % 50).zero?
    next unless options[:output] && [1, 50, 500, 2000, 5000].include?(steps)

    Ikra.sync { curves["#{steps} steps"] = curve(ring) }
  end
end
live&.finish

drawn(curves).save(options[:output]) if options[:output]
puts "#{steps} steps"
(0...count).step([count / 10, 1].max) { |i| puts format("%<i>6d %<heat>.6f", i:, heat: ring[i].heat) }

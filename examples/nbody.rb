#!/usr/bin/env ruby
# frozen_string_literal: true

# A cluster of stars under their own gravity. Every star reads where all the others are, so a step is two parallel
# sections: first all velocities change, then all positions. Afterwards pmap computes the energies, whose sum stays the
# same but for rounding and the length of the step, and pselect finds the stars that are fast enough to leave for good.
#
#   ruby examples/nbody.rb --bodies 1000 --steps 100

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"
require_relative "nbody/body"

options = { bodies: 1000, steps: 100, seed: 1, backend: Ikra.backend }
OptionParser.new do |parser|
  parser.on("--bodies N", Integer, "(#{options[:bodies]})")
  parser.on("--steps N", Integer, "(#{options[:steps]})")
  parser.on("--seed N", Integer, "where the bodies start (#{options[:seed]})")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
end.parse!(into: options)

Ikra.backend = options[:backend]
random = Random.new(options[:seed])
point = ->(size) { Array.new(3) { random.rand(-size..size) } }
bodies = Array.new(options[:bodies]) { Body.new(point.call(1.0), point.call(0.9), 1.0 / options[:bodies]) }

step = 0.005
options[:steps].times do
  bodies.peach { |body| body.attract(bodies, step) }
  bodies.peach { |body| body.drift(step) }
end

# A pair's potential energy is found at both of its bodies, so that half of it makes the total.
energies = bodies.pmap { |body| body.kinetic + (0.5 * body.potential(bodies)) }
escaping = bodies.pselect { |body| body.kinetic + body.potential(bodies) > 0.0 }
puts "energy #{energies.sum}"
puts "escaping #{escaping.size}"

#!/usr/bin/env ruby
# frozen_string_literal: true

# Points fall on a square at random, and the part of them that falls into a quarter of a circle in it tells pi. Each
# element is a series of points. It has random numbers of its own: the block makes their generator from a seed, and they
# are Ruby's, so all back-ends print the same.
#
#   ruby examples/monte_carlo.rb --series 2000 --points 10000

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"

options = { series: 1000, points: 10_000, seed: 1, backend: Ikra.backend }
OptionParser.new do |parser|
  parser.on("--series N", Integer, "(#{options[:series]})")
  parser.on("--points N", Integer, "of each series (#{options[:points]})")
  parser.on("--seed N", Integer, "that of the first series (#{options[:seed]})")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
end.parse!(into: options)

Ikra.backend = options[:backend]
points = options[:points]
seed = options[:seed]

# Four times the part of the points that are nearer than 1.
estimates = (seed...seed + options[:series]).pmap do |number|
  random = Random.new(number)
  inside = points.times.count do
    x = random.rand
    y = random.rand
    (x * x) + (y * y) < 1.0
  end
  4.0 * inside / points
end

mean = estimates.sum / estimates.size
deviation = Math.sqrt(estimates.sum { |estimate| (estimate - mean)**2 } / estimates.size)
puts format("pi is about %.6f, which is off by %.6f", mean, (mean - Math::PI).abs)
puts format("series of %d points give %.6f to %.6f, with a deviation of %.6f", points, *estimates.minmax, deviation)

#!/usr/bin/env ruby
# frozen_string_literal: true

# Points are put into clusters: every point into the one whose centre is nearest, every centre into the middle of its
# points, until no point moves. Both are parallel calls of one section; the loop over the centres runs between them.
#
#   ruby examples/kmeans.rb --points 10000 --clusters 6
#   ruby examples/kmeans.rb --points 2000 --output tmp/kmeans.svg
#   ruby examples/kmeans.rb --points 2000 --clusters 8 --live 8000

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"
require_relative "pictures/live"
require_relative "pictures/sheet"

# A point of a plane.
class Point
  attr_reader :x, :y, :cluster

  def initialize(x, y)
    @x = x
    @y = y
    @cluster = -1
  end

  # Finds the nearest centre. Is it another one than before?
  def choose(xs, ys)
    nearest = xs.each_index.min_by { |i| ((xs[i] - @x)**2) + ((ys[i] - @y)**2) }
    return false if nearest == @cluster

    @cluster = nearest
    true
  end
end

# Of one colour are the points of one cluster.
def drawn(points, xs, ys)
  sheet = Sheet.new("k-means: #{points.size} points, #{xs.size} clusters", points.map { |point| [point.x, point.y] })
  points.group_by(&:cluster).sort.each { |number, all| sheet.dots(all.map { |point| [point.x, point.y] }, number) }
  sheet.dots(xs.zip(ys), nil, radius: 6)
  sheet.to_svg
end

options = { points: 10_000, clusters: 6, seed: 1, backend: Ikra.backend }
OptionParser.new do |parser|
  parser.on("--points N", Integer, "(#{options[:points]})")
  parser.on("--clusters N", Integer, "(#{options[:clusters]})")
  parser.on("--seed N", Integer, "where the points are (#{options[:seed]})")
  parser.on("--output FILE", "draw the points and the centres as SVG")
  parser.on("--live PORT", Integer, "show each round in a browser (with the gem webrick)")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
end.parse!(into: options)

Ikra.backend = options[:backend]
random = Random.new(options[:seed])
clusters = options[:clusters]
middles = Array.new(clusters) { [random.rand(-10.0..10.0), random.rand(-10.0..10.0)] }
points = Array.new(options[:points]) do
  x, y = middles.sample(random:)
  Point.new(x + random.rand(-2.0..2.0), y + random.rand(-2.0..2.0))
end
xs = Array.new(clusters) { |i| points[i * points.size / clusters].x }
ys = Array.new(clusters) { |i| points[i * points.size / clusters].y }

live = Live.new(options[:live]) if options[:live]
looked_at = !live.nil?
rounds = Ikra.section do
  count = 0
  loop do
    moved = points.pselect { |point| point.choose(xs, ys) }
    break if moved.empty?

    count += 1
    clusters.times do |number|
      members = points.pselect { |point| point.cluster == number }
      next if members.empty?

      xs[number] = members.pmap(&:x).sum / members.size
      ys[number] = members.pmap(&:y).sum / members.size
    end
    Ikra.sync { live.show(drawn(points, xs, ys)) } if looked_at
  end
  count
end
live&.finish

drawn(points, xs, ys).save(options[:output]) if options[:output]
puts "#{rounds} rounds"
clusters.times do |number|
  size = points.count { |point| point.cluster == number }
  puts format("%.6f %.6f %d", xs[number], ys[number], size)
end

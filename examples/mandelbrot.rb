#!/usr/bin/env ruby
# frozen_string_literal: true

# The Mandelbrot set: pmap counts how long each point takes to escape, pselect keeps the points that never do. Prints a
# picture in letters, or writes one in colours.
#
#   ruby examples/mandelbrot.rb
#   ruby examples/mandelbrot.rb --width 1600 --output tmp/mandelbrot.png

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"
require_relative "pictures/png"

# A point of the complex plane.
class Point
  def initialize(re, im)
    @re = re
    @im = im
  end

  # How many times z = z**2 + c can be applied, starting at zero, before z leaves the circle of radius 2.
  def iterations(limit)
    x = y = 0.0
    count = 0
    while count < limit && (x * x) + (y * y) <= 4.0
      re = (x * x) - (y * y) + @re
      y = (2.0 * x * y) + @im
      x = re
      count += 1
    end
    count
  end
end

options = { width: 78, limit: 200, backend: Ikra.backend }
OptionParser.new do |parser|
  parser.on("--width N", Integer, "of the picture, in letters or pixels (#{options[:width]})")
  parser.on("--limit N", Integer, "iterations after which a point counts as inside (#{options[:limit]})")
  parser.on("--output FILE", "write a picture as PNG (with the gem chunky_png)")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
end.parse!(into: options)

Ikra.backend = options[:backend]
limit = options[:limit]
width = options[:width]
# Three wide and two high; a letter is about twice as high as wide.
height = width * 2 / (options[:output] ? 3 : 6)
points = Array.new(width * height) do |i|
  row, column = i.divmod(width)
  Point.new((3.0 * (column + 0.5) / width) - 2.0, 1.0 - (2.0 * (row + 0.5) / height))
end

counts = points.pmap { |point| point.iterations(limit) }
inside = points.pselect { |point| point.iterations(limit) == limit }

if options[:output]
  # Early escapes take most of the range, so that the rim shows.
  shades = counts.pmap { |count| count == limit ? nil : Math.log(count + 1) / Math.log(limit + 1) }
  colours = shades.map { |shade| shade ? PNG.mixed(PNG::DUSK, shade) : 0 }
  PNG.save(options[:output], width, colours)
else
  letters = counts.map { |count| count == limit ? "@" : " .:-=+*#%"[[count / 3, 8].min] }
  letters.each_slice(width) { |row| puts row.join.rstrip }
end
puts "iterations #{counts.sum}"
puts "inside #{inside.size}"
puts format("area %.4f", 6.0 * inside.size / points.size)

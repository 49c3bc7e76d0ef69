#!/usr/bin/env ruby
# frozen_string_literal: true

# y = a * x + y, for vectors of numbers in single precision. They are columns: no number of them is an object, and
# nothing is converted before or after. Also how long y is then, and the scalar product of both.
#
#   ruby examples/saxpy.rb --items 6000000

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"

options = { items: 1_000_000, factor: 1.5, times: 3, seed: 1, backend: Ikra.backend }
OptionParser.new do |parser|
  parser.on("--items N", Integer, "of a vector (#{options[:items]})")
  parser.on("--factor X", Float, "a (#{options[:factor]})")
  parser.on("--times N", Integer, "how often a * x is added (#{options[:times]})")
  parser.on("--seed N", Integer, "which numbers (#{options[:seed]})")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
end.parse!(into: options)

Ikra.backend = options[:backend]
random = Random.new(options[:seed])
xs = Ikra::Column.generate(options[:items], :float32) { random.rand(-1.0..1.0) }
ys = Ikra::Column.generate(options[:items], :float32) { random.rand(-1.0..1.0) }

a = options[:factor]
options[:times].times do
  ys.size.ptimes { |i| ys[i] += a * xs[i] }
end

# The squares are a column as well.
length = Math.sqrt(ys.pmap { |y| y * y }.psum)
product = Ikra::TupleColumn.over([xs, ys]).psum { |x, y| x * y }

ys.first(5).each { |y| puts format("%.6f", y) }
puts format("length %.6f, product with x %.6f", length, product)

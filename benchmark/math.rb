# frozen_string_literal: true

# How far the functions of Math on a back-end are from Ruby's own: the greatest distance in units in the last place
# (ulp) over random arguments, half of them around 1 and half of all magnitudes, and how many differ at all. lgamma goes
# through zero; where it is below 1, its distance is told in ulp of 1.
#
#   rake bench:math        ruby -Ilib benchmark/math.rb --backend cuda --count 1000000

require "ikra"
require "optparse"
require_relative "measurement"

options = { backend: "cuda", count: 1_000_000 }
OptionParser.new do |parser|
  parser.on("--backend NAME", "(#{options[:backend]})")
  parser.on("--count N", Integer, "arguments of each function (#{options[:count]})")
end.parse!(into: options)
Ikra.backend = options[:backend]

random = Random.new(1)
exponents = -> { random.rand(-1.0..1.0) * (2.0**random.rand(-1022..1023)) }
near = -> { random.rand(-8.0..8.0) }
arguments = Array.new(options[:count]) { |i| i.even? ? near.call : exponents.call }
small = Array.new(options[:count]) { |i| i.even? ? random.rand(-1.0..1.0) : random.rand(-40.0..175.0) }
positive = arguments.map(&:abs)

# A section for each function, since Ikra compiles what stands in the block. Pairs take the argument and its neighbour.
SECTIONS = {
  sin: [arguments, ->(a) { a.pmap { |x| Math.sin(x) } }, ->(x) { Math.sin(x) }],
  cos: [arguments, ->(a) { a.pmap { |x| Math.cos(x) } }, ->(x) { Math.cos(x) }],
  tan: [arguments, ->(a) { a.pmap { |x| Math.tan(x) } }, ->(x) { Math.tan(x) }],
  asin: [arguments.map { |x| Math.sin(x) }, ->(a) { a.pmap { |x| Math.asin(x) } }, ->(x) { Math.asin(x) }],
  acos: [arguments.map { |x| Math.sin(x) }, ->(a) { a.pmap { |x| Math.acos(x) } }, ->(x) { Math.acos(x) }],
  atan: [arguments, ->(a) { a.pmap { |x| Math.atan(x) } }, ->(x) { Math.atan(x) }],
  sinh: [arguments, ->(a) { a.pmap { |x| Math.sinh(x) } }, ->(x) { Math.sinh(x) }],
  cosh: [arguments, ->(a) { a.pmap { |x| Math.cosh(x) } }, ->(x) { Math.cosh(x) }],
  tanh: [arguments, ->(a) { a.pmap { |x| Math.tanh(x) } }, ->(x) { Math.tanh(x) }],
  asinh: [arguments, ->(a) { a.pmap { |x| Math.asinh(x) } }, ->(x) { Math.asinh(x) }],
  acosh: [positive.map { |x| x + 1.0 }, ->(a) { a.pmap { |x| Math.acosh(x) } }, ->(x) { Math.acosh(x) }],
  atanh: [arguments.map { |x| Math.sin(x) }, ->(a) { a.pmap { |x| Math.atanh(x) } }, ->(x) { Math.atanh(x) }],
  exp: [arguments, ->(a) { a.pmap { |x| Math.exp(x) } }, ->(x) { Math.exp(x) }],
  log: [positive, ->(a) { a.pmap { |x| Math.log(x) } }, ->(x) { Math.log(x) }],
  log2: [positive, ->(a) { a.pmap { |x| Math.log2(x) } }, ->(x) { Math.log2(x) }],
  log10: [positive, ->(a) { a.pmap { |x| Math.log10(x) } }, ->(x) { Math.log10(x) }],
  sqrt: [positive, ->(a) { a.pmap { |x| Math.sqrt(x) } }, ->(x) { Math.sqrt(x) }],
  cbrt: [arguments, ->(a) { a.pmap { |x| Math.cbrt(x) } }, ->(x) { Math.cbrt(x) }],
  erf: [arguments, ->(a) { a.pmap { |x| Math.erf(x) } }, ->(x) { Math.erf(x) }],
  erfc: [arguments, ->(a) { a.pmap { |x| Math.erfc(x) } }, ->(x) { Math.erfc(x) }],
  gamma: [small, ->(a) { a.pmap { |x| Math.gamma(x) } }, ->(x) { Math.gamma(x) }],
  lgamma: [small, ->(a) { a.pmap { |x| Math.lgamma(x)[0] } }, ->(x) { Math.lgamma(x)[0] }],
  atan2: [arguments, ->(a) { a.pmap { |x| Math.atan2(x, 0.75) } }, ->(x) { Math.atan2(x, 0.75) }],
  hypot: [arguments, ->(a) { a.pmap { |x| Math.hypot(x, 0.75) } }, ->(x) { Math.hypot(x, 0.75) }],
  "**": [positive, ->(a) { a.pmap { |x| x**1.7 } }, ->(x) { x**1.7 }]
}.freeze

# Floats in their order, as Integers.
def rank(number)
  bits = [number].pack("G").unpack1("q>")
  bits.negative? ? -(bits & ((1 << 63) - 1)) : bits
end

def distance(name, expected, actual)
  return 0 if expected.nan? && actual.nan?
  return ((expected - actual).abs / Float::EPSILON).ceil if name == :lgamma && expected.abs < 1

  (rank(expected) - rank(actual)).abs
end

rows = SECTIONS.map do |name, (values, section, plain)|
  distances = values.zip(section.call(values)).map { |x, actual| distance(name, plain.call(x), actual) }
  worst = distances.max
  [name.to_s, worst.to_s, format("%.4f %%", distances.count(&:positive?) * 100.0 / distances.size),
   values[distances.index(worst)].to_s]
end
puts "Math on #{options[:backend]}, #{options[:count]} arguments each",
     Measurement.table([%w[function ulp differ worst], *rows])

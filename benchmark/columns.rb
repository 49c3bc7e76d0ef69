# frozen_string_literal: true

# The same sections over columns (Ikra::Column) and over Arrays of the same numbers: what it costs that items are
# objects. With plain Ruby over the Arrays beside it.
#
#   rake bench:columns        ruby -Ilib benchmark/columns.rb --rounds 15 --items 6000000 --backend cpu
#
# Results are compared first. Then the three run in turn; figures are the least of the rounds.

require "ikra"
require "optparse"
require_relative "measurement"

options = { rounds: 9, items: 6_000_000, backend: "cpu", ruby: true }
OptionParser.new do |parser|
  parser.on("--rounds N", Integer, "(#{options[:rounds]})")
  parser.on("--items N", Integer, "(#{options[:items]})")
  parser.on("--backend NAME", "(#{options[:backend]})")
  parser.on("--no-ruby", "without plain Ruby")
end.parse!(into: options)
options[:ruby] = options.delete(:"no-ruby") if options.key?(:"no-ruby")
Ikra.backend = options[:backend]

# What is done to the numbers x and y. Each is Ruby's way and Ikra's, of anything that has items.
a = 2.5
ROWS = {
  "saxpy: `y[i] = a * x[i] + y[i]`" => [
    ->(x, y) { y.size.times { |i| y[i] = (a * x[i]) + y[i] } },
    ->(x, y) { y.size.ptimes { |i| y[i] = (a * x[i]) + y[i] } }
  ],
  "`x.pmap { a * x + 1 }`" => [->(x, _) { x.map { |v| (a * v) + 1 } }, ->(x, _) { x.pmap { |v| (a * v) + 1 } }],
  "`x.pmap { Math.sqrt(x) }`" => [->(x, _) { x.map { |v| Math.sqrt(v) } }, ->(x, _) { x.pmap { |v| Math.sqrt(v) } }],
  "`x.pselect { x > … }`" => [->(x, _) { x.select { |v| v > 1e6 } }, ->(x, _) { x.pselect { |v| v > 1e6 } }],
  "`x.peach { sum += x }`" => [
    lambda { |x, _|
      sum = 0.0
      x.each { |v| sum += v }
      [sum]
    },
    lambda { |x, _|
      sum = 0.0
      x.peach { |v| sum += v }
      [sum]
    }
  ]
}.freeze

def time
  GC.start
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  yield
  (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start) * 1000
end

# New numbers, as Arrays and as columns.
def numbers(count)
  arrays = [Array.new(count) { |i| i * 0.5 }, Array.new(count, 1.0)]
  [arrays, arrays.map { |array| Ikra::Column.from_a(array) }]
end

ROWS.each_value do |ruby, ikra|
  expected, = numbers(1000)
  result = ruby.call(*expected)
  numbers(1000).each do |x, y|
    actual = ikra.call(x, y)
    Measurement.same!([result.is_a?(Integer) ? nil : result, *expected].inspect,
                      [result.is_a?(Integer) ? nil : actual.to_a, x.to_a, y.to_a].inspect)
  end
end
arrays, columns = numbers(options[:items])
rows = ROWS.map do |name, (ruby, ikra)|
  times = Array.new(options[:rounds]) do
    plain = options[:ruby] ? time { ruby.call(*arrays) } : Float::NAN
    [plain, time { ikra.call(*arrays) }, time { ikra.call(*columns) }]
  end
  plain, with_arrays, with_columns = times.transpose.map(&:min)
  [name, *[plain, with_arrays, with_columns].map { |ms| format("%.1f", ms) },
   format("%.1f", with_arrays / with_columns)]
end
puts "#{options[:items]} Floats on #{options[:backend]}, #{Ikra.threads} threads, Ruby #{RUBY_VERSION}; milliseconds"
puts Measurement.table([["", "Ruby", "Ikra, Arrays", "Ikra, columns", "ratio"], *rows])

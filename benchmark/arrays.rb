# frozen_string_literal: true

# How methods of arrays that look for items, or take them from the front, grow with the array: Ruby's `map` against a
# compiled section of two elements, each of which goes through the whole array.
#
#   rake bench:arrays        ruby -Ilib benchmark/arrays.rb --rounds 9 --sizes 15000,30000,60000

require "ikra"
require "optparse"
require_relative "measurement"

options = { rounds: 7, sizes: [15_000, 30_000, 60_000] }
OptionParser.new do |parser|
  parser.on("--rounds N", Integer, "(#{options[:rounds]})")
  parser.on("--sizes LIST", Array, "items of the array (#{options[:sizes].join(",")})") { |list| list.map(&:to_i) }
end.parse!(into: options)
Ikra.backend = :cpu

# The methods over arrays of `n` items.
def programs(n) # rubocop:disable Metrics
  a = Array.new(n) { |i| (i * 7919) % 1_000_003 }
  b = Array.new(n) { |i| (i * 104_729) % 1_000_003 }
  {
    "uniq" => ->(x) { a.uniq.size + x },
    "a - b" => ->(x) { (a - b).size + x },
    "a & b" => ->(x) { (a & b).size + x },
    "a | b" => ->(x) { (a | b).size + x },
    "shift" => lambda do |x|
      queue = a.dup
      x += queue.shift until queue.empty?
      x
    end,
    "unshift" => lambda do |x|
      queue = [x]
      a.each { |item| queue.unshift(item) }
      queue.size
    end,
    "search" => lambda do |x|
      queue = [0]
      seen = Array.new(n, false)
      count = 0
      until queue.empty?
        node = queue.shift
        count += 1
        [((node * 3) + x) % n, (node + 1) % n].each do |other|
          queue << other unless seen[other]
          seen[other] = true
        end
      end
      count
    end
  }
end

def time
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  yield
  (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start) * 1000
end

sizes = options[:sizes].map { |n| programs(n) }
rows = sizes.first.keys.map do |name|
  times = sizes.flat_map do |programs|
    block = programs[name]
    Measurement.same!([1, 2].map(&block).to_s, [1, 2].pmap(&block).to_s)
    pairs = Array.new(options[:rounds]) { [time { [1, 2].map(&block) }, time { [1, 2].pmap(&block) }] }
    pairs.transpose.map { |list| format("%.1f", Measurement.median(list)) }
  end
  [name, *times]
end
heads = options[:sizes].flat_map { |n| ["Ruby #{n}", "Ikra #{n}"] }
puts Measurement.table([["ms", *heads], *rows])

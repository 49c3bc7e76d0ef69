# frozen_string_literal: true

# What it costs that elements may not be independent: kernels that are watched, or defer something, against the same
# ones that race, and against sequential Ruby (with YJIT, where Ruby has it), everything included.
#
#   rake bench:conflicts        ruby -Ilib benchmark/conflicts.rb --backend cuda

require "json"
require "tmpdir"
require_relative "measurement"
$LOAD_PATH.unshift("#{Measurement::ROOT}/lib")
require "ikra"
abort "unwatched runs only what `rake compile:testing` builds" unless Ikra.const_get(:Native)::TESTING

BACKEND = ARGV[0] == "--backend" ? ARGV.fetch(1) : "cpu"

WORLD = <<~RUBY
  class Cell
    attr_accessor :x, :v, :around, :own, :other
  end
  SIZE = 200_000
  random = Random.new(1)
  cells = Array.new(SIZE) { Cell.new }
  cells.each_with_index do |cell, i|
    cell.x = i.to_f
    cell.v = 0.0
    cell.around = Array.new(10) { cells[(i + random.rand(-50..50)) % SIZE] }
    cell.own = [0.0] * 10
    cell.other = cells[(i + 1) % SIZE]
  end
  even = cells.each_slice(2).map(&:first)
  numbers = (0...SIZE).to_a
  million = Array.new(1_000_000) { random.rand(1_000_000) }
  floats = million.map { |n| n * 0.1 }
  grid = [0.0] * SIZE
  histogram = [0] * 1000
  sums = [0.0] * 1000
RUBY

# Elements that are independent, though that is not proven.
WATCHED = {
  "ten neighbours are read, one's own is written, rarely" =>
    "cells.%s { |cell| sum = 0.0; cell.around.each { |c| sum += c.x }; cell.v = sum; cell.x = sum if sum < -1e300 }",
  "ten neighbours are read, another of one's own is written (proven)" =>
    "cells.%s { |cell| sum = 0.0; cell.around.each { |c| sum += c.x }; cell.v = sum }",
  "ten items of one's own array are read and written" =>
    "cells.%s { |cell| 9.times { |i| cell.own[i] = cell.own[i + 1] + cell.x } }",
  "one item of a large array is written" => "numbers.%s { |n| grid[n] = n * 0.5 }",
  "another object is written" => "even.%s { |cell| cell.other.v = cell.x }"
}.freeze

# Elements that change what others change, and do not look at it.
DEFERRED = {
  "a histogram of 1,000 bins" => "million.%s { |n| histogram[n % 1000] += 1 }",
  "Floats added up in 1,000 places" => "million.%s { |n| sums[n % 1000] += n * 0.5 }",
  "ten items of one's own array are added to" => "cells.%s { |cell| 10.times { |i| cell.own[i] += cell.x } }",
  "neighbours add to each other" => "cells.%s { |cell| cell.v -= 1.0; cell.other.v += 1.0 }",
  "total += x of Integers" => "total = 0; million.%s { |n| total += n }",
  "total += x of Floats" => "total = 0.0; floats.%s { |x| total += x }",
  "total += x of Floats, twice" => "total = 0.0; floats.%s { |x| total += x; total += 0.5 }"
}.freeze

# Those that are not independent.
IN_ORDER = {
  "all take over what the one before has got" => "cells.%s { |cell| cell.other.v = cell.v + cell.x }"
}.freeze

# Seconds of a later call: the kernel, all of it, and sequential Ruby, in a process of its own.
def seconds(section, environment = {})
  Dir.mktmpdir do |folder|
    script = File.join(folder, "section.rb")
    File.write(script, <<~RUBY)
      require "ikra"
      require "json"
      Ikra.backend = :#{BACKEND}
      $VERBOSE = nil
      #{WORLD}
      parallel = -> { #{section.sub("%s", "peach")} }
      sequential = -> { #{section.sub("%s", "each")} }
      now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
      time = lambda { |block| start = now.call; block.call; now.call - start }
      2.times { parallel.call; sequential.call }
      rounds = Array.new(7) { [Ikra.profile(&parallel)[:kernel], time.call(parallel), time.call(sequential)] }
      puts JSON.generate(rounds.transpose.map { |all| all.sort[3] })
    RUBY
    command = [RbConfig.ruby, *Measurement.yjit, "-I#{Measurement::ROOT}/lib", script]
    JSON.parse(Measurement.output(environment, *command))
  end
end

def milliseconds(seconds) = format("%.2f ms", seconds * 1e3)

rows = WATCHED.map do |name, section|
  pairs = Array.new(3) { [seconds(section), seconds(section, { "IKRA_BENCHMARK_UNWATCHED" => "1" })] }
  with, without = pairs.transpose.map { |all| all.map(&:first).sort[1] }
  kernel = Measurement.median(pairs.map { |watched, not_watched| watched[0] / not_watched[0] })
  whole = Measurement.median(pairs.map { |watched, not_watched| watched[1] / not_watched[1] })
  ruby = Measurement.median(pairs.map { |watched, _| watched[2] / watched[1] })
  [name, milliseconds(with), milliseconds(without), *[kernel, whole, ruby].map { |ratio| format("%.2f", ratio) }]
end
puts "kernels over 200,000 elements, and ratios",
     Measurement.table([["", "watched", "not", "kernel", "whole call", "to Ruby"], *rows]), ""

{ "deferred, whole calls" => DEFERRED, "in order, whole calls" => IN_ORDER }.each do |title, sections|
  rows = sections.map do |name, section|
    times = Array.new(3) { seconds(section) }
    kernel, ours, ruby = times.transpose.map { |all| Measurement.median(all) }
    ratio = Measurement.median(times.map { |time| time[2] / time[1] })
    [name, milliseconds(kernel), milliseconds(ours), milliseconds(ruby), format("%.1f", ratio)]
  end
  puts title, Measurement.table([["", "kernel", "Ikra", "Ruby", "times as fast"], *rows]), ""
end

# frozen_string_literal: true

# What it costs that elements may not be independent: kernels that are watched against the same ones that are not, and
# sections that run in order, against sequential Ruby (with YJIT, where Ruby has it), everything included.
#
#   rake bench:conflicts        ruby -Ilib benchmark/conflicts.rb

require "json"
require "tmpdir"
require_relative "measurement"
$LOAD_PATH.unshift("#{Measurement::ROOT}/lib")
require "ikra"
abort "unwatched runs only what `rake compile:testing` builds" unless Ikra.const_get(:Native)::TESTING

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
  floats = numbers.map { |n| n * 0.1 }
  grid = [0.0] * SIZE
  histogram = [0] * 1000
RUBY

# Elements that are independent, though that is not proven.
WATCHED = {
  "ten neighbours are read, one's own is written, rarely" =>
    "cells.%s { |cell| sum = 0.0; cell.around.each { |c| sum += c.x }; cell.v = sum; cell.x = sum if sum < -1e300 }",
  "ten neighbours are read, another of one's own is written (proven)" =>
    "cells.%s { |cell| sum = 0.0; cell.around.each { |c| sum += c.x }; cell.v = sum }",
  "ten items of one's own array are written" => "cells.%s { |cell| 10.times { |i| cell.own[i] += cell.x } }",
  "one item of a large array is written" => "numbers.%s { |n| grid[n] = n * 0.5 }",
  "another object is written" => "even.%s { |cell| cell.other.v += cell.x }"
}.freeze

# Those that are not.
IN_ORDER = {
  "a histogram of 1,000 bins" => "numbers.%s { |n| histogram[n % 1000] += 1 }",
  "neighbours add to each other" => "cells.%s { |cell| cell.v -= 1.0; cell.other.v += 1.0 }"
}.freeze

# Those that look like it, and are parallel.
ACCUMULATORS = {
  "total += x of Integers" => "total = 0; numbers.%s { |n| total += n }",
  "total += x of Floats" => "total = 0.0; floats.%s { |x| total += x }"
}.freeze

# Seconds of a later call: the kernel, all of it, and sequential Ruby, in a process of its own.
def seconds(section, environment = {})
  Dir.mktmpdir do |folder|
    script = File.join(folder, "section.rb")
    File.write(script, <<~RUBY)
      require "ikra"
      require "json"
      Ikra.backend = :cpu
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

{ "in order, whole calls" => IN_ORDER, "accumulators, whole calls" => ACCUMULATORS }.each do |title, sections|
  rows = sections.map do |name, section|
    times = Array.new(3) { seconds(section) }
    ours, ruby = [1, 2].map { |which| Measurement.median(times.map { |time| time[which] }) }
    ratio = Measurement.median(times.map { |time| time[2] / time[1] })
    [name, milliseconds(ours), milliseconds(ruby), format("%.1f", ratio)]
  end
  puts title, Measurement.table([["", "Ikra", "Ruby", "times as fast"], *rows]), ""
end

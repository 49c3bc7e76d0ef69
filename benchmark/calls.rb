# frozen_string_literal: true

# What a call of a section costs beside its computing: a compiled section over ten elements, called again and again,
# the checks of its assumptions included.
#
#   rake bench:calls        ruby -Ilib benchmark/calls.rb

require "ikra"
require "tempfile"
require_relative "measurement"

Ikra.backend = :cpu

# Ten of these are moved.
class Ball
  attr_accessor :height, :speed

  def initialize(height, speed)
    @height = height
    @speed = speed
  end

  def fall(seconds)
    @speed -= 9.81 * seconds
    @height += @speed * seconds
  end
end

# Calls a section so often in each of some rounds; the median of a call in microseconds.
def microseconds(calls: 2_000, rounds: 7, &section)
  20.times(&section)
  times = Array.new(rounds) do
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    calls.times(&section)
    (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start) / calls
  end
  Measurement.median(times) * 1e6
end

# Forty methods, a section that calls each of them, and one that does the same without.
Tempfile.create(["forty", ".rb"]) do |file|
  names = Array.new(40) { |i| "step#{i}" }
  file.write "class Gauge\n", names.map.with_index { |name, i| "def #{name}(x) = x + #{i}\n" }.join, "end\n"
  file.write "CALLING = proc { |gauge| x = 1; #{names.map { |name| "x = gauge.#{name}(x)" }.join("; ")} }\n"
  file.write "INLINE = proc { |gauge| x = 1; #{names.map.with_index { |_, i| "x += #{i}" }.join("; ")} }\n"
  file.close
  load file.path
  [CALLING, INLINE].each { |section| [Gauge.new].pmap(&section) }
end

balls = Array.new(10) { |i| Ball.new(100.0 + i, 0.0) }
gauges = Array.new(10) { Gauge.new }
numbers = (1..10).to_a
seconds = 0.001
rows = {
  "peach, two variables written" => microseconds { balls.peach { |ball| ball.fall(seconds) } },
  "pmap over Integers" => microseconds { numbers.pmap { |n| (n * 2) + 1 } },
  "psum over Integers" => microseconds { numbers.psum { |n| (n * 2) + 1 } },
  "pselect over objects" => microseconds { balls.pselect { |ball| ball.height > 105 } },
  "pmap that calls forty methods" => microseconds { gauges.pmap(&CALLING) },
  "the same without the methods" => microseconds { gauges.pmap(&INLINE) },
  "each in Ruby, for comparison" => microseconds { balls.each { |ball| ball.fall(seconds) } }
}
puts "a call with 10 elements, medians in microseconds",
     Measurement.table([["", "time"], *rows.map { |name, time| [name, format("%.1f", time)] }])

# Balls whose speeds are of six kinds, each of which is a version of its own, and one section over all of them in turn.
KINDS = [->(i) { i }, ->(i) { i * 0.5 }, ->(_) { :fast }, ->(i) { i.even? }, ->(_) {}, ->(i) { i if i.even? }].freeze
kinds = KINDS.map { |speed| Array.new(20_000) { |i| Ball.new(100.0, speed.call(i)) } }
in_turn = kinds.cycle
few = { calls: 12, rounds: 15 }
alone = kinds.map { |base| microseconds(**few) { base.pmap { |ball| ball.speed.nil? ? 0 : 1 } } }
turns = microseconds(**few) { in_turn.next.pmap { |ball| ball.speed.nil? ? 0 : 1 } }
rows = { "one kind each time, mean of six" => alone.sum / alone.size, "six kinds in turn" => turns }
puts "", "a call with 20,000 elements, medians in microseconds",
     Measurement.table([["", "time"], *rows.map { |name, time| [name, format("%.1f", time)] }])

# frozen_string_literal: true

# Arithmetic whose Integers leave 64 bits, and that of Dates, as people write it: how often a loop of plain Ruby (with
# YJIT with `--yjit`) takes as much CPU time, and as much time.
#
#   rake bench:numbers    ruby --yjit -Ilib benchmark/numbers.rb --rounds 5 --only "FNV-1a,xorshift"

require "date"
require "ikra"
require "optparse"
require_relative "measurement"

options = { rounds: 5, threads: nil, only: nil }
OptionParser.new do |parser|
  parser.on("--rounds N", Integer, "(#{options[:rounds]})")
  parser.on("--threads N", Integer, "(all cores)")
  parser.on("--only NAMES", Array)
end.parse!(into: options)
Ikra.backend = :cpu
Ikra.advise = false
Ikra.threads = options[:threads] if options[:threads]

# The programs: what they are called on, and the block.
module Numbers
  MASK = 0xffff_ffff_ffff_ffff

  module_function

  def fnv1a(text)
    hash = 0xcbf29ce484222325
    text.each_byte { |byte| hash = ((hash ^ byte) * 0x100000001b3) & MASK }
    hash
  end

  def xorshift(state)
    10.times do
      state ^= (state << 13) & MASK
      state ^= state >> 7
      state ^= (state << 17) & MASK
    end
    state
  end

  def splitmix(seed)
    sum = 0
    10.times do |i|
      z = (seed + (i * 0x9e3779b97f4a7c15)) & MASK
      z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & MASK
      z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
      sum ^= z ^ (z >> 31)
    end
    sum
  end

  # A linear congruential generator of 64 bits, of which the upper ones are taken.
  def congruential(state)
    sum = 0
    10.times do
      state = ((state * 6_364_136_223_846_793_005) + 1_442_695_040_888_963_407) & MASK
      sum += state >> 33
    end
    sum
  end

  def power(base)
    result = 1
    exponent = 0xffff_ffff_ffff_ffc3
    while exponent > 0
      result = result * base % 0xffff_ffff_ffff_ffc5 if exponent.odd?
      base = base * base % 0xffff_ffff_ffff_ffc5
      exponent >>= 1
    end
    result
  end

  def fibonacci(count)
    a = 0
    b = 1
    count.times { a, b = b, a + b }
    a
  end

  def escape(point)
    z = Complex(0.0, 0.0)
    steps = 0
    while steps < 200 && z.abs2 < 4.0
      z = (z * z) + point
      steps += 1
    end
    steps
  end

  # What somebody earns in a year, month by month, from the day on which they were hired.
  def payroll(employee)
    total = 0
    from = YEAR
    12.times do
      to = (from >> 1) - 1
      if employee.hired <= to
        start = employee.hired > from ? employee.hired : from
        pay = employee.salary * ((to - start).to_i + 1) / to.day
        pay += pay * (to.year - employee.hired.year) / 100
        pay += 250 if to.saturday? || to.sunday?
        total += pay
      end
      from >>= 1
    end
    total
  end

  Employee = Struct.new(:hired, :salary)
  YEAR = Date.new(2024, 1, 1)
  STAFF = Array.new(100_000) { |i| Employee.new(Date.new(1990, 1, 1) + (i * 79 % 12_700), 300_000 + (i % 977)) }.freeze
  TEXTS = Array.new(50_000) { |i| "item #{i}: #{"x" * (i % 17)}" }.freeze
  SEEDS = Array.new(100_000) { |i| i + 88_172_645_463_325_252 }.freeze
  POINTS = Array.new(20_000) { |i| Complex((i % 200 / 100.0) - 1.5, (i / 200 / 50.0) - 1.0) }.freeze
  ALL = {
    "FNV-1a" => [TEXTS, ->(text) { fnv1a(text) }],
    "xorshift" => [SEEDS, ->(seed) { xorshift(seed) }],
    "splitmix" => [SEEDS, ->(seed) { splitmix(seed) }],
    "congruential" => [SEEDS, ->(seed) { congruential(seed) }],
    "Mandelbrot" => [POINTS, ->(point) { escape(point) }],
    "powers modulo" => [Array.new(2_000) { |i| i + 3 }, ->(base) { power(base) }],
    "payroll with Dates" => [STAFF, ->(employee) { payroll(employee) }],
    "Fibonacci" => [Array.new(8) { |i| 10_000 + i }, ->(count) { fibonacci(count) }]
  }.freeze
end

cost = lambda do |clock, &call|
  start = Process.clock_gettime(clock)
  call.call
  (Process.clock_gettime(clock) - start) * 1e3
end
best = lambda do |&call|
  clocks = [Process::CLOCK_PROCESS_CPUTIME_ID, Process::CLOCK_MONOTONIC]
  Array.new(options[:rounds]) { clocks.map { |clock| cost.call(clock, &call) } }.transpose.map(&:min)
end
puts format("%-18s %10s %10s %10s %10s", "", "Ruby, ms", "CPU time", "Ruby / it", "sooner")
Numbers::ALL.each do |what, (elements, block)|
  next unless options[:only].nil? || options[:only].include?(what)

  abort "the results differ: #{what}" if elements.pmap(&block) != elements.map(&block)
  (_, ruby) = best.call { elements.map(&block) }
  (cpu, wall) = best.call { elements.pmap(&block) }
  puts format("%-18s %10.1f %10.2f %10.2f %10.2f", what, ruby, cpu, ruby / cpu, ruby / wall)
end

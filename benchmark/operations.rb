# frozen_string_literal: true

# Operations over a million Integers and Floats: Ruby's own methods against the parallel ones, in turn in one process,
# the least of several rounds. YJIT is on where Ruby is started with it.
#
#   rake bench:operations        ruby --yjit -Ilib benchmark/operations.rb --rounds 9 --size 1000000

require "ikra"
require "optparse"
require_relative "measurement"

options = { rounds: 5, size: 1_000_000, backend: "cpu" }
OptionParser.new do |parser|
  parser.on("--rounds N", Integer, "(#{options[:rounds]})")
  parser.on("--size N", Integer, "elements (#{options[:size]})")
  parser.on("--backend NAME", "(#{options[:backend]})")
end.parse!(into: options)
Ikra.backend = options[:backend]

# What is sold.
class Order
  attr_reader :paid, :total

  def initialize(paid, total)
    @paid = paid
    @total = total
  end
end

size = options[:size]
random = Random.new(1)
integers = Array.new(size) { random.rand(size) }
few = Array.new(size) { random.rand(1_000) }
floats = Array.new(size) { random.rand }
orders = Array.new(size) { Order.new(random.rand(2) == 1, random.rand) }

# Blocks, as one writes them: Ruby has ways of its own for some Symbols.
# rubocop:disable Style/SymbolProc
pairs = {
  "sort_by, Integers" => [-> { integers.sort_by { |x| -x } }, -> { integers.psort_by { |x| -x } }],
  "sort_by, Floats" => [-> { floats.sort_by { |x| -x } }, -> { floats.psort_by { |x| -x } }],
  "sort, Integers" => [-> { integers.sort }, -> { integers.psort }],
  "group_by, 1,000 groups" => [-> { few.group_by { |x| x + 1 } }, -> { few.pgroup_by { |x| x + 1 } }],
  "group_by, Integers" => [-> { integers.group_by { |x| x + 1 } }, -> { integers.pgroup_by { |x| x + 1 } }],
  "group_by, Floats" => [-> { floats.group_by { |x| x + 1 } }, -> { floats.pgroup_by { |x| x + 1 } }],
  "tally, 1,000 values" => [-> { few.tally }, -> { few.ptally }],
  "tally, Integers" => [-> { integers.tally }, -> { integers.ptally }],
  "tally, Floats" => [-> { floats.tally }, -> { floats.ptally }],
  "uniq, Integers" => [-> { integers.uniq }, -> { integers.puniq }],
  "uniq, Floats" => [-> { floats.uniq }, -> { floats.puniq }],
  "sum with a block, Floats" => [-> { floats.sum { |x| x * 2 } }, -> { floats.psum { |x| x * 2 } }],
  "partition" => [-> { integers.partition { |x| x.odd? } }, -> { integers.ppartition { |x| x.odd? } }],
  "min_by" => [-> { integers.min_by { |x| -x } }, -> { integers.pmin_by { |x| -x } }],
  "any?, to the end" => [-> { integers.any? { |x| x < 0 } }, -> { integers.pany? { |x| x < 0 } }],
  "filter_map" => [
    -> { integers.filter_map { |x| x * 2 if x.odd? } },
    -> { integers.pfilter_map { |x| x * 2 if x.odd? } }
  ],
  "flat_map" => [-> { integers.flat_map { |x| [x, x] } }, -> { integers.pflat_map { |x| [x, x] } }],
  "objects: select, map, sum" => [
    -> { orders.select { |order| order.paid }.sum { |order| order.total } },
    -> { orders.plazy.select { |order| order.paid }.map { |order| order.total }.sum }
  ],
  "the same read by peach" => [
    -> { orders.each { |order| order.total if order.paid } },
    -> { orders.peach { |order| order.total if order.paid } }
  ]
}
# rubocop:enable Style/SymbolProc

def time
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  yield
  (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start) * 1000
end

rows = pairs.map do |name, programs|
  given = programs.map(&:call)
  abort "#{name}: the results differ" unless name.include?("peach") || given.first == given.last
  times = Array.new(options[:rounds]) { programs.map { |program| time(&program) } }.transpose.map(&:min)
  [name, *times.map { |ms| format("%.1f ms", ms) }, format("%.1f", times.first / times.last)]
end
jit = defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled? ? " with YJIT" : ""
puts "#{size} elements, #{Ikra.threads} threads, Ruby #{RUBY_VERSION}#{jit}"
puts Measurement.table([["", "Ruby", "Ikra", "times"], *rows])

# frozen_string_literal: true

# Operations over a long column of Floats (Ikra::Column) with everything included, and on a GPU what CUB needs for a
# column that is there already (benchmark/column_operations.cu).
#
#   rake bench:column_operations        ruby -Ilib benchmark/column_operations.rb --items 64000000 --backend cuda

require "ikra"
require "optparse"
require_relative "measurement"

options = { rounds: 3, items: 64_000_000, backend: "cuda" }
OptionParser.new do |parser|
  parser.on("--rounds N", Integer, "(#{options[:rounds]})")
  parser.on("--items N", Integer, "(#{options[:items]})")
  parser.on("--backend NAME", "(#{options[:backend]})")
end.parse!(into: options)
Ikra.backend = options[:backend]

def least(rounds)
  times = Array.new(rounds + 1) do
    GC.start
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start) * 1000
  end
  times.drop(1).min
end

items = options[:items]
random = Random.new(1)
head = Array.new(65_536) { random.rand }.pack("d*")
column = Ikra::Column.from_packed((head * items.fdiv(65_536).ceil).byteslice(0, 8 * items), :float64)

{
  "x.pmap { v * 2 }" => -> { column.pmap { |v| v * 2 } },
  "x[i] *= 2" => -> { column.size.ptimes { |i| column[i] *= 2 } },
  "x.pmap {} and to home" => -> { column.pmap { |v| v * 2 }[0] },
  "x.psum { v * 2 }" => -> { column.psum { |v| v * 2 } },
  "x.pselect { v > 0.5 }" => -> { column.pselect { |v| v > 0.5 } }
}.each do |name, work|
  took = least(options[:rounds], &work)
  phases = Ikra.profile(&work).to_s.lines.map(&:strip).join("; ")
  puts format("%-22s %9.1f ms   %s", name, took, phases)
rescue StandardError => e
  puts format("%-22s %s", name, e.message.lines.first.strip)
end

if options[:backend] == "cuda"
  compiler = [ENV.fetch("CUDA_PATH", "/usr/local/cuda"), "bin", "nvcc"].join("/")
  by_hand = Measurement.compile("column_operations.cu", compiler, "-O3", "-arch=native")
  puts "CUB, of a column on the GPU", Measurement.output(by_hand, items.to_s)
end

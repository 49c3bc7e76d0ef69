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
integers = column.pmap { |v| (v * 1000).to_i }
# Beside each what CUB does.
rows = {
  "x.pmap { v * 2 }" => [-> { column.pmap { |v| v * 2 } }, "copy"],
  "x[i] *= 2" => [-> { column.size.ptimes { |i| column[i] *= 2 } }, "copy"],
  "x.pmap {} and to the host" => [-> { column.pmap { |v| v * 2 }[0] }, "down"],
  "n.psum" => [-> { integers.psum }, "reduce"],
  "n.psum { v * 2 }" => [-> { integers.psum { |v| v * 2 } }, "reduce"],
  "x.pmin" => [-> { column.pmin }, "reduce"],
  "n.paccumulate(:+)" => [-> { integers.paccumulate(:+) }, "scan"],
  "x.pselect { v > 0.5 }" => [-> { column.pselect { |v| v > 0.5 } }, "select"],
  "x.psum { v * 2 }" => [-> { column.psum { |v| v * 2 } }, "reduce"],
  "x.psort!" => [-> { column.psort! }, "sort"]
}
took = rows.transform_values { |work,| least(options[:rounds], &work) }
by_hand = {}

if options[:backend] == "cuda"
  compiler = [ENV.fetch("CUDA_PATH", "/usr/local/cuda"), "bin", "nvcc"].join("/")
  program = Measurement.compile("column_operations.cu", compiler, "-O3", "-arch=native")
  output = Measurement.output(program, items.to_s)
  puts "CUB, of a column on the GPU", output
  by_hand = output.lines.to_h { |line| line.split.then { |name, ms,| [name, ms.to_f] } }
end
table = rows.map do |name, (_, other)|
  ms = by_hand.fetch(other, Float::NAN)
  [name, format("%.2f", took[name]), other, format("%.2f", ms), format("%.2f", took[name] / ms)]
end
puts Measurement.table([["", "Ikra, ms", "CUB", "ms", "ratio"], *table])

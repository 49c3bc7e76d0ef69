# frozen_string_literal: true

# Kernel times of this version and of another one, by turns, on the CPU: those of the examples' sections. The other one
# is a checkout for which `rake compile` was run.
#
#   ruby -Ilib benchmark/kernels.rb ../before --rounds 15

require "optparse"
require_relative "measurement"

EXAMPLES = {
  "traffic" => %w[--ticks 1000], "nbody" => %w[--bodies 1000 --steps 20], "mandelbrot" => %w[--width 1200 --output],
  "city" => %w[--ticks 1000 --output]
}.freeze

options = { rounds: 9 }
OptionParser.new do |parser|
  parser.banner = "ruby -Ilib benchmark/kernels.rb [options] OTHER"
  parser.on("--rounds N", Integer, "processes of each example and version (#{options[:rounds]})")
  parser.on("--only NAME", "examples whose names have this in them")
end.parse!(into: options)
other = File.expand_path(ARGV.fetch(0) { abort "which other version?" })

# @return [Hash{String => Float}] by section, the seconds in its kernels
run = lambda do |tree, name, arguments|
  arguments += [File::NULL] if arguments.last == "--output"
  JSON.parse(Measurement.output(RbConfig.ruby, "-I#{tree}/lib", File.join(__dir__, "kernels/run.rb"),
                                "#{tree}/examples/#{name}.rb", *arguments, "--backend", "cpu"))
end

rows = EXAMPLES.select { |name, _| name.include?(options[:only].to_s) }.flat_map do |name, arguments|
  rounds = Array.new(options[:rounds]) do |round|
    trees = [other, Measurement::ROOT]
    trees.reverse! if round.odd?
    trees.to_h { |tree| [tree, run.call(tree, name, arguments)] }
  end
  rounds.first[other].keys.map do |section|
    before, after = [other, Measurement::ROOT].map { |tree| rounds.map { |times| times[tree][section] } }
    ratios = before.zip(after).map { |a, b| b / a }
    milliseconds = [before.min, after.min].map { |seconds| format("%.2f ms", seconds * 1e3) }
    [section, *milliseconds, *[after.min / before.min, Measurement.median(ratios)].map { |x| format("%.3f", x) }]
  end
end
puts "kernel times of #{options[:rounds]} processes each",
     Measurement.table([["", "the other's least", "this one's", "ratio", "median ratio of a round"], *rows])

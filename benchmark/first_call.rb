# frozen_string_literal: true

# Where the time of a section's first call goes: its source is read, its types are inferred and it is compiled. The
# sections are those of the examples and of benchmark/first_call/sections.rb. Each program runs in a fresh process.
#
#   rake bench:first_call        ruby -Ilib benchmark/first_call.rb --rounds 5 --only ray --steps

require "optparse"
require_relative "measurement"

PHASES = %w[capture infer compile trace kernel copy_back].freeze
EXAMPLES = {
  "traffic" => %w[--ticks 2], "nbody" => %w[--bodies 20 --steps 1], "mandelbrot" => %w[--width 12],
  "city" => ["--ticks", "2", "--output", File::NULL]
}.freeze

options = { rounds: 3, backend: "cpu" }
OptionParser.new do |parser|
  parser.on("--rounds N", Integer, "processes of each program, of which the fastest counts (#{options[:rounds]})")
  parser.on("--only NAME", "sections whose names have this in them")
  parser.on("--backend NAME", %w[cpu cuda], "cpu or cuda (#{options[:backend]})")
  parser.on("--steps", "also the steps of each section")
end.parse!(into: options)

runner = File.join(__dir__, "first_call/run.rb")
names = Measurement.output(RbConfig.ruby, runner, "--list").split
programs = EXAMPLES.map { |name, arguments| ["examples/#{name}.rb", *arguments] } + names.map { |name| [name] }
programs.select! { |name, *| name.include?(options[:only]) } if options[:only]

# The first calls of each process: by section, what it printed.
calls = programs.flat_map do |program|
  rounds = Array.new(options[:rounds]) do
    JSON.parse(Measurement.output(RbConfig.ruby, "-Ilib", runner, options[:backend], *program, chdir: Measurement::ROOT))
  end
  rounds.transpose.map { |same| same.min_by { |call| call["total"] } }
end

step = ->(call, name, field = "seconds") { call["steps"].dig(name, field) || 0 }
milliseconds = ->(seconds) { format("%.2f", seconds * 1e3) }
passes = ->(call) { call["steps"].sum { |name, facts| name.start_with?("pass: ") ? facts["seconds"] : 0 } }
compiled = ->(call, field) { call["steps"].sum { |n, facts| n.start_with?("code: ") ? facts[field] : 0 } }
heads = ["", "total", "capture", "walks", "ms", "expressions", "of host", "passes", "statements", "compile", "functions",
         "instructions", "text", "rest"]
rows = calls.map do |call|
  parts = [call["capture"], step.(call, "walks"), passes.(call), call["compile"]]
  functions = call["steps"].keys.count { |name| name.start_with?("code: ") }
  [call["name"], milliseconds.(call["total"]), milliseconds.(call["capture"]), step.(call, "walks", "count").to_s,
   milliseconds.(step.(call, "walks")), step.(call, "expressions", "count").to_s, milliseconds.(step.(call, "host")),
   milliseconds.(passes.(call)), step.(call, "statements", "count").to_s, milliseconds.(call["compile"]),
   functions.to_s, compiled.(call, "count").to_s, step.(call, "text", "count").to_s,
   milliseconds.(call["total"] - parts.sum)]
end
puts "first calls on #{options[:backend]}, milliseconds, the fastest of #{options[:rounds]} processes",
     Measurement.table([heads, *rows])

if options[:steps]
  calls.each do |call|
    steps = call["steps"].map { |name, facts| ["  #{name}", milliseconds.(facts["seconds"]), facts["count"].to_s] }
    phases = PHASES.map { |name| [name, milliseconds.(call[name]), ""] }
    puts "", call["name"], Measurement.table(phases + steps)
  end
end

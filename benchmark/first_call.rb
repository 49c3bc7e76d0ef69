# frozen_string_literal: true

# Where the time of a section's first call goes: its source is read, its types are inferred and it is compiled. The
# sections are those of the examples and of benchmark/first_call/sections.rb. Each program runs in a fresh process.
#
#   rake bench:first_call        ruby -Ilib benchmark/first_call.rb --rounds 5 --only ray --steps
#   rake bench:calls_deep        ruby -Ilib benchmark/first_call.rb --deep --only chain
#   rake bench:calls_golden      ruby -Ilib benchmark/first_call.rb --golden --only pairs
#
# The last columns are CPU time: of the process that compiles and keeps it on disk, and of one that finds it there.
# With --pure they are those of benchmark/first_call/pure.rb, which change nothing: what their first calls take where
# Ruby begins with the elements, and where they wait for the code, as they do in all other tables.
#
# With --deep they are those of benchmark/first_call/deep.rb: many methods, and many ways to one. With --golden they are
# those of which spec/golden_spec.rb counts what they cost.
#
# Where there is no GPU, --backend cuda-emulated tells how long the text is (after rake compile:testing); what compiles
# it then is not what users have, but with IKRA_NVRTC_PATH=$(bin/nvrtc) NVRTC does as well, for two generations of GPUs.

require "optparse"
require "tmpdir"
require_relative "first_call/deep"
require_relative "first_call/pure"
require_relative "measurement"
require_relative "../spec/golden/rows"

PHASES = %w[capture infer compile read kernel write_back].freeze
EXAMPLES = {
  "traffic" => %w[--ticks 2], "nbody" => %w[--bodies 20 --steps 1], "mandelbrot" => %w[--width 12],
  "city" => ["--ticks", "2", "--output", File::NULL]
}.freeze

options = { rounds: 3, backend: "cpu" }
OptionParser.new do |parser|
  parser.on("--rounds N", Integer, "processes of each program, of which the fastest counts (#{options[:rounds]})")
  parser.on("--only NAME", "sections whose names have this in them")
  parser.on("--backend NAME", %w[cpu cuda cuda-emulated], "cpu, cuda or cuda-emulated (#{options[:backend]})")
  parser.on("--deep", "programs of many methods that call each other")
  parser.on("--golden", "programs whose costs are counted in spec/golden")
  parser.on("--pure", "blocks that change nothing, against plain Ruby")
  parser.on("--steps", "also the steps of each section")
end.parse!(into: options)

if options[:pure]
  puts "first calls, milliseconds, the fastest of #{options[:rounds]} processes", PureCalls.table(options[:rounds])
  exit
end

if options[:backend] == "cuda-emulated"
  ENV["IKRA_CUDA_EMULATOR"] ||= File.join(Measurement::ROOT, "spec/support/cuda_emulator")
  ENV["IKRA_NVRTC_CHECK"] = "1" if ENV["IKRA_NVRTC_PATH"]
end

runner = File.join(__dir__, "first_call/run.rb")
names = Measurement.output(RbConfig.ruby, runner, "--list").split
programs = EXAMPLES.map { |name, arguments| ["examples/#{name}.rb", *arguments] } + names.map { |name| [name] }

# The first calls of each process: by section, what it printed.
measure = lambda do |chosen|
  chosen = chosen.select { |name, *| File.basename(name).include?(options[:only]) } if options[:only]
  chosen.flat_map do |program|
    process = lambda do |environment|
      JSON.parse(Measurement.output(environment, RbConfig.ruby, "-Ilib", runner, options[:backend], *program,
                                    chdir: Measurement::ROOT))
    end
    fastest = ->(rounds, clock) { rounds.transpose.map { |same| same.min_by { |call| call[clock] } } }
    calls = fastest.call(Array.new(options[:rounds]) { process.call({ "IKRA_CACHE" => "0" }) }, "total")
    kept = Array.new(options[:rounds]) do
      Dir.mktmpdir("ikra-first-call") do |folder|
        Array.new(2) { process.call({ "IKRA_CACHE" => "1", "IKRA_CACHE_DIR" => folder }) }
      end
    end
    first, second = kept.transpose.map { |rounds| fastest.call(rounds, "cpu") }
    calls.zip(first, second).map { |call, one, two| call.merge("first" => one["cpu"], "second" => two["cpu"]) }
  end
end
# The files of the programs that the suite counts.
golden = lambda do |folder|
  made = Golden::Rows::ALL.map do |name, text|
    File.join(folder, "#{name}.rb").tap do |file|
      File.write(file, text.call)
    end
  end
  Dir[File.join(Measurement::ROOT, "spec/golden/programs/*.rb")] + made
end
of_files = ->(files) { measure.call(files.map { |file| [file] }) }
calls = if options[:deep] then DeepCalls.files(&of_files)
        elsif options[:golden] then Dir.mktmpdir { |folder| of_files.call(golden.call(folder)) }
        else
          measure.call(programs)
        end

step = ->(call, name, field = "seconds") { call["steps"].dig(name, field) || 0 }
sum = ->(call, prefix, field) { call["steps"].sum { |name, facts| name.start_with?(prefix) ? facts[field] : 0 } }
milliseconds = ->(seconds) { format("%.2f", seconds * 1e3) }

# Columns by name: what a call tells for each. Milliseconds are Floats.
columns = {
  "total" => ->(call) { call["total"] },
  "capture" => ->(call) { call["capture"] },
  "methods" => ->(call) { step.call(call, "methods") },
  "objects" => ->(call) { step.call(call, "objects") },
  "walks" => ->(call) { step.call(call, "walks") - step.call(call, "methods") - step.call(call, "objects") },
  "of them" => ->(call) { step.call(call, "walks", "count") },
  "expressions" => ->(call) { step.call(call, "expressions", "count") },
  "passes" => ->(call) { sum.call(call, "pass: ", "seconds") },
  "statements" => ->(call) { step.call(call, "pass: verify", "count") },
  "compile" => ->(call) { call["compile"] },
  "functions" => ->(call) { call["steps"].keys.count { |name| name.start_with?("code: ") } },
  "instructions" => ->(call) { sum.call(call, "code: ", "count") },
  "rest" => lambda { |call|
    call["total"] - call["capture"] - step.call(call, "walks") - sum.call(call, "pass: ", "seconds") - call["compile"]
  },
  "CPU, keeping it" => ->(call) { call["first"] },
  "kept" => ->(call) { call["second"] },
  "percent" => ->(call) { (call["second"] * 100 / call["first"]).round }
}
if options[:backend] != "cpu"
  columns = columns.except("functions", "instructions")
  columns["bytes of text"] = ->(call) { step.call(call, "text", "count") }
  columns["NVRTC"] = ->(call) { step.call(call, "NVRTC") }
end
rows = calls.map do |call|
  values = columns.values.map { |column| column.call(call) }
  [call["name"], *values.map { |value| value.is_a?(Float) ? milliseconds.call(value) : value.to_s }]
end
puts "first calls on #{options[:backend]}, milliseconds, the fastest of #{options[:rounds]} processes",
     Measurement.table([["", *columns.keys], *rows])

if options[:steps]
  calls.each do |call|
    steps = call["steps"].map { |name, facts| ["  #{name}", milliseconds.call(facts["seconds"]), facts["count"].to_s] }
    phases = PHASES.map { |name| [name, milliseconds.call(call[name]), ""] }
    puts "", call["name"], Measurement.table(phases + steps)
  end
end

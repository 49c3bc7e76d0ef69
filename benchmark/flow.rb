# frozen_string_literal: true

# What a section costs with everything around its kernel: objects and arrays that are read, copied, computed and written
# back, in a later call and in the first one, against the same block in plain Ruby (with YJIT, where Ruby has it).
#
#   rake bench:flow        ruby -Ilib benchmark/flow.rb --only 1,2a --threads 1,2 --least --rounds 15
#
# Each row (benchmark/flow/rows.rb) has a process of its own. Its results are compared with plain Ruby's first. Then
# Ikra and Ruby run in turn; before each call that is measured, all objects are what they were at the beginning and
# garbage has been collected. Figures are medians of the rounds, or the least of them (--least), which says more where
# others use the machine too. A later call is divided into its phases (Ikra.profile) and the rest: making the array that
# it gives, Ruby's collector, and what finds the section that was compiled. A first call is the first one of its
# section, in a process where another one has run.
#
# Before and after each row it is measured how many cores are *free*; the fewer counts, and where it is well below what
# there is, ratios of that row say little. The benchmark needs no compiler, and runs with what `rake compile` or `rake
# compile:testing` builds. On a GPU, first calls find kernels that were compiled before in the cache on disk;
# IKRA_CACHE_DIR names another one.

require "etc"
require "optparse"
require_relative "flow/rows"
require_relative "measurement"

options = { backend: "cpu", rounds: 7, scale: 1.0, ruby: true, least: false }
OptionParser.new do |parser|
  parser.on("--backend NAME", %w[cpu cuda auto cuda-emulated], "cpu, cuda, auto or cuda-emulated (cpu)")
  parser.on("--threads LIST", Array, "how many threads, such as 1,2,16: a line for each") do |list|
    options[:threads] = list.map { |number| Integer(number) }
  end
  parser.on("--only LIST", Array, "rows by number (1, 2a) or by a part of their name")
  parser.on("--rounds N", Integer, "(#{options[:rounds]})")
  parser.on("--scale X", Float, "so many times as large (1.0)")
  parser.on("--ticks N", Integer, "of the traffic simulation (2,000 on a GPU, else 100)")
  parser.on("--least", "the least of all rounds instead of their median")
  parser.on("--no-ruby", "plain Ruby is only compared with, not measured")
  parser.on("--page-faults", "also the minor page faults of a later call")
end.parse!(into: options)
options[:ruby] = options.delete(:"no-ruby") if options.key?(:"no-ruby")
ENV["IKRA_CUDA_EMULATOR"] ||= File.join(Measurement::ROOT, "spec/support/cuda_emulator") if
  options[:backend] == "cuda-emulated"

# How many cores do the work of one that has nothing else to do, while all are asked to: it says whether others use the
# machine too.
def free_cores
  seconds = lambda do |processes|
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    spin = lambda do
      i = 0
      i += 1 while i < 4_000_000
      exit!
    end
    Array.new(processes) { fork(&spin) }.each { |process| Process.wait(process) }
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
  end
  cores = Etc.nprocessors
  (cores * Array.new(3) { seconds.call(1) }.min / seconds.call(cores)).clamp(0, cores)
end

# The table, a line as soon as there is one.
class FlowTable
  PHASES = %w[read upload kernel download write_back rest].freeze

  def initialize(options)
    @options = options
    @remarks = []
    @started = []
  end

  def title
    ruby = "Ruby #{RUBY_VERSION} #{Measurement.yjit.any? ? "with" : "without"} YJIT"
    figures = "#{@options[:least] ? "least" : "medians"} of #{@options[:rounds]} rounds"
    puts [figures, ruby, "#{Etc.nprocessors} cores", *("sizes times #{@options[:scale]}" if scaled?)].join(", "), "",
         line("", "", "free", ["a call", "the first", "Ruby", "ratio"], "goal", PHASES.map { |name| name.tr("_", "-") },
              "faults")
  end

  def row(number, entry, run, free)
    @remarks << run["remark"]
    @started << run["started"]
    first = time(run["first"])
    run["calls"].each do |call|
      on = "#{run["backend"]}, #{call["threads"]}"
      ratio = format("%.2f x", call["ratio"]) if call["ratio"]
      puts line("#{number.ljust(2)} #{entry.name}", on, free, [time(call["seconds"]), first, time(run["ruby"]), ratio],
                goal(entry, call, run["backend"]), time_of_phases(call), call["faults"].round.to_s)
      rates(run["bytes"], call) if number == "7"
      first = nil
    end
  end

  def finish
    puts "", "the back-end was started in #{time(Measurement.median(@started))}" if @started.any?
    puts @remarks.compact.uniq
  end

  private

  def line(name, on, free, figures, goal, phases, faults)
    cells = figures.map { |cell| cell.to_s.rjust(10) }
    cells << goal.to_s.rjust(13) << "  " << phases.map { |cell| cell.rjust(10) }.join
    cells << faults.rjust(8) if @options[:"page-faults"]
    name.ljust(50) + on.ljust(@options[:backend].size + 4) + free.to_s.rjust(6) + cells.join
  end

  def time_of_phases(call) = PHASES.map { |name| time(call[name]) }

  def time(seconds)
    case seconds
    when nil then nil
    when 1.. then format("%.2f s", seconds)
    when 1e-4.. then format("%.2f ms", seconds * 1e3)
    else format("%.1f µs", seconds * 1e6)
    end
  end

  def scaled? = (@options[:scale] - 1.0).abs > 1e-9

  # What is aimed at, and whether it is reached. Times are for the sizes as they are.
  def goal(entry, call, backend)
    return seconds_goal(entry.gpu, call) unless backend == "cpu"

    times = entry.ruby&.select { |cores, _| cores <= call["threads"] }&.values&.last
    return seconds_goal(entry.cpu, call) unless times

    call["ratio"] ? "#{times} x: #{yes(call["ratio"] >= times)}" : "#{times} x"
  end

  def seconds_goal(seconds, call)
    "#{time(seconds)}: #{yes(call["seconds"] <= seconds)}" if seconds && !scaled?
  end

  def yes(reached) = reached ? "yes" : "no"

  def rates(bytes, call)
    least = Flow::PINNED * Flow::TRANSFER_GOAL
    %w[upload download].each do |phase|
      next if call[phase].zero?

      rate = bytes / call[phase]
      puts format("   %-8s %.1f MB in %s: %.1f GB/s (at least %.0f: %s)", phase, bytes * 1e-6, time(call[phase]),
                  rate * 1e-9, least * 1e-9, yes(rate >= least))
    end
  end
end

chosen = Flow::ENTRIES.select do |number, entry|
  next if number == "7" && !options[:backend].start_with?("cuda")

  options[:only].nil? || options[:only].any? do |only|
    only.match?(/\A\d[a-z]?\z/) ? number.start_with?(only) : entry.name.include?(only)
  end
end
abort "there is no such row" if chosen.empty?

$stdout.sync = true
table = FlowTable.new(options)
table.title
failed = chosen.reject do |number, entry|
  free = free_cores
  arguments = JSON.generate(options.except(:only).merge(row: number))
  text, status = Open3.capture2(RbConfig.ruby, *Measurement.yjit, "-I#{Measurement::ROOT}/lib",
                                File.join(__dir__, "flow/run.rb"), arguments)
  next puts("#{number} #{entry.name}: failed") unless status.success?

  table.row(number, entry, JSON.parse(text), format("%.1f", [free, free_cores].min))
  true
end
table.finish
exit failed.empty?

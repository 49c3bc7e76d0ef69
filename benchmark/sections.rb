# frozen_string_literal: true

# Programs of several parallel calls with code around them (benchmark/sections/programs.rb): in one Ikra.section, as
# calls of their own, and in plain Ruby with YJIT, where Ruby has it.
#
#   rake bench:sections        ruby --yjit -Ilib benchmark/sections.rb --only heat --rounds 5
#
# Each program has a process of its own, in which its forms run in turn; figures are the least of all rounds. Rounds of
# plain Ruby and of single calls are as few as the program says, and multiplied as the section has run. What comes of
# all forms is compared first, after few rounds. The phases are those of Ikra.profile, of one run of the section.

require "etc"
require "optparse"
require_relative "measurement"

options = { rounds: 3, scale: 1.0, backend: "cpu" }
arguments = ARGV.dup
OptionParser.new do |parser|
  parser.on("--only NAMES", Array, "programs by their names")
  parser.on("--rounds N", Integer, "(#{options[:rounds]})")
  parser.on("--scale X", Float, "so many times as large (1.0)")
  parser.on("--threads N", Integer, "(all cores)")
  parser.on("--backend NAME", "cpu, cuda or auto (cpu)")
end.parse!(into: options)

exec(RbConfig.ruby, *Measurement.yjit, "-Ilib", __FILE__, *arguments) if Measurement.yjit.any? && !RubyVM::YJIT.enabled?

require "ikra"
require_relative "sections/programs"

# Seconds.
def time
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  yield
  Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
end

# Each form: what runs it, on which back-end, and for how many rounds.
def forms(kind, backend)
  calls = [kind.plain * 3, kind.all].min
  { section: [:in_section, backend, kind.all], calls: [:run, backend, calls], ruby: [:run, :ruby, kind.plain] }
end

def same(kind, scale, forms)
  answers = forms.values.map do |method, backend, _|
    Ikra.backend = backend
    program = kind.new(scale / 20)
    Warnings.without { program.public_send(method, 3) }
    program.answer
  end
  abort "#{kind}: the answers differ" unless answers.uniq.one?
end

# Conflicts are told once.
module Warnings
  def self.without
    before = $stderr
    $stderr = File.open(File::NULL, "w")
    yield
  ensure
    $stderr = before
  end
end

def measure(kind, options)
  forms = forms(kind, options[:backend].to_sym)
  same(kind, options[:scale], forms)
  program = kind.new(options[:scale])
  seconds = Hash.new(Float::INFINITY)
  rounds = nil
  options[:rounds].times do
    forms.each do |form, (method, backend, count)|
      Ikra.backend = backend
      program.public_send(method, 1) if form == :section
      GC.start
      done = nil
      took = time { done = program.public_send(method, count) }
      rounds = done if form == :section
      seconds[form] = [seconds[form], took * rounds / done].min
    end
  end
  Ikra.backend = options[:backend].to_sym
  [seconds, rounds, Ikra.profile { program.in_section(kind.all) }]
end

def milliseconds(seconds) = format(seconds < 0.1 ? "%.1f ms" : "%.0f ms", seconds * 1000)

def row(kind, options)
  seconds, rounds, profile = measure(kind, options)
  section, calls, ruby = seconds.values_at(:section, :calls, :ruby)
  [kind.name[/\w+\z/], rounds.to_s, milliseconds(section), milliseconds(calls), milliseconds(ruby),
   format("%.1f", calls / section), format("%.1f", ruby / section), profile.to_s.lines.map(&:strip).join("; ")]
end

Ikra.threads = options[:threads] if options[:threads]
names = options[:only]&.map(&:downcase)
kinds = Programs::ALL.select { |kind| names.nil? || names.any? { |name| kind.name.downcase.include?(name) } }
puts "Ruby #{RUBY_VERSION}#{" with YJIT" if defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?}, " \
     "#{options[:threads] || Etc.nprocessors} threads, least of #{options[:rounds]}"
kinds.each do |kind|
  reader, writer = IO.pipe
  child = fork do
    reader.close
    Marshal.dump(row(kind, options), writer)
    exit!(0)
  end
  writer.close
  *cells, phases = Marshal.load(reader) # rubocop:disable Security/MarshalLoad
  Process.wait(child)
  puts format("%-10s %6s rounds  section %9s  calls %9s  ruby %10s  calls/section %6s  ruby/section %6s", *cells)
  puts "           #{phases}" if ENV.key?("PHASES")
end

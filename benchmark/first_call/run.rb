# frozen_string_literal: true

# One process of benchmark/first_call.rb: runs an example with its options, or a section of sections.rb, and prints what
# the first call of each section took, as JSON.

$LOAD_PATH.unshift(File.expand_path("../../lib", __dir__))
require "json"
require "ikra"
require_relative "programs"
require_relative "sections"

sections = FirstCall::SECTIONS.merge(FirstCall::PROGRAMS)

if ARGV.first == "--list"
  puts sections.keys
  exit
end

# Takes a profile of each place's first section.
module Observed
  CALLS = {} # rubocop:disable Style/MutableConstant

  def self.first_of(place)
    key = "#{File.basename(place.path, ".rb")}:#{place.lineno}"
    return yield if CALLS[key]

    CALLS[key] = { name: key }
    result = nil
    start, cpu = now
    profile = Ikra.profile { result = yield }
    total, cpu = now.zip([start, cpu]).map { |after, before| after - before }
    CALLS[key].update(profile.to_h.slice(*Ikra::Profile::PHASES), total:, cpu:, steps: profile.steps)
    result
  rescue Ikra::UnsupportedError => e
    CALLS[key][:refused] = e.message[/\[([a-z-]+)\]/, 1]
    raise
  end

  # The time, and that of all cores in this process.
  def self.now
    [Process::CLOCK_MONOTONIC, Process::CLOCK_PROCESS_CPUTIME_ID].map { |clock| Process.clock_gettime(clock) }
  end

  %i[peach pmap pselect].each do |name|
    define_method(name) do |*arguments, &block|
      Observed.first_of(caller_locations(1, 1).first) { super(*arguments, &block) }
    end
  end
end
Array.prepend(Observed)

# The same of whole sections.
module ObservedSection
  def section(...)
    Observed.first_of(caller_locations(1, 1).first) { super }
  end
end
Ikra.singleton_class.prepend(ObservedSection)

backend, program, *arguments = ARGV
Ikra.backend = backend.to_sym
stdout = $stdout.dup
$stdout.reopen(File::NULL)
if program.end_with?(".rb")
  ARGV.replace([*arguments, "--backend", backend])
  begin
    load program
  rescue Ikra::UnsupportedError
    # It is told with the call.
  end
else
  sections.fetch(program).call
  Observed::CALLS.each_value { |call| call[:name] = program }
end
stdout.puts JSON.generate(Observed::CALLS.values)

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

  %i[peach pmap pselect].each do |name|
    define_method(name) do |*arguments, &block|
      place = caller_locations(1, 1).first
      key = "#{File.basename(place.path, ".rb")}:#{place.lineno}"
      return super(*arguments, &block) if CALLS[key]

      result = nil
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      profile = Ikra.profile { result = super(*arguments, &block) }
      total = Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
      CALLS[key] = profile.to_h.slice(*Ikra::Profile::PHASES).merge(name: key, total:, steps: profile.steps)
      result
    end
  end
end
Array.prepend(Observed)

backend, program, *arguments = ARGV
Ikra.backend = backend.to_sym
stdout = $stdout.dup
$stdout.reopen(File::NULL)
if program.end_with?(".rb")
  ARGV.replace([*arguments, "--backend", backend])
  load program
else
  sections.fetch(program).call
  Observed::CALLS.each_value { |call| call[:name] = program }
end
stdout.puts JSON.generate(Observed::CALLS.values)

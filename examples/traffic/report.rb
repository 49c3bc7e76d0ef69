# frozen_string_literal: true

require "etc"
require_relative "checksum"

# What traffic.rb --report tells about a run: the back-end, the time of each phase, and how much faster that was than
# the same block in sequential Ruby, which is measured then and there.
class TrafficReport
  PHASES = %i[capture infer compile read upload kernel download write_back].freeze
  # Few, because what takes Ikra a moment takes sequential Ruby minutes.
  SEQUENTIAL_TICKS = 10

  def initialize(scenario, ticks)
    @scenario = scenario
    @ticks = ticks
  end

  # Runs the simulation in the block and prints where the time went.
  def measure(&block)
    profile = nil
    @seconds = seconds { profile = Ikra.profile(&block) }
    puts "#{@ticks} ticks of #{population} on #{device(profile[:backend])}"
    PHASES.each { |phase| row(phase.to_s.tr("_", "-"), profile[phase] || 0.0) }
    row("everything", @seconds)
  end

  # Moves fresh actors by a few ticks, with `each` and the given block and with `simulate`; prints how the times compare
  # and stops the program should the results differ.
  def compare(simulate, &move)
    few = [@ticks, SEQUENTIAL_TICKS].min
    actors = @scenario.fresh.actors
    sequential = seconds { few.times { actors.each(&move) } } / few
    check(actors, simulate.call(@scenario.fresh.actors, few), few)
    row(ruby, sequential, "a tick, measured over #{few} ticks; same result")
    puts format("  %-18s %10.1f times, with everything included", "speed-up", sequential * @ticks / @seconds)
  end

  private

  def population
    kinds = @scenario.actors.map { |actor| actor.class.name.downcase }.tally
    "#{kinds.map { |kind, count| "#{count} #{kind}s" }.join(" and ")}, #{@scenario.streets.size} streets,"
  end

  def device(backend)
    case backend
    when :cuda then "the GPU (cuda)"
    when :cpu then "#{Etc.nprocessors} CPU cores (cpu)"
    else "the Ruby interpreter (#{backend})"
    end
  end

  def ruby
    yjit = defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?
    "Ruby #{RUBY_VERSION}#{", YJIT" if yjit}"
  end

  def check(expected, actual, ticks)
    return if Checksum.of(expected) == Checksum.of(actual)

    abort "After #{ticks} ticks the result differs from that of sequential Ruby."
  end

  def row(name, seconds, remark = nil)
    puts format("  %-18s %10.1f ms %s", name, seconds * 1e3, remark).rstrip
  end

  def seconds
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
  end
end

# frozen_string_literal: true

# One process of benchmark/flow.rb: measures a row with some numbers of threads, and prints what came of it as JSON.

require "json"
require "ikra"
require_relative "rows"
require_relative "../measurement"

# Calls of a row, with Ikra and with Ruby in turn.
class FlowRun
  PHASES = %i[read upload kernel download write_back].freeze

  def initialize(options)
    @options = options
    @threads = options[:threads] || [Ikra.threads]
    # What a back-end takes to start is not the row's.
    @started = seconds { [0].pmap { |x| x } }.first
    ticks = options[:ticks] || (Ikra.backend == :cuda ? 2_000 : 100)
    @row = Flow::ENTRIES.fetch(options[:row]).make.call(options[:scale], ticks)
  end

  def run
    first = first_call
    @threads.drop(1).each { |threads| check(ours(threads, 1)[:result], "with #{threads} threads") }
    # What is compiled and allocated once, by Ruby too, is so before anything is measured.
    round
    rounds = Array.new(@options[:rounds]) { round }
    check(ours(@threads.last, 1)[:result], "in a later call")
    { first:, started: @started, backend: @backend, remark: @row.remark, bytes: @row.bytes,
      ruby: @options[:ruby] ? typical(rounds.map { |round| round[:ruby] }) : nil,
      calls: @threads.map { |threads| figures(threads, rounds) } }
  end

  private

  def first_call
    first = ours(@threads.first, 1)
    check(first.delete(:result), "in the first call")
    first[:seconds]
  end

  def check(result, which)
    abort "#{@options[:row]}: the result differs from that of plain Ruby, #{which}" unless @row.same?(result)
  end

  # One time each, so that a noisy machine hurts all alike.
  def round
    calls = @threads.to_h do |threads|
      # Other threads come to know the data first.
      ours(threads, 1) if @threads.size > 1
      [threads, ours(threads, @row.calls).except(:result)]
    end
    ruby = @options[:ruby] ? plain : nil
    { ruby:, calls: }
  end

  # Garbage of what was before is nobody's.
  def prepare
    @row.reset
    GC.start
  end

  # Seconds of a call as a whole, and of its phases.
  def ours(threads, calls)
    Ikra.threads = threads
    prepare
    result = profile = nil
    before = faults
    whole, = seconds { profile = Ikra.profile { calls.times { result = @row.parallel } } }
    faults = self.faults - before
    @backend = profile[:backend]
    phases = PHASES.to_h { |phase| [phase, profile[phase] / calls] }
    { seconds: whole / calls, **phases, rest: (whole / calls) - phases.values.sum, faults: faults.fdiv(calls), result: }
  end

  def plain
    prepare
    seconds { @row.calls.times { @row.plain } }.first / @row.calls / @row.part
  end

  def figures(threads, rounds)
    calls = rounds.map { |round| round[:calls][threads] }
    figures = calls.first.keys.to_h { |key| [key, typical(calls.map { |call| call[key] })] }
    figures.merge(threads:, ratio: @options[:ruby] ? ratio(rounds, threads) : nil)
  end

  # How many times as fast as Ruby: within a round, where the machine was in the same mood.
  def ratio(rounds, threads)
    pairs = rounds.map { |round| [round[:ruby], round[:calls][threads][:seconds]] }
    return pairs.transpose.map(&:min).reduce(:/) if @options[:least]

    Measurement.median(pairs.map { |ruby, ours| ruby / ours })
  end

  def typical(numbers) = @options[:least] ? numbers.min : Measurement.median(numbers)

  def seconds
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    result = yield
    [Process.clock_gettime(Process::CLOCK_MONOTONIC) - start, result]
  end

  # Minor page faults of all threads so far (proc_pid_stat(5), minflt). The name before it may have spaces.
  def faults
    File.read("/proc/self/stat").rpartition(")").last.split[7].to_i
  rescue SystemCallError
    0
  end
end

options = JSON.parse(ARGV.fetch(0), symbolize_names: true)
Ikra.backend = options[:backend]
puts JSON.generate(FlowRun.new(options).run)

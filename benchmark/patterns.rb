# frozen_string_literal: true

# Matches of regular expressions, each over many texts: what one takes as CPU time of all threads, and how much sooner
# all are done, against the same loop in Ruby (with YJIT with `--yjit`). By automata, by backtracking, by asking Ruby.
#
#   rake bench:patterns    ruby --yjit -Ilib benchmark/patterns.rb --texts 100000 --rounds 5 --only automaton

require "ikra"
require "optparse"
require_relative "measurement"

options = { rounds: 5, texts: 100_000, threads: nil, only: nil }
OptionParser.new do |parser|
  parser.on("--rounds N", Integer, "(#{options[:rounds]})")
  parser.on("--texts N", Integer, "(#{options[:texts]})")
  parser.on("--threads N", Integer, "(all cores)")
  parser.on("--only NAMES", Array, "automaton, backtracking, asking")
end.parse!(into: options)
Ikra.backend = :cpu
Ikra.threads = options[:threads] if options[:threads]
Warning[:performance] = false if Warning.respond_to?(:categories)

PATTERNS = {
  "automaton" => { "a group" => /: (\d+) EUR/, "words" => /\b[a-z]+ \d+\b/, "one of several" => /USD|EUR|GBP/ },
  "backtracking" => { "look-ahead" => /\d+(?= EUR)/, "look-behind" => /(?<=: )\d+/, "the same again" => /(\d)\1/,
                      "possessive" => /\w++:/, "atomic" => /(?>[a-z]+ \d+): 7/ },
  "asking" => { "itself" => /\((?:[^()]|\g<0>)*\)/ }
}.freeze
TEXTS = Array.new(options[:texts]) { |i| "item #{i}: #{i * 7} EUR, (ref #{i % 9}#{i % 9})" }.freeze

cost = lambda do |clock, &call|
  start = Process.clock_gettime(clock)
  call.call
  (Process.clock_gettime(clock) - start) / TEXTS.size * 1e9
end
best = lambda do |&call|
  clocks = [Process::CLOCK_PROCESS_CPUTIME_ID, Process::CLOCK_MONOTONIC]
  Array.new(options[:rounds]) { clocks.map { |clock| cost.call(clock, &call) } }.transpose.map(&:min)
end
puts format("%-14s %-16s %10s %10s %10s %10s", "", "ns a match", "Ruby", "CPU time", "Ruby / it", "sooner")
PATTERNS.each do |how, patterns|
  next unless options[:only].nil? || options[:only].include?(how)

  patterns.each do |what, pattern|
    block = ->(text) { text[pattern] }
    abort "the results differ: #{pattern.inspect}" if TEXTS.pmap(&block) != TEXTS.map(&block)
    (_, ruby) = best.call { TEXTS.map(&block) }
    (cpu, wall) = best.call { TEXTS.pmap(&block) }
    puts format("%-14s %-16s %10.0f %10.0f %10.2f %10.2f", how, what, ruby, cpu, ruby / cpu, ruby / wall)
  end
end

# frozen_string_literal: true

# The traffic simulation on the CPU: the first and the second call in a fresh process, with everything included, as
# ratios to C on one core and to sequential Ruby with YJIT. All are run in turn, several times, and the medians count,
# so that a noisy machine hurts all alike.
#
#   rake bench:traffic        ruby -Ilib benchmark/traffic.rb --rounds 9

require "etc"
require "optparse"
require_relative "measurement"

options = { ticks: 1000, rounds: 5, sequential: 20 }
OptionParser.new do |parser|
  parser.on("--ticks N", Integer, "(#{options[:ticks]})")
  parser.on("--rounds N", Integer, "(#{options[:rounds]})")
  parser.on("--sequential N", Integer, "ticks of sequential Ruby to measure (#{options[:sequential]})")
end.parse!(into: options)

ticks = options[:ticks]
c_program = Measurement.compile("traffic.c", "cc", "-O2", "-ffp-contract=off")

rounds = Array.new(options[:rounds]) do
  by_hand = Measurement.output(c_program, ticks.to_s)
  sequential = Measurement.ruby("--sequential", "--ticks", options[:sequential], options: Measurement.yjit)
  ours = Measurement.ruby("--backend", "cpu", "--ticks", ticks)
  Measurement.same!(by_hand[/sum.*\n.*\n/], ours[:checksum])
  { c: by_hand[/seconds (.*)/, 1].to_f, ruby: sequential[:seconds_per_tick] * ticks,
    first: ours[:first][:seconds], second: ours[:second][:seconds], phases: ours.values_at(:first, :second) }
end

yjit = " with YJIT" if Measurement.yjit.any?
names = {
  c: "C (cc -O2), one core, ticks alone", ruby: "Ruby #{RUBY_VERSION}#{yjit}, sequential",
  first: "Ikra, first call of a process", second: "Ikra, second call"
}
rows = names.map do |key, name|
  # Ratios are taken within a round, where the machine was in the same mood.
  to_c, to_ruby = %i[c ruby].map { |other| Measurement.median(rounds.map { |round| round[other] / round[key] }) }
  [name, format("%.1f ms", Measurement.median(rounds.map { |round| round[key] }) * 1e3),
   format("%.2f", to_c), format("%.1f", to_ruby)]
end
puts "#{ticks} ticks of 16384 pedestrians and 4096 cars on 500 streets, #{Etc.nprocessors} cores",
     "medians of #{options[:rounds]} rounds; sequential Ruby is reckoned from #{options[:sequential]} ticks", ""
puts Measurement.table([["", "time", "speed: C = 1", "Ruby = 1"], *rows]), ""

phases = rounds.first[:phases].first[:phases].keys
rows = phases.map do |phase|
  calls = [0, 1].map { |call| Measurement.median(rounds.map { |round| round[:phases][call][:phases][phase] || 0.0 }) }
  [phase.to_s.tr("_", "-"), *calls.map { |seconds| format("%.2f ms", seconds * 1e3) }]
end
puts Measurement.table([["Ikra's phases", "first call", "second call"], *rows])

# frozen_string_literal: true

# Looking up in a Hash that is there, and making one for each element, against Ruby's. Run with --yjit for the fastest
# that Ruby has.
#
#   rake bench:hashes      ruby -Ilib benchmark/hashes.rb --keys 1000000

require "ikra"
require "optparse"

options = { backend: "cpu", keys: 100_000, lookups: 1_000_000 }
OptionParser.new do |parser|
  parser.on("--backend NAME", "(#{options[:backend]})")
  parser.on("--keys N", Integer, "of the Hash (#{options[:keys]})")
  parser.on("--lookups N", Integer, "(#{options[:lookups]})")
end.parse!(into: options)
Ikra.backend = options[:backend]

range = options[:keys] * 10
numbers = Array.new(options[:keys]) { |i| [i * 7919 % range, i] }.to_h
pairs = numbers.transform_keys { |key| [key / 1000, key % 1000] }
names = Array.new(1000) { |i| [:"name#{i}", i * 0.5] }.to_h
keys = Array.new(options[:lookups]) { |i| i * 104_729 % range }
symbols = Array.new(options[:lookups]) { |i| :"name#{i * 7 % 2000}" }

# A section for each, since Ikra compiles what stands in the block.
CASES = {
  "numbers[key]" => [-> { keys.map { |key| numbers[key] } }, -> { keys.pmap { |key| numbers[key] } }],
  "names[symbol]" => [-> { symbols.map { |name| names[name] } }, -> { symbols.pmap { |name| names[name] } }],
  "pairs[[x, y]]" => [-> { keys.map { |key| pairs[[key / 1000, key % 1000]] } },
                      -> { keys.pmap { |key| pairs[[key / 1000, key % 1000]] } }],
  "tally of 20" => [-> { keys.first(100_000).map { |key| Array.new(20) { |i| key % (i + 1) }.tally.size } },
                    -> { keys.first(100_000).pmap { |key| Array.new(20) { |i| key % (i + 1) }.tally.size } }]
}.freeze

def best
  times = Array.new(7) do
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
  end
  times.min * 1000
end

puts "#{options[:keys]} keys, #{options[:lookups]} lookups, #{Ikra.backend}; milliseconds, the best of seven"
CASES.each do |name, (ruby, ikra)|
  abort "#{name} differs" unless ruby.call == ikra.call

  slow = best(&ruby)
  fast = best(&ikra)
  line = "%<name>-16s Ruby %<slow>8.1f   Ikra %<fast>8.1f   %<times>5.1f times"
  puts format(line, name:, slow:, fast:, times: slow / fast)
end

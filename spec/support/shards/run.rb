# frozen_string_literal: true

# Runs specs in a process for each core, and prints the output of those that failed:
#
#   ruby spec/support/shards/run.rb RSPEC_ARGUMENTS…
#
# A process runs many examples at first and ever fewer towards the end, so that all end together; with SHARDS_EXAMPLES
# no more than so many, for modes in which examples take minutes. With SHARDS_SECONDS, none are begun after so many.
# An example that takes more than SHARDS_PATIENCE seconds (1200 if nothing is said) hangs: its process is ended, and
# what it waited for is printed.

require "etc"
require "json"
require "rbconfig"
require_relative "watched"

# That of the running Ruby, whichever comes first on the PATH.
RSPEC = [RbConfig.ruby, "-S", "rspec"].freeze
now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
deadline = now.call + ENV.fetch("SHARDS_SECONDS", 1e9).to_f
most = ENV.fetch("SHARDS_EXAMPLES", 1000).to_i
patience = ENV.fetch("SHARDS_PATIENCE", 1200).to_f
listed = IO.popen([*RSPEC, "--dry-run", "--format", "json", *ARGV], &:read)
examples = JSON.parse(listed[/^{"version".*/]).fetch("examples").map { |example| example["id"] }
abort "There are no such examples" if examples.empty?
# Neighbours take about as long as each other.
left = examples.shuffle(random: Random.new(1))
lock = Mutex.new
totals = [0, 0, 0]
broken = 0
workers = Array.new(Etc.nprocessors) do
  Thread.new do
    until now.call > deadline
      chunk = lock.synchronize { left.shift((left.size / (4 * Etc.nprocessors)).clamp(1, most)) }
      break if chunk.empty?

      output, status = Watched.run(RSPEC, chunk, patience:)
      counts = output.scan(/^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?/).last.to_a.map(&:to_i)
      lock.synchronize do
        totals = totals.zip(counts).map { |total, count| total + count.to_i }
        warn "#{totals[0]} of #{examples.size} examples have run"
        next if status.success? && counts[0] == chunk.size

        broken += 1
        puts output, status
      end
    end
  end
end
workers.each(&:join)
warn "#{left.size} examples were not begun" if left.any?
puts format("%d examples, %d failures, %d pending", *totals)
exit(broken.zero? && left.empty?)

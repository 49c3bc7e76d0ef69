# frozen_string_literal: true

# Runs specs in a process for each core, a few examples at a time, and prints the output of those that failed:
#
#   ruby spec/support/shards/run.rb RSPEC_ARGUMENTS…
#
# For modes in which examples take minutes. With SHARDS_SECONDS, none are begun after so many.

require "etc"
require "json"
require "open3"
require "rbconfig"

# That of the running Ruby, whichever comes first on the PATH.
RSPEC = [RbConfig.ruby, "-S", "rspec"].freeze
# Examples that one process runs.
CHUNK = 4

now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
deadline = now.call + ENV.fetch("SHARDS_SECONDS", 1e9).to_f
listed = IO.popen([*RSPEC, "--dry-run", "--format", "json", *ARGV], &:read)
examples = JSON.parse(listed[/^{"version".*/]).fetch("examples").map { |example| example["id"] }
# Neighbours take about as long as each other.
chunks = examples.shuffle(random: Random.new(1)).each_slice(CHUNK).to_a
runs = chunks.size
failed = 0
workers = Array.new(Etc.nprocessors) do
  Thread.new do
    while now.call < deadline && (chunk = chunks.shift)
      output, status = Open3.capture2e(*RSPEC, *chunk)
      warn "#{runs - chunks.size} of #{runs} begun" if (chunks.size % 10).zero?
      ran = output[/^(\d+) examples?, 0 failures/, 1].to_i
      next if status.success? && ran == chunk.size

      failed += 1
      puts output
    end
  end
end
workers.each(&:join)
puts "#{examples.size} examples in #{runs} runs: #{failed} runs failed, #{chunks.size} were not begun"
exit(failed.zero? && chunks.empty?)

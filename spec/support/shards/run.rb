# frozen_string_literal: true

# Runs specs in a process for each core, and prints the output of those that failed:
#
#   ruby spec/support/shards/run.rb RSPEC_ARGUMENTS…
#
# A process runs many examples at first and ever fewer towards the end, so that all end together; with SHARDS_EXAMPLES
# no more than so many, for modes in which examples take minutes. With SHARDS_SECONDS, none are begun after so many.
# With SHARDS_PART=0/3:cuda-emulated one of three of the examples whose descriptions have that in them run, and all
# others; with 1/2 half of all. Which ones these are differs from commit to commit; 0/3, 1/3 and 2/3 are all of them.
# The slowest are listed in the end, with SHARDS_SLOWEST so many, and the files that took longest.
# An example that takes more than SHARDS_PATIENCE seconds (1200 if nothing is said) hangs: its process is ended, and
# what it waited for is printed.

require "etc"
require "json"
require "rbconfig"
require "zlib"
require_relative "watched"

# That of the running Ruby, whichever comes first on the PATH.
RSPEC = [RbConfig.ruby, "-S", "rspec"].freeze
now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
deadline = now.call + ENV.fetch("SHARDS_SECONDS", 1e9).to_f
most = ENV.fetch("SHARDS_EXAMPLES", 1000).to_i
patience = ENV.fetch("SHARDS_PATIENCE", 1200).to_f
listed = IO.popen([*RSPEC, "--dry-run", "--format", "json", *ARGV], &:read)
examples = JSON.parse(listed[/^{"version".*/]).fetch("examples")
if (part = ENV.fetch("SHARDS_PART", nil))
  number, count, word = part.match(%r{\A(\d+)/(\d+)(?::(.+))?\z})&.captures || abort("SHARDS_PART=#{part}")
  commit = `sh -c "git rev-parse HEAD" 2>/dev/null`.to_i(16)
  turn = number.to_i + commit
  examples.select! do |example|
    name = example["full_description"]
    (word && !name.include?(word)) || ((Zlib.crc32(name) - turn) % count.to_i).zero?
  end
end
examples.map! { |example| example["id"] }
abort "There are no such examples" if examples.empty?
# Neighbours take about as long as each other.
left = examples.shuffle(random: Random.new(1))
lock = Mutex.new
totals = [0, 0, 0]
broken = 0
took = {}
workers = Array.new(Etc.nprocessors) do
  Thread.new do
    until now.call > deadline
      chunk = lock.synchronize { left.shift((left.size / (4 * Etc.nprocessors)).clamp(1, most)) }
      break if chunk.empty?

      output, status, seconds = Watched.run(RSPEC, chunk, patience:)
      counts = output.scan(/^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?/).last.to_a.map(&:to_i)
      lock.synchronize do
        took.update(seconds)
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
files = took.group_by { |id, _| id[/[^\[]*/] }.transform_values { |all| all.sum(&:last) }
[took, files].each do |all|
  slowest = all.max_by(ENV.fetch("SHARDS_SLOWEST", 5).to_i, &:last)
  slowest.each { |name, seconds| puts format("%7.1f s  %s", seconds, name) }
end
puts format("%d examples, %d failures, %d pending", *totals)
exit(broken.zero? && left.empty?)

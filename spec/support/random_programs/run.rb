# frozen_string_literal: true

# Runs random programs and prints what came of them:
# ruby -Ilib spec/support/random_programs/run.rb COUNT SEED BACKEND JOBS SECONDS
# It tells how many programs each production of the generator has written something of: each program favours a few of
# those that chance alone seldom comes to (swarm.rb), so that every one has written something of a tenth of them, about.
# What differs from Ruby is made small; its cause is mended, and it becomes an example in spec/regressions_spec.rb, or
# in spec/section_spec.rb if it has drivers. A third of the programs are sections with drivers (drivers.rb, launches.rb,
# made_arrays.rb; all with IKRA_FUZZ_SECTIONS=1), two in five change Hashes around the block (IKRA_FUZZ_TALLIES=1: all),
# a quarter match regular expressions (IKRA_FUZZ_REGEXPS=1).
# With IKRA_SPEC_CACHED=1 they run twice, each time in processes of their own that share a cache folder: the second time
# they find there what the first ones have compiled.
# With IKRA_THREADS=n they run on so many threads, and with IKRA_TEST_BATCH=2 as many read the objects.
ENV["IKRA_CUDA_EMULATOR"] ||= File.expand_path("../cuda_emulator", __dir__) if ARGV[2] == "cuda-emulated"

require "fileutils"
require "tmpdir"
cached = ENV["IKRA_SPEC_CACHED"] == "1"
ENV["IKRA_CACHE"] = cached ? "1" : "0"
if cached
  folder = Dir.mktmpdir("ikra-programs")
  at_exit { FileUtils.rm_rf(folder) }
  ENV["IKRA_CACHE_DIR"] = File.join(folder, "cache")
  ENV["IKRA_SPEC_PROGRAMS_FOLDER"] = folder
end

ENV["IKRA_ADVISE"] ||= "0"
require "ikra"
require_relative "shards"

count, seed, backend, jobs, seconds = ARGV
seeds = seed.to_i...(seed.to_i + count.to_i)
$stdout.sync = true
campaigns = (cached ? ["nothing kept", "kept"] : [""]).map do |name|
  printed = 0
  done = lambda do |campaign, _|
    campaign.failures.drop(printed).each { |failure| $stdout.write("#{"=" * 100}\n#{failure}\n") }
    printed = campaign.failures.size
    warn "#{campaign.total} of a process: #{campaign.to_s.lines.first}" if (campaign.total % 1000).zero?
  end
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  begin
    campaign = RandomPrograms::Shards.run(backend.to_sym, seeds, jobs: (jobs || Etc.nprocessors).to_i, counting: true,
                                                                 seconds: (seconds || Float::INFINITY).to_f, &done)
  rescue Interrupt
    exit! 130
  end
  puts name unless name.empty?
  puts campaign
  puts "#{campaign.total} programs from seed #{seed} on, #{campaign.passed} passed, " \
       "#{campaign.failures.size} differ, #{(Process.clock_gettime(Process::CLOCK_MONOTONIC) - start).round} s"
  campaign
end
exit 1 if campaigns.any? { |campaign| campaign.failures.any? }

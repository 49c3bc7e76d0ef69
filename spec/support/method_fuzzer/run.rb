# frozen_string_literal: true

# ruby -Ilib -Ispec spec/support/method_fuzzer/run.rb COUNT SEED [BACKEND] [JOBS] [SECONDS]
require "etc"
ENV["IKRA_ADVISE"] ||= "0"
require "ikra"
require_relative "../method_fuzzer"

count, seed = ARGV.first(2).map(&:to_i)
backend = (ARGV[2] || "cpu").to_sym
told = 0
campaign = MethodFuzzer::Campaign.new(backend, jobs: (ARGV[3] || Etc.nprocessors).to_i)
until_time = ARGV[4] && (Process.clock_gettime(Process::CLOCK_MONOTONIC) + Float(ARGV[4]))
campaign.run(count, seed, until_time:) do |so_far|
  puts so_far.failures.drop(told)
  told = so_far.failures.size
  $stdout.flush
end
puts campaign
exit(campaign.failures.empty?)

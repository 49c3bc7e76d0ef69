# frozen_string_literal: true

# Runs random programs and prints what came of them: ruby -Ilib spec/support/random_programs/run.rb COUNT SEED BACKEND
ENV["IKRA_CUDA_EMULATOR"] ||= File.expand_path("../cuda_emulator", __dir__)

require "ikra"
require_relative "campaign"

count, seed, backend = ARGV
campaign = RandomPrograms::Campaign.new(backend.to_sym)
printed = 0
begin
  campaign.run(seed.to_i...(seed.to_i + count.to_i)) do |at|
    campaign.failures.drop(printed).each { |failure| puts "=" * 100, failure }
    printed = campaign.failures.size
    warn "#{at}: #{campaign.to_s.lines.first}" if (at % 1000).zero?
  end
rescue Interrupt
  warn "stopped"
end
puts campaign
exit 1 if campaign.failures.any?

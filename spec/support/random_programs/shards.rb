# frozen_string_literal: true

require "etc"
require_relative "campaign"

module RandomPrograms
  # One campaign in several processes, each with seeds of its own.
  module Shards
    # @param seeds [Range]
    # @param options [Hash] for {Campaign#run}
    # @yield [Campaign, Integer] in its process, the campaign and each seed that is done
    # @return [Campaign] all of them together
    def self.run(backend, seeds, jobs: Etc.nprocessors, shrink: 30, counting: false, **options, &done)
      chunks = seeds.to_a.each_slice(Campaign::CHUNK).to_a
      jobs = jobs.clamp(1, [chunks.size, 1].max)
      shards = Array.new(jobs) do |i|
        own = (i...chunks.size).step(jobs).flat_map { |n| chunks[n] }
        start(Campaign.new(backend, shrink:, counting:), own, options, &done)
      end
      shards.each_with_object(Campaign.new(backend)) { |(reader, child), all| all.add(finish(reader, child)) }
    end

    def self.start(campaign, seeds, options)
      reader, writer = IO.pipe(binmode: true)
      child = fork do
        reader.close
        begin
          campaign.run(seeds, **options) { |seed| yield campaign, seed if block_given? }
        rescue Interrupt
          warn "stopped"
        end
        Marshal.dump(campaign, writer)
        writer.close
        exit!(0)
      end
      writer.close
      [reader, child]
    end

    def self.finish(reader, child)
      Marshal.load(reader) # rubocop:disable Security/MarshalLoad
    rescue EOFError
      raise "a process of the campaign has ended before its programs did"
    ensure
      reader.close
      Process.wait(child)
    end
    private_class_method :start, :finish
  end
end

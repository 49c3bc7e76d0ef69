# frozen_string_literal: true

require_relative "generator"
require_relative "trial"
require_relative "shrinker"

module RandomPrograms
  # Many programs, one after the other.
  class Campaign
    # A program that failed, as small as it gets.
    Failure = Struct.new(:seed, :verdict, :program) do
      def to_s
        "seed #{seed}: #{verdict.kind}\n#{verdict.detail.to_s[0, 4000]}\n#{"-" * 80}\n#{program.source}"
      end
    end

    attr_reader :failures, :counts, :refusals

    def initialize(backend, shrink: 20)
      @backend = backend
      @shrink = shrink
      @failures = []
      @counts = Hash.new(0)
      @refusals = Hash.new(0)
    end

    # @param seeds [Enumerable<Integer>]
    def run(seeds)
      previous = Ikra.chosen
      seeds.each do |seed|
        yield seed if block_given?
        one(seed)
      end
      self
    ensure
      Ikra.backend = previous
    end

    def one(seed)
      program = Generator.new(seed).program
      verdict = Trial.run(program, @backend)
      @counts[verdict.kind] += 1
      @counts[:rounds] += verdict.rounds
      @counts[:overflows] += verdict.tolerated
      @refusals[verdict.detail] += 1 if verdict.kind == :refused
      @failures << shrunk(program, verdict) if verdict.failure?
    end

    def to_s
      lines = ["#{@backend}: #{@counts.map { |kind, count| "#{count} #{kind}" }.join(", ")}"]
      @refusals.sort_by { |_, count| -count }.each { |slug, count| lines << "  refused #{count}: #{slug}" }
      lines.join("\n")
    end

    private

    def shrunk(program, verdict)
      return Failure.new(program.seed, verdict, program) if @shrink.zero?

      smaller = Shrinker.new(program, seconds: @shrink) { |candidate| Trial.run(candidate, @backend).kind == verdict.kind }.run
      Failure.new(program.seed, Trial.run(smaller, @backend), smaller)
    end
  end
end

# frozen_string_literal: true

require_relative "generator"
require_relative "isolated"
require_relative "productions"
require_relative "trial"
require_relative "shrinker"

module RandomPrograms
  # Many programs, one after the other.
  class Campaign
    # A program that failed, as small as it gets.
    Failure = Struct.new(:seed, :verdict, :program) do
      def to_s
        "seed #{seed}: #{verdict.kind}\n#{verdict.detail.to_s[0, 4000]}\n#{"-" * 80}\n#{program&.source}"
      end
    end
    # Programs that one process runs.
    CHUNK = 50
    # Seconds that one program may take, with all compilers that it needs.
    LIMITS = Hash.new(240).freeze

    attr_reader :failures, :counts, :refusals, :productions

    # @param shrink [Numeric] seconds spent on making one failing program small
    # @param counting [Boolean] count the productions that write the programs, which takes a tenth of the time
    def initialize(backend, shrink: 30, counting: false)
      @backend = backend
      @shrink = shrink
      @counting = counting
      @failures = []
      @counts = Hash.new(0)
      @productions = Hash.new(0)
      @refusals = Hash.new { |hash, slug| hash[slug] = [] }
    end

    # @param seeds [Enumerable<Integer>]
    # @param seconds [Numeric] when to begin no more of them, and to make none that fails smaller
    # @yield [Integer] each seed that is done
    def run(seeds, seconds: Float::INFINITY, &done)
      @end = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
      # With an end, it is looked at more often.
      seeds.each_slice(seconds.finite? ? CHUNK / 5 : CHUNK) do |chunk|
        break if over?

        until chunk.empty?
          verdicts = Isolated.stream(chunk, limit: LIMITS[@backend]) { |seed| try(seed) }
          verdicts.each { |verdict| take(chunk.shift, verdict, &done) }
        end
      end
      self
    end

    # Takes in what another campaign has found.
    def add(other)
      other.counts.each { |kind, count| @counts[kind] += count }
      other.productions.each { |name, count| @productions[name] += count }
      other.refusals.each { |slug, seeds| @refusals[slug] += seeds }
      @failures.concat(other.failures)
      self
    end

    def marshal_dump = [@backend, @shrink, @failures, @counts.to_a, @refusals.to_a, @productions.to_a]

    def marshal_load(parts)
      initialize(parts[0], shrink: parts[1])
      @failures = parts[2]
      parts[3].each { |kind, count| @counts[kind] = count }
      parts[4].each { |slug, seeds| @refusals[slug] = seeds }
      parts[5].each { |name, count| @productions[name] = count }
    end

    def passed = @counts[:passed]
    def total = @counts.values_at(:passed, :refused, :broken).sum + @failures.size

    def to_s
      lines = ["#{@backend}: #{@counts.map { |kind, count| "#{count} #{kind}" }.join(", ")}"]
      @refusals.sort_by { |_, seeds| -seeds.size }.each do |slug, seeds|
        lines << "  refused #{seeds.size}: #{slug} (#{seeds.first(5).join(", ")})"
      end
      rarest = @productions.sort_by { |name, count| [count, name] }
      lines << "  written by: #{rarest.map { |name, count| "#{name} #{count}" }.join(", ")}" if rarest.any?
      # Once more, as the end of what was printed is what is kept of it.
      @failures.each do |one|
        lines << "  failed: seed #{one.seed}, #{one.verdict.kind}, #{one.verdict.detail.to_s[0, 600]}"
      end
      lines.join("\n")
    end

    private

    def over? = @end && Process.clock_gettime(Process::CLOCK_MONOTONIC) > @end

    def try(seed)
      begin
        program, written = @counting ? Productions.of(seed) : Generator.new(seed).program
      rescue StandardError => e
        return Trial::Verdict.new(:no_program, e.full_message(highlight: false), 0)
      end
      Trial.run(program, @backend).tap { |verdict| verdict.written = written }
    end

    def take(seed, verdict)
      program = Generator.new(seed).program if verdict.failure? && verdict.kind != :no_program
      lost = %i[hanging crashed].include?(verdict.kind)
      verdict = Trial::Verdict.new(:broken, "too much for Ruby", 0) if lost && !ruby_ends?(program)
      @counts[verdict.kind] += 1
      verdict.written&.each { |name| @productions[name] += 1 }
      @counts[:rounds] += verdict.rounds.to_i
      @counts[:kept] += verdict.kept.to_i
      @refusals[verdict.detail] << seed if verdict.kind == :refused
      @failures << (program ? shrunk(program, verdict) : Failure.new(seed, verdict)) if verdict.failure?
      yield seed if block_given?
    end

    # Squares of squares become Integers of gigabytes; and Ruby 3.1 dies of some jumps out of patterns. A trial has Ruby
    # run a program several times.
    def ruby_ends?(program)
      Isolated.stream([program], limit: LIMITS[@backend] / 10) { |one| Trial.run_in_ruby(one) }.first.kind == :passed
    end

    def shrunk(program, verdict)
      return Failure.new(program.seed, verdict, program) if @shrink.zero? || over?

      smaller = Shrinker.new(program, seconds: @shrink) { |candidates| first_like(verdict, candidates) }.run
      again = verdict_of(smaller)
      # Of what does not fail again, the first verdict tells.
      Failure.new(program.seed, again.failure? ? again : verdict, smaller)
    end

    def verdict_of(program)
      Isolated.stream([program], limit: 20) { |one| Trial.run(one, @backend) }.first
    end

    # The first of the programs that fails as the verdict says.
    def first_like(verdict, candidates)
      until candidates.empty?
        found = Isolated.stream(candidates, limit: 10, stop: lambda { |one|
                                                               one.like?(verdict)
                                                             }) { |one| Trial.run(one, @backend) }
        return candidates[found.size - 1] if found.last.like?(verdict)

        candidates = candidates.drop(found.size)
      end
      nil
    end
  end
end

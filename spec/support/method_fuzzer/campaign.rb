# frozen_string_literal: true

module MethodFuzzer
  # Many calls, in processes of their own, so that one that crashes or never ends is found out.
  class Campaign
    # Bytes of address space; a call that wants more has no answer.
    MEMORY = 4 << 30
    # Of CPU; where others use it, more of the clock's.
    SECONDS = 30
    MOST_SECONDS = 300

    attr_reader :counts, :failures

    def initialize(backend, jobs: 1)
      @backend = backend
      @jobs = jobs
      @counts = Hash.new(0)
      @failures = []
    end

    # So many calls, of which batch by batch comes from a seed of its own; or as many as there is time for.
    # @yield each time that a batch is through
    def run(count, seed, until_time: nil)
      seeds = (seed...(seed + (count.to_f / BATCH).ceil)).to_a
      running = {}
      until seeds.empty? && running.empty?
        seeds.clear if until_time && Process.clock_gettime(Process::CLOCK_MONOTONIC) > until_time
        running.store(*start(seeds.shift)) while running.size < @jobs && seeds.any?
        next if running.empty?

        finish(*take(running))
        yield self if block_given?
      end
      self
    end

    def to_s
      kinds = @counts.sort.map { |kind, count| "#{count} #{kind}" }
      "#{@backend}: #{@counts.values.sum} calls: #{kinds.join(", ")}, #{@failures.size} differ"
    end

    private

    def start(seed)
      reader, writer = IO.pipe(binmode: true)
      child = fork do
        reader.close
        [$stdout, $stderr].each { |stream| stream.reopen(File::NULL) } unless ENV["IKRA_FUZZ_OUTPUT"]
        Process.setrlimit(Process::RLIMIT_AS, MEMORY)
        Process.setrlimit(Process::RLIMIT_CPU, SECONDS)
        writer.write(Marshal.dump(batch(seed)))
        writer.close
        exit!(0)
      end
      writer.close
      [reader, [child, seed, Process.clock_gettime(Process::CLOCK_MONOTONIC)]]
    end

    def batch(seed)
      calls = Calls.new(seed)
      trial = Trial.new(Array.new(BATCH) { calls.next }, @backend).run
      [trial.counts.to_a, trial.failures]
    end

    # The next that ends, or that has taken too long.
    def take(running)
      ready, = IO.select(running.keys, nil, nil, 1)
      now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      reader = ready&.first || running.find { |_, (_, _, since)| now - since > MOST_SECONDS }&.first
      return [nil, nil, false] unless reader

      [reader, running.delete(reader), ready.nil?]
    end

    def finish(reader, job, late)
      return unless reader

      child, seed, = job
      text = late ? "" : reader.read
      Process.kill(:KILL, child) if late
      Process.wait(child)
      return @failures << "seed #{seed}: #{late ? "did not come to an end" : "the process ended"}" if text.empty?

      counts, failures = Marshal.load(text) # rubocop:disable Security/MarshalLoad
      counts.each { |kind, count| @counts[kind] += count }
      failures.each { |failure| @failures << "seed #{seed}: #{failure}" }
    ensure
      reader&.close
    end
  end
end

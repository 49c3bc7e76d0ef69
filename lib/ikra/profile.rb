# frozen_string_literal: true

module Ikra
  # Where the time of parallel sections went, as {Ikra.profile} gives it.
  class Profile
    # The phases of a section, in order: its text is found, types are inferred, it is compiled; elements run in plain
    # Ruby meanwhile; objects are read, columns go to the GPU, the kernel runs, columns come back, objects are written.
    PHASES = %i[capture infer compile ruby read upload kernel download write_back].freeze

    # @return [Integer] number of sections
    attr_reader :sections
    # @return [Symbol, nil] the back-end that ran the last one
    attr_reader :backend

    # What first calls do within the phases, by name. The names are those of the compiler's parts and may change.
    #
    # @api private
    # @return [Hash{String => Hash{Symbol => Float, Integer}}] seconds and a count
    attr_reader :steps

    # What compiling went to, by the lines of the program, with all that they call.
    #
    # @return [Hash{String => Float}] shares of 1 of what was inferred, the largest first: +"path:line"+
    # @example
    #   Ikra.profile { names.pmap { |name| name.split.first } }.lines # => {"app.rb:3" => 1.0}
    attr_reader :lines
    # The same by the methods of Ikra's that stand for Ruby's. The names may change.
    #
    # @api private
    # @return [Hash{String => Float}]
    attr_reader :parts

    # A row a block: where it stands, and what its calls took together.
    Row = Struct.new(:place, :operation, :calls, :elements, :ticks, :seconds, :backend, :phases) do
      # @return [String]
      def to_s
        counts = [[calls, "call"], [elements, "element"], [ticks, "tick"]]
        counts = counts.filter_map { |count, what| "#{count} #{what}#{"s" unless count == 1}" if count }
        format("%s %s: %.1f ms, %s", place || "a section", operation, seconds * 1e3, counts.join(", "))
      end
    end

    # It is told, not changed.
    Row.members.each { |name| Row.undef_method(:"#{name}=") }

    # The blocks of the sections, those that took longest first. Elements and ticks are those of all calls; nil in plain
    # Ruby, which counts none. The phases of sections that run at the same time on several threads are not told apart.
    #
    # @return [Array<Row>]
    # @example
    #   Ikra.profile { cars.peach(10) { |car| car.move } }.rows.map(&:to_s)
    #   # => ["app.rb:3 peach: 35.1 ms, 1 call, 100 elements, 10 ticks"]
    attr_reader :rows

    # @api private
    def initialize(facts, events = [])
      @events = events
      @rows = events.group_by { |event| [event.place, event.operation] }.map { |key, calls| row_of(key, calls) }
                    .sort_by { |row| -row.seconds }
      all = facts[:lines]&.values&.sum.to_f
      @lines, @parts = facts.values_at(:lines, :parts).map do |counts|
        (counts || {}).sort_by { |name, count| [-count, name] }.to_h.transform_values { |count| count / all }
      end
      @seconds = Recording.phases(facts)
      @sections = facts[:sections]
      @backend = facts[:backend]
      @steps = facts[:steps]
    end

    # @param key [Symbol] a phase, +:sections+, +:backend+ or +:total+
    # @return [Float, Integer, Symbol, nil] seconds for a phase
    # @raise [ArgumentError] when there is no such phase
    def [](key)
      case key
      when :sections then sections
      when :backend then backend
      when :total then total
      else @seconds.fetch(key) { raise ArgumentError, "no phase is called #{key.inspect}" }
      end
    end

    # @return [Float] seconds of all phases together
    def total
      @seconds.values.sum
    end

    # @return [Hash{Symbol => Float, Integer, Symbol}]
    def to_h
      { **@seconds, sections:, backend: }
    end

    # @return [String] a table
    def to_s
      phases = @seconds.map { |phase, seconds| line(phase.to_s.tr("_", "-"), seconds) }
      blocks = rows.first(MOST_ROWS).map { |row| "  #{row}" } if rows.size > 1
      [heading, *phases, line("total", total), *blocks, *compiled].join("\n")
    end

    # Writes when each call ran, on which thread, and its phases, for a viewer of traces: Perfetto,
    # or +chrome://tracing+. Phases of a call are drawn one behind the other.
    #
    #   Ikra.profile { simulate }.save("tmp/trace.json")
    #
    # @param path [String]
    # @return [String] the path
    def save(path)
      require "json"
      File.write(path, JSON.generate({ displayTimeUnit: "ms", traceEvents: @events.flat_map { |event| spans(event) } }))
      path
    end

    # @return [String] in a line: `#<Ikra::Profile 2 sections on cpu, 12.3 ms: kernel 10.1, infer 2.2>`
    def inspect
      spent = @seconds.reject { |_, seconds| seconds.zero? }.sort_by { |_, seconds| -seconds }
      phases = spent.map { |phase, seconds| format("%s %.1f", phase, seconds * 1e3) }.join(", ")
      "#<#{self.class} #{heading}, #{format("%.1f ms", total * 1e3)}#{": #{phases}" unless phases.empty?}>"
    end

    private

    # What compiling went to, where it took long enough to ask.
    def compiled
      return [] if @seconds.values_at(:infer, :compile).compact.sum < LONG || lines.empty?

      told = lines.first(MOST).map { |name, share| format("%s %.0f %%", name, share * 100) }
      ["  compiled: #{told.join(", ")}#{", …" if lines.size > MOST}"]
    end

    # In seconds.
    LONG = 0.01
    # As many are told.
    MOST = 4
    MOST_ROWS = 10
    private_constant :LONG, :MOST, :MOST_ROWS

    def heading = "#{sections} #{sections == 1 ? "section" : "sections"} on #{backend || "nothing"}"

    def line(name, seconds) = format("  %-10s %10.3f ms", name, seconds * 1e3)

    def row_of((place, operation), calls)
      phases = calls.map(&:phases).inject { |one, other| one.merge(other) { |_, a, b| a + b } }
      sums = %i[elements ticks].map { |what| calls.map(&what).then { |counts| counts.sum unless counts.include?(nil) } }
      Row.new(place, operation, calls.size, *sums, calls.sum(&:seconds), calls.last.backend, phases)
    end

    # A call and its phases, as trace viewers take them: microseconds.
    def spans(event)
      at = event.start
      shared = { ph: "X", pid: Process.pid, tid: event.thread.object_id }
      arguments = { elements: event.elements, ticks: event.ticks, backend: event.backend }.compact
      whole = { name: [event.operation, event.place].compact.join(" "), ts: at * 1e6, dur: event.seconds * 1e6,
                args: arguments, **shared }
      [whole, *event.phases.map do |phase, seconds|
        { name: phase, ts: at * 1e6, dur: seconds * 1e6, **shared }.tap { at += seconds }
      end]
    end
  end
end

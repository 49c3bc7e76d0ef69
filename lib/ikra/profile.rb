# frozen_string_literal: true

module Ikra
  # Where the time of parallel sections went, as {Ikra.profile} gives it.
  class Profile
    # The phases of a section, in order.
    PHASES = %i[capture infer compile ruby trace upload kernel download copy_back].freeze

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

    # @api private
    def initialize(facts)
      all = facts[:lines]&.values&.sum.to_f
      @lines, @parts = facts.values_at(:lines, :parts).map do |counts|
        (counts || {}).sort_by { |name, count| [-count, name] }.to_h.transform_values { |count| count / all }
      end
      @seconds = facts.slice(*PHASES)
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
      rows = @seconds.map { |phase, seconds| row(phase.to_s.tr("_", "-"), seconds) }
      [heading, *rows, row("total", total), *compiled].join("\n")
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
    private_constant :LONG, :MOST

    def heading = "#{sections} #{sections == 1 ? "section" : "sections"} on #{backend || "nothing"}"

    def row(name, seconds)
      format("  %-10s %10.3f ms", name, seconds * 1e3)
    end
  end
end

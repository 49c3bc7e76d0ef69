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

    # @api private
    def initialize(facts)
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
      ["#{sections} #{sections == 1 ? "section" : "sections"} on #{backend || "nothing"}",
       *rows, row("total", total)].join("\n")
    end

    private

    def row(name, seconds)
      format("  %-10s %10.3f ms", name, seconds * 1e3)
    end
  end
end

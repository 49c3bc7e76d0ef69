# frozen_string_literal: true

require "rbconfig"
require_relative "version"

module Ikra
  # What {Ikra.doctor} and `ikra doctor` say: whether sections run here, on what, and what is missing. It is text for
  # people ({#to_s}) and data for programs ({#to_h}, {#to_json}).
  class Doctor
    # Sections that each say something else of a back-end are not needed: that one runs is what is asked.
    NUMBERS = [1, 2, 3].freeze
    # What the extension says of what is not there.
    MISSING = /\Amissing: /
    # The names of CUDA's parts in the text.
    PARTS = { "driver" => "NVIDIA driver", "compiler" => "compiler for GPUs", "GPU" => "GPU" }.freeze
    private_constant :NUMBERS, :MISSING, :PARTS

    # Loads Ikra and runs a small section.
    #
    # @return [Doctor]
    def self.examine
      require_relative "../ikra"
      new(failure_of_a_section)
    rescue LoadError, StandardError => e
      # Without the extension there is nothing to ask; a setting in the environment may also be wrong.
      new("#{e.class}: #{e.message}")
    end

    # @return [String, nil] why it does not
    def self.failure_of_a_section
      return if NUMBERS.pmap { |number| number + 1 } == NUMBERS.map { |number| number + 1 }

      "a section returned a wrong result"
    rescue StandardError => e
      "#{e.class}: #{e.message}"
    end
    private_class_method :failure_of_a_section

    # @api private
    # @param failure [String, nil] why no section runs
    def initialize(failure)
      @failure = failure
      @native = Ikra.const_get(:Native) if Ikra.const_defined?(:Native) && Ikra.respond_to?(:threads)
      @found = @native ? found : {}
    end

    # @return [Boolean] whether sections run here
    def ok? = @failure.nil?

    # @return [String] the answer in a line
    def verdict
      return "NOT OK: no section runs here" unless ok?
      return "OK: sections run in plain Ruby (Ikra.backend = :ruby)" if Ikra.backend == :ruby

      cores = "#{threads} CPU #{threads == 1 ? "core" : "cores"}"
      return "OK: sections run on #{gpu} and #{cores}" if Ikra.backend == :cuda

      "OK: sections run on #{cores}; #{gpu ? "the GPU is not used (Ikra.backend = :cpu)" : "no GPU"}"
    end

    # @return [Hash{Symbol => Object}] the same as data, of what JSON has
    def to_h
      { ok: ok?, verdict:, failure: @failure, ikra: VERSION, ruby: RUBY_DESCRIPTION, platform: RUBY_PLATFORM,
        cpu: @native && { threads:, cores: Etc.nprocessors },
        cuda: @found.slice(*PARTS.keys).to_h { |name, text| [name.downcase.to_sym, part(text)] },
        cache: @found["cache"], settings: @native && Ikra.settings }
    end

    # @return [String] {#to_h} in JSON
    def to_json(*arguments)
      require "json"
      JSON.pretty_generate(to_h, *arguments)
    end

    # @return [String] the verdict, and under it what was found and what is missing, each once
    def to_s
      lines = ["Ikra #{VERSION}, #{RUBY_DESCRIPTION}"]
      lines.unshift(@failure) if @failure
      lines += found_lines if @native
      [verdict, *lines.flat_map { |line| line.lines(chomp: true) }.map { |line| "  #{line}" }].join("\n")
    end

    private

    # What the extension has found, by name.
    def found = [*@native.availability.lines(chomp: true), Cache.summary].to_h { |line| line.split(": ", 2) }

    def part(text) = text.match?(MISSING) ? { missing: text.sub(MISSING, "") } : { found: text }

    def gpu
      text = @found["GPU"]
      text unless text.nil? || text.match?(MISSING)
    end

    def threads = Ikra.threads

    def found_lines
      said = []
      parts = PARTS.filter_map do |name, title|
        text = @found[name]
        next if text.nil? || said.include?(text)

        said << text if text.match?(MISSING)
        "#{title}: #{text}"
      end
      settings = Ikra.settings.map { |name, value| "#{name} #{value.inspect}" }.join(", ")
      ["settings: #{settings}", *parts, "cache: #{@found["cache"].sub(MISSING, "none, ")}"]
    end
  end
end

# frozen_string_literal: true

require "json"

module Ikra
  # What {Ikra.check} finds in several files.
  #
  # @api private
  class Report
    # @return [Array<String>] why files could not be looked at
    attr_reader :errors

    # @param paths [Array<String>] files; of folders all that end in .rb
    # @return [Report]
    def self.of(paths) = new(paths.flat_map { |path| File.directory?(path) ? Dir["#{path}/**/*.rb"] : [path] })

    def initialize(paths)
      @paths = paths
      @errors = []
      @wrong = []
      @found = paths.flat_map { |path| found_in(path) }
    end

    # @return [Integer] the exit status
    def status
      return 2 if @errors.any? || @wrong.any?

      @found.empty? ? 0 : 1
    end

    # @return [String] one array, which has syntax errors too
    def to_json(*) = JSON.pretty_generate((@wrong + @found).map(&:to_h))

    # @return [String] for people
    def to_s
      [*@wrong.map(&:to_s), *@found.map { |one| told(one) }, summary].join("\n\n")
    end

    private

    def found_in(path)
      Ikra.check(path)
    rescue SystemCallError => e
      @errors << "ikra: #{path}: #{e.class.new.message}"
      []
    rescue UnsupportedError => e
      @wrong.concat(e.diagnostics)
      []
    end

    # As the error would show it, with the parallel call.
    def told(one)
      call = one.parallel_call or return one.to_s
      in_call = "  in #{call[:name]} at #{call[:path]}:#{call[:line]}#{", unsupported if reached" if one.if_reached?}"
      head, hint = one.to_s.split(/^(?=  hint: )/, 2)
      "#{head.chomp}\n#{in_call}\n#{hint}".chomp
    end

    def summary
      files = "#{@paths.size} #{@paths.size == 1 ? "file" : "files"} checked"
      case @found.size
      when 0 then "#{files}, nothing unsupported found"
      when 1 then "#{files}, 1 place is unsupported"
      else "#{files}, #{@found.size} places are unsupported"
      end
    end
  end
  private_constant :Report
end

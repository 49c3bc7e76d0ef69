# frozen_string_literal: true

require "optparse"
require "rbconfig"
require_relative "version"

module Ikra
  # The command `ikra`. A command is a public method here that takes its arguments and returns the exit status. Ikra is
  # loaded by the commands that need it, as `ikra doctor` has to say why it cannot be loaded.
  #
  # @api private
  class CLI
    # What each command is for, in a line.
    COMMANDS = {
      "check" => "ikra check FILE…: say what of parallel calls is unsupported, from the source alone",
      "doctor" => "say whether sections run here, on what, and what is missing",
      "cache" => "say what was compiled and is kept on disk; ikra cache clear forgets it",
      "example" => "ikra example list, and ikra example run NAME with its options, such as --help"
    }.freeze

    # @param out [IO] takes what was asked for
    # @param err [IO] takes what is wrong with the arguments
    def initialize(out: $stdout, err: $stderr)
      @out = out
      @err = err
    end

    # @param arguments [Array<String>]
    # @return [Integer] the exit status: 0, 1 where the answer is no, 2 for wrong arguments
    def run(arguments)
      parser = parser("ikra COMMAND [options]", "\nCommands:\n#{commands}\n\nOptions:")
      name, *own = parser.order(arguments)
      return refuse(parser.help) unless name
      return refuse("ikra: there is no command #{name}\n#{parser.help}") unless COMMANDS.key?(name)

      public_send(name, own)
    rescue OptionParser::ParseError => e
      refuse("ikra: #{e.message}\n#{parser.help}")
    rescue Done
      0
    end

    # @param arguments [Array<String>]
    # @return [Integer] 0 where nothing was found, 1 where something was, 2 where a file is missing or is not Ruby
    def check(arguments)
      format = "text"
      parser = parser("ikra check [--format text|json] FILE…") do |options|
        options.on("--format FORMAT", %w[text json], "for people, or for programs") { |given| format = given }
      end
      paths = parser.parse(arguments)
      return refuse("ikra: check takes files\n#{parser.help}") if paths.empty?

      require_relative "../ikra"
      require_relative "report"
      report = Report.of(paths)
      @out.puts(format == "json" ? report.to_json : report)
      @err.puts(report.errors) if report.errors.any?
      report.status
    end

    # @param arguments [Array<String>]
    # @return [Integer] 0 where sections run, else 1
    def doctor(arguments)
      json = false
      parser = parser("ikra doctor [--json]") { |options| options.on("--json", "for programs") { json = true } }
      rest = parser.parse(arguments)
      return refuse("ikra: doctor takes no #{rest.first}\n#{parser.help}") if rest.any?

      require_relative "doctor"
      doctor = Doctor.examine
      @out.puts(json ? doctor.to_json : doctor)
      doctor.ok? ? 0 : 1
    end

    # @param arguments [Array<String>]
    # @return [Integer] 0
    def cache(arguments)
      parser = parser("ikra cache [clear]")
      rest = parser.parse(arguments)
      return refuse("ikra: cache takes no #{rest.join(" ")}\n#{parser.help}") unless [[], ["clear"]].include?(rest)

      require_relative "../ikra"
      cache = Ikra.const_get(:Cache)
      @out.puts(rest.empty? ? cache.details : cache.clear)
      0
    end

    # @param arguments [Array<String>]
    # @return [Integer] 0, or what the example ends with
    def example(arguments)
      parser = parser("ikra example list | run NAME [its options]", "\nExamples:\n#{examples_told}\n\nOptions:")
      what, name, *options = parser.order(arguments)
      case [what, name]
      in ["list", nil] then finish(examples_told)
      in ["run", String] if examples.key?(name)
        # In a process of its own, as a user would start it; what it writes goes where the user is.
        system(RbConfig.ruby, examples[name], *options) ? 0 : 1
      in ["run", String] then refuse("ikra: there is no example #{name}\n#{parser.help}")
      else refuse(parser.help)
      end
    end

    # All is said that was asked for.
    #
    # @api private
    class Done < StandardError; end
    private_constant :Done

    private

    def parser(usage, more = nil)
      OptionParser.new do |options|
        options.banner = "usage: #{usage}"
        options.separator(more) if more
        yield options if block_given?
        options.on("-h", "--help", "print this") { finish(options.help) }
        options.on("-v", "--version", "print the version") { finish("ikra #{VERSION}") }
      end
    end

    # The programs of the gem, by name.
    def examples
      folder = File.expand_path("../../examples", __dir__)
      Dir["#{folder}/*.rb"].to_h { |path| [File.basename(path, ".rb"), path] }
    end

    # Each with the first sentence that it says of itself.
    def examples_told
      examples.map do |name, path|
        comment = File.read(path, encoding: Encoding::UTF_8)[/^\n((?:# .*\n)+)/, 1].gsub(/^# /, "").tr("\n", " ")
        format("  %-14s %s", name, comment[/\A.*?[.:](?= )/].sub(/[.:]\z/, ""))
      end.join("\n")
    end

    def commands = COMMANDS.map { |name, what| format("  %-10s %s", name, what) }.join("\n")

    def finish(text)
      @out.puts(text)
      raise Done
    end

    def refuse(text)
      @err.puts(text)
      2
    end
  end
end

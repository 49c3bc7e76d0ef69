# frozen_string_literal: true

require "fileutils"
require "json"
require "open3"
require "rbconfig"

# What is measured is compiled code.
ENV["IKRA_MEANWHILE"] ||= "wait"
Ikra.meanwhile = ENV.fetch("IKRA_MEANWHILE") if defined?(Ikra)

# What both benchmarks need: programs compiled and run, their results compared, numbers made into a table.
module Measurement
  ROOT = File.expand_path("..", __dir__)
  BUILD = File.join(ROOT, "target/benchmark")

  module_function

  # Compiles a program that stands beside this file.
  #
  # @param command [Array<String>] the compiler and its options
  # @return [String] the path of the program
  def compile(source, *command)
    FileUtils.mkdir_p(BUILD)
    program = File.join(BUILD, File.basename(source, ".*"))
    output(*command, File.join(__dir__, source), "-o", program)
    program
  end

  # @return [String] what the command printed; the benchmark ends where it fails
  def output(*command)
    text, status = Open3.capture2(*command)
    abort "failed: #{command.grep_v(Hash).join(" ")}" unless status.success?
    text
  rescue Errno::ENOENT => e
    abort e.message
  end

  # @return [Array<String>] the option that switches YJIT on, where Ruby has it
  def yjit
    # Where Ruby was built without, the option only warns.
    enabled = "exit defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled? ? true : false"
    @yjit ||= system(RbConfig.ruby, "--yjit", "-e", enabled, err: File::NULL) ? ["--yjit"] : []
  end

  # Runs traffic_run.rb in a fresh process.
  #
  # @return [Hash] what it printed
  def ruby(*arguments, options: [], environment: {})
    script = File.join(__dir__, "traffic_run.rb")
    JSON.parse(output(environment, RbConfig.ruby, *options, script, *arguments.map(&:to_s)), symbolize_names: true)
  end

  def median(numbers)
    sorted = numbers.sort
    (sorted[(sorted.size - 1) / 2] + sorted[sorted.size / 2]) / 2.0
  end

  # Two programs that computed something else cannot be compared.
  def same!(expected, actual)
    abort "the results differ:\n#{expected}\n#{actual}" unless expected.strip == actual.strip
  end

  # @param rows [Array<Array<String>>] the first column is set left, the others right
  def table(rows)
    widths = rows.transpose.map { |column| column.map(&:size).max }
    rows.map do |first, *others|
      cells = others.each_with_index.map { |cell, i| cell.rjust(widths[i + 1]) }
      [first.ljust(widths.first), *cells].join("   ").rstrip
    end
  end
end

# frozen_string_literal: true

# The measurements of Springer and Masuhara, "Ikra: Object-oriented GPGPU Programming in Ruby with CUDA", section 5,
# with this Ikra on this machine, drawn as SVG:
#
#   Figure 7   the time of the traffic simulation's kernels, with actors in the order of their classes and shuffled
#   Figure 8   the time that it takes to put jobs in the order of their classes
#   Figure 9   the time that it takes to trace objects and to make columns of them
#
#   rake figures      ruby -Ilib benchmark/figures.rb --output docs/figures --ticks 1000

require "etc"
require "ikra"
require "optparse"
require_relative "measurement"
require_relative "../examples/pictures/chart"
require_relative "../examples/traffic/scenario"
require_relative "../examples/traffic/weather"

options = { output: "docs/figures", ticks: 1000, rounds: 5, scale: 1.0 }
OptionParser.new do |parser|
  parser.on("--output FOLDER", "(#{options[:output]})")
  parser.on("--ticks N", Integer, "of Figure 7 (#{options[:ticks]})")
  parser.on("--rounds N", Integer, "medians of so many (#{options[:rounds]})")
  parser.on("--scale X", Float, "of all sizes (#{options[:scale]})")
end.parse!(into: options)

# Measures and draws them.
class Figures
  CLASSES = [1, 4, 16, 64].freeze
  SIZES = [0.25, 0.5, 0.75, 1.0].freeze

  def initialize(options)
    @options = options
    @random = Random.new(1)
    @backends = system("nvidia-smi", out: File::NULL, err: File::NULL) ? %i[cpu cuda] : %i[cpu]
  end

  def run
    draw(7, "Kernels of the traffic simulation, #{@options[:ticks]} ticks", "actors", "milliseconds", kernels)
    draw(8, "Jobs in the order of their classes", "elements", "milliseconds", orders)
    draw(9, "Tracing objects and making columns", "actors", "milliseconds", traces)
  end

  private

  def draw(number, title, across, up, lines)
    path = File.join(@options[:output], "figure-#{number}.svg")
    Chart.new("Figure #{number}: #{title}", across:, up:, lines:, caption: machine).to_svg.save(path)
    puts path
    lines.each { |name, points| puts "  #{name}: #{points.map { |x, y| format("%d: %.3f", x, y) }.join(", ")}" }
  end

  # Where and when it was measured.
  def machine
    cpu = File.read("/proc/cpuinfo")[/^model name\s*: (.+)/, 1] if File.exist?("/proc/cpuinfo")
    gpu = IO.popen(%w[nvidia-smi --query-gpu=name --format=csv,noheader], &:gets)&.strip if @backends.include?(:cuda)
    [cpu || RUBY_PLATFORM, "#{Etc.nprocessors} cores", gpu, "Ruby #{RUBY_VERSION}", Time.now.strftime("%Y-%m-%d")]
      .compact.join(", ")
  end

  def size(number) = (number * @options[:scale]).round.clamp(1..)

  # The first time does not count: it compiles.
  def milliseconds(phase, &)
    yield
    Measurement.median(Array.new(@options[:rounds]) { Ikra.profile(&)[phase] }) * 1e3
  end

  def scenario(share, streets: 500)
    Scenario.new(cars: size(4096 * share), pedestrians: size(16_384 * share), streets: size(streets))
  end

  def kernels
    @backends.product(%w[sorted shuffled]).to_h do |backend, how|
      Ikra.backend = backend
      points = SIZES.map do |share|
        scenario = scenario(share)
        actors = how == "sorted" ? scenario.actors : scenario.actors.shuffle(random: @random)
        [actors.size, kernel(actors, scenario.table)]
      end
      ["#{backend}, #{how}", points]
    end
  end

  def kernel(actors, table)
    weather = Weather::GOOD
    ticks = @options[:ticks]
    milliseconds(:kernel) { actors.peach(ticks) { |actor| actor.move(weather, table) } }
  end

  # What elements of several classes cost more than those of one.
  def orders
    Ikra.backend = :cpu
    counts = SIZES.map { |share| size(1_000_000 * share) }
    one = counts.map { |count| trace(count, 1) }
    CLASSES.drop(1).to_h do |classes|
      times = counts.zip(one).map { |count, least| [count, [trace(count, classes) - least, 0].max] }
      ["#{classes} classes", times]
    end
  end

  def trace(count, classes)
    made = Array.new(classes) { |i| named("Of#{classes}Number#{i}") }
    elements = Array.new(count) { |i| made[(i * 7919) % classes].allocate }
    milliseconds(:read) { elements.pselect { |element| element.equal?(nil) } }
  end

  def named(name) = Object.const_defined?(name) ? Object.const_get(name) : Object.const_set(name, Class.new(Element))

  def traces
    [500, 5000, 50_000].to_h do |streets|
      points = SIZES.map do |share|
        scenario = scenario(share * 10, streets:)
        actors = scenario.actors.shuffle(random: @random)
        table = scenario.table
        weather = Weather::GOOD
        [actors.size, milliseconds(:read) { actors.peach(1) { |actor| actor.move(weather, table) } }]
      end
      ["#{size(streets)} streets", points]
    end
  end
end

# Has nothing that is read.
Element = Class.new

Figures.new(options).run

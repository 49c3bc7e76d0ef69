# frozen_string_literal: true

# What moving live objects to columns and back costs: nanoseconds an object, beside C loops over the same objects with
# Ruby's public functions. Ikra's times are phases of a second call (Ikra.profile) and hold everything of the phase.
#
#   rake bench:heap        ruby -Ilib benchmark/heap.rb --objects 1000000 --rounds 7 --threads 1,8
#
# Everything is measured with one thread, which is what C is compared with, and with all that the process may use.
#
# Ikra and C run in turn. The figures are medians of the rounds, or the least of them (--least), which says more where
# others use the machine too.

require "optparse"
require_relative "measurement"
exec(RbConfig.ruby, *Measurement.yjit, "-Ilib", __FILE__, *ARGV, chdir: Measurement::ROOT) unless
  Measurement.yjit.empty? || RubyVM::YJIT.enabled?

require "ikra"
require_relative "../examples/traffic/scenario"
require_relative "../examples/traffic/weather"

options = { objects: 1_000_000, rounds: 7, pedestrians: 1_048_576, cars: 262_144, streets: 32_000,
            elements: 10_000_000, classes: 1_000 }
threads = [1, Ikra.threads].uniq
OptionParser.new do |parser|
  parser.on("--threads LIST", Array, "(#{threads.join(",")})") { |list| threads = list.map { |count| Integer(count) } }
  options.each { |name, number| parser.on("--#{name} N", Integer, "(#{number})") }
  parser.on("--least")
end.parse!(into: options)

headers = RbConfig::CONFIG.values_at("rubyhdrdir", "rubyarchhdrdir").map { |folder| "-I#{folder}" }
anchor = Measurement.compile("heap_anchor.c", "cc", "-O2", "-shared", "-fPIC", *headers)
File.rename(anchor, "#{anchor}.so")
require "#{anchor}.so"

Ikra.backend = :cpu

# Three instance variables.
class Flat
  attr_accessor :a, :b, :sum

  def initialize(a, b)
    @a = a
    @b = b
    @sum = 0.0
  end

  def add
    @sum = @a + @b
  end
end

# Measures and prints.
class HeapBenchmark
  def initialize(options)
    @options = options
    @rounds = options[:rounds]
    @random = Random.new(1)
  end

  def run
    objects = Array.new(@options[:objects]) { |i| Flat.new(i + 0.5, i * 0.25) }
    { "in the order of creation" => objects, "shuffled" => objects.shuffle(random: @random) }.each do |how, ordered|
      flat(how, ordered)
      back(how, ordered)
    end
    whole(objects)
    arrays
    small_arrays
    results
    traffic
    order
  end

  private

  # Nanoseconds for each of `count`, of what the blocks return in seconds. The first time does not count: it compiles.
  def each_of(count, *blocks)
    blocks.each(&:call)
    rounds = Array.new(@rounds) { blocks.map(&:call) }
    figures = rounds.transpose.map { |times| @options[:least] ? times.min : Measurement.median(times) }
    figures.map { |time| time / count * 1e9 }
  end

  def nanoseconds(count, &) = each_of(count, proc(&)).first

  def seconds
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
  end

  def phase(name, &)
    Ikra.profile(&)[name]
  end

  def report(what, ours, anchor = nil, limit: nil)
    line = format("%-62s %8.1f ns", what, ours)
    line += format("   C %6.1f ns   %5.2f x", anchor, ours / anchor) if anchor
    line += "   (at most #{limit})" if limit
    puts line
  end

  def flat(order, objects)
    figures = each_of(objects.size,
                      -> { phase(:read) { objects.pmap { |o| o.a + o.b + o.sum } } },
                      -> { seconds { HeapAnchor.read_variables(objects, :@a, :@b, :@sum) } })
    report("objects of three variables to columns, #{order}", *figures, limit: "40 ns, 3 x")
  end

  def back(order, objects)
    shift = 0.0
    write = lambda do
      shift += 1.0
      phase(:write_back) { objects.peach { |o| o.sum = o.a + shift } }
    end
    figures = each_of(objects.size, write, -> { seconds { HeapAnchor.write_variable(objects, :@sum) } })
    report("a changed column back to the objects, #{order}", *figures, limit: "20 ns")
    objects.peach { |o| o.sum = o.a }
    unchanged = nanoseconds(objects.size) { phase(:write_back) { objects.peach { |o| o.sum = o.a } } }
    report("an unchanged column, #{order}", unchanged, limit: "2 ns")
  end

  def whole(objects)
    ruby = nanoseconds(objects.size) { seconds { objects.each(&:add) } }
    ours = nanoseconds(objects.size) { seconds { objects.peach(&:add) } }
    report("two variables added into a third, all included", ours)
    report("  the same loop in Ruby#{" with YJIT" if Measurement.yjit.any?}", ruby)
  end

  def arrays
    count = @options[:objects]
    floats = Array.new(count) { |i| i + 0.5 }
    figures = each_of(count, -> { phase(:read) { floats.pselect { |x| x < 0 } } },
                      -> { seconds { HeapAnchor.to_column(floats) } })
    report("Floats of an Array to a column", *figures, limit: "1.5 ns")
    figures = each_of(count, -> { phase(:write_back) { floats.pmap { |x| x * 2 } } },
                      -> { seconds { HeapAnchor.to_array(count) } })
    report("a column of Floats to an Array", *figures, limit: "4 ns")
    integers = (1..count).to_a
    report("Integers of an Array to a column",
           nanoseconds(count) { phase(:read) { integers.pselect { |x| x < 0 } } }, limit: "1.5 ns")
    report("a column of Integers to an Array",
           nanoseconds(count) { phase(:write_back) { integers.pmap { |x| x * 2 } } }, limit: "4 ns")
  end

  def small_arrays
    count = @options[:objects]
    pairs = Array.new(count) { |i| [i + 0.5, i * 0.25] }
    { "in the order of creation" => pairs, "shuffled" => pairs.shuffle(random: @random) }.each do |how, ordered|
      figures = each_of(count, -> { phase(:read) { ordered.pmap { |pair| pair[0] + pair[1] } } },
                        -> { seconds { HeapAnchor.arrays_to_column(ordered, 2) } })
      report("Arrays of two Floats to columns, #{how}", *figures)
    end
    mixed = Array.new(count) { |i| @random.rand(2).zero? ? i : i + 0.5 }
    report("Integers and Floats of an Array, mixed",
           nanoseconds(count) { phase(:read) { mixed.pselect { |x| x < 0 } } })
  end

  # Of six million values: the array is memory fresh from the system each time.
  def results
    count = 6 * @options[:objects]
    floats = Array.new(count) { |i| i + 0.5 }
    sum = 0
    { "Floats to a long Array" => -> { floats.pmap { |x| (2.5 * x) + 1.5 } },
      "every other Float of a long Array" => -> { floats.pselect { |x| x.to_i.even? } },
      "a sum of Integers" => -> { (1..count).peach { |i| sum += i } } }.each do |what, section|
      report(what, nanoseconds(count) { phase(:write_back, &section) })
    end
  end

  def traffic
    sizes = @options.slice(:pedestrians, :cars, :streets)
    scenario = Scenario.new(**sizes)
    actors = scenario.actors.shuffle(random: @random)
    table = scenario.table
    weather = Weather::GOOD
    trace = nanoseconds(1) { phase(:read) { actors.peach(1) { |actor| actor.move(weather, table) } } }
    puts format("the paper's Figure 9, its largest graph: %.3f s (at most 0.25; the paper 21.8)", trace * 1e-9)
    puts format("  an object: %.1f ns", trace / sizes.values.sum)
  end

  def named(name)
    Object.const_defined?(name) ? Object.const_get(name) : Object.const_set(name, Class.new(Flat))
  end

  # What the elements of many classes cost more than those of one: the order of the jobs, and looking up the classes.
  def order
    one, many = [1, @options[:classes]].map do |count|
      classes = Array.new(count) { |i| named("Of#{count}Number#{i}") }
      elements = Array.new(@options[:elements]) { |i| classes[(i * 7919) % count].allocate }
      nanoseconds(1e9) { phase(:read) { elements.pselect { |element| element.equal?(nil) } } }
    end
    puts format("%d elements: of one class %.3f s, of %d classes %.3f s; the order %.3f s (at most 0.3)",
                @options[:elements], one, @options[:classes], many, many - one)
  end
end

threads.each do |count|
  Ikra.threads = count
  puts "#{count} #{count == 1 ? "thread" : "threads"}"
  HeapBenchmark.new(options).run
end

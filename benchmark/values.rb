# frozen_string_literal: true

# Hashes, Strings and objects that sections make, against Ruby's own: programs as they are written, with and without
# the p. Run with --yjit for the fastest that Ruby has.
#
#   rake bench:values      ruby -Ilib benchmark/values.rb --only words,vectors --rounds 3

require "ikra"
Ikra.meanwhile = :wait
require "optparse"

options = { backend: "cpu", rounds: 5, only: nil, scale: 1.0 }
OptionParser.new do |parser|
  parser.on("--backend NAME", "(#{options[:backend]})")
  parser.on("--rounds N", Integer, "(#{options[:rounds]})")
  parser.on("--scale X", Float, "of the data (#{options[:scale]})")
  parser.on("--only NAMES", Array, "of the programs")
end.parse!(into: options)
Ikra.backend = options[:backend]
SCALE = options[:scale]

Vector = Struct.new(:x, :y)

class Point
  attr_reader :x, :y

  def initialize(x, y)
    @x = x
    @y = y
  end

  def +(other) = Point.new(@x + other.x, @y + other.y)
end

class Mover
  attr_reader :position

  def initialize(number)
    @position = Point.new(number * 0.5, number * 0.25)
    @velocity = Point.new(1.0, number * 0.001)
  end

  def move = @position += @velocity
end

# On a torus of cells: who meets whom is counted in these.
class Animal
  attr_reader :cell, :energy

  def initialize(seed, cell, energy)
    @seed = seed
    @cell = cell
    @energy = energy
  end

  def alive? = @energy > 0

  def drawn(limit)
    @seed = ((@seed * 1_103_515_245) + 12_345) & 0x7fffffff
    (@seed >> 8) % limit
  end

  def wander(width)
    step = [1, -1, width, -width][drawn(4)]
    @cell = (@cell + step) % (width * width)
    @energy -= 1
  end
end

class Prey < Animal
  def live(width, hunters, young)
    wander(width)
    @energy += 2 if drawn(3) > 0
    @energy = 0 if hunters[@cell] > 0 && drawn(2) == 0
    return unless @energy > 8

    @energy /= 2
    young << Prey.new(drawn(1 << 20), @cell, @energy)
  end
end

class Predator < Animal
  def live(width, herd, young)
    wander(width)
    @energy += 4 if herd[@cell] > 0
    return unless @energy > 20

    @energy /= 2
    young << Predator.new(drawn(1 << 20), @cell, @energy)
  end
end

# Predators and prey with births and deaths, in plain Ruby and in a section.
class Island
  attr_reader :log

  def initialize(animals)
    @width = Math.sqrt(animals).ceil
    cells = @width * @width
    @prey = Array.new(animals * 9 / 10) { |i| Prey.new(i, i * 7919 % cells, 4 + (i % 5)) }
    @predators = Array.new(animals / 10) { |i| Predator.new(i, i * 104_729 % cells, 10 + (i % 9)) }
    @log = []
  end

  def live(days)
    days.times do
      herd = Array.new(@width * @width, 0)
      @prey.each { |one| herd[one.cell] += 1 }
      hunters = Array.new(@width * @width, 0)
      @predators.each { |one| hunters[one.cell] += 1 }
      lambs = []
      @prey.each { |one| one.live(@width, hunters, lambs) }
      cubs = []
      @predators.each { |one| one.live(@width, herd, cubs) }
      @prey = @prey.select(&:alive?) + lambs
      @predators = @predators.select(&:alive?) + cubs
      @log << [@prey.size, @predators.size]
    end
    self
  end

  def plive(days)
    Ikra.section do
      days.times do
        herd = Array.new(@width * @width, 0)
        @prey.peach { |one| herd[one.cell] += 1 }
        hunters = Array.new(@width * @width, 0)
        @predators.peach { |one| hunters[one.cell] += 1 }
        lambs = []
        @prey.peach { |one| one.live(@width, hunters, lambs) }
        cubs = []
        @predators.peach { |one| one.live(@width, herd, cubs) }
        @prey = @prey.pselect(&:alive?) + lambs
        @predators = @predators.pselect(&:alive?) + cubs
        @log << [@prey.size, @predators.size]
      end
    end
    self
  end
end

# Lines of words, and the distance of two words: rows of a table, one after the other.
module Words
  module_function

  def lines(count)
    random = Random.new(1)
    words = Array.new(20_000) { Array.new(random.rand(2..9)) { random.rand(97..122).chr }.join }
    Array.new(count) { Array.new(10) { words[((random.rand**3) * words.size).to_i] }.join(" ") }
  end

  def distance(a, b)
    before = (0..b.size).to_a
    i = 0
    while i < a.size
      row = [i + 1]
      j = 0
      while j < b.size
        cost = a[i] == b[j] ? 0 : 1
        row << [row[j] + 1, before[j + 1] + 1, before[j] + cost].min
        j += 1
      end
      before = row
      i += 1
    end
    before.last
  end

  def counted(lines)
    lines.each_with_object(Hash.new(0)) { |line, counts| line.split.each { |word| counts[word] += 1 } }
  end
end

def size(number) = [(number * SCALE).to_i, 10].max

# The data of a program, and the two ways to run it: a section for each, since Ikra compiles what stands in the block.
PROGRAMS = {
  "integers" => lambda do
    numbers = Array.new(100_000) { |i| [i * 7919 % 1_000_000, i] }.to_h
    keys = Array.new(size(1_000_000)) { |i| i * 104_729 % 1_000_000 }
    [-> { keys.map { |key| numbers[key] } }, -> { keys.pmap { |key| numbers[key] } }]
  end,
  "pairs" => lambda do
    pairs = Array.new(100_000) { |i| [[i * 7919 % 1000, i % 1000], i] }.to_h
    keys = Array.new(size(1_000_000)) { |i| i * 104_729 % 1_000_000 }
    [-> { keys.map { |key| pairs[[key / 1000, key % 1000]] } },
     -> { keys.pmap { |key| pairs[[key / 1000, key % 1000]] } }]
  end,
  "symbols" => lambda do
    names = Array.new(1000) { |i| [:"name#{i}", i * 0.5] }.to_h
    keys = Array.new(size(1_000_000)) { |i| :"name#{i * 7 % 2000}" }
    [-> { keys.map { |name| names[name] } }, -> { keys.pmap { |name| names[name] } }]
  end,
  # As JSON gives them, and with Symbols as keys.
  "records" => lambda do
    records = Array.new(size(20_000)) do |i|
      { "id" => i, "price" => i * 0.5, "qty" => i % 7, "meta" => { "w" => 1.5, "h" => 2.5, "d" => i } }
    end
    [-> { records.sum { |r| (r["price"] * r["qty"]) + r["meta"]["w"] } },
     -> { records.psum { |r| (r["price"] * r["qty"]) + r["meta"]["w"] } }]
  end,
  "by_symbols" => lambda do
    records = Array.new(size(20_000)) do |i|
      { id: i, price: i * 0.5, qty: i % 7, meta: { w: 1.5, h: 2.5, d: i } }
    end
    [-> { records.sum { |r| (r[:price] * r[:qty]) + r[:meta][:w] } },
     -> { records.psum { |r| (r[:price] * r[:qty]) + r[:meta][:w] } }]
  end,
  "tally" => lambda do
    keys = Array.new(size(100_000)) { |i| i * 104_729 % 1_000_000 }
    [-> { keys.map { |key| Array.new(20) { |i| key % (i + 1) }.tally.size } },
     -> { keys.pmap { |key| Array.new(20) { |i| key % (i + 1) }.tally.size } }]
  end,
  "structs" => lambda do
    keys = Array.new(size(1_000_000)) { |i| i }
    [-> { keys.map { |key| Vector.new(key, key * 0.5) } }, -> { keys.pmap { |key| Vector.new(key, key * 0.5) } }]
  end,
  "vectors" => lambda do
    keys = Array.new(size(1_000_000)) { |i| i }
    show = ->(points) { points.map { |point| [point.x, point.y] } }
    [-> { keys.map { |key| Point.new(key, key * 0.5) } }, -> { keys.pmap { |key| Point.new(key, key * 0.5) } }, show]
  end,
  "movers" => lambda do
    movers = Array.new(size(200_000)) { |i| Mover.new(i) }
    show = ->(given) { given.size }
    [-> { movers.each(&:move) }, -> { movers.peach(&:move) }, show]
  end,
  # Their islands take as long to make as one day there.
  "island" => lambda do
    animals = size(100_000)
    [-> { Island.new(animals).live(50) }, -> { Island.new(animals).plive(50) }, ->(island) { island.log }]
  end,
  "counted" => lambda do
    lines = Words.lines(size(330_000))
    [lambda do
       counts = Hash.new(0)
       lines.each { |line| line.split.each { |word| counts[word] += 1 } }
       counts
     end,
     lambda do
       counts = Hash.new(0)
       lines.peach { |line| line.split.each { |word| counts[word] += 1 } }
       counts
     end]
  end,
  "words" => lambda do
    lines = Words.lines(size(330_000))
    merge = ->(parts) { parts.reduce { |all, part| all.merge!(part) { |_, a, b| a + b } } }
    parts = lines.each_slice(2_000).to_a
    [-> { merge.call(parts.map { |part| Words.counted(part) }) },
     -> { merge.call(parts.pmap { |part| Words.counted(part) }) }]
  end,
  "distances" => lambda do
    random = Random.new(2)
    word = -> { Array.new(random.rand(15..25)) { random.rand(97..101).chr }.join }
    pairs = Array.new(size(20_000)) { [word.call, word.call] }
    [-> { pairs.map { |a, b| Words.distance(a, b) } }, -> { pairs.pmap { |a, b| Words.distance(a, b) } }]
  end,
  # Without parallel calls: what the code around them costs.
  "around" => lambda do
    numbers = Array.new(size(400)) { |i| i * 7919 % 2000 }
    [-> { (0...60).sum { |i| numbers.sort[i] + numbers.uniq.size + numbers.map { |n| "#{n}:#{i}" }.sum(&:size) } },
     lambda do
       Ikra.section do
         (0...60).sum { |i| numbers.sort[i] + numbers.uniq.size + numbers.map { |n| "#{n}:#{i}" }.sum(&:size) }
       end
     end]
  end,
  "log" => lambda do
    random = Random.new(3)
    lines = Array.new(size(200_000)) do |i|
      "2026-11-#{10 + (i % 20)} #{%w[GET POST PUT][i % 3]} /items/#{random.rand(1000)} #{random.rand(200..504)} " \
        "#{random.rand(100_000)}"
    end
    [-> { lines.sum { |line| line.split[4].to_i } }, -> { lines.psum { |line| line.split[4].to_i } }]
  end
}.freeze

def time
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  yield
  (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start) * 1000
end

yjit = " with YJIT" if defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?
puts "Ruby #{RUBY_VERSION}#{yjit}, #{Ikra.backend}; milliseconds, the best of #{options[:rounds]} in turn"
PROGRAMS.slice(*(options[:only] || PROGRAMS.keys)).each do |name, program|
  ruby, ikra, show = program.call
  show ||= :itself.to_proc
  begin
    abort "#{name} differs" unless show.call(ruby.call) == show.call(ikra.call)
  rescue Ikra::UnsupportedError => e
    puts "#{name}: #{e.message.lines.first}"
    next
  end
  times = Array.new(options[:rounds]) do
    [ruby, ikra].map do |run|
      GC.start
      time(&run)
    end
  end
  slow, fast = times.transpose.map(&:min)
  line = "%<name>-10s Ruby %<slow>8.1f   Ikra %<fast>8.1f   %<times>5.2f times"
  puts format(line, name:, slow:, fast:, times: slow / fast)
end

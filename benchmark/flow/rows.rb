# frozen_string_literal: true

require_relative "../../examples/traffic/checksum"
require_relative "../../examples/traffic/scenario"
require_relative "../../examples/traffic/weather"

# What benchmark/flow.rb measures. A row makes its data when it is created; `parallel` and `plain` do the same work with
# Ikra and with Ruby, each from the state that `reset` makes, and `answer` is what has come of it.
module Flow
  # Three variables.
  class Item
    attr_accessor :a, :b, :c

    def initialize(a, b)
      @a = a
      @b = b
      @c = 0.0
    end
  end

  class Small < Item; end
  class Large < Item; end

  # Ten of these are moved.
  class Ball
    attr_accessor :height, :speed

    def initialize(height, speed)
      @height = height
      @speed = speed
    end

    def fall(seconds)
      @speed -= 9.81 * seconds
      @height += @speed * seconds
    end
  end

  # What all rows have.
  class Row
    # @return [Float] which part of the work of `parallel` is done by `plain`
    attr_reader :part
    # @return [Integer] how many calls are measured together, since one is too short
    attr_reader :calls
    # @return [Integer, nil] bytes of the columns that a GPU gets, and as many that it gives back
    attr_reader :bytes
    # @return [String, nil] what there is to say of the figures
    attr_reader :remark

    def initialize(scale)
      @scale = scale
      @random = Random.new(1)
      @part = 1.0
      @calls = 1
    end

    def reset; end

    # What is compared of the result of `parallel` or `plain`.
    def answer(result) = result

    # Compares the call that has been made with plain Ruby.
    #
    # @return [Boolean] whether both came to the same
    def same?(result)
      ours = answer(result)
      reset
      answer(plain).eql?(ours)
    end

    private

    def size(count) = [(count * @scale).round, 1].max
  end

  # c = a + b, where c is something else before each call, so that all objects change.
  class Objects < Row
    def initialize(scale, order)
      super(scale)
      mixed = order == :classes
      @objects = Array.new(size(1_000_000)) do |i|
        (mixed ? [Small, Large][@random.rand(2)] : Item).new(i + 0.5, i * 0.25)
      end
      @objects.shuffle!(random: @random) if order == :shuffled
    end

    def reset = @objects.each { |o| o.c = 0.0 }
    def parallel = @objects.peach { |o| o.c = o.a + o.b }
    def plain = @objects.each { |o| o.c = o.a + o.b }
    def answer(_) = @objects.map(&:c)
  end

  # Six million Floats.
  class Floats < Row
    def initialize(scale)
      super
      @floats = Array.new(size(6_000_000)) { @random.rand * 1000.0 }
      @bytes = @floats.size * 8
    end

    def parallel = @floats.pmap { |x| (2.5 * x) + 1.5 }
    def plain = @floats.map { |x| (2.5 * x) + 1.5 }
  end

  # Six million Integers.
  class Integers < Row
    def initialize(scale)
      super
      @integers = Array.new(size(6_000_000)) { @random.rand(1_000_000_000) }
    end

    def parallel = @integers.pmap { |x| (3 * x) + 1 }
    def plain = @integers.map { |x| (3 * x) + 1 }
  end

  # The assignment step of k-means. Ruby does a part of the points.
  class Nearest < Row
    CENTRES = 64
    PART = 0.05

    def initialize(scale)
      super
      @points = Array.new(size(1_000_000)) { [@random.rand, @random.rand] }
      @centres = Array.new(CENTRES) { [@random.rand, @random.rand] }
      @some = @points.first((@points.size * PART).ceil)
      @part = @some.size.fdiv(@points.size)
      @remark = "Ruby's time for 3 is reckoned from #{@some.size} points."
    end

    def parallel
      centres = @centres
      @points.pmap do |x, y|
        centres.each_index.min_by do |i|
          cx, cy = centres[i]
          ((x - cx)**2) + ((y - cy)**2)
        end
      end
    end

    def plain
      centres = @centres
      @some.map do |x, y|
        centres.each_index.min_by do |i|
          cx, cy = centres[i]
          ((x - cx)**2) + ((y - cy)**2)
        end
      end
    end

    def answer(result) = result.first(@some.size)
  end

  # One variable of three is looked at.
  class Select < Row
    def initialize(scale)
      super
      @objects = Array.new(size(1_000_000)) { |i| Item.new(@random.rand, i * 0.25) }
    end

    def parallel = @objects.pselect { |o| o.a < 0.5 }
    def plain = @objects.select { |o| o.a < 0.5 }
  end

  # An accumulator.
  class Total < Select
    def parallel
      total = 0.0
      @objects.peach { |o| total += o.a }
      total
    end

    def plain
      total = 0.0
      @objects.each { |o| total += o.a }
      total
    end
  end

  # A thousand bins, into which a million Integers are counted.
  class Histogram < Row
    def initialize(scale)
      super
      @integers = Array.new(size(1_000_000)) { @random.rand(1_000_000) }
      reset
    end

    def reset = @bins = [0] * 1000

    def parallel
      bins = @bins
      @integers.peach { |n| bins[n % 1000] += 1 }
    end

    def plain
      bins = @bins
      @integers.each { |n| bins[n % 1000] += 1 }
    end

    def answer(_) = @bins
  end

  # The traffic simulation. Ruby does a few ticks, after which all is compared. As many as take the form of the code
  # that has the loop over ticks inside are compared on a small town.
  class Traffic < Row
    TICKS = 2
    MANY = 100

    def initialize(scale, ticks)
      super(scale)
      cars = size(1_048_576) / 5
      @scenario = Scenario.new(cars:, pedestrians: size(1_048_576) - cars, streets: size(32_000))
      @actors = @scenario.actors
      @start = @actors.map { |actor| [actor.street, actor.progress] }
      @ticks = ticks
      @part = TICKS.fdiv(ticks)
      @remark = "5 goes on for #{ticks} ticks; Ruby's time is reckoned from #{TICKS}."
    end

    def reset
      @actors.each_with_index { |actor, i| actor.street, actor.progress = @start[i] }
    end

    def parallel = move(@actors, @scenario.table, @ticks)

    def plain
      table = @scenario.table
      weather = Weather::GOOD
      TICKS.times { @actors.each { |actor| actor.move(weather, table) } }
    end

    def same?(_)
      [[Scenario.new, [@ticks, MANY].min], [@scenario, TICKS]].all? do |scenario, ticks|
        reset
        move(scenario.actors, scenario.table, ticks)
        ours = state(scenario)
        reset
        other = scenario.equal?(@scenario) ? scenario : scenario.fresh
        ticks.times { other.actors.each { |actor| actor.move(Weather::GOOD, other.table) } }
        state(other).eql?(ours)
      end
    end

    private

    def move(actors, table, ticks)
      weather = Weather::GOOD
      actors.peach(ticks) { |actor| actor.move(weather, table) }
    end

    def state(scenario) = scenario.actors.map { |actor| [actor.street.index, actor.progress] }
  end

  # Ten objects.
  class Ten < Row
    def initialize(scale)
      super
      @calls = 2_000
      reset
    end

    def reset = @balls = Array.new(10) { |i| Ball.new(100.0 + i, 0.0) }

    def parallel
      seconds = 0.001
      @balls.peach { |ball| ball.fall(seconds) }
    end

    def plain
      seconds = 0.001
      @balls.each { |ball| ball.fall(seconds) }
    end

    def answer(_) = @balls.map { |ball| [ball.height, ball.speed] }
  end

  # What a row is called, how it is made, and what it should come to: `ruby` is times as fast as Ruby with YJIT by the
  # number of cores, `cpu` and `gpu` are seconds of a later call.
  Entry = Struct.new(:name, :make, :ruby, :cpu, :gpu, keyword_init: true)

  # Rates of a GPU's columns in bytes a second: the bandwidth of page-locked memory, and the part of it to reach.
  PINNED = 5.5e10
  TRANSFER_GOAL = 0.8

  ENTRIES = {
    "1a" => Entry.new(name: "c = a + b, a million in the order of creation", ruby: { 2 => 2, 16 => 6 }, gpu: 0.015,
                      make: ->(scale, _) { Objects.new(scale, :created) }),
    "1b" => Entry.new(name: "c = a + b, shuffled", ruby: { 2 => 2, 16 => 6 }, gpu: 0.015,
                      make: ->(scale, _) { Objects.new(scale, :shuffled) }),
    "1c" => Entry.new(name: "c = a + b, two classes mixed", ruby: { 2 => 2, 16 => 6 }, gpu: 0.015,
                      make: ->(scale, _) { Objects.new(scale, :classes) }),
    "2a" => Entry.new(name: "2.5 * x + 1.5, six million Floats", ruby: { 2 => 14, 16 => 25 }, gpu: 0.025,
                      make: ->(scale, _) { Floats.new(scale) }),
    "2b" => Entry.new(name: "3 * x + 1, six million Integers", ruby: { 2 => 14, 16 => 25 }, gpu: 0.025,
                      make: ->(scale, _) { Integers.new(scale) }),
    "3" => Entry.new(name: "nearest of 64 centres, a million points", ruby: { 2 => 10 }, gpu: 0.025,
                     make: ->(scale, _) { Nearest.new(scale) }),
    "4a" => Entry.new(name: "pselect by one variable, a million", make: ->(scale, _) { Select.new(scale) }),
    "4b" => Entry.new(name: "total += o.a, a million", make: ->(scale, _) { Total.new(scale) }),
    "4c" => Entry.new(name: "1,000 bins, a million Integers", make: ->(scale, _) { Histogram.new(scale) }),
    "5" => Entry.new(name: "traffic, 1,048,576 actors", gpu: 0.060,
                     make: ->(scale, ticks) { Traffic.new(scale, ticks) }),
    "6" => Entry.new(name: "ten objects", cpu: 4.4e-6, gpu: 3e-5, make: ->(scale, _) { Ten.new(scale) }),
    # Only where there is something to transfer.
    "7" => Entry.new(name: "columns of six million Floats", make: ->(scale, _) { Floats.new(scale) })
  }.freeze
end

# frozen_string_literal: true

require_relative "car"
require_relative "glibc_random"
require_relative "pedestrian"
require_relative "street"

# The random street network of Springer and Masuhara, "Ikra: Object-oriented GPGPU Programming in Ruby with CUDA"
# (section 5): by default 500 streets with one to ten neighbours each, 4,096 cars and 16,384 pedestrians. The numbers
# are drawn in the order of benchmark/traffic.c, so both programs compute on the same scenario.
class Scenario
  SEED = 42

  # @return [Array<Street>]
  attr_reader :streets
  # @return [Array<Actor>] the pedestrians, then the cars
  attr_reader :actors
  # @return [Array<Integer>] a random number for each street, which decides where actors turn and how people stroll
  attr_reader :table

  def initialize(cars: 4096, pedestrians: 16_384, streets: 500)
    @size = { cars:, pedestrians:, streets: }
    @random = GlibcRandom.new(SEED)
    @streets = Array.new(streets) { |index| Street.new(index, float(25, 1), float(40, 45)) }
    connect
    @actors = Array.new(pedestrians + cars) { |i| actor(pedestrian: i < pedestrians) }
    @random = GlibcRandom.new(SEED)
    @table = Array.new(streets) { @random.rand % streets }
  end

  # @return [Scenario] the same once more, in its first state
  def fresh
    Scenario.new(**@size)
  end

  private

  def float(range, lowest)
    ((@random.rand % range) + lowest).to_f
  end

  def connect
    degrees = @streets.map { (@random.rand % 10) + 1 }
    @streets.zip(degrees) do |street, degree|
      street.neighbors = Array.new(degree) { pick_street }
    end
  end

  def pick_street
    @streets[@random.rand % @streets.size]
  end

  # A maximum velocity is drawn for pedestrians too, though they have no use for it.
  def actor(pedestrian:)
    street = pick_street
    progress = float(10, 0)
    max_velocity = float(20, 65)
    pedestrian ? Pedestrian.new(street, progress) : Car.new(street, progress, max_velocity)
  end
end

# frozen_string_literal: true

# Classes that several specs compute on.
module World
  class Point
    attr_accessor :x, :y, :next

    def initialize(x, y = 0)
      @x = x
      @y = y
    end

    def shift(by)
      @x += by
    end
  end

  class Vehicle
    attr_accessor :speed, :owner

    def initialize(speed)
      @speed = speed
    end

    def wheels = 4

    def accelerate
      @speed += wheels
    end
  end

  class Truck < Vehicle
    attr_accessor :load

    def wheels = 6
  end

  class Bicycle < Vehicle
    def wheels = 2
  end

  # Objects with arrays.
  class Node
    attr_accessor :links, :value

    def initialize(value, links = [])
      @value = value
      @links = links
    end
  end

  # All instance variables of the objects, to compare before and after.
  def snapshot(objects)
    objects.map { |o| o.instance_variables.to_h { |name| [name, o.instance_variable_get(name)] } }
  end

  # What the block raises; an expectation that it raises.
  def raised
    yield
    raise RSpec::Expectations::ExpectationNotMetError, "expected an exception"
  rescue RSpec::Expectations::ExpectationNotMetError
    raise
  rescue Exception => e # rubocop:disable Lint/RescueException
    e
  end
end

RSpec.configure { |config| config.include World }

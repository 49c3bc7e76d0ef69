# frozen_string_literal: true

require_relative "actor"
require_relative "weather"

# A car goes as fast as it and the street allow, and at three quarters of that in bad weather.
class Car < Actor
  attr_accessor :max_velocity

  def initialize(street, progress, max_velocity)
    super(street, progress)
    @max_velocity = max_velocity
  end

  def move(weather, table)
    speed = [max_velocity, street.max_velocity].min
    advance(speed * (weather == Weather::BAD ? 0.75 : 1.0), table)
  end
end

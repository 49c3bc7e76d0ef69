# frozen_string_literal: true

require_relative "actor"

# A pedestrian strolls at -2 to 4 miles an hour, whatever the weather.
class Pedestrian < Actor
  def move(_weather, table)
    advance((table[(progress * progress).to_i % table.size] % 7) - 2, table)
  end
end

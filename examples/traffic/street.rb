# frozen_string_literal: true

# A one-way street: a node of the network, with the streets that one can turn into at its end.
class Street
  attr_accessor :neighbors
  attr_reader :index, :length, :max_velocity

  def initialize(index, length, max_velocity)
    @index = index
    @length = length
    @max_velocity = max_velocity
    @neighbors = []
  end
end

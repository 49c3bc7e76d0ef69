# frozen_string_literal: true

# Someone on the move: what cars and pedestrians have in common. An actor is on one street, so far from its beginning.
#
# Speeds are in miles an hour and a tick advances an actor by a sixtieth of its speed, so `progress` counts miles where
# a tick stands for a minute, and sixtieths of a mile where it stands for a second.
class Actor
  attr_accessor :street, :progress

  def initialize(street, progress)
    @street = street
    @progress = progress
  end

  # Goes on for one tick, and around the corner once the end of the street is reached. Which way an actor turns is
  # read from the table of random numbers.
  def advance(speed, table)
    @progress += speed / 60.0
    return if @progress < @street.length

    neighbors = @street.neighbors
    @street = neighbors[table[@street.index] % neighbors.size]
    @progress = 0.0
  end
end

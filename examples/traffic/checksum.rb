# frozen_string_literal: true

# Two numbers that tell whether two runs ended in the same state: the progress of all actors, added up in order, and a
# hash of who is on which street. benchmark/traffic.c prints the same.
module Checksum
  # @return [String] a line for each number
  def self.of(actors)
    sum = 0.0
    hash = 0
    actors.each_with_index do |actor, i|
      sum += actor.progress
      hash += actor.street.index * ((i % 97) + 1)
    end
    format("sum_progress %.6f\nstreet_hash %d", sum, hash)
  end
end

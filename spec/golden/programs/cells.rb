# frozen_string_literal: true

# A world of cells that look at their neighbours, some ticks long.
class Cell
  attr_accessor :neighbours, :alive

  def initialize(alive)
    @alive = alive
    @next = alive
    @neighbours = []
  end

  def look
    count = @neighbours.count(&:alive)
    @next = @alive ? [2, 3].include?(count) : count == 3
  end

  def step = @alive = @next
end

side = 6
cells = Array.new(side * side) { |i| Cell.new((i % 3).zero?) }
cells.each_with_index do |cell, i|
  around = [-1, 0, 1].product([-1, 0, 1]) - [[0, 0]]
  cell.neighbours = around.map { |dx, dy| cells[(((i / side) + dy) % side * side) + (((i % side) + dx) % side)] }
end
Ikra.section do
  4.times do
    cells.peach(&:look)
    cells.peach(&:step)
  end
  cells.count(&:alive)
end

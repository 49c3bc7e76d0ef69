#!/usr/bin/env ruby
# frozen_string_literal: true

# Birds fly as their neighbours do, keep near them, and do not collide (Reynolds, Flocks, Herds, and Schools, 1987). A
# step is two parallel calls of one section: first all look, then all fly.
#
#   ruby examples/flock.rb --birds 1000 --steps 200 --output tmp/flock.svg
#   ruby examples/flock.rb --birds 500 --steps 2000 --live 8000

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"
require_relative "pictures/live"
require_relative "pictures/sheet"

# A bird over a square without borders: who leaves it comes back from the other side.
class Bird
  SIDE = 100.0
  SIGHT = 8.0
  NEAR = 1.5
  SPEED = 0.8

  attr_reader :x, :y, :dx, :dy

  def initialize(random)
    @x = random.rand(SIDE)
    @y = random.rand(SIDE)
    turn = random.rand(2 * Math::PI)
    @dx = Math.cos(turn) * SPEED
    @dy = Math.sin(turn) * SPEED
    @new_dx = @new_dy = 0.0
  end

  def look(flock)
    seen = flock.select { |other| !other.equal?(self) && way_to(other) < SIGHT }
    near = seen.select { |other| way_to(other) < NEAR }
    count = [seen.size, 1].max
    rights = [seen, near].map { |birds| birds.map { |other| right_to(other) } }
    ups = [seen, near].map { |birds| birds.map { |other| up_to(other) } }
    @new_dx = @dx + (0.1 * seen.sum(&:dx) / count) + pull(count, *rights)
    @new_dy = @dy + (0.1 * seen.sum(&:dy) / count) + pull(count, *ups)
  end

  def fly
    length = Math.sqrt((@new_dx * @new_dx) + (@new_dy * @new_dy)) / SPEED
    @dx = @new_dx / length
    @dy = @new_dy / length
    @x = (@x + @dx) % SIDE
    @y = (@y + @dy) % SIDE
  end

  private

  # To the middle of those that it sees, and away from those that are too near.
  def pull(count, seen, near) = (0.02 * seen.sum / count) - (0.05 * near.sum)

  def right_to(other) = across(other.x - @x)
  def up_to(other) = across(other.y - @y)

  def way_to(other)
    right = right_to(other)
    up = up_to(other)
    Math.sqrt((right * right) + (up * up))
  end

  # The shorter way: over the border, if need be.
  def across(way)
    return way - SIDE if way > SIDE / 2

    way < -SIDE / 2 ? way + SIDE : way
  end
end

# Of one colour are those who fly the same way.
def drawn(flock, steps)
  sheet = Sheet.new("#{flock.size} birds after #{steps} steps", [[0.0, 0.0], [Bird::SIDE, Bird::SIDE]])
  ways = flock.group_by { |bird| (Math.atan2(bird.dy, bird.dx) / Math::PI * 4).floor }
  ways.sort.each { |way, birds| sheet.arrows(birds.map { |bird| [bird.x, bird.y, bird.dx, bird.dy] }, way) }
  sheet.to_svg
end

options = { birds: 1000, steps: 200, seed: 1, backend: Ikra.backend }
OptionParser.new do |parser|
  parser.on("--birds N", Integer, "(#{options[:birds]})")
  parser.on("--steps N", Integer, "(#{options[:steps]})")
  parser.on("--seed N", Integer, "where the birds start (#{options[:seed]})")
  parser.on("--output FILE", "draw the flock as SVG")
  parser.on("--live PORT", Integer, "show each step in a browser (with the gem webrick)")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
end.parse!(into: options)

Ikra.backend = options[:backend]
random = Random.new(options[:seed])
flock = Array.new(options[:birds]) { Bird.new(random) }
steps = options[:steps]
live = Live.new(options[:live]) if options[:live]
looked_at = !live.nil?
Ikra.section do
  steps.times do |step|
    flock.peach { |bird| bird.look(flock) }
    flock.peach(&:fly)
    Ikra.sync { live.show(drawn(flock, step + 1)) } if looked_at
  end
end
live&.finish

drawn(flock, steps).save(options[:output]) if options[:output]
# One where all fly the same way.
order = Math.hypot(flock.sum(&:dx), flock.sum(&:dy)) / (Bird::SPEED * flock.size)
puts format("order %.6f", order)
flock.each_slice([flock.size / 5, 1].max) { |first, *| puts format("%.6f %.6f", first.x, first.y) }

#!/usr/bin/env ruby
# frozen_string_literal: true

# Stars under their own gravity, as in nbody.rb, but those that are far away pull as one: the square around all stars is
# divided into four, and these again, until every part has one star at most (Barnes and Hut, Nature 324, 1986). In each
# step a new tree of squares is built out of objects, between the parallel calls of one section; then every star walks
# down the tree, and stops at squares that look small from where it is.
#
#   ruby examples/barnes_hut.rb --bodies 5000 --steps 10
#   ruby examples/barnes_hut.rb --bodies 3000 --steps 200 --output tmp/barnes_hut.svg
#   ruby examples/barnes_hut.rb --bodies 1000 --steps 500 --live 8000

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"
require_relative "pictures/live"
require_relative "pictures/sheet"

# A star. Units are such that the constant of gravity is 1.
class Body
  # Close encounters are softened, or they would need smaller and smaller steps.
  SOFTENING = 1e-3

  attr_reader :x, :y, :mass

  def initialize(x, y, mass)
    @x = x
    @y = y
    @vx = -0.7 * y
    @vy = 0.7 * x
    @mass = mass
  end

  # Changes the velocity as the pull of what is in the square does within a step. The star's pull on itself is zero.
  def fall(square, angle, step)
    return if square.empty?

    dx = square.x - @x
    dy = square.y - @y
    squared = (dx * dx) + (dy * dy) + SOFTENING
    distance = Math.sqrt(squared)
    if square.parts && square.side > angle * distance
      square.parts.each { |part| fall(part, angle, step) }
    else
      pull = square.mass / (squared * distance)
      @vx += dx * pull * step
      @vy += dy * pull * step
    end
  end

  def drift(step)
    @x += @vx * step
    @y += @vy * step
  end

  # The energy of motion.
  def kinetic
    0.5 * @mass * ((@vx * @vx) + (@vy * @vy))
  end
end

# A part of the plane, as heavy as all that is in it.
class Square
  # Stars that are nearer to each other than this are not told apart.
  LEAST = 1e-9

  attr_reader :parts, :side, :mass

  def self.around(bodies)
    left, right = bodies.map(&:x).minmax
    bottom, top = bodies.map(&:y).minmax
    new(left, bottom, [right - left, top - bottom].max)
  end

  def initialize(left, bottom, side)
    @left = left
    @bottom = bottom
    @side = side
    @mass = @moment_x = @moment_y = 0.0
    @body = nil
    @parts = nil
  end

  # The centre of mass.
  def x = @moment_x / @mass
  def y = @moment_y / @mass

  def empty? = @mass.zero?

  def add(body)
    @mass += body.mass
    @moment_x += body.mass * body.x
    @moment_y += body.mass * body.y
    if @body.nil? && @parts.nil?
      @body = body
    elsif @side > LEAST
      divide unless @parts
      part_around(body).add(body)
    end
  end

  def count
    1 + (@parts ? @parts.sum(&:count) : 0)
  end

  # Left, bottom and side of each square that is not divided.
  def leaves = @parts ? @parts.flat_map(&:leaves) : [[@left, @bottom, @side]]

  private

  def divide
    half = @side / 2
    @parts = [0.0, half].product([0.0, half]).map { |up, right| Square.new(@left + right, @bottom + up, half) }
    part_around(@body).add(@body)
    @body = nil
  end

  def part_around(body)
    @parts[(body.y < @bottom + (@side / 2) ? 0 : 2) + (body.x < @left + (@side / 2) ? 0 : 1)]
  end
end

# The stars, and the squares around them.
def drawn(bodies, steps)
  places = bodies.map { |body| [body.x, body.y] }
  sheet = Sheet.new("#{bodies.size} stars after #{steps} steps", places)
  root = Square.around(bodies)
  bodies.each { |body| root.add(body) }
  sheet.squares(root.leaves)
  sheet.dots(places, 0, radius: 1.2)
  sheet.to_svg
end

options = { bodies: 5000, steps: 10, angle: 0.5, seed: 1, backend: Ikra.backend }
OptionParser.new do |parser|
  parser.on("--bodies N", Integer, "(#{options[:bodies]})")
  parser.on("--steps N", Integer, "(#{options[:steps]})")
  parser.on("--angle X", Float, "how large squares look that are looked into (#{options[:angle]})")
  parser.on("--seed N", Integer, "where the bodies start (#{options[:seed]})")
  parser.on("--output FILE", "draw the stars, and the squares around them, as SVG")
  parser.on("--live PORT", Integer, "show each step in a browser (with the gem webrick)")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
end.parse!(into: options)

Ikra.backend = options[:backend]
random = Random.new(options[:seed])
bodies = Array.new(options[:bodies]) do
  Body.new(random.rand(-1.0..1.0), random.rand(-1.0..1.0), 1.0 / options[:bodies])
end

angle = options[:angle]
step = 0.005
squares = 0
steps = options[:steps]
live = Live.new(options[:live]) if options[:live]
looked_at = !live.nil?
Ikra.section do
  steps.times do |number|
    root = Square.around(bodies)
    bodies.each { |body| root.add(body) }
    squares = root.count
    bodies.peach { |body| body.fall(root, angle, step) }
    bodies.peach { |body| body.drift(step) }
    Ikra.sync { live.show(drawn(bodies, number + 1)) } if looked_at
  end
end
live&.finish

drawn(bodies, steps).save(options[:output]) if options[:output]
puts "#{squares} squares"
puts format("energy of motion %.9f", bodies.psum(&:kinetic))
bodies.each_slice([bodies.size / 5, 1].max) { |first, *| puts format("%.9f %.9f", first.x, first.y) }

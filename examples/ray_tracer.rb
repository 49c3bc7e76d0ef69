#!/usr/bin/env ruby
# frozen_string_literal: true

# Balls that mirror each other, over a chequered floor: a ray of light for each pixel, which goes on from ball to ball.
# Vectors are objects that the blocks create, thousands for each pixel, and none of them leaves the section.
#
#   ruby examples/ray_tracer.rb --width 480 --output tmp/ray_tracer.png

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"
require_relative "pictures/png"

# A place, a way or a colour.
Vector = Struct.new(:x, :y, :z) do
  def +(other) = Vector.new(x + other.x, y + other.y, z + other.z)
  def -(other) = Vector.new(x - other.x, y - other.y, z - other.z)
  def *(other) = Vector.new(x * other, y * other, z * other)
  def dot(other) = (x * other.x) + (y * other.y) + (z * other.z)
  def unit = self * (1.0 / Math.sqrt(dot(self)))
  def mix(other, share) = (self * (1.0 - share)) + (other * share)
end

# How a thing looks: its own colour, and how much of what it shows is a mirror's picture.
class Ball
  attr_reader :colour, :shine

  def initialize(centre, radius, colour, shine)
    @centre = centre
    @radius = radius
    @colour = colour
    @shine = shine
  end

  # @return [Float, nil] how far away a ray meets it
  def distance(from, way)
    to = from - @centre
    half = to.dot(way)
    root = (half * half) - to.dot(to) + (@radius * @radius)
    return if root < 0

    near = -half - Math.sqrt(root)
    near if near > 1e-6
  end

  def normal(point) = (point - @centre) * (1.0 / @radius)
  def colour_at(_point) = @colour
end

# An endless plane of two colours at height 0.
class Floor
  attr_reader :shine

  def initialize(light, dark, shine)
    @light = light
    @dark = dark
    @shine = shine
  end

  def distance(from, way)
    return if way.y >= 0.0

    far = -from.y / way.y
    far if far > 1e-6
  end

  def normal(_point) = Vector.new(0.0, 1.0, 0.0)
  def colour_at(point) = (point.x.floor + point.z.floor).even? ? @light : @dark
end

# What there is, and where the light comes from.
class Scene
  SKY = Vector.new(0.55, 0.75, 0.95)
  HORIZON = Vector.new(0.95, 0.95, 1.0)

  def initialize(things, sun)
    @things = things
    @sun = sun
  end

  # @return [Vector] the colour that comes back from there
  def look(from, way, depth)
    found = nil
    near = Float::INFINITY
    @things.each do |thing|
      distance = thing.distance(from, way)
      next unless distance && distance < near

      near = distance
      found = thing
    end
    return SKY.mix(HORIZON, (1.0 - way.y.abs) * (1.0 - way.y.abs)) unless found

    shade(found, from + (way * near), way, depth)
  end

  private

  def shade(thing, point, way, depth)
    normal = thing.normal(point)
    light = normal.dot(@sun)
    light = 0.0 if light < 0.0 || @things.any? { |other| other.distance(point + (normal * 1e-6), @sun) }
    own = thing.colour_at(point) * (0.25 + (0.75 * light))
    return own if depth.zero? || thing.shine.zero?

    mirrored = way - (normal * (2.0 * way.dot(normal)))
    own.mix(look(point + (normal * 1e-6), mirrored, depth - 1), thing.shine)
  end
end

options = { width: 160, depth: 4, backend: Ikra.backend }
OptionParser.new do |parser|
  parser.on("--width N", Integer, "of the picture in pixels (#{options[:width]})")
  parser.on("--depth N", Integer, "how often light is mirrored (#{options[:depth]})")
  parser.on("--output FILE", "write the picture as PNG (with the gem chunky_png)")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
end.parse!(into: options)

Ikra.backend = options[:backend]
random = Random.new(3)
balls = Array.new(24) do |i|
  radius = random.rand(0.25..0.6)
  place = Vector.new(random.rand(-4.0..4.0), radius, random.rand(-1.0..6.0))
  Ball.new(place, radius, Vector.new(random.rand, random.rand, random.rand).mix(Vector.new(1.0, 1.0, 1.0), 0.2),
           i % 3 == 0 ? 0.6 : 0.15)
end
balls << Ball.new(Vector.new(0.0, 1.5, 4.0), 1.5, Vector.new(0.9, 0.9, 0.9), 0.8)
floor = Floor.new(Vector.new(0.9, 0.87, 0.8), Vector.new(0.35, 0.3, 0.3), 0.1)
scene = Scene.new([*balls, floor], Vector.new(-0.5, 0.9, -0.6).unit)

width = options[:width]
height = width * 5 / 8
depth = options[:depth]
eye = Vector.new(0.0, 1.4, -5.0)
colours = (0...width * height).pmap do |i|
  right = ((i % width) + 0.5 - (width / 2.0)) / width
  up = ((height / 2.0) - (i / width) - 0.5) / width
  colour = scene.look(eye, Vector.new(right, up - 0.05, 0.8).unit, depth)
  [colour.x, colour.y, colour.z].inject(0) { |all, part| (all << 8) | (Math.sqrt(part.clamp(0.0, 1.0)) * 255).round }
end

PNG.save(options[:output], width, colours) if options[:output]
puts "#{width} x #{height} pixels"
means = [16, 8, 0].map { |bits| colours.sum { |colour| (colour >> bits) & 255 } / colours.size }
puts format("mean colour %02x%02x%02x", *means)

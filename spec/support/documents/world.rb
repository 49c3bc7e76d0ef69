# frozen_string_literal: true

# What the Ruby blocks of README.md and docs/ are about. It stands in front of each of them, in one file.

Car = Struct.new(:position, :speed, :lane, :delay, :price, :number) do
  def initialize(number) = super(0.0, 10.0 + number, number % 3, number % 9, 100 * number, number)
  def move(seconds) = self.position += speed * seconds
end
Order = Struct.new(:total, :paid) { alias_method :paid?, :paid }
Category = Struct.new(:total)
Item = Struct.new(:price, :category)
Place = Struct.new(:x, :place, :left)
Person = Struct.new(:age) { def live = self.age += 1 }

class Body
  attr_accessor :x, :speed, :number

  def initialize(x)
    @x = x
    @speed = 0.0
  end

  def pull(bodies) = @speed += bodies.sum { |other| (other.x - @x) * 1e-3 }
  def attract(bodies, time) = @speed = bodies.sum { |other| other.x - @x } * time
  def drift(time) = @x += @speed * time
  def error = @speed.abs < 1.0 ? 0.0 : 1.0
  def energy = @speed * @speed
end

def shade(y, x) = ((x * 7) + (y * 13)) % 256

cars = Array.new(100) { |i| Car.new(i) }
orders = Array.new(20) { |i| Order.new(i * 1.5, i.even?) }
marks = Array.new(50) { |i| i * 7 % 100 }
histogram = Array.new(10, 0)
categories = Array.new(3) { Category.new(0.0) }
items = Array.new(30) { |i| Item.new(i * 0.5, categories[i % 3]) }
points = Array.new(10) { |i| Place.new(i, nil) }
cells = Array.new(10) { |i| Place.new(i) }
cells.each_with_index { |cell, i| cell.left = cells[i - 1] }
people = Array.new(10) { |i| Person.new(i) }
bodies = Array.new(10) { |i| Body.new(i.to_f) }
prices = { "tea" => 8, "cocoa" => 12 }
samples = Array.new(3_000) { |i| i }
pixels = Array.new(64) { |i| i }
width = height = 8
total = 0
days = 3
delta = 1.0
dt = 0.01
a = 2.0
_ = [cars, orders, marks, histogram, items, points, cells, people, bodies, prices, samples, pixels, width, height,
     total, days, delta, dt, a]

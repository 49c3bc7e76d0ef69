# frozen_string_literal: true

# Sections of all kinds, each of which is compiled once. What they compute does not matter, what they are made of does.
module FirstCall
  # A vector whose operations make new ones.
  class Vector
    attr_reader :x, :y, :z

    def initialize(x, y, z)
      @x = x
      @y = y
      @z = z
    end

    def +(other) = Vector.new(x + other.x, y + other.y, z + other.z)
    def -(other) = Vector.new(x - other.x, y - other.y, z - other.z)
    def *(other) = Vector.new(x * other, y * other, z * other)
    def dot(other) = (x * other.x) + (y * other.y) + (z * other.z)
    def length = Math.sqrt(dot(self))
    def normalized = self * (1.0 / length)
    def reflected(normal) = self - (normal * (2.0 * dot(normal)))
  end

  # A ball that rays meet.
  class Sphere
    attr_reader :center, :radius, :color, :shine

    def initialize(center, radius, color, shine)
      @center = center
      @radius = radius
      @color = color
      @shine = shine
    end

    def meet(origin, direction)
      to_center = center - origin
      along = to_center.dot(direction)
      return nil if along.negative?

      off = to_center.dot(to_center) - (along * along)
      inside = (radius * radius) - off
      return nil if inside.negative?

      half = Math.sqrt(inside)
      distance = along - half
      distance > 0.001 ? distance : nil
    end

    def normal_at(point) = (point - center).normalized
  end

  # An endless floor.
  class Plane
    attr_reader :height, :color, :shine

    def initialize(height, color, shine)
      @height = height
      @color = color
      @shine = shine
    end

    def meet(origin, direction)
      return nil if direction.y.abs < 1e-6

      distance = (height - origin.y) / direction.y
      distance > 0.001 ? distance : nil
    end

    def normal_at(_point) = Vector.new(0.0, 1.0, 0.0)
  end

  # What a picture is made of.
  class Scene
    def initialize(things, light)
      @things = things
      @light = light
    end

    def nearest(origin, direction)
      best = nil
      found = nil
      @things.each do |thing|
        distance = thing.meet(origin, direction)
        if distance && (best.nil? || distance < best)
          best = distance
          found = thing
        end
      end
      [found, best]
    end

    def light_at(point, normal)
      to_light = @light - point
      direction = to_light.normalized
      thing, distance = nearest(point, direction)
      return 0.1 if thing && distance < to_light.length

      0.1 + (0.9 * [0.0, direction.dot(normal)].max)
    end

    def trace(origin, direction, bounces)
      color = Vector.new(0.0, 0.0, 0.0)
      weight = 1.0
      bounces.times do
        thing, distance = nearest(origin, direction)
        break if thing.nil?

        point = origin + (direction * distance)
        normal = thing.normal_at(point)
        color += thing.color * (light_at(point, normal) * weight)
        weight *= thing.shine
        origin = point
        direction = direction.reflected(normal)
      end
      color
    end
  end

  # Shapes of four classes under one.
  class Shape
    def heavier?(other) = weight > other.weight
    def weight = area * density
    def density = 1.0
  end

  # One of them.
  class Disc < Shape
    def initialize(radius)
      super()
      @radius = radius
    end

    def area = Math::PI * @radius * @radius
  end

  # One of them.
  class Box < Shape
    attr_accessor :width, :height

    def initialize(width, height)
      super()
      @width = width
      @height = height
    end

    def area = width * height
    def density = super * 2
  end

  # One of them.
  class Tile < Box
    def initialize(side) = super(side, side)
    def area = super.to_f
    def grow(by) = self.width = self.height = width + by
  end

  # One of them.
  class Nothing < Shape
    def area = nil
    def weight = 0.0
  end

  Reading = Struct.new(:sensor, :value, :valid) do
    def usable? = valid && value.between?(-50.0, 150.0)
    def fahrenheit = (value * 9 / 5) + 32
  end

  # Methods that call themselves.
  module Recursion
    module_function

    def fibonacci(number) = number < 2 ? number : fibonacci(number - 1) + fibonacci(number - 2)
    def even(number) = number.zero? ? true : odd(number - 1)
    def odd(number) = number.zero? ? false : even(number - 1)

    def ackermann(m, n)
      return n + 1 if m.zero?
      return ackermann(m - 1, 1) if n.zero?

      ackermann(m - 1, ackermann(m, n - 1))
    end
  end

  # Raised and rescued in a section.
  class Unfit < StandardError; end

  # A machine with a stack.
  class Machine
    def initialize(program) = @program = program

    def run(input)
      stack = []
      at = 0
      while at < @program.size
        case (code = @program[at])
        when 0 then stack.push(input)
        when 1 then stack.push(stack.pop + stack.pop)
        when 2 then stack.push(stack.pop * stack.pop)
        when 3 then stack.push(stack.last)
        when 4 then stack.push(-stack.pop)
        else stack.push(code)
        end
        at += 1
      end
      stack.pop || 0
    end
  end

  NUMBERS = (1..10).to_a.freeze
  MATRIX = Array.new(64) { |i| (i * 0.25) - 3 }.freeze

  SECTIONS = {
    "arithmetic" => lambda {
      NUMBERS.pmap { |n| (((n * 31) + 7) % 101) - (n / 3) + (n.to_f**2).floor - (n & 12) + (n << 2) }
    },
    "nested-loops" => lambda {
      size = 8
      NUMBERS.pmap do |n|
        sum = 0.0
        size.times do |i|
          size.times do |j|
            product = 0.0
            k = 0
            while k < size
              product += MATRIX[(i * size) + k] * MATRIX[(k * size) + j]
              k += 1
            end
            sum += product * n if product > sum || (i + j).even?
          end
        end
        sum
      end
    },
    "classes" => lambda {
      shapes = [Disc.new(2.0), Box.new(2, 3), Tile.new(4), Nothing.new] * 3
      shapes.peach do |shape|
        heaviest = shape
        shapes.each { |other| heaviest = other if other.heavier?(heaviest) }
        shape.grow(1) if shape.is_a?(Tile) && heaviest.weight > 3
      end
    },
    "made-arrays" => lambda {
      NUMBERS.pmap do |n|
        primes = []
        (2..(n * 10)).each { |i| primes << i if primes.none? { |prime| (i % prime).zero? } }
        pairs = primes.each_slice(2).map { |pair| pair.sum * pair.first }
        [primes.size, pairs.select(&:even?).sum, primes.zip(pairs).map { |a, b| a - (b || 0) }.max || 0]
      end
    },
    "structs" => lambda {
      readings = Array.new(10) { |i| Reading.new(i % 3, i * 20.0, i != 4) }
      readings.pselect do |reading|
        same = readings.select { |other| other.sensor == reading.sensor && other.usable? }
        mean = same.sum(&:fahrenheit) / same.size
        reading.usable? && (reading.fahrenheit - mean).abs < 40
      end
    },
    "recursion" => lambda {
      NUMBERS.pmap { |n| Recursion.fibonacci(n) + Recursion.ackermann(2, n % 3) + (Recursion.even(n) ? 1 : 0) }
    },
    "rescue" => lambda {
      NUMBERS.pmap do |n|
        tries = 0
        result =
          begin
            tries += 1
            raise Unfit, "odd" if n.odd? && tries < 3

            100 / (n - 4)
          rescue ZeroDivisionError
            -1
          rescue Unfit
            retry if tries < 2
            Integer.sqrt(n)
          ensure
            tries += 10
          end
        result + tries
      end
    },
    "patterns" => lambda {
      rows = [[:move, 1, 2], [:turn, 90], [:stop], [:move, 0, 5]]
      NUMBERS.pmap do |n|
        rows.sum do |row|
          case row
          in [:move, Integer => x, Integer => y] if x < n then x + y
          in [:turn, (0..180) => angle] then angle / n
          in [:stop] | [] then 0
          in [_, *] then row.size
          end
        end
      end
    },
    "sort_by" => lambda {
      points = Array.new(10) { |i| [i * 7 % 5, i * 3 % 7] }
      NUMBERS.pmap do |n|
        sorted = points.sort_by { |x, y| [(x - n).abs, -y] }
        best = sorted.min_by { |x, y| (x * y) - n }
        sorted.first.sum + best.first + points.max { |a, b| b <=> a }.last
      end
    },
    "group" => lambda {
      NUMBERS.pmap do |n|
        evens, odds = (1..n).to_a.partition(&:even?)
        runs = (evens + odds.reverse).each_cons(2).count { |a, b| a < b }
        rotated = odds.rotate(2).each_with_index.map { |odd, i| odd * i }.inject(:+) || 0
        runs + rotated + (evens | odds).uniq.minmax.sum + evens.each_with_object([]) { |e, all| all.unshift(e) }.size
      end
    },
    "machine" => lambda {
      machines = [[0, 3, 2, 7, 1], [5, 0, 4, 1, 3, 2]].map { |program| Machine.new(program) }
      machines.pmap { |machine| machine.run(3) + machine.run(-2) }
    },
    "random" => lambda {
      NUMBERS.pmap do |n|
        inside = (n * 10).times.count { Math.hypot(rand, rand) < 1 }
        walk = Array.new(n) { rand(-1..1) }
        inside.fdiv(n) + walk.sum + [1.5, 2.5, n].sample
      end
    },
    "lambdas" => lambda {
      NUMBERS.pmap do |n|
        twice = ->(f, x) { f.call(f.call(x)) }
        add = ->(x) { x + n }
        scale = proc { |x, by = 2| x * by }
        composed = scale.call(add.call(-n)).abs
        twice.call(add, n) + composed + NUMBERS.inject { |a, b| scale.call(a, b) % 97 }
      end
    },
    "ray-tracer" => lambda {
      things = [Sphere.new(Vector.new(0.0, 1.0, 5.0), 1.0, Vector.new(1.0, 0.2, 0.2), 0.3),
                Sphere.new(Vector.new(1.5, 0.5, 4.0), 0.5, Vector.new(0.2, 1.0, 0.2), 0.5),
                Plane.new(0.0, Vector.new(0.5, 0.5, 0.5), 0.1)]
      scene = Scene.new(things, Vector.new(5.0, 8.0, -3.0))
      eye = Vector.new(0.0, 1.0, -3.0)
      Array.new(16) { |i| i }.pmap do |i|
        direction = Vector.new(((i % 4) - 2) * 0.2, ((i / 4) - 2) * 0.2, 1.0).normalized
        color = scene.trace(eye, direction, 3)
        color.x + color.y + color.z
      end
    }
  }.freeze
end

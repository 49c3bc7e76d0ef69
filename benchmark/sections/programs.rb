# frozen_string_literal: true

require_relative "../../examples/nbody/body"

# What benchmark/sections.rb measures: programs of several parallel calls with code around them. The same method runs in
# Ikra.section, as single calls, and in plain Ruby.
module Programs
  # A program makes its objects when it is created; `run` computes so many rounds, or fewer where it comes to an end,
  # and gives their number.
  class Program
    def self.rounds(all, plain)
      define_singleton_method(:all) { all }
      define_singleton_method(:plain) { plain }
    end

    def in_section(rounds) = Ikra.section { run(rounds) }
    def random = @random ||= Random.new(1)
  end

  # Every body is drawn by all others.
  class NBody < Program
    rounds 20, 1

    def initialize(scale)
      super()
      count = (4096 * scale).to_i
      point = ->(size) { Array.new(3) { random.rand(-size..size) } }
      @bodies = Array.new(count) { Body.new(point.call(1.0), point.call(0.9), 1.0 / count) }
    end

    def run(steps)
      steps.times do
        @bodies.peach { |body| body.attract(@bodies, 0.005) }
        @bodies.peach { |body| body.drift(0.005) }
      end
    end

    def answer = @bodies.map { |body| [body.x, body.y, body.z] }
  end

  # A piece of a rod between two others.
  class Piece
    attr_accessor :left, :right, :heat

    def initialize(heat)
      @heat = heat
      @flow = 0.0
    end

    def look = @flow = (0.25 * @left.heat) - (0.5 * @heat) + (0.25 * @right.heat)
    def take = @heat += @flow
  end

  # Heat spreads.
  class Heat < Program
    rounds 1000, 10

    def initialize(scale)
      super()
      @pieces = Array.new((100_000 * scale).to_i) { Piece.new(random.rand) }
      @pieces.each_with_index do |piece, i|
        piece.left = @pieces[i - 1]
        piece.right = @pieces[(i + 1) % @pieces.size]
      end
    end

    def run(steps)
      steps.times do
        @pieces.peach(&:look)
        @pieces.peach(&:take)
      end
    end

    def answer = @pieces.map(&:heat)
  end

  # A field of the game of life.
  class Field
    attr_accessor :around
    attr_reader :alive

    def initialize(alive)
      @alive = alive
      @count = 0
    end

    def look
      count = 0
      @around.each { |field| count += 1 if field.alive }
      @count = count
    end

    def live = @alive = @count == 3 || (@alive && @count == 2)
  end

  # The game of life on a torus.
  class Life < Program
    rounds 200, 5

    def initialize(scale)
      super()
      size = (300 * Math.sqrt(scale)).to_i
      @fields = Array.new(size * size) { Field.new(random.rand < 0.3) }
      @fields.each_with_index do |field, i|
        row, column = i.divmod(size)
        field.around = [-1, 0, 1].product([-1, 0, 1]).reject { |y, x| y.zero? && x.zero? }.map do |y, x|
          @fields[((row + y) % size * size) + ((column + x) % size)]
        end
      end
    end

    def run(generations)
      generations.times do
        @fields.peach(&:look)
        @fields.peach(&:live)
      end
    end

    def answer = @fields.map(&:alive)
  end

  # A node of a graph.
  class Node
    attr_accessor :links, :colour, :weight, :rank, :share

    def initialize(weight)
      @weight = weight
      @colour = -1
      @chosen = false
      @rank = 1.0
      @share = 0.0
    end

    def choose = @chosen = @links.none? { |node| node.colour.negative? && node.weight > @weight }

    def paint
      return unless @chosen

      colour = 0
      colour += 1 while @links.any? { |node| node.colour == colour }
      @colour = colour
    end

    def collect
      sum = 0.0
      @links.each { |node| sum += node.share }
      before = @rank
      @rank = 0.15 + (0.85 * sum)
      (@rank - before).abs
    end

    def give = @share = @rank / @links.size
  end

  # A graph in which every node has some links, in both directions.
  class Graph < Program
    def initialize(scale)
      super()
      count = (100_000 * scale).to_i
      @nodes = Array.new(count) { |i| Node.new(((i * 7_919) + 13) % count) }
      links = Array.new(count) { [] }
      (4 * count).times do
        a = random.rand(count)
        b = ((random.rand**2) * count).to_i
        next if a == b

        links[a] << @nodes[b]
        links[b] << @nodes[a]
      end
      @nodes.each_with_index { |node, i| node.links = links[i].uniq.first(64) << @nodes[(i + 1) % count] }
    end
  end

  # In each round those are painted that weigh more than what is not painted around them.
  class Colouring < Graph
    rounds 1000, 1000

    def run(rounds)
      @nodes.peach { |node| node.colour = -1 }
      left = @nodes
      rounds.times do |round|
        break round if left.empty?

        left.peach(&:choose)
        left.peach(&:paint)
        left = left.pselect { |node| node.colour.negative? }
      end
    end

    def answer = @nodes.map(&:colour)
  end

  # Until no rank changes much.
  class PageRank < Graph
    rounds 200, 3

    def run(rounds)
      @nodes.peach { |node| node.rank = 1.0 }
      rounds.times do |round|
        @nodes.peach(&:give)
        change = @nodes.pmap(&:collect).max
        break round + 1 if change < 1e-6
      end
    end

    def answer = @nodes.map(&:rank)
  end

  # A point of a plane, and the cluster that it is in.
  class Point
    attr_reader :x, :y, :cluster

    def initialize(x, y)
      @x = x
      @y = y
      @cluster = 0
    end

    def forget = @cluster = 0

    # Does it change?
    def choose(xs, ys)
      best = 0
      least = Float::INFINITY
      xs.each_with_index do |x, i|
        distance = ((x - @x)**2) + ((y = ys[i] - @y) * y)
        next unless distance < least

        least = distance
        best = i
      end
      changes = best != @cluster
      @cluster = best
      changes
    end
  end

  # Clusters are where their points are, and points in the cluster that is nearest.
  class KMeans < Program
    rounds 50, 3
    CLUSTERS = 12

    def initialize(scale)
      super()
      @points = Array.new((100_000 * scale).to_i) { Point.new(random.rand + random.rand, random.rand) }
      @first = Array.new(CLUSTERS) { [random.rand, random.rand] }
      @xs = @first.map(&:first)
      @ys = @first.map(&:last)
    end

    def run(rounds)
      xs = @xs
      ys = @ys
      first = @first
      @points.peach(&:forget)
      CLUSTERS.times { |number| xs[number], ys[number] = first[number] }
      rounds.times do |round|
        changed = @points.pselect { |point| point.choose(xs, ys) }
        break round + 1 if changed.empty?

        CLUSTERS.times do |number|
          members = @points.pselect { |point| point.cluster == number }
          next if members.empty?

          xs[number] = members.pmap(&:x).sum / members.size
          ys[number] = members.pmap(&:y).sum / members.size
        end
      end
    end

    def answer = @points.map(&:cluster) + @xs + @ys
  end

  # What elements add up in a variable of the code around them.
  class Total < Program
    rounds 200, 5

    def initialize(scale)
      super()
      @points = Array.new((100_000 * scale).to_i) { Point.new(random.rand, random.rand) }
      @counts = []
    end

    def run(rounds)
      total = 0
      rounds.times do |round|
        @points.peach { |point| total += 1 if point.x * 100 > round }
      end
      @total = total
      rounds
    end

    def answer = @total
  end

  ALL = [NBody, Heat, Life, Colouring, PageRank, KMeans, Total].freeze
end

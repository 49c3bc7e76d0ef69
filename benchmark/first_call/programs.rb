# frozen_string_literal: true

# Programs as people write them, whose sections call methods of several classes, make objects and arrays and keep them.
module FirstCall
  # Fills a sudoku by trying, at the cell with the fewest candidates first.
  class Sudoku
    attr_reader :cells

    def initialize(cells) = @cells = cells

    def row(index) = @cells[(index / 9) * 9, 9]
    def column(index) = Array.new(9) { |i| @cells[(i * 9) + (index % 9)] }

    def box(index)
      top = index / 27 * 3
      left = index % 9 / 3 * 3
      Array.new(9) { |i| @cells[((top + (i / 3)) * 9) + left + (i % 3)] }
    end

    def candidates(index) = (1..9).to_a - row(index) - column(index) - box(index)

    def solve
      open = (0...81).select { |index| @cells[index].zero? }
      return true if open.empty?

      index = open.min_by { |cell| candidates(cell).size }
      candidates(index).each do |digit|
        @cells[index] = digit
        return true if solve
      end
      @cells[index] = 0
      false
    end

    def valid?
      (0...9).all? do |i|
        [row(i * 9), column(i), box(((i / 3) * 27) + ((i % 3) * 3))].all? { |group| group.sort == (1..9).to_a }
      end
    end
  end

  # A heap of pairs, the least first.
  class PriorityQueue
    def initialize = @items = []
    def empty? = @items.empty?

    def push(priority, value)
      @items << [priority, value]
      up(@items.size - 1)
    end

    def pop
      least = @items.first
      last = @items.pop
      unless @items.empty?
        @items[0] = last
        down(0)
      end
      least
    end

    private

    def up(index)
      while index.positive?
        parent = (index - 1) / 2
        break if @items[parent][0] <= @items[index][0]

        @items[parent], @items[index] = @items[index], @items[parent]
        index = parent
      end
    end

    def down(index)
      loop do
        least = index
        [(2 * index) + 1, (2 * index) + 2].each do |child|
          least = child if child < @items.size && @items[child][0] < @items[least][0]
        end
        break if least == index

        @items[least], @items[index] = @items[index], @items[least]
        index = least
      end
    end
  end

  # A place with roads to others.
  class Town
    attr_reader :number, :roads

    def initialize(number)
      @number = number
      @roads = []
    end
  end

  # One way to another town.
  Road = Struct.new(:to, :distance)

  # Towns and roads.
  class Atlas
    def initialize(towns) = @towns = towns

    def distances(from)
      known = Array.new(@towns.size)
      queue = PriorityQueue.new
      queue.push(0, from.number)
      until queue.empty?
        distance, number = queue.pop
        next if known[number]

        known[number] = distance
        @towns[number].roads.each do |road|
          queue.push(distance + road.distance, road.to.number) if known[road.to.number].nil?
        end
      end
      known
    end

    def farthest(from) = distances(from).compact.max
  end

  # Reads an expression of numbers, 43 for +, 45 for -, 42 for *, 47 for /, 40 and 41 around others.
  class Parser
    def initialize(tokens)
      @tokens = tokens
      @position = 0
    end

    def parse
      value = sum
      raise ArgumentError, "unexpected end" if @position < @tokens.size

      value
    end

    private

    def peek = @tokens[@position]

    def take
      token = peek
      @position += 1
      token
    end

    def sum
      left = product
      while [43, 45].include?(peek)
        operator = take
        right = product
        left = operator == 43 ? left + right : left - right
      end
      left
    end

    def product
      left = atom
      while [42, 47].include?(peek)
        operator = take
        right = atom
        left = operator == 42 ? left * right : left / right
      end
      left
    end

    def atom
      token = take
      case token
      when 40
        value = sum
        raise ArgumentError, "no closing" unless take == 41

        value
      when 45 then -atom
      when nil then raise ArgumentError, "nothing there"
      else token - 1000
      end
    end
  end

  # A cell that knows its neighbours.
  class Cell
    attr_accessor :alive, :following
    attr_reader :neighbours

    def initialize(alive)
      @alive = alive
      @neighbours = []
      @following = false
    end

    def living_neighbours = neighbours.count(&:alive)

    def decide
      count = living_neighbours
      @following = alive ? count.between?(2, 3) : count == 3
    end

    def advance = @alive = @following
  end

  # A world of its own, which an element plays alone.
  class World
    def initialize(width, seed)
      @width = width
      @rows = Array.new(width) { |y| Array.new(width) { |x| ((x * 7) + (y * 13) + seed) % 3 == 0 } }
    end

    def at(x, y) = @rows[y % @width][x % @width]

    def around(x, y)
      [-1, 0, 1].sum { |dy| [-1, 0, 1].count { |dx| (dx != 0 || dy != 0) && at(x + dx, y + dy) } }
    end

    def step
      @rows = Array.new(@width) do |y|
        Array.new(@width) do |x|
          count = around(x, y)
          at(x, y) ? count.between?(2, 3) : count == 3
        end
      end
    end

    def population = @rows.sum { |row| row.count(true) }
  end

  PUZZLE = [
    [0, 0, 0, 2, 6, 0, 7, 0, 1], [6, 8, 0, 0, 7, 0, 0, 9, 0], [1, 9, 0, 0, 0, 4, 5, 0, 0],
    [8, 2, 0, 1, 0, 0, 0, 4, 0], [0, 0, 4, 6, 0, 2, 9, 0, 0], [0, 5, 0, 0, 0, 3, 0, 2, 8],
    [0, 0, 9, 3, 0, 0, 0, 7, 4], [0, 4, 0, 0, 5, 0, 0, 3, 6], [7, 0, 3, 0, 1, 8, 0, 0, 0]
  ].flatten.freeze

  PROGRAMS = {
    "sudoku" => lambda {
      Array.new(4) { |i| PUZZLE.map { |digit| digit.zero? ? 0 : ((digit + i - 1) % 9) + 1 } }.pmap do |cells|
        sudoku = Sudoku.new(cells.dup)
        sudoku.solve && sudoku.valid? ? sudoku.cells : []
      end
    },
    "dijkstra" => lambda {
      towns = Array.new(30) { |number| Town.new(number) }
      towns.each_with_index do |town, i|
        3.times { |j| town.roads << Road.new(towns[((i * 7) + (j * 11) + 1) % 30], (i * j % 5) + 1) }
      end
      atlas = Atlas.new(towns)
      towns.pmap { |town| atlas.farthest(town) }
    },
    "parser" => lambda {
      texts = Array.new(10) { |i| [40, 1000 + i, 43, 1002, 41, 42, 40, 1007, 45, 45, 1000 + i, 41, 47, 1002] }
      texts.pmap do |tokens|
        Parser.new(tokens).parse
      rescue ArgumentError
        nil
      end
    },
    "life" => lambda {
      rows = Array.new(12) { |y| Array.new(12) { |x| Cell.new(((x * 7) + (y * 13)) % 3 == 0) } }
      rows.each_with_index do |row, y|
        row.each_with_index do |cell, x|
          [-1, 0, 1].product([-1, 0, 1]).each do |dx, dy|
            cell.neighbours << rows[(y + dy) % 12][(x + dx) % 12] unless dx.zero? && dy.zero?
          end
        end
      end
      rows.flatten.peach(&:decide)
    },
    "worlds" => lambda {
      Array.new(6) { |seed| seed }.pmap do |seed|
        world = World.new(10, seed)
        5.times { world.step }
        world.population
      end
    }
  }.freeze
end

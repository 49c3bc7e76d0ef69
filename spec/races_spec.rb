# frozen_string_literal: true

require "open3"
require "timeout"

# Elements that are not independent, with Ikra.conflicts = :raise. What would be deferred is watched as well.
module Racing
  class Cell
    attr_accessor :x, :y, :other, :items

    def initialize(x = 0)
      @x = x
      @y = 0
    end

    def add(by)
      @x +=
        by
    end

    def visit(depth)
      @y = depth
      @other&.visit(depth - 1) if depth.positive?
    end
  end

  class Stone < Cell
  end

  class Street
    attr_accessor :actors, :length

    def initialize(length)
      @length = length
      @actors = [0] * 8
    end
  end

  Pair = Struct.new(:left, :right)

  # A ring of Cells, each with the next as its other.
  def ring(size)
    cells = Array.new(size) { |i| Cell.new(i) }
    cells.each_with_index { |cell, i| cell.other = cells[(i + 1) % size] }
  end

  # The Cells of a ring at even places: no two see each other.
  def apart(size) = ring(size).each_slice(2).map(&:first)

  # The race that the block meets: [elements, accesses, variable], or nil. Nothing has changed after one.
  def race
    yield
    nil
  rescue Ikra::ConflictError => e
    @error = e
    [e.elements, e.accesses, e.variable]
  end
end

RSpec.describe "Ikra.conflicts" do
  include Racing

  around do |example|
    ENV["IKRA_TEST_UNDEFERRED"] = "1"
    example.run
  ensure
    ENV.delete("IKRA_TEST_UNDEFERRED")
    Ikra.conflicts = :in_order
  end

  it "is :in_order at first" do
    expect(Ikra.conflicts).to eq(:in_order)
    Ikra.conflicts = "raise"
    expect(Ikra.conflicts).to eq(:raise)
    Ikra.conflicts = :in_order
    expect(Ikra.conflicts).to eq(:in_order)
  end

  it "is one that is known" do
    [:race, "races", true, nil].each do |what|
      expect { Ikra.conflicts = what }
        .to raise_error(ArgumentError, "conflicts is :in_order or :raise, not #{what.inspect}")
    end
  end

  it "raises only where it is to, also for a block that has run before" do
    section = ->(cells) { cells.peach { |cell| cell.other.x = 1 } }
    cells = [Racing::Cell.new, Racing::Cell.new]
    cells.each { |cell| cell.other = cells[0] }
    Warnings.without do
      %i[in_order raise in_order raise].each do |what|
        Ikra.conflicts = what
        expect(race { section.call(cells) }).to eq(what == :raise ? [[0, 1], %i[write write], "@x"] : nil)
      end
    end
  end

  it "does not look at plain Ruby" do
    chosen = Ikra.chosen
    Ikra.backend = :ruby
    Ikra.conflicts = :raise
    expect(race { ring(4).peach { |cell| cell.x = cell.other.x } }).to be_nil
  ensure
    Ikra.backend = chosen
  end

  it "is what explain shows" do
    cells = ring(2)
    texts = [->(cell) { cell.x = cell.y }, ->(cell) { cell.x = cell.other.x }].map { |b| Ikra.explain(cells, &b).ir }
    expect(texts.map { |text| text.include?("watch_read b") }).to eq([false, true])
    expect(texts.last).to match(/marks column h\d+ "@x"/)
  end
end

each_compiling_backend do
  include Racing

  around do |example|
    Ikra.conflicts = :raise
    ENV["IKRA_TEST_UNDEFERRED"] = "1"
    example.run
  ensure
    ENV.delete("IKRA_TEST_UNDEFERRED")
    Ikra.conflicts = :in_order
  end

  describe "a race" do
    it "is that one element writes what another one writes" do
      cells = ring(5)
      cells.each { |cell| cell.other = cells[0] }
      expect(race { cells[1..].peach { |cell| cell.other.x = cell.x } }).to eq([[0, 1], %i[write write], "@x"])
      expect(cells.map(&:x)).to eq([0, 1, 2, 3, 4])
    end

    it "is that one reads what an earlier one has written" do
      expect(race { ring(5).reverse.peach { |cell| cell.x += cell.other.x } }).to eq([[0, 1], %i[write read], "@x"])
    end

    it "is that one writes what an earlier one has read" do
      expect(race { ring(5).peach { |cell| cell.x += cell.other.x } }).to eq([[0, 1], %i[read write], "@x"])
    end

    it "is found whoever reads in between" do
      cells = ring(6)
      cells.each { |cell| cell.other = cells[3] }
      # The third reads itself, as the others have before it, and then writes what they read.
      block = ->(cell) { cell.y = cell.other.x and (cell.x = 7 if cell.x == 3) }
      expect(race { cells[3..].peach(&block) }).to eq([[0, 1], %i[write read], "@x"])
      expect(race { cells.peach(&block) }).to eq([[0, 3], %i[read write], "@x"])
    end

    it "is one though the value stays the same" do
      cells = ring(3)
      cells.each { |cell| cell.other = cells[0] }
      expect(race { cells.peach { |cell| cell.other.y = 0 } }).to eq([[0, 1], %i[write write], "@y"])
    end

    it "is one though nothing is done with the value that is read" do
      expect(race { ring(3).peach { |cell| cell.other.x and cell.x = 1 } }).to eq([[0, 1], %i[read write], "@x"])
    end

    it "is found in methods, and in those that call themselves" do
      expect(race { ring(4).peach { |cell| cell.other.add(cell.x) } }).to eq([[0, 1], %i[write read], "@x"])
      expect(race { ring(9).peach { |cell| cell.visit(2) } }).to eq([[0, 1], %i[write write], "@y"])
    end

    it "is found in pmap and pselect" do
      expect(race { ring(4).pmap { |cell| cell.other.x = 1 and cell.x } }).to eq([[0, 1], %i[write read], "@x"])
      expect(race { ring(4).pselect { |cell| (cell.y = 1).positive? && cell.other.y.zero? } })
        .to eq([[0, 1], %i[read write], "@y"])
    end

    it "is found between elements of different classes" do
      cells = [Racing::Cell.new(1), Racing::Stone.new(2), 3, nil, Racing::Stone.new(5)]
      stone = cells[1]
      [0, 1, 4].each { |i| cells[i].other = stone }
      block = lambda do |cell|
        cell.other.x = 1 if cell.is_a?(Racing::Cell)
      end
      expect(race { cells.peach(&block) }).to eq([[0, 1], %i[write write], "@x"])
      expect(@error.object).to equal(stone)
    end

    it "is found in a variable of changing classes, whose class and value are one" do
      cells = ring(4)
      cells.each { |cell| cell.y = [nil, 1, 2.5, :none][cell.x] }
      expect(race { cells.peach { |cell| cell.y = cell.other.y } }).to eq([[0, 1], %i[read write], "@y"])
      expect(race { cells.peach { |cell| cell.y = nil if cell.other.y.nil? } }).to eq([[2, 3], %i[read write], "@y"])
    end

    it "is found in references" do
      cells = ring(4)
      expect(race { cells.peach { |cell| cell.other = cell.other.other } }).to eq([[0, 1], %i[read write], "@other"])
      expect(cells.map(&:other)).to eq(cells.rotate(1))
    end

    it "is found in members of Structs" do
      pairs = [Racing::Pair.new(1, 2), Racing::Pair.new(3, 4)]
      expect(race { [0, 1].peach { |i| pairs[1 - i].left = pairs[i].left } }).to eq([[0, 1], %i[write read], "left"])
    end

    it "is found in the tick in which it happens" do
      cells = ring(4)
      ticks = 0
      expect(race do
        cells.peach(6) do |cell|
          cell.y += 1
          cell.x = cell.other.x if cell.y == 4
          ticks += 1
        end
      end).to eq([[0, 1], %i[read write], "@x"])
      expect([@error.tick, @error.element_index]).to eq([3, 1])
      expect(ticks).to eq(0)
    end

    it "is found around an object that is handled twice" do
      first, second = cells = ring(2)
      # It reads, the other reads, and then it writes.
      block = lambda do |cell|
        cell.y += 1
        cell.y == 2 ? cell.x = 9 : cell.other.x + cell.x
      end
      expect(race { [first, second, first].peach(&block) }).to eq([[1, 2], %i[read write], "@x"])
      expect(race { [first, first, second].peach(&block) }).to eq([[1, 2], %i[write read], "@x"])
      second.other = second
      expect(race { [first, second, first].peach(&block) }).to be_nil
      expect(cells.map(&:x)).to eq([9, 1])
    end
  end

  describe "a race for an array" do
    it "is for one place of it" do
      slots = [0] * 4
      expect(race { (0..5).to_a.peach { |i| slots[i % 4] = i } }).to eq([[0, 4], %i[write write], 0])
      expect(@error.object).to equal(slots)
      expect(race { (0..3).to_a.peach { |i| slots[i] = slots[i - 3] } }).to eq([[0, 1], %i[read write], 1])
      expect(race { (1..4).to_a.peach { |i| slots[-i] = slots.sum } }).to eq([[0, 1], %i[write read], 3])
      expect(slots).to eq([0, 0, 0, 0])
    end

    it "is found in arrays that several objects hold" do
      streets = Array.new(2) { Racing::Street.new(8) }
      cells = Array.new(3) { |i| Racing::Cell.new(i).tap { |cell| cell.items = streets[i % 2].actors } }
      expect(race { cells.peach { |cell| cell.items[cell.x / 2] += 1 } }).to be_nil
      expect(race { cells.peach { |cell| cell.items[2] += 1 } }).to eq([[0, 2], %i[write read], 2])
      expect(@error.message).to include("conflict over item 2 of the same Array (in @items of Racing::Cell) in tick 0")
      expect(@error.object).to equal(streets[0].actors)
    end

    it "is found in arrays of arrays and in arrays of objects" do
      rows = [[1, 2], [3, 4], [5, 6]]
      expect(race { (0..2).to_a.peach { |i| rows[i][0] = rows[(i + 1) % 3][0] } }).to eq([[0, 1], %i[read write], 0])
      expect(@error.object).to equal(rows[1])
      cells = ring(3)
      expect(race { (0..2).to_a.peach { |i| cells[i] = cells[(i + 1) % 3] } }).to eq([[0, 1], %i[read write], 1])
    end

    it "is found where arrays are elements" do
      rows = [[1, 2], [3, 4]]
      first = rows[0]
      expect(race { rows.peach { |row| row[0] = first[1] } }).to be_nil
      expect(race { rows.peach { |row| row[1] = first[1] } }).to eq([[0, 1], %i[write read], 1])
      expect(race { [first, first].peach { |row| row[1] += first[1] } }).to be_nil
    end

    it "is found by methods that go through it" do
      slots = [3, 1, 2]
      found = [
        race { [0, 1].peach { |i| (slots[i] = 0) and slots.each(&:even?) } },
        race { [0, 1].peach { |i| (slots[i] = 0) and slots.include?(9) } },
        race { [0, 1].peach { |i| (slots[i] = 0) and slots.max } },
        race { [0, 1].peach { |i| (slots[i] = 0) and slots[0..1] } },
        race { [0, 1].peach { |i| (slots[i] = 0) and slots.map { |slot| slot + 1 } } },
        race { [0, 1].peach { |i| (slots[i] = 0) and slots.inject(:+) } },
        race { [0, 1].peach { |i| (slots[i] = 0) and slots.first + slots.last } }
      ]
      expect(found).to all(be_an(Array))
    end
  end

  describe "no race" do
    it "is between elements that write themselves and read what nobody writes" do
      cells = ring(100)
      expect(race { cells.peach(3) { |cell| cell.y += cell.other.x } }).to be_nil
      expect(cells.map(&:y)).to eq(cells.map { |cell| 3 * cell.other.x })
    end

    it "is between those that write what nobody else touches" do
      cells = apart(20)
      expect(race { cells.peach(2) { |cell| (cell.other.x += cell.x) and cell.x -= 1 } }).to be_nil
      expect(cells.map { |cell| cell.other.x }).to eq((0...10).map { |i| (2 * i) + 1 + (2 * i) + (2 * i) - 1 })
    end

    it "is between different variables of one object" do
      cells = ring(6)
      expect(race { cells.peach { |cell| (cell.other.y = cell.x) and cell.items = nil } }).to be_nil
      expect(cells.map(&:y)).to eq([5, 0, 1, 2, 3, 4])
      shared = Racing::Cell.new
      bearers = Array.new(2) { |i| Racing::Cell.new(i).tap { |cell| cell.other = shared } }
      expect(race { bearers.peach { |cell| cell.x.zero? ? cell.other.x = 7 : cell.other.y = 8 } }).to be_nil
      expect([shared.x, shared.y]).to eq([7, 8])
    end

    it "is between variables of one name in objects of other classes" do
      cells = apart(4)
      stones = cells.map { |cell| Racing::Stone.new(cell.x) }
      cells.zip(stones) { |cell, stone| cell.other = stone }
      expect(race { cells.peach { |cell| cell.other.x = cell.x + 10 } }).to be_nil
      expect(stones.map(&:x)).to eq([10, 12])
    end

    it "is between the two ways of a condition" do
      cells = ring(4)
      expect(race { cells.peach { |cell| cell.y = cell.x.odd? ? 1 : cell.other.x } }).to be_nil
      expect(race { cells.peach { |cell| cell.x.odd? ? cell.y = cell.other.x : cell.other.items = nil } }).to be_nil
      expect(race { cells.peach { |cell| cell.x = 4 if cell.x > 3 && cell.other.x.zero? } }).to be_nil
    end

    it "is between ticks" do
      cells = ring(5)
      block = ->(cell) { (cell.y += 1).odd? ? cell.x += 1 : cell.items = [cell.other.x].sum }
      expect(race { cells.peach(4, &block) }).to be_nil
      expect(cells.map(&:x)).to eq([2, 3, 4, 5, 6])
      expect(cells.map(&:items)).to eq([3, 4, 5, 6, 2])
    end

    it "is between places of an array" do
      slots = Array.new(12) { |i| i }
      expect(race { (0..5).to_a.peach(3) { |i| slots[i] += slots[i + 6] } }).to be_nil
      expect(slots.first(6)).to eq((0..5).map { |i| i + (3 * (i + 6)) })
    end

    it "is to read past the end of an array, which touches nothing" do
      slots = [1, 2, 3]
      expect(race { (0..2).to_a.peach { |i| slots[i] = slots[i + 3].nil? ? slots[-5].to_a.size : 0 } }).to be_nil
      expect(race { (0..2).to_a.peach { |i| slots[i] = slots.fetch(i + 3, 9) } }).to be_nil
      expect(slots).to eq([9, 9, 9])
    end

    it "is to ask for the length of an array that others write to" do
      streets = [Racing::Street.new(8)]
      cells = Array.new(8) { |i| Racing::Cell.new(i).tap { |cell| cell.items = streets[0].actors } }
      expect(race { cells.peach { |cell| cell.items[cell.x] = cell.items.size } }).to be_nil
      expect(streets[0].actors).to eq([8] * 8)
    end

    it "is between an object and itself" do
      cell = Racing::Cell.new
      cell.other = cell
      expect(race { ([cell] * 5).peach(2) { |c| c.other.x += c.x + 1 } }).to be_nil
      expect(cell.x).to eq((2**10) - 1)
      bearers = [Racing::Cell.new.tap { |c| c.other = cell }] * 3
      expect(race { bearers.peach { |c| c.other.y += 1 } }).to be_nil
      expect(cell.y).to eq(3)
    end

    it "is for local variables around the section" do
      total = 0
      best = -1
      found = nil
      cells = ring(50)
      expect(race do
        cells.peach do |cell|
          total += cell.x
          best = [best, cell.x].max
          found ||= cell.x
        end
      end).to be_nil
      expect([total, best, found]).to eq([1225, 49, 0])
    end

    it "is for local variables that are given what is watched" do
      found = nil
      cells = apart(8)
      expect(race { cells.peach { |cell| (cell.other.x = 3) and found ||= cell.other.x } }).to be_nil
      expect(found).to eq(3)
    end

    it "is in arrays and objects that an element makes" do
      expect(race { [3, 4].pmap { |n| (list = [n]) and (list << 1) and list[0] = 2 and list.sum } }).to be_nil
    end
  end

  it "raises what names everything" do
    cells = ring(3)
    error = raised { cells.peach { |cell| cell.other.add(cell.x) } }
    lines = [Racing::Cell.instance_method(:add).source_location[1] + 1, __LINE__ - 1].map { |n| "#{__FILE__}:#{n}" }
    expect(error).to be_a(Ikra::ConflictError).and be_a(Ikra::Error).and be_a(Ikra::ElementError)
    expect(error.message).to start_with(
      "#{lines[1]}: elements 0 and 1 conflict over @x of the same Racing::Cell in tick 0: " \
      "0 writes it (#{lines[0]}), 1 reads it (#{lines[1]})\n  hint: let every element write its own"
    )
    expect([error.elements, error.accesses, error.lines, error.variable, error.tick, error.element_index])
      .to eq([[0, 1], %i[write read], lines, "@x", 0, 1])
    expect(error.object).to equal(cells[1])
    expect(error.backtrace.first).to start_with(lines[1])
    cells.each { |cell| cell.other = cells[2] }
    error = raised { cells.peach { |cell| cell.other.add(cell.x) } }
    expect(error.backtrace.first(2)).to match([/\A#{lines[0]}:in .*add'/, /\A#{__FILE__}:#{__LINE__ - 1}:in /])
  end

  it "tells the lines of both" do
    cells = ring(3)
    error = raised do
      cells.peach do |cell|
        old = cell.other.x
        cell.y = old
        cell.x = old +
                 1
      end
    end
    here = __LINE__
    expect(error.lines).to eq([6, 4].map { |up| "#{__FILE__}:#{here - up}" })
    expect(error.accesses).to eq(%i[read write])
    expect(error.backtrace.first).to start_with(error.lines[1])
  end

  it "leaves an exception that comes first alone" do
    cells = ring(4)
    expect { cells.peach { |cell| cell.x = cell.x == 1 ? 1 / cell.y : cell.other.y } }.to raise_error(ZeroDivisionError)
    expect { cells.peach { |cell| cell.x = cell.x == 2 ? 1 / cell.y : cell.other.x } }
      .to raise_error(Ikra::ConflictError)
    expect(cells.map(&:x)).to eq([0, 1, 2, 3])
  end

  it "finds the same race every time, however many elements there are" do
    cells = ring(20_000)
    last = cells.last
    cells.each { |cell| cell.other = last }
    block = ->(cell) { cell.other.items = nil if cell.x > 9_000 && (cell.x % 1000).zero? }
    found = Array.new(3) { race { cells.peach(2, &block) } }
    expect(found.uniq).to eq([[[10_000, 11_000], %i[write write], "@items"]])
  end

  it "stops when it is interrupted" do
    cells = ring(2)
    cells[1].other = cells[1]
    expect { Timeout.timeout(0.2) { cells.peach((1 << 32) - 1) { |cell| cell.other.x += 1 if cell.x == 1 } } }
      .to raise_error(Timeout::Error)
    expect(cells.map(&:x)).to eq([0, 1])
  end

  it "gives what a section gives that may run in order" do
    base = ring(64).each_slice(2).map(&:first).shuffle(random: Random.new(1))
    block = ->(cell) { (cell.other.x += cell.x) and (cell.x = rand(100)) and cell.other.y = cell.x }
    states = %i[raise in_order].map do |conflicts|
      Ikra.conflicts = conflicts
      Ikra.srand(7)
      cells = Marshal.load(Marshal.dump(base))
      cells.peach(3, &block)
      cells.map { |cell| [cell.x, cell.other.x, cell.other.y] }
    end
    expect(states.uniq.size).to eq(1)
  end
end

RSpec.describe "The examples" do
  { "traffic" => %w[--ticks 20], "city" => %w[--ticks 20 --output] + [File::NULL], "mandelbrot" => [],
    "nbody" => %w[--bodies 50 --steps 3] }.each do |name, arguments|
    it "have no races: #{name}" do
      root = File.expand_path("..", __dir__)
      output, status = Open3.capture2e({ "IKRA_BACKEND" => "cpu" }, RbConfig.ruby, "-I", "#{root}/lib", "-r", "ikra",
                                       "-e", "Ikra.conflicts = :raise; load ARGV.shift", "#{root}/examples/#{name}.rb",
                                       *arguments)
      expect([status.success?, output]).to match([true, /\w/])
    end
  end
end

# frozen_string_literal: true

# Arrays that exist outside a section and get longer or shorter in it.
module GrowingArrays
  # Holds two arrays, and knows another one.
  class Cell
    attr_accessor :number, :log, :queue, :other

    def initialize(number)
      @number = number
      @log = Array.new(number) { |i| i }
      @queue = [number, number + 1]
    end

    def work
      @queue.push(@number * 2, 3) if @queue.empty?
      @number += @queue.shift
      @log << @number
      self
    end
  end

  # One for all.
  class World
    attr_accessor :list, :seen

    def initialize
      @list = []
      @seen = 0
    end
  end
end

each_backend do
  def cells(count = 6)
    all = Array.new(count) { |i| GrowingArrays::Cell.new(i) }
    all.each_with_index { |cell, i| cell.other = all[i - 1] }
  end

  def expect_same_world(make = method(:cells), ticks: 1, &block)
    left = make.call
    right = make.call
    lists = right.flat_map { |cell| [cell.log, cell.queue] }
    ticks.times { left.each(&block) }
    right.peach(ticks, &block)
    expect(WholeObjects.of(right)).to eq(WholeObjects.of(left))
    expect(right.flat_map { |cell| [cell.log, cell.queue] }).to(be_all { |list| list.equal?(lists.shift) })
  end

  it "pushes and takes" do
    expect_same_world { |c| c.log << (c.number * 2) }
    expect_same_world(ticks: 5) { |c| c.number = (c.log << (c.number * 2)).size }
    expect_same_world(ticks: 3) { |c| 100.times { |i| c.log.push(i, -i, *c.queue) } }
    expect_same_world(ticks: 3) { |c| c.number += c.log.pop.to_i + c.queue.shift.to_i }
    expect_same_world(ticks: 7) { |c| c.work }
    expect_same_world(ticks: 3) { |c| c.queue.unshift(c.number).insert(1, 7, 8).insert(-2, 9) }
    expect_same_world { |c| c.number = c.log.pop(2).sum + c.queue.shift(3).size }
    expect_same_world do |c|
      c.log << c.log.size while c.log.size < 20
      c.log.shift(4)
      c.queue.clear
      c.queue << c.log.size
    end
  end

  it "does only what nobody looks at" do
    expect_same_world { |c| c.log.clear }
    expect_same_world { |c| c.log.pop }
    expect_same_world(ticks: 3) { |c| c.log.shift }
  end

  it "takes other items" do
    expect_same_world { |c| c.log.concat(c.queue, [1, 2], c.log) }
    expect_same_world { |c| c.log.replace(c.queue) && c.queue.replace([3, 4, 5]) }
    expect_same_world(ticks: 2) { |c| c.number = c.log.select! { |x| x.odd? } ? 1 : 0 }
    expect_same_world { |c| c.number = c.log.reject! { |x| x > 100 } ? 1 : 0 }
    expect_same_world { |c| c.log.push(1, nil, 1).uniq!.compact! }
    expect_same_world { |c| c.number = [c.log.delete(2), c.log.delete_at(1), c.log.slice!(1, 2)].compact.size }
    expect_same_world { |c| c.log.push(3, 1, 2).sort! }
    expect_same_world { |c| c.log.sort! { |x, y| y <=> x } && c.queue.reverse! }
    expect_same_world { |c| c.log.rotate! && c.queue.map! { |x| x * 2 } }
    expect_same_world { |c| c.log.sort_by! { |x| -x } && c.log.keep_if { |x| x < 3 } }
    expect_same_world do |c|
      c.log << 1
      c.log[c.log.size] = 5
      c.log[0] = 7
      c.log[-1] += 1
    end
  end

  it "holds what was not in it before" do
    expect_same_world { |c| c.log << 0.5 << nil << true << :none << (2**62) }
    expect_same_world { |c| c.log << c << c.other }
    expect_same_world { |c| c.log << c.queue << c.other.queue }
    make = -> { cells.each { |c| c.log.clear } }
    expect_same_world(make, ticks: 2) { |c| c.log << (c.number * 0.5) }
  end

  it "sees changes while it goes through it" do
    expect_same_world { |c| c.log.each { |x| c.log << (x + 4) if x < 9 } }
    expect_same_world { |c| c.log.each { |x| c.log.delete(x) if x.odd? } }
    expect_same_world { |c| c.number = c.log.each_with_index.sum { |x, i| x.even? ? c.log.pop : i } }
  end

  it "is one array, whoever holds it" do
    make = -> { cells.each { |c| c.queue = c.log } }
    expect_same_world(make, ticks: 2) do |c|
      c.log << 1
      c.queue << 2
      c.number = c.log.size + c.queue.size
      c.log.pop
    end
    make = lambda do
      list = [1]
      cells.each { |c| c.queue = list }
    end
    Ikra.conflicts = :in_order
    expect_same_world(make, ticks: 2) { |c| c.number += c.queue.push(c.number).size }
    expect_same_world(ticks: 3) { |c| c.other.log << c.number }
    expect_same_world(ticks: 3) { |c| c.log << c.other.log.size }
  end

  it "collects in the order of the base" do
    Ikra.conflicts = :in_order
    out = [5]
    cells(200).peach { |c| out << c.number if c.number.even? }
    expect(out).to eq([5, *(0...200).step(2)])
    out = []
    cells(50).peach(3) { |c| out.push(c.number, out.size) }
    expect(out).to eq((0...150).flat_map { |i| [i % 50, 2 * i] })
  end

  it "gets more room where it takes it" do
    expect_same_world { |c| (c.number * 500).times { |i| c.log << i } }
    list = []
    [1, 2].peach { |x| x > 1 && 30_000.times { |i| list << i } }
    expect(list).to eq([*0...30_000])
  end

  it "changes nothing where an element fails, or an array is frozen" do
    all = cells
    all[3].log.freeze
    before = deep_snapshot(*all)
    expect { all.peach { |c| c.queue << (1 / (c.number - 4)) } }.to raise_error(ZeroDivisionError)
    expect(deep_snapshot(*all)).to eq(before) unless Ikra.backend == :ruby
    expect { all.peach { |c| c.log << 1 } }.to raise_error(FrozenError, /can't modify frozen Array: \[0, 1, 2\]/)
    expect { all.peach { |c| c.log.shift } }.to raise_error(FrozenError)
    expect(deep_snapshot(*all)).to eq(before) unless Ikra.backend == :ruby
  end

  describe "in the code around parallel calls" do
    it "pushes and takes" do
      results = Array.new(2) do |time|
        all = cells
        world = GrowingArrays::World.new
        world.list.push(1, 2, 3)
        work = proc do
          while (x = world.list.shift)
            world.seen += 1
            world.list.push(x + 2, x + 3) if x < 20
            all.peach { |c| c.log << x } if world.seen % 16 == 0
          end
          world.list << world.seen
          all[1].log.concat(world.list)
          world.seen
        end
        given = time == 0 ? work.call : Ikra.section(&work)
        WholeObjects.of([given, world, all])
      end
      expect(results[1]).to eq(results[0])
    end

    it "goes over it" do
      results = Array.new(2) do |time|
        all = cells
        world = GrowingArrays::World.new
        work = proc do
          4.times do |i|
            world.list << all[i] << GrowingArrays::Cell.new(i)
            world.list.peach { |c| c.log << c.number }
            living = all.pselect { |c| c.number > i } + world.list
            living.peach { |c| c.number += 1 }
            world.list.clear if i == 2
          end
          world.list.size
        end
        given = time == 0 ? work.call : Ikra.section(&work)
        WholeObjects.of([given, world, all])
      end
      expect(results[1]).to eq(results[0])
    end
  end
end

each_compiling_backend do
  it "is written back while everything is collected and moved" do
    make = -> { Array.new(5) { |i| GrowingArrays::Cell.new(i) } }
    step = proc do |c|
      c.log << (c.number * 1e-300) << c << (2**62)
      c.queue.shift
    end
    left, right = Array.new(2) { make.call }
    make.call.peach(2, &step)
    2.times { left.each(&step) }
    GCModes.while_collecting { right.peach(2, &step) }
    expect(WholeObjects.of(right)).to eq(WholeObjects.of(left))
  end

  it "refuses what it goes over" do
    all = [1, 2, 3]
    refused = ->(slug, &section) { expect(&section).to raise_error(Ikra::UnsupportedError, /\[#{slug}\]/) }
    refused.call("changing-base") { all.peach { |x| all << x } }
    expect(all).to eq([1, 2, 3])
    sizes = []
    Ikra.section do
      all << 1
      Ikra.sync { sizes << all.size }
    end
    expect([all, sizes]).to eq([[1, 2, 3, 1], [4]])
  end
end

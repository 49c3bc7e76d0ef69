# frozen_string_literal: true

require "set"

module MadeItems
  Point = Struct.new(:x, :y)

  # What is kept in a Hash.
  class Entry
    attr_reader :key, :list
    attr_accessor :next, :count

    def initialize(key)
      @key = key
      @list = []
      @count = 0
    end

    def add(x)
      @list << x
      @count += 1
      self
    end

    def state = [@key, @list, @count, @next&.key]
  end

  # What holds Hashes.
  class World
    attr_reader :index, :cells, :rows

    def initialize
      @index = { 1 => [0] }
      @cells = Set.new
      @rows = Array.new(4) { [] }
    end

    def note(key, x) = (@index[key] ||= []) << x
    def state = [@index.to_a, @cells.to_a, @rows]
  end
end

# Arrays, objects and Strings that elements make and put into Hashes and arrays that exist, and that others look at.
each_backend do |backend|
  # What `make` gives is changed by the block, which gets it and the element.
  def expect_change(make, base, show = :itself.to_proc, &block)
    expected = make.call
    results = base.map { |x| block.call(expected, x) }
    2.times do
      actual = make.call
      given = base.pmap { |x| block.call(actual, x) }
      expect(given).to eq(results)
      expect(show.call(actual).to_a).to eq(show.call(expected).to_a)
      expect(show.call(actual).inspect).to eq(show.call(expected).inspect)
      actual = make.call
      base.peach { |x| block.call(actual, x) }
      expect(show.call(actual).to_a).to eq(show.call(expected).to_a)
    end
  end

  let(:numbers) { [3, 1, 2, 3, 7, 1, 1, 40, -5, 3] }

  it "are groups" do
    expect_change(-> { {} }, numbers) { |h, x| ((h[x % 3] ||= []) << x).size }
    expect_change(-> { { 2 => [5] } }, numbers) { |h, x| ((h[x % 3] ||= []) << x).sum }
    expect_change(-> { {} }, numbers) do |h, x|
      h[x % 4] ||= []
      h[x % 4] << x
      h[(x + 1) % 4]&.size
    end
    expect_change(-> { {} }, numbers) { |h, x| h.key?(x) ? h[x].push(x, 1).last : (h[x] = [x]).first }
    expect_change(-> { { 0 => [1], 1 => [2] } }, numbers) { |h, x| (h[x % 3] = [x, *h[x % 3]]).size }
    expect_change(-> { {} }, (0...300).to_a) { |h, x| ((h[x % 7] ||= []) << x) && h.size }
    expect_change(-> { {} }, numbers) { |h, x| ((h[x % 3] ||= []) << [x, [x]]) && h.values.flatten.sum }
  end

  it "are keys" do
    expect_change(-> { {} }, numbers) { |h, x| h[[x, x % 2]] = h.size }
    expect_change(-> { { [1, 1] => 4 } }, numbers) { |h, x| h[[x, x % 2]] = (h[[x, 1]] || 0) + 1 }
    expect_change(-> { Set.new }, numbers) { |s, x| s.add?([x, x / 2]) ? s.size : -1 }
    expect_change(-> { Set[[3, 1]] }, numbers) { |s, x| s.include?([x, x / 2]) ? s.delete([x, x / 2]).size : 1 }
    expect_change(-> { {} }, (0...200).to_a) { |h, x| h[[x % 50, :a]] ||= [x, h.size] }
    expect_change(-> { {} }, numbers) { |h, x| h[[x]] = 1 and h.delete([x - 1]) }
  end

  it "are texts" do
    lines = ["the cat", "the dog sat", "", "a cat sat on the mat", "Äh, the end"]
    expect_change(-> { Hash.new(0) }, lines) { |h, line| line.split.each { |w| h[w] += 1 }.size }
    expect_change(-> { { "the" => 5 } }, lines) { |h, line| line.split.sum { |w| h[w] = (h[w] || 0) + 1 } }
    expect_change(-> { {} }, lines) { |h, line| line.split.each { |w| (h[w[0]] ||= []) << w } && h.size }
    expect_change(-> { {} }, lines) { |h, line| line.split.each { |w| (h[w.size] ||= []) << "#{w}!" } && h[3] }
    expect_change(-> { Set.new }, lines) { |s, line| line.split.count { |w| s.add?(w.reverse) } }
    expect_change(-> { {} }, lines) { |h, line| h[line.size.to_s] ||= "#{line}!" }
    expect_change(-> { {} }, lines) { |h, line| h[line[0, 3]] = [line.reverse, line] }
    expect_change(-> { { "" => "x" } }, lines) { |h, line| h.delete(line) || h.store(line.to_s, line.chars.first) }
    counts = {}
    key = lines.pmap { |line| counts["#{line}!"] = 1 and line }
    expect([counts.keys, counts.keys.map(&:frozen?).uniq, key]).to eq([lines.map { |l| "#{l}!" }, [true], lines])
  end

  it "are memos" do
    expect_change(-> { {} }, numbers) { |h, x| h[x] ||= [x, x * x] }
    expect_change(-> { {} }, numbers) { |h, x| (h[x] ||= [x, h.size]).sum }
    expect_change(-> { {} }, numbers) { |h, x| h[x] ||= x > 2 ? [x] : h.size }
    expect_change(-> { [] }, numbers) { |all, x| all << [x, all.size, all.last&.first] }
    expect_change(-> { [nil] * 4 }, numbers) { |all, x| all[x % 4] = [x, all[(x + 1) % 4]&.first] }
    expect_change(-> { [[]] }, numbers) { |all, x| all.unshift([x, all.first.size]) && all.pop.size }
  end

  it "are objects" do
    show = ->(h) { h.map { |k, v| [k, v.state] } }
    expect_change(-> { {} }, numbers, show) { |h, x| (h[x % 3] ||= MadeItems::Entry.new(x)).add(x).count }
    expect_change(-> { { 0 => MadeItems::Entry.new(9) } }, numbers, show) do |h, x|
      entry = (h[x % 3] ||= MadeItems::Entry.new(x))
      entry.next = h[0]
      entry.add(x * 2).list.sum
    end
    expect_change(-> { {} }, numbers) { |h, x| (h[x % 3] ||= MadeItems::Point.new(x, 0)).y += 1 }
  end

  it "are one thing, wherever they are" do
    h = {}
    all = []
    results = numbers.pmap do |x|
      item = (h[x % 3] ||= [x])
      all << item
      item
    end
    expect(results).to eq([[3], [1], [2], [3], [1], [1], [1], [1], [1], [3]])
    expect(results.map(&:object_id)).to eq(all.map(&:object_id))
    expect(results.map(&:object_id).uniq).to eq(h.values.map(&:object_id))
    kept = { 1 => [1] }
    array = kept[1]
    numbers.peach { |x| (kept[x] ||= []) << x }
    expect(kept).to eq({ 1 => [1, 1, 1, 1], 3 => [3, 3, 3], 2 => [2], 7 => [7], 40 => [40], -5 => [-5] })
    expect(kept[1]).to equal(array)
  end

  it "are in what objects hold" do
    expected = MadeItems::World.new
    world = MadeItems::World.new
    2.times do
      numbers.each { |x| expected.note(x % 5, x) && expected.cells.add([x, 1]) && (expected.rows[x % 4] << [x]) }
      numbers.peach { |x| world.note(x % 5, x) && world.cells.add([x, 1]) && (world.rows[x % 4] << [x]) }
      expect(world.state).to eq(expected.state)
    end
    expected.rows.each { |row| row << [row.size] << [row.last] }
    world.rows.peach { |row| row << [row.size] << [row.last] }
    expect(world.state).to eq(expected.state)
  end

  it "are seen by later ticks and parallel calls" do
    run = lambda do |each, ticks|
      h = {}
      [numbers, numbers].send(each, *ticks) { |all| all.each { |x| (h[x % 3] ||= []) << (h[0]&.size || x) } }
      h
    end
    expect(run.call(:peach, [])).to eq(run.call(:each, []))
    h = {}
    2.times { numbers.each { |x| (h[x % 3] ||= []) << (h[1]&.size || x) } }
    actual = {}
    numbers.peach(2) { |x| (actual[x % 3] ||= []) << (actual[1]&.size || x) }
    expect(actual).to eq(h)
    made = {}
    list = numbers
    sizes = Ikra.section do
      list.peach { |x| made[[x % 3]] ||= [x] }
      list.peach { |x| made[[x % 3]] << x }
      list.pmap { |x| made[[x % 3]].size }
    end
    expect(made).to eq({ [0] => [3, 3, 3, 3], [1] => [1, 1, 7, 1, 1, 40, -5], [2] => [2, 2] })
    expect(sizes).to eq([4, 7, 2, 4, 7, 7, 7, 7, 7, 4])
  end

  it "stay out where an element fails" do
    h = { 1 => [1] }
    expect { [2, 1, 0].peach { |x| (h[x] ||= []) << (10 / x) } }.to raise_error(ZeroDivisionError)
    expect(h).to eq({ 1 => [1] }) unless backend == :ruby
    h = { 1 => [1] }.freeze
    expect { [2].peach { |x| h[x] = [x] } }.to raise_error(FrozenError)
    expect(h).to eq({ 1 => [1] })
  end

  it "are held by other objects" do
    make = -> { Array.new(5) { |i| MadeItems::Entry.new(i) } }
    step = proc do |(entry, other)|
      other.next = MadeItems::Entry.new(entry.key).add(1) if entry.key.even?
      other.count = [entry.next&.key, other.count]
      other.next&.list&.size
    end
    expected = make.call
    actual = make.call
    left = expected.each_cons(2).to_a
    right = actual.each_cons(2).to_a
    expect(right.pmap(&step)).to eq(left.map(&step))
    expect(actual.map(&:state)).to eq(expected.map(&:state))
  end
end

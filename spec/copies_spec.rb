# frozen_string_literal: true

require "set"

# Objects that are copied in sections.
module Copies
  # Has variables that are always set, and some that are not.
  class Point
    attr_accessor :x, :tags, :other

    def initialize(x, tags = [])
      @x = x
      @tags = tags
    end

    def moved(by) = dup.tap { |copy| copy.x += by }

    def with_x(x)
      copy = clone
      copy.x = x
      copy
    end
  end

  # One like it, whose objects are copied with what they hold.
  class Deep < Point
    def initialize_copy(from)
      super
      @tags = from.tags.dup
    end
  end

  # Counts how it is copied.
  class Told < Point
    def initialize_dup(from)
      super
      @dups = from.x + 1
    end

    def initialize_clone(from, freeze: nil)
      super
      @clones = [from.x, freeze]
    end
  end

  # What is copied through a module.
  module Reset
    def initialize_copy(_from)
      super
      @x = -1
    end
  end

  # Copied so.
  class Fresh < Point
    include Reset
  end

  # Rows that are copied for each move.
  class Board
    attr_reader :cells

    def initialize(cells) = @cells = cells
    def initialize_copy(from) = @cells = from.cells.map(&:dup)
    def play(row, value) = dup.tap { |board| board.cells[row][0] = value }
  end

  # Raises when it is copied.
  class Single
    def initialize(x) = @x = x
    def initialize_copy(_from) = raise TypeError, "one is enough"
  end

  Pair = Struct.new(:a, :b) do
    attr_accessor :note

    def shifted(by) = dup.tap { |copy| copy.a += by }
  end
  Named = Struct.new(:a, :b, keyword_init: true)
end

# `dup` and `clone` of objects that were there before.
each_backend do |backend|
  let(:numbers) { (1..6).to_a }
  let(:points) { numbers.map { |x| Copies::Point.new(x, [x]) } }

  it "copies objects with their variables" do
    expect_same_objects(points) { |point| point.dup }
    expect_same_objects(points) { |point| [point.moved(3), point.with_x(7), point.clone] }
    point = points.first
    expect_same_objects(numbers) do |x|
      copy = point.dup
      copy.x = x
      [copy, copy.x + point.x, copy.tags.equal?(point.tags), copy.equal?(point)]
    end
  end

  it "copies what the section does not look at, in Ruby's order" do
    lock = Mutex.new
    points.each_with_index do |point, i|
      point.instance_variable_set(:@lock, lock) if i.even?
      point.other = point.tags if i > 2
      point.instance_variable_set(:@last, i) if i == 4
    end
    expect_same_objects(points) { |point| point.dup }
    expect_same_objects(points) { |point| point.moved(1).dup.moved(2) }
    copy = points.pmap { |point| point.moved(1) }.first
    expect(copy.instance_variable_get(:@lock)).to equal(lock)
    expect(copy.instance_variables).to eq(points.first.instance_variables)
  end

  it "knows what was set before a copy was made, and behind it" do
    make = -> { numbers.map { |x| Copies::Point.new(x) } }
    %i[map pmap].map do |name|
      all = make.call
      copies = all.send(name) do |point|
        point.other = 1 if point.x.odd?
        copy = point.dup
        point.tags = 2.5
        copy.other = 4 if point.x == 2
        copy
      end
      WholeObjects.of([all, copies])
    end => [expected, actual]
    expect(actual).to eq(expected)
  end

  it "runs the user's methods for it" do
    deep = numbers.map { |x| Copies::Deep.new(x, [x]) }
    expect_same_objects(deep) { |o| o.dup.tap { |copy| copy.tags << 9 } }
    expect(deep.map(&:tags)).to eq(numbers.map { |x| [x] })
    told = numbers.map { |x| Copies::Told.new(x) }
    expect_same_objects(told) { |o| [o.dup, o.clone, o.clone(freeze: true), o.clone(freeze: false)] }
    fresh = numbers.map { |x| Copies::Fresh.new(x) }
    expect_same_objects(fresh) { |o| [o.dup, o.clone] }
    board = Copies::Board.new([[0], [1]])
    expect_same_objects(numbers) { |x| board.play(1, x) }
    expect_same_objects(numbers) { |x| board.play(1, x).play(0, x) }
    single = Copies::Single.new(1)
    expect_same(numbers) { |x| x > 3 ? single.dup && 1 : x }
    expect_same(numbers) do |_x|
      single.clone
    rescue TypeError => e
      e.message
    end
  end

  it "copies those of the section" do
    expect_same_objects(numbers) do |x|
      a = Copies::Deep.new(x, [x])
      b = a.dup
      b.tags << 1
      [a, b]
    end
    expect_same_objects(numbers) { |x| Copies::Told.new(x, x).freeze.then { |o| [o.dup, o.clone] } }
  end

  it "freezes clones of what is frozen" do
    points.each_slice(2) { |point, _| point.freeze }
    expect_same(points) { |o| [o.dup.frozen?, o.clone.frozen?, o.clone(freeze: false).frozen?, o.clone.dup.frozen?] }
    expect_same_objects(points) { |o| [o.dup, o.clone, o.clone(freeze: true)] }
    expect_same_objects(points) { |o| o.clone(freeze: false).tap { |copy| copy.x = 3 } }
    expect(points.pmap(&:clone).map(&:frozen?)).to eq(points.map(&:frozen?))
    next if backend == :ruby

    told = /\Acan't modify frozen Copies::Point: #<Copies::Point/
    expect { points.pmap { |o| o.clone.x = 1 } }.to raise_error(FrozenError, told)
  end

  it "copies Structs" do
    pairs = numbers.map { |x| Copies::Pair.new(x, [x]) }
    pairs[1].note = :second
    expect_same_objects(pairs) { |pair| [pair.dup, pair.shifted(2), pair.clone] }
    expect_same(pairs) { |pair| [pair.dup == pair, pair.dup.equal?(pair), pair.dup.b.equal?(pair.b)] }
    named = numbers.map { |x| Copies::Named.new(a: x) }
    expect_same_objects(named) { |pair| pair.dup.tap { |copy| copy[:b] = 1 } }
  end

  it "copies a Set" do
    set = Set[1, 2]
    expect_same(numbers) do |x|
      copy = set.dup
      copy << x
      [copy.size, set.size, copy.include?(x)]
    end
    sets = numbers.map { |x| Set[x] }
    expect(sets.pmap { |s| s.dup << 7 }).to eq(sets.map { |s| s.dup << 7 })
    expect(sets).to eq(numbers.map { |x| Set[x] })
  end

  it "copies objects of several classes" do
    all = [points[0], Copies::Deep.new(2, [1]), Copies::Pair.new(1, 2), nil, 4, :a, "text"]
    expect_same_objects(all) { |o| o.dup }
    expect_same_objects(points + [Copies::Fresh.new(3)]) { |o| o.moved(2) }
  end

  it "keeps copies in objects" do
    %i[each peach].map do |name|
      all = numbers.map { |x| Copies::Point.new(x, [x]) }
      all.send(name) { |o| o.other = o.moved(10) }
      WholeObjects.of(all)
    end => [expected, actual]
    expect(actual).to eq(expected)
    %i[each peach].map do |name|
      all = numbers.map { |x| Copies::Point.new(x, [x]) }
      2.times { all.send(name) { |o| o.other = (o.other || o).moved(10) } }
      WholeObjects.of(all)
    end => [expected, actual]
    expect(actual).to eq(expected)
  end

  it "copies what has been made in an earlier tick, or by a driver" do
    run = lambda do |section|
      all = numbers.map { |x| Copies::Point.new(x, [x]) }
      all[2].instance_variable_set(:@more, 1)
      all.peach(3) { |o| o.other = (o.other || o).moved(10) } if section
      3.times { all.each { |o| o.other = (o.other || o).moved(10) } } unless section
      WholeObjects.of(all)
    end
    expect(run.call(true)).to eq(run.call(false))
    all = numbers.map { |x| Copies::Point.new(x, [x]) }
    all[2].instance_variable_set(:@more, 1)
    twice = Ikra.section do
      once = all.pmap { |o| o.moved(1) }
      once.pmap { |o| o.moved(2) }
    end
    expect(WholeObjects.of(twice)).to eq(WholeObjects.of(all.map { |o| o.moved(1).moved(2) }))
  end

  it "copies what the section has written before" do
    all = numbers.map { |x| Copies::Point.new(x) }
    expect(all.pmap { |o| (o.x += 1) && o.dup }.map(&:x)).to eq([2, 3, 4, 5, 6, 7])
    copies = Ikra.section do
      all.peach { |o| o.x *= 2 }
      [all.map(&:dup), all.pmap(&:clone), all[0].dup]
    end
    expect(copies.flatten.map(&:x)).to eq(([4, 6, 8, 10, 12, 14] * 2) + [4])
    other = Copies::Point.new(1)
    expect(other.instance_variable_defined?(:@other)).to be(false)
    copy = Ikra.section do
      other.other = 3
      other.dup
    end
    expect(copy.other).to eq(3)
  end

  it "keeps copies that the code around parallel calls makes" do
    best, kept = nil
    previous = Ikra.chosen
    [:ruby, previous].map do |chosen|
      Ikra.backend = chosen
      all = numbers.map { |x| Copies::Point.new(x, [x]) }
      holder = Copies::Point.new(0, [])
      best = nil
      given = Ikra.section do
        all.peach { |o| o.x += 1 }
        kept = all.map(&:dup)
        all.each { |o| best = o.dup if best.nil? || o.x > best.x }
        holder.other = kept
        holder.tags << all[0].dup << best
        kept.peach { |o| o.x += 10 }
        best.x -= 1
        best
      end
      WholeObjects.of([all, holder, given])
    end => [expected, actual]
    expect(actual).to eq(expected)
    expect(best.x).to eq(6)
  end

  it "copies objects of Data classes" do
    next unless defined?(Data) && Data.respond_to?(:define)

    type = Data.define(:x, :y)
    all = numbers.map { |x| type.new(x, [x]) }
    expect_same_objects(all) { |o| [o.dup, o.clone, o.with(x: 7), o.with] }
    expect_same(all) { |o| [o.dup == o, o.dup.frozen?, o.with(y: 1).dup.y] }
  end

  it "refuses what is made in C" do
    next if backend == :ruby

    time = Time.at(0)
    expect { numbers.pmap { |x| time.dup ? x : 0 } }.to raise_error(Ikra::UnsupportedError, /Time#dup/)
  end
end

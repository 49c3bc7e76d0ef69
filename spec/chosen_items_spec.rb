# frozen_string_literal: true

# So many of the smallest and largest items, as MRI's quickselect leaves them; runs of items; arrays that are frozen.
module ChosenItems
  Item = Struct.new(:key, :number)

  class Bag
    include Enumerable

    def initialize(*items) = @items = items
    def each(&) = @items.each(&)
  end
end

each_backend do
  random = Random.new(5)
  lists = Array.new(30) { |n| Array.new(n) { random.rand(1..12) } }
  floats = [[2.5, -0.0, 0.0, 1e300, -1.0], [Float::INFINITY, 0.0], [], [1.0, 2, -0.0, 0]]
  items = Array.new(25) do |n|
    Array.new(n * 2) { |i| ChosenItems::Item.new(random.rand(1..6), i) }
  end

  it "finds several of the least and the largest" do
    [0, 1, 2, 3, 5, 40].each do |n|
      expect_same(lists) { |a| a.min(n) }
      expect_same(lists) { |a| a.max(n) }
      expect_same(lists) { |a| a.min_by(n) { |x| -x } }
      expect_same(lists) { |a| a.max_by(n) { |x| x % 5 } }
    end
    expect_same(lists) { |a| a.min(3) { |x, y| y <=> x } }
    expect_same(lists) { |a| a.max(3) { |x, y| (x % 4) <=> (y % 4) } }
    expect_same(floats) { |a| a.min(2) }
    expect_same(floats) { |a| a.max(3) }
    expect_same([1, 5]) { |x| [[3, 1, 2, x].max(2), [3, x].min(1), (1..x).max(2), (x..9).min(3), (1...x).max(2)] }
    expect_same([1, 5]) { |x| [[3, 1].min(nil), x] }
    bags = lists.map { |a| ChosenItems::Bag.new(*a) }
    expect_same(bags) { |b| [b.min(2), b.max(2), b.min_by(2) { |x| -x }, b.max(2) { |x, y| y <=> x }] }
    expect_same(lists) { |a| a.each_with_index.min(2) }
  end

  it "leaves items with equal keys where Ruby leaves them" do
    [1, 2, 3, 7].each do |n|
      expect_same(items) { |a| a.min_by(n) { |x| x.key }.map(&:number) }
      expect_same(items) { |a| a.max_by(n) { |x| x.key }.map(&:number) }
      expect_same(items) { |a| a.min(n) { |x, y| x.key <=> y.key }.map(&:number) }
    end
  end

  it "raises what Ruby raises" do
    expect_same([1]) { |x| [x, 2].min(-1) }
    expect_same([1]) { |x| [x, nil].min(1) }
    expect_same([1]) { |x| [x, 3, Float::NAN, 2].max(2) }
    expect_same([1]) { |x| [x, 3].min_by(2.5) { |y| y } }
    expect_same([1]) { |x| [x, :a, 3].max_by(1) { |y| y } }
  end

  it "goes through runs" do
    expect_same(lists) { |a| a.chunk_while { |x, y| y == x + 1 }.to_a }
    expect_same(lists) { |a| a.slice_when { |x, y| y < x }.map(&:sum) }
    expect_same(lists) { |a| a.slice_before { |x| x > 8 }.map(&:size) }
    expect_same(lists) { |a| a.slice_before(6..9).to_a }
    expect_same(lists) { |a| a.slice_after(&:even?).to_a }
    expect_same(lists) { |a| a.slice_after(3).with_index.map { |run, i| run.sum * i } }
    expect_same(lists) { |a| a.each_with_index.slice_when { |(x, _), (y, _)| y < x }.map(&:size) }
    expect_same(lists) { |a| a.chunk_while { |x, y| y >= x }.max_by(&:size) }
    expect_same([3, 4]) { |n| (1..).slice_when { |_, y| y % n == 0 }.first(2) }
    expect_same([1]) { |x| [[x].chunk_while { |y, z| y < z }.size, x] }
    expect_same(lists) { |a| [a.chunk_while { |x, y| y == x + 1 }.each(&:size), a.chunk(&:odd?).each(&:size)] }
    expect_same(lists) { |a| [a.slice_before(&:odd?).each_with_index(&:size), a.slice_after(&:odd?).each(&:size)] }
    expect_same([1]) { |x| [x].slice_when.to_a }
    expect_same([1]) { |x| [x].slice_before.to_a }
    bags = lists.map { |a| ChosenItems::Bag.new(*a) }
    expect_same(bags) { |b| b.chunk_while { |x, y| y >= x }.sum { |run| run.first } }
  end

  it "goes through slices of what has no end" do
    expect_same([1, 2]) { |n| (n..).each_slice(2).first(2) }
    expect_same([1, 2]) { |n| (n..Float::INFINITY).each_cons(2).find { |a, b| a + b > 9 } }
    expect_same([1, 2]) { |n| [(n..5.5).to_a, (n...5.0).map { |x| x * 2 }, (n..-1.5).to_a] }
    expect_same([1, 2]) { |n| (n..Float::INFINITY).find { |x| x > 4 } }
    expect_same([1, 2]) { |n| (1..3).each_with_object([]).with_index { |(y, a), i| a << (y * i * n) } }
  end

  it "freezes arrays that nobody changes" do
    expect_same([1, 2]) { |x| [x, 1].freeze.sum }
    expect_same([1, 2]) { |x| Array.new(x) { |i| i }.freeze.map { |y| y + 1 }.freeze }
    expect_same([1, 2.5, nil, :a, true]) { |x| x.freeze }
  end
end

each_compiling_backend do
  it "freezes arrays of the section only" do
    expect_same([1]) { |x| (a = [x]).freeze; a << 2; a }
    expect { [[1]].pmap(&:freeze) }.to raise_error(Ikra::UnsupportedError, /frozen/)
  end
end

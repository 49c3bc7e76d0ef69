# frozen_string_literal: true

# What a section gives and keeps is made of the same objects as in Ruby: one that stands in several places is one, and
# what was frozen is.
module Aliases
  # Holds two things.
  class Two
    attr_accessor :x, :y

    def initialize(x = nil, y = nil)
      @x = x
      @y = y
    end
  end

  Both = Struct.new(:a, :b)

  def self.twice(array) = [array, array]

  # Calls itself.
  def self.down(depth, array) = depth.zero? ? [array, array] : down(depth - 1, array)
end

each_backend do
  it "gives an array once that stands in several places" do
    expect_same_objects { |x| r = [x]; [r, r] }
    expect_same_objects { |x| a = b = [x]; [a, [b, 1]] }
    expect_same_objects { |x| r = [x, [x]]; [r, r[1], r] }
    expect_same_objects { |x| i = [x]; [[i, 1], [i, 2]] }
    expect_same_objects { |x| [[x]] * 2 }
    expect_same_objects { |x| r = [x]; Array.new(2, r) + Array.new(x, r) }
    expect_same_objects { |x| Array.new(3).fill([x]) }
    expect_same_objects { |x| r = [x]; l = []; 3.times { l << r }; 2.times { |i| l << [i, x] }; l }
    expect_same_objects { |x| r = [x]; a = []; b = []; a << r; b << r << [x]; [a, b] }
    expect_same_objects { |x| [x, *Aliases.twice([x]), Aliases.down(x, [x, 1])] }
    expect_same_objects { |x| f = ->(*r) { [r, r] }; [f.call(x), f.call(x, 1)] }
  end

  it "keeps apart what is made at one place several times" do
    expect_same_objects { |x| a = [x]; [a, a.dup, [x], a.clone, a.to_a, [*a]] }
    expect_same_objects { |x| l = []; 3.times { |i| r = [x, i]; l << r }; l }
    expect_same_objects { |x| Array.new(x) { [x] } }
    expect_same_objects { |x| l = (0..x).map { |y| [x, y] }; [l, l.map { |a, b| [a, b] }] }
  end

  it "knows which array it is where ways meet, and in loops" do
    expect_same_objects { |x| a = [x]; b = [2]; c = x > 1 ? a : b; [a, c] }
    expect_same_objects { |x| a = [x, 1]; b = a; x.times { |i| b = [i, 2] if i > 1 }; [a, b] }
    expect_same_objects { |x| c = nil; c ||= [x]; [c, c] }
    expect_same_objects { |x| r = nil; x.times { |i| r = [i] if i.even? }; [r, r] }
  end

  it "gives items of arrays as the arrays that they are" do
    expect_same_objects { |x| l = (0..x).map { |y| [x, y] }; [l, l[0], l.last, l.min_by { |p| p[1] }] }
    expect_same_objects { |x| l = (0..x).map { |y| [y, x] }; [l, l.select { |p| p[0] > 0 }, l.sort, l.reverse, l + l] }
    expect_same_objects { |x| l = (0..3).map { |y| [y, x] }; [l.partition { |p| p[0] > x }, l.group_by { |p| p[0] % 2 }, l] }
    expect_same_objects { |x| l = { a: x, b: [x] }.to_a; [l, l[0], l[1][1]] }
    expect_same_objects { |x| a = [x, 1]; l = [[a, 1], [a, 2]]; l.map { |p, q| [p, q] } }
  end

  it "gives what built-ins make once" do
    expect_same_objects { |x| z = 7.divmod(x); [z, z] }
    expect_same_objects { |x| z = [1, 2].zip([3, x]); [z, z[0], z[0]] }
    expect_same_objects { |x| l = []; [x, 2].each_with_index.to_a.each { |p| l << p << p }; l }
    expect_same_objects { |x| [x, 2].each_with_index.map { |p| [p, p] } }
    expect_same_objects { |x| { a: x }.map { |p| [p, p] } }
    expect_same_objects { |x| (0..4).each_slice(2).map { |s| [s, s, x] } }
    expect_same_objects({ a: 1, b: 2 }) { |p| [p, p] }
  end

  it "gives arrays once that objects and Hashes hold" do
    expect_same_objects { |x| r = [x]; [Aliases::Two.new(r, 1), Aliases::Two.new(r, r), Aliases::Both.new(r, [r])] }
    expect_same_objects { |x| r = [x]; { a: r, b: r, c: [r] } }
    expect_same_objects { |x| r = [x]; { r => r, [x, 1] => 2 } }
    expect_same_objects { |x| { a: [x, 1], b: [x, 2] } }
  end

  it "gives Hashes and Sets once" do
    expect_same_objects { |x| h = { a: x }; [h, h, h.dup] }
    expect_same_objects { |x| h = { a: x }; Aliases::Two.new(h, { a: h, b: h }) }
    expect_same_objects { |x| h = { a: x }; l = []; x.times { l << h }; l }
    expect_same_objects { |x| h = Hash.new(x); l = [h]; h["#{x}"] = 1; l << h; l }
    expect_same_objects { |x| h = { [x] => { x => [x] } }; [h, h.values, h.keys] }
  end

  it "knows equal? of arrays" do
    expect_same([1, 2]) { |x| a = [x]; b = [x]; [a.equal?(b), a.equal?(a), [x].equal?([x])] }
    expect_same([1, 2]) { |x| a = [x]; l = [a, [x]]; [l[0].equal?(a), l[1].equal?(a), l.index { |y| y.equal?(a) }] }
  end

  it "changes one array by all its names" do
    expect_same_objects { |x| r = [x]; l = [r, r]; l[0] << 1; [l, l[1]] }
    expect_same_objects { |x| l = Array.new(2, [x]); l[0] << 1; l }
    expect_same_objects { |x| h = { a: 1 }; l = [h, h]; l[0][:b] = x; l }
  end

  it "gives frozen what was frozen" do
    expect_same_objects { |x| [x, 1].freeze }
    expect_same_objects { |x| [[x].freeze, [x], (0..x).map { |i| i }.freeze] }
    expect_same_objects { |x| a = [x]; a.freeze; b = a; [a, b, 1] }
    expect_same_objects { |x| a = [x].freeze; [a, a.dup, a.clone, a.clone(freeze: false), [x].clone(freeze: true)] }
    expect_same_objects { |x| [Aliases::Two.new([x].freeze, 1).freeze, Aliases::Both.new(x, 1).freeze] }
    expect_same_objects { |x| { a: [x].freeze, b: [x] } }
    expect_same_objects { |x| ["x#{x}".freeze, "y#{x}", "x".freeze, +"z"] }
    expect_same([1, 2]) { |x| a = [x].freeze; b = [x]; [a.frozen?, b.frozen?, a.dup.frozen?, a.clone.frozen?] }
    expect_same([1, 2]) { |x| (0..x).map { |i| [i].freeze }.all?(&:frozen?) }
  end

  it "keeps arrays once in variables of objects" do
    make = -> { Array.new(3) { Aliases::Two.new } }
    expect_same_objects_of { make.call.peach { |q| r = [1, 2]; q.x = r; q.y = r } }
    expect_same_objects_of { make.call.peach { |q| r = [1, 2]; q.x = [r, r]; q.y = [r] } }
    n = 1
    expect_same_objects_of { make.call.peach { |q| q.x = [n, 2].freeze; q.y = Aliases::Two.new([n], 2).freeze } }
    expect_same_objects_of { make.call.peach(2) { |q| r = [1, 2]; q.x = [r, r]; q.y = r } }
  end

  it "keeps arrays once in arrays and Hashes around the section" do
    expect_same_objects_of { o = []; q = []; [1, 2].peach { |x| r = [x]; o << r << r; q << [r, r] }; [o, q] }
    expect_same_objects_of { o = {}; [1, 2].peach { |x| r = [x]; o[x] = [r, r]; o[-x] = [r] }; o }
    expect_same_objects_of { best = nil; [1, 2].peach { |x| r = [x]; best = [r, r] if x > 1 }; best }
  end

  it "gives arrays once in programs" do
    expect_same_objects_of { n = [4]; Ikra.section { r = [n[0]]; [r, r] } }
    expect_same_objects_of { n = [4]; Ikra.section { h = { a: n[0] }; [h, h] } }
    expect_same_objects_of { n = [4]; Ikra.section { [[n[0]].freeze, [1]] } }
    expect_same_objects_of { xs = [1, 2]; Ikra.section { row = [5]; xs.pmap { |x| [x, row] } } }
    expect_same_objects_of { xs = [1, 2]; Ikra.section { row = [5]; a = xs.pmap { |x| [x, row] }; [a, row] } }
    expect_same_objects_of { xs = [1, 2]; Ikra.section { row = []; row << 5; a = xs.pmap { |x| [x, row] }; [a, row] } }
    expect_same_objects_of { xs = [1, 2]; Ikra.section { xs.pmap { |x| r = [x, 1]; [r, r] } } }
    expect_same_objects_of { xs = [1, 2]; Ikra.section { a = xs.pmap { |x| [x, 1] }; [a, a[0], a] } }
  end

  it "gives arrays once that chains give" do
    expect_same_objects_of { [1, 2, 3].pflat_map { |x| r = [x]; [r, r] } }
  end
end

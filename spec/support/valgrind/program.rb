# frozen_string_literal: true

# What `rake check:valgrind` runs: objects of several classes, arrays, Structs, strings; values read, computed, written
# back and made; sections that fail at each point where one can.
require "ikra"
Ikra.backend = :cpu

class Checked
  attr_accessor :number, :links, :text, :unset

  def initialize(number, links, text)
    @number = number
    @links = links
    @text = text
  end
end

class CheckedMore < Checked
  def step = @number += 1e-300
end

CheckedPair = Struct.new(:left, :right)

def world
  shared = [1, 2, 3]
  objects = Array.new(60) do |i|
    (i.odd? ? Checked : CheckedMore).new(i * 1.5, (i % 7).zero? ? shared : [i, i + 1], "t#{i}")
  end
  objects.each_with_index { |object, i| object.unset = objects[i - 1] if (i % 3).zero? }
end

def sections(objects)
  objects.peach(3) do |o|
    o.links[1] = o.links[0] * 3
    o.number -= 1.0
  end
  objects.peach { |o| o.text = (o.unset ||= o).text }
  objects.grep(CheckedMore).peach { |o| o.step }
  sums = [0.0] * 5
  objects.peach(2) do |o|
    sums[o.links.size] += o.number
    objects[0].number = 1.0
  end
  total = 0
  objects.pmap do |o|
    total += 1
    [o.number, [o.links[0], (2**62) + o.links[1]], o.text]
  end
  objects.pselect { |o| o.number > 20 }
  pairs = objects.map { |o| CheckedPair.new(o, 2**62) }
  pairs.peach { |pair| pair.left, pair.right = pair.right, pair.left }
  objects.pmap { |o| Array.new(o.links.size * 20) { |i| i * 1.5 } }
  collections(objects)
end

def collections(objects)
  objects.each_with_index.pselect { |o, i| i > 2 && o.number > 0 }
  objects.each_slice(7).with_index(1).pmap { |slice, i| slice.size + i }
  objects.to_h { |o| [o.text, o] }.pselect { |_, o| o.number > 20 }
  ((2**62)..((2**62) + 20)).pselect(&:even?)
  Enumerator.new { |y| objects.each { |o| y.yield(o, 1) } }.pmap { |o, i| o.number + i }
end

sections(world)
native = Ikra.const_get(:Native)
(1..60).each do |number|
  native.fail_at(number)
  sections(world)
rescue Ikra::Error
  native.fail_at(0)
end
native.fail_at(0)
GC.start
GC.compact if GC.respond_to?(:compact)
sections(world)

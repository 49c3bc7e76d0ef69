# frozen_string_literal: true

# Programs that do nothing but put something new into what exists: the code around parallel calls alone
# (`Ikra.section`), and two elements of a `pmap`, against the same in Ruby. The first call compiles.
#
#   rake bench:storing       ruby -Ilib benchmark/storing.rb --count 400000 --rounds 5 --only pairs,strings

require "ikra"
require "optparse"
require_relative "measurement"

options = { rounds: 5, count: 400_000, only: nil, backend: "cpu" }
OptionParser.new do |parser|
  parser.on("--rounds N", Integer, "(#{options[:rounds]})")
  parser.on("--count N", Integer, "of what is stored (#{options[:count]})")
  parser.on("--backend NAME", "(#{options[:backend]})")
  parser.on("--only NAMES", Array, "of the programs")
end.parse!(into: options)
Ikra.backend = options[:backend]

class Node
  def initialize(number) = @number = number
end

# Each of its methods stores so many things.
class Box
  PROGRAMS = {
    "integers" => "Integers in an array", "pairs" => "arrays of two in an array", "nodes" => "objects in an array",
    "strings" => "Strings in an array", "by_number" => "arrays in a Hash, by Integers",
    "by_text" => "Integers in a Hash, by new Strings", "queue" => "a queue of arrays, 50 long",
    "lists" => "Strings in 100 arrays of an array"
  }.freeze

  def initialize
    @items = []
    @table = {}
  end

  def integers(count) = count.times { |i| @items[i] = i }
  def pairs(count) = count.times { |i| @items << [i, i] }
  def nodes(count) = count.times { |i| @items[i] = Node.new(i) }
  def strings(count) = count.times { |i| @items[i] = i.to_s }
  def by_number(count) = count.times { |i| @table[i] = [i] }
  def by_text(count) = count.times { |i| @table["k#{i}"] = i }
  def lists(count) = count.times { |i| (@items[i % 100] ||= []) << i.to_s }

  def queue(count)
    count.times do |i|
      @items << [i]
      @items.shift if @items.size > 50
    end
  end
end

# Seconds; what was stored before is no part of them.
def time
  GC.start
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  yield
  Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
end

count = options[:count]
programs = Box::PROGRAMS.slice(*(options[:only] || Box::PROGRAMS.keys))
rows = programs.map do |name, what|
  section = lambda do
    box = Box.new
    time { Ikra.section { box.public_send(name, count) } }
  end
  elements = lambda do
    boxes = [Box.new, Box.new]
    time { boxes.pmap { |box| box.public_send(name, count / 2) } }
  end
  first = [section.call, elements.call]
  times = Array.new(options[:rounds]) { [time { Box.new.public_send(name, count) }, section.call, elements.call] }
  ruby, around, within = times.transpose.map { |list| Measurement.median(list) }
  ms = [ruby, around, within, *first].map { |seconds| format("%.0f ms", seconds * 1000) }
  [what, *ms.first(3), *[around, within].map { |one| format("%.1f", one / ruby) }, *ms.last(2)]
end
heads = ["#{count} …", "Ruby", "section", "pmap of two", "section / Ruby", "pmap / Ruby", "first section", "first pmap"]
puts Measurement.table([heads, *rows])

# frozen_string_literal: true

# What a section costs beside its kernels: many launches whose elements make things that they keep, and syncs, where
# little is there and where much has been made. Times of first, second and third calls, with fresh objects, and Ruby's.
#
#   rake bench:launches      ruby -Ilib benchmark/launches.rb

require "ikra"
Ikra.meanwhile = :wait
Ikra.backend = :cpu

# Makes a Hash for each tick, now and then an object, and keeps them.
class Walker
  attr_reader :events, :bag

  def initialize(id)
    @id = id
    @place = [id % 20, id / 20 % 20]
    @bag = []
    @events = []
    @strength = 30
  end

  def act(tick)
    event = decide(tick)
    @events << event
    case event
    in { type: :move, by: [dx, dy] } then @place = [@place[0] + dx, @place[1] + dy]
    in { type: :loot, name:, **rest } then @bag << Loot.new(name, rest[:worth], self)
    in { type: :hit, amount: Integer => n } if n > 3 then @strength -= n
    in { type: :hit | :idle } then @bag.shift
    end
  end

  def decide(tick)
    case (tick + @id) % 4
    when 0 then { type: :move, by: [(@id % 3) - 1, (tick % 3) - 1] }
    when 1 then { type: :loot, name: "gem#{tick}", worth: @id * tick }
    when 2 then { type: :hit, amount: (tick * @id) % 7 }
    else { type: :idle }
    end
  end
end

Loot = Struct.new(:name, :worth, :owner)

PROGRAMS = {
  "40 ticks of 3,000 walkers" => lambda do
    walkers = Array.new(3_000) { |i| Walker.new(i) }
    -> { Ikra.section { 40.times { |tick| walkers.peach { |walker| walker.act(tick) } } } && nil }
  end,
  "1,000 syncs of 20 objects" => lambda do
    walkers = Array.new(20) { |i| Walker.new(i) }
    log = [0]
    -> { Ikra.section { 1_000.times { |i| Ikra.sync { log[0] = walkers.size + i } } } && nil }
  end,
  "200 syncs, 300 Strings stored before each" => lambda do
    log = []
    lambda do
      Ikra.section do
        200.times do |i|
          300.times { |k| log << "text #{k}" }
          Ikra.sync { i }
        end
      end && nil
    end
  end
}.freeze

def time(program)
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  program.call
  (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start) * 1000
end

puts "Ruby #{RUBY_VERSION}; milliseconds of the first, second and third call"
PROGRAMS.each do |name, make|
  ruby = Array.new(2) do
    Ikra.backend = :ruby
    time(make.call)
  end
  ikra = Array.new(3) do
    Ikra.backend = :cpu
    time(make.call)
  end
  puts format("%-42s Ruby %8.1f   Ikra %s", name, ruby.min, ikra.map { |ms| format("%8.1f", ms) }.join(" "))
end

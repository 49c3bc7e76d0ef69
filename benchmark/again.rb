# frozen_string_literal: true

# Calls on the same objects, again and again: what a call takes for an object, all included, as CPU time of all threads,
# against the same loop in Ruby (with YJIT in a process of its own with `--yjit`). From the third call on the objects
# are found again.
#
#   rake bench:again       ruby --yjit -Ilib benchmark/again.rb --objects 1000000 --rounds 9 --only add,streets

require "ikra"
require "optparse"
require_relative "measurement"

options = { rounds: 9, objects: 1_000_000, only: nil, threads: 1 }
OptionParser.new do |parser|
  parser.on("--rounds N", Integer, "calls from the third one on (#{options[:rounds]})")
  parser.on("--objects N", Integer, "(#{options[:objects]})")
  parser.on("--threads N", Integer, "(#{options[:threads]})")
  parser.on("--only NAMES", Array, "of the programs")
end.parse!(into: options)
Ikra.backend = :cpu
Ikra.threads = options[:threads]

# What is called on.
module Again
  # Three Floats.
  class Item
    attr_accessor :a, :b, :c

    def initialize(number)
      @a = number + 0.5
      @b = number * 0.25
      @c = 0.0
    end
  end

  # One leads to two others.
  class Street
    attr_accessor :limit, :following

    def initialize(limit) = @limit = limit
  end

  # Stands on a street.
  class Car
    attr_accessor :street, :speed, :place, :last

    def initialize(street, speed)
      @street = street
      @speed = speed
      @place = 0.0
      @last = [speed, 1.0]
    end
  end

  class << self
    def items(count) = Array.new(count) { |i| Item.new(i) }
    def shuffled(count) = items(count).shuffle(random: Random.new(1))

    def cars(count)
      streets = Array.new((count / 10) + 1) { |i| Street.new(10.0 + (i % 50)) }
      streets.each_with_index do |street, i|
        street.following = [7, 13].map { |step| streets[i * step % streets.size] }
      end
      Array.new(count) { |i| Car.new(streets[i * 7919 % streets.size], i % 90 * 1.0) }
    end
  end

  PROGRAMS = {
    "add" => ["three variables of an object", :items, ->(o) { o.c = o.a + o.b + o.c }],
    "shuffled" => ["the same, shuffled", :shuffled, ->(o) { o.c = o.a + o.b + o.c }],
    "streets" => ["a variable of another object", :cars, ->(car) { car.place += [car.speed, car.street.limit].min }],
    "lists" => ["two items of an array", :cars, ->(car) { car.place += car.last[0] + car.last[1] }],
    "following" => ["objects in an array of another object", :cars,
                    ->(car) { car.place += car.street.following[0].limit + car.street.following[1].limit }]
  }.freeze
end

cost = lambda do |objects, &call|
  start = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
  call.call
  (Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - start) / objects.size * 1e9
end
puts format("%-40s %10s %10s %10s %10s", "ns of CPU time an object", "second", "third", "later", "Ruby")
Again::PROGRAMS.each do |name, (what, make, block)|
  next unless options[:only].nil? || options[:only].include?(name)

  objects = Again.public_send(make, options[:objects])
  calls = Array.new(options[:rounds] + 2) { cost.call(objects) { objects.peach(&block) } }
  ruby = Array.new(options[:rounds]) { cost.call(objects) { objects.each(&block) } }.min
  puts format("%-40s %10.1f %10.1f %10.1f %10.1f", what, calls[1], calls[2], calls.drop(2).min, ruby)
end

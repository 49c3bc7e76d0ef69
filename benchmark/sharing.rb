# frozen_string_literal: true

# Loops of elements over many others, on a GPU: with a thread for each element, with a warp that shares its loop, and
# with what Ikra chooses.
#
#   rake bench:sharing        FORMS="nbody count" SIZES="1024 4096" ruby -Ilib benchmark/sharing.rb
#
# A figure is what a launch takes: by what a section of twelve launches takes longer than one of two (least of four
# each). What comes of all three is compared.

require "ikra"
Ikra.meanwhile = :wait

# One of many, which looks at all others.
class Particle
  attr_reader :x, :y, :z, :mass

  def initialize(random)
    @x, @y, @z, @mass = Array.new(4) { random.rand }
    @ax = @ay = @az = @found = 0.0
    @count = 0
  end

  def nbody(others)
    ax = ay = az = 0.0
    others.each do |other|
      dx = other.x - @x
      dy = other.y - @y
      dz = other.z - @z
      squared = (dx * dx) + (dy * dy) + (dz * dz) + 1e-3
      pull = other.mass / (squared * Math.sqrt(squared))
      ax += dx * pull
      ay += dy * pull
      az += dz * pull
    end
    @ax += ax
    @ay += ay
    @az += az
  end

  def others_only(others)
    others.each do |other|
      next if other.equal?(self)

      dx = other.x - @x
      dy = other.y - @y
      dz = other.z - @z
      squared = (dx * dx) + (dy * dy) + (dz * dz) + 1e-3
      pull = other.mass / (squared * Math.sqrt(squared))
      @ax += dx * pull
      @ay += dy * pull
      @az += dz * pull
    end
  end

  def inject(others) = @found = others.inject(0.0) { |sum, other| sum + ((other.x - @x) * (other.y - @y)).abs }
  def sum(others) = @found = others.sum { |other| Math.sqrt((other.x - @x).abs) }
  def min_by(others) = @found = others.min_by { |other| (other.x - @x).abs }.x
  def count(others) = @count = others.count { |other| ((other.x - @x)**2) + ((other.y - @y)**2) < 0.1 }
  def any(others) = @count = others.any? { |other| other.x == @x + 2 } ? 1 : 0

  def largest(others)
    largest = 0.0
    others.each do |other|
      distance = ((other.x - @x)**2) + ((other.y - @y)**2)
      largest = distance if distance > largest
    end
    @found = largest
  end

  def state = [@ax, @ay, @az, @found, @count].pack("GGGGq>")
end

PROGRAMS = {
  nbody: ->(all, others, n) { Ikra.section { n.times { all.peach { |one| one.nbody(others) } } } },
  others_only: ->(all, others, n) { Ikra.section { n.times { all.peach { |one| one.others_only(others) } } } },
  inject: ->(all, others, n) { Ikra.section { n.times { all.peach { |one| one.inject(others) } } } },
  sum: ->(all, others, n) { Ikra.section { n.times { all.peach { |one| one.sum(others) } } } },
  min_by: ->(all, others, n) { Ikra.section { n.times { all.peach { |one| one.min_by(others) } } } },
  count: ->(all, others, n) { Ikra.section { n.times { all.peach { |one| one.count(others) } } } },
  largest: ->(all, others, n) { Ikra.section { n.times { all.peach { |one| one.largest(others) } } } },
  any: ->(all, others, n) { Ikra.section { n.times { all.peach { |one| one.any(others) } } } }
}.freeze

def milliseconds
  times = Array.new(4) do
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
  end
  times.min * 1000
end

Ikra.backend = ENV.fetch("BACKEND", "cuda").to_sym
forms = (ENV["FORMS"]&.split || PROGRAMS.keys).map(&:to_sym)
sizes = ENV.fetch("SIZES", "1024 4096 8192 16384 65536").split.map(&:to_i)
forms.product(sizes) do |form, size|
  others = Array.new(4096) { |i| Particle.new(Random.new(i)) }
  answers = []
  figures = { alone: "0", shared: "1", chosen: nil }.map do |name, setting|
    ENV["IKRA_TEST_SHARING"] = setting
    all = Array.new(size) { |i| Particle.new(Random.new(-i)) }
    PROGRAMS[form].call(all, others, 2)
    answers << all.map(&:state)
    long, short = [12, 2].map { |launches| milliseconds { PROGRAMS[form].call(all, others, launches) } }
    format("%s %7.3f ms", name, (long - short) / 10)
  end
  puts format("%-12s %7d elements  %s%s", form, size, figures.join("  "), answers.uniq.one? ? "" : "  DIFFERENT")
end

# frozen_string_literal: true

require "tmpdir"

# Programs of many methods that call each other: what grows with the methods, and what with the ways to them.
module DeepCalls
  module_function

  # Each method calls the next one at two places: there are 2 ** levels ways to the last.
  def twice(levels)
    methods = Array.new(levels) { |i| "def f#{i}(x) = x < 1 ? f#{i + 1}(x) : f#{i + 1}(x)" }
    section([*methods, "def f#{levels}(x) = x * 3"], "f0(x)")
  end

  # Each method calls the next one.
  def chain(count)
    methods = Array.new(count) { |i| "def f#{i}(x) = f#{i + 1}(x + 1)" }
    section([*methods, "def f#{count}(x) = x"], "f0(x)")
  end

  # One method calls all the others.
  def fan(count)
    methods = Array.new(count) { |i| "def f#{i}(x) = x + #{i}" }
    calls = Array.new(count) { |i| "  x = f#{i}(x)" }
    section([*methods, "def all(x)", *calls, "  x", "end"], "all(x)")
  end

  # One call means a method of each class.
  def classes(count)
    lines = Array.new(count) { |i| "class C#{i}\n  def f(x) = x * 3 + #{i}\nend" }
    objects = Array.new(count) { |i| "C#{i}.new" }
    [*lines, "OBJECTS = [#{objects.join(", ")}].freeze", "(0...#{count}).to_a.pmap { |x| OBJECTS[x].f(x) }"].join("\n")
  end

  def section(methods, call)
    [*methods, "(1..10).to_a.pmap { |x| #{call} }"].join("\n")
  end

  PROGRAMS = {
    "twice-10" => -> { twice(10) }, "twice-20" => -> { twice(20) }, "twice-30" => -> { twice(30) },
    "chain-1000" => -> { chain(1_000) }, "chain-10000" => -> { chain(10_000) },
    "fan-1000" => -> { fan(1_000) }, "fan-10000" => -> { fan(10_000) },
    "classes-1000" => -> { classes(1_000) }
  }.freeze

  # Writes the programs into files, which are there until the block ends, and gives their paths.
  def files
    Dir.mktmpdir do |folder|
      yield(PROGRAMS.map { |name, text| File.join(folder, "#{name}.rb").tap { |file| File.write(file, text.call) } })
    end
  end
end

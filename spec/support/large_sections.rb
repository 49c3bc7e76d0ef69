# frozen_string_literal: true

require "fileutils"
require "tmpdir"

# Sections that take long to compile. Each is loaded anew, so that it is compiled anew.
module LargeSections
  # @return [String] methods each of which calls the next one twice: there are 2 ** levels ways to the last
  def self.calls(levels, last: "x * 3", block: "level0(x)")
    methods = Array.new(levels) { |i| "def level#{i}(x) = x < 1 ? level#{i + 1}(x) : level#{i + 1}(x)\n" }
    "#{methods.join}def level#{levels}(x) = #{last}\n->(xs) { xs.pmap { |x| #{block} } }"
  end

  # @return [String] the same with blocks, so that all are inlined: 2 ** levels copies of the last
  def self.blocks(levels)
    calls = ->(i) { "level#{i + 1}(x) { x }" }
    methods = Array.new(levels) { |i| "def level#{i}(x) = x < 1 ? #{calls[i]} : #{calls[i]} + yield - x\n" }
    "#{methods.join}def level#{levels}(x) = x * 2 + yield\n->(xs) { xs.pmap { |x| level0(x) { x } } }"
  end

  # @return [String] as many methods, each of which calls the next one
  def self.chain(count)
    methods = Array.new(count) { |i| "def level#{i}(x) = level#{i + 1}(x + 1)\n" }
    "#{methods.join}def level#{count}(x) = x\n->(xs) { xs.pmap { |x| level0(x) } }"
  end

  # @return [String] as many methods in one file, of which two are called: most of the memory goes into their syntax
  def self.methods(count)
    made = Array.new(count) do |i|
      "def level#{i}(x) = x > #{i} ? [x, #{i}, 'a'].map { |q| q }.size : { a: x, b: [1, [2, [x]]] }.size\n"
    end
    "#{made.join}->(xs) { xs.pmap { |x| level0(x) + level#{count - 1}(x) } }"
  end

  # @return [String] a block of many loops: most of the time goes into inference
  def self.loops(count)
    loops = Array.new(count) { |i| "#{(i % 7) + 2}.times { |k| a = (a * 3 + b + k) % 1000003 }\n" }
    "->(xs) { xs.pmap { |x|\na = x\nb = x\n#{loops.join}a + b } }"
  end

  # @return [String] a block of many conditions: most of the time goes into one function of Cranelift
  def self.conditions(count)
    lines = Array.new(count) { |i| "if a > #{i}\na = (a * 3 + b) % 1000003\nelse\nb = a - b + #{i}\nend\n" }
    "->(xs) { xs.pmap { |x|\na = x\nb = x\n#{lines.join}a + b } }"
  end

  class << self
    attr_writer :made

    # @return [Proc] a new section of such a text, to be called with an Array of Integers
    def new(text)
      @count = (@count || 0) + 1
      file = File.join(folder, "large_section_#{@count}.rb")
      File.write(file, "Module.new do\nextend self\nLargeSections.made = begin\n#{text}\nend\nend\n")
      load file
      @made
    end

    private

    # Kept until the process ends: a section is compiled from its file.
    def folder
      @folder ||= Dir.mktmpdir.tap do |made|
        process = Process.pid
        at_exit { FileUtils.remove_entry(made) if Process.pid == process }
      end
    end
  end
end

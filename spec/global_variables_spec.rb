# frozen_string_literal: true

# Global variables and class variables are roots, as constants are: read anew by each call.
# rubocop:disable Style/GlobalVars, Style/ClassVars, Style/SpecialGlobalVars
module Globals
  class Rates
    @@rate = 2
    @@table = [1.5, -0.0, Float::NAN]
    @@count = 0

    class << self
      def rate = @@rate

      def rate=(value)
        @@rate = value
      end
    end

    def self.table(index) = @@table[index]
    def scaled(number) = number * @@rate
    def scale = ->(number) { number * @@rate }
    def unset = @@unset
    def count = @@count += 1
  end

  class Own < Rates
    @@own = 7

    def own = @@own + @@rate
  end

  module Shared
    @@limit = 5

    def limit = @@limit
  end

  class Including
    include Shared

    def both = limit * 2
  end

  Made = Struct.new(:value) do
    def plus = value + 1
  end

  Leaf = Struct.new(:width)

  def self.outer = @@limit

  def self.in_block(numbers) = numbers.pmap { |x| x + @@depth }

  @@depth = 3
end

each_backend do
  after { Globals::Rates.rate = 2 }

  it "reads global variables" do
    $ikra_rate = 2.5
    $ikra_list = [1, nil, -0.0, Float::NAN, :a]
    expect_same([1, 2.0, 3]) { |x| x * $ikra_rate }
    expect_same([0, 1, 2, 3, 4, 5, -1]) { |i| $ikra_list[i] }
    expect_same([1]) { |x| $ikra_never_set.nil? ? x : 0 }
    $ikra_rate = 3
    expect_same([1, 2.0, 3]) { |x| x * $ikra_rate }
    scale = ->(x) { x * $ikra_rate }
    expect_same([1, 2]) { |x| scale.call(x) }
    $ikra_rate = true
    expect_same([1, 2]) { |x| $ikra_rate ? x : -x }
  end

  it "reads the same array through a global variable and writes it" do
    $ikra_list = [0, 0, 0]
    3.times.peach { |i| $ikra_list[i] = i * 2 }
    expect($ikra_list).to eq([0, 2, 4])
    $ikra_leaf = Globals::Leaf.new(1)
    expect_same([1, 2]) { |x| x + $ikra_leaf.width }
  end

  it "reads class variables" do
    rates = [Globals::Rates.new, Globals::Own.new]
    expect_same(rates) { |r| r.scaled(3) }
    expect_same([Globals::Own.new], &:own)
    expect_same([0, 1, 2, 3]) { |i| Globals::Rates.table(i) }
    expect_same([1, 2]) { |x| x + Globals::Rates.rate }
    scale = rates.first.scale
    expect_same([1, 2.5]) { |x| scale.call(x) }
    Globals::Rates.rate = 2.5
    expect_same(rates) { |r| r.scaled(3) }
    Globals::Rates.rate = [1]
    expect_same([1, 2]) { |x| Globals::Rates.rate[0] * x }
    expect_same([Globals::Including.new], &:both)
    expect(Globals.in_block([1, 2])).to eq([4, 5])
  end

  it "reads class variables anew at each call" do
    Globals.module_eval { class_variable_set(:@@depth, 10) }
    expect(Globals.in_block([1, 2])).to eq([11, 12])
  ensure
    Globals.module_eval { class_variable_set(:@@depth, 3) }
  end
end

each_compiling_backend do
  it "refuses what it cannot do with them" do
    expect { [1].pmap { |x| $ikra_rate = x } }.to raise_error(Ikra::UnsupportedError, /\[unsupported-global\]/)
    expect { [1].pmap { |x| $ikra_rate += x } }.to raise_error(Ikra::UnsupportedError, /after it/)
    expect { [1].pmap { |x| $stdout.puts x } }.to raise_error(Ikra::UnsupportedError, /\[unsupported-special-global\]/)
    expect { [1].pmap { |x| $~ ? x : 1 } }.to raise_error(Ikra::UnsupportedError, /\[unsupported-special-global\]/)
    rates = [Globals::Rates.new]
    expect { rates.pmap(&:count) }.to raise_error(Ikra::UnsupportedError, /\[unsupported-class-variable\]/)
    expect { rates.pmap(&:unset) }.to raise_error(Ikra::UnsupportedError, /@@unset.*\[uninitialized-class-variable\]/)
    outer = /\[uninitialized-class-variable\]/
    expect { [1].pmap { |x| x + Globals.outer } }.to raise_error(Ikra::UnsupportedError, outer)
  end

  it "keeps a version for each class of values" do
    $ikra_rate = 1
    block = proc { |x| x * $ikra_rate }
    expect([2].pmap(&block)).to eq([2])
    $ikra_rate = 1.5
    expect([2].pmap(&block)).to eq([3.0])
    $ikra_rate = nil
    expect { [2].pmap(&block) }.to raise_error(TypeError)
  end
end
# rubocop:enable Style/GlobalVars, Style/ClassVars, Style/SpecialGlobalVars

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
    def set_unset = @@unset_too = 1
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

  class Counted
    @@count = 0
    @total = 0
    @log = []

    class << self
      attr_accessor :total
      attr_reader :log

      def next_id = @last = (@last || 0) + 1
      def count = @@count
      def state = [@@count, @total, @log.dup, @last]

      def reset
        @@count = 0
        @total = 0
        @log.clear
        @last = nil
      end
    end

    attr_reader :number

    def initialize(weight = 1)
      @number = (@@count += weight)
    end

    def weigh(by)
      self.class.total += by
      @@count = by if by > @@count
      @@count
    end
  end

  # Shares the class variable of the class above it, not that class's own variables.
  class CountedBelow < Counted
    @total = 100

    def below = @@count += 1
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
    expect { [1].pmap { |x| $VERBOSE = x } }.to raise_error(Ikra::UnsupportedError, /\[unsupported-global\]/)
    expect { [1].pmap { |x| $stdout = x } }.to raise_error(Ikra::UnsupportedError, /\[unsupported-special-global\]/)
    expect do
      [1].pmap do |x|
        $stdin.gets || x
      end
    end.to raise_error(Ikra::UnsupportedError, /\[unsupported-special-global\]/)
    expect { [1].pmap { |x| $~ ? x : 1 } }.to raise_error(Ikra::UnsupportedError, /\[unsupported-special-global\]/)
    rates = [Globals::Rates.new]
    expect { rates.pmap(&:set_unset) }.to raise_error(Ikra::UnsupportedError, /\[uninitialized-class-variable\]/)
    expect { Ikra.section { $ikra_rate = 1 and Ikra.sync { nil } } }
      .to raise_error(Ikra::UnsupportedError, /\[unsupported-sync\]/)
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

each_backend do
  around do |example|
    example.run
  ensure
    Globals::Counted.reset
    $ikra_total = nil
  end

  # What the block gives, and what it leaves, with Ruby's own methods and with parallel ones.
  def expect_same_state
    all = %i[map pmap].map do |map|
      Globals::Counted.reset
      Globals::CountedBelow.total = 100
      $ikra_total = 0
      given = yield map
      [given, $ikra_total, Globals::Counted.state, Globals::CountedBelow.total]
    end
    expect(all[1].inspect).to eq(all[0].inspect)
  end

  numbers = [3, 1, 4, 1, 5]

  it "assigns global variables" do
    expect_same_state { |map| numbers.public_send(map) { |x| $ikra_total += x } }
    expect_same_state { |map| numbers.public_send(map) { |x| $ikra_total += x * 0.1 } }
    expect_same_state { |map| numbers.public_send(map) { |x| $ikra_total = x if x > $ikra_total } }
    expect_same_state { |map| numbers.public_send(map) { |x| ($ikra_total, rest = x, 2) && rest } } # rubocop:disable Style/ParallelAssignment
  end

  it "assigns class variables and those of classes" do
    expect_same_state { |map| numbers.public_send(map) { |x| Globals::Counted.new(x).number } }
    expect_same_state { |map| numbers.public_send(map) { |_x| Globals::Counted.next_id } }
    objects = [Globals::Counted.new, Globals::CountedBelow.new, Globals::Counted.new]
    expect_same_state { |map| objects.public_send(map) { |o| o.weigh(o.number) } }
    below = [Globals::CountedBelow.new, Globals::CountedBelow.new]
    expect_same_state { |map| below.public_send(map) { |o| [o.below, o.weigh(1), Globals::Counted.count] } }
    expect_same_state { |map| numbers.public_send(map) { |x| Globals::Counted.total -= x } }
  end

  it "assigns them in the code around parallel calls, too" do
    given = Ikra.section do
      $ikra_total = 2
      counts = numbers.pmap { |x| $ikra_total + x }
      numbers.peach { |x| $ikra_total += x }
      Globals::Counted.total = $ikra_total
      [counts, $ikra_total]
    end
    expect(given).to eq([[5, 3, 6, 3, 7], 16])
    expect([$ikra_total, Globals::Counted.total]).to eq([16, 16])
  end

  it "leaves them as they were where an element fails" do
    $ikra_total = 1
    expect do
      numbers.peach do |x|
        $ikra_total += 1
        Globals::Counted.total += 1
        raise "no" if x == 4
      end
    end.to raise_error("no")
    expect([$ikra_total, Globals::Counted.total]).to eq(Ikra.backend == :ruby ? [4, 3] : [1, 0])
  end
end
# rubocop:enable Style/GlobalVars, Style/ClassVars, Style/SpecialGlobalVars

# frozen_string_literal: true

require "set"

# Collections of all kinds: what each operation gives, and what the block gets, is compared with Ruby's own method on
# the same collection.
module Bases
  Point = Struct.new(:x, :y)
  Car = Struct.new(:speed, :seen)

  # Goes through what it holds by `yield`.
  class Fleet
    include Enumerable

    attr_reader :times

    def initialize(*rows)
      @rows = rows
      @times = 0
    end

    def each
      return to_enum unless block_given?

      @times += 1
      @rows.each { |row| yield(*row) }
      :gone
    end
  end

  # Has an `each` and a `select` of its own.
  class Odd < Hash
    def each
      yield 1
      yield 3
      self
    end
  end

  # Yields two values, and does with what the block gives what its block says.
  class Asking
    include Enumerable

    attr_accessor :left, :seen, :items

    def initialize
      @left = 2
      @seen = 0
      @items = [1, 2]
    end
  end

  class Adding < Asking
    def each
      a = yield 1
      b = yield 2
      a + b
    end
  end

  class Ending < Asking
    def each
      yield 1
      yield 2
    end
  end

  class Stopping < Asking
    def each
      return self if yield 1

      yield 2
      self
    end
  end

  # Hands its block on to a method that is not known.
  class Handing < Asking
    def each(&block) = walk(&block)
    def walk = yield(1)
  end

  class Rescuing < Asking
    def each(&block)
      walk(&block)
      self
    end

    def walk
      yield(1) + 1
    rescue StandardError
      nil
    end
  end

  class Holding < Asking
    def each(&block) = items.each(&block)
  end

  SEQUENTIAL = { peach: :each, pmap: :map, pselect: :select }.freeze

  # Collections of numbers, or of pairs of such.
  COLLECTIONS = {
    "a Range" => -> { 0...7 },
    "a Range that begins elsewhere" => -> { -3..4 },
    "a Range with a Float at its end" => -> { 1..4.5 },
    "a Range with a Float left out" => -> { 1...4.0 },
    "an empty Range" => -> { 3..1 },
    "steps" => -> { (1..20).step(4) },
    "steps down" => -> { 20.step(1, -3) },
    "steps by %" => -> { (0...10) % 3 },
    "steps of Floats" => -> { (0.0..2.0).step(0.5) },
    "large Integers" => -> { (2**62)..((2**62) + 3) },
    "the ends of 64 bits" => -> { (-(2**63)..((2**63) - 1)).step((2**62) + 5) },
    "a Hash" => -> { { a: 1, b: -2, c: 3 } },
    "a Hash of numbers" => -> { { 1 => 2.5, 2 => 3.5 } },
    "a Hash with nil" => -> { { a: nil, nil => 1 } },
    "an empty Hash" => -> { {} },
    "a frozen Hash" => -> { { a: 1 }.freeze },
    "a Hash that compares by identity" => -> { { a: 1, b: 2 }.compare_by_identity },
    "a Hash with a default" => -> { Hash.new(5).merge!(a: 1) },
    "a Set" => -> { Set[3, 1, 2] },
    "an empty Set" => -> { Set[] },
    "a Struct" => -> { Point.new(3, 4.5) },
    "an Enumerator of an Array" => -> { [3, 4].each },
    "each_with_index" => -> { [5, 6, 7].each_with_index },
    "each_with_index of Floats" => -> { [5.5, 6.5].each_with_index },
    "each_with_index of a Range" => -> { (5..7).each_with_index },
    "each_with_index of a Hash" => -> { { a: 1, b: 2 }.each_with_index },
    "each_with_index of slices" => -> { [1, 2, 3].each_slice(2).each_with_index },
    "with_index" => -> { [5, 6].each.with_index(1) },
    "with_index of slices" => -> { (1..5).each_slice(2).with_index(10) },
    "with_index of with_index" => -> { [5, 6].each.with_index(1).with_index },
    "map.with_index" => -> { [5, 6].map.with_index },
    "each_slice" => -> { [1, 2, 3, 4].each_slice(2) },
    "each_slice with a rest" => -> { [1, 2, 3].each_slice(2) },
    "each_cons" => -> { (1..4).each_cons(2) },
    "times" => -> { 4.times },
    "no times" => -> { -4.times },
    "upto" => -> { 3.upto(6) },
    "downto" => -> { 6.downto(3) },
    "each_entry" => -> { [1, 2].each_entry },
    "each_index" => -> { [5, 6].each_index },
    "reverse_each" => -> { [5, 6].reverse_each },
    "cycle" => -> { [5, 6].cycle(2) },
    "combination" => -> { [1, 2, 3].combination(2) },
    "each_pair" => -> { { a: 1, b: 2 }.each_pair },
    "each_pair of a Struct" => -> { Point.new(1, 2).each_pair },
    "each_value" => -> { { a: 1, b: 2 }.each_value },
    "a chain" => -> { [1].each + [2, 3] },
    "an Enumerator of your own" => -> { Enumerator.new { |y| y << 1 << 2 } },
    "an Enumerator that yields two" => -> { Enumerator.new { |y| y.yield(1, 2); y.yield(3, 4); :done } },
    "what includes Enumerable" => -> { Fleet.new([1], [2]) },
    "what yields two" => -> { Fleet.new([1, 2], [3, 4]) },
    "what yields three" => -> { Fleet.new([1, 2.5, :a], [3, 4.5, :b]) },
    "what yields nothing" => -> { Fleet.new([], []) },
    "what yields arrays" => -> { Fleet.new([[1, 2]], [[3, 4]]) },
    "an Enumerator of what yields two" => -> { Fleet.new([1, 2], [3, 4]).each },
    "each_with_index of what yields two" => -> { Fleet.new([1, 2], [3, 4]).each_with_index },
    "an Array" => -> { [1, 2, 3] },
    "an Array of arrays" => -> { [[1, 2], [3, 4]] },
    "pairs" => -> { [1, 2].zip([3, 4]) },
    "a Hash with another each" => -> { Odd.new.merge!(a: 1) }
  }.freeze

  # Blocks with parameters of all forms; what they give tells what they got.
  BLOCKS = {
    "one parameter" => proc { |x| x },
    "two" => proc { |x, y| [x, y] },
    "three" => proc { |x, y, z| [x, y, z] },
    "one and a comma" => proc { |x,| x },
    "a splat" => proc { |*all| all.size },
    "one and a splat" => proc { |x, *rest| [x, rest.size] },
    "an optional one" => proc { |x, y = :none| [x, y] },
    "one in parentheses" => proc { |(x, y), z| [x, y, z] },
    "a number" => proc { _1 },
    "two numbers" => proc { [_1, _2] },
    "none" => proc { 5 },
    "&:hash" => :nil?.to_proc,
    "a lambda of one" => ->(x) { x },
    "a lambda of two" => ->(x, y) { [x, y] },
    "a lambda of one or two" => ->(x, y = :none) { [x, y] },
    "a lambda of two and more" => ->(x, y, z = 1) { [x, y, z] },
    "a lambda with a splat" => ->(*all) { all.size }
  }.freeze

  # Those that Ikra does not take: an array of unknown length is spread over optional parameters, `peach` goes through
  # `map`, or a method is called on nothing.
  def self.refused?(error) = error.message.match?(/\[(unsupported-splat|enumerator-answers|mixed-yield)\]/)
end

each_backend do
  def told
    yield
  rescue StandardError => e
    raise if e.is_a?(Ikra::Error)

    [:raised, e.class, e.message.sub(/\n\n.*\n *\^+/, "")]
  end

  Bases::COLLECTIONS.each do |name, make|
    it "goes through #{name} as Ruby does" do
      Bases::BLOCKS.each do |form, block|
        Bases::SEQUENTIAL.each do |operation, sequential|
          left = make.call
          right = make.call
          expected = told { left.public_send(sequential, &block) }
          actual = told { right.public_send(operation, &block) }
          (expected, actual) = [[expected, left], [actual, right]].map { |given, of| given.equal?(of) ? :self : given }
          expect([actual.class, actual.inspect.gsub(/0x\h+/, "")])
            .to eq([expected.class, expected.inspect.gsub(/0x\h+/, "")]), <<~TEXT
              #{operation} with #{form}: Ruby gives #{expected.inspect}, Ikra #{actual.inspect}
            TEXT
        rescue Ikra::UnsupportedError => e
          raise unless Bases.refused?(e)
        end
      end
    end
  end
end

RSpec.describe "What an Enumerator goes through" do
  it "is known on each Ruby" do
    native = Ikra.const_get(:Native)
    expect(native.enumerator([1, 2].each_slice(2))).to eq([[1, 2], :each_slice, [2]])
    expect(native.enumerator(5.times)).to eq([5, :times, []])
    expect(native.enumerator(Enumerator.allocate)).to be_nil
    expect(native.enumerator((1..3).lazy)).to be_nil
    expect(native.enumerator([1])).to be_nil
  end
end

each_compiling_backend do |backend|
  def cars(*speeds) = speeds.map { |speed| Bases::Car.new(speed, 0) }

  it "gives from ptimes what times gives" do
    total = 0
    expect(10.ptimes { |i| total += i }).to eq(10)
    expect(total).to eq(45)
    expect(-3.ptimes { |i| total += i }).to eq(-3)
    squares = [0] * 5
    squares.size.ptimes { |i| squares[i] = i * i }
    expect(squares).to eq([0, 1, 4, 9, 16])
  end

  it "makes no Array of a Range" do
    before = GC.stat(:total_allocated_objects)
    sum = 0
    (1..100_000).peach { |i| sum += i }
    expect(sum).to eq(5_000_050_000)
    expect((0...1_000_000).pselect { |i| i % 300_000 == 7 }).to eq([7, 300_007, 600_007, 900_007])
    expect(GC.stat(:total_allocated_objects) - before).to be < 50_000
    expect(Ikra.explain(0...5, :pmap) { |i| i + 1 }.text).to include("Integer (the index)")
  end

  it "keeps the columns of pairs apart" do
    prices = { apple: 3, pear: 4 }
    text = Ikra.explain(prices, :pmap) { |name, price| name == :pear ? price : 1 }.text
    expect(text).to include("value 0 of each element: Symbol (read)", "value 1 of each element: Integer (read)")
    expect(text).not_to include("tag")
  end

  it "reads no column that the block has no use for" do
    names = { "one" => 1, 2**70 => 2 }
    expect(names.pmap { |_, number| number + 1 }).to eq([2, 3])
    expect(names.pmap { |name| 1 }).to eq([1, 1])
    expect(names.pselect { |name, number| number > 1 }).to eq({ 2**70 => 2 })
    expect(names.pmap(&->(name, number) { number })).to eq([1, 2])
    expect([2**70, 1, nil].pmap { 5 }).to eq([5, 5, 5])
    expect([2**70, 1].each_with_index.pmap { |x, i| i }).to eq([0, 1])
    expect([2**70, 1].each_with_index.pselect { |x, i| i < 1 }).to eq([[2**70, 0]])
    expect(Ikra.explain(names, :pmap) { |_, number| number }.text).to include("value 0 of each element: not read")
  end

  it "runs elements that are the same object in order" do
    car, other = cars(1, 2)
    [car, car, other, car].each_with_index.peach { |c, i| c.seen = (c.seen * 10) + i }
    expect([car.seen, other.seen]).to eq([13, 2])
    { a: car, b: other, c: car }.peach { |_, c| c.seen += 1 }
    expect([car.seen, other.seen]).to eq([15, 3])
    [[car, other], [other, car], [car, car]].each { |row| row.each.with_index(1).peach { |c, i| c.speed = i } }
    expect([car.speed, other.speed]).to eq([2, 1])
  end

  it "sees elements that conflict" do
    one, two, three = cars(1, 2, 3)
    keys = { one => two, two => three, three => one }
    # It is told once, whichever back-end it is.
    told = backend == :cpu ? /peach runs its elements in order/ : /\A(.*peach runs its elements in order|\z)/
    expect { keys.peach { |a, b| a.speed += b.speed } }.to output(told).to_stderr
    expect([one, two, three].map(&:speed)).to eq([3, 5, 6])
    Ikra.conflicts = :raise
    marks = [0, 0]
    expect { (0...4).peach { |i| marks[i / 2] = marks[0] + marks[1] + i } }
      .to raise_error(Ikra::ConflictError) { |error| expect(error.elements).to all(be_between(0, 3)) }
    expect(marks).to eq([0, 0])
  ensure
    Ikra.conflicts = :in_order
  end

  it "changes all or nothing" do
    list = cars(1, 2, 0)
    expect { list.each_with_index.peach { |c, i| c.seen = 10 / c.speed } }
      .to raise_error(ZeroDivisionError) { |error| expect([error.element_index, error.tick]).to eq([2, 0]) }
    expect { { a: list[0], b: list[2] }.peach { |_, c| c.seen = 10 / c.speed } }.to raise_error(ZeroDivisionError)
    expect { (0..2).peach { |i| list[i].seen = 10 / (2 - i) } }.to raise_error(ZeroDivisionError)
    expect(list.map(&:seen)).to eq([0, 0, 0])
  end

  it "goes through all ticks" do
    list = cars(1, 2)
    expect(list.each_with_index.peach(3) { |c, i| c.seen += i + 1 }).to equal(list)
    expect(list.map(&:seen)).to eq([3, 6])
    sum = 0
    expect((1..3).peach(2) { |i| sum += i }).to eq(1..3)
    expect(sum).to eq(12)
    expect(10.times.peach(0) { |i| sum += i }).to be_an(Enumerator)
  end

  it "calls the `each` of others once" do
    fleet = Bases::Fleet.new(*cars(1, 2).zip)
    expect(fleet.peach(4) { |car| car.seen += car.speed }).to eq(:gone)
    expect(fleet.times).to eq(1)
    expect(fleet.map(&:seen)).to eq([4, 8])
    expect { Bases::Fleet.new([1], [1, 2]).pmap { |x| x } }.to raise_error(Ikra::UnsupportedError, /\[mixed-yield\]/)
    expect(Bases::Fleet.new([1], [1, 2]).pselect { |x, y| y }).to eq([[1, 2]])
  end

  it "lets what an `each` raises through" do
    broken = Enumerator.new { raise KeyError, "gone" }
    expect { broken.pmap { |x| x } }.to raise_error(KeyError, "gone")
    expect { Enumerator.new { throw :out }.pmap { |x| x } }.to throw_symbol(:out)
  end

  it "refuses what has no end" do
    endless = [1.., (1..Float::INFINITY), 1.step, "a".., [1].cycle, loop, (1..).step(2), (1..) % 2]
    endless.each do |base|
      expect { base.pmap { |x| x } }.to raise_error(RangeError, /has no end/)
    end
    expect { (1..3).lazy.pmap { |x| x } }.to raise_error(Ikra::UnsupportedError, /\[lazy-base\]/)
  end

  it "fails as Ruby does where there is nothing to go through" do
    [..1, 1.0..2.0].each do |base|
      expect { base.pmap { |x| x } }.to raise_error(TypeError, said { base.each { nil } })
    end
    expect { Enumerator.allocate.pmap { |x| x } }.to raise_error(ArgumentError, "uninitialized enumerator")
  end

  def said
    yield
  rescue TypeError => e
    e.message
  end

  it "tells Integers that are too large, and too many of them" do
    expect { ((2**63) - 2..(2**63) + 5).pmap { |x| x } }.to raise_error(Ikra::OverflowError, /\Aelement 2 /)
    expect { (2**70..(2**70) + 5).pmap { |x| x } }.to raise_error(Ikra::OverflowError, /\Aelement 0 /)
    expect { (0..2**31).pmap { |x| x } }.to raise_error(Ikra::Error, /at most 2147483647 elements, and these are 2147483649/)
    expect((2**70...2**70).pmap { |x| x }).to eq([])
  end

  it "refuses to change what it goes through" do
    list = [1, 2, 3, 4]
    point = Bases::Point.new(1, 2)
    expect { list.each_with_index.peach { |x, i| list[i] = x + 1 } }
      .to raise_error(Ikra::UnsupportedError, /may change the array that it is called on \[changing-base\]/)
    expect { list.each_slice(2).peach { |pair| list[0] = pair[0] } }
      .to raise_error(Ikra::UnsupportedError, /\[changing-base\]/)
    expect { point.peach { |x| point.x = x + 1 } }
      .to raise_error(Ikra::UnsupportedError, /may change the object that it is called on \[changing-base\]/)
    expect { list.map.with_index.peach { |x, i| x + i } }.to raise_error(Ikra::UnsupportedError, /\[enumerator-answers\]/)
    expect([list, point.to_a]).to eq([[1, 2, 3, 4], [1, 2]])
  end

  it "gives what the block gives where an each of one's own does, and refuses others that use it" do
    expect(Bases::Ending.new.peach { |x| x * 10 }).to eq(20)
    expect(Bases::Handing.new.peach { |x| x * 10 }).to eq(10)
    expect(Bases::Ending.new.each_with_index.peach { |x, i| x + i }).to be_a(Bases::Ending)
    expect(Bases::Ending.new.pmap { |x| x * 10 }).to eq([10, 20])
    [Bases::Adding, Bases::Stopping, Bases::Rescuing].each do |type|
      [type.new, type.new.each_with_index, type.new.to_enum].each do |base|
        expect { base.peach { |x| x * 10 } }.to raise_error(Ikra::UnsupportedError, /\[each-answers\]/)
      end
    end
    expect { Bases::Ending.new.peach(2) { |x| x * 10 } }.to raise_error(Ikra::UnsupportedError, /\[each-answers\]/)
    # Enumerable#map gives `each` nil.
    expect { Bases::Adding.new.pmap { |x| x * 10 } }.to raise_error(NoMethodError)
  end

  it "refuses to change what an each of one's own reads" do
    holding = Bases::Holding.new
    expect { Bases::Ending.new.then { |list| list.peach { list.left -= 1 } } }.not_to raise_error
    expect { holding.peach { |x| holding.items[0] = x } }
      .to raise_error(Ikra::UnsupportedError, /may change the array that it is called on \[changing-base\]/)
    holding.peach { |x| holding.seen += x }
    expect([holding.seen, holding.items]).to eq([3, [1, 2]])
    list = Class.new(Bases::Asking) { def each = (yield(1) if @left > 1) || self }.new
    expect { list.pmap { |x| list.left -= x } }
      .to raise_error(Ikra::UnsupportedError, /may change @left, which the `each` of what it is called on reads \[changing-base\]/)
    expect(list.left).to eq(2)
  end

  it "writes into items that were made for it" do
    list = [1, 2, 3, 4]
    slices = list.each_slice(2).peach { |pair| pair[0] = 9 }
    expect(slices).to eq(list.each_slice(2).each { |pair| pair[0] = 9 })
    expect(list).to eq([1, 2, 3, 4])
    # Ruby would make others in the second tick.
    expect { list.each_slice(2).peach(2) { |pair| pair[0] += 1 } }
      .to raise_error(Ikra::UnsupportedError, /made anew for each tick \[changing-base\]/)
    pairs = [[1, 2], [3, 4]]
    pairs.each_with_index.peach(2) { |pair, i| pair[0] += i }
    expect(pairs).to eq([[1, 2], [5, 4]])
  end

  it "compiles a version for each kind of base, and finds it again" do
    twice = ->(base) { base.pmap { |x| x * 2 } }
    bases = [[1, 2], 0..2, 5..6, [1.5], (5..9).step(2), 2.times, (2**40)..(2**40) + 1, { 1 => 2 }.each_key, 0...0]
    2.times do
      bases.each { |base| expect(twice[base]).to eq(base.map { |x| x * 2 }) }
    end
    profile = Ikra.profile { bases.each { |base| twice[base] } }
    expect(profile[:compile]).to eq(0)
  end

  it "runs in plain Ruby what was gone through already" do
    Ikra.fallback = :ruby
    reader, writer = IO.pipe
    writer << "one\nthree\n"
    writer.close
    sizes = nil
    expect { sizes = reader.each_line.pmap { |line| line.hash && line.size } }.to output(/pmap runs in plain Ruby/).to_stderr
    expect(sizes).to eq([4, 6])
    lazy = nil
    expect { lazy = (1..3).lazy.pmap { |x| x + 1 } }.to output(/lazy-base/).to_stderr
    expect(lazy.to_a).to eq([2, 3, 4])
  ensure
    Ikra.fallback = :raise
  end

  it "gives the very same objects" do
    list = cars(1, 2, 3)
    expect(Set.new(list.each(&:freeze)).pselect { |car| car.speed > 1 }.map(&:object_id)).to eq(list[1..].map(&:object_id))
    selected = { a: list[0], b: list[1] }.pselect { |_, car| car.speed > 1 }
    expect(selected[:b]).to equal(list[1])
    expect(list.each_with_index.pselect { |car, i| i > 1 }.dig(0, 0)).to equal(list[2])
  end

  it "has lambdas, self and accumulators as for an Array" do
    factor = 3
    triple = ->(x) { x * factor }
    expect((1..4).pmap { |x| triple.(x) }).to eq([3, 6, 9, 12])
    expect((1..4).pmap(&triple)).to eq([3, 6, 9, 12])
    best = nil
    { a: 2, b: 5, c: 1 }.peach { |name, x| best = name if x > 4 }
    expect(best).to eq(:b)
    expect(ENV.pmap { |name, value| 1 }.sum).to eq(ENV.size)
    expect(ENV.pselect { |name, value| true }).to eq(ENV.to_h)
    expect((1..4).pmap { rand(10) }.size).to eq(4)
  end
end

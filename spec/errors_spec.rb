# frozen_string_literal: true

# What a block raises is what sequential Ruby raises first, from the user's line; and whatever is raised in parallel, no
# object has changed.
each_backend do |backend|
  let(:points) { [World::Point.new(1.0), World::Point.new(2.0), World::Point.new(3.0)] }

  # The exception of the block, after a look at the objects: plain Ruby may have changed some before it raised.
  define_method(:failure_of) do |objects, &section|
    before = snapshot(objects)
    error = raised(&section)
    expect(snapshot(objects)).to eq(before) unless backend == :ruby
    error
  end

  it "does nothing for an empty base" do
    expect([].peach { |x| x.foo }).to eq([])
    expect([].pmap { |x| x.foo }).to eq([])
    expect([].pselect { |x| x.foo }).to eq([])
  end

  it "runs a base of one element" do
    one = [World::Point.new(1.5)]
    expect(one.peach { |point| point.x *= 2 }).to equal(one)
    expect(one[0].x).to eq(3.0)
  end

  it "raises FrozenError for a frozen receiver" do
    points[1].freeze
    error = failure_of(points) { points.peach { |point| point.x += 1.0 } }
    expect(error).to be_a(FrozenError)
    expect(error.message).to start_with("can't modify frozen World::Point: #<World::Point")
    expect(error.receiver).to equal(points[1])
  end

  it "lets frozen objects be read" do
    points.each(&:freeze)
    expect(points.pmap { |point| point.x + 1 }).to eq([2.0, 3.0, 4.0])
  end

  it "raises NoMethodError at the user's line" do
    error = failure_of(points) { points.peach { |point| point.fly } }
    expect(error).to be_a(NoMethodError)
    expect(error.message).to match(/\Aundefined method .fly. for /)
    expect(error.name).to eq(:fly)
    expect(error.receiver).to equal(points[0])
    expect(error.backtrace.first).to start_with("#{__FILE__}:#{__LINE__ - 5}:")
  end

  it "raises NoMethodError for a private method" do
    error = failure_of([1, 2]) { [1, 2].pmap { |n| n.puts } }
    expect(error).to be_a(NoMethodError)
    expect(error.message).to match(/\Aprivate method .puts. called for /)
  end

  it "names the method of the user that failed and its callers" do
    points[2].x = nil
    error = failure_of(points) { points.peach { |point| point.shift(1.0) } }
    expect(error).to be_a(NoMethodError)
    expect(error.message).to match(/\Aundefined method .\+. for nil/)
    world = World::Point.instance_method(:shift).source_location
    expect(error.backtrace[0]).to match(/\A#{Regexp.escape(world[0])}:#{world[1] + 1}:in .*shift/)
    expect(error.backtrace[1]).to start_with("#{__FILE__}:#{__LINE__ - 5}:in ")
  end

  it "raises ZeroDivisionError" do
    error = failure_of([4, 2, 0]) { [4, 2, 0].pmap { |n| 8 / n } }
    expect(error).to be_a(ZeroDivisionError)
    expect(error.message).to eq("divided by 0")
  end

  it "raises TypeError where a number is needed and nil is there" do
    points[1].x = nil
    error = failure_of(points) { points.peach { |point| point.y = 1.0 + point.x } }
    expect(error).to be_a(TypeError)
    expect(error.message).to eq("nil can't be coerced into Float")
  end

  it "raises FloatDomainError" do
    error = failure_of([1.5]) { [1.5, Float::NAN].pmap { |f| f.to_i } }
    expect(error).to be_a(FloatDomainError)
    expect(error.message).to eq("NaN")
  end

  it "raises what the block raises" do
    error = failure_of(points) { points.peach { |point| raise ArgumentError, "too far" if (point.x += 1) > 3 } }
    expect(error).to be_a(ArgumentError)
    expect(error.message).to eq("too far")
  end

  it "raises with the class's name where there is no message" do
    error = failure_of([1]) { [1].peach { |_| raise KeyError } }
    expect(error).to be_a(KeyError)
    expect(error.message).to eq("KeyError")
  end

  it "raises SystemStackError for recursion without an end" do
    error = failure_of([3]) { [3].pmap { |n| Deep.er(n) } }
    expect(error).to be_a(SystemStackError)
  end

  it "leaves the objects alone when a later tick fails" do
    counters = [World::Point.new(3), World::Point.new(5)]
    error = failure_of(counters) { counters.peach(10) { |point| point.y += 10 / (point.x -= 1) } }
    expect(error).to be_a(ZeroDivisionError)
  end
end

# Recursion without an end.
module Deep
  def self.er(n)
    1 + er(n + 1)
  end

  def self.named(n)
    n.methods
  end
end

each_compiling_backend do
  it "says which element and tick failed" do
    counters = [World::Point.new(7), World::Point.new(3), World::Point.new(5)]
    error = raised { counters.peach(10) { |point| 10 / (point.x -= 1) } }
    expect(error).to be_a(Ikra::ElementError)
    expect([error.element_index, error.tick]).to eq([1, 2])
  end

  it "raises OverflowError where an Integer has more bits than there is room for" do
    big = [World::Point.new(1), World::Point.new(2**62)]
    error = raised { big.peach { |point| point.x <<= point.x } }
    expect(error).to be_a(Ikra::OverflowError)
    expect(error).to be_a(RangeError)
    expect(error.message).to include("`<<'").and include("element 1")
    expect(error.backtrace.first).to start_with("#{__FILE__}:#{__LINE__ - 4}:")
    expect(big.map(&:x)).to eq([1, 2**62])
  end

  it "refuses a range that ends beyond 64 bits, naming where it is" do
    range = 1..(2**63)
    expect { [1].pmap { |n| range.include?(n) } }
      .to raise_error(Ikra::OverflowError, /\Athe local variable `range` holds an Integer beyond 64 bits\n  hint: /)
  end

  it "keeps Integers of exactly 64 bits" do
    ends = [(2**63) - 1, -(2**63), 2**62, -(2**62) - 1]
    expect(ends.pmap { |n| n }).to eq(ends)
  end

  it "raises FrozenError for an array" do
    nodes = [World::Node.new(1, [1, 2].freeze)]
    error = raised { nodes.peach { |node| node.links[0] = 5 } }
    expect(error).to be_a(FrozenError)
    expect(error.message).to eq("can't modify frozen Array: [1, 2]")
  end

  it "raises IndexError for a write before the beginning" do
    nodes = [World::Node.new(1, [1, 2, 3])]
    error = raised { nodes.peach { |node| node.links[-5] = 5 } }
    expect(error).to be_a(IndexError)
    expect(error.message).to eq("index -5 too small for array; minimum: -3")
  end

  it "refuses what cannot be compiled, with place and hint" do
    error = raised { [1].pmap { |n| n.methods } }
    expect(error).to be_a(Ikra::UnsupportedError)
    expect(error.message).to start_with("#{__FILE__}:#{__LINE__ - 2}: ")
  end

  it "names the call in the block where a method cannot be compiled" do
    error = raised { [1, 2].pmap { |n| Deep.named(n) } }
    place = Deep.method(:named).source_location
    expect(error.message).to start_with("#{place[0]}:#{place[1] + 1}: ")
    expect(error.message).to include("  called at #{__FILE__}:#{__LINE__ - 3}:\n").and include("Deep.named(n) } }")
  end

  it "hints at what to write instead" do
    {
      -> { [1].pmap { |n| gets if n } } => /`gets` .*before or after it/m,
      -> { [World::Point.new(1)].peach { |point| point.x = 1..2 } } => /store its ends/,
      -> { [1].pmap { |n| [n].chain([2]).first } } => /go through the items with a loop/
    }.each do |section, hint|
      expect(&section).to raise_error(Ikra::UnsupportedError, hint)
    end
  end

  it "refuses a block that writes into its own base" do
    skip "the mode has a frame of its own" if GCModes.chosen
    numbers = [1, 2, 3]
    error = raised { numbers.peach { |n| numbers[n - 1] = n } }
    expect(error).to be_a(Ikra::UnsupportedError)
    expect(error.message).to start_with("#{__FILE__}:#{__LINE__ - 2}: ").and include("changing-base")
    expect(error.cause).to be_nil
  end

  it "does not leave Ikra's own frames in the backtrace" do
    skip "the mode has a frame of its own" if GCModes.chosen
    error = raised { [0].pmap { |n| 1 / n } }
    expect(error.backtrace.grep(%r{lib/ikra})).to be_empty
    expect(error.backtrace[0]).to start_with("#{__FILE__}:#{__LINE__ - 2}:in ")
    expect(error.backtrace[1]).to start_with("#{__FILE__}:#{__LINE__ - 3}:in ")
  end
end

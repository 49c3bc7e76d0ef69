# frozen_string_literal: true

# What `to_s`, `inspect` and `join` give of what is no String.
module Inspecting
  Point = Struct.new(:x, :y)
  None = Struct.new(:a) { def to_s = "none of #{a}" }
  # Says itself what it is.
  class Named
    def initialize(name) = @name = name
    def to_s = "named #{@name}"
    def inspect = "<#{@name}>"
  end
end

each_backend do
  # The encodings of Strings, too.
  def expect_same_texts(values, &block)
    expect_same(values, &block)
    told = ->(results) { results.flatten.grep(String).map(&:encoding) }
    expect(told.(values.pmap(&block))).to eq(told.(values.map(&block)))
  end

  let(:floats) do
    random = Random.new(3)
    [0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3.0, 2 / 3.0, 100.0, 1e14, 1e15, 1e16, 1e22, 1e23, 1e100, 1e-4, 1e-5, 123e-7, 5e-324,
     2.2250738585072014e-308, Float::MAX, Float::NAN, Float::INFINITY, -Float::INFINITY, 9_007_199_254_740_993.0,
     4_503_599_627_370_497.5, 3_128_166_730_100_831.5, 2.0**70, 2.0**-44, 12.34, 1234.5678] +
      Array.new(60) { [random.rand(2**64)].pack("Q").unpack1("D") } + Array.new(60) { random.rand } +
      Array.new(60) { random.rand(10**7) / 100.0 }
  end

  it "writes Floats with as few digits as they need" do
    expect_same_texts(floats) { |x| [x.to_s, x.inspect, "#{x}"] }
  end

  it "gives the even one of two texts that are as near" do
    r = Random.new(7)
    halves = Array.new(500) { (r.rand(2**50) / 8.0) + (2**49) } + [900_719_925_474_099.25, -900_719_925_474_099.75]
    others = Array.new(500) { r.rand((2**52)...(2**53)).to_f * (2.0**r.rand(-12..12)) }
    expect_same_texts(halves + others) { |x| [x.to_s, "#{x}|"] }
  end

  it "joins arrays" do
    expect_same_texts([1, 2]) { |x| [[x, "a", :b, nil, 2.5, "é"].join("-"), [x, x].join, [].join(","), ["é", x].join(" ")] }
    expect_same_texts([%w[a b], ["é", "b"], [], ["x"]]) { |list| [list.join, list.join(", "), list.join("é")] }
    expect_same_texts([[1, 2, 3], [4], []]) { |list| [list.join(";"), list.map { |x| "<#{x}>" }.join] }
    expect_same_texts([1, 2]) { |x| [Inspecting::Named.new(x), Inspecting::None.new(x)].join("+") }
    expect_same([1, :a]) { |x| [1, 2].join(x) }
  end

  it "inspects Symbols" do
    names = %i[a A a? b! c= @a @@b $c _ é + [] []= ! <=> ` $1 $! $-w if nil] +
            [:"a b", :"1a", :"a?=", :"@1", :"", :"a-b", :"?", :"$(", :"b\n"]
    expect_same_texts(names) { |s| [s.inspect, [s].inspect, { s => 1 }.to_s] }
  end

  it "inspects Structs that hold one of the same class" do
    inner = Inspecting::Point.new("a", nil)
    all = [Inspecting::Point.new(inner, 1), inner, Inspecting::Point.new([Inspecting::Point.new(inner, inner)], :b)]
    expect_same_texts(all) { |point| [point.inspect, point.to_s, "#{point}"] }
  end

  it "inspects arrays, Hashes and Structs" do
    expect_same_texts([1, nil, true, :a, :"b c", "é\n", 2.5]) { |x| [x.inspect, [x].inspect, [x, [x, "q"]].to_s, "#{[x, 1]}"] }
    expect_same_texts([[1, 2], [], [nil, true]]) { |list| [list.inspect, list.to_s] }
    expect_same_texts([1, 2]) { |x| [{ x => "a", :b => [x], "c" => nil }.inspect, { d: { x => 1 } }.inspect, {}.to_s] }
    expect_same_texts([{ 1 => 2, a: 3 }, {}]) { |hash| [hash.inspect, hash.to_s] }
    expect_same_texts([1, "é"]) { |x| [Inspecting::Point.new(x, [x]).inspect, Inspecting::Point.new(:a, nil).to_s] }
    expect_same_texts([Inspecting::Point.new(1, 2.5), Inspecting::None.new("x")]) { |one| [one.inspect, one.to_s, "#{one}"] }
    expect_same_texts([1]) { |x| [Inspecting::Named.new(x), x].inspect }
  end

  it "says of an object without an `inspect` of its own what Ruby's shows" do
    next if Ikra.backend == :ruby

    told = /where the object is in memory/
    object = Object.new
    expect { [1].pmap { object.inspect } }.to raise_error(Ikra::UnsupportedError, told)
    expect { [1].pmap { "#{object}" } }.to raise_error(Ikra::UnsupportedError, told)
    expect { [1].peach { p object } }.to raise_error(Ikra::UnsupportedError, told)
  end
end

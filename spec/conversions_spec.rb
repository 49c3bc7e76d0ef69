# frozen_string_literal: true

# Ranges that are no literals, their texts, and Kernel's functions that convert.
module ConversionsSpec
  class Pairs
    def initialize(x) = @x = x
    def to_hash = { x: @x }
  end

  class Plain
    def to_s = "plain"
  end

  class Text
    def to_str = "text"
    def to_s = "not this"
  end

  VALUES = [Plain.new, Text.new].freeze
end

each_backend do
  let(:small) { [1, 2, 3] }

  it "tells ranges as text" do
    expect_same(small) { |x| "1..2 #{x..9} #{x...9} #{(x..).itself} #{(..x).itself}" }
    expect_same(small) { |x| [(x..9).to_s, (x...9).inspect, (x..).inspect, (nil..x).inspect, (nil..nil).inspect] }
    expect_same(small) { |x| [(nil..nil).to_s, (1.5..x).inspect, [1..2, x].inspect, { a: x..2 }.inspect] }
    expect_same(small) { |x| [("a".."c").inspect, ("é"..."ü").to_s, "\"a\"..\"c\"", x.to_s] }
  end

  it "makes Strings of ranges that can be changed, in their encodings" do
    expect_same(small) do |x|
      low = "a"
      range = low.."c"
      [range.to_s << "x", range.inspect << "y", low, (..x).to_s << "x", (x..).inspect << "é"]
    end
    texts = [1].pmap { |x| [(..x).inspect, (x..).inspect, (x..9).to_s, (nil..nil).to_s, ("é".."ü").to_s] }.first
    expect(texts.map(&:encoding)).to eq([(..1).inspect, (1..).inspect, (1..9).to_s, (nil..nil).to_s, ("é".."ü").to_s]
      .map(&:encoding))
  end

  it "makes ranges with new" do
    expect_same(small) { |x| Range.new(x, 5).to_a + Range.new(x, 5, true).to_a + Range.new(x, 5, nil).to_a }
    expect_same(small) { |x| [Range.new(x, nil).first(2), Range.new(nil, x).include?(0), Range.new(nil, nil).inspect] }
    expect_same(small) { |x| [Range.new("a", "c").to_a, Range.new(1.5, 3).include?(x), Range.new(1, 3) == (1..3)] }
    expect_same(small) { |x| [Range.new(x, 5).sum, (Range.new(1, x, true) if x > 1)&.exclude_end?] }
    expect_same(small) { |x| Range.new(x, 5, exclude: true).inspect }
    expect_same(small) { |x| Range.new(x) }
    expect_same(small) { |x| Range.new(x, 2, 3, 4) }
  end

  it "asks a range of Strings for its ends" do
    expect_same(%w[a c d e]) do |x|
      texts = x.."d"
      open = x..."d"
      [texts.begin, texts.end, texts.first, texts.last(2), texts.minmax, open.max, open.min, texts.size, texts == open,
       texts == (x.."d"), texts.eql?(1..2), texts.is_a?(Range), texts.max { |a, b| b <=> a }, open.min(2)]
    end
  end

  it "raises where the ends of a range do not compare" do
    expect_same(small) { |x| Range.new(x, "a") }
    expect_same(small) { |x| x..:a }
    expect_same(small) do |x|
      ("a"..x).size
    rescue ArgumentError => e
      e.message
    end
  end

  it "converts with String" do
    expect_same([nil, 1, :a, "strö", 2.5, true, [1, 2], { a: 1 }, -0.0, [nil, "é"]]) { |x| String(x) }
    expect_same(small) { |x| String(ConversionsSpec::VALUES[x % 2]) + String(ConversionsSpec::Plain.new) }
    expect_same(small) { |x| [String("a".."c"), String(x..3), String(Integer), Kernel.String(x)] }
  end

  it "converts with Hash and Array" do
    expect_same(small) { |x| [Hash(nil), Hash([]), Hash({ x => 1 }), Hash(ConversionsSpec::Pairs.new(x))] }
    expect_same(small) { |x| Hash(x) }
    expect_same(small) { |x| Hash([x]) }
    expect_same([nil, 1, "a", [1, 2], { a: 1 }, 1.5]) { |x| Array(x) }
    expect_same(small) { |x| Array({ a: x }) + Array("a".."c") }
  end
end

# frozen_string_literal: true

# Objects of Struct classes: their members are columns, as instance variables are.
each_backend do
  let(:points) { [StructPoint.new(1, 2.5), StructPoint.new(-3, 0.5), StructPoint.new(4, nil)] }

  it "reads members" do
    expect_same(points) { |p| p.x * 2 }
    expect_same(points) { |p| p.y ? p.x + p.y : -1 }
    expect_same(points) { |p| p.length2 }
    expect_same(points) { |p| p&.x }
    expect_same([nil, *points]) { |p| p&.x }
    expect_same(points) { |p| p.missing }
  end

  it "goes through the members with the methods of Enumerable" do
    values = [StructPoint.new(3, 1), StructPoint.new(1.5, 2)]
    expect_same(values) { |p| [p.sum, p.map { |v| v * 2 }, p.min, p.max, p.minmax, p.sort, p.include?(3), p.first] }
    expect_same(values) { |p| [p.inject(:+), p.count, p.any?(&:zero?), p.first(1), p.zip([1, 2]), p.sum { |v| v * 2 }] }
    expect_same(values) { |p| [p.each_with_index { |v, i| v * i }.y, p.each_slice(1) { |v| v }.y, p.find { |v| v < 2 }] }
    expect_same(values) { |p| [p.each_with_index.map { |v, i| v * i }, p.entries, p.partition { |v| v > 1 }] }
    expect_same(values) { |p| StructPoint.new(p.x, 7).max }
    expect_same([StructPoint.new(1, nil), StructPoint.new(nil, 1)]) { |p| p.max }
    expect_same([StructPoint.new(1, nil), StructPoint.new(nil, 1)]) { |p| p.minmax }
  end

  it "writes members" do
    make = -> { [StructPoint.new(1, 2.5), StructPoint.new(-3, 0.5)] }
    left, right = make.call, make.call
    left.each { |p| p.x += 10; p.move(0.5) }
    right.peach { |p| p.x += 10; p.move(0.5) }
    expect(right).to eq(left)
    right.peach(3) { |p| p.y = p.x > 8 ? :far : nil }
    expect(right.map(&:to_a)).to eq([[10, :far], [6, nil]])
  end

  it "knows subclasses, keywords, references and arrays" do
    family = [StructPoint3.new(1, 2.0), StructPoint.new(5, 1.0)]
    expect_same(family) { |p| p.x + p.weight }
    keyed = [StructKeyed.new(size: 3, next: nil), StructKeyed.new(size: 4)]
    keyed[0].next = keyed[1]
    expect_same(keyed) { |k| k.next ? k.size + k.next.size : k.size }
    expect_same(keyed) { |k| k.twice }
    lists = [StructList.new([1, 2, 3]), StructList.new([4])]
    expect_same(lists) { |l| l.items.sum }
    lists.peach { |l| l.items[0] = l.items.size }
    expect(lists.map(&:items)).to eq([[3, 2, 3], [1]])
  end

  it "has instance variables besides" do
    expect_same([StructTagged.new(1, 2), StructTagged.new(3, 4)]) { |t| t.tag + t.a }
    tagged = [StructTagged.new(1, 2)]
    tagged.peach { |t| t.retag(t.a + 5) }
    expect([tagged[0].tag, tagged[0].to_a]).to eq([6, [1, 2]])
  end

  it "reads by key" do
    expect_same(points) { |p| p[:x] + p[0] }
    expect_same(points) { |p| p[-1] }
    expect_same(points) { |p| p.first_key }
    make = -> { [StructPoint.new(1, 2.5)] }
    left, right = make.call, make.call
    left.each { |p| p[:x] = 9; p[1] += 1.0 }
    right.peach { |p| p[:x] = 9; p[1] += 1.0 }
    expect(right).to eq(left)
  end

  it "reads and writes by what turns out at run time" do
    keys = [:x, "y", 0, -1, 1.9, "x", :y]
    expect_same(points) { |p| keys.map { |key| p[key] } }
    expect_same(points) { |p| p.members.map { |name| p[name] } }
    expect_same(points) { |p| p.members.map { |name| p[name.to_s] } }
    expect_same(points) { |p| p[p.x % 2] }
    expect_same([StructPoint.new([5], 1)]) { |p| [0, :x].map { |key| p.dig(key, 0) } }
    expect_same(points) { |p| [p.dig(3), p.dig(-3, 0), p.dig("z"), p.dig(:z, 1)] }
    expect_same([1, 2]) { |i| keys.each_with_object(StructPoint.new(i, i)) { |key, p| p[key] = key.to_s.size }.to_a }
    left, right = Array.new(2) { [StructPoint.new(1, 2), StructPoint.new(3, 4)] }
    set = ->(p) { %i[x y].each_with_index { |key, i| p[key] += p[i] } }
    left.each(&set)
    right.peach(&set)
    expect(right).to eq(left)
  end

  it "raises what Ruby raises for members that are not there" do
    told = lambda do |&run|
      run.call
    rescue StandardError => e
      [e.class, e.message.lines.first.chomp, e.message.encoding]
    end
    # MRI makes a Fixnum of a number, and of that an `int`.
    large = [2**31, -(2**31) - 1, 2**62, (2**63) - 1, -(2**63), -(2**62) - 1]
    [:z, "z", "é", 2, -3, nil, Object, [1], Float::NAN, *large].each do |key|
      [->(p) { p[key] }, ->(p) { p[key] = 1 }, *(->(p) { p.values_at(0, key) } if key.is_a?(Integer))].each do |block|
        point = StructPoint.new(1, 2)
        expect(told.call { [point].pmap(&block) }).to eq(told.call { block.call(point) })
      end
    end
    expect_same(points) { |p| begin; p[7]; rescue IndexError => e; e.message; end }
    frozen = StructPoint.new(1, 2).freeze
    expect { [frozen].peach { |p| p[p.x] = 3 } }.to raise_error(FrozenError)
  end

  it "has methods for all its members" do
    expect_same(points) { |x| x.to_a }
    expect_same(points) { |x| x.members }
    expect_same(points) { |x| x.each { |v| v }.equal?(x) }
    expect_same(points) { |x| a = []; x.each { |v| a << v }; a }
    expect_same(points) { |x| a = []; x.each_pair { |k, v| a << k; a << v }; a }
    expect_same(points) { |x| a = []; x.each_pair { |k| a << k }; a }
    expect_same(points) { |x| x.select { |v| v.is_a?(Numeric) } }
    expect_same(points) { |x| x.filter { |v| v } }
    expect_same(points) { |x| x.values_at(0) }
    expect_same(points) { |x| x.values_at(-1, 0) }
    expect_same(points) { |x| x.values_at }
    expect_same(points) { |x| x.values_at(2) }
    expect_same(points) { |x| x.values_at(-3) }
    expect_same(points) { |x| x.values_at(0..1) }
    expect_same(points) { |x| x.values_at(0..5) }
    expect_same(points) { |x| x.values_at(x.y.is_a?(Integer) ? 0 : 1) }
    expect_same(points) { |x| x.dig(:x) }
    expect_same(points) { |x| x.dig(0) }
    expect_same(points) { |x| x.dig(1) }
    expect_same(points) { |x| x == x }
    expect_same(points) { |x| x == nil }
    expect_same(points) { |x| x == 3 }
    expect_same(points) { |x| x != x }
    expect_same(points) { |x| x.eql?(x) }
    expect_same(points) { |x| x.size }
    expect_same(points) { |x| Array(x) }
    expect_same(points) { |x| x.deconstruct }
  end

  it "compares member by member" do
    values = [StructPoint.new(1, 2), StructPoint.new(1.0, 2.0), StructPoint3.new(1, 2), nil, 4,
              StructPoint.new(0.0, -0.0), StructPoint.new(-0.0, 0.0)]
    expect_same(values.product(values)) { |x| x[0] == x[1] }
    expect_same(values.product(values)) { |x| x[0].eql?(x[1]) }
    expect_same(values.product(values)) { |x| x[0] != x[1] }
    node = Struct.new(:value, :following)
    nodes = [[1, 2], [1, 2, 3], [1, 2], [1.0, 2]].map { |all| all.reverse.inject(nil) { |rest, v| node.new(v, rest) } }
    expect_same(nodes.product(nodes)) { |x| x[0] == x[1] }
    expect_same(nodes.product(nodes)) { |x| x[0].eql?(x[1]) }
    expect_same(nodes) { |x| x.dig(:following, :value) }
    expect_same(nodes) { |x| x.dig(:following, :following, :value) }
  end

  it "takes itself apart" do
    expect_same(points) { |p| a, b = p.to_a; b ? a + b : a }
    expect_same(points) { |p| p.size }
    expect_same(points) { |p| a, b = *p; b ? a - b : a }
    expect_same(points) { |p| a, b = p; b.nil? ? a.x : 0 }
    expect_same(points) do |p|
      case p
      in [Integer => x, Float => y] then x * y
      in StructPoint[x, nil] then x
      end
    end
  end

  it "overrides accessors" do
    expect_same([StructLoud.new(2)]) { |l| l.a }
    expect_same([StructLoud.new(2)]) { |l| l.second }
    expect_same([StructLoud.new(2)]) { |l| l.hidden }
    expect_same([StructLoud.new(2)]) { |l| l.reveal }
  end

  it "keeps frozen ones" do
    frozen = [StructPoint.new(1, 2.0).freeze]
    expect { frozen.peach { |p| p.x = 5 } }.to raise_error(FrozenError, /StructPoint/)
    mixed = [StructPoint.new(1, 2.0), StructPoint.new(2, 2.0).freeze]
    expect { mixed.peach { |p| p.x += 5 } }.to raise_error(FrozenError)
    expect(mixed.map(&:x)).to eq([Ikra.backend == :ruby ? 6 : 1, 2])
  end
end

each_compiling_backend do
  it "refuses what has a hash" do
    points = [StructPoint.new(1, 2)]
    expect { points.pmap { |p| p.hash } }.to raise_error(Ikra::UnsupportedError, /hint/)
    expect(points.pmap { |p| p.to_h { |k, v| [v, k] } }).to eq(points.map { |p| p.to_h { |k, v| [v, k] } })
  end
end

StructPoint = Struct.new(:x, :y) do
  def length2 = (x * x) + ((y || 0) * (y || 0))
  def weight = 1
  def first_key = self[:x]

  def move(by)
    self.y += by
    self.x -= 1
  end
end

class StructPoint3 < StructPoint
  def weight = 100
end

StructKeyed = Struct.new(:size, :next, keyword_init: true) do
  def twice = size * 2
end

StructList = Struct.new(:items)

class StructTagged < Struct.new(:a, :b)
  attr_reader :tag

  def initialize(a, b)
    super
    @tag = a * b
  end

  def retag(tag) = @tag = tag
end

StructLoud = Struct.new(:a, :hidden) do
  def a = self[:a] + 100
  alias_method :second, :a
  private :hidden
  def reveal = hidden.nil? ? 1 : 2
end

each_compiling_backend do
  it "does not mind what Data is before Ruby 3.2" do
    ours = !Object.const_defined?(:Data)
    Object.const_set(:Data, 5) if ours
    fresh = Struct.new(:a)
    expect([fresh.new(1)].pmap { |s| s.a + 1 }).to eq([2])
  ensure
    Object.send(:remove_const, :Data) if ours
  end
end

# frozen_string_literal: true

# Shapes that data can have: what is found, computed and written back is what sequential Ruby has.
each_backend do |backend|
  # Plain Ruby and the back-end on two copies of the same world; compares all that `look` gives.
  def expect_same_world(make, look, ticks = 1, &block)
    left = make.call
    right = make.call
    ticks.times { left.each(&block) }
    right.peach(ticks, &block)
    expect(look.call(right)).to eq(look.call(left))
  end

  it "follows a list of 200,000 nodes, forwards and in a cycle" do
    nodes = Array.new(200_000) { |i| World::Node.new(i, nil) }
    nodes.each_cons(2) { |a, b| a.links = b }
    walk = lambda do |limit|
      nodes.first(1).pmap do |node|
        steps = 0
        while node && steps < limit
          steps += 1
          node = node.links
        end
        steps
      end
    end
    expect(walk.call(1_000_000)).to eq([200_000])
    nodes.last.links = nodes.first
    expect(walk.call(300_000)).to eq([300_000])
    nodes.first(1).peach { |node| node.links.value = -node.links.links.value }
    expect(nodes[1].value).to eq(-2)
  end

  it "finds one object on several paths as one" do
    shared = World::Point.new(5)
    holders = [World::Node.new(shared, [shared, shared]), World::Node.new(shared, [World::Point.new(6)])]
    same = holders.pmap { |holder| holder.value.equal?(holder.links[0]) && holder.links.first.equal?(holder.value) }
    expect(same).to eq([true, false])
    holders.first(1).peach { |holder| holder.links[1].x = holder.value.x + holder.links[0].x }
    expect(shared.x).to eq(10)
  end

  it "handles one object that stands in the base a thousand times, once after the other" do
    make = lambda do
      point = World::Point.new(1)
      other = World::Point.new(2)
      ([point] * 500) + [other] + ([point] * 500)
    end
    expect_same_world(make, ->(points) { points.map(&:x).uniq }, 2) { |point| point.x = ((point.x * 3) + 1) % 1009 }
  end

  it "keeps arrays that several owners share, and arrays of arrays of objects" do
    make = lambda do
      points = Array.new(6) { |i| World::Point.new(i) }
      rows = [points.first(2), [], points.last(3), [points[0], nil]]
      Array.new(4) { |i| World::Node.new(i, [rows[i], rows[-1], rows[i]]) }
    end
    look = ->(nodes) { nodes.map { |node| node.links.map { |row| row.map { |point| point&.x } } } }
    expect_same_world(make, look) do |node|
      node.links[0].each { |point| point.x += 10 if point && node.value != 3 }
      node.links[0][0] = node.links[2][1] if node.links[0].size == 3
    end
    nodes = make.call
    sizes = nodes.pmap { |node| node.links.sum { |row| row.size } }
    expect(sizes).to eq([6, 2, 8, 6])
    expect(nodes.pmap { |node| node.links[1] }).to all(equal(nodes[0].links[1]))
  end

  it "knows empty arrays and nil among objects" do
    nodes = [World::Node.new(nil, []), World::Node.new(World::Point.new(1), [nil]), World::Node.new(nil, [nil, 4])]
    expect(nodes.pmap { |node| node.links.size }).to eq([0, 1, 2])
    expect(nodes.pmap { |node| node.value&.x }).to eq([nil, 1, nil])
    expect(nodes.pmap { |node| node.links.last }).to eq([nil, nil, 4])
    expect([nil, nil].pmap { |nothing| nothing.nil? }).to eq([true, true])
    expect([[], []].pmap { |array| array.sum }).to eq([0, 0])
  end

  it "leaves variables that only some objects have unset in the others" do
    make = lambda do
      Array.new(40) do |i|
        thing = ShapesThing.new
        thing.instance_variable_set(:@extra, i) if (i % 3).zero?
        thing.instance_variable_set(:@other, i * 1.5) if i.even?
        thing
      end
    end
    look = ->(things) { things.map { |t| t.instance_variables.sort.map { |v| [v, t.instance_variable_get(v)] } } }
    expect_same_world(make, look) { |thing| thing.add_extra }
    expect_same_world(make, look) { |thing| thing.set_when_other }
  end

  it "does not care in which order variables were set" do
    make = lambda do
      Array.new(60) do |i|
        thing = ShapesThing.new
        names = %i[@a @b @c @d @e].rotate(i % 5)
        names.reverse! if i.odd?
        names.each { |name| thing.instance_variable_set(name, i + name.to_s.ord + name[1].ord) }
        thing
      end
    end
    look = ->(things) { things.map { |thing| %i[@a @b @c @d @e].map { |v| thing.instance_variable_get(v) } } }
    expect_same_world(make, look, 3) { |thing| thing.mix }
  end

  it "uses one of hundreds of variables" do
    make = lambda do
      Array.new(50) do |i|
        ShapesWide.new.tap { |wide| 300.times { |v| wide.instance_variable_set(:"@v#{v}", v * i) } }
      end
    end
    look = ->(wides) { wides.map { |wide| wide.instance_variables.map { |v| wide.instance_variable_get(v) } } }
    expect_same_world(make, look) { |wide| wide.touch }
    expect(make.call.pmap { |wide| wide.used }).to eq(Array.new(50) { |i| 250 * i })
  end

  it "computes on Structs that hold objects, arrays and other Structs" do
    make = lambda do
      inner = Array.new(5) { |i| ShapesPair.new(i, [i * 1.0]) }
      Array.new(5) { |i| ShapesPair.new(inner[i - 1], inner) }
    end
    look = ->(pairs) { pairs.map { |pair| [pair.left.to_a, pair.right.map(&:to_a)] } }
    expect_same_world(make, look, 2) do |pair|
      pair.left.left += 1
      pair.left.right[0] += pair.right.size
    end
  end

  it "treats objects with singleton classes as what they are" do
    things = Array.new(4) { |i| World::Point.new(i) }
    things[1].singleton_class
    things[2].define_singleton_method(:unrelated) { 1 }
    things[3].extend(Comparable)
    expect(things.pmap { |thing| thing.x + 1 }).to eq([1, 2, 3, 4])
    things.peach { |thing| thing.x *= 2 }
    expect(things.map(&:x)).to eq([0, 2, 4, 6])
  end

  it "dispatches over subclasses of subclasses" do
    kinds = [ShapesBase, ShapesMiddle, ShapesLeaf, ShapesOtherLeaf]
    make = -> { Array.new(40) { |i| kinds[i * 7 % 4].new(i) } }
    look = ->(all) { all.map { |one| [one.class, one.n, one.instance_variable_get(:@leaf)] } }
    expect_same_world(make, look, 2) { |one| one.step }
    some = make.call.first(8)
    expect(some.pmap { |one| one.is_a?(ShapesMiddle) }).to eq(some.map { |one| one.is_a?(ShapesMiddle) })
  end

  describe "strings that are handed on" do
    let(:a) { +"text" }
    let(:b) { +"text" }

    it "comes back as the same object from everywhere" do
      points = [World::Point.new(a, [b, nil]), World::Point.new(b, [a, a])]
      captured = b
      expect(points.pmap { |point| point.x }.map(&:__id__)).to eq([a, b].map(&:__id__))
      expect(points.pmap { |point| point.y[0] }.map(&:__id__)).to eq([b, a].map(&:__id__))
      expect(points.pmap { |point| point && captured }).to all(equal(b))
      expect([a, b, a].pmap { |text| text }.map(&:__id__)).to eq([a, b, a].map(&:__id__))
      expect([a, nil, 3].pmap { |value| [value, captured] }.map { |pair| pair.map(&:__id__) })
        .to eq([a, nil, 3].map { |value| [value.__id__, b.__id__] })
      expect([a, b].pselect { |text| text.equal?(captured) }.map(&:__id__)).to eq([b.__id__])
    end

    it "is assigned, compared by identity and tested" do
      points = [World::Point.new(a, b), World::Point.new(nil, a)]
      points.peach { |point| point.x, point.y = point.y, point.x }
      expect(points.map { |point| [point.x, point.y].map(&:__id__) })
        .to eq([[b, a], [a, nil]].map { |pair| pair.map(&:__id__) })
      expect(points.pmap { |point| point.x.equal?(point.y) }).to eq([false, false])
      expect(points.pmap { |point| point.y.nil? }).to eq([false, true])
      expect(points.pmap { |point| point.y ? 1 : 0 }).to eq([1, 0])
      expect(points.pmap { |point| point.y.is_a?(String) }).to eq([true, false])
      expect(points.pmap { |point| !point.y }).to eq([false, true])
    end
  end

  next if backend == :ruby

  it "reads Integers beyond 64 bits" do
    make = ->(value) { Array.new(20) { |i| World::Point.new(i, i == 13 ? value : i) } }
    expect(make.call(2**64).pmap { |point| point.y }[13]).to eq(2**64)
    points = make.call(-(2**63) - 1).peach { |point| point.y = 1 if point.y == 2 }
    expect(points.values_at(2, 13).map(&:y)).to eq([1, -(2**63) - 1])
    expect([ShapesPair.new(2**70, 1)].pmap { |pair| pair.left }).to eq([2**70])
    expect([World::Node.new(1, [1, 2**80])].pmap { |node| node.links[1] + node.links[0] }).to eq([(2**80) + 1])
    # What is not looked at may hold anything.
    expect(make.call(2**64).pmap { |point| point.x }).to eq((0...20).to_a)
    expect(make.call(-(2**63)).pmap { |point| point.y }[13]).to eq(-(2**63))
  end
end

ShapesPair = Struct.new(:left, :right)

class ShapesThing
  def add_extra
    @extra = (@extra || 0) + 1 if @other
  end

  def set_when_other
    @fresh = @extra if @other && @extra
  end

  def mix
    @a, @b, @c, @d, @e = @b, @c + 1, @d, @e, @a - 1
  end
end

class ShapesWide
  def used = @v250
  def touch = @v299 = @v298 + 1
end

class ShapesBase
  attr_reader :n

  def initialize(n) = @n = n
  def step = @n += weight
  def weight = 1
end

class ShapesMiddle < ShapesBase
  def weight = super + 10
end

class ShapesLeaf < ShapesMiddle
  def weight = super + 100

  def step
    @leaf = @n
    super
  end
end

class ShapesOtherLeaf < ShapesMiddle
  def step = @n -= weight
end

# frozen_string_literal: true

# What is found from the base, and what is written back: value for value, object for object.
each_backend do
  it "follows cycles" do
    a = World::Point.new(1)
    b = World::Point.new(2)
    a.next = b
    b.next = a
    [a, b].peach { |point| point.y = point.next.x }
    expect([a.y, b.y]).to eq([2, 1])
    expect([a, b].pmap { |point| point.next.next }).to eq([a, b])
  end

  it "follows long chains without deep recursion" do
    points = Array.new(50_000) { |i| World::Point.new(i) }
    points.each_cons(2) { |a, b| a.next = b }
    head = [points.first]
    result = head.pmap do |point|
      steps = 0
      while point.next
        point = point.next
        steps += 1
      end
      steps
    end
    expect(result).to eq([49_999])
  end

  it "keeps one array that two objects share one array" do
    shared = [1, 2, 3]
    nodes = [World::Node.new(0, shared), World::Node.new(1, shared), World::Node.new(2, [7, 8, 9])]
    nodes.peach { |node| node.links[node.value] += 10 }
    expect(shared).to eq([11, 12, 3])
    expect(nodes.map(&:links)).to eq([shared, shared, [7, 8, 19]])
    expect(nodes[0].links).to equal(shared)
  end

  it "treats an array met at two places as one" do
    table = [1, 2, 3]
    nodes = [World::Node.new(0, table), World::Node.new(1, [4, 5, 6])]
    expect(nodes.pmap { |node| node.links[0] + table[2] }).to eq([4, 7])
    nodes.peach { |node| node.links[1] = table[node.value] * 2 }
    expect(nodes.map(&:links)).to eq([[1, 2, 3], [4, 4, 6]])
  end

  it "moves references between objects" do
    nodes = Array.new(4) { |i| World::Node.new(i) }
    nodes.each_with_index { |node, i| node.links = [nodes[(i + 1) % 4], nodes[(i + 2) % 4]] }
    expect(nodes.pmap { |node| node.links[1] }).to eq(nodes.rotate(2))
    points = [World::Point.new(nodes[0], nodes[1]), World::Point.new(nodes[2], nodes[3])]
    points.peach { |point| point.x, point.y = point.y, point.x }
    expect(points.map { |point| [point.x, point.y] }).to eq([[nodes[1], nodes[0]], [nodes[3], nodes[2]]])
  end

  it "gives arrays back as the very same arrays" do
    nodes = [World::Node.new(0, [1]), World::Node.new(1, [2, 3])]
    result = nodes.pmap { |node| node.links }
    expect(result.zip(nodes).all? { |links, node| links.equal?(node.links) }).to be(true)
  end

  it "computes on arrays of arrays" do
    rows = [[1, 2], [3, 4, 5], []]
    expect(rows.pmap { |row| row.size }).to eq([2, 3, 0])
    expect(rows.pmap { |row| row.sum }).to eq([3, 12, 0])
    grid = [[1, 2], [3, 4]]
    expect([0, 1].pmap { |i| grid[i][1 - i] }).to eq([2, 3])
    [0, 1].peach { |i| grid[i][i] = -1 }
    expect(grid).to eq([[-1, 2], [3, -1]])
  end

  it "runs an object that stands in the base twice, twice" do
    point = World::Point.new(1)
    other = World::Point.new(100)
    [point, other, point, point].peach { |p| p.x += p.x }
    expect([point.x, other.x]).to eq([8, 200])
  end

  it "accepts nil among objects" do
    points = [World::Point.new(1), nil, World::Point.new(3)]
    expect(points.pmap { |point| point.nil? ? 0 : point.x }).to eq([1, 0, 3])
    expect(points.pmap { |point| point&.x }).to eq([1, nil, 3])
    expect(points.pselect { |point| point }).to eq([points[0], points[2]])
  end

  it "reads variables that were never set as nil, and sets only what is written" do
    points = [World::Point.new(1), World::Point.new(2)]
    points[0].next = points[1]
    expect(points.pmap { |point| point.next.nil? }).to eq([false, true])
    points.peach { |point| point.next = nil if point.x == 1 }
    expect(points[0].next).to be_nil
    expect(points[1].instance_variable_defined?(:@next)).to be(false)
  end

  it "does not care in which order variables were set" do
    points = [World::Point.new(1, 2), World::Point.allocate]
    points[1].y = 20
    points[1].x = 10
    expect(points.pmap { |point| (point.x * 100) + point.y }).to eq([102, 1020])
  end

  it "dispatches on the exact class" do
    vehicles = [World::Truck.new(1), World::Bicycle.new(2), World::Vehicle.new(3), World::Truck.new(4)]
    vehicles.peach(2) { |vehicle| vehicle.accelerate }
    expect(vehicles.map(&:speed)).to eq([13, 6, 11, 16])
    expect(vehicles.pselect { |vehicle| vehicle.is_a?(World::Truck) }).to eq(vehicles.values_at(0, 3))
  end

  it "meets a subclass later than the first call" do
    vehicles = [World::Vehicle.new(1)]
    accelerate = -> { vehicles.peach { |vehicle| vehicle.accelerate } }
    accelerate.call
    vehicles << World::Bicycle.new(10)
    accelerate.call
    expect(vehicles.map(&:speed)).to eq([9, 12])
  end

  it "meets other types of values later than the first call" do
    points = [World::Point.new(1), World::Point.new(2)]
    double = -> { points.peach { |point| point.x = point.x * 2 } }
    double.call
    points[0].x = 1.5
    double.call
    expect(points.map(&:x)).to eq([3.0, 8])
    points[1].x = 2**40
    double.call
    expect(points.map(&:x)).to eq([6.0, 2**41])
  end

  it "keeps classes apart in mixed values" do
    points = [1, 2.5, nil, true, false, :sym].map { |value| World::Point.new(value) }
    expect(points.pmap { |point| point.x }).to eq([1, 2.5, nil, true, false, :sym])
    expect([1, 2.5, nil, true, :a].pmap { |value| value }).to eq([1, 2.5, nil, true, :a])
    points.peach { |point| point.y = point.x }
    expect(points.map(&:y)).to eq([1, 2.5, nil, true, false, :sym])
  end

  it "tells Integers from Floats of the same value" do
    result = [1, 2].pmap { |n| n == 1 ? n : n.to_f }
    expect(result).to eq([1, 2.0])
    expect(result.map(&:class)).to eq([Integer, Float])
  end

  it "brings every Float back bit for bit" do
    floats = [0.0, -0.0, 5e-324, -5e-324, 1e308, Float::INFINITY, 1.7272337110188893e-77, 0.1, Float::MIN]
    expect(floats.pmap { |f| f }.pack("G*")).to eq(floats.pack("G*"))
    points = floats.map { |f| World::Point.new(f, 1.0) }
    points.peach { |point| point.y = -point.x }
    expect(points.map(&:y).pack("G*")).to eq(floats.map(&:-@).pack("G*"))
  end

  it "carries objects it does not look into" do
    points = [World::Point.new("text"), World::Point.new({ a: 1 })]
    points.peach { |point| point.y = point.x }
    expect(points.map { |point| point.y.equal?(point.x) }).to eq([true, true])
    expect(%w[a b].pmap { |text| text }).to eq(%w[a b])
  end

  it "computes on Struct members' owners and on subclasses of Array without mixing them up" do
    special = Class.new(Array)
    holders = [World::Point.new(special.new([1, 2]))]
    expect(holders.pmap { |holder| holder.x }[0]).to equal(holders[0].x)
  end

  it "reads constants, captured variables and self" do
    factor = 3
    expect([1, 2].pmap { |n| (n * factor) + Limits::STEP }).to eq([13, 16])
    expect(Limits.new(5).apply([1, 2])).to eq([16, 17])
  end

  it "takes captured ranges and modules" do
    range = 2..4
    kind = World::Truck
    expect([1, 2, 3, 4, 5].pselect { |n| range.include?(n) }).to eq([2, 3, 4])
    vehicles = [World::Truck.new(1), World::Bicycle.new(2)]
    expect(vehicles.pmap { |vehicle| vehicle.is_a?(kind) }).to eq([true, false])
  end

  it "sees the base from inside the block" do
    points = [World::Point.new(1), World::Point.new(2), World::Point.new(3)]
    points.peach { |point| points.each { |other| point.y += other.x } }
    expect(points.map(&:y)).to eq([6, 6, 6])
  end

  it "writes to objects outside the base" do
    totals = [World::Point.new(0), World::Point.new(0)]
    pairs = totals.map { |total| World::Node.new(7, total) }
    pairs.peach { |pair| pair.links.x += pair.value }
    expect(totals.map(&:x)).to eq([7, 7])
  end

  it "lets every tick see the writes of the one before" do
    points = Array.new(4) { |i| World::Point.new(i) }
    points.each_with_index { |point, i| point.next = points[(i + 1) % 4] }
    points.peach(3) { |point| point.y += 1 }
    expect(points.map(&:y)).to eq([3, 3, 3, 3])
  end
end

# Constants, instance variables and helper methods around a block.
class Limits
  STEP = 10

  def initialize(offset)
    @offset = offset
  end

  def apply(numbers)
    numbers.pmap { |n| raised_by(n) + STEP }
  end

  private

  def raised_by(n)
    n + @offset
  end
end

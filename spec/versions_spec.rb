# frozen_string_literal: true

# Compiled versions of a block: which one fits, and what a first call reads.
each_backend do |backend|
  # Nodes that are alike, but for one variable of one of them.
  def nodes(count, value, odd = nil)
    nodes = Array.new(count) { |i| World::Node.new(value, [i, i * 2]) }
    index, variable, other = odd
    nodes[index].public_send(:"#{variable}=", other) if odd
    nodes
  end

  it "finds the version that fits among several, wherever the objects differ" do
    section = ->(base, by) { base.pmap { |node| node.value.nil? ? by : node.links[1] } }
    worlds = [1, 2.5, nil, :x, true, World::Point.new(1)].map { |value| nodes(300, value) }
    # Elements that are in no sample.
    odd = [[5, :value, 7.5], [100, :value, nil], [200, :links, [0, 0.5]], [250, :links, [:y, nil]]]
    worlds += odd.map { |which| nodes(300, 1, which) }
    2.times do
      worlds.product([1, 0.5]).shuffle(random: Random.new(1)).each do |world, by|
        expected = world.map { |node| node.value.nil? ? by : node.links[1] }
        expect(section.call(world, by)).to eql(expected)
      end
    end
  end

  next if backend == :ruby

  it "compiles nothing anew when kinds of objects come in turn" do
    section = ->(base) { base.pmap { |point| point.x.nil? ? 1 : 2 } }
    worlds = [1, 2.5, nil, :x, true].map { |x| Array.new(100) { World::Point.new(x) } }
    worlds.each(&section)
    expect(Ikra.profile { 3.times { worlds.each(&section) } }[:infer]).to eq(0)
  end

  it "compiles the loop over ticks inside of that over elements for a call that has enough ticks" do
    points = Array.new(3) { |i| World::Point.new(i) }
    section = ->(ticks) { Ikra.profile { points.peach(ticks) { |point| point.x += 1 } } }
    few, many, later = [1, 100, 2].map(&section)
    expect(points.map(&:x)).to eq([103, 104, 105])
    expect(later.steps).to be_empty
    next if backend != :cpu

    expect(few.steps["walks"][:count]).to be > 0
    expect([few, many].map { |profile| profile.steps.keys.grep(/all ticks/).size }).to eq([0, 1])
  end

  it "reads what another thread has changed while the section was compiled" do
    section = LargeSections.new(LargeSections.calls(10))
    numbers = Array.new(10, 1)
    other = Thread.new { sleep(0.02) && numbers.map! { 5 } }
    result = section.call(numbers)
    other.join
    # It may have been too late, but not for some of them.
    expect(result).to eq([15] * 10).or(eq([3] * 10))
  end

  it "reads the objects once at a first call" do
    skip "a GPU cannot be used in a child" unless backend == :cpu
    # Something else may have taken the core meanwhile, but not each time.
    faster = Array.new(3).any? do
      # Which has no other thread.
      child = fork do
        points = Array.new(200_000) { |i| World::Point.new(i) }
        section = -> { points.peach { |point| point.y = point.x } }
        first, second = Array.new(2) { Ikra.profile(&section)[:read] }
        exit!(first < second ? 0 : 1)
      end
      Process.wait2(child).last.exitstatus.zero?
    end
    expect(faster).to be(true)
  end
end

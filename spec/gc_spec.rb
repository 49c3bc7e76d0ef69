# frozen_string_literal: true

# The garbage collector at every allocation, and objects moved meanwhile.
each_compiling_backend do |backend|
  define_method(:under_stress) do |&block|
    GC.stress = backend == :cpu || GCModes::YOUNG
    block.call
  ensure
    GC.stress = false
  end

  def world
    nodes = Array.new(6) { |i| World::Node.new(i * 1.5) }
    nodes.each_with_index { |node, i| node.links = [nodes[i - 1], nodes[(i + 1) % 6]] }
  end

  it "compiles and runs under stress" do
    nodes = world
    result = under_stress do
      nodes.peach(2) { |node| node.value = node.links[0].value.nil? ? 1e-300 : node.value * 0.5 }
      nodes.pmap { |node| node.links[1] }
    end
    expect(result).to eq(nodes.rotate(1))
    expect(nodes.map(&:value)).to eq(Array.new(6) { |i| i * 1.5 * 0.25 })
  end

  it "makes large numbers under stress" do
    numbers = Array.new(50) { |i| (2**62) + i }
    floats = Array.new(50) { |i| 1e-300 * i }
    result = under_stress { [numbers.pmap { |n| n + 1 }, floats.pmap { |f| f * 2.0 }] }
    expect(result).to eq([numbers.map { |n| n + 1 }, floats.map { |f| f * 2.0 }])
  end

  it "raises under stress" do
    nodes = world
    nodes[3].freeze
    error = under_stress { raised { nodes.peach { |node| node.value = 1.0 } } }
    expect(error).to be_a(FrozenError)
    expect(error.receiver).to equal(nodes[3])
  end

  it "reads symbols made at run time" do
    points = Array.new(20) { |i| World::Point.new(:"made_#{i}_#{rand(1 << 30)}") }
    names = points.map { |point| point.x.to_s }
    result = under_stress { points.pmap { |point| point.x } }
    GC.start
    expect(result.map(&:to_s)).to eq(names)
  end

  it "survives singleton classes being moved and dropped while they are looked at" do
    skip "no compaction here" unless GC.respond_to?(:compact)
    fresh = lambda do |i|
      point = World::Point.new(i)
      def point.other = 1
      point
    end
    points = Array.new(300) { |i| fresh.call(i) }
    mover = Thread.new do
      loop do
        300.times { |i| points[i] = fresh.call(i) if i % 3 == 0 }
        GC.compact
      end
    end
    10.times { expect(points.pmap { |point| point.x + 1 }).to eq([*1..300]) }
  rescue NotImplementedError
    skip "no compaction here"
  ensure
    mover&.kill&.join
  end

  it "survives the objects being moved while other threads drop them" do
    skip "no compaction here" unless GC.respond_to?(:compact)
    mover = Thread.new { 5.times { GC.compact && sleep(0.002) } }
    10.times do
      points = Array.new(300) { |i| World::Point.new(i.to_f, [i, i + 1]) }
      points.peach(50) { |point| point.x += point.y[1] - point.y[0] }
      expect(points.map(&:x)).to eq(Array.new(300) { |i| i + 50.0 })
    end
    mover.join
  rescue NotImplementedError
    skip "no compaction here"
  end

  it "leaves references whole" do
    skip "no verification here" unless GC.respond_to?(:verify_compaction_references)
    nodes = world
    nodes.peach { |node| node.value += 1.0 }
    begin
      GC.verify_compaction_references(toward: :empty, double_heap: true)
    rescue NotImplementedError
      skip "no compaction here"
    rescue ArgumentError
      GC.verify_compaction_references(toward: :empty, expand_heap: true)
    end
    nodes.peach { |node| node.value += 1.0 }
    expect(nodes.map(&:value)).to eq(Array.new(6) { |i| (i * 1.5) + 2.0 })
  end

  it "tells the collector what it writes into old objects, Structs and arrays" do
    pair = Struct.new(:one, :other)
    holders = Array.new(2_000) { |i| World::Node.new([i + 0.5, 0.0], pair.new(i + 0.5, 0.0)) }
    5.times { GC.start }
    # Floats of such exponents are objects, and nothing else refers to them.
    holders.peach do |holder|
      holder.links.other = holder.links.one * 1e200
      holder.value[1] = holder.value[0] * 1e250
    end
    2.times { GC.start(full_mark: false) && Array.new(50_000) { |i| i * 1e-200 } }
    expect(holders.map { |holder| holder.links.other }).to eq(Array.new(2_000) { |i| (i + 0.5) * 1e200 })
    expect(holders.map { |holder| holder.value[1] }).to eq(Array.new(2_000) { |i| (i + 0.5) * 1e250 })
    plain = Array.new(2_000) { |i| World::Node.new(i + 0.5, nil) }
    5.times { GC.start }
    plain.peach { |node| node.value *= 1e200 }
    2.times { GC.start(full_mark: false) && Array.new(50_000) { |i| i * 1e-200 } }
    expect(plain.map(&:value)).to eq(Array.new(2_000) { |i| (i + 0.5) * 1e200 })
  end

  it "lets the compiled code of a literal go with the literal" do
    kept = RubyVM.keep_script_lines
    RubyVM.keep_script_lines = true
    handles = Ikra.const_get(:Native)::Handle
    GC.start
    before = ObjectSpace.each_object(handles).count
    40.times { |i| expect([1].pmap(&eval("proc { |n| n + #{i} }"))).to eq([1 + i]) } # rubocop:disable Style, Security
    GC.start
    # The machine stack may still hold the last few.
    expect(ObjectSpace.each_object(handles).count).to be < before + 10
  ensure
    RubyVM.keep_script_lines = kept
  end

  it "does so where instruction sequences are frozen, as they are since Ruby 4.0" do
    kept = RubyVM.keep_script_lines
    RubyVM.keep_script_lines = true
    handles = Ikra.const_get(:Native)::Handle
    make = lambda do |i|
      eval("proc { |n| n + #{i} }").tap { |block| RubyVM::InstructionSequence.of(block).freeze } # rubocop:disable all
    end
    GC.start
    before = ObjectSpace.each_object(handles).count
    40.times { |i| expect([1].pmap(&make.call(i))).to eq([1 + i]) }
    GC.start
    expect(ObjectSpace.each_object(handles).count).to be < before + 10
    # What is in use stays, also when it moves.
    block = make.call(7)
    2.times do
      expect([1].pmap(&block)).to eq([8])
      GC.respond_to?(:compact) ? GC.compact : GC.start
    end
    profile = Ikra.profile { [1].pmap(&block) }
    expect(profile[:infer]).to eq(0)
    expect(RubyVM::InstructionSequence.of(block)).to be_frozen
  rescue NotImplementedError
    skip "no compaction here"
  ensure
    RubyVM.keep_script_lines = kept
  end

  it "does not grow over many sections, or over many literals" do
    skip "no /proc here" unless File.readable?("/proc/self/status")
    kept = RubyVM.keep_script_lines
    RubyVM.keep_script_lines = true
    points = Array.new(4) { |i| World::Point.new(i * 1.0) }
    # A GPU, and more so its emulation, takes longer.
    count = backend == :cpu ? 10_000 : 500
    sections = lambda do
      count.times do
        points.peach { |point| point.x += 1.0 }
        points.pmap { |point| point.x }
      end
      (backend == :cpu ? 100 : 5).times { |i| [1].pmap(&eval("proc { |n| n + #{i} }")) } # rubocop:disable Style, Security
      GC.start
    end
    sections.call
    before = resident
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    sections.call
    expect(Process.clock_gettime(Process::CLOCK_MONOTONIC) - started).to be < 30
    expect(resident).to be < before + (8 << 20)
  ensure
    RubyVM.keep_script_lines = kept
  end

  # Bytes of memory that this process has.
  def resident = File.read("/proc/self/status")[/VmRSS:\s+(\d+)/, 1].to_i * 1024

  it "does not keep objects alive after the section" do
    weak = ObjectSpace::WeakMap.new
    30.times do
      points = Array.new(10) { |i| World::Point.new(i) }
      points.each { |point| weak[point] = true }
      points.peach { |point| point.x += 1 }
    end
    3.times { GC.start }
    # The machine stack may still hold the last ones.
    expect(weak.size).to be < 50
  end
end

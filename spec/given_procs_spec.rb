# frozen_string_literal: true

# Lambdas and default blocks of Hashes that a section makes and gives.
module GivenProcs
  LIMIT = 7

  class Graph
    attr_reader :edges, :names

    def initialize
      @edges = Hash.new { |hash, key| hash[key] = [] }
      @names = Hash.new { |hash, key| hash[key] = "node #{key} of #{LIMIT}" }
    end

    def add(from, to)
      @edges[from] << to
      @names[from]
      self
    end
  end

  def self.block(&block) = block

  module Steps
    def self.by(factor) = factor > 1 ? ->(x) { x + LIMIT } : ->(x) { x * 2 }
  end
end

each_backend do
  it "gives Hashes with default blocks" do
    made = [3, 5].pmap do |n|
      lists = Hash.new { |hash, key| hash[key] = [key] }
      n.times { |i| lists[i % 3] << i }
      lists
    end
    expect(made).to eq([{ 0 => [0, 0], 1 => [1, 1], 2 => [2, 2] }, { 0 => [0, 0, 3], 1 => [1, 1, 4], 2 => [2, 2] }])
    expect(made[0][:new]).to eq([:new])
    expect(made[0]).to have_key(:new)
    expect([made[0].default_proc.lambda?, made[0].default_proc.arity]).to eq([false, 2])
    expect(made[0].default_proc.source_location).to eq([__FILE__, __LINE__ - 8])
    counts = [4].pmap do |n|
      all = Hash.new { |hash, key| hash[key] = Hash.new(0) }
      all[:a][:b] += n
      all
    end
    counts[0][:c][:d] += 1
    expect(counts).to eq([{ a: { b: 4 }, c: { d: 1 } }])
  end

  it "gives objects that hold such Hashes" do
    graphs = [2, 3].pmap { |n| GivenProcs::Graph.new.add(n, 1).add(n, 2) }
    expect(graphs.map(&:edges)).to eq([{ 2 => [1, 2] }, { 3 => [1, 2] }])
    expect(graphs.map(&:names)).to eq([{ 2 => "node 2 of 7" }, { 3 => "node 3 of 7" }])
    expect(graphs[0].edges[9] << 4).to eq([4])
    expect(graphs[1].names[5]).to eq("node 5 of 7")
    expect(graphs[0].edges).to eq({ 2 => [1, 2], 9 => [4] })
  end

  it "gives lambdas and procs, one of several, in arrays, or none" do
    steps = [1, 2].pmap { |n| GivenProcs::Steps.by(n) }
    expect(steps.map { |step| [step.call(10), step.lambda?, step.arity] }).to eq([[20, true, 1], [17, true, 1]])
    pairs = [3].pmap { |n| [n, proc { |x, y| [x, y] }, n > 5 ? -> { 1 } : nil] }
    expect(pairs[0][1].call([1, 2])).to eq([1, 2])
    expect(pairs[0][2]).to be_nil
  end

  it "lets them see what is around the section" do
    factor = 3
    scaled = [1].pmap { |_| Hash.new { |hash, key| hash[key] = twice(key) * factor } }
    factor = 5
    expect(scaled[0][2]).to eq(20)
  end

  def twice(number) = number * 2

  it "has them run in other sections" do
    3.times do
      step = [1].pmap { |_| ->(x) { x * 5 } }.first
      expect([1, 2].pmap { |x| step.call(x) }).to eq([5, 10])
      groups = Ikra.section { Hash.new { |hash, key| hash[key] = [] } }
      Warnings.without { [1, 2, 3].peach { |x| groups[x % 2] << x } }
      expect(groups).to eq({ 1 => [1, 3], 0 => [2] })
    end
  end
end

each_compiling_backend do
  it "compiles nothing anew for those that one literal gives again and again" do
    run = lambda do
      step = [1].pmap { |_| ->(x) { x * 5 } }.first
      Ikra.profile { [1, 2].pmap { |x| step.call(x) } }
    end
    run.call
    expect(run.call.to_h.fetch(:compile)).to eq(0)
  end

  it "refuses those that use variables of the section, or self of a method" do
    expect { [1].pmap { |n| ->(x) { x + n } } }.to raise_error(Ikra::UnsupportedError, /\[unsupported-result\]/)
    expect { [1].pmap { |n| Hash.new { |hash, key| hash[key] = n } } }
      .to raise_error(Ikra::UnsupportedError, /a default block that uses variables or self.*\[unsupported-result\]/)
    holder = Struct.new(:table).new(nil)
    expect { [holder].peach { |one| one.table = Hash.new { |hash, key| hash[key] = one } } }
      .to raise_error(Ikra::UnsupportedError,
                      /\[unsupported-store\]\n.*\n.*\n.*\n?.*hint: let its default block use the Hash/m)
  end

  it "tells lambdas and procs of one literal apart" do
    list = [1, 2, 3, 4]
    found = lambda do |all|
      fs = all.map { |x| ->(y) { y + x } }
      gs = all.map { ->(y) { y + 1 } }
      keys = {}
      gs.each { |g| keys[g] = true }
      composed = fs.map { |f| gs[0] >> f }
      [fs[0] == fs[1], gs[0].equal?(gs[1]), gs.uniq.size, gs.index(gs[2]), gs.include?(->(y) { y }), keys.size,
       keys[gs[3]], composed.index(composed[1]), composed[1].eql?(composed[2]), fs.map { |f| f.call(1) }]
    end
    expect(list.pmap { |x| found.call([x, 2, 3, 4]) }).to eq(list.map { |x| found.call([x, 2, 3, 4]) })
    expect(Ikra.section { found.call(list) }).to eq(found.call(list))
    handed = list.pmap do |x|
      last = nil
      again = 0
      [x, x].each do |n|
        block = GivenProcs.block { n }
        again += 1 if block == last || !GivenProcs.block(&block).equal?(block)
        last = block
      end
      again
    end
    expect(handed).to eq([0, 0, 0, 0])
    methods = list.pmap do |x|
      plus = x.method(:+)
      [plus == x.method(:+), x.method(:+) == 2.method(:+), 2.method(:+).eql?(2.method(:-))]
    end
    expect(methods).to eq(list.map { |x| [true, x == 2, false] })
  end

  it "gives as many as Ruby makes" do
    list = [1, 2, 3]
    expect(list.pmap { ->(y) { y + 1 } }.uniq.size).to eq(3)
    pairs = list.pmap do |x|
      f = ->(y) { y + 1 }
      x > 2 ? [f, f, 1] : [f, f, 2]
    end
    expect(pairs.map { |a, b,| a.equal?(b) }).to eq([true] * 3)
    expect(pairs.map(&:first).uniq.size).to eq(3)
    expect(list.pmap { |x| x.odd? ? ->(y) { y } : proc { |y| y + 1 } }.map { |f| f.call(1) }).to eq([1, 2, 1])
    fs = Ikra.section do
      f = proc { 1 }
      list.map { f }
    end
    expect(fs.uniq.size).to eq(1)
    fs, one = Ikra.section do
      gs = list.map { ->(y) { y } }
      [gs, gs[1]]
    end
    expect([fs.uniq.size, fs.index(one)]).to eq([3, 1])
    expect(list.pgroup_by { ->(y) { y } }.values).to eq([[1], [2], [3]])
  end

  next if Ikra.backend == :ruby

  it "refuses to look later into what the block gives and changes" do
    list = [1, 2, 3]
    text = +"x"
    array = [0]
    insert = ->(x) { x < 3 ? text.insert(0, "a") : text }
    add = ->(x) { array[0] += x }
    told = /looks into what its block gives, and the block changes that \[unsupported-result\]/
    expect { list.pgroup_by { |x| insert.call(x) } }.to raise_error(Ikra::UnsupportedError, told)
    expect { list.puniq { |x| add.call(x).zero? ? nil : array } }.to raise_error(Ikra::UnsupportedError, told)
    expect { list.pmax_by { |x| add.call(x).zero? ? [1] : array } }.to raise_error(Ikra::UnsupportedError, told)
    expect([text, array]).to eq(["x", [0]])
    groups = list.pgroup_by do |x|
      array[0] += x
      array.dup
    end
    expect(groups).to eq({ [1] => [1], [3] => [2], [6] => [3] })
  end
end

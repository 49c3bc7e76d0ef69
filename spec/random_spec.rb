# frozen_string_literal: true

module Randoms
  # Holds a generator of its own.
  class Walker
    attr_accessor :random, :x

    def initialize(seed)
      @random = Random.new(seed)
      @x = 0
    end

    def step
      @x += @random.rand < 0.5 ? -1 : @random.rand(1..3)
    end
  end

  # Holds what a section has made.
  class Holder
    attr_accessor :random, :more

    def initialize(random) = @random = random
  end

  # One of the user's, below Ruby's.
  class Loaded < Random
    def rand(limit = 6) = super + 1
    def pair = [rand(3), random_number]
  end

  # The same, with a variable and a constructor of its own.
  class Named < Random
    attr_accessor :name

    def initialize(seed, name)
      super(seed)
      @name = name
    end
  end

  LIMITS = [1, 2, 3, 6, 7, 1000, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**40 + 12_345, 2**62, 2**63 - 1].freeze
  SEEDS = [0, 1, -1, 5, 42, -42, 2**31, 2**32 - 1, 2**32, 2**32 + 5, -(2**32) - 5, 2**33, 2**33 + 7, 2**62 + 1,
           2**63 - 1, 1 - 2**63, -(2**63)].freeze
end

# Generators that a program has, and that a section makes: the numbers are Ruby's, bit for bit.
each_backend do |backend|
  def walkers(count = 20) = Array.new(count) { |i| Randoms::Walker.new(i) }

  # What is drawn in a section, and what the generators give afterwards.
  def expect_same_draws(make, &block)
    theirs, ours = make.call, make.call
    expect(ours.pmap(&block).inspect).to eq(theirs.map(&block).inspect)
    expect(ours).to eq(theirs)
    expect(ours.map(&:rand)).to eq(theirs.map(&:rand))
  end

  describe "Random.new in a section" do
    it "has the numbers of Ruby's" do
      expect_same(Randoms::SEEDS) { |seed| Random.new(seed).rand }
      expect_same(Randoms::SEEDS) { |seed| Random.new(seed).rand(1_000_000) }
      expect_same(Randoms::SEEDS) { |seed| r = Random.new(seed); 700.times { r.rand }; [r.rand, r.rand(10), r.seed] }
      expect_same([2.7, -3.2]) { |seed| Random.new(seed).rand(100) }
      expect_same([nil, :a]) { |seed| Random.new(seed).rand(100) }
      expect_same([1]) { |x| Random.new.rand(1) + (Random.new.rand < 1 ? x : 0) }
    end

    it "is an object: it is compared, copied and known by its identity" do
      expect_same([1, 2]) { |x| a = Random.new(x); b = a; b.rand; [a.rand, a.equal?(b), a == Random.new(x)] }
      expect_same([1, 2]) { |x| a = Random.new(x); b = Random.new(1); [a == b, a != b, a.class, a.is_a?(Random)] }
      expect_same([1, 2]) { |x| a = Random.new(x); a.rand; b = a.dup; [a == b, a.rand, b.rand, a == b, b.seed] }
      expect_same([1, 2]) { |x| a = [Random.new(x), Random.new(7)]; 5.times { |i| a[i % 2].rand }; a.map(&:rand) }
    end
  end

  describe "a generator's numbers" do
    let(:limits) { Randoms::LIMITS }

    it "are below a limit" do
      expect_same(limits) { |n| r = Random.new(3); [r.rand(n), r.rand(n), r.rand(n)] }
      expect_same([0.5, 1.0, 1e300, 0.0, -0.0, 5e-324]) { |n| r = Random.new(3); [r.rand(n), r.rand(n)] }
      expect_same([0, -1, -1.5, nil, :a, true]) { |n| Random.new(3).rand(n) }
      [0, -1, -1.5, nil, :a, true].each { |n| expect_same([1]) { Random.new(3).rand(n) } }
    end

    it "are in a range" do
      expect_same(limits[..-2]) { |n| r = Random.new(3); [r.rand(0..n - 1), r.rand(-5...n), r.rand(n..n)] }
      expect_same(1..50) { |i| r = Random.new(i); [r.rand(0.0..1.0), r.rand(1..2.5), r.rand(1.5...3), r.rand(-1.0..i)] }
      expect_same(1..50) { |i| r = Random.new(i); [r.rand(-1e308..1.7e308), r.rand(-1e308...1.7e308), r.rand(2.0..2.0)] }
      [1..0, 1...1, 1.0..0.5, 1.0...1.0].each { |range| expect_same([1]) { Random.new(3).rand(range) } }
      expect_same([1]) { [rand(1..0), rand(1...1), rand(1.0..0.5), rand(1.0...1.0)] }
    end

    it "are below a limit of Random's own" do
      expect_same([0, -1, -1.5]) { |n| Random.rand(n) }
      [0, -1, -1.5, nil, :a, 1..0, 1...1, 1.0..0.5].each { |n| expect_same([1]) { Random.rand(n) } }
      expect([1, 2].pmap { Random.rand(0.0) }).to all(be_between(0.0, 1.0).and(satisfy { |x| x != 0 }))
    end

    it "are any where the limit is none, of random_number" do
      expect_same([0, -1, 7]) { |n| r = Random.new(3); [r.random_number(n), r.random_number] }
      expect_same([0.0, -1.5, 2.5]) { |n| r = Random.new(3); [r.random_number(n), r.random_number(nil)] }
      expect_same([3]) { |n| r = Random.new(3); [r.random_number(1..n), r.random_number(1..0), r.random_number(0.0...1.0)] }
    end

    it "shuffle and choose" do
      expect_same(0..40) { |n| Array.new(n) { |i| i }.shuffle(random: Random.new(n)) }
      expect_same(0..40) { |n| a = (0...n).to_a; a.shuffle!(random: Random.new(5)); a }
      expect_same(0..40) { |n| r = Random.new(n); a = (0...n).to_a; [a.sample(random: r), a.sample(random: r), r.rand] }
      expect_same(0..40) { |n| r = Random.new(3); [(0...30).to_a.sample(n, random: r), r.rand] }
      expect_same([5, 16, 17, 30, 3000]) { |n| (0...4000).to_a.sample(n, random: Random.new(1)).sum { |x| x * n } }
      expect_same([[1, 2, 3], [4.5]]) { |a| a.sample(2, random: Random.new(1)) + a.shuffle(random: Random.new(2)) }
      expect_same([1]) { |x| [x].sample(-1, random: Random.new(1)) }
      expect_same([5]) { |x| r = Random.new(3); [[x].shuffle(random: r), [x].sample(random: r), r.rand] }
    end
  end

  describe "one that was there before" do
    it "goes on from where it was, and is left where the section leaves it" do
      make = -> { Array.new(20) { |i| Random.new(i).tap { |r| (i * 100).times { r.rand } } } }
      expect_same_draws(make, &:rand)
      expect_same_draws(make) { |r| [r.rand, r.rand(7), r.rand(1.5..2.5), r.rand(2**40), r.seed] }
      expect_same_draws(make) { |r| Array.new(700) { r.rand(100) }.sum }
      expect_same_draws(make) { |r| [[1, 2, 3].shuffle(random: r), [4, 5].sample(random: r), r.dup.rand, r.random_number(9)] }
      expect_same_draws(make, &:seed)
    end

    it "is held by objects, in many ticks" do
      expect_same_effects(-> { walkers }, 300, &:step)
      theirs, ours = walkers, walkers
      50.times { theirs.each(&:step) }
      ours.peach(50, &:step)
      expect(ours.map { |walker| walker.random.rand }).to eq(theirs.map { |walker| walker.random.rand })
    end

    it "is drawn from again by the next call, and by Ruby in between" do
      theirs, ours = walkers(3), walkers(3)
      4.times do
        expect(ours.pmap { |w| w.random.rand(100) }).to eq(theirs.map { |w| w.random.rand(100) })
        expect(ours.map { |w| w.random.rand }).to eq(theirs.map { |w| w.random.rand })
      end
    end

    it "is one of the user's, below Ruby's" do
      make = -> { Array.new(5) { |i| Randoms::Loaded.new(i) } }
      expect_same_draws(make) { |r| [r.rand, r.rand(9), r.pair, [1, 2, 3].shuffle(random: r)] }
    end

    it "is compared" do
      random = Random.new(3)
      expect_same([Random.new(3), Random.new(4), random]) { |r| [r == random, r.equal?(random), r != random] }
    end

    it "has a seed beyond 64 bits" do
      random = Random.new(2**100)
      copy = random.dup
      expect([1].pmap { |x| random.rand(100) + x }).to eq([copy.rand(100) + 1])
      expect(random.rand).to eq(copy.rand)
      next unless %i[cpu ruby].include?(backend)

      expect([1].pmap { random.seed }).to eq([2**100])
    end
  end

  describe "one that a section makes and Ruby keeps" do
    # The generators in what there is, each by the place where it is met first, with its state.
    def told(value, known = {}.compare_by_identity)
      case value
      when Random
        variables = value.instance_variables.map { |name| [name, value.instance_variable_get(name)] }
        known[value] ||= [known.size, value.class, value.seed, value.frozen?, variables, value.dup.rand, Marshal.dump(value)]
      when Array then value.map { |item| told(item, known) }
      when Hash then value.map { |pair| told(pair, known) }
      when Randoms::Walker, Randoms::Holder
        value.instance_variables.map { |name| [name, told(value.instance_variable_get(name), known)] }
      else value
      end
    end

    # What comes of it, and what is left of the objects, which `make` makes; told before and after Ruby has drawn from all.
    def expect_same_randoms(make, &run)
      backend = Ikra.backend
      both = [:ruby, backend].map do |one|
        Ikra.backend = one
        objects = make.call
        all = [objects, run.call(objects)]
        [told(all), draw_from(all), told(all)]
      end
      expect(both[1]).to eq(both[0])
    ensure
      Ikra.backend = backend
    end

    def draw_from(value)
      case value
      when Random then value.frozen? ? nil : Array.new(700) { value.rand(1000) }.sum
      when Array then value.map { |item| draw_from(item) }
      when Hash then draw_from(value.to_a)
      when Randoms::Walker, Randoms::Holder then draw_from(value.instance_variables.map { |name| value.instance_variable_get(name) })
      end
    end

    seeds = -> { Randoms::SEEDS }
    holders = -> { [nil, Random.new(7), nil].map { |random| Randoms::Holder.new(random) } }

    it "is a result, with its state and seed" do
      expect_same_randoms(seeds) { |all| all.pmap { |seed| Random.new(seed) } }
      expect_same_randoms(seeds) { |all| all.pmap { |seed| r = Random.new(seed); 630.times { r.rand }; r } }
      expect_same_randoms(seeds) { |all| all.pmap { |seed| seed.even? ? Random.new(seed) : nil } }
      expect_same_randoms(seeds) { |all| all.pmap { |seed| seed > 5 ? Random.new(seed) : seed > 0 ? [seed] : "none" } }
      made = seeds.call.pmap { |seed| Random.new(seed) }
      expect(made).to eq(seeds.call.map { |seed| Random.new(seed) })
    end

    it "is in what is a result, as one object where it is one" do
      expect_same_randoms(seeds) { |all| all.pmap { |seed| Randoms::Walker.new(seed % 1000).tap(&:step) } }
      expect_same_randoms(seeds) { |all| all.pmap { |seed| r = Random.new(seed); s = r; x = [r, { r: s }, s]; s.rand; x } }
      expect_same_randoms(seeds) { |all| all.pmap { |seed| Array.new(seed % 5) { |i| Random.new(i) } * 2 } }
      expect_same_randoms(seeds) { |all| all.pmap { |seed| [1, 2].to_h { |i| [i, Random.new(seed)] } } }
      expect_same_randoms(seeds) { |all| all.pmap { |seed| r = Random.new(seed); [r, r.dup.tap(&:rand), r.clone] } }
      expect_same_randoms(seeds) { |all| all.pmap { |seed| r = Random.new(seed).freeze; r.rand; [r, r.dup, r.clone] } }
      expect_same_randoms(-> { [3, 4].map { |i| Random.new(i) } }) { |all| all.pmap { |r| [r.rand(2) > 0 ? r.dup : r, r] } }
      expect_same_randoms(-> { [Random.new(3).freeze] }) { |all| all.pmap { |r| [r.clone, r.dup] } }
    end

    it "is one of the user's, below Ruby's, and a copy of any with its variables" do
      named = -> { [Randoms::Named.new(3, :a), Randoms::Loaded.new(4), Random.new(5).tap { |r| r.instance_variable_set(:@x, 7) }] }
      expect_same_randoms(named) { |all| all.pmap { |r| [r.dup.tap(&:random_number), r.clone, r] } }
      expect_same_randoms(-> { named.call.map(&:freeze) }) { |all| all.pmap { |r| [r.dup, r.clone, r.clone(freeze: false)] } }
      expect_same_randoms(named) { |all| all.first(1).pmap { |r| r.dup.tap { |copy| copy.name = :b } } }
      expect_same_randoms(seeds) { |all| all.pmap { |seed| Randoms::Named.new(seed, :a).tap { |r| r.rand(7) } } }
      expect_same_randoms(seeds) { |all| all.pmap { |seed| r = Randoms::Named.new(seed, "n"); r.rand; [r.dup, r.clone, r.name] } }
      expect_same_randoms(seeds) { |all| all.pmap { |seed| r = Randoms::Loaded.new(seed); [r.dup.rand, r.clone, r.pair] } }
    end

    it "is stored in objects, arrays and Hashes that exist" do
      expect_same_randoms(holders) { |all| all.peach { |h| h.random = Random.new(3) } && nil }
      expect_same_randoms(holders) { |all| all.peach { |h| r = Random.new(3); h.more = [r, h.random ||= r]; r.rand } && nil }
      expect_same_randoms(holders) { |all| all.peach(5) { |h| h.random ||= Random.new(3); h.random.rand } && nil }
      expect_same_randoms(holders) { |all| all.peach(5) { |h| h.more = Random.new(3); h.random = h.more; h.more.rand } && nil }
      expect_same_randoms(-> { [[1], [2]] }) { |all| all.peach { |list| list << Random.new(list[0]) } && nil }
      expect_same_randoms(seeds) { |all| list = []; all.peach { |seed| list << Random.new(seed) }; list }
    end

    it "leaves an Ikra.section, where elements and the code around them draw from it" do
      expect_same_randoms(seeds) { |_| Ikra.section { Random.new(3) } }
      expect_same_randoms(seeds) { |_| Ikra.section { r = Random.new(3); x = r.rand(10); [r, x, r, r.dup, r.clone, r.seed] } }
      expect_same_randoms(seeds) { |_| Ikra.section { r = Random.new(3).freeze; r.rand; [r, r.dup, r.clone] } }
      expect_same_randoms(seeds) { |_| Ikra.section { [1, 2].to_h { |i| [i, Random.new(i)] } } }
      expect_same_randoms(holders) { |all| Ikra.section { r = Random.new(8); all.each { |h| h.random ||= r; h.random.rand }; r } }
      expect_same_randoms(holders) { |all| Ikra.section { x = all.pmap { Random.new(4) }; x.each(&:rand); x } }
      expect_same_randoms(holders) { |all| Ikra.section { x = [1, 2, 3].map { |i| Random.new(i) }; [x.pmap { |r| r.rand(100) }, x] } }
      expect_same_randoms(holders) do |all|
        Ikra.section { all.peach { |h| h.more = h.random || Random.new(5) }; all.pmap { |h| h.more.rand(9) } }
      end
      expect_same_randoms(holders) do |all|
        Ikra.section do
          a = Randoms::Walker.new(3)
          b = [1, 2].pmap { |i| Randoms::Walker.new(i) }
          b.each(&:step)
          all[0].more = a
          [a, b, a.step]
        end
      end
      expect_same_randoms(holders) do |all|
        Ikra.section do
          a, b = Random.new(1), Random.new(1)
          all[0].random, all[2].random = a, b
          [a == b, a.equal?(b), a.equal?(all[0].random), a == all[1].random]
        end
      end
    end

    it "is seen and drawn from in an Ikra.sync" do
      expect_same_randoms(holders) do |all|
        Ikra.section do
          random = Random.new(5)
          all[0].random = random
          Ikra.sync { all[0].random.rand }
          random.rand
          Ikra.sync { all[0].random.rand }
          number = random.rand(1000)
          Ikra.sync { nil }
          random.rand
          [number, random]
        end
      end
      expect_same_randoms(holders) do |all|
        Ikra.section do
          all[0].more = walker = Randoms::Walker.new(5)
          Ikra.sync { all[0].more.step }
          [walker.step, walker]
        end
      end
    end
  end

  it "that several elements share has them run in order" do
    random, copy, conflicts = Random.new(3), Random.new(3), Ikra.conflicts
    Ikra.conflicts = :in_order
    expect(Array.new(500) { |i| i }.pmap { |i| [i, random.rand(1000)] }).to eq(Array.new(500) { |i| [i, copy.rand(1000)] })
    expect(random).to eq(copy)
    next if backend == :ruby

    Ikra.conflicts = :raise
    expect { Array.new(500) { |i| i }.pmap { |i| i + random.rand(1000) } }
      .to raise_error(Ikra::ConflictError, /conflict over the state of a Random.*give each element a Random of its own/m)
    expect(random).to eq(copy)
  ensure
    Ikra.conflicts = conflicts
  end

  it "is drawn from in the driver of a section, and around Ikra.sync" do
    run = lambda do |people, random, parallel|
      sums = []
      body = lambda do
        3.times do
          bound = random.rand(50)
          sums << (parallel ? people.pmap { |w| w.random.rand(100) < bound ? 1 : 0 }.sum : people.sum { |w| w.random.rand(100) < bound ? 1 : 0 })
        end
      end
      body.call
      sums
    end
    theirs = run.call(walkers, Random.new(9), false)
    people, random = walkers, Random.new(9)
    counts = [0, 0, 0]
    Ikra.section do
      3.times do |i|
        bound = random.rand(50)
        counts[i] = people.pmap { |w| w.random.rand(100) < bound ? 1 : 0 }.sum
        Ikra.sync { random.rand(1) }
      end
    end
    expect(counts).to eq(theirs)
    expect(random).to eq(Random.new(9).tap { |r| 3.times { r.rand(50) } })
  end

  it "leaves all as it was where the section fails" do
    people = walkers
    before = people.map { |w| w.random.dup }
    expect { people.peach { |w| w.step; raise ArgumentError, "stop" if w.x != 100 } }.to raise_error(ArgumentError)
    expect(people.map(&:random)).to eq(before) unless backend == :ruby
  end

  next if backend == :ruby

  it "is refused where Ruby has more, with a hint" do
    expect { [1].pmap { |x| Random.new(x).bytes(4) } }.to raise_error(Ikra::UnsupportedError, /draw numbers with rand/)
    expect { [1].pmap { |x| [x, 1].shuffle(random: x) } }.to raise_error(Ikra::UnsupportedError, /give a Random, or none/)
    expect { [1].pmap { |x| Random.new(x).rand(0.0..Float::INFINITY) } }.to raise_error(Ikra::UnsupportedError, /finite range/)
    frozen = Random.new(1).freeze
    expect { [1].pmap { |x| frozen.rand * x } }.to raise_error(Ikra::UnsupportedError, /frozen Random/)
    expect([1].pmap { |x| frozen.dup.rand * x }).to eq([Random.new(1).rand])
  end
end

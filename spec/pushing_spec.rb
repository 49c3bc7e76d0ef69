# frozen_string_literal: true

# What elements push to arrays that they do not look at: collected in the order of the base.
module Pushing
  # Lives, and has young ones.
  class Animal
    attr_accessor :x, :age, :energy, :young, :mother, :prey

    def initialize(x, mother = nil)
      @x = x
      @age = 0
      @energy = 3
      @young = []
      @mother = mother
      @prey = nil
    end

    def alive? = @age < 4 && @energy.positive?

    def breed(world, depth = 0)
      return breed(world, depth - 1) if depth.positive?

      world.newborns << Animal.new(@x + 1, self)
    end
  end

  # What runs after others.
  class Fox < Animal
    def hunt
      found = @prey
      return @energy -= 1 unless found&.alive?

      @energy += 1
      found.energy = 0
    end
  end

  # Where they are.
  class World
    attr_accessor :newborns, :log

    def initialize
      @newborns = []
      @log = []
    end
  end
end

each_backend do
  around do |example|
    Ikra.conflicts = :raise
    example.run
  ensure
    Ikra.conflicts = :in_order
  end

  def animals(count = 6) = Array.new(count) { |i| Pushing::Animal.new(i) }

  # The same block over the same animals, with Ruby's methods and with Ikra's.
  def expect_same_pushes(ticks: 1, base: ->(all) { all }, &block)
    outcomes = Array.new(2) do |time|
      all = animals
      world = Pushing::World.new
      out = [1.5]
      elements = base.call(all)
      step = proc { |animal| block.call(animal, world, out) }
      if time == 0
        ticks.times { elements.each(&step) }
      else
        elements.peach(ticks, &step)
      end
      WholeObjects.of([all, world, out])
    end
    expect(outcomes[1]).to eq(outcomes[0])
  end

  it "collects numbers and objects" do
    expect_same_pushes { |a, _, out| out << (a.x * 2) if a.x.even? }
    expect_same_pushes(ticks: 3) { |a, world, out| (a.x += 1).times { |i| out.push(i, a.x) && world.log.push(0.5) } }
    expect_same_pushes { |a, world, out| (out << a << nil) && world.log.push(:a, true, a.young) }
    expect_same_pushes { |a, world, _| world.log.concat([a.x, 2], [3.5]).push(*[a.x] * a.x) }
    out = [0]
    Array.new(5000) { |i| Pushing::Animal.new(i) }.peach { |a| out << a.x if a.x % 3 == 1 }
    expect(out).to eq([0, *(1...5000).step(3)])
  end

  it "collects classes and what else takes no place" do
    expect_same_pushes { |_, _, out| out << String }
    expect_same_pushes { |a, world, out| (out << Integer) && world.log.push(Float, nil) && a.young.push(nil) }
    log = [:a]
    expect([1, 2].pmap { |_| log << Symbol }.last).to eq [:a, Symbol, Symbol]
  end

  it "collects what elements make" do
    expect_same_pushes { |a, _, _| a.young << Pushing::Animal.new(a.x, a) }
    expect_same_pushes(ticks: 3) { |a, _, _| a.young << Pushing::Animal.new(a.x += 1, a) }
    expect_same_pushes(ticks: 2) do |a, world, _|
      made = Pushing::Animal.new(a.x, a)
      world.newborns << made if a.x > 1
      a.mother = made
    end
    expect_same_pushes(ticks: 2) { |a, world, out| (world.log << [a.x, a] << [nil]) && out.push([[1], [a.x]]) }
    expect_same_pushes(ticks: 2) { |a, world, _| [0, 2].each { |n| a.breed(world, n) } }
  end

  it "collects beside what a call gives" do
    outcomes = Array.new(2) do |time|
      all = animals
      world = Pushing::World.new
      out = []
      push = proc do |a|
        world.newborns << Pushing::Animal.new(a.x, a)
        out << a.x
        a.x.even?
      end
      given = time == 0 ? [all.map(&push), all.select(&push)] : [all.pmap(&push), all.pselect(&push)]
      WholeObjects.of([given, all, world, out])
    end
    expect(outcomes[1]).to eq(outcomes[0])
  end

  it "collects beside classes in what a call gives" do
    blocks = [->(a) { (a.young << [:out, 5]) && (a.x.even? ? a : [String, "a"]) },
              ->(a) { (a.young << [a.class, a.x]) && [[[String, Integer][a.x % 2], [a.x]], :b] },
              lambda do |a|
                raise ArgumentError, "no" if a.x.odd?

                a.young << [:in, a.x]
                a
              rescue ArgumentError => e
                [e.class, e.message]
              end]
    blocks.each do |block|
      ruby, own = %i[map pmap].map do |name|
        animals.then do |all|
          WholeObjects.of([all.public_send(name, &block), all])
        end
      end
      expect(own).to eq(ruby)
    end
  end

  it "collects in the order of a base that repeats objects" do
    base = ->(all) { [all[0], all[0], all[1], all[2], all[1], all[0]] }
    expect_same_pushes(ticks: 2, base:) do |a, world, out|
      world.newborns << Pushing::Animal.new(a.x)
      out << a.x
      a.x += 10
    end
  end

  it "changes nothing where an element fails, or what it pushes to is frozen" do
    out = [1].freeze
    young = []
    expect { animals.peach { |a| out << a.x } }.to raise_error(FrozenError, /frozen Array: \[1\]/)
    expect { animals.peach { |a| young << Pushing::Animal.new(1 / (a.x - 3)) } }.to raise_error(ZeroDivisionError)
    expect(young).to be_empty unless Ikra.backend == :ruby
  end

  describe "in a section of several calls" do
    def expect_same_section
      outcomes = [Pushing::World.new, Pushing::World.new].map.with_index do |world, time|
        all = animals(8)
        given = yield(all, world) if time == 1
        given = in_ruby_alone { yield(all, world) } if time == 0
        WholeObjects.of([given, all, world])
      end
      expect(outcomes[1]).to eq(outcomes[0])
    end

    def in_ruby_alone
      backend = Ikra.backend
      Ikra.backend = :ruby
      yield
    ensure
      Ikra.backend = backend
    end

    it "has births and deaths in a list of the world" do
      expect_same_section do |all, world|
        living = all
        Ikra.section do
          8.times do |tick|
            living.peach do |a|
              a.age += 1
              world.newborns << Pushing::Animal.new(a.x + tick, a) if (a.x + tick) % 3 == 0
            end
            living = living.pselect { |a| a.alive? } + world.newborns
            world.log << living.size
            world.newborns.clear
          end
          living
        end
      end
    end

    it "has predators and prey" do
      expect_same_section do |all, world|
        foxes = Array.new(3) { |i| Pushing::Fox.new(i * 10) }
        rabbits = all
        Ikra.section do
          6.times do |tick|
            rabbits.peach { |r| world.newborns << Pushing::Animal.new(r.x + 7, r) if (r.age += 1) == 2 }
            foxes.each_with_index { |fox, i| fox.prey = rabbits[(i * 3) + tick] }
            foxes.peach { |fox| fox.hunt }
            rabbits = rabbits.pselect { |r| r.alive? } + world.newborns
            foxes = foxes.pselect { |fox| fox.energy.positive? }
            world.log.push(rabbits.size, foxes.size)
            world.newborns.clear
          end
          [rabbits, foxes]
        end
      end
    end
  end
end

each_compiling_backend do
  it "refuses what elements make where they look at it" do
    refused = ->(hint, &section) { expect(&section).to raise_error(Ikra::UnsupportedError, hint) }
    all = Array.new(3) { |i| Pushing::Animal.new(i) }
    refused.call(/have the block give a copy/) { all.pflat_map { |a| a.young << a.x } }
    # Regular expressions run on the CPU only.
    unless Ikra.chosen.to_s.start_with?("cuda")
      refused.call(/texts or places/) { all.peach { |a| a.mother = [/\d/.match(a.x.to_s)] } }
    end
    expect(all.flat_map(&:young)).to eq([])
  end

  it "ends with the first error where an element stands there several times" do
    all = Array.new(4) { |i| Pushing::Animal.new(3 - i) }
    many = all.values_at(0, 1, 0, 3, 2, 1, 3)
    numbers = [7]
    section = lambda do
      many.peach do |a|
        raise ArgumentError, "at #{a.x}" if a.x < 2

        numbers << a.x
      end
    end
    expect { section.call }.to raise_error(ArgumentError, "at 0")
    expect { Ikra.section { section.call } }.to raise_error(ArgumentError, "at 0")
    expect(numbers.first).to eq(7)
  end

  it "is pushed beside Hashes that elements give" do
    world = Pushing::World.new
    all = Array.new(3) { |i| Pushing::Animal.new(i) }
    sizes = all.pmap { |a| { size: (world.newborns << Pushing::Animal.new(a.x)).size } }
    expect(sizes).to eq([{ size: 1 }, { size: 2 }, { size: 3 }])
    expect(world.newborns.map(&:x)).to eq([0, 1, 2])
  end

  it "is written back while everything is collected and moved" do
    make = -> { [Array.new(5) { |i| Pushing::Animal.new(i) }, Pushing::World.new] }
    step = ->(world) { proc { |a| a.young << (world.newborns << Pushing::Animal.new(a.x * 1e-300, [a, 2**62])) } }
    left, right = Array.new(2) { make.call }
    warm, warm_world = make.call
    warm.peach(2, &step.call(warm_world))
    2.times { left[0].each(&step.call(left[1])) }
    block = step.call(right[1])
    GCModes.while_collecting { right[0].peach(2, &block) }
    expect(WholeObjects.of(right)).to eq(WholeObjects.of(left))
  end
end

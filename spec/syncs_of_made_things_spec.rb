# frozen_string_literal: true

# Ikra.sync in sections that keep what they make: objects, arrays, Hashes and Strings that Ruby sees in the middle are
# the ones that the section goes on with. Each program runs in plain Ruby and on every back-end.
module SyncedBirths
  class Node
    attr_accessor :value, :next, :items, :name, :counts

    def initialize(value) = @value = value

    def inspect = [self.class, @value, @next&.value, @items, @name, @counts].inspect
  end

  class Large < Node
    attr_accessor :extra
  end

  class Box
    attr_accessor :list, :best, :memo, :log

    def initialize
      @list = []
      @memo = {}
      @log = []
    end

    def inspect = [@list, @best, @memo, @log].inspect
  end

  Pair = Struct.new(:low, :high)

  class Rabbit
    attr_reader :place, :age

    def initialize(place)
      @place = place
      @age = 0
    end

    def tick(world)
      @age += 1
      world.newborns << Rabbit.new(@place + 1) if (@age % 3).zero?
    end
  end

  class World
    attr_accessor :newborns

    def initialize = @newborns = []
  end
end

each_compiling_backend do
  made = SyncedBirths

  # What a program that is given a box, numbers and a list for what it sees gives, and leaves.
  outcome = lambda do |backend, program|
    Ikra.backend = backend
    box = made::Box.new
    seen = []
    given = begin
      program.call(box, [1, 2, 3, 4, 5], seen)
    rescue StandardError => e
      [e.class, e.message]
    end
    [seen, box.inspect, given.inspect]
  end

  define_method(:expect_same_run) do |&program|
    backend = Ikra.backend
    in_ruby = outcome.call(:ruby, program)
    expect(outcome.call(backend, program)).to eq(in_ruby)
    next unless backend == :cpu

    # Each sync looks for what nobody refers to any more.
    begin
      ENV["IKRA_TEST_FORGETTING"] = "1"
      expect(outcome.call(backend, program)).to eq(in_ruby)
    ensure
      ENV.delete("IKRA_TEST_FORGETTING")
    end
  end

  it "goes on with what only Ruby held meanwhile" do
    expect_same_run do |box, numbers, seen|
      kept = {}
      Ikra.section do
        6.times do |t|
          box.list = numbers.pmap { |x| made::Node.new((x * 10) + t) }
          box.best = box.list[t % 5]
          box.list.peach { |node| node.name = "n#{node.value}" }
          Ikra.sync do
            kept[t] = [box.best, box.best.name]
            box.best = kept[0][0]
          end
          box.best.value += 100
        end
      end
      seen << kept.map { |t, (node, name)| [t, node.value, name, node.name.equal?(name)] }
      box.best.equal?(kept[0][0])
    end
  end

  # Up to Ruby 3.2 what is dead is known as such when its finalizer has run.
  it "does not meet what is dead when it has forgotten it" do
    texts = ->(hash, _) { hash.each_key { |i| hash[i] = "text #{i}" } }
    pairs = ->(hash, t) { hash.each_key { |i| hash[i] = [t, i] } }
    [[100, 1_000, 4_000].product([texts, pairs]), [[3_000, pairs]]].flatten(1).each do |count, change|
      hash = (0...count).to_h { |i| [i, change == pairs ? [0, i] : +"text"] }
      in_ruby = hash.transform_values(&:dup)
      seen = 0
      Ikra.section do
        20.times do |t|
          change.call(hash, t)
          Ikra.sync { seen += hash[0].size }
        end
      end
      20.times { |t| change.call(in_ruby, t) }
      expect(hash).to eq(in_ruby)
    end
  end

  it "keeps what Ruby alone knows of an object that only the section holds" do
    expect_same_run do |box, numbers, seen|
      Ikra.section do
        node = made::Node.new(numbers[0])
        5.times do |t|
          box.list = [made::Node.new(t)]
          box.best = t.even? ? node : nil
          Ikra.sync do
            box.best&.instance_variable_set(:@tag, "of Ruby")
            seen << box.best&.instance_variable_get(:@tag)
            seen << box.list.map(&:value)
          end
        end
      end
    end
  end

  it "shows what is born, and goes on with it" do
    expect_same_run do |box, numbers, seen|
      Ikra.section do
        4.times do |t|
          numbers.peach { |x| box.list << made::Node.new((x * 10) + t) if x.odd? }
          box.list.peach { |node| node.value += 1 }
          Ikra.sync { seen << box.list.map(&:value) }
        end
      end
    end
  end

  it "lets rabbits be born and die, tick by tick" do
    expect_same_run do |_, numbers, seen|
      world = made::World.new
      rabbits = numbers.map { |x| made::Rabbit.new(x) }
      Ikra.section do
        7.times do |t|
          rabbits.peach { |rabbit| rabbit.tick(world) }
          rabbits = rabbits.pselect { |rabbit| rabbit.age < 5 } + world.newborns
          world.newborns = []
          Ikra.sync { seen << [t, rabbits.size, rabbits.sum(&:place)] }
        end
      end
      rabbits.map { |rabbit| [rabbit.place, rabbit.age] }
    end
  end

  it "shows the same objects each time" do
    expect_same_run do |box, numbers, seen|
      kept = []
      Ikra.section do
        3.times do
          numbers.peach { |x| box.list << made::Node.new(x) }
          box.list.peach { |node| node.value += 1 }
          Ikra.sync do
            kept << box.list.first
            seen << kept.map(&:value)
          end
        end
      end
      kept.map { |node| node.equal?(box.list.first) }
    end
  end

  it "takes over the numbers that Ruby changes in what was made" do
    expect_same_run do |box, numbers, seen|
      Ikra.section do
        3.times do |t|
          numbers.peach do |x|
            node = made::Node.new(x)
            node.items = [x, t * 0.5]
            box.list << node
          end
          Ikra.sync do
            box.list.each do |node|
              node.value += 100
              node.items[0] -= 7
            end
            seen << box.list.map(&:items).map(&:dup)
          end
          box.list.peach { |node| node.value += node.items.sum.to_i }
        end
      end
    end
  end

  it "knows Structs, and objects of several classes" do
    expect_same_run do |box, numbers, seen|
      pairs = []
      Ikra.section do
        3.times do |t|
          numbers.peach { |x| pairs << made::Pair.new(x, t) }
          numbers.peach do |x|
            if x.odd?
              box.list << made::Node.new(x)
            else
              large = made::Large.new(x)
              large.extra = x * 1.5
              box.list << large
            end
          end
          pairs.peach { |pair| pair.high += 1 }
          Ikra.sync do
            seen << pairs.map(&:to_a) << box.list.map { |node| [node.class, node.value] }
            pairs.each { |pair| pair.low *= 2 }
          end
        end
      end
      pairs.map(&:to_a)
    end
  end

  it "knows what holds what" do
    expect_same_run do |box, numbers, seen|
      Ikra.section do
        3.times do
          numbers.peach do |x|
            node = made::Node.new(x)
            node.next = made::Node.new(-x)
            box.list << node
          end
          box.list.peach { |node| node.next.value -= 1 }
          Ikra.sync { seen << box.list.inspect }
        end
      end
    end
  end

  it "shows arrays that grow" do
    expect_same_run do |box, numbers, seen|
      box.list << made::Node.new(7)
      box.list[0].items = [1]
      Ikra.section do
        3.times do |t|
          numbers.peach do |x|
            node = made::Node.new(x)
            node.items = [x, t]
            box.list << node
          end
          box.list.peach { |node| node.items << (t * 2) }
          Ikra.sync { seen << box.list.map { |node| node.items.dup } }
        end
      end
    end
  end

  it "shows what the code around calls makes" do
    expect_same_run do |box, numbers, seen|
      Ikra.section do
        list = []
        3.times do |t|
          sum = numbers.psum { |x| x * t }
          box.log << numbers.pmap { |x| x + t }
          list << made::Node.new(sum)
          list.peach { |node| node.value += 1 }
          Ikra.sync do
            seen << box.log.map(&:dup) << list.map(&:value)
            box.log.last[0] = 99
          end
        end
        box.list = list
        numbers.psum { |_| box.log.sum { |all| all[0] } }
      end
    end
  end

  it "shows Strings, Hashes and objects in variables" do
    expect_same_run do |_, numbers, seen|
      Ikra.section do
        text = +""
        counts = Hash.new(0)
        3.times do |t|
          sum = numbers.psum { |x| x * t }
          line = "tick #{t}: #{sum}"
          line = nil if t == 2
          text << "#{t};"
          numbers.each { |x| counts[x.odd?] += t }
          told = { sum:, tick: t }
          groups = numbers.pgroup_by { |x| x > t }
          node = made::Node.new(sum)
          pair = made::Pair.new(t, "low")
          Ikra.sync { seen << line << text.dup << counts.dup << told << groups << node.inspect << pair.to_a }
          node.value += counts[true]
          Ikra.sync { seen << node.value }
        end
      end
    end
  end

  it "knows copies of objects" do
    expect_same_run do |box, numbers, seen|
      nodes = numbers.map do |x|
        node = made::Node.new(x)
        node.name = "node #{x}"
        node
      end
      Ikra.section do
        3.times do
          nodes.peach do |node|
            copy = node.dup
            copy.value += 10
            box.list << copy
          end
          nodes.peach { |node| node.value += 1 }
          Ikra.sync { seen << box.list.map { |node| [node.value, node.name] } }
        end
      end
    end
  end

  it "comes by the same syncs when a section begins again" do
    expect_same_run do |box, numbers, seen|
      nodes = numbers.map { |x| made::Node.new(x) }
      Ikra.section do
        3.times do |t|
          nodes.peach { |node| box.list << made::Node.new(node.value) }
          Ikra.sync do
            seen << box.list.size
            box.list.each { |node| node.value += 1 }
          end
          # These conflict, in the second round only.
          nodes.peach { |node| nodes[(node.value + 1) % 5].value = (node.value + t) % 5 if t == 1 }
          # And these want more memory.
          numbers.peach { |x| (1500 * t).times { |i| box.list << made::Node.new(i + x) } }
        end
      end
      [box.list.size, box.list.sum(&:value), nodes.map(&:value)]
    ensure
      box.list.clear
    end
  end

  it "leaves what there was at the last sync when something is raised" do
    box = made::Box.new
    seen = []
    section = lambda do
      Ikra.section do
        3.times do |t|
          [1, 2].peach { |x| box.list << made::Node.new(x) }
          Ikra.sync { seen << box.list.map(&:value) }
          box.list.peach { |node| node.value += 1 }
          raise "enough" if t == 1
        end
      end
    end
    expect(&section).to raise_error(RuntimeError, "enough")
    expect(seen).to eq([[1, 2], [2, 3, 1, 2]])
    expect(box.list.map(&:value)).to eq([2, 3, 1, 2])
  end

  changes = {
    "empties" => ->(list, t) { list.clear if t == 2 },
    "shifts" => ->(list, _) { list.shift(2) },
    "sorts" => ->(list, _) { list.sort_by!(&:value) },
    "deletes from" => ->(list, _) { list.delete_if { |node| (node.value % 3).zero? } },
    "pushes to" => ->(list, _) { list << list[0] << list[1] },
    "doubles" => ->(list, t) { list.concat(list) if t < 3 },
    "swaps items of" => ->(list, _) { list[0], list[1] = list[1], list[0] }
  }
  changes.each do |what, change|
    it "goes on with an array that grows and that Ruby #{what}" do
      expect_same_run do |box, numbers, seen|
        Ikra.section do
          5.times do |t|
            numbers.peach { |x| box.list << made::Node.new((x * 10) + t) }
            box.list.peach { |node| node.value += 1 }
            Ikra.sync do
              seen << box.list.map(&:value)
              change.call(box.list, t)
            end
          end
        end
      end
    end
  end

  it "goes on with what Ruby puts where the section does" do
    expect_same_run do |box, numbers, seen|
      Ikra.section do
        4.times do |t|
          numbers.peach do |x|
            node = made::Node.new(x)
            node.items = [x, t]
            node.next = box.list[0] if t > 0
            box.list << node
          end
          box.list.peach { |node| node.items << t }
          Ikra.sync do
            seen << box.list.map { |node| node.items.dup }
            box.list.each { |node| t == 1 ? node.items.push(5, t).sort! : node.items.shift }
            box.list.last.next = box.list[1]
            box.list[2].next = nil
          end
          box.list.peach { |node| node.value += node.next.value + node.items.size if node.next }
        end
      end
    end
  end

  it "refuses what Ruby changes otherwise" do
    section = lambda do |box, &change|
      Ikra.section do
        [1, 2, 3].peach { |x| box.list << made::Node.new(x) }
        Ikra.sync { change.call(box.list) }
        box.list.peach { |node| node.value += node.next ? node.next.value : 0 }
      end
    end
    changes = [
      ->(list) { list[0].next = list[1] }, ->(list) { list << made::Node.new(4) }, ->(list) { list << 5 },
      ->(list) { list[0].value = 1.5 }, ->(list) { list[0].freeze }
    ]
    changes.each do |change|
      expect { section.call(made::Box.new, &change) }.to raise_error(Ikra::UnsupportedError, /\[changed-in-sync\]/)
    end
  end
end

# Hashes and Strings that elements make are the CPU's.
RSpec.describe "Hashes and Strings that Ruby sees in the middle of a section" do
  made = SyncedBirths

  def expect_same_run(&program)
    runs = %i[ruby cpu].map do |backend|
      Ikra.backend = backend
      box = SyncedBirths::Box.new
      seen = []
      program.call(box, [1, 2, 3, 4, 5], seen)
      [seen, box.inspect]
    end
    expect(runs[1]).to eq(runs[0])
  end

  it "are those that the section goes on with" do
    expect_same_run do |box, numbers, seen|
      Ikra.section do
        3.times do |t|
          numbers.peach do |x|
            node = made::Node.new(x)
            node.name = "node #{x} of #{t}"
            node.counts = { x => t }
            box.list << node
          end
          box.list.peach { |node| node.counts[t] = node.value }
          Ikra.sync { seen << box.list.map { |node| [node.name, node.counts.dup] } }
        end
      end
    end
  end

  it "may be changed by Ruby as to the numbers that Hashes hold" do
    expect_same_run do |box, numbers, seen|
      box.memo[0] = 5
      Ikra.section do
        3.times do |t|
          numbers.peach { |x| box.memo[x % 3] = (box.memo[x % 3] || 0) + t }
          Ikra.sync do
            seen << box.memo.dup
            box.memo[0] += 100
          end
        end
      end
    end
  end

  it "show the best so far, which elements assign" do
    expect_same_run do |box, numbers, seen|
      best = nil
      Ikra.section do
        3.times do |t|
          numbers.peach { |x| best = [x, t] if best.nil? || best[0] < x + t }
          numbers.peach { |x| box.best = made::Node.new(x) if box.best.nil? || box.best.value < x }
          box.log << "best of #{t}: #{best[0]}"
          Ikra.sync do
            seen << best << box.log.dup
            box.best.value -= 3
          end
        end
      end
      seen << best
    end
  end

  it "only read, where a key is the text of something that is made" do
    expect_same_run do |box, _, seen|
      Ikra.section do
        3.times do |t|
          node = made::Node.new("k#{t}")
          box.memo[node.value] = node
          box.list << node
          Ikra.sync { seen << box.memo.map { |key, value| [key, key.frozen?, value.value.frozen?] } }
        end
        box.memo.keys.map(&:frozen?)
      end
    end
  end
end

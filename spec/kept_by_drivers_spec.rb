# frozen_string_literal: true

# What the code around parallel calls makes, and what calls give: put into objects, arrays, Hashes, changed there, and
# used by elements. Compared with plain Ruby, object for object.
module KeptByDrivers
  Event = Struct.new(:tick, :what, :who)
  Place = Struct.new(:x, :y)

  # Frozen from the beginning.
  class Sealed
    def initialize(id)
      @id = id
      freeze
    end
  end

  # Sets a variable that not all of its kind have.
  class Late
    def initialize(id) = @id = id
    def add(number) = @more = [number]
  end

  # Somebody.
  # Has a String.
  class Label
    attr_reader :text

    def initialize(text) = @text = text
  end

  class Person
    attr_accessor :id, :age, :name, :label, :tags, :friends, :mood, :live

    def initialize(id)
      @id = id
      @age = 20 + id
      @name = "p#{id}"
      @label = ""
      @tags = []
      @friends = []
      @mood = :ok
    end

    def alive? = @age < 27
    def grow = @age += 1
  end

  # All that there is.
  class World
    attr_accessor :people, :log, :history, :stats, :queue, :counts, :groups, :title, :live, :seen, :index

    def initialize(count)
      @people = Array.new(count) { |i| Person.new(i) }
      @log = []
      @history = []
      @queue = []
      @counts = Hash.new(0)
      @groups = {}
      @title = "none"
      @live = Set.new
      @seen = {}
    end

    def step(tick)
      @people.peach { |person| person.grow }
      @log << "tick #{tick}: #{@people.pcount { |person| person.alive? }}"
      @history << @people.pmap { |person| person.age }
      @queue = @people.pselect { |person| person.alive? }
      @stats = { tick:, alive: @queue.size }
    end

    def look
      @index = {}
      @people.each { |person| (@index[person.age % 3] ||= []) << person.id }
      @people.peach { |person| person.age += @index[person.age % 3].size }
    end
  end

  # What can be seen of something: which object stands where, too.
  def self.shown(value, known = {}.compare_by_identity)
    case value
    when Integer, Float, Symbol, nil, true, false then return value
    end
    return [:again, known[value]] if known.key?(value)

    known[value] = known.size
    case value
    when String then [value.encoding, value.frozen?, value.dup]
    when Array then value.map { |item| shown(item, known) }
    when Hash
      pairs = value.map { |key, item| [key.is_a?(String) ? key.dup : shown(key, known), shown(item, known)] }
      [:hash, shown(value.default, known), pairs]
    when Struct then [value.class, value.to_a.map { |item| shown(item, known) }]
    when Set then [:set, value.map { |item| shown(item, known) }]
    else [value.class, value.instance_variables.map { |name| [name, shown(value.instance_variable_get(name), known)] }]
    end
  end
end

RSpec.describe "What the code around parallel calls makes" do
  def expect_same(count = 9)
    expected, actual = [:ruby, Ikra.chosen].map do |backend|
      previous = Ikra.chosen
      Ikra.backend = backend
      world = KeptByDrivers::World.new(count)
      KeptByDrivers.shown([world, Warnings.without { yield(world) }])
    ensure
      Ikra.backend = previous
    end
    expect(actual).to eq(expected)
  end

  each_compiling_backend do
    it "is kept by objects: logs, histories, queues and statistics of methods with parallel calls" do
      expect_same { |world| Ikra.section { 4.times { |tick| world.step(tick) } } }
      expect_same { |world| Ikra.section { 3.times { world.look } } }
    end

    it "is kept as one object, where it is put twice, and where it goes on being changed" do
      expect_same do |world|
        Ikra.section do
          name = "n#{world.people.size}"
          row = [1]
          table = { 1 => 2 }
          world.people.each { |person| person.label = name }
          world.history << row << row << [row]
          world.seen[:a] = world.seen[:b] = table
          world.log << name << name.dup
          world.people.peach { |person| person.age += row.size + table.size + name.size }
          row << 5
          table[4] = row
          world.history.last.first << 6
          world.people.peach { |person| person.age += row.sum + table.size }
        end
        world.seen[:a].equal?(world.seen[:b])
      end
    end

    it "is kept where arrays and Hashes grow much, object by object" do
      expect_same do |world|
        Ikra.section do
          3_000.times do |i|
            world.log << (i.odd? ? "s#{i}" : "é#{i * 7919}" * (i % 5))
            world.queue[i] = [i, "x#{i}", nil]
            world.seen[[i]] = KeptByDrivers::Place.new(i, [i])
            (world.groups[i % 50] ||= []) << KeptByDrivers::Person.new(i)
          end
        end
        world.groups.each_value { |people| people.first.tags << people.size }
        [world.queue.shift, world.log.values_at(-1, 7)]
      end
    end

    it "is kept frozen, of subclasses, with variables that are set later" do
      expect_same do |world|
        Ikra.section do
          6.times do |i|
            world.log << "frozen #{i}".freeze << +"not" << :"s#{i}".to_s
            event = i.even? ? KeptByDrivers::Event.new(i, "e#{i}", world.people[i]) : KeptByDrivers::Late.new(i)
            world.history << KeptByDrivers::Sealed.new(i)
            event.add(i) if i == 3
            world.history << event << [event, event]
          end
          world.people.peach { |person| person.age += world.history.size }
        end
        world.history.map(&:frozen?)
      end
    end

    it "is put into Hashes: counts, groups, memos, by Strings, arrays and Structs" do
      lines = ["the quick brown fox", "jumps over the lazy dog", "the end"]
      memo = {}
      expect_same do |world|
        memo = {}
        Ikra.section do
          lines.each { |line| line.split.each { |word| world.counts[word] += 1 } }
          3.times do |tick|
            world.people.each do |person|
              (world.groups[person.age % 4] ||= []) << person
              world.seen[[person.age, tick % 2]] = true
              memo[KeptByDrivers::Place.new(person.age % 3, tick)] ||= "first #{person.id}"
            end
            world.people.peach { |person| person.grow }
          end
          world.seen.delete([22, 0])
        end
        memo
      end
    end

    it "is made of Hashes in Hashes and Sets, with what they give for other keys" do
      expect_same do |world|
        Ikra.section do
          3.times do |tick|
            live = Set.new
            world.people.each do |person|
              (world.groups[person.mood] ||= Hash.new(0))[person.age] += 1
              live << person.id if person.alive?
              person.mood = person.age.even? ? :ok : :bad
            end
            world.live = live
            world.history << { "tick" => tick, rest: [1, { deep: "x#{tick}" }] }
            world.people.peach { |person| person.grow if live.include?(person.id) }
          end
          world.groups[:ok][99]
        end
      end
    end

    it "is used by elements: Strings, arrays of Strings, Hashes" do
      expect_same do |world|
        Ikra.section do
          2.times do |tick|
            prefix = "a#{tick}"
            words = "x yy zzz".split
            table = { 0 => "none" }
            world.people.each { |person| table[person.id] = person.name + prefix if person.id.odd? }
            world.people.peach { |person| person.label = prefix + words[person.id % 3] + (table[person.id] || "-") }
          end
          world.title = "#{world.people.last.label}!"
          world.title.size
        end
      end
    end

    it "is changed by elements, which then run in order" do
      expect_same do |world|
        Ikra.section do
          row = [0]
          table = { 4 => 5 }
          seen = []
          world.history << row
          world.people.peach { |person| row << person.id if row.size < 5 }
          world.people.peach { |person| table[person.id] = person.age }
          world.people.peach { |person| seen[0] = person.id unless seen.empty? }
          world.people.peach { |person| person.tags = row }
          [row.size, table.size, table[4], seen]
        end
      end
    end

    it "takes the place of what it is made of" do
      expect_same do |world|
        Ikra.section do
          4.times do |round|
            world.history = world.history.map { |item| item } + [round]
            world.queue = world.queue.dup
            world.queue << round
            world.seen = world.seen.merge({ round => "r#{round}" })
            world.title += "."
            world.people.peach { |person| person.grow }
          end
        end
      end
    end

    it "is what calls give: changed, sorted, put into objects" do
      expect_same do |world|
        Ikra.section do
          ages = world.people.pmap { |person| person.age }
          ages << 1
          ages[0] = 70
          ages.map! { |age| age * 2 }
          world.people.first(3).each { |one| one.friends = world.people.pselect { |other| other.age > one.age } }
          world.people[1].friends.shift
          world.log = world.people.pmap { |person| "#{person.name}!" }
          world.log.concat(world.log.first(2))
          world.history << world.people.pmap { |person| [person.id, person.age] }
          world.history.last[0] << 5
          world.people.peach { |person| person.friends.pop }
          ages.sort!
          [ages, ages.sum]
        end
      end
    end

    it "is made anew where the section begins again" do
      expect_same(40) do |world|
        Ikra.section do
          30.times do |tick|
            world.log << "t#{tick}"
            world.history << Array.new(tick) { |i| [i, "i#{i}"] }
            # More than there is room for at first.
            world.people.peach { |person| person.tags << "x#{tick}" << "y" }
            world.seen[tick] = { tick => world.people.pmap { |person| person.tags.size } }
          end
          world.people.peach { |person| world.queue << person.id if world.queue.size < 7 }
          world.log.size
        end
      end
    end

    it "is put into variables around the section" do
      title = rows = table = nil
      expect_same do |world|
        Ikra.section do
          title = "t#{world.people.pcount { |person| person.alive? }}"
          rows = [world.people.pmap { |person| person.age }]
          rows << [title]
          table = { title => rows }
          nil
        end
        [title, rows, table]
      end
    end

    it "is not there when something is raised" do
      world = KeptByDrivers::World.new(5)
      before = KeptByDrivers.shown(world)
      section = lambda do
        Ikra.section do
          world.log << "a#{world.people.size}"
          world.history << [1]
          world.seen[:a] = {}
          world.people.peach { |person| person.age / (person.id - 3) }
        end
      end
      expect(&section).to raise_error(ZeroDivisionError)
      expect(KeptByDrivers.shown(world)).to eq(before)
    end

    it "is arrays of fixed length that no literal makes" do
      numbers = [1, 2, 3, 9]
      seen = []
      kept = []
      given = Ikra.section do
        pairs = []
        numbers.each { |n| pairs << n.divmod(2) }
        pairs.peach { |half, rest| seen << [half, rest] }
        numbers.each_cons(2).peach(2) { |a, b| seen << (a * b) }
        kept << numbers.minmax
        numbers.map { |n| n.divmod(4) }.pmap { |a, b| a - b }
      end
      expect(seen).to eq([[0, 1], [1, 0], [1, 1], [4, 1]] + ([2, 6, 27] * 2))
      expect([given, kept]).to eq([[-1, -2, -3, 1], [[1, 9]]])
    end

    it "is arrays of fixed length as a literal makes them elsewhere" do
      table = {}
      pairs = Ikra.section do
        table[[4, 4]] = nil
        (1..3).each_cons(2).pmap { |a, b| [b, a] }
      end
      expect([table, pairs]).to eq([{ [4, 4] => nil }, [[2, 1], [3, 2]]])
    end

    it "is an empty array that gets items of several kinds" do
      table = {}
      Ikra.section do
        (table[nil] ||= []) << ([10] <=> [nil])
        (table[1] ||= []) << 2
      end
      expect(table).to eq({ nil => [nil], 1 => [2] })
    end

    it "is counted in by elements that run in parallel, and looked at by others" do
      numbers = Array.new(2_000) { |i| i * i % 1009 }
      run = lambda do |each|
        seen = [0] * 7
        last = nil
        3.times do |tick|
          counts = Array.new(7, tick)
          each.call(numbers) { |n| counts[n % 7] += 1 }
          each.call(numbers) { |n| seen[n % 7] += counts[n % 7] }
          counts[0] = 0
          last = counts
        end
        [seen, last]
      end
      expected = run.call(->(base, &block) { base.each(&block) })
      Ikra.conflicts = :raise
      given = Ikra.section do
        seen = [0] * 7
        last = nil
        3.times do |tick|
          counts = Array.new(7, tick)
          numbers.peach { |n| counts[n % 7] += 1 }
          numbers.peach { |n| seen[n % 7] += counts[n % 7] }
          counts[0] = 0
          last = counts
        end
        [seen, last]
      end
      expect(given).to eq(expected)
    ensure
      Ikra.conflicts = :in_order
    end

    it "is looked at as it is by now, by whatever else holds it" do
      look = lambda do |words, stored|
        words.map { |w| [w, w.size, w.bytesize, w[0], w.ascii_only?, w.reverse, w == stored[1], w.equal?(stored[1])] }
      end
      expect_same_program do
        stored = []
        found = {}
        given = Ikra.section do
          words = (0..3).map { |i| "w#{i}" }
          words.each { |w| stored << w }
          seen = []
          5.times do |i|
            stored.each { |s| s << ("é" * i) if i.odd? }
            stored.peach { |s| s.replace("q#{i}") if i == 3 && s.size == 3 }
            seen << look.call(words, stored)
            words.each { |w| found[w] = KeptByDrivers::Label.new(w) if i == 2 }
          end
          [seen, words, words.include?("q1"), words.max]
        end
        [given, stored, found.map { |key, person| [key, person.text, key.frozen?] }]
      end
    end

    it "is the String that the section gives" do
      expect_same_program do
        memo = {}
        held = nil
        one = Ikra.section { memo[1] ||= "a" * 3 }
        list = Ikra.section do
          x = ["aa" * 1, "b" * 2]
          held = x[1]
          x
        end
        keys = Ikra.section { (1..3).map { |i| memo["k"] ||= "v#{i}" } }
        one << "!"
        held << "?"
        keys[0] << "#"
        [memo, list, keys, keys[0].equal?(memo["k"]), one.equal?(memo[1]), list[1].equal?(held)]
      end
    end

    it "is no String that changes later" do
      world = KeptByDrivers::World.new(3)
      section = lambda do
        Ikra.section do
          text = +"a"
          list = [text]
          world.log << text
          list[0] << "b"
          world.people.peach { |person| person.grow }
        end
      end
      expect(&section).to raise_error(Ikra::UnsupportedError, /\[unsupported-string\]/)
      expect(world.log).to eq([])
    end
  end
end

# frozen_string_literal: true

# Ikra.sync: Ruby in the middle of Ikra.section. Each program runs in plain Ruby and on every back-end; what it has seen
# on the way, what it gives and what the objects are then has to be the same.
module SyncWorlds
  def self.look(things, seen) = Ikra.sync { seen << things.frozen? }

  class Door
    attr_accessor :locked, :width

    def initialize(width)
      @width = width
      @locked = false
    end
  end

  class Body
    attr_accessor :x, :v, :mood, :next

    def initialize(x)
      @x = x
      @v = 1.0
      @mood = :calm
    end

    def step(by) = @x += @v * by
  end

  Pair = Struct.new(:low, :high)

  # Shows itself in the middle of its methods.
  class World
    SHOWN = "x"
    attr_reader :seen, :ticks

    def initialize(bodies, name)
      @bodies = bodies
      @name = name
      @ticks = 0
      @by = 0.5
      @seen = []
    end

    def run(steps)
      steps.times { |step| tick(step) }
      @ticks
    end

    def tick(step)
      @bodies.peach { |body| body.step(@by) }
      @ticks += 1
      shown = 0
      Ikra.sync do
        @seen << [@name, SHOWN, Pair.new(step, @ticks), total, World.name]
        shown = @ticks * 2
        @by += 0.25
      end
      @ticks += shown
    end

    def self.log(bodies, seen)
      bodies.peach { |body| body.step(1) }
      Ikra.sync { seen << [name, SHOWN, sum(bodies)] }
      yield
    end

    def self.sum(bodies) = bodies.sum(&:x)

    private

    def total = @bodies.sum(&:x)
  end
end

RSpec.describe "Ikra.sync" do
  def bodies(count = 5)
    made = Array.new(count) { |i| SyncWorlds::Body.new(i * 1.0) }
    made.each_with_index { |body, i| body.next = made[(i + 1) % count] }
  end

  def state(bodies) = bodies.map { |body| [body.x, body.v, body.mood, bodies.index(body.next)] }

  def outcome(backend, make)
    previous = Ikra.chosen
    Ikra.backend = backend
    base = make.call
    [yield(base, seen = []), seen, state(base)]
  ensure
    Ikra.backend = previous
  end

  # The block is given the bodies, and a list for what it sees.
  def expect_same(make = -> { bodies }, &block)
    expect(outcome(Ikra.chosen, make, &block)).to eq(outcome(:ruby, make, &block))
  end

  each_compiling_backend do
    it "sees what was done so far" do
      expect_same do |all, seen|
        Ikra.section do
          7.times do |step|
            all.peach { |body| body.step(0.5) }
            Ikra.sync { seen << "#{step}: #{all.sum(&:x)}" } if step % 3 == 0
          end
        end
      end
    end

    it "may change numbers, Symbols and references" do
      expect_same do |all, seen|
        pair = SyncWorlds::Pair.new(-1, 2)
        Ikra.section do
          low = pair.low
          6.times do |step|
            all.peach { |body| body.mood == :wild ? body.next.v += 0.5 : body.step(pair.high) }
            Ikra.sync do
              pair.low ^= 7
              pair.high += 1
              seen << low << pair.to_a
              all[step % 5].mood = step.even? ? :wild : :calm
              all[0].next, all[1].next = all[1].next, all[0].next
              all[2], all[3] = all[3], all[2]
            end
            low += pair.low
          end
          low
        end
      end
    end

    it "assigns variables of the section, and those around it" do
      expect_same do |all, seen|
        going = true
        total = 0.0
        count = Ikra.section do
          rounds = 0
          wild = false
          while going
            all.peach { |body| total += body.x }
            all.peach { |body| body.step(0.25) }
            rounds += 1
            Ikra.sync do
              seen << [rounds, total, wild]
              wild = rounds > 3
              rounds += 1 if rounds == 2
              total = 0.0 if wild
              going = rounds < 9
            end
          end
          rounds
        end
        [count, going, total]
      end
    end

    it "stands in methods, whose self, variables and constants it has" do
      expect_same do |all, seen|
        worlds = [SyncWorlds::World.new(all, "a"), SyncWorlds::World.new(all, "b")]
        ticks = Ikra.section { worlds.map { |world| world.run(3) } }
        seen.concat(worlds.flat_map(&:seen))
        [ticks, worlds.map(&:ticks)]
      end
      expect_same do |all, seen|
        Ikra.section { 3.times { |i| SyncWorlds::World.log(all, seen) { Ikra.sync { seen << i } } } }
      end
    end

    it "sees no variables but those that are there" do
      expect_same do |all, seen|
        count = 5
        world = Class.new do
          define_method(:around) { count + 1 }
          def count = 7

          def show(all, seen)
            all.peach { |body| body.step(1) }
            Ikra.sync { seen << count }
          end
        end.new
        Ikra.section { world.show(all, seen) }
      end
    end

    it "is shown arrays that calls gave" do
      expect_same do |all, seen|
        kept = all.map(&:x)
        sum = Ikra.section do
          xs = all.pmap { |body| body.x }
          3.times do |round|
            far = all.pselect { |body| body.x > round }
            kept = kept.each_with_index.pmap { |x, i| x + (kept[i - 1] * 0.5) }
            list = [round, 5]
            Ikra.sync { seen << xs.first(2) << far.size << far.sum(&:x) << kept.sum << list }
            xs = xs.pmap { |x| x * 2 }
            far.peach { |body| body.step(-0.5) }
          end
          xs.sum
        end
        [sum, kept]
      end
    end

    it "is where objects are after an exception later" do
      all = bodies
      expect do
        Ikra.section do
          5.times do |step|
            all.peach { |body| body.step(1.0) }
            Ikra.sync { all[0].v = 7.0 } if step == 1
            all.peach { |body| raise ArgumentError, "far" if body.x > 9 }
          end
        end
      end.to raise_error(ArgumentError, "far")
      expect(all.map(&:x)).to eq([2.0, 3.0, 4.0, 5.0, 6.0])
      expect(all[0].v).to eq(7.0)
    end

    it "raises what its block raises, with its place" do
      all = bodies
      line = nil
      expect do
        Ikra.section do
          all.peach { |body| body.step(1.0) }
          Ikra.sync do
            line = __LINE__ + 1
            raise IOError, "full"
          end
        end
      end.to raise_error(IOError, "full") { |error| expect(error.backtrace.join).to include("#{__FILE__}:#{line}") }
      expect(all.map(&:x)).to eq([1.0, 2.0, 3.0, 4.0, 5.0])
    end

    it "does not run its block again when the section begins again" do
      expect_same do |_, seen|
        numbers = Array.new(1000) { |i| i }
        Ikra.section do
          more = numbers.pmap { |number| number + 1 }
          numbers.size.ptimes { |i| numbers[i] = more[i] }
          Ikra.sync do
            seen << numbers.sum
            numbers[5] = 100
          end
          999.ptimes { |i| numbers[i + 1] += numbers[i] % 7 }
          Ikra.sync { seen << numbers.sum }
          numbers.size.ptimes { |i| numbers[i] += Array.new(i) { |k| k }.sum }
        end
        numbers
      end
    end

    it "runs sections in its block" do
      expect_same do |all, seen|
        Ikra.section do
          3.times do |step|
            all.peach { |body| body.step(0.5) }
            Ikra.sync do
              seen << all.psum { |body| body.x * step }
              Ikra.section { all.peach { |body| body.v += 1 } }
            end
          end
        end
      end
    end

    it "reads and writes columns" do
      expect_same do |_, seen|
        column = Ikra::Column.generate(10, :float64) { |i| i * 1.0 }
        Ikra.section do
          3.times do
            column.size.ptimes { |i| column[i] += 1.0 }
            Ikra.sync do
              seen << column.sum
              column[0] = 50.0
            end
          end
        end
        column.to_a
      end
    end

    it "changes Hashes that elements look into" do
      expect_same do |all, seen|
        gains = { 0 => 10, 1 => 20, 3 => 5 }
        lists = { near: [1, 2], far: [3] }
        Ikra.section do
          5.times do |step|
            all.peach { |body| body.x += (gains[body.x.to_i % 4] || 7) + lists.fetch(:near)[0] }
            Ikra.sync do
              seen << all.sum(&:x)
              gains[1] += 3
              gains[2] = gains.delete(3) if step == 2
              lists[:near][0] += 1
            end
          end
        end
        [gains, lists]
      end
    end

    it "begins and ends where it stands: `next` ends it, names in it are its own" do
      expect_same do |all, seen|
        Ikra.section do
          5.times do |step|
            Ikra.sync do
              text = "at #{step}"
              next if step.odd?

              [1, 2].each { |n| seen << [n, text] }
            end
            all.peach { |body| body.step(1) }
          end
        end
      end
    end
  end

  it "just runs its block elsewhere, and gives nil" do
    seen = []
    expect(Ikra.sync { seen << 1 }).to be_nil
    expect(seen).to eq([1])
    expect { Ikra.sync }.to raise_error(ArgumentError, "sync needs a block")
  end

  it "gives the machine a while without more syncs being done" do
    all = bodies(50)
    seen = []
    ticks = 0
    worker = Thread.new do
      20.times do
        ticks += 1
        sleep 0.001
      end
    end
    Ikra.section do
      10.times do
        all.peach { |body| 1000.times { body.step(0.001) } }
        Ikra.sync { seen << all[0].x }
      end
    end
    worker.join
    expect([seen.size, ticks]).to eq([10, 20])
  end

  it "begins again after an interrupt without running blocks again" do
    all = bodies(2)
    seen = []
    caught = 0
    old = trap("USR1") { caught += 1 }
    Thread.new { 3.times { sleep(0.02) && Process.kill("USR1", Process.pid) } }
    Ikra.section do
      30.times do |step|
        all.peach { |body| 20_000.times { body.step(0.0001) } }
        Ikra.sync { seen << step }
      end
    end
    expect(seen).to eq((0...30).to_a)
    sleep 0.05 while caught < 3
  ensure
    trap("USR1", old)
  end

  it "may assign what its text tells to variables of the section" do
    expect_same do |all, seen|
      Ikra.section do
        by = 1
        leader = 5
        4.times do |t|
          all.peach { |body| body.step(by) }
          seen_by = by
          Ikra.sync do
            seen << [seen_by, leader, t]
            by *= 0.5
            leader = nil if t == 1
            leader ||= 7 if t == 2
          end
        end
        [by, leader]
      end
    end
  end

  it "may have `retry`, and `return` in lambdas, of its own" do
    all = bodies
    seen = []
    Ikra.section do
      all.peach { |body| body.step(1) }
      Ikra.sync do
        tries = 0
        begin
          tries += 1
          raise "once more" if tries < 3
        rescue RuntimeError
          retry
        end
        shown = lambda do |body|
          return :far if body.x > 2

          body.x
        end
        seen << tries << all.map(&shown)
      end
    end
    expect(seen).to eq([3, [1.0, 2.0, :far, :far, :far]])
  end

  it "may make true what was false everywhere, and large what was small" do
    expect_same_program do
      doors = Array.new(3) { |i| SyncWorlds::Door.new(i) }
      flags = [false, false]
      open = Ikra.section do
        count = 0
        3.times do |t|
          doors.each { |door| count += door.width if door.locked }
          count += 1000 if flags[t % 2]
          Ikra.sync do
            doors[t].locked = true
            doors[0].width = 2**40 if t == 1
            flags[1] = true
          end
        end
        count
      end
      [open, doors.map(&:locked), flags]
    end
  end

  # The same in Ruby and here: what it gives, and what it has changed.
  def expect_same_run
    expect_same_program do
      doors = Array.new(3) { |i| SyncWorlds::Door.new(i) }
      [yield(doors), doors.map { |door| [door.width, door.locked] }]
    end
  end

  it "goes on with what references have become" do
    expect_same_run do |_|
      rows = [[1], [2, 2]]
      sizes = Ikra.section do
        n = rows[0].size
        Ikra.sync { rows.reverse! }
        [n, rows[0].size]
      end
      Ikra.section do
        rows[0] << 8
        Ikra.sync { rows.reverse! }
        rows[0] << 9
        nil
      end
      [sizes, rows]
    end
    expect_same_run do |doors|
      Ikra.section do
        seen = []
        doors.size.times { |i| doors[i].locked = doors[0] }
        doors.each do |door|
          seen << door.locked.width << doors.first.width << doors.last.width
          Ikra.sync do
            door.locked = doors[1]
            doors.rotate!
          end
          door.locked.width += 10
          doors[0].width += 100
          seen << door.locked.width << doors.first.width << doors.last.width
        end
        doors.size.times { |i| doors[i].locked = nil }
        seen
      end
    end
  end

  it "goes on with Symbols that objects had not at first" do
    expect_same_run do |doors|
      Ikra.section do
        doors.each { |door| door.locked = :ajar if door.width == 1 }
        Ikra.sync { doors.size }
        doors.each { |door| door.locked = door.locked == :ajar ? :shut : :wide }
        Ikra.sync { doors[0].locked = :ajar }
        doors.map { |door| door.locked == :wide }
      end
    end
  end

  it "stands in a loop, but does not end it by a StopIteration" do
    expect_same_run do |doors|
      stop = false
      Ikra.section do
        i = 0
        loop do
          i += 1
          doors.each { |door| door.width += i }
          Ikra.sync { stop = doors[0].width > 20 }
          break if stop
        end
        i
      end
    end
    ended = -> { Ikra.section { loop { Ikra.sync { raise StopIteration } } } }
    expect(&ended).to raise_error(Ikra::UnsupportedError, /would end the `loop`.*\[unsupported-rescue\]/)
  end

  it "sees arrays and Strings of the section's own as the ones that they are" do
    expect_same_run do |_|
      seen = []
      texts = []
      given = Ikra.section do
        list = []
        text = "a" * 2
        3.times do |i|
          list << i
          text << "b"
          Ikra.sync do
            seen << list
            texts << text
          end
          text << "c" if i == 1
        end
        messages = []
        2.times do |i|
          messages << "m#{i}"
          Ikra.sync do
            texts << messages.join
            messages.clear
          end
        end
        [list, text, messages]
      end
      same = seen.map { |list| list.equal?(given[0]) } + texts.first(3).map { |text| text.equal?(given[1]) }
      [given, seen, texts, same]
    end
  end

  describe "refusals" do
    def message
      yield
      nil
    rescue Ikra::UnsupportedError => e
      e.message
    end

    it "are of what has no meaning in elements and methods" do
      all = bodies
      expect(message { all.peach { |_| Ikra.sync { seen } } }).to include("cannot run in an element [unsupported-sync]")
      method = Class.new { def go(all, n) = Ikra.sync { all }.nil? && n > 0 ? go(all, n - 1) : n }.new
      expect(message { Ikra.section { method.go(all, 3) } }).to include("a method that calls itself, nor")
      shown = -> { Ikra.sync { seen } }
      expect(message { Ikra.section { shown.call } }).to include("in a lambda from around the section")
      block = -> {}
      expect(message { Ikra.section { Ikra.sync(&block) } }).to include("[unsupported-sync]")
      expect(message { Ikra.section { Ikra.sync { return 5 } } }).to include("stands by itself")
      rescued = lambda do
        Ikra.section do
          Ikra.sync { raise "no" }
        rescue RuntimeError
          nil
        end
      end
      expect(message(&rescued)).to include("[unsupported-rescue]")
      ensured = lambda do
        Ikra.section do
          Ikra.sync { raise "no" }
        ensure
          puts "done"
        end
      end
      expect(message(&ensured)).to include("raises ends the section before the `ensure` around it: no (RuntimeError)")
    end

    it "are of other objects, lengths and kinds of values" do
      all = bodies
      grown = lambda do
        Ikra.section do
          all.peach { |body| body.step(1) }
          Ikra.sync { all << SyncWorlds::Body.new(3.0) }
        end
      end
      expect(message(&grown)).to match(/there are other objects .*\[changed-in-sync\]\n(?:.*\n)+  hint: /)
      expect(all.map(&:x)).to eq([1.0, 2.0, 3.0, 4.0, 5.0, 3.0])
      kind = lambda do
        Ikra.section do
          n = 1
          Ikra.sync { n = "text" }
          n
        end
      end
      expect(message(&kind)).to include("has assigned String to `n`")
    end

    it "say which variable it is" do
      doors = Array.new(3) { |i| SyncWorlds::Door.new(i) }
      work = lambda do
        Ikra.section do
          doors.each { |door| door.width += 1 }
          Ikra.sync { doors[1].width = 2.5 }
        end
      end
      expect(message(&work)).to include("`@width` of SyncWorlds::Door holds something of another class than before")
    end

    it "of arrays that only variables hold are refused; they are frozen where the section has frozen them" do
      all = bodies
      changes = [->(xs) { xs << 1 }, ->(xs) { xs[0] = 8 }, ->(xs) { xs.clear }]
      changes.each do |change|
        program = lambda do
          Ikra.section do
            xs = all.pmap { |body| body.x }
            Ikra.sync { change.call(xs) }
          end
        end
        expect(message(&program)).to include("has changed the array `xs`", "changed-in-sync")
      end
      seen = []
      Ikra.section do
        xs = all.pmap { |body| body.x }
        Ikra.sync { seen << xs.frozen? << xs.sum }
        SyncWorlds.look(xs, seen)
      end
      expect(seen).to eq([false, all.sum(&:x), false])
    end
  end
end

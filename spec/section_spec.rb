# frozen_string_literal: true

# Ikra.section: programs with parallel calls in them. Each block runs in plain Ruby and on every back-end, on objects of
# its own; what it gives and what the objects are then has to be the same.
module SectionWorlds
  class Cell
    attr_accessor :value, :following

    def initialize(value)
      @value = value
    end

    def grow(step) = @value += step

    def reach(steps) = steps.zero? ? @value : @following.reach(steps - 1) + 1
  end

  class Cat < Cell
    def grow(step) = @value += 2 * step
  end

  Three = Struct.new(:a, :b, :c)

  # Goes over its items, and gives something else.
  class Shelf
    include Enumerable

    def initialize(items) = @items = items

    def each(&block)
      return enum_for(:each) unless block

      @items.each(&block)
      :shelf
    end

    def to_a = raise
  end

  class Pairs < Shelf
    def each = @items.each { |item| yield item, item + 1 }
    def to_a = map { |a, b| [a, b] }
  end

  class World
    attr_reader :cells, :time

    def initialize(cells)
      @cells = cells
      @time = 0
    end

    def step(by)
      @cells.peach { |cell| cell.grow(by) }
      double
      @time += by
    end

    def double = @cells.peach { |cell| cell.value *= 2 }
  end
end

RSpec.describe "Ikra.section" do
  def cells(count = 20)
    all = Array.new(count) { |i| (i.odd? ? SectionWorlds::Cell : SectionWorlds::Cat).new(i) }
    all.each_with_index { |cell, i| cell.following = all[(i + 1) % count] }
  end

  # What the block gives for new cells, and their values afterwards.
  def outcome(backend, make)
    previous = Ikra.chosen
    Ikra.backend = backend
    base = make.call
    [yield(base), base.map { |item| item.respond_to?(:value) ? item.value : item }]
  ensure
    Ikra.backend = previous
  end

  def expect_same_program(make = -> { cells }, &block)
    expected = outcome(:ruby, make, &block)
    actual = outcome(Ikra.chosen, make, &block)
    expect(plain(actual)).to eq(plain(expected))
  end

  # Objects by their values.
  def plain(value)
    case value
    when Array then value.map { |item| plain(item) }
    when SectionWorlds::Cell then [:cell, value.value]
    else value
    end
  end

  each_compiling_backend do
    it "runs parallel calls in loops, with variables of the code around them" do
      expect_same_program do |base|
        Ikra.section do
          4.times do |round|
            base.peach { |cell| cell.value += round }
            base.peach { |cell| cell.value *= 2 if cell.value > round }
          end
          base.size
        end
      end
    end

    it "gives what elements add up in variables of the driver and around the section" do
      expect_same_program do |base|
        captured = 3
        given = Ikra.section do
          total = 0
          mean = 0.5
          base.peach do |cell|
            total += cell.value
            mean += cell.value * 0.1
            captured += 1
          end
          captured += 1
          [total, mean]
        end
        [given, captured]
      end
    end

    it "goes over what parallel calls gave" do
      expect_same_program do |base|
        Ikra.section do
          large = base.pselect { |cell| cell.value > 5 }
          large.peach { |cell| cell.value += 100 }
          doubled = large.pmap { |cell| cell.value * 2 }
          [doubled.pselect { |x| x > 220 }, doubled.max, doubled.pmap { |x| x * 0.5 }.sum, large.first]
        end
      end
    end

    it "sums, counts and rejects" do
      expect_same_program do |base|
        Ikra.section do
          large = base.preject { |cell| cell.value < 5 }
          [large.psum { |cell| cell.value * 0.5 }, base.pcount { |cell| cell.value > 7 }, large.pmap(&:value).pmax]
        end
      end
    end

    it "goes over ranges, times, and indices" do
      expect_same_program do |base|
        counts = [0] * 10
        Ikra.section do
          10.ptimes { |i| counts[i] = i * 2 }
          base.each_with_index.peach { |cell, i| cell.value += i }
          [(1..10).pmap { |i| i * i }.sum, (1...30).pselect { |i| i % 7 == 0 }, (5..1).pmap { |i| i }, counts[3]]
        end
      end
    end

    it "goes over parts of arrays, Enumerators and Hashes" do
      empty = []
      none = -> { Ikra.section { empty.each_slice(0).pmap(&:size) } }
      expect(&none).to raise_error(ArgumentError, "invalid slice size")
      expect_same_program do |base|
        pairs = base.each_with_index.to_h { |cell, i| [i * 3, cell] }
        Ikra.section do
          base.each_slice(3).peach { |cells| cells.each { |cell| cell.value += cells.size } }
          pairs.peach { |key, cell| cell.value += key }
          pairs.peach_value { |cell| cell.value += 1 }
          base.peach.with_index(1) { |cell, i| cell.value += i }
          made = base.group_by { |cell| cell.value % 3 }.transform_values(&:size)
          [base.each_slice(4).pmap { |cells| cells.sum(&:value) }, base.each_cons(2).pmap do |a, b|
                                                                     (a.value * 2) - b.value
                                                                   end,
           base.each.with_index(5).pmap { |cell, i| cell.value * i }, pairs.pmap { |pair| pair[0] + pair[1].value },
           made.pmap { |key, count| key * count }, 1.step(20, 4).pmap { |i| i * i }, base.each_cons(900).pmap do |_all|
                                                                                       1
                                                                                     end,
           base.each_index.pmap { |i| base[i].value }]
        end
      end
    end

    it "puts arrays together that come of ever the same place" do
      expect_same_program do |base|
        Ikra.section do
          values = base.pmap { |cell| cell.value }
          cells = base.pselect { |cell| cell.value > 3 }
          base.first(4).each_with_index do |_, i|
            values = values.size > 5_000 ? values : values + values
            cells = i.even? ? cells + base : cells + cells
          end
          [values, cells.size, cells.pmap { |cell| cell.value }]
        end
      end
    end

    it "looks at what the elements have computed, until it converges" do
      expect_same_program do |base|
        Ikra.section do
          rounds = 0
          delta = 10.0
          until delta < 0.1
            base.peach { |cell| cell.value *= 0.5 }
            delta = base.pmap { |cell| cell.value }.max
            rounds += 1
          end
          [rounds, delta]
        end
      end
    end

    it "puts arrays in the place of earlier ones" do
      expect_same_program do |_base|
        rods = Array.new(10) { |i| i.to_f }
        Ikra.section do
          now = rods
          5.times do
            before = now
            now = before.each_with_index.pmap { |x, i| (before[i - 1] + x) / 2 }
          end
          now
        end
      end
    end

    it "gives variables around the section arrays that calls gave" do
      expect_same_program do |base|
        rods = [1.0, 2.0, 4.0]
        alive = base
        given = Ikra.section do
          3.times { rods = rods.pmap { |x| x * 0.5 } }
          alive = alive.pselect { |cell| cell.value > 5 }
          alive.peach { |cell| cell.value += rods.size }
          rods[1]
        end
        [rods, given, alive]
      end
    end

    it "runs a section inside of it as a part" do
      expect_same_program do |base|
        Ikra.section { Ikra.section { base.peach { |cell| cell.value += 1 } } && base.size }
      end
    end

    it "runs methods that have parallel calls in them" do
      expect_same_program do |base|
        world = SectionWorlds::World.new(base)
        Ikra.section { 3.times { |i| world.step(i) } }
        world.time
      end
    end

    it "reads and writes objects in the code around the calls" do
      expect_same_program do |base|
        Ikra.section do
          base.peach { |cell| cell.value += 1 }
          base[2].value += 5
          by = base[2].value
          base.peach { |cell| cell.value += by }
          base.first.following.value
        end
      end
    end

    it "runs for ticks, of which a variable may tell the number" do
      expect_same_program do |base|
        Ikra.section do
          base.peach(7) { |cell| cell.value += 1 }
          3.times { |i| base.peach(i) { |cell| cell.value *= 3 } }
        end
      end
    end

    it "hands arrays that it makes to elements, and goes over them" do
      expect_same_program do |base|
        Ikra.section do
          list = []
          5.times { |i| list << (i * 2) }
          first = [base[0], base[1]]
          first.peach { |cell| cell.value += 1 }
          base.select { |cell| cell.value > 5 }.peach { |cell| cell.value += 1 }
          base.each_slice(7) { |part| part.peach { |cell| cell.value += 1 } }
          base.pmap { |cell| list[cell.value % 5] }
        end
      end
    end

    it "takes lambdas, symbols and blocks handed on" do
      expect_same_program do |base|
        outer = ->(x) { x * 3 }
        Ikra.section do
          factor = 4
          inner = ->(x) { x * factor }
          [base.pmap { |cell| outer.call(inner.call(cell.value)) }.sum, base.pmap(&:value).max]
        end
      end
    end

    it "handles what is raised in the code around the calls" do
      expect_same_program do |base|
        Ikra.section do
          base.peach { |cell| cell.value += 1 }
          10 / (base[0].value - 1)
        rescue ZeroDivisionError
          base.peach { |cell| cell.value += 2 }
          7
        end
      end
    end

    it "runs elements in order where they conflict" do
      expect_same_program do |base|
        Warnings.without { Ikra.section { 3.times { base.peach { |cell| cell.value += cell.following.value } } } }
      end
    end

    it "handles an object that stands in the array several times once after the other" do
      expect_same_program(-> { cells + (cells(3) * 2) }) do |base|
        Ikra.section { base.peach { |cell| cell.value = (cell.value * 2) + 1 } && nil }
      end
    end

    it "goes over arrays with and without such objects by turns" do
      expect_same_program do |base|
        twice = base.values_at(2, 5, 2, 7, 11, 5)
        Ikra.section do
          2.times do
            twice.peach { |cell| cell.value += 3 }
            base.each_with_index.peach { |cell, i| cell.value = (cell.value * 2) + i }
          end
        end
      end
    end

    it "changes nothing when an element or the code around it raises" do
      base = cells
      sum = 1
      program = lambda do |at|
        Ikra.section do
          sum += 1
          base.peach { |cell| cell.value += 1 }
          base.peach { |cell| raise ArgumentError, "at #{cell.value}" if cell.value == at }
          raise IndexError, "no" if base[3].value == 4
        end
      end
      expect { program.call(7) }.to raise_error(ArgumentError, "at 7") { |e| expect(e.element_index).to eq(6) }
      expect { program.call(100) }.to raise_error(IndexError, "no") { |e| expect(e.element_index).to be_nil }
      expect([sum, base.map(&:value)]).to eq([1, [*0...20]])
    end

    it "names the variable of the code around them that elements conflict over, and runs them in order" do
      program = lambda do |base|
        Ikra.section do
          last = 1
          base.pmap { |cell| last = (last * 3) + cell.value }
        end
      end
      previous = Ikra.conflicts
      Ikra.conflicts = :raise
      expect { program.call(cells) }.to raise_error(Ikra::ConflictError, /conflict over the variable `last`/)
      Ikra.conflicts = :in_order
      Warnings.without { expect_same_program(&program) }
    ensure
      Ikra.conflicts = previous
    end

    it "calls methods that call themselves in elements and around them" do
      expect_same_program do |base|
        Ikra.section do
          base.first.reach(3)
          base.peach { |cell| cell.value = cell.reach(2) }
          base.last.reach(4)
        end
      end
    end

    it "keeps what it has changed before its first call, whatever elements defer" do
      expect_same_program do |base|
        total = 5
        Ikra.section do
          total -= 1
          last = nil
          base.peach { |cell| 40.times { |i| last = cell.value + i } }
          last
        end
        total
      end
    end

    it "refuses to raise again in elements what is rescued around them" do
      base = cells
      program = lambda do
        Ikra.section do
          base.first.value / 0
        rescue ZeroDivisionError
          base.peach { |_cell| raise }
        end
      end
      expect(&program).to raise_error(Ikra::UnsupportedError, /unsupported-raise/)
    end

    it "tells that an `ensure` around a parallel call would have done something when an element has raised" do
      base = cells
      shown = lambda do
        Ikra.section do
          base.peach { |cell| cell.value += 10 / (5 - cell.value) }
        ensure
          base.peach { |cell| cell.value = 0 }
        end
      end
      # Of what is only assigned nobody sees anything.
      assigned = lambda do
        Ikra.section do
          base.peach { |cell| cell.value += 10 / (5 - cell.value) }
        ensure
          @ended = true
        end
      end
      expect(&shown).to raise_error(Ikra::UnsupportedError, /divided by 0 .*\[unsupported-ensure\]/) do |e|
        expect(e.cause).to be_a(ZeroDivisionError)
      end
      expect(&assigned).to raise_error(ZeroDivisionError)
      Ikra.fallback = :ruby
      allow(Warning).to receive(:warn)
      expect(&shown).to raise_error(ZeroDivisionError)
    ensure
      Ikra.fallback = :raise
    end

    it "refuses to rescue what an element has raised, as the others have changed things" do
      base = cells
      program = lambda do
        Ikra.section do
          base.peach { |cell| cell.value += 10 / (5 - cell.value) }
        rescue ZeroDivisionError
          base.peach { |cell| cell.value = 0 }
        end
      end
      expect(&program).to raise_error(Ikra::UnsupportedError, /divided by 0 .*\[unsupported-rescue\]/) do |e|
        expect([e.element_index, e.cause.class]).to eq([5, ZeroDivisionError])
      end
      expect(base.map(&:value)).to eq([*0...20])
      other = lambda do
        Ikra.section do
          base.peach { |cell| cell.value += 10 / (5 - cell.value) }
        rescue IndexError
          nil
        end
      end
      expect(&other).to raise_error(ZeroDivisionError)
    end

    it "refuses elements that change the array which they are, and no other of its kind" do
      numbers = [3, 4, 5]
      others = [6, 7, 8]
      expect(Ikra.section { numbers.each_with_index.peach { |x, i| others[i] = x } }).to equal(numbers)
      given = Ikra.section { numbers.each_with_index.pmap { |x, i| others[i] = x * 2 } }
      expect([given, others, numbers]).to eq([[6, 8, 10], [6, 8, 10], [3, 4, 5]])
      changing = -> { Ikra.section { numbers.peach { |x| numbers[2] = x } } }
      expect(&changing).to raise_error(Ikra::UnsupportedError, /changing-base/)
      expect(numbers).to eq([3, 4, 5])
    end

    it "puts arrays in the place of those that are needed no more, and of no others" do
      expect_same_program do |_base|
        Ikra.section do
          first = (0..9).pmap { |i| i }
          now = first
          older = now
          kept = now
          largest = 0
          9.times do |round|
            older = now
            now = older.each_with_index.pmap { |x, i| x + older[i - 1] + kept[i % kept.size] }
            kept = now.pselect { |x| x % (round + 2) != 0 } if round % 3 == 1
            now.each { |x| largest = (1..3).pmap { |i| i + x }.max if x > largest }
          end
          [now, older, kept, first, largest]
        end
      end
    end

    it "goes through arrays in the place of which calls in there put others" do
      expect_same_program do |_base|
        first = (1..5).pmap { |x| x + 1 }
        second = (1..3).pmap { |x| x * 2 }
        2.times do
          first.each { |x| first = second.pmap { |y| y + 1.5 } if x == 4 }
          second.each { |x| first.each { |y| second = first.pmap { |z| z + y } if x == 4 } }
        end
        [first, second]
      end
    end

    it "gives memory back while it runs" do
      rounds = Ikra.chosen == :cpu ? 10_000 : 10
      items = Array.new(10_000) { |i| i * 0.5 }
      plain = ->(now) { now.each_with_index.map { |x, i| (x + now[i - 1]) * 0.5 } }
      run = lambda do |count|
        Ikra.section do
          now = items
          count.times { now = now.each_with_index.pmap { |x, i| (x + now[i - 1]) * 0.5 } }
          now.sum
        end
      end
      expect(run.call(10)).to eq(10.times.reduce(items) { |now, _| plain.call(now) }.sum)
      before = File.read("/proc/self/status")[/VmRSS:\s+(\d+)/, 1].to_i
      # Means of neighbours have the sum of all items, but for rounding.
      expect(run.call(rounds)).to be_within(1e-3).of(items.sum)
      # All of them would be 800 MB.
      expect(File.read("/proc/self/status")[/VmRSS:\s+(\d+)/, 1].to_i - before).to be < 16_000
    end

    it "goes over Sets, Structs and what has an `each` of its own, as outside of sections" do
      items = [Set[3, 1, 2], SectionWorlds::Three.new(3, 1, 2), SectionWorlds::Shelf.new([3, 1, 2]), Set[],
               SectionWorlds::Shelf.new([])]
      items.each do |all|
        make = -> { [all] }
        expect_same_program(make) { Ikra.section { [all.pmap { |x| x * 2 }, all.psum { |x| x + 1 }, all.psum] } }
        expect_same_program(make) { Ikra.section { [all.pselect(&:odd?), all.preject(&:odd?)] } }
        expect_same_program(make) { Ikra.section { all.pcount(&:odd?) } }
        expect_same_program(make) { Ikra.section { 3.times.sum { |n| all.pmap { |x| x * n }.size } } }
        expect_same_program(make) { Ikra.section { all.each_with_index.pmap { |x, i| x * i } } }
      end
      doubled = Ikra.section { items.pmap { |all| all.pmap { |x| x * 2 } } }
      expect(doubled).to eq(items.map { |all| all.map { |x| x * 2 } })
    end

    it "gives what their `each` gives, and changes what they hold" do
      set = Set.new(cells)
      expect(Ikra.section { set.peach(2) { |cell| cell.grow(1) } }).to equal(set)
      expect(set.map(&:value)).to eq(cells.map { |cell| cell.tap { 2.times { cell.grow(1) } }.value })
      shelf = SectionWorlds::Shelf.new([1, 2])
      expect(Ikra.section { shelf.peach { |x| x } }).to eq(:shelf)
      made = Ikra.section { [SectionWorlds::Three.new(1, 2, 3).pmap { |x| -x }, ("a".."c").pmap { |x| x * 2 }] }
      expect(made).to eq([[-1, -2, -3], %w[aa bb cc]])
    end

    it "selects pairs of Hashes" do
      hash = { a: 1, b: 2, c: [3] }
      expect_same_program(-> { [] }) { Ikra.section { hash.pselect { |key, value| key != :b && value != 1 } } }
      expect_same_program(-> { [] }) { Ikra.section { hash.pselect { |key| key == :a } } }
      expect_same_program(-> { [] }) { Ikra.section { hash.preject { |key| key == :a } } }
      expect_same_program(-> { [] }) { Ikra.section { hash.pcount { |key, value| key == :a || value == 2 } } }
      expect_same_program(-> { [] }) { Ikra.section { hash.pcount { |pair| pair == [:a, 1] } } }
      expect_same_program(-> { [] }) { Ikra.section { (1..9).to_h { |x| [x, x * x] }.pselect { |_, x| x > 20 }.keys } }
    end

    it "refuses an `each` that yields several values at once" do
      pairs = SectionWorlds::Pairs.new([1, 2])
      expect { Ikra.section { pairs.pmap { |x| x } } }.to raise_error(Ikra::UnsupportedError, /unsupported-base.*to_a/m)
      expect(Ikra.section { pairs.to_a.pmap { |x| x } }).to eq([[1, 2], [2, 3]])
    end

    it "draws other random numbers in each launch" do
      Ikra.srand(5)
      draws = Ikra.section { [4.times.to_a.pmap { |_| rand }, 4.times.to_a.pmap { |_| rand }, rand] }
      expect(draws.flatten.uniq.size).to eq(9)
      Ikra.srand(5)
      again = Ikra.section { [4.times.to_a.pmap { |_| rand }, 4.times.to_a.pmap { |_| rand }, rand] }
      expect(again).to eq(draws)
    end

    it "refuses what it cannot do, and says where" do
      base = cells
      expect do
        Ikra.section do
          base.peach do |cell|
            break cell
          end
        end
      end.to raise_error(Ikra::UnsupportedError, /unsupported-break/)
      store = -> { Ikra.section { base[0].following = (1..(base.pcount { |cell| cell.value > 1 })) } }
      expect(&store).to raise_error(Ikra::UnsupportedError, /unsupported-store/)
    end
  end

  it "needs a block" do
    expect { Ikra.section }.to raise_error(ArgumentError, "section needs a block")
  end

  it "runs in plain Ruby where that is chosen" do
    previous = Ikra.chosen
    Ikra.backend = :ruby
    expect(Ikra.section { [1, 2].pmap { |x| x.to_s } }).to eq(%w[1 2])
  ensure
    Ikra.backend = previous
  end
end

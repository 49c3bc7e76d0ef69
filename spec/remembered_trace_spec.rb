# frozen_string_literal: true

# From the third call of a version on, what the last one has found is not looked for again: the answer is that of the
# objects as they are now.
class RememberedItem
  attr_accessor :a, :b, :c

  def initialize(number)
    @a = number + 0.5
    @b = number * 0.25
    @c = 0.0
  end
end

# Refers to others, and has a list.
class RememberedCar
  attr_accessor :street, :behind, :speeds, :place

  def initialize(street, number)
    @street = street
    @speeds = [number * 0.5, number + 1.0]
    @place = number
    @behind = nil
  end
end

class RememberedStreet
  attr_accessor :limit, :next_ones

  def initialize(limit)
    @limit = limit
    @next_ones = []
  end
end

RememberedSmall = Class.new(RememberedItem)
RememberedPair = Struct.new(:a, :b, :c)

each_backend(%i[ruby cpu] & Backends::ALL) do |backend|
  let(:section) { ->(base) { base.peach { |o| o.c = o.a + o.b } } }
  let(:items) { Array.new(600) { |i| RememberedItem.new(i) } }

  # How often what was remembered was right, and how often wrong, while the block ran.
  def recalls
    native = Ikra.const_get(:Native)
    before = native.recalls
    yield
    native.recalls.zip(before).map { |now, then_| now - then_ }
  end

  # Calls the section, and compares with what Ruby makes of copies.
  def expect_as_ruby(base, run = section)
    copies = {}.compare_by_identity
    twins = base.map { |item| copies[item] ||= item.clone(freeze: item.frozen?) }
    expected = outcome_of { twins.each { |o| o.c = o.a + o.b } }
    actual = outcome_of { run.call(base) }
    expect(actual).to eq(expected)
    expect(base.map { |item| parts(item) }).to eql(twins.map { |twin| parts(twin) }) if expected.nil?
  end

  def outcome_of
    yield
    nil
  rescue StandardError => e
    # Without the snippet of error_highlight.
    [e.class, e.message.lines.first.chomp]
  end

  def parts(item)
    return item.to_a if item.is_a?(Struct)

    item.instance_variables.map { |name| [name, item.instance_variable_get(name)] }
  end

  # Calls it so often that something is remembered, changes the objects, and calls it again.
  def changed(base = items, run = section)
    3.times { expect_as_ruby(base, run) }
    yield base
    3.times { expect_as_ruby(base, run) }
  end

  if backend == :cpu
    it "finds the objects again from the third call on" do
      run = ->(base) { base.peach { |o| o.c = o.a + o.b } }
      expect(recalls { 2.times { run.call(items) } }).to eq([0, 0])
      expect(recalls { 5.times { run.call(items) } }).to eq([5, 0])
    end

    it "gives it up for a while after two misses in a row" do
      run = ->(base) { base.peach { |o| o.c = o.a + o.b } }
      bases = Array.new(4) { items.map(&:dup) }
      expect(recalls { 3.times { bases.each(&run) } }).to eq([0, 2])
      expect(recalls { 60.times { run.call(items) } }.first).to be > 30
    end

    it "remembers nothing where no memory may stay, and nothing once that is released" do
      run = ->(base) { base.peach { |o| o.c = o.a + o.b } }
      expect(recalls { 3.times { run.call(items) } }).to eq([1, 0])
      Ikra.release_memory
      expect(recalls { 2.times { run.call(items) } }).to eq([1, 0])
      Ikra.kept_memory = 0
      expect(recalls { 4.times { run.call(items) } }).to eq([1, 0])
      expect_as_ruby(items)
    ensure
      Ikra.kept_memory = nil
    end

    it "remembers again when one base has taken the place of another" do
      run = ->(base) { base.peach { |o| o.c = o.a + o.b } }
      3.times { run.call(items) }
      others = items.map(&:dup)
      expect(recalls { 4.times { run.call(others) } }).to eq([3, 1])
    end

    it "remembers bases of several classes, and of objects that stand there twice" do
      mixed = Array.new(600) { |i| [RememberedItem, RememberedSmall][i % 7 % 2].new(i) }
      [mixed, items + items.first(3), items.shuffle(random: Random.new(1))].each do |base|
        run = ->(all) { all.peach { |o| o.c = o.a + o.b } }
        2.times { run.call(base) }
        expect(recalls { expect_as_ruby(base, run) }).to eq([1, 0])
      end
    end

    it "remembers Structs" do
      run = ->(base) { base.peach { |o| o.c = o.a + o.b } }
      pairs = Array.new(300) { |i| RememberedPair.new(i, i * 2) }
      3.times { expect_as_ruby(pairs, run) }
      expect(recalls { changed(pairs, run) { pairs[7].a = 2.5 } }.first).to be > 3
    end

    it "keeps nothing alive" do
      kind = Class.new(RememberedItem)
      make = lambda do
        base = Array.new(100) { |i| kind.new(i) }
        3.times { section.call(base) }
        nil
      end
      make.call
      Thread.new { make.call }.join
      Array.new(10) { |i| [i] * 100 }
      2.times { GC.start }
      # Something may look like a pointer on the stack.
      expect(ObjectSpace.each_object(kind).count).to be < 150
      expect_as_ruby(items)
    end
  end

  it "sees that an object has been replaced" do
    changed { |base| base[300] = RememberedItem.new(7) }
  end

  it "sees that all have been replaced, in an array of the same length" do
    changed { |base| base.map!(&:dup) }
  end

  it "sees that one stands there twice" do
    run = ->(base) { base.peach { |o| o.c = o.a + (o.b += 1.0) } }
    3.times { run.call(items) }
    items[5] = items[500]
    b = items[5].b
    2.times { run.call(items) }
    expect(items[5].b).to eq(b + 4)
  end

  it "sees that the base has got longer, shorter, or another order" do
    changed { |base| base << RememberedItem.new(1) }
    changed { |base| base.pop(10) }
    changed { |base| base.rotate!(3) }
  end

  it "sees what an array shares its memory with" do
    shared = items.first(400)
    changed(shared) { items[3] = RememberedItem.new(9) }
    changed(shared) { shared[3] = RememberedItem.new(10) }
    changed(items.drop(10)) { |base| base.shift }
  end

  it "sees that an object is frozen, and changes nothing" do
    3.times { section.call(items) }
    items.each { |item| item.a += 1 }
    items[450].freeze
    before = items.map(&:c)
    2.times do
      expect { section.call(items) }.to raise_error(FrozenError) if backend != :ruby
      expect(items.map(&:c)).to eq(before) if backend != :ruby
    end
    items[450] = items[450].dup
    3.times { expect_as_ruby(items) }
  end

  it "sees methods of one object, and that a method is another" do
    3.times { section.call(items) }
    def (items[3]).a = 1000.0
    items[3].extend(Module.new { def b = -1.0 }) if backend == :ruby
    2.times do
      next expect_as_ruby(items) if backend == :ruby

      expect { section.call(items) }.to raise_error(Ikra::UnsupportedError, /singleton method `a`/)
    end
    items[3] = items[2].dup
    changed { RememberedItem.class_eval { def b = @b * 2 } }
  ensure
    RememberedItem.class_eval { attr_reader :b }
  end

  it "sees instance variables that come and go" do
    changed { |base| base[9].instance_variable_set(:@d, 1) }
    changed { |base| base[10].remove_instance_variable(:@c) }
    changed do |base|
      base[11] = RememberedItem.allocate
      %i[@c @b @a].each { |name| base[11].instance_variable_set(name, 2.0) }
    end
    changed { |base| base.each { |item| 10.times { |i| item.instance_variable_set(:"@v#{i}", i) } } }
    changed { |base| base[12].remove_instance_variable(:@a) }
  end

  [0.0, -0.0, 1e300, 1e-300, Float::NAN, 3, 2**40, 2**64, nil, "x", [1], 2r, :b].each do |value|
    it "sees that a variable holds #{value.inspect}" do
      3.times { section.call(items) }
      [0, 255, 256, 599].each { |index| items[index].a = value }
      items.each { |item| item.b += 1.0 } if value.is_a?(Float)
      twins = items.map(&:dup)
      expected = outcome_of { twins.each { |o| o.c = o.a + o.b } }
      actual = outcome_of { section.call(items) }
      next expect(actual).not_to be_nil if expected
      # What Ruby does, a section may refuse.
      next expect(actual.first.name).to start_with("Ikra::") if actual

      expect(items.map(&:c).map(&:to_s)).to eql(twins.map(&:c).map(&:to_s))
    end
  end

  it "sees Integers that get large" do
    run = ->(base) { base.peach { |o| o.c = o.a + o.b } }
    base = Array.new(300) { |i| RememberedItem.new(0).tap { |o| o.a = o.b = i } }
    [2**20, 2**31, 2**40, 2**61, 2.5].each do |number|
      2.times { expect_as_ruby(base, run) }
      base[299].a = number
      2.times { expect_as_ruby(base, run) }
    end
  end

  it "sees an object that has another class at the place of one that is gone" do
    run = ->(base) { base.peach { |o| o.c = o.a + o.b } }
    base = Array.new(500) { |i| RememberedItem.new(i) }
    5.times do
      3.times { expect_as_ruby(base, run) }
      base.map!.with_index { |_, i| (i.even? ? RememberedSmall : RememberedItem).new(i) }
      GC.start
      base.map!.with_index { |_, i| (i.odd? ? RememberedSmall : RememberedItem).new(i) }
    end
  end

  it "finds what GC.compact has moved" do
    skip "nothing is moved here" unless GC.respond_to?(:compact)
    changed { GC.compact }
  rescue NotImplementedError
    skip "nothing is moved here"
  end

  it "works where garbage is collected all the time" do
    few = items.first(40)
    run = lambda do |base|
      GC.stress = true
      section.call(base)
    ensure
      GC.stress = false
    end
    changed(few, run) { |base| base[3] = RememberedItem.new(4) }
  end

  it "reads what another thread has changed since" do
    3.times { section.call(items) }
    Thread.new { items.each { |item| item.a += 2.0 } }.join
    3.times { expect_as_ruby(items) }
    stop = false
    others = Array.new(2) { Thread.new { items.sample.b += 1.0 until stop } }
    20.times { section.call(items) }
    stop = true
    others.each(&:join)
    3.times { expect_as_ruby(items) }
  end

  it "finds numbers and nil between the objects" do
    run = ->(base) { base.pmap { |o| o.is_a?(RememberedItem) ? o.a : o } }
    base = [1, nil, 2.5, true, *items]
    3.times { expect(run.call(base)).to eql([1, nil, 2.5, true, *items.map(&:a)]) }
    base[0] = 1e300
    3.times { expect(run.call(base)).to eql([1e300, nil, 2.5, true, *items.map(&:a)]) }
  end

  it "knows the keys and values of a Hash" do
    hash = items.each_with_index.to_h { |item, i| [i, item] }
    run = -> { hash.pmap { |key, item| item.a + key } }
    3.times { expect(run.call).to eql(hash.map { |key, item| item.a + key }) }
    hash[3] = hash[4]
    hash.delete(5)
    3.times { expect(run.call).to eql(hash.map { |key, item| item.a + key }) }
  end

  it "knows objects with their indices" do
    run = -> { items.each_with_index.peach { |item, i| item.c = item.a + i } }
    3.times do
      run.call
      items.rotate!
    end
    3.times { run.call }
    expect(items.map(&:c)).to eql(items.each_with_index.map { |item, i| item.a + i })
  end

  describe "of objects that refer to others" do
    # Streets that lead to streets, and cars on them, each behind another one.
    let(:streets) do
      all = Array.new(60) { |i| RememberedStreet.new(10.0 + i) }
      all.each_with_index { |street, i| street.next_ones = [all[i * 7 % 60], all[i * 11 % 60]] }
    end
    let(:cars) do
      all = Array.new(400) { |i| RememberedCar.new(streets[i * 13 % 60], i) }
      all.each_with_index { |car, i| car.behind = all[i - 1] if i % 5 > 0 }
    end
    let(:speed) { ->(base) { base.pmap { |car| RememberedCars.speed(car) } } }

    # What an answer needs of a car.
    module RememberedCars
      def self.speed(car)
        limits = car.street.next_ones.sum(&:limit) + car.street.limit
        [limits, car.behind.nil? ? 0 : car.behind.place, car.speeds[0] + car.speeds[-1], car.place]
      end
    end

    def expect_speeds(base = cars)
      expected = actual = nil
      expected = outcome_of { expected = base.map { |car| RememberedCars.speed(car) } } || expected
      actual = outcome_of { actual = speed.call(base) } || actual
      expect(actual).to eql(expected)
    end

    def changed_cars(base = cars)
      3.times { expect_speeds(base) }
      yield
      3.times { expect_speeds(base) }
    end

    if backend == :cpu
      it "finds them again" do
        run = ->(base) { base.pmap { |car| [car.street.next_ones[1].limit, car.behind.nil?, car.speeds[1]] } }
        expected = cars.map { |car| [car.street.next_ones[1].limit, car.behind.nil?, car.speeds[1]] }
        expect(recalls { 4.times { expect(run.call(cars)).to eql(expected) } }).to eq([2, 0])
        expect(recalls { cars[7].speeds[1] += 1 and run.call(cars) }).to eq([1, 0])
        expect(recalls { cars[7].speeds = [1.0, 2.0] and run.call(cars) }).to eq([0, 1])
      end

      it "finds captured ones again" do
        first = streets.first
        list = streets.last(5)
        run = -> { cars.pmap { |car| car.place + first.limit + list.sum(&:limit) } }
        expect(recalls { 4.times { run.call } }).to eq([2, 0])
        first.limit += 1
        list[2] = streets[3]
        expect(run.call).to eql(cars.map { |car| car.place + first.limit + list.sum(&:limit) })
        first = streets[4]
        2.times { expect(run.call).to eql(cars.map { |car| car.place + first.limit + list.sum(&:limit) }) }
      end
    end

    it "sees that a reference is another" do
      changed_cars { cars[200].street = streets[3] }
      changed_cars { cars[201].street = RememberedStreet.new(1.5) }
      changed_cars { cars[202].behind = cars[300] }
      changed_cars { cars[203].behind = nil }
      changed_cars { cars.each { |car| car.behind = nil } }
      changed_cars { cars[399].behind = cars[398] }
    end

    it "sees what is far behind" do
      changed_cars { streets[5].limit = 3.5 }
      changed_cars { streets[6].next_ones[1] = streets[7] }
      changed_cars { streets[8].next_ones = [streets[9], streets[10]] }
      changed_cars { streets[11].next_ones << streets[12] }
      changed_cars { streets[13].next_ones.clear }
      changed_cars { streets[14].next_ones[0] = RememberedStreet.new(2.5).tap { |s| s.next_ones = [streets[1]] } }
      changed_cars { streets[15].limit = 7 }
    end

    it "sees lists that are longer, shorter, shared or others" do
      changed_cars { cars[20].speeds << 9.5 }
      changed_cars { cars[21].speeds = cars[22].speeds }
      changed_cars { cars[23].speeds.replace([1, 2]) }
      changed_cars { cars[24].speeds = Array.new(300, 0.25) }
      changed_cars { cars[25].speeds.freeze }
      changed_cars { cars[26].speeds.shift }
    end

    it "sees objects at the places of others that are gone" do
      4.times do
        changed_cars do
          cars.each { |car| car.speeds = car.speeds.map { |speed| speed + 1 } }
          GC.start
          cars.each_slice(2) { |car, _| car.speeds = car.speeds.dup }
          cars.first(5).each { |car| car.street = streets.sample(random: Random.new(1)).dup }
          GC.start
        end
      end
    end

    it "sees what is of another class there" do
      changed_cars { cars[30].behind = Struct.new(:place).new(5) }
      changed_cars { cars[30].behind = cars[29] }
      changed_cars { streets[0].limit = nil }
      changed_cars { streets[0].limit = 1.0 }
    end

    it "writes into what it has found again" do
      run = lambda do |base|
        base.peach do |car|
          car.place += 1
          car.speeds[1] = car.place * 0.5
        end
      end
      3.times { run.call(cars) }
      cars[50].speeds = [7.0, 8.0]
      3.times { run.call(cars) }
      expect(cars.map(&:place)).to eq((6..405).to_a)
      expect(cars.map { |car| car.speeds[1] }).to eql(cars.map { |car| car.place * 0.5 })
      cars[51].speeds.freeze
      before = cars.map { |car| car.speeds.dup }
      next if backend == :ruby

      2.times { expect { run.call(cars) }.to raise_error(FrozenError) }
      expect(cars.map(&:speeds)).to eql(before)
    end

    it "moves cars to other streets" do
      run = lambda do |base|
        base.peach { |car| car.street = car.street.next_ones[car.place % 2] }
      end
      twins = cars.map(&:street)
      6.times do
        twins = twins.each_with_index.map { |street, i| street.next_ones[i % 2] }
        run.call(cars)
        expect(cars.map(&:street).zip(twins).all? { |one, other| one.equal?(other) }).to be(true)
      end
    end

    it "knows an array in the base of which an object knows it too" do
      cars.first.speeds = cars
      run = -> { cars.pmap { |car| car.place } }
      4.times { expect(run.call).to eq((0..399).to_a) }
    end

    it "works where garbage is collected all the time" do
      few = cars.first(20)
      3.times { expect_speeds(few) }
      GC.stress = true
      given = Array.new(2) { speed.call(few) }
      few[3].street = streets[1]
      given << speed.call(few)
      GC.stress = false
      expect(given[0]).to eql(given[1])
      expect(given[2]).to eql(few.map { |car| RememberedCars.speed(car) })
    ensure
      GC.stress = false
    end

    it "finds what GC.compact has moved" do
      changed_cars { GC.compact }
    rescue NotImplementedError
      skip "nothing is moved here"
    end

    it "knows a linked list" do
      run = ->(base) { base.psum { |car| car.place + (car.behind.nil? ? 0 : RememberedChains.length(car.behind)) } }
      chain = Array.new(200) { |i| RememberedCar.new(nil, i) }
      chain.each_cons(2) { |one, other| one.behind = other }
      heads = chain.values_at(0, 10, 150)
      expected = -> { heads.sum { |car| car.place + (car.behind.nil? ? 0 : RememberedChains.length(car.behind)) } }
      3.times { expect(run.call(heads)).to eq(expected.call) }
      chain[100].behind = nil
      3.times { expect(run.call(heads)).to eq(expected.call) }
      chain[100].behind = chain[20].dup.tap { |car| car.behind = nil }
      3.times { expect(run.call(heads)).to eq(expected.call) }
    end

    # Goes along a chain.
    module RememberedChains
      def self.length(car)
        count = 1
        while (following = car.behind)
          car = following
          count += 1
        end
        count
      end
    end
  end
end

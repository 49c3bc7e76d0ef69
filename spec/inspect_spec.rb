# frozen_string_literal: true

# What `to_s`, `inspect` and `join` give of what is no String.
module Inspecting
  Point = Struct.new(:x, :y)
  None = Struct.new(:a) { def to_s = "none of #{a}" }
  # Says itself what it is.
  class Named
    def initialize(name) = @name = name
    def to_s = "named #{@name}"
    def inspect = "<#{@name}>"
  end

  # Nothing but what all objects have says what they are.
  class Car
    attr_accessor :a, :b, :c, :d

    def initialize(first, second)
      @a = first
      @b = second
    end
  end

  class Truck < Car
    def initialize(*)
      super
      @load = 3.5
    end
  end

  # Has that told, and more.
  class Told
    attr_accessor :inner

    def initialize(value, inner)
      @value = value
      @inner = inner
    end

    def inspect = "<#{super}>"
    def to_s = "told"
  end
end

each_backend do
  # The encodings of Strings, too.
  def expect_same_texts(values, &block)
    expect_same(values, &block)
    told = ->(results) { results.flatten.grep(String).map(&:encoding) }
    expect(told.(values.pmap(&block))).to eq(told.(values.map(&block)))
  end

  let(:floats) do
    random = Random.new(3)
    [0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3.0, 2 / 3.0, 100.0, 1e14, 1e15, 1e16, 1e22, 1e23, 1e100, 1e-4, 1e-5, 123e-7, 5e-324,
     2.2250738585072014e-308, Float::MAX, Float::NAN, Float::INFINITY, -Float::INFINITY, 9_007_199_254_740_993.0,
     4_503_599_627_370_497.5, 3_128_166_730_100_831.5, 2.0**70, 2.0**-44, 12.34, 1234.5678] +
      Array.new(60) { [random.rand(2**64)].pack("Q").unpack1("D") } + Array.new(60) { random.rand } +
      Array.new(60) { random.rand(10**7) / 100.0 }
  end

  it "writes Floats with as few digits as they need" do
    expect_same_texts(floats) { |x| [x.to_s, x.inspect, "#{x}"] }
  end

  it "gives the even one of two texts that are as near" do
    r = Random.new(7)
    halves = Array.new(500) { (r.rand(2**50) / 8.0) + (2**49) } + [900_719_925_474_099.25, -900_719_925_474_099.75]
    others = Array.new(500) { r.rand((2**52)...(2**53)).to_f * (2.0**r.rand(-12..12)) }
    expect_same_texts(halves + others) { |x| [x.to_s, "#{x}|"] }
  end

  it "joins arrays" do
    expect_same_texts([1, 2]) { |x| [[x, "a", :b, nil, 2.5, "é"].join("-"), [x, x].join, [].join(","), ["é", x].join(" ")] }
    expect_same_texts([%w[a b], ["é", "b"], [], ["x"]]) { |list| [list.join, list.join(", "), list.join("é")] }
    expect_same_texts([[1, 2, 3], [4], []]) { |list| [list.join(";"), list.map { |x| "<#{x}>" }.join] }
    expect_same_texts([1, 2]) { |x| [Inspecting::Named.new(x), Inspecting::None.new(x)].join("+") }
    expect_same([1, :a]) { |x| [1, 2].join(x) }
  end

  it "inspects Symbols" do
    names = %i[a A a? b! c= @a @@b $c _ é + [] []= ! <=> ` $1 $! $-w if nil] +
            [:"a b", :"1a", :"a?=", :"@1", :"", :"a-b", :"?", :"$(", :"b\n"]
    expect_same_texts(names) { |s| [s.inspect, [s].inspect, { s => 1 }.to_s] }
  end

  it "inspects Structs that hold one of the same class" do
    inner = Inspecting::Point.new("a", nil)
    all = [Inspecting::Point.new(inner, 1), inner, Inspecting::Point.new([Inspecting::Point.new(inner, inner)], :b)]
    expect_same_texts(all) { |point| [point.inspect, point.to_s, "#{point}"] }
  end

  it "inspects arrays, Hashes and Structs" do
    expect_same_texts([1, nil, true, :a, :"b c", "é\n", 2.5]) { |x| [x.inspect, [x].inspect, [x, [x, "q"]].to_s, "#{[x, 1]}"] }
    expect_same_texts([[1, 2], [], [nil, true]]) { |list| [list.inspect, list.to_s] }
    expect_same_texts([1, 2]) { |x| [{ x => "a", :b => [x], "c" => nil }.inspect, { d: { x => 1 } }.inspect, {}.to_s] }
    expect_same_texts([{ 1 => 2, a: 3 }, {}]) { |hash| [hash.inspect, hash.to_s] }
    expect_same_texts([1, "é"]) { |x| [Inspecting::Point.new(x, [x]).inspect, Inspecting::Point.new(:a, nil).to_s] }
    expect_same_texts([Inspecting::Point.new(1, 2.5), Inspecting::None.new("x")]) { |one| [one.inspect, one.to_s, "#{one}"] }
    expect_same_texts([1]) { |x| [Inspecting::Named.new(x), x].inspect }
  end

  it "shows objects that have no `inspect` of their own as Ruby does, with where they are" do
    cars = Array.new(5) { |i| Inspecting::Car.new(i, Inspecting::Car.new("é", :"a b")) }
    expect_same_texts(cars) { |car| [car.inspect, car.to_s, "#{car}", [car, 1].inspect, { car => car }.to_s, [car].join] }
    expect_same_texts(cars) { |car| [format("%s %p", car, car), car.send(:inspect), [car].map(&:to_s), car.then(&:inspect)] }
    expect_same_texts([Object.new, Inspecting::Car.allocate]) { |object| [object.inspect, object.to_s] }
    named = Inspecting::Car.new(Inspecting::Named.new(1), [Inspecting::Point.new(1, Inspecting::Named.new(2))])
    expect_same_texts([named, named.dup.freeze]) { |car| car.inspect }
    expect_same_texts([1]) { |x| [x, named].inspect }
    more = [Inspecting::Told.new(1, cars[0]), Inspecting::Told.new(2, Inspecting::Told.new(3, nil))]
    expect_same_texts(more) { |told| [told.inspect, "#{told}"] }
    expect_same_texts(cars + [Inspecting::Truck.new(1, 2)] + cars) { |car| car.inspect }
    changed = cars.pmap { |car| car.a += 1.5; car.inspect }
    expect(changed).to eq(cars.map(&:inspect))
  end

  it "shows their variables in the order in which they were set, and those that are" do
    orders = [%i[@a @b], %i[@b @a], %i[@c], [], %i[@c @b @a @d], %i[@b @a]]
    of_orders = lambda do |orders|
      orders.map { |names| Inspecting::Car.allocate.tap { |car| names.each { |name| car.instance_variable_set(name, 1) } } }
    end
    all = of_orders.(orders)
    all << Inspecting::Car.new(1, 2).tap { |car| car.remove_instance_variable(:@a) }
    expect_same_texts(all) { |car| car.inspect }
    shown = proc { |car| car.inspect }
    [%i[@a @b], %i[@a @b @c], %i[@d @b], %i[@a @b], %i[@e]].each do |order|
      expect_same_texts(of_orders.([order]), &shown)
      expect_same_texts(of_orders.([order, %i[@b @a]]), &shown)
    end
  end

  it "shows objects that hold themselves" do
    one, other, third = Array.new(3) { |i| Inspecting::Car.new(i, nil) }
    one.b = one
    other.b = [third, one]
    third.b = { other => Inspecting::Point.new(other, third) }
    told = Inspecting::Told.new(1, nil)
    told.inner = Inspecting::Car.new(told, 2)
    expect_same_texts([one, other, third]) { |car| [car.inspect, [car].inspect, car.b.inspect, car.to_s] }
    expect_same_texts([told]) { |all| [all.inspect, all.inner.inspect] }
  end

  it "shows them where they are when the section runs" do
    cars = Array.new(50) { |i| Array.new(50) { Object.new } && Inspecting::Car.new(i, nil) }
    3.times do
      GC.compact if GC.respond_to?(:compact)
      expect(cars.pmap { |car| car.inspect }).to eq(cars.map(&:inspect))
    end
    shown = Ikra.section do
      before = cars[3].inspect
      Ikra.sync { cars[3].a = 7 }
      [before, cars[3].inspect]
    end
    expect(shown.last).to eq(cars[3].inspect)
    expect(shown.first).to eq(cars[3].inspect.sub("a=7", "a=3"))
  end

  it "says of an object that the section makes, or gives another variable, what is not known of it" do
    next if Ikra.backend == :ruby

    told = /is known only behind the section/
    expect { [1].pmap { |x| Inspecting::Car.new(x, 1).inspect } }.to raise_error(Ikra::UnsupportedError, told)
    expect { [1].pmap { |x| "#{Inspecting::Car.new(x, 1)}" } }.to raise_error(Ikra::UnsupportedError, told)
    expect { [1].peach { |x| p [Inspecting::Car.new(x, 1)] } }.to raise_error(Ikra::UnsupportedError, told)
    cars = Array.new(3) { |i| Inspecting::Car.new(i, Inspecting::Car.new(1, 2)) }
    make = lambda do |cars, which|
      cars.pmap do |car|
        car.b = Inspecting::Car.new(2, 3) if car.a == which
        car.b.inspect
      end
    end
    expect(make.(cars, 9)).to eq(cars.map { |car| car.b.inspect })
    expect { make.(cars, 2) }.to raise_error(Ikra::UnsupportedError, told)
    expect { cars.pmap { |car| car.c = 1; car.inspect } }
      .to raise_error(Ikra::UnsupportedError, /sets @c, which some Inspecting::Car does not have before it.*in `initialize`/m)
    shown = proc { Ikra.section { [cars[0].inspect, Ikra.sync { cars[0].c = 4 }, cars[0].inspect] } }
    expect(&shown).to raise_error(Ikra::UnsupportedError, /Inspecting::Car has other instance variables than before/)
    many = %i[@a @b @c @d].permutation.first(9).map do |names|
      Inspecting::Car.allocate.tap { |car| names.each { |name| car.instance_variable_set(name, 1) } }
    end
    # Before 3.2 the order is one of the class.
    if many.map(&:instance_variables).uniq.size > 8
      expect { many.pmap { |car| car.inspect } }.to raise_error(Ikra::UnsupportedError, /in 9 orders.*in `initialize`/m)
    end
    mutex = Mutex.new
    expect { [1].pmap { mutex.inspect } }.to raise_error(Ikra::UnsupportedError, /where the object is in memory/)
    nameless = Class.new.new
    expect { [1].pmap { nameless.to_s } }.to raise_error(Ikra::UnsupportedError, /where the object is in memory/)
  end
end

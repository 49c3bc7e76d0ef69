# frozen_string_literal: true

module MethodObjects
  # Has methods that are taken as objects.
  class Shop
    attr_reader :rate

    def initialize(rate) = @rate = rate
    def priced(x) = x * rate
    def both(a, b = 1, *rest, k: 0) = [a, b, rest.size, k, @rate]
    def all(values) = values.map(&method(:priced))
    def hidden(x) = values_of(x, &method(:secret))
    def values_of(x) = [x, x + 1].map { |v| yield v }
    def self.twice(x) = x * 2

    # Calls itself, with a block.
    def down(n, &block) = n.zero? ? 0 : block.call(n) + down(n - 1, &block)
    def deep(n) = down(n, &method(:priced))

    private

    def secret(x) = x - @rate
  end

  # Counts.
  class Counter
    attr_accessor :n

    def initialize = @n = 0
    def self.count(counter) = counter.n += 1
  end

  # Can be called.
  class Adder
    def initialize(n) = @n = n
    def call(x) = x + @n
  end

  module_function

  def half(x) = x / 2
  def pair(a, b) = [b, a]
end

# Methods as objects, and procs made of procs.
each_backend do |backend|
  let(:shop) { MethodObjects::Shop.new(3) }
  let(:numbers) { [1, 2, 3, 40] }

  def twice(x) = x * 2

  describe "a Method" do
    it "is called" do
      shop = self.shop
      expect_same(numbers) { |x| f = shop.method(:priced); [f.call(x), f.(x), f[x], f === x] }
      expect_same(numbers) { |x| f = shop.method(:both); [f.call(x), f.(x, 2), f[x, 3, 4, 5, k: 6], f.(*[x, 1])] }
      expect_same(numbers) { |x| f = shop.method(:both); f.call }
      expect_same(numbers) { |x| x.method(:+).call(2) + x.method(:succ).call }
      expect_same(numbers) { |x| [Math.method(:sqrt).call(x), MethodObjects::Shop.method(:twice).call(x)] }
      expect_same(numbers) { |x| f = MethodObjects.method(:pair); [f.(x, 1), f.arity, f.name] }
      expect_same(numbers) { |x| shop.method(:rate).call + shop.method(:priced).receiver.rate + x }
    end

    it "is a block" do
      shop = self.shop
      expect_same(numbers) { |x| [x, 4].map(&shop.method(:priced)) }
      expect_same(numbers) { |x| [x, 4].map(&MethodObjects.method(:half)).sum(&Math.method(:sqrt)) }
      expect_same(numbers) { |x| [shop.all([x, 1]), shop.hidden(x), x.then(&shop.method(:priced))] }
      expect_same(numbers) { |x| [[x, 1], [2, 3]].map(&shop.method(:both)) }
      expect_same(numbers) { |x| [[x, 1], [2, 3]].map(&MethodObjects.method(:pair)) }
      expect_same(numbers) { |x| [4, x].each_with_index.map(&MethodObjects.method(:pair)) }
      expect_same(numbers) { |x| { a: x, b: 2 }.map(&MethodObjects.method(:pair)) }
      expect_same(numbers) { |x| { a: x, b: 2 }.each(&MethodObjects.method(:pair)) }
      expect_same(numbers) { |x| { a: x, b: 2 }.sum { |_, v| v.then(&shop.method(:priced)) } }
    end

    it "is one of what the section makes, and of a method that calls itself" do
      shop = self.shop
      expect_same(numbers) { |x| f = MethodObjects::Shop.new(x).method(:priced); [2, 3].map(&f) }
      expect_same(numbers) { |x| s = MethodObjects::Shop.new(x); [s.deep(5), shop.deep(x % 5), s.down(3, &shop.method(:priced))] }
      expect_same(numbers) { |x| f = [shop, MethodObjects::Shop.new(x)].map { |s| s.method(:priced) }; f.sum { |g| g.call(x) } }
    end

    it "is of class Method" do
      expect_same(numbers) { |x| f = x.method(:+); [f.class, f.is_a?(Method), f.is_a?(Proc), f.to_proc.class, f.to_proc.lambda?] }
      expect_same(numbers) { |x| f = x.method(:+); (Method === f ? 1 : 0) + (f.respond_to?(:lambda?) ? 1 : 0) }
    end
  end

  describe "a composed proc" do
    it "calls one after the other" do
      shop = self.shop
      expect_same(numbers) { |x| f = ->(a) { a + 1 } >> ->(a) { a * 2 }; g = ->(a) { a + 1 } << ->(a) { a * 2 }; [f.(x), g.(x)] }
      expect_same(numbers) { |x| f = ->(a, b = 2, k: 1) { a + b * k } >> ->(a) { a * x }; [f.(x), f.(x, 3), f.(x, 3, k: 4)] }
      expect_same(numbers) { |x| f = shop.method(:priced) >> ->(a) { a * x } >> :to_f.to_proc >> MethodObjects.method(:half); f.(x) }
      expect_same(numbers) { |x| [x, 2].map(&:succ.to_proc >> ->(a) { a * 2 }) + [x, 3].map(&shop.method(:priced) << ->(a) { a + 1 }) }
      expect_same(numbers) { |x| (->(a) { a * 2 } >> MethodObjects::Adder.new(x)).call(x) + (proc { |a| a.to_i } << MethodObjects::Adder.new(x)).call(3) }
      expect_same(numbers) { |x| [[x, 2]].map(&proc { |a, b| [b, a] } >> ->(a) { a }) }
      expect_same(numbers) { |x| [[x, 2]].map(&->(a, b) { [b, a] } >> ->(a) { a }) }
      expect_same(numbers) { |x| ->(a) { a } >> x }
      expect_same(numbers) { |x| steps = [->(a) { a + x }, ->(a) { a * 2 }, ->(a) { a - 1 }]; steps.sum { |s| (s >> s).(x) } }
    end
  end

  it "curries" do
    expect_same(numbers) { |x| f = ->(a, b, c) { a + b * c }.curry; [f[x][2][3], f.(x, 2).(3), f[1, x, 3], f[x].(2, 3)] }
    expect_same(numbers) { |x| add = ->(a, b) { a + b }.curry; inc = add[1]; [1, x].map(&inc) + [add[x][2]] }
    expect_same(numbers) { |x| [->(a, b = 2) { a * b }.curry[x], ->(*a) { a.sum }.curry(2)[x][2], MethodObjects.method(:pair).curry[x][1]] }
    expect_same(numbers) { |x| proc { |a, b| [a, b] }.curry[x][2] }
    expect_same(numbers) { |x| ->(a, b) { [a, b] }.curry[x, 2, 3] }
  end

  it "tells arities" do
    expect_same([1]) { [->(a, b = 1) {}, ->(a) {}, ->(*b) {}, ->(a, k:) {}, ->(k: 1) {}, ->(a, b = 1, k:) {}].map(&:arity) }
    expect_same([1]) { [->() {}.arity, ->(a, **k) {}.arity, proc { |a, b = 1| }.arity, proc { |a, *b| }.arity, proc { |a, k:| }.arity] }
    expect_same([1]) { [:succ.to_proc.arity, :succ.to_proc.lambda?, proc { |a| }.lambda?, proc { |(a, b), c| }.arity, proc { |a,| }.arity] }
  end

  # What `pmap`, `pselect` and a chain give for the same block as `map` and `select`.
  def expect_same_block(base, chained: true, &block)
    %i[map select].each do |name|
      expect(outcome { base.public_send("p#{name}", &block) }).to eq(outcome { base.public_send(name, &block) })
    end
    plain = outcome { base.map(&block).select { |x| x } }
    expect(outcome { base.plazy.map(&block).select { |x| x }.to_a }).to eq(plain) if chained
  end

  describe "the block of a section" do
    it "is a Method" do
      expect_same_block(numbers, &method(:twice))
      expect_same_block(numbers, &shop.method(:priced))
      expect_same_block(numbers, &shop.method(:both))
      expect_same_block(numbers, &shop.method(:hidden))
      expect_same_block(numbers, &MethodObjects.method(:half))
      expect_same_block(numbers, &Math.method(:sqrt))
      expect_same_block(numbers, &5.method(:<=>))
      expect_same_block(%w[1 2 0x3], &method(:Integer))
      expect_same_block([[1, 2], [3, 4]], &[].method(:+))
      expect_same_block(numbers.each_with_index, chained: false, &shop.method(:both))
      expect_same_block({ 1 => 2, 3 => 4 }, chained: false, &MethodObjects.method(:pair))
      pairs = numbers.each_with_index
      expect(pairs.pmap(&MethodObjects.method(:pair))).to eq(pairs.map(&MethodObjects.method(:pair)))
      shops = [MethodObjects::Shop.new(1), MethodObjects::Shop.new(2.5)]
      shops.each { |shop| expect_same_block(numbers, &shop.method(:priced)) }
      expect(numbers.psort_by(&shop.method(:priced))).to eq(numbers)
      expect(numbers.pgroup_by(&method(:twice))).to eq(numbers.group_by(&method(:twice)))
    end

    it "is composed" do
      add = ->(x) { x + 1 }
      twice = proc { |x| x * 2 }
      blocks = [add >> twice, add << twice, twice >> add, add >> shop.method(:priced), method(:twice) >> add,
                method(:twice) << add, :succ.to_proc >> add, add >> :-@.to_proc, add >> MethodObjects::Adder.new(3),
                add >> twice >> add << add, [method(:twice), add, twice].inject(:>>)]
      blocks.each { |block| expect_same_block(numbers, &block) }
      expect_same_block([[1, 2], [3, 4]], &(proc { |a, b| a + b } >> add))
      expect_same_block([[1, 2], [3, 4]], &(->(a) { a.first } >> add))
      expect_same_block([[1, 2], [3, 4]].each_with_index, chained: false, &(->(a, i) { a.sum * i } >> add))
    end

    it "is curried, or a Hash" do
      add = ->(a, b, c) { a + (b * c) }
      expect_same_block(numbers, &add.curry[2][3])
      expect_same_block(numbers, &add.curry[2, 4])
      expect_same_block(numbers, &shop.method(:both).curry(2)[7])
      expect_same_block(numbers, &{ 1 => 2, 3 => nil })
    end

    it "is captured" do
      shop = self.shop
      add = ->(x) { x + 1 }
      priced = shop.method(:priced)
      both = priced >> add << method(:twice)
      curried = ->(a, b) { a - b }.curry[3]
      name = :succ.to_proc
      expect_same(numbers) { |x| [priced.call(x), priced.(x), priced[x], both.call(x), curried.(x), name.call(x)] }
      expect_same(numbers) { |x| [[x, 2].map(&priced), [x, 2].sum(&both), (priced >> both).call(x), both.lambda?] }
      expect_same(numbers) { |x| [priced.arity, both.arity, name.arity, priced.to_proc.call(x), priced.class, both.class] }
      expect_same(numbers) { |x| [x > 2 ? priced.call(x, 1) : 0, x] }
    end

    it "raises what it raises in Ruby" do
      expect_same_block(numbers, &MethodObjects.method(:pair))
      expect_same_block([1, nil], &shop.method(:priced))
      expect_same_block([1, "x"], &(method(:Integer) >> ->(x) { x + 1 }))
    end

    it "changes what it changes" do
      all = [MethodObjects::Counter.new, MethodObjects::Counter.new]
      all.peach(&MethodObjects::Counter.method(:count))
      expect(all.map(&:n)).to eq([1, 1])
    end
  end

  next if backend == :ruby

  it "is refused where a section does not know" do
    shop = self.shop
    captured = shop.method(:priced)
    expect { [1].pmap { |x| captured.name } }.to raise_error(Ikra::UnsupportedError, /ask before the section/)
    expect { [1].pmap { |x| shop.method(:priced).unbind } }.to raise_error(Ikra::UnsupportedError, /Method#unbind/)
    expect { [1].pmap { |x| shop.method(:none) } }.to raise_error(Ikra::UnsupportedError, /name a method that it has/)
    expect { [1].pmap { |x| x.method(:+).arity } }.to raise_error(Ikra::UnsupportedError, /not written in Ruby/)
  end
end

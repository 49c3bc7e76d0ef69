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

  next if backend == :ruby

  it "is refused where a section does not know" do
    shop = self.shop
    captured = shop.method(:priced)
    expect { [1].pmap { |x| captured.call(x) } }.to raise_error(Ikra::UnsupportedError, /call the method by its name/)
    expect { [1].pmap { |x| shop.method(:priced).unbind } }.to raise_error(Ikra::UnsupportedError, /Method#unbind/)
    expect { [1].pmap { |x| shop.method(:none) } }.to raise_error(Ikra::UnsupportedError, /name a method that it has/)
    expect { [1].pmap { |x| x.method(:+).arity } }.to raise_error(Ikra::UnsupportedError, /not written in Ruby/)
  end
end

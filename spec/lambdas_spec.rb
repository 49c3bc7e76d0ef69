# frozen_string_literal: true

# Lambdas and procs from around a section: local variables and constants hold them, or other lambdas do. Their variables
# are read anew at each call.
module Lambdas
  LIMIT = 7
  LIMITED = ->(x) { x + LIMIT }

  class Holder
    def initialize(n) = @n = n
    def adder = ->(x) { x + @n + own }
    def own = 1000
  end

  def self.adder(n) = ->(x) { x + n }
  def self.with(base, &block) = base.pmap { |x| block.(x) + 1 }
  def self.yielding(base) = base.pmap { |x| yield(x) + 1 }
end

each_backend do
  let(:numbers) { [1, 2, 3] }

  it "calls them in all ways" do
    factor = 10
    times = ->(x) { x * factor }
    expect_same(numbers) { |x| times.(x) }
    expect_same(numbers) { |x| times.call(x) + times[x] }
    expect_same(numbers) { |x| times.yield(x) }
    expect_same(numbers) { |x| [x, 2].map(&times) }
    expect_same(numbers) { |x| [x, 2].sum(&times) }
    expect_same(numbers) { |x| times.then { |f| f.(x) } }
    expect_same(numbers) { |x| (x > 1 ? times : times).(x) }
    factor = 11
    expect_same(numbers) { |x| times.(x) }
    above = ->(v) { v > 1 }
    expect_same(numbers) { |x| case x when above then 1 else 0 end }
    descending = ->(a, b) { b <=> a }
    expect_same(numbers) { |x| [x, 2, 5].sort(&descending) }
    expect(Lambdas.with(numbers) { |v| v * factor }).to eq([12, 23, 34])
  end

  it "binds and returns as lambdas and procs do" do
    early = lambda do |x, y = 2|
      return 0 if x == 2
      next 5 if x == 3

      x + y
    end
    expect_same(numbers) { |x| early.(x) + early.(x, 3) }
    expect_same(numbers) { |x| early.(x, 2, 3) }
    expect_same(numbers) { |x| early.() }
    loose = proc { |a, b| b.nil? ? a : a + b }
    expect_same(numbers) { |x| loose.call(x) }
    expect_same(numbers) { |x| loose.call(x, 1, 2) }
    expect_same(numbers) { |x| loose.call([x, 7]) }
    expect_same(numbers) { |x| early.lambda? && !loose.lambda? }
    failing = ->(x) { 6 / (x - 2) }
    expect_same(numbers) { |x| failing.(x) }
  end

  it "has the variables, self and constants of each" do
    one, hundred = Lambdas.adder(1), Lambdas.adder(100)
    expect_same(numbers) { |x| (one.(x) * 1000) + hundred.(x) }
    both = ->(x) { one.(hundred.(x)) }
    expect_same(numbers) { |x| both.(x) }
    expect_same(numbers) { |x| [one, both].map { |f| f.(x) } }
    expect_same(numbers) { |x| Lambdas::LIMITED.(x) }
    first, second = Lambdas::Holder.new(1).adder, Lambdas::Holder.new(2).adder
    expect_same(numbers) { |x| first.(x) + (second.(x) * 10_000) }
    array = [10, 20, 30]
    at = ->(i) { array[i] }
    expect_same(numbers) { |x| at.(x - 1) }
    apply = ->(f, x) { f.(x) }
    expect_same(numbers) { |x| apply.(one, x) + apply.(->(z) { z + x }, x) }
  end

  it "runs what is made in the block while its variables are there" do
    expect_same(numbers) { |n| apply = ->(f, x) { f.(x) }; inc = ->(x) { x + n }; apply.(->(y) { apply.(inc, y) }, 5) }
    expect_same(numbers) { |n| c = 0; inc = -> { c += n }; inc.(); inc.(); c }
    expect_same(numbers) { |n| r = 0; 3.times { |i| j = i * 2; g = -> { j += i }; g.(); r += g.() * n }; r }
    expect_same(numbers) { |n| r = 0; 3.times { |i| g = -> { i }; f = nil; f ||= g; r += f.() * n }; r }
    expect_same(numbers) { |n| fs = []; fs << ->(x) { x + n }; fs[0].(2) }
    expect_same(numbers) { |n| x = 3; f = -> { x }; x = 4; f.() + n }
  end

  it "knows another lambda in the same variable" do
    6.times do |i|
      f = i.even? ? ->(x) { x + i } : proc { |x| x - i }
      expect_same(numbers) { |x| f.(x) }
    end
    [->(x) { x }, nil, ->(x) { x * 2 }].each { |f| expect_same(numbers) { |x| f&.call(x) } }
  end
end

each_compiling_backend do
  def refused(slug, &block)
    expect { [1, 2, 3].pmap(&block) }.to raise_error(Ikra::UnsupportedError, /\[#{slug}\]/)
  end

  it "refuses what a lambda cannot do to the code around it" do
    total = 0
    giving = ->(x) { total += x }
    refused("captured-write") { |x| giving.(x) }
    reading = ->(x) { x + total }
    expect { [1].peach { |x| total += reading.(x) } }.to raise_error(Ikra::UnsupportedError, /\[captured-write\]/)
    breaking = proc { |x| break x }
    refused("unsupported-break") { |x| breaking.(x) }
    returning = proc { |x| return x }
    refused("unsupported-return") { |x| returning.(x) }
    factorial = ->(n) { n < 2 ? 1 : n * factorial.(n - 1) }
    refused("unsupported-recursion") { |x| factorial.(x) }
  end

  it "refuses a lambda whose variables are gone" do
    refused("escaping-block") { |n| mk = -> { c = 0; -> { c += n } }; mk.().() }
    refused("escaping-block") { |n| f = nil; 3.times { |i| g = -> { i += n }; f ||= g; f.() }; n }
    refused("escaping-block") { |n| fs = []; 3.times { |i| fs << -> { i += n }; fs[0].() }; n }
    refused("escaping-block") { |n| f = nil; 3.times { |i| g = Lambdas.adder(i); f ||= g; f.(n) }; n }
  end

  it "refuses lambdas made in the block that call themselves" do
    refused("unsupported-recursion") { |n| f = ->(k) { k < 2 ? 1 : k * f.(k - 1) }; f.(n) }
    refused("unsupported-recursion") { |n| f = ->(s, k) { k < 2 ? 1 : k * s.(s, k - 1) }; f.(f, n) }
    refused("unsupported-recursion") { |n| f = ->(k) { k < 2 ? k : f.(k - 1) + f.(k - 2) }; f.(n) }
  end

  it "refuses what has no source, and blocks without a name" do
    method = Lambdas.method(:adder)
    refused("unsupported-method") { |x| method.call(x) ? 1 : 2 }
    composed = Lambdas.adder(1) >> Lambdas.adder(2)
    refused("unsupported-method") { |x| composed.call(x) }
    expect { Lambdas.yielding([1]) { |x| x } }.to raise_error(Ikra::UnsupportedError, /give it a name/)
    string = ->(x) { "a#{x}" }
    refused("unsupported-string") { |x| string.(x) }
  end
end

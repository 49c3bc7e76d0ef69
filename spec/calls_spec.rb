# frozen_string_literal: true

require "tempfile"

# How calls, `super` and `yield` pass their arguments on, and which methods they find.
module Calls
  # Gives back what it is given.
  class Echo
    def one(x = 0) = x
    def pair(a, c = 3) = [a, c]
    def keys(a: 1, b: 2) = [a, b]
    def all(a, b = 2, *c, d, e: 5, f: 6) = [a, b, c, d, e, f]
    def run(x = 1) = yield(x)
    def given? = block_given?
  end

  # By parameters without a name.
  class Silent < Echo
    def one(*) = super
    def keys(**) = super
    def run(*, &) = super
    def all(...) = super
    def given?(&) = super
  end

  # By names that have got other values.
  class Renamed < Echo
    def pair((p, q), c = 2)
      p = q
      c += 1 if p == q
      super
    end

    def all(a, b = 7, *c, d, e: 8, **f)
      a += 1
      b = [b, c.size]
      d, e = e, d
      super
    end

    def run(x = 5, &block)
      block = nil if x > 9
      x += 1
      super
    end
  end

  # By explicit arguments.
  class Explicit < Echo
    def all(...) = super(1, ...)
    def keys(a:, **rest) = super(**rest, a: a + 1)
    def one(x) = [x].sum { |y| super(y) }
    def run(*rest, **options) = super(*rest, **options) { |x| yield(x) + 1 }
  end

  # Runs blocks with keywords.
  class Yielding
    def weighed(i) = yield(i, weight: 10)
    def more(i) = yield(i, weight: 10, height: 3)
    def options(i, **options) = yield(i, **options)
    def array(i, **options) = yield([i, 2], **options)
    def named(i, &block) = block.call(i, weight: 10) + block.(i, weight: 11) + block.yield(i, weight: 12)
    def missing(i) = yield(i)
  end

  # Defaults and what is taken apart.
  class Late
    def default((p, q), c = p) = [p, q, c]
    def keyword((p, q), c: [p, q]) = [p, q, c]
    def lambda((p, q), c = -> { p }) = [p, q, c.call]
  end

  # Methods of classes and modules.
  class Rates
    BASE = 3

    def self.rate = BASE
    def self.scaled(by, plus: 0) = (BASE * by) + plus
    def self.each_rate = yield(rate)
    def rate = self.class.rate + 1
  end

  module Doubling
    def rate = super * 2
    def scaled(*, **) = super + 1
  end

  module Wrapped
    def rate = super * 7
  end

  class OfSelf < Rates
    BASE = 4

    def self.rate = super + 5
    def self.scaled(by, plus: 1) = [by].sum { super }
    def self.each_rate = super { |x| yield(x + 1) }
  end

  class Extended < Rates
    extend Doubling
  end

  class Prepended < OfSelf
    class << self
      prepend Wrapped
      def rate = super + OfSelf::BASE
    end
  end

  module Functions
    extend Doubling

    def self.rate = 11
    def self.scaled(...) = super
  end

  # No method above.
  class Alone
    def inspect = "Alone!"
    def none = super
    def rescued = none rescue 5
    def self.none = super
    def deep = [1].sum { super }
  end

  # Nothing but its number.
  class Plain
    def none = super
  end

  # Names for methods of other classes.
  class Named < Rates
    LIMIT = 1
    def limit = LIMIT
    def rate = super + 100
    alias own rate
  end

  class Alias < Named
    LIMIT = 2
    alias first rate
    alias second own
    alias limits limit
    def rate = first + 1000
  end

  # Methods that call themselves.
  class Recursive
    def self.fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)
    def down(n, sum = 1) = n <= 0 ? sum : down(n - 1, sum + n)
    def even(n) = n == 0 || odd(n - 1)
    def odd(n) = n != 0 && even(n - 1)
  end

  class Counting < Recursive
    def self.fib(n) = (n += 0; super)
    def down(n, sum = 2) = (sum += 1; super)
    def even(*) = super
    def odd(...) = super
  end

  # What is missing is answered.
  class Answering
    def self.method_missing(_name) = 5
    def self.respond_to_missing?(*) = true
    def self.none = super
  end

  # Methods that call an iterator which runs them.
  class Group
    include Comparable
    attr_reader :parts

    def initialize(parts) = @parts = parts
    def total = parts.sum { |part| part * 2 }
    def any? = parts.any? { |part| part > 2 }
    def best = parts.max_by { |part| -part }
    def <=>(other) = parts.sum { |part| part } <=> other.parts.sum { |part| part }
    def +(other) = parts.sum { |part| part } + (other.is_a?(Group) ? other.total : other)
    def each_part(&) = parts.each(&)
    def count = [0].tap { |all| each_part { |_| all[0] += 1 } }[0]
  end

  GROUPS = [Group.new([1, 2, 3]), Group.new([4, 5]), Group.new([0])].freeze
  FOREST = Group.new(GROUPS)
  TOTAL = ->(group) { group.total }

  # A method called `it`, of which Ruby 3.3 warns.
  FILE = Tempfile.new(["it", ".rb"]).tap do |file|
    file.puts("class Calls::Named", "  def it = 40", "  def forty = [1].sum { it + 1 }", "end")
    file.flush
    Warnings.without { load file.path }
  end

  Point = Struct.new(:x, :y) do
    def initialize(*)
      super
      self.y = 7 if y.nil?
    end
  end
  Place = Struct.new(:x, :y, keyword_init: true) do
    def initialize(x: 1, **) = super
  end
end

each_backend do
  let(:numbers) { [1, 2, 3] }

  it "passes on parameters without a name" do
    expect_same(numbers) { |x| [Calls::Silent.new.one, Calls::Silent.new.one(x)] }
    expect_same(numbers) { |x| [Calls::Silent.new.keys, Calls::Silent.new.keys(b: x)] }
    expect_same(numbers) { |x| [Calls::Silent.new.run { |y| y + x }, Calls::Silent.new.run(5) { |y| y + x }] }
    expect_same(numbers) { |x| [Calls::Silent.new.all(x, 1), Calls::Silent.new.all(x, 2, 3, 4, 5, f: x)] }
    expect_same(numbers) { |x| [Calls::Silent.new.given?, Calls::Silent.new.given? { x }] }
    expect_same(numbers) { |x| Calls::Silent.new.one(x, x) }
    expect_same(numbers) { |x| Calls::Silent.new.keys(c: x) }
  end

  it "passes on what the parameters are now" do
    expect_same(numbers) { |x| [Calls::Renamed.new.pair([x, 2]), Calls::Renamed.new.pair([x, 2], 5)] }
    expect_same(numbers) { |x| Calls::Renamed.new.all(x, 2) }
    expect_same(numbers) { |x| Calls::Renamed.new.all(x, 2, 3, 4, 5, e: 6, f: 7) }
    expect_same(numbers) { |x| Calls::Renamed.new.all(x, 2, g: 6) }
    expect_same(numbers) { |x| [Calls::Renamed.new.run { |y| y * x }, Calls::Renamed.new.run(x * 5) { |y| y }] }
  end

  it "passes on explicit arguments" do
    expect_same(numbers) { |x| [Calls::Explicit.new.all(x), Calls::Explicit.new.all(x, 2, 3, e: 1)] }
    expect_same(numbers) { |x| [Calls::Explicit.new.keys(a: x), Calls::Explicit.new.keys(a: x, b: 3)] }
    expect_same(numbers) { |x| [Calls::Explicit.new.one(x), Calls::Explicit.new.run(x) { |y| y * 2 }] }
    expect_same(numbers) { |x| Calls::Explicit.new.keys(b: x) }
  end

  it "makes Structs through an initialize that passes all on" do
    expect_same(numbers) { |x| [Calls::Point.new(x), Calls::Point.new(x, 2)].map { |p| [p.x, p.y] } }
    expect_same(numbers) { |x| [Calls::Place.new, Calls::Place.new(y: x)].map { |p| [p.x, p.y] } }
  end

  it "takes arrays in parameter lists apart when all defaults are known" do
    expect_same(numbers) { |x| Calls::Late.new.default([x, 2]) }
    expect_same(numbers) { |x| Calls::Late.new.keyword([x, 2]) }
    expect_same(numbers) { |x| Calls::Late.new.lambda([x, 2]) }
    expect_same(numbers) { |x| [[[x, 2], 3]].map { |(p, q), c, d = p| [p, q, c, d] } }
    expect_same(numbers) { |x| [[[x, 2], 3]].map { |(p, q), c = -> { p }| [p, q, c] } }
    expect_same(numbers) { |x| [[[x, 2]]].map { |(p, q), c = -> { p }| [p, q, c.call] } }
  end

  it "gives keywords to blocks" do
    expect_same(numbers) { |x| Calls::Yielding.new.weighed(x) { |i, weight: 1| [i, weight] } }
    expect_same(numbers) { |x| Calls::Yielding.new.weighed(x) { |i, weight:, height: weight.succ| [weight, height] } }
    expect_same(numbers) { |x| Calls::Yielding.new.weighed(x) { |i, **rest| [i, [i].sum { |y| Calls::Yielding.new.options(y, **rest) { |z, weight:| z + weight } }] } }
    expect_same(numbers) { |x| Calls::Yielding.new.more(x) { |i, **| i } }
    expect_same(numbers) { |x| Calls::Yielding.new.more(x) { |i| i } }
    expect_same(numbers) { |x| Calls::Yielding.new.more(x) { x } }
    expect_same(numbers) { |x| Calls::Yielding.new.named(x) { |i, weight: 1| i + weight } }
    expect_same(numbers) { |x| Calls::Yielding.new.options(x, weight: 2) { |i, weight: 1| [i, weight] } }
    expect_same(numbers) { |x| Calls::Yielding.new.options(x) { |i, weight: 1| [i, weight] } }
    expect_same(numbers) { |x| Calls::Yielding.new.weighed(x, &->(i, weight:) { [i, weight] }) }
  end

  it "raises where keywords do not fit a block" do
    expect_same(numbers) { |x| Calls::Yielding.new.more(x) { |i, weight: 1| [i, weight] } }
    expect_same(numbers) { |x| Calls::Yielding.new.missing(x) { |i, weight:| [i, weight] } }
    expect_same(numbers) { |x| Calls::Yielding.new.weighed(x) { |i, height:| [i, height] } }
    expect_same(numbers) { |x| Calls::Yielding.new.weighed(x) { |i, **nil| i } }
    expect_same(numbers) { |x| Calls::Yielding.new.missing(x) { |i, **nil| i } }
  end

  it "gives keywords and blocks to lambdas and procs" do
    expect_same(numbers) { |x| f = proc { |i, w: 1| [i, w] }; [f.call(x, w: 3), f.(2, w: x), f.yield(x), f[x, w: 6]] }
    expect_same(numbers) { |x| f = ->(i, w: 1) { [i, w] }; [f.call(x, w: 3), f.(2, w: x), f.yield(x), f[x, w: 6]] }
    expect_same(numbers) { |x| f = ->(i, w: 1) { [i, w] }; f.call(x, v: 3) }
    expect_same(numbers) { |x| f = proc { |i, w:| [i, w] }; f.call(x) }
    expect_same(numbers) { |x| f = ->(i, &b) { b ? b.call(i) : 0 }; [f.call(x), f.call(x) { |y| y + 1 }] }
    expect_same(numbers) { |x| f = proc { |i, &b| b ? b.call(i) : 0 }; [f.call(x), f.(x) { |y| y + 1 }] }
    outer = ->(i, w: 1, &b) { b ? b.call(i) : w }
    expect_same(numbers) { |x| [outer.call(x), outer.(x, w: x), outer.call(x) { |y| y + 1 }] }
  end

  it "takes an array apart for blocks with several parameters" do
    expect_same(numbers) { |x| f = proc { |a = 5, *b| [a, b] }; f.call([x, 2]) }
    expect_same(numbers) { |x| f = proc { |a, *b| [a, b] }; f.call([x, 2]) }
    expect_same(numbers) { |x| f = proc { |*a, k: 1| [a, k] }; f.call([x, 2]) }
    expect_same(numbers) { |x| f = proc { |a, k: 1| [a, k] }; f.call([x, 2]) }
    expect_same(numbers) { |x| f = proc { |a, b = 1, c| [a, b, c] }; f.call(x, 2, 3, 4) }
    expect_same(numbers) { |x| f = proc { |a, b, k: 1| [a, b, k] }; [f.call([x, 2]), f.call([x, 2], k: 3)] }
    expect_same(numbers) { |x| Calls::Yielding.new.array(x) { |a, b| [a, b] } }
    expect_same(numbers) { |x| Calls::Yielding.new.array(x) { |a, b = 4| [a, b] } }
    expect_same(numbers) { |x| Calls::Yielding.new.array(x, k: 1) { |a, b = 4, k:| [a, b, k] } }
  end

  it "finds the methods above those of classes and modules" do
    expect_same(numbers) { |x| [Calls::OfSelf.rate, Calls::Extended.rate, Calls::Prepended.rate, Calls::Functions.rate] }
    expect_same(numbers) { |x| [Calls::OfSelf.scaled(x), Calls::Extended.scaled(x, plus: 3), Calls::OfSelf.scaled(x, plus: 2)] }
    expect_same(numbers) { |x| Calls::OfSelf.each_rate { |y| y * x } }
    expect_same([Calls::OfSelf.new, Calls::Prepended.new, Calls::Extended.new]) { |o| [o.rate, o.class.rate] }
    expect_same(numbers) { |x| Calls::Functions.scaled(x) }
  end

  it "says that there is no method above" do
    expect_same([Calls::Alone.new]) { |o| o.none }
    expect_same([Calls::Alone.new]) { |o| [o.rescued, (Calls::Alone.none rescue 6)] }
    expect_same([Calls::Plain.new]) { |o| o.none }
    expect_same([Calls::Alone.new]) { |o| o.deep }
    expect_same([1]) { Calls::Alone.none }
  end

  it "looks for the method above that of an alias where that was defined" do
    expect_same([Calls::Alias.new]) { |o| [o.first, o.second, o.rate, o.own, o.limits] }
    expect_same([Calls::Named.new]) { |o| [o.own, o.limit] }
  end

  it "calls methods that call themselves through others above them" do
    expect_same(numbers) { |x| [Calls::Counting.new.down(x), Calls::Counting.new.even(x), Calls::Counting.fib(x + 4)] }
  end

  it "runs methods that use the iterator, or the operator, which runs them" do
    expect_same(numbers) { |x| [Calls::GROUPS.sum(&:total), Calls::GROUPS.any?(&:any?), Calls::GROUPS.max_by(&:best).best] }
    expect_same(numbers) { |x| [Calls::GROUPS.sum(&Calls::TOTAL), Calls::GROUPS.map(&:total), Calls::GROUPS.sort.map(&:total)] }
    expect_same(numbers) { |x| [Calls::GROUPS.max.total, Calls::GROUPS.first(1).sum(x), Calls::GROUPS.minmax.map(&:total)] }
    expect_same(numbers) { |x| s = 0; Calls::FOREST.each_part { |g| s += g.count }; s }
    expect_same(numbers) { |x| [Calls::FOREST].sum(&:count) + Calls::FOREST.parts.sum(&:count) }
  end

  it "reads `it` as this Ruby does" do
    expect_same([Calls::Named.new]) { |o| o.forty }
  end

  it "takes the last of several values for one keyword" do
    expect_same(numbers) { |x| f = ->(**o) { Calls::Echo.new.keys(a: 5, **o) }; [f.call(a: x), f.call(b: x)] }
    expect_same(numbers) { |x| f = ->(**o) { Calls::Echo.new.keys(**o, a: 5) }; [f.call(a: x), f.call(b: x)] }
  end
end

each_compiling_backend do
  def expect_refused(slug, &block)
    expect { [1].pmap(&block) }.to raise_error(Ikra::UnsupportedError, /\[#{slug}\]/)
  end

  it "refuses a super that method_missing answers" do
    expect_refused("method-missing") { Calls::Answering.none }
  end

  it "gives keywords that no parameter takes as a Hash" do
    expect_same([1, 2]) { |x| Calls::Echo.new.one(k: x) }
    expect_same([1, 2]) { |x| f = ->(**o) { o[:a] }; f.call(a: x) }
    expect_same([1, 2]) { |x| Calls::Yielding.new.weighed(x) { |i, j| [i, j] } }
    expect_same([1, 2]) { |x| Calls::Yielding.new.weighed(x) { |*i| i } }
    expect_same([1, 2]) { |x| Calls::Echo.new.keys(**[x]) }
  end
end

# frozen_string_literal: true

# How methods come to be and who may call them: each block is run by Ruby and by every back-end and must give the same.
each_backend do
  let(:small) { [0, 1, 2, 3, 5, 8, 13] }
  let(:things) { [ObjectsThing.new(1), ObjectsThing.new(4), ObjectsThing.new(7)] }

  describe "define_method" do
    it "runs a literal block as a method" do
      expect_same(things) { |t| t.doubled }
      expect_same(things) { |t| t.plus(3) }
      expect_same(things) { |t| t.early(4) }
      expect_same(things) { |t| t.skipping(4) }
      expect_same(things) { |t| t.breaking(4) }
      expect_same(things) { |t| t.optional + t.optional(5) }
      expect_same(things) { |t| t.looping(4) }
      expect_same(things) { |t| t.lambda_method(2) }
      expect_same(things) { |t| t.doubled = 5 if t.n > 100; t.n }
    end

    it "is strict about arguments" do
      expect_same(things) { |t| t.plus }
      expect_same(things) { |t| t.plus(1, 2) }
      expect_same(things) { |t| t.doubled(1) }
      expect_same(things) { |t| t.pair([1, 2]) }
    end

    it "sets" do
      make = -> { [ObjectsThing.new(1), ObjectsThing.new(4)] }
      expect_same_effects(make) { |t| t.doubled = 6 }
    end

    it "sees the variables around its block" do
      expect_same(things) { |t| [t.closure, t.double(1), t.triple(2), t.named?("b"), t.by_lambda(3)] }
      expect_same(things) { |t| %i[double triple].map { |name| t.public_send(name, t.n) } }
      expect_same([ObjectsSpecial.new(2), things[0]]) { |t| [t.closure, t.triple(t.n), t.mapped] }
      expect_same([2, 3]) { |x| [ObjectsThing.new(x).closure, ObjectsThing.stepped(x)] }
    end

    it "assigns the variables around its block" do
      expect_same_program do
        thing = ObjectsThing.new(3)
        before = thing.counted
        given = Ikra.section { [thing.count_up, thing.count_up, thing.counted] }
        [given.map { |n| n - before }, thing.counted - before]
      end
    end

    it "calls super" do
      expect_same([ObjectsSpecial.new(2)]) { |t| t.plus(1) }
      expect_same([ObjectsSpecial.new(2)]) { |t| t.doubled }
    end
  end

  describe "names" do
    it "knows aliases" do
      expect_same(things) { |t| t.twice + t.number + t.add(1) }
      expect_same([ObjectsSpecial.new(2)]) { |t| t.twice }
      expect_same([ObjectsSpecial.new(2)]) { |t| t.old_add(1) + t.add(1) }
    end

    it "keeps private and protected methods" do
      expect_same(things) { |t| t.secret }
      expect_same(things) { |t| t.use_secret }
      expect_same(things) { |t| t.use_self_secret }
      expect_same(things) { |t| t.guarded }
      expect_same(things) { |t| t.use_guarded(t) }
      expect_same([ObjectsSpecial.new(2)]) { |t| t.use_guarded(t) }
      expect_same(things) { |t| [t].sum(&:guarded) }
      expect_same(things) { |t| t.hidden = 3 }
      expect_same(things) { |t| t.hidden }
      expect_same(things) { |t| t.use_hidden(3) }
      expect_same(things) { |t| t.use_hidden_of(t) }
      expect_same(things) { |t| ObjectsTools.use(t) }
      expect_same(things) { |t| ObjectsTools.private_tool(1) }
      expect_same(things) { |t| ObjectsTools.use_private_tool(t.n) }
      expect_same(things) { |t| t.public_again }
    end

    it "tells undefined methods" do
      expect_same(things) { |t| t.gone }
      expect_same(things) { |t| t.undefined_thing(1) }
      expect_same([ObjectsSpecial.new(1)]) { |t| t.removed }
    end
  end

  describe "modules" do
    it "includes, prepends and extends" do
      expect_same(things) { |t| t.described }
      expect_same(things) { |t| t.wrapped(2) }
      expect_same(things) { |t| t.shared }
      expect_same([ObjectsSpecial.new(3)]) { |t| t.wrapped(2) + t.shared }
      expect_same(small) { |n| ObjectsThing.made_by_module(n) }
      expect_same(small) { |n| ObjectsTools.helper(n) }
      expect_same(things) { |t| t.is_a?(ObjectsShared) }
      expect_same([*things, 1]) { |t| case t when ObjectsShared then t.shared else 0 end }
    end

    it "calls class methods and reads constants" do
      expect_same(small) { |n| ObjectsThing.limit(n) }
      expect_same(small) { |n| ObjectsSpecial.limit(n) }
      expect_same(small) { |n| ObjectsThing.chained(n) }
      expect_same(things) { |t| t.class.limit(t.n) }
      expect_same(things) { |t| t.with_constant }
      expect_same([ObjectsSpecial.new(2)]) { |t| t.with_constant }
      expect_same(things) { |t| ObjectsThing::LIMIT + t.n }
      expect_same(things) { |t| ObjectsThing::Inner::DEEP + t.n }
      expect_same(things) { |t| ObjectsThing.class_constant }
      expect_same([ObjectsSpecial.new(2)]) { |t| t.inherited_constant }
    end
  end

  describe "Comparable" do
    it "compares through <=>" do
      versions = [ObjectsVersion.new(1), ObjectsVersion.new(5), ObjectsVersion.new(9)]
      middle = versions[1]
      expect_same(versions) { |v| v < middle }
      expect_same(versions) { |v| v <= middle }
      expect_same(versions) { |v| v > middle }
      expect_same(versions) { |v| v >= middle }
      expect_same(versions) { |v| v == middle }
      expect_same(versions) { |v| v != middle }
      expect_same(versions) { |v| v.between?(versions[0], middle) }
      expect_same(versions) { |v| v.clamp(versions[0], middle).n }
      expect_same(versions) { |v| v == 5 }
      expect_same(versions) { |v| v == nil }
      expect_same(versions) { |v| v < 5 }
      expect_same(versions) { |v| v < nil }
      expect_same(versions) { |v| v >= 2.5 }
      thing = things[0]
      expect_same(versions) { |v| v > thing }
      expect_same(versions) { |v| v.clamp(middle, versions[0]).n }
    end
  end

  describe "operators" do
    it "calls those of the class" do
      vectors = [ObjectsVector.new(1, 2.0), ObjectsVector.new(3, -4.0)]
      other = vectors[1]
      expect_same(vectors) { |v| v + other }
      expect_same(vectors) { |v| v - 1 }
      expect_same(vectors) { |v| v * 2 }
      expect_same(vectors) { |v| v / 2 }
      expect_same(vectors) { |v| v % 2 }
      expect_same(vectors) { |v| v**2 }
      expect_same(vectors) { |v| v == other }
      expect_same(vectors) { |v| v != other }
      expect_same(vectors) { |v| v <=> other }
      expect_same(vectors) { |v| v[0] + v[1] }
      expect_same(vectors) { |v| v[5] }
      expect_same(vectors) { |v| -v }
      expect_same(vectors) { |v| +v }
      expect_same(vectors) { |v| !v }
      expect_same(vectors) { |v| ~v }
      expect_same(vectors) { |v| v << 1 }
      expect_same(vectors) { |v| v =~ 1 }
      expect_same(vectors) { |v| v === 1 }
      expect_same(vectors) { |v| 3 + v }
      expect_same(vectors) { |v| 2.5 * v }
      expect_same(vectors) { |v| v.(3) }
      expect_same(vectors) { |v| case 1 when v then :yes else :no end }
      expect_same(vectors) { |v| v && v.x }
      expect_same(vectors) { |v| not v }
    end

    it "writes through []= and setters" do
      make = -> { [ObjectsVector.new(1, 2.0), ObjectsVector.new(3, -4.0)] }
      expect_same_effects(make) { |v| v[0] = v[1].to_i * 3 }
      expect_same_effects(make) { |v| v[0] += 5; v[1] *= 2 }
      expect_same_effects(make) { |v| v.x += 1; v.x ||= 4 }
      expect_same(make.call) { |v| (v[0] = 7) + 1 }
      expect_same(make.call) { |v| v.x = 7 }
    end
  end
end

each_compiling_backend do
  it "treats objects with methods of their own as what they are" do
    plain = ObjectsThing.new(1)
    special = ObjectsThing.new(1)
    def special.doubled = 1000
    expect { [plain, special].pmap { |t| t.doubled } }.to raise_error(Ikra::UnsupportedError, /singleton-methods/)
    expect([plain, special].pmap { |t| t.plus(1) }).to eq([2, 2])
  end

  it "refuses those that are constants or captured where they are reached" do
    special = ObjectsThing.new(1)
    def special.doubled = 1000
    block = ->(x) { [x > 9 ? special.doubled : x, x > 99 ? ENV.fetch("HOME") : x] }
    expect([1, 2].pmap(&block)).to eq([[1, 1], [2, 2]])
    expect { [1, 20].pmap(&block) }.to raise_error(Ikra::UnsupportedError, /singleton-methods/)
    expect([3].pmap(&block)).to eq([[3, 3]])
    expect { [special].pmap { |t| special.plus(1) + t.doubled } }
      .to raise_error(Ikra::UnsupportedError, /singleton-methods/)
    expect([special].pmap { |t| special.equal?(t) }).to eq([true])
  end
end

module ObjectsShared
  FACTOR = 10
  def shared = n * FACTOR
  def described = shared + extra
  def extra = 1
end

module ObjectsWrapping
  def wrapped(by) = super + 1000
end

module ObjectsMaking
  def made_by_module(n) = n + self::LIMIT
end

module ObjectsTools
  def self.helper(n) = inner(n) + 1
  def self.inner(n) = n * 2
  def self.use(thing) = thing.guarded
  def self.private_tool(n) = n
  def self.use_private_tool(n) = private_tool(n) + self.private_tool(n)
  private_class_method :private_tool
end

class ObjectsThing
  include ObjectsShared
  prepend ObjectsWrapping
  extend ObjectsMaking

  LIMIT = 5

  module Inner
    DEEP = 77
  end

  class << self
    def limit(n) = n > LIMIT ? LIMIT : n
    def chained(n) = new_limit(n) + limit(n)
    def class_constant = self::LIMIT

    private

    def new_limit(n) = limit(n) + 1
  end

  attr_reader :n
  alias number n

  def initialize(n) = @n = n

  define_method(:doubled) { @n * 2 }
  define_method(:doubled=) { |value| @n = value / 2 }
  define_method(:plus) { |a| n + a }
  define_method(:pair) { |(a, b)| a + b }
  define_method(:optional) { |a = 10| n + a }
  define_method(:lambda_method, ->(a) { return a if n > 3; n })

  define_method(:early) do |limit|
    return -1 if n > limit

    n
  end

  define_method(:skipping) do |limit|
    next -1 if n > limit

    n
  end

  define_method(:breaking) do |limit|
    break -1 if n > limit # rubocop:disable Lint/NonLocalExitFromIterator

    n
  end

  define_method(:looping) do |limit|
    10.times { |i| return i if i * n > limit }
    -1
  end

  step = 3
  define_method(:closure) { n + step }
  { double: 2, triple: 3 }.each { |name, times| define_method(name) { |x = 5| x * times + @n } }
  names = %w[a b]
  define_method(:named?) { |name| names.include?(name) && names[1] == name }
  by = ->(x) { x + step }
  define_method(:by_lambda, &by)
  define_method(:mapped) { [1, 2].map { |x| x * step + n } }
  define_singleton_method(:stepped) { |x| x * step }
  count = 0
  define_method(:count_up) { count += 1 }
  define_method(:counted) { count }

  alias_method :twice, :doubled
  alias add plus

  def use_secret = secret + 1
  def use_self_secret = self.secret + 1 # rubocop:disable Style/RedundantSelf
  def use_guarded(other) = other.guarded
  def use_hidden(value) = self.hidden = value
  def use_hidden_of(other) = other.hidden = 1
  def wrapped(by) = n * by
  def with_constant = LIMIT + self.class::LIMIT
  def removed = 1

  def public_again = n + 5
  private :public_again
  public :public_again

  protected

  def guarded = n + 100

  private

  attr_accessor :hidden

  def secret = n
end

class ObjectsSpecial < ObjectsThing
  LIMIT = 50

  define_method(:plus) { |a| super(a) + 1000 }
  alias old_add add
  undef removed

  def doubled = super + 1
  def add(other) = other + 0.5
  def inherited_constant = Inner::DEEP + LIMIT
end

class ObjectsVersion
  include Comparable
  attr_reader :n

  def initialize(n) = @n = n
  def <=>(other) = other.is_a?(ObjectsVersion) ? n <=> other.n : nil
end

class ObjectsVector
  attr_accessor :x, :y

  def initialize(x, y)
    @x = x
    @y = y
  end

  def +(other) = other.is_a?(ObjectsVector) ? x + other.x : x + other
  def -(other) = x - other
  def *(other) = y * other
  def /(other) = y / other
  def %(other) = x % other
  def **(other) = x**other
  def ==(other) = other.is_a?(ObjectsVector) && x == other.x
  def <=>(other) = x <=> other.x
  def [](i) = i.zero? ? x : y
  def []=(i, value)
    i.zero? ? @x = value : @y = value
  end

  def -@ = -x
  def +@ = x
  def ! = 5
  def ~ = 6
  def <<(other) = x << other
  def =~(other) = other
  def ===(other) = other == x
  def call(a) = a + x
  def coerce(other) = [self, other]
end

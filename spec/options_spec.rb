# frozen_string_literal: true

module Options
  Point = Struct.new(:x, :y)
  Named = Struct.new(:a, :b, keyword_init: true)

  # Those without.
  def self.listed(*all) = all
  def self.two(one, other = 3) = [one, other]

  # Methods with keywords that a Hash is passed to.
  class Echo
    def self.made(**options) = new.pass(**options)
    def go(a, b: 1, **rest) = [a, b, rest.size, rest]
    def kw(**options) = options
    def look(**options) = [options[:c], options.key?(:d), options.fetch(:c, 9)]
    def pass(**options) = go(1, **options)
    def later(a:, b: a + 1, c: b * 2) = [a, b, c]
  end

  # Methods with options.
  class Shape
    attr_reader :name, :size

    def initialize(name, size, **options)
      @name = name
      @size = size
      @color = options.fetch(:color, :black)
      @width = options[:width] || 1
    end

    def self.made(...) = new(...)
    def deconstruct_keys(_keys) = { name: @name, size: @size }

    def base(a: 0, b: 0, **rest) = [a, b, rest.size, rest.key?(:c) ? rest[:c] : nil, @color, @width]
    def itself_as(**options) = options
    def read(**options) = [options[:a], options.fetch(:b, 2), options.size, options.empty?, options.key?(:a)]
    def merged(**options) = base(**options, c: options.size)
    def with_defaults(**options) = { a: 1, b: 2 }.merge(options).values
    def with_literal(**options) = { a: 1, **options, z: 3 }.keys
    def each_of(**options) = options.map { |name, value| [name, value] }
    def changed(**options)
      options[:more] = 1
      options.delete(:a)
      options.to_a
    end

    def assigned(**options)
      options = options.merge({ a: 5 }) if options.empty?
      options
    end

    def in_block(values, **options) = values.map { |v| v * options.fetch(:by, 1) }
    def positional(options = {}) = options[:a] || 7
    def last(*values, options) = [values.size, options]
    def rest(*values) = values
    def none = 1
    def forbidden(**nil) = 1
    def same(**options) = options.equal?(options)
    def forwarded(x, ...) = base(...) + [x]
    def recursive(n, **options) = n.zero? ? options.size : recursive(n - 1, **options) + options.fetch(:a, 0)
  end

  # Passes them on to its superclass.
  class Square < Shape
    def base(a: 1, **options) = super + [options.size]
  end
end

# What `**` collects is a Hash, and keywords for a method that takes none are one.
each_backend do |backend|
  let(:shapes) { [Options::Shape.new(:a, 1), Options::Square.new(:b, 2, color: :red, width: 3)] }

  it "is looked into" do
    expect_same(shapes) { |s| [s.read(a: s.size), s.read, s.read(b: 1, c: 2)] }
    expect_same(shapes) { |s| [s.itself_as(a: s.size)[:a], s.itself_as(a: 1, b: 2.5), s.itself_as] }
    expect_same(shapes) { |s| s.each_of(a: 1, b: s.size) + s.with_defaults(b: s.size) + s.with_defaults(c: 0) }
    expect_same(shapes) { |s| [s.with_literal(a: 2), s.with_literal(b: 1), s.in_block([1, 2], by: s.size), s.in_block([3])] }
    expect_same(shapes) { |s| Options::Shape.made(s.name, 2, width: s.size).base(a: 1) }
    expect_same(shapes) { |s| [s.recursive(3, a: s.size, b: 1), s.recursive(2)] }
  end

  it "is passed on" do
    expect_same(shapes) { |s| [s.base(a: 1), s.base(b: 1, c: s.size), s.base(a: 1, d: 2)] }
    expect_same(shapes) { |s| [s.merged, s.merged(a: s.size), s.merged(b: 1, d: 2), s.forwarded(1, a: s.size, c: 2)] }
  end

  it "is changed, and is one object" do
    expect_same(shapes) { |s| [s.changed(a: 1, b: s.size), s.changed, s.changed(more: 2)] }
    expect_same(shapes) { |s| [s.assigned(a: s.size), s.assigned, s.same, s.same(a: 1)] }
  end

  it "is made for parameters that take none" do
    expect_same(shapes) { |s| [s.positional(a: s.size), s.positional, s.positional(b: 1), s.last(a: 1), s.last(1, 2, a: s.size)] }
    expect_same(shapes) { |s| [s.rest(1, a: s.size), s.rest(a: 1), s.rest] }
    expect_same(shapes) { |s| s.none(a: 1) }
    expect_same(shapes) { |s| s.forbidden(a: 1) }
    expect_same(shapes) { |s| [proc { |a| a }.call(k: s.size), proc { |a, b| [a, b] }.call(1, k: 2), proc { 1 }.call(k: 1)] }
    expect_same(shapes) { |s| [->(a, k: 1, **o) { a + k + o.size }.(s.size, k: 2, z: 3), ->(**o) { o }.(z: s.size)] }
    expect_same(shapes) { |s| ->(a) { a }.(k: s.size) }
  end

  describe "patterns" do
    it "look into Hashes" do
      expect_same([1, 2, 3.5]) do |x|
        case { kind: :a, n: x }
        in { kind: :a, n: Integer => n } if n > 1 then n + 1
        in { kind: :a, n: 1 } then :one
        in { kind: } then kind
        end
      end
      expect_same([1, 2]) { |x| h = { a: x }; (h in { a: 1 }) ? 1 : ((h in { b: 1 }) ? 2 : 3) }
      expect_same([1, 2]) { |x| h = { a: x, b: 2 }; h => { a: }; a }
      expect_same([1, 2]) { |x| case ({ a: x }); in { a: 1, **nil } then 1 ; in { a: 2 } then 2 end }
      expect_same([1, 2]) { |x| case ({ a: x, b: 1 }); in { a:, **nil } then a; in Hash then 0 end }
      expect_same([1, 2]) { |x| case ({}); in {} then x end }
      tables = [{ a: 1, b: { c: :x } }, { a: 2 }, { b: { c: 3 } }, {}]
      expect_same(4.times) { |i| case (tables[i]); in { a: Integer => a, b: { c: } } then [a, c] ; in { a: } then a; in { b: { c: } } then c; in {} then 0 end }
      expect_same(shapes) { |s| case (s); in { name: :a, size: } then size; in { name: } then name end }
      expect_same([1, 2]) { |x| h = { inner: { deep: [x, 2] } }; case h; in { inner: { deep: [Integer => m, *] } } then m end }
    end
  end

  it "are spread as arrays of pairs" do
    table = { a: 1, b: 2 }
    expect_same([1, 2]) { |x| [[*{ a: x }], [*table, x], [*{}], [0, *table, *nil]] }
    expect_same([1, 2]) { |x| a, *b = *{ a: x, b: 2 }; [a, b] }
    expect_same([1, 2]) { |x| [*(x > 1 ? [x] : table)] }
    expect_same([1, 2]) { |x| [*Options::Point.new(x, 2), *(x > 1 ? Options::Point.new(1, 2) : [3])] }
  end

  it "zip and chunk what comes along" do
    list = [5, 3, 8, 1]
    expect_same([1, 2]) { |x| [list.zip(list.each_slice(2)), list.zip(x..), list.zip(1.., list.each), list.zip([x].cycle)] }
    expect_same([1, 2]) { |x| list.zip((x..).each, list.map) { |a, b, c| a + b + c } }
    expect_same([1, 4]) { |x| list.chunk { |i| i > x }.to_a + list.chunk { |i| i.odd? ? :odd : nil }.map { |k, v| [k, v.size] } }
    expect_same([1, 4]) { |x| list.chunk { |i| i == x ? :_alone : (i > 5 ? :_separator : i % 2) }.to_a }
    expect_same([1, 4]) { |x| (1..9).chunk { |i| i / x }.map { |_, v| v.sum } + [list.chunk { |i| i }.size.nil?] }
  end

  it "are what a Hash has" do
    echo = Options::Echo.new
    expect_same([1, 2]) { |x| o = { b: x }; [echo.go(1, **o), echo.go(x, **{}), echo.go(0, c: 5, **o)] }
    expect_same([1, 2]) { |x| o = { c: x, d: 4 }; [echo.kw(d: 3, **o), echo.kw(**o, d: 3), echo.kw(**o), echo.look(**o)] }
    expect_same([1, 2]) { |x| o = { c: x, b: 4 }; [echo.pass(**o), Options::Echo.made(a: x, **o)] }
    expect_same([1, 2]) { |x| o = {}; o[:a] = 1 if x > 0; o[:b] = 5 if x == 2; echo.later(**o) }
    expect_same([1, 2]) { |x| o = { a: x, q: 3 }; [Options::Named.new(**{ a: x, b: 3 }).to_a, o.size] }
    expect_same([1, 2]) { |x| o = { a: 1 }; q = { b: x }; [echo.go(1, **o, b: 4, **q), echo.kw(z: 1, **o, a: 7, **q)] }
    expect_same([1, 2]) { |x| f = ->(a:, b: 2) { a + b }; o = { a: x }; [f.(**o), f.(**o, b: 7), f.(a: 0, **o)] }
    shared = { b: 5, c: 6 }
    expect_same([1, 2]) { |x| [echo.go(x, **shared), shared.merge({ c: x }).then { |o| echo.go(0, **o) }] }
    expect_same([1, 2]) { |x| o = { b: x }; echo.later(**o) }
    expect_same([1, 2]) { |x| o = { a: x }; o[:q] = 3 if x == 2; echo.later(**o) }
    expect_same([1, 2]) { |x| o = { a: x }; o[:q] = 3; begin; echo.later(**o); rescue ArgumentError => e; e.class; end }
  end

  it "are what one of several Hashes has, or nil" do
    echo = Options::Echo.new
    table = { x: { a: 5 }, y: { b: 7, a: 1 } }
    expect_same(%i[x y]) { |n| echo.later(**table[n]) }
    expect_same(%i[x z]) { |n| echo.later(a: 3, **(table[n] || {})) }
    expect_same(%i[x z]) { |n| echo.later(a: 3, **table[n]) }
    expect_same(%i[x z]) { |n| echo.later(**table[n], a: 3) }
    expect_same(%i[x z]) { |n| echo.kw(**table[n]) }
    expect_same([[1, { a: 1 }], [2, { a: 4 }]]) { |x, o| echo.later(**o) << x }
    expect_same([true, false]) { |c| echo.kw(**(c ? table[:x] : { a: 2.5, b: "x" })) }
    default = Hash.new(5)
    expect_same([1]) { |_| [echo.look(**default), echo.look(d: 1, **default), echo.kw(**default).size] }
    expect_same([1]) { |x| o = { a: x }; Options::Named.new(b: 1, **o).to_a }
    expect_same([1]) { |x| o = { a: x }; Options::Named.new(z: 1, **o).to_a }
  end

  it "of a Hash are one more argument of what takes none, or nothing where it is empty" do
    one = { a: 1, b: 2.5 }
    none = {}
    expect_same([1, 2]) { |n| [format("%<a>d %<b>.2f", **one), "x-y".split("-", **none), [n, 3].sum(**none)] }
    expect_same([1, 2]) { |n| [Options.listed(**one), Options.listed(n, **one), Options.listed(n, **none)] }
    expect_same([1, 2]) { |n| h = n == 1 ? {} : { a: n }; [Options.listed(**h), [n].push(**h), Options.two(n, **h)] }
    expect_same([1, 2]) { |n| h = { a: n }; all = [Options.listed(**h), Options.two(n, **h), [].push(**h)]; h[:a] = 7; all }
    expect_same([1, 2]) { |n| h = { a: n }; all = [Options.send(:listed, **h), Options.public_send(:two, n, **h)]; h[:a] = 7; all }
    expect_same([1, 2]) { |n| h = n == 1 ? {} : { a: n }; [Options.send(:listed, **h), Options.send(:listed, n, **h)] }
    many = ->(n) { h = { a: n }; Options.two(1, 2, **h) }
    expect { [2].pmap(&many) }.to raise_error(ArgumentError, "wrong number of arguments (given 3, expected 1..2)")
  end

  next if backend == :ruby

  it "of a Hash are refused where that might be no argument at all" do
    expect { [1].pmap { |x| h = { a: x }; shapes.last(**h) } }.to raise_error(Ikra::UnsupportedError, /name each keyword/)
    expect { [1].pmap { |x| h = { a: x, b: 1, c: 2 }; Options::Echo.new.later(**h, d: 1) } }.to raise_error(ArgumentError)
    texts = -> { [1].pmap { |x| h = { "a" => x }; Options::Echo.new.later(a: 1, **h) } }
    expect(&texts).to raise_error(Ikra::UnsupportedError, /no Symbols.*unsupported-keyword-splat/m)
    several = -> { [1].pmap { |x| h = { x: x, y: 1 }; Options::Echo.new.later(a: 1, **h) } }
    expect(&several).to raise_error(Ikra::UnsupportedError, /several keywords are unknown, .*unsupported-keyword-splat/m)
  end

  it "is refused where it is changed and passed on" do
    changing = ->(**o) { o.delete(:a); shapes.size.then { |n| ->(**k) { k.size }.(**o) + n } }
    expect { [1].pmap { |x| changing.(a: x) } }.to raise_error(Ikra::UnsupportedError, /unsupported-keyword-splat/)
  end
end

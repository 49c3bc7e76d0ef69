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
  def self.composed(f, g) = ->(x) { g.(f.(x)) }

  class Graph
    def initialize
      @edges = Hash.new { |hash, key| hash[key] = [] }
      @compare = ->(a, b) { b <=> a }
    end

    def add(a, b)
      @edges[a] << b
      @edges[b] << a
    end

    def to_a = @edges.to_a.sort { |a, b| @compare.(a[0], b[0]) }
  end

  # Its default block uses the object.
  class Counting
    def initialize(first)
      @first = first
      @made = 0
      @lists = Hash.new do |hash, key|
        @made += 1
        hash[key] = start(key)
      end
    end

    def start(key) = [key + @first]
    def add(key, item) = @lists[key] << item
    def to_a = [@lists.to_a, @made]
  end

  # Keeps blocks that it is given.
  class Button
    def initialize(&block) = @block = block
    def on_click(&block) = @block = block
    def click(x) = @block ? @block.call(x) : nil
    def then_click(&other) = (own = @block) && Button.new { |x| other.call(own.call(x)) }
  end

  class Bus
    def initialize = @handlers = Hash.new { |hash, key| hash[key] = [] }
    def fire(name, x) = @handlers[name].sum { |handler| handler.call(x) }

    def on(name, &handler)
      @handlers[name] << handler
      self
    end
  end

  # Its blocks use it.
  class App
    def initialize
      @log = []
      @button = Button.new
      @button.on_click { |x| note(x * 2) }
    end

    def note(x) = @log << x
    def run(n) = n.times { |i| @button.click(i) } && @log
  end

  def self.twice(&block) = ->(x) { block.call(block.call(x)) }

  def self.memo(&block)
    cache = {}
    ->(x) { cache[x] ||= block.call(x) }
  end

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

  it "takes a lambda as the block, with its arity" do
    pairs = [[1, 2], [3, 4]]
    lambdas = [
      ->(a, b) { a + b }, -> { 5 }, ->(a) { a.size }, ->(*a) { a.size }, ->(a, b = 3) { b }, ->(a, b, *c) { c.size },
      ->(a, b, c = 1) { c }, ->((a, b)) { a - b }, ->(a, k: 2) { k }, ->(a, k:) { k }, ->(k: 1) { k },
      ->(k:, j:) { k + j }, ->(a, b, k:) { k }, ->(a = 1, *r, z) { a + z[0] + r.size }, lambda { |a, b| a }
    ]
    lambdas.each do |block|
      expect_same(pairs, &block)
      expect_same([7], &block) if block.arity.abs != 1
      expect_same([], &block)
      results = [[:each, :peach], [:select, :pselect]].map do |names|
        names.map { |name| pairs.public_send(name, &block) rescue [$!.class, $!.message] }
      end
      results.each { |expected, actual| expect(actual).to eq(expected) }
    end
    expect_same(pairs, &proc { |a, b| a + b })
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

  it "takes variables along that do not change any more" do
    expect_same(numbers) { |n| mk = ->(k) { -> { k } }; mk.(n).() }
    expect_same(numbers) { |n| f = nil; 3.times { |i| f = -> { i } if i == 1 }; f.() + n }
    expect_same(numbers) { |n| f = nil; [n, 7].each { |i| f = ->(x) { i == 7 ? :seven : x } }; f.(5) }
    expect_same(numbers) { |n| limit = ->(lo) { ->(x) { lo.nil? || x > lo } }; ok = limit.(2); [ok.(1), ok.(n)] }
    expect_same(numbers) { |n| n.then { |k| -> { k } }.() }
    expect_same(numbers) { |n| f = nil; n.tap { |k| f = -> { k } }; f.() }
    expect_same(numbers) { |n| (0..n).map { |k| -> { k } }.map { |f| f.() } }
    expect_same(numbers) { |n| add = ->(k) { ->(x) { x + k } }; [1, 2].map(&add.(n)) + [add.(2).(n)] }
    expect_same(numbers) { |n| curry = ->(a) { ->(b) { ->(c) { (a * 100) + (b * 10) + c } } }; curry.(1).(n).(3) }
    expect_same(numbers) { |n| h = ->(k) { [1, 2].map { |x| x + k }.then { |l| -> { l.sum + n } } }; h.(n).() }
    expect_same(numbers) { |n| h = nil; [1, 2.5].each { |k| h = -> { k + n } }; h.() }
    expect_same(numbers) { |n| h = nil; n.times { |k| h = -> { k } if k > 1 }; h ? h.() : 9 }
    expect_same(numbers) { |n| n.then { |k| a, b = k, [k, 1]; -> { b.map { |x| x + a } } }.() }
  end

  it "keeps the lambdas of one place apart by what they took along" do
    expect_same(numbers) { |n| comp = ->(f, g) { ->(x) { g.(f.(x)) } }; comp.(->(x) { x + 1 }, ->(x) { x * n }).(n) }
    expect_same(numbers) do |n|
      comp = ->(f, g) { ->(x) { g.(f.(x)) } }
      inc = ->(x) { x + 1 }
      comp.(comp.(inc, ->(x) { x * n }), inc).(n)
    end
    expect_same(numbers) { |n| f = nil; r = 0; 3.times { |i| g = -> { i + n }; f ||= g; r += f.() }; r }
    expect_same(numbers) { |n| fs = []; r = 0; 3.times { |i| fs << -> { i + n }; r += fs[0].() }; r }
    expect_same(numbers) { |n| f = nil; s = 0; 3.times { |i| f = ->(x) { x + i }; s += f.(n) }; s }
    expect_same(numbers) do |n|
      outer = ->(k, f) { g = -> { [1].map { |x| x + k }.sum }; f ? f.() + g.() : g }
      outer.(10, outer.(n, nil)) + n
    end
  end

  it "takes keywords" do
    around = ->(x, k: 2) { x * k }
    expect_same(numbers) { |n| around.(n) + around.(n, k: n) }
    expect_same(numbers) { |n| f = ->(x, k: 2) { x * k }; f.(n) + f.(n, k: 3) }
    expect_same(numbers) { |n| f = ->(x, k:) { x * k }; f.(n, k: 3) }
    expect_same(numbers) { |n| f = ->(x, k:) { x * k }; f.(n) }
    expect_same(numbers) { |n| f = ->(x, k:) { x * k }; f.(n, k: 1, z: 2) }
    expect_same(numbers) { |n| add = ->(k: 1) { ->(x) { x + k } }; add.(k: n).(2) + add.().(n) }
  end

  it "ends a lambda that is the section's block by return" do
    [
      lambda { |x| return 3 if x == 1; 4 },
      lambda { |x| [1, 2].each { |y| return y if y == x }; 9 },
      lambda { |x| break 5 if x == 2; x }
    ].each { |block| expect_same(numbers, &block) }
  end

  it "knows another lambda in the same variable" do
    6.times do |i|
      f = i.even? ? ->(x) { x + i } : proc { |x| x - i }
      expect_same(numbers) { |x| f.(x) }
    end
    [->(x) { x }, nil, ->(x) { x * 2 }].each { |f| expect_same(numbers) { |x| f&.call(x) } }
  end
end

# Lambdas that call themselves, in objects.
module RecursiveLambdas
  # Calls one that uses its variable.
  class Holder
    def initialize(value) = @value = value

    def total(times)
      add = ->(k) { k < 1 ? @value : @value + add.(k - 1) }
      add.(times)
    end
  end
end

each_backend do
  numbers = (1..6).to_a

  it "calls lambdas in themselves" do
    expect_same(numbers) { |n| f = ->(k) { k < 2 ? 1 : k * f.(k - 1) }; f.(n) }
    expect_same(numbers) { |n| f = ->(s, k) { k < 2 ? 1 : k * s.(s, k - 1) }; f.(f, n) }
    expect_same(numbers) { |n| f = ->(k) { k > 3 ? k * 0.5 : f.(k + 1) }; f.(n) }
    expect_same(numbers) { |n| f = proc { |k| k <= 0 ? 0 : k + f.call(k - 2) }; f.call(n) }
    expect_same(numbers) { |n| f = ->(k) { return 0 if k <= 0; return k + f.(k - 2) }; f.(n) }
    expect_same(numbers) { |n| RecursiveLambdas::Holder.new(n).total(3) }
  end

  it "keeps what such lambdas assign" do
    expect_same(numbers) { |n| c = 0; f = ->(k) { c += 1; f.(k - 1) + f.(k / 2) if k > 0; c }; f.(n); c }
    expect_same(numbers) { |n| m = [nil] * (n + 1); f = ->(k) { k < 2 ? k : (m[k] ||= f.(k - 1) + f.(k - 2)) }; f.(n) }
    expect_same(numbers) { |n| [1, 2].map { |z| f = ->(k) { k < 1 ? z : f.(k - 1) + z }; f.(n) } }
    expect_same([0, 1, 2, 3]) do |n|
      graph, seen, order = [[1, 2], [3], [3], []], Array.new(4, false), []
      visit = lambda do |v|
        next if seen[v]

        seen[v] = true
        graph[v].each { |w| visit.(w) }
        order << v
      end
      visit.(n)
      order
    end
    expect_same([1, 2, 3, 4, 5]) do |n|
      count = 0
      place = lambda do |row, all|
        count += 1 if row == n
        n.times { |x| place.(row + 1, all + [x]) if all.each_with_index.none? { |y, r| y == x || (y - x).abs == row - r } }
      end
      place.(0, [])
      count
    end
  end

  it "calls lambdas that call each other" do
    expect_same(numbers) { |n| e = nil; o = ->(k) { k != 0 && e.(k - 1) }; e = ->(k) { k == 0 || o.(k - 1) }; e.(n) }
    expect_same(numbers) { |n| f = ->(k) { k < 1 ? 0 : 1 + f.(k - 1) }; g = ->(k) { k < 1 ? 0 : f.(k) + g.(k - 1) }; g.(n) }
  end
end

each_backend do
  it "calls lambdas and default blocks of methods that have ended" do
    expect_same([3, 4]) { |n| Lambdas.adder(n).(5) + Lambdas.adder(n * 10).(1) }
    expect_same([3, 4]) { |n| f = Lambdas.adder(n); g = Lambdas.adder(n * 10); [f, g].map { |h| h.(2) } }
    expect_same([3, 4]) { |n| fs = (1..n).map { |i| Lambdas.adder(i) }; fs.sum { |f| f.(10) } }
    expect_same([3, 4]) { |n| Lambdas.composed(Lambdas.adder(n), ->(z) { z * 2 }).(5) }
    expect_same([3, 4]) { |n| f = nil; 3.times { |i| g = Lambdas.adder(i); f ||= g; f.(n) }; f.(n) }
    expect_same([3, 4]) { |n| graph = Lambdas::Graph.new; n.times { |i| graph.add(i, i + 1) }; graph.to_a }
    expect_same([3, 4]) { |n| lists = Lambdas::Counting.new(n); n.times { |i| lists.add(i % 2, i) }; lists.to_a }
  end

  it "calls blocks that were kept when their method has ended" do
    expect_same([3, 4]) { |n| Lambdas::Button.new { |x| x * n }.click(5) }
    expect_same([3, 4]) { |n| button = Lambdas::Button.new; button.on_click { |x| x * n } if n > 3; button.click(5) }
    expect_same([3, 4]) { |n| Lambdas::Button.new { |x| x * n }.then_click { |x| x + n }.click(5) }
    expect_same([3, 4]) { |n| [Lambdas::Button.new(&:succ), Lambdas::Button.new(&:pred)].map { |b| b.click(n) } }
    expect_same([3, 4]) { |n| Lambdas::Bus.new.on(:a) { |x| x + n }.on(:b) { |x| x }.on(:a) { |x| x * 2 }.fire(:a, n) }
    expect_same([3, 4]) { |n| buttons = (0..n).map { |i| Lambdas::Button.new { |x| x * i } }; buttons.map { |b| b.click(n) } }
    expect_same([3, 4]) { |n| Lambdas::App.new.run(n) }
    expect_same([3, 4]) { |n| [Lambdas.twice { |x| x * n }, Lambdas.twice { |x| x + n }].map { |f| f.(2) } }
    expect_same([3, 4]) { |n| memo = Lambdas.memo { |x| x * n }; [memo.(2), memo.(2), memo.(3)] }
    expect_same([3, 4]) { |n| first = ->(x) { x + 1 }; f = first; a = f.(n); f = ->(x) { x * 3 }; [a, f.(n)] }
  end

  it "calls lambdas from around it that call themselves, and each other" do
    factorial = ->(n) { n < 2 ? 1 : n * factorial.(n - 1) }
    expect_same([3, 5]) { |n| factorial.(n) }
    expect_same([3, 5], &factorial)
    even = odd = nil
    even = ->(n) { n.zero? || odd.(n - 1) }
    odd = ->(n) { n.positive? && even.(n - 1) }
    expect_same([3, 6]) { |n| [even.(n), odd.(n)] }
    other = factorial
    expect_same([3]) { |n| factorial.(n) + other.(n) }
    factorial = ->(n) { n < 2 ? 5 : n * other.(n - 1) }
    expect_same([3]) { |n| factorial.(n) + other.(n) }
  end
end

each_backend do
  def same_counts(all)
    expected, given = %i[map pmap].map do |name|
      state = yield
      Warnings.without { [all.public_send(name, &state.first), *state.drop(1).map(&:call)] }
    end
    expect(given).to eq(expected)
  end

  it "calls lambdas that assign variables around them" do
    same_counts(1..20) { n = 0; inc = ->(x) { n += x }; [->(x) { inc.(x) }, -> { n }] }
    same_counts(1..20) { n = 0; inc = ->(x) { n += x }; [->(x) { inc.(x) + n }, -> { n }] }
    same_counts(1..20) { n = 0; get = -> { n }; [->(x) { n += x; get.() }, get] }
    same_counts(1..20) { n = 0; inc = ->(x) { n += x }; [->(x) { n += 1; inc.(2 * x) }, -> { n }] }
    same_counts(1..20) { a, b = 0, 1; step = -> { a, b = b, a + b; a }; [->(_) { step.() }, -> { [a, b] }] }
    same_counts(1..9) { n = 0; fib = ->(x) { n += 1; x < 2 ? x : fib.(x - 1) + fib.(x - 2) }; [->(x) { fib.(x) }, -> { n }] }
    same_counts(1..9) { n = 0; each = ->(x) { x.times { |i| n += i }; n }; [->(x) { each.(x) }, -> { n }] }
    same_counts(1..9) { best = nil; look = ->(x) { best = [x, -x] if best.nil? || x % 5 > best[0] % 5 }; [->(x) { look.(x); x }, -> { best }] }
    same_counts(1..9) do
      misses = 0
      squares = Hash.new { |hash, key| misses += 1; hash[key] = key * key }
      [->(x) { squares[x % 4] }, -> { [misses, squares.to_a] }]
    end
  end

  it "tells variables of one name apart" do
    counter = lambda do
      count = 0
      [->(x) { count += x }, -> { count }]
    end
    same_counts(1..9) do
      add, sum = counter.()
      other, total = counter.()
      count = 5
      [->(x) { add.(x) + other.(2 * x) + sum.() + count }, sum, total, -> { count }]
    end
    # The same code, of one counter and of two.
    calling = ->(giving, getting) { ->(x) { giving.(x) + getting.() } }
    [[0, 0], [0, 1], [0, 0], [1, 0]].each do |first, second|
      same_counts(1..9) do
        counters = [counter.(), counter.()]
        [calling.(counters[first][0], counters[second][1]), *counters.map(&:last)]
      end
    end
  end
end

each_compiling_backend do
  it "puts nothing into variables around a lambda when the section fails" do
    count = 0
    inc = ->(x) { count += 10 / (5 - x) }
    expect { Warnings.without { (1..9).peach { |x| inc.(x) } } }.to raise_error(ZeroDivisionError)
    expect(count).to eq(0)
  end

  def refused(slug, &block)
    expect { [1, 2, 3].pmap(&block) }.to raise_error(Ikra::UnsupportedError, /\[#{slug}\]/)
  end

  it "refuses what a lambda cannot do to the code around it" do
    range = 1..2
    giving = ->(x) { range = range.sum > x ? range : 3 }
    refused("unsupported-store") { |x| giving.(x) }
    breaking = proc { |x| break x }
    refused("unsupported-break") { |x| breaking.(x) }
    returning = proc { |x| return x }
    refused("unsupported-return") { |x| returning.(x) }
  end

  it "refuses a lambda whose variables are gone" do
    refused("escaping-block") { |n| mk = -> { c = 0; -> { c += n } }; mk.().() }
    refused("escaping-block") { |n| f = nil; 3.times { |i| g = -> { i += n }; f ||= g; f.() }; n }
    refused("escaping-block") { |n| fs = []; 3.times { |i| fs << -> { i += n }; fs[0].() }; n }
    refused("mixed-values") { |n| f = nil; [1, 2, 3].each { |k| f = ->(x) { k + x } if k == n }; f.(1) }
    refused("escaping-block") { |n| n.then { |k| x = 3; f = -> { x + k }; x = 4; f }.() }
    refused("escaping-block") { |n| n.then { |k| f = -> { f ? k : 2 }; f }.() }
    refused("escaping-block") { |n| n.then { |k| g = nil; 2.times { |i| x = k + i; g ||= -> { x += 1 } }; g }.() }
  end

  it "refuses what has no source, and blocks without a name" do
    waiting = [->(a, b, c) { a + b + c }.curry[1]]
    refused("unsupported-method") { |x| waiting[0].call(x) }
    expect { Lambdas.yielding([1]) { |x| x } }.to raise_error(Ikra::UnsupportedError, /give it a name/)
    pattern = ->(x) { /a#{x}/o =~ x }
    refused("unsupported-regexp") { |x| pattern.(x) }
  end
end

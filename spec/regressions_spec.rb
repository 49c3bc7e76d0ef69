# frozen_string_literal: true

require "tempfile"

# What random programs (spec/support/random_programs) and users found: each example is the smallest program that showed
# a difference from plain Ruby.
# rubocop:disable Style/Semicolon, Style/ParallelAssignment, Lint/SelfAssignment, Lint/UnderscorePrefixedVariableName
each_backend do
  let(:small) { [0, 1, 2, 3, 5, 8, 13] }

  # Classes for the examples.
  module Regressions
  def self.spread(list) = yield(*list)
  class Branch
    attr_accessor :parent, :children

    def initialize(children = [])
      @children = children
      children.each { |child| child.parent = self }
    end
  end

  def self.operations(value) = { a: ->(x) { x + value }, b: ->(x) { x - value } }

    Pair = Struct.new(:x, :y) unless const_defined?(:Pair)

    class Parent
      attr_accessor :a

      def initialize(a) = @a = a
      def twice(by) = @a * by
      def ask(other) = other.hidden
      def hidden = 1
      protected :hidden
      attr_writer :secret
      private :secret=
      def inspect = "a #{self.class.name[/\w+\z/]}"
    end

    module NilOr
      def __nil_or(other) = nil? ? other : self
      [Integer, Float, NilClass, Symbol].each { |klass| klass.include(self) }
    end

    class Underscored
      def initialize(n, list)
        @__n = n
        @list = list
      end

      def __nil? = @__n > 1
      def __item(n) = n * 10
      def __hash = @__n + 1
      def __send = :sent
      def __push(a, b = 3) = a + b
      def __bits = yield(@__n)
      def __list = @list
      def __length = @__n
      def __copy = self
      def __set(n) = @__n = n
    end

    class Child < Parent
      def twice(by)
        by += 1
        super
      end

      def bare = nothing_of_that_name

      # Called with ever other classes of arguments.
      def down(n, x, y)
        return [x, y].first.nil? ? 1 : 2 if n <= 0

        down(n - 1, y, n.even? ? nil : 2.5)
      end

      # Ends with a value that nobody can carry, and nobody uses.
      def settle(flag)
        a, b = flag, 2 if flag
      end
    end
  end

  let(:child) { [Regressions::Child.new(3)] }

  # The compiler has parts of its own by such names.
  it "leaves names that begin with two underscores to the user" do
    things = Array.new(3) { |i| Regressions::Underscored.new(i, [i, nil]) }
    expect_same(things) { |t| [t.__nil?, t.__item(2), t.__hash, t.__send, t.__push(1, 2), t.__bits { |n| n + 1 }] }
    expect_same(things) { |t| __a, __b = t.__list; [__a, __b.__nil_or(7), t.__length, t.__copy.__item(1)] }
    expect_same(things) { |t| [t].map(&:__length) + [t].map(&:__hash) + [t.__send__(:__item, 3), t.send(:__nil?)] }
    expect_same([1, 2.5, nil, :a]) { |x| x.__nil_or(3) }
    [proc { |t| t.__no_such }, proc { |t| t.__each_values }].each { |section| expect_same(things, &section) }
    [proc { |n| n.__bits }, proc { |n| n.__nil? }, proc { |n| n.__word? }]
      .each { |section| expect_same([1, 2.0, nil], &section) }
    expect_same_effects(-> { Array.new(2) { |i| Regressions::Underscored.new(i, []) } }) { |t| t.__set(t.__length + 1) }
  end

  it "compiles a method whose super has run in Ruby" do
    expect(child.map { |x| x.twice(1) }).to eq([6])
    expect_same(child) { |x| x.twice(2) }
  end

  it "says NameError for a bare name" do
    expect_same(child) { |x| x.bare }
  end

  it "keeps private setters and protected methods" do
    expect_same(child) { |x| x.secret = 1 }
    expect_same(child) { |x| x.hidden }
    expect_same(child) { |x| x.ask(x) }
  end

  it "divides infinities, and by them, as MRI does" do
    infinity = Float::INFINITY
    numbers = [1.5, -1.5, 0.0, -0.0, 1e17, -1e16, 1e-20, -1e-20]
    [infinity, -infinity, 3.0, -3, 0.3, -0.7].each do |by|
      expect_same(numbers) { |x| x.divmod(by)[0] }
      expect_same(numbers) { |x| x.divmod(by)[1] }
    end
    expect_same([infinity]) { |x| x.divmod(1)[1] }
    expect_same([-infinity]) { |x| x.divmod(2.5)[1] }
    expect_same([Float::NAN]) { |x| x.divmod(2.5)[1] }
    expect_same([1.0]) { |x| x.divmod(x * Float::NAN)[1] }
  end

  it "reads a column that turns out to hold more than Integers after its first read" do
    parent = Regressions::Parent.new(7)
    other = Regressions::Child.new(nil)
    expect_same(small) { |n| n.divmod(parent.a)[0] + (other.a&.succ || parent.a&.succ) }
  end

  it "goes on after a block that is a method's name" do
    table = [1, 2]
    expect_same(small) { |n| [table.each(&:abs).size, (n > 1 ? 5 : 7)].max }
  end

  it "drops values that nobody uses, whatever they are" do
    expect_same(child) { |x| x.settle(x.a > 2); x.a }
    expect_same(small) do |n|
      y = 0
      1.step(n, 2) do |i|
        case i
        when 1 then y, _z = i, 2
        when 3 then y = 4
        end
      end
      y
    end
    expect_same(small) { |n| a = b = 1; n > 2 && (a, b = b, n); a + b }
  end

  it "makes no range to or from NaN" do
    expect_same([1.0, Float::NAN]) { |x| (1..x).include?(2) }
    expect_same([1.0, Float::NAN]) { |x| (x...2).include?(2) }
    expect_same([1.0, Float::NAN]) { |x| (x..).include?(2) }
    expect_same([1.0, Float::NAN]) { |x| (1..nil).include?(x) }
  end

  it "looks at the patterns of a when only until one matches" do
    expect_same(small) { |n| case n when 0, (6 / n) then 1 else 2 end }
  end

  it "comes to an end where a method calls itself with arguments of many classes" do
    symbol = :a
    expect_same(child) do |x|
      y = nil
      s = 0
      5.times do |i|
        s += x.down(i, y, y) + x.down(i, 1, symbol) + x.down(i, symbol, 1.5) + x.down(i, 2.5, true) + x.down(i, i, nil)
        s += x.down(i, true, y) + x.down(i, symbol, y) + x.down(i, nil, 0.5) + x.down(i, x, y) + x.down(i, y, x)
        y = [1, 1.5, nil, true, symbol][i]
      end
      s
    end
  end
end
# rubocop:enable all

each_backend do
  it "sums Integers into a Float as MRI does" do
    expect_same([1, 2]) { |n| (1..n).sum(0.0) { |i| i == 1 ? -(2**62) * 2 : i } }
    expect_same([1, 2]) { |n| (1..n).sum(1.0 / 0) { |i| i } }
    expect_same([1, 2]) { |n| [0.1, n, 0.2, n * 3, 1e16].sum }
  end

  it "knows what is not used only of the code that it is said of" do
    make = -> { [Regressions::Parent.new(true), Regressions::Parent.new(nil)] }
    expect_same_effects(make) do |x|
      case nil
      in [_] then 1
      in _ unless (case x.a when true, false then 0 end)
        x.a = 7
      else
      end
    end
  end

  it "compares Structs with what is none" do
    expect_same([Regressions::Pair.new(1, 2), nil, 3]) { |p| p == nil }
    expect_same([Regressions::Pair.new(1, 2), nil, 3]) { |p| [p == 3, p.eql?(nil), p != :a] }
  end

  it "compares arrays with eql?, item by item" do
    expect_same([[1, 2], [], [3.0], [nil, :a]]) do |a|
      [a.eql?([]), [3.0].eql?(a), a.eql?([3]), a.eql?(a.map { |x| x }), a.eql?(nil)]
    end
  end

  it "asks uniq's block nothing about a single item" do
    expect_same([[1, 1, 2], [], [4]]) { |a| n = 0; [a.uniq { |x| n += 1; x }.size, n] }
    expect_same([[1, 1, 2], [], [4]]) { |a| n = 0; [a.each_slice(1).uniq { |x| n += 1; x }.size, n] }
  end

  it "says how small an index of an empty array may be" do
    expect_same([0, 1]) { |n| a = (0...n).to_a; a[-2] = 1; a }
  end

  it "tells where a method returns from what its body joins" do
    # The calls' nodes have the numbers of nodes in the bodies.
    expect_same([5]) do |x|
      unless (nil && nil.nan?)
        w = [nil, nil, nil, nil].rotate(0).first(((0.5 + 0) % 5))
      else

      end
    end
    expect_same([5]) { |x| w = [nil, nil].first(x + 0.5); w ? w.size : nil }
  end

  it "compares no item with itself, and asks the best one so far" do
    nan = Float::NAN
    arrays = [[nan], [nan, 1.5], [1.5, nan], [1, nan], [nan, 1], [1, nil], [nil, 1], [1, 1.0], [1.0, 1], [:a, 2]]
    arrays.each do |array|
      expect_same([array]) { |a| a.max }
      expect_same([array]) { |a| a.min }
    end
    expect_same([[nan], [1.5]]) { |a| a.map { |x| x * 2 }.max.nan? }
  end

  it "keeps the order of [best, x].max and [x, best].max" do
    first = later = 1
    [1.0, 1].peach { |x| first = [first, x].max; later = [x, later].min }
    expect([first, later]).to eql([1, 1])
    later = 1
    [1, 1.0].peach { |x| later = [x, later].max }
    expect(later).to eql(1.0)
  end

  it "says which element gave what the variable does not take" do
    [[1, nil, 2], [nil, 1], [3, 1.5, nil]].each do |values|
      sum = best = 0.5
      added = raised { values.peach { |x| 2.times { sum += x } } }
      compared = raised { values.peach { |x| best = [best, x].max } }
      unless Ikra.backend == :ruby
        expect([added.element_index, compared.element_index]).to eq([values.index(nil)] * 2)
        expect([sum, best]).to eq([0.5, 0.5])
      end
      expect([added, compared].map(&:class)).to eq([TypeError, ArgumentError])
    end
  end

  it "takes for the same in set operations what is eql?, not what is ==" do
    stub_const("Equal", Class.new(Regressions::Parent) { def ==(other) = a == other.a })
    stub_const("Alike", Class.new(Equal) { def eql?(other) = a == other.a; def hash = a })
    stub_const("Unlike", Class.new(Equal) { def eql?(_) = false; def hash = 1 })
    stub_const("Below", Class.new(Equal) { def eql?(other) = a < other.a; def hash = 1 })
    [Equal, Alike, Unlike, Below].each do |made|
      xs = [1, 1, 2, 0].map { |a| made.new(a) }
      ys = [xs[0], made.new(2)]
      expect_same([xs]) { |x| [x.uniq, x.uniq(&:itself), x.map { |y| [y] }.uniq.flatten].map(&:size) }
      expect_same([xs]) { |x| [x - ys, x & ys, x | ys, ys | x, x.union(ys), x.difference(ys)].map(&:size) }
      expect_same([xs]) { |x| [x[0].eql?(x[1]), x[0].eql?(x[0]), x.intersect?(ys), [x[0]].eql?([x[0]])] }
    end
  end

  it "tells made objects apart, also by half of what Hashes ask" do
    stub_const("Equal", Class.new(Regressions::Parent) { def ==(other) = a == other.a })
    stub_const("NoHash", Class.new(Equal) { def eql?(other) = a == other.a })
    stub_const("NoEql", Class.new(Equal) { def hash = a })
    expect_same([1]) { |x| [Equal.new(x).eql?(x), ([Equal.new(x)] - [x]).size] }
    expect_same([1]) { |x| [Equal.new(x).eql?(Equal.new(x)), ([Equal.new(x)] & [Equal.new(x)]).size] }
    [NoHash, NoEql].each do |made|
      known = [1, 2, 1, 3].map { |a| made.new(a) }
      expect_same([known]) { |all| [(all - all.first(1)).size, (all & known).size] }
      # Small Hashes of Ruby's compare a byte of the hash, in which Object#hash may be equal by chance.
      next if made == NoHash

      expect_same([known]) { |all| [all.uniq.size, (all + all).tally.values] }
    end
  end

  it "asks <=> of the same item as MRI: min, max, minmax, minmax_by, sort" do
    stub_const("Ordered", Class.new(Regressions::Parent) { def <=>(other) = a <=> other.a })
    stub_const("Joker", Class.new(Ordered) { def <=>(_) = 1 })
    xs = [Ordered.new(3), Joker.new(0), Ordered.new(9), Joker.new(1), Ordered.new(4)]
    more = [*xs, Ordered.new(4), Ordered.new(-1), Joker.new(5)]
    [xs, more].each do |base|
      expect_same([base]) { |x| [x.max.a, x.min.a, x.sort.map(&:a), x.minmax.map(&:a)] }
      expect_same([base]) { |x| [x.minmax_by { |y| y }.map(&:a), x.minmax { |p, q| p <=> q }.map(&:a)] }
      expect_same([base]) { |x| [x.each.max.a, x.each.min.a, x.each.minmax.map(&:a)] }
      expect_same([base]) { |x| [[x[0], x[1], x[2]].max.a, [x[0], x[1], x[2]].min.a, [x[2], x[1]].minmax.map(&:a)] }
      expect_same([base]) { |x| y = [x[0], x[1], x[2], x[4]]; [y.max.a, y.min.a, [*y, x[3]].min.a, y.sort.map(&:a)] }
    end
  end

  it "compares in the order of MRI's merge sort" do
    arrays = [[3, nil, 1], [nil, 1], [1, nil], [3, 1, nil, 2], [1, nil, 2, 3], [1, 2, 3, 4, 5, nil, 6, 7]]
    expect_same(arrays) { |x| x.sort }
    expect_same(arrays) { |x| x.sort { |a, b| a <=> b } }
    expect_same(arrays) { |x| x.sort_by { |a| a } }
    expect_same([1]) { |x| [3, nil, x].sort }
    expect_same([*0..40]) { |n| Array.new(n) { |i| i * 7 % 11 }.sort { |a, b| b <=> a } }
  end

  # How arguments do not fit.
  module Misfits
    def self.yields = yield(1)
    def self.two(a, b) = a + b
    def self.keywords(a:, b:, c: 1) = a + b + c
    def self.both(a, k:) = a + k
    def self.default(a = 1 / 0, k:) = a + k
    def self.calls(a) = two(a)
  end

  it "raises what Ruby raises where arguments or a block are missing, at the place that Ruby names" do
    failing = lambda do |&block|
      block.call
    rescue StandardError => e
      own = e.backtrace.grep(/#{File.basename(__FILE__)}/).map { |line| line[/:\d+:in .*(yields|two|calls|keywords|both|default)'/] }
      [e.class, e.message, own.compact]
    end
    expect(failing.call { [1].pmap { Misfits.yields } }).to eq(failing.call { [1].map { Misfits.yields } })
    expect(failing.call { [1].pmap { |x| Misfits.two(x) } }).to eq(failing.call { [1].map { |x| Misfits.two(x) } })
    expect(failing.call { [1].pmap { |x| Misfits.calls(x) } }).to eq(failing.call { [1].map { |x| Misfits.calls(x) } })
    expect(failing.call { [1].pmap { Misfits.keywords } }).to eq(failing.call { [1].map { Misfits.keywords } })
    expect(failing.call { [1].pmap { |x| Misfits.both(k: x) } }).to eq(failing.call { [1].map { |x| Misfits.both(k: x) } })
    expect(failing.call { [1].pmap { Misfits.default } }).to eq(failing.call { [1].map { Misfits.default } })
    expect_same([1]) { |x| Misfits.keywords(a: x) }
    expect_same([1]) { |x| Misfits.keywords(a: x, b: 2, d: 3, e: 4) }
    expect_same([1]) { |x| Misfits.two(x, k: x) }
  end
end

# Values that hold others like themselves, and calls that take the compiler long.
module Endless
  class Tree
    attr_reader :left, :right

    def initialize(left, right) = (@left, @right = left, right)
    def depth = 1 + [left ? left.depth : 0, right ? right.depth : 0].max
  end

  class Link
    attr_reader :value, :rest

    def initialize(value, rest) = (@value, @rest = value, rest)
  end

  def self.tree(n) = n == 0 ? nil : Tree.new(tree(n - 1), tree(n - 1))
  def self.pairs(n) = n == 0 ? nil : [pairs(n - 1), n]

  # Methods in a file of their own. Each of `twice` calls the next twice: 2**24 calls. Those of `deep` go deeper
  # than calls are inlined.
  FILE = Tempfile.new(["endless", ".rb"]).tap do |file|
    file.puts("def Endless.twice24(x) = x", "def Endless.deep80(x) = x")
    24.times { |i| file.puts("def Endless.twice#{i}(x) = twice#{i + 1}(x) + twice#{i + 1}(x)") }
    80.times { |i| file.puts("def Endless.deep#{i}(x) = [x].sum { |y| deep#{i + 1}(y) }") }
    file.flush
    load file.path
  end
end

each_compiling_backend do
  def refused(slug, line, &block)
    [method(:refused_here), ->(*all, &b) { Thread.new { refused_here(*all, &b) }.join }].each do |way|
      way.call(slug, line, &block)
    end
  end

  def refused_here(slug, line, &block)
    at = /\.rb:#{line}: .*\[#{slug}\].*hint: /m
    expect { [3, 1].pmap(&block) }.to raise_error(Ikra::UnsupportedError, at)
  end

  def line_of(method) = Endless.method(method).source_location[1]

  it "makes objects and arrays that hold others like themselves without end" do
    expect_same([3, 1]) { |n| Endless.tree(n).depth }
    expect_same([3, 1]) { |n| all = 0; a = Endless.pairs(n); (all = (all * 3) + a[1]; a = a[0]) while a; all }
    expect_same([3, 1]) { |n| l = nil; n.times { |i| l = Endless::Link.new(i, l) }; l.value }
    expect_same([3, 1]) { |n| l = nil; n.times { |i| l = [i, l] }; all = 0; (all = (all * 3) + l[0]; l = l[1]) while l; all }
    refused("\\w+-\\w+", __LINE__) { |n| [1, n].each_with_object([]) { |k, acc| acc << ->(z) { z + k } }.size }
    link = Endless::Link
    expect_same([3, 1]) { |n| link.new(1, link.new(2, link.new(n, nil))).rest.rest.value }
  end

  it "refuses calls that nest deeper than the stack has room for" do
    refused("nesting-too-deep", '\d+') { |n| Endless.deep0(n) }
  end

  it "calls methods that are far too many to inline" do
    expect([3, 1].pmap { |n| Endless.twice0(n) }).to eq([3 << 24, 1 << 24])
    expect_same([1]) { |n| Endless.twice20(n) }
  end

  it "compiles nothing behind a test that is never true, whatever stands before it" do
    expect_same([1.0, -1.0]) { |n| ok = n > 0; [n, n + 1].sum { |x| ok && x.is_a?(Integer) ? x.to_s.size : x } }
    expect_same([1.0, -1.0]) { |n| ok = n > 0; [n, n + 1].sum { |x| ok || !x.is_a?(Integer) ? x : x.to_s.size } }
  end

  it "takes pairs of what is found to be in memory only later" do
    expect_same([1, 2]) do |n|
      pair = Regressions::Pair
      ([pair.new(n, 3), pair.new(2, n), nil].each_with_index.max_by { |_, i| n.odd? ? i : -i }&.first ? 1 : 2)
    end
  end

  it "goes through an array that is found to change only later" do
    lists = [[0, -3, 5, -1], [2, 6, nil, 8]].map { |list| Regressions::Pair.new(list, nil) }
    expect_same(lists) do |pair|
      list = pair.x.compact
      list.each { pair.y = pair.x.first(1).min }
      list[0] = nil
      list.size
    end
  end

  it "puts arrays of two variables in each other's place" do
    make = -> { [Regressions::Pair.new([1], [2.5]), Regressions::Pair.new([3, 4], [])] }
    expect_same_effects(make, 3) { |pair| pair.x, pair.y = pair.y, pair.x }
  end

  it "raises of a Float that is no index what Ruby raises" do
    floats = [Float::INFINITY, -Float::INFINITY, Float::NAN, 1e300, 2.0**63, -1.9, 1.9]
    expect_same(floats) { |x| [[1, 2, 3][x], [4, 5].rotate(x)] }
    floats.each { |float| expect_same([float]) { |x| [1, 2, 3][x] } }
  end

  it "tells Strings of elements that have made much in messages of errors" do
    next if Ikra.chosen.to_s.start_with?("cuda")

    expect_same(%w[b]) { |s| raise ArgumentError, "u #{s.upcase} #{Array.new(50) { s * 3 }.size}" }
    found = { "x" => 5 }
    expect_same(%w[xyz zz]) { |s| found.fetch(s[0, 1]) }
    expect_same([1]) { |x| { [1, 2] => 3 }.fetch([x * 77_777, :zebra]) }
  end

  it "zips with what may be nil, and says what it is" do
    rows = [[1, 2], [3, 4]]
    expect_same([0, 1]) { |i| rows[i].zip(rows[1 - i]) }
    expect_same([0, 1]) { |i| rows[0].zip(rows[i + 1]) }
  end

  it "knows the names of classes" do
    expect_same([1, 2.5, nil, :a]) { |x| [x.class.name, x.class.to_s, "#{x.class}!"] }
    expect_same([1, nil]) { |x| x.class.inspect.encoding == Encoding::US_ASCII }
    expect_same([Regressions::Pair.new(1, 2), 3]) { |x| [x.class.name.frozen?, x.class.to_s.frozen?, x.class.name] }
  end

  it "names the class of what cannot be converted, where others could be there" do
    pair = Regressions::Pair.new(1, 2)
    [[pair, nil], [nil, pair], [3, nil], [nil, 3, pair]].each do |values|
      expect_same(values) { |value| String.new("abc") + value }
      expect_same(values) { |value| [value] + value }
    end
  end

  it "has no String change where what would change it is not reached" do
    text = +"é"
    expect_same([1, 2]) { |i| i > 5 ? text.insert(/a/, " ") : i + 1 }
    expect(text).to eq("é")
  end

  it "does not raise what elements behind the last one raise that a method needs, whatever its class" do
    down = ->(n) { n < 0 ? 0 : down.(n + 1) }
    raising = { NotImplementedError => -> { raise NotImplementedError }, SystemStackError => -> { down.(1) } }
    raising.each_value do |fails|
      expect([1, 2, 3].plazy.map { |x| fails.call if x == 3; x }.first(2)).to eq([1, 2])
      expect([1, 2, 3].pfind { |x| fails.call if x == 3; x == 2 }).to eq(2)
    end
    expect { [1, 2].plazy.map { |x| raise NotImplementedError, "no" if x == 2; x }.first(2) }
      .to raise_error(NotImplementedError) { |e| expect(e.element_index).to eq(1) }
  end

  it "puts items into what is an array by its place, where by type it may be a String" do
    rows = { "x" => nil, "y" => [] }
    expect_same([0, 1]) { |i| i == 0 ? rows.group_by { |_, y| y } : { "a" => "b" } }
    next if Ikra.chosen.to_s.start_with?("cuda")

    expect_same([0, 1]) { |i| i == 0 ? rows.group_by { |_, y| y } : "hello".match(/l(l)(o)?/).named_captures }
  end

  it "knows what sub, gsub and scan have found last, also of texts, and behind blocks that match" do
    next if Ikra.chosen.to_s.start_with?("cuda")

    texts = ["cat hat", "at", "xx", "日at本"]
    expect_same(texts) { |s| s =~ /h/; s.gsub("at") { $&.upcase } }
    expect_same(texts) { |s| s =~ /h/; [s.sub("at", ":"), $'] }
    expect_same(texts) { |s| s =~ /h/; s.gsub("q", "x"); $~.nil? }
    expect_same(texts) { |s| o = []; s =~ /h/; s.scan("at") { o << $` << $~.begin(0) }; o }
    expect_same(texts) { |s| s.gsub(/at/) { "k" =~ /k/; "z" }; $& }
    expect_same(texts) { |s| s.scan(/at/) { "k" =~ /k/ }; $& }
    expect_same(texts) { |s| t = s.dup; t.gsub!("at", "at" => "X"); [$~ && $~[0], t] }
    expect_same(texts) { |s| s.sub("at", "\\0\\0") + $`.to_s }
  end

  it "tells Strings in what no pattern matches, where the subject is a Struct" do
    pairs = [Regressions::Pair.new(nil, 1)]
    expect_same(pairs) { |pair| pair => { x: "a text" } }
    expect_same(pairs) { |pair| text = "a" + "b"; pair => { x: ^text } }
    expect_same(pairs) { |pair| case pair.x; in "abc" then 1; end }
  end

  it "tells first of numbers that are no characters, and adds to what is no number as Integers do" do
    expect_same([-1, 2**33, 300, 65]) { |x| x.chr(1.5) }
    expect_same([0, 1]) { |i| (1..3).sum(i == 0 ? nil : "3") }
    [nil, "a", "3", [], :a].each { |initial| expect_same([1]) { (1..3).sum(initial) } }
    expect_same([1]) { [(3..1).sum("a"), (1...1).sum(nil)] }
  end

  it "puts a class into an array beside what is none" do
    expect_same([String, Integer]) { |c| [c, 1] }
    expect_same([String, nil, 3]) { |c| [c, { c: c }] }
    expect_same([String, Integer]) { |c| c == String ? 1 : [c, "x"] }
  end

  it "names what lambdas of several variables at one place are refused for" do
    next if Ikra.chosen == :ruby

    expect { [1].pmap { |x| Regressions.operations(x)[:a].call(x) } }
      .to raise_error(Ikra::UnsupportedError, /items of an array can be Proc.*\[mixed-values\]/)
  end

  it "lets initialize put an object into what a driver has made before" do
    expect_same_program do
      root = nil
      list = []
      Ikra.section do
        root = Regressions::Branch.new([Regressions::Branch.new, Regressions::Branch.new([])])
        list << Regressions::Branch.new(Array.new(3) { Regressions::Branch.new })
      end
      [root, *list].map { |one| [one.children.map { |child| child.parent.equal?(one) }, one.instance_variables] }
    end
  end

  it "knows what split and grep leave as the last match" do
    next if Ikra.chosen.to_s.start_with?("cuda")

    texts = ["a1b", "a1b22c", "", "1", "ab"]
    [/\d/, /\d*/, /(\d)/, //, / /, /b/].each do |pattern|
      [0, 1, 2, -1].each do |limit|
        expect_same(texts) { |s| s =~ /a/; [s.split(pattern, limit), $~ && $~[0]] }
      end
      expect_same(texts) { |s| o = []; s =~ /a/; s.split(pattern) { |part| o << part << ($~ && $~[0]) }; [o, $~.nil?] }
      expect_same(texts) { |s| s =~ /a/; [[s, "b", :a].grep(pattern), $~ && $~[0]] }
      expect_same(texts) { |s| s =~ /a/; [[s, "b", nil].grep_v(pattern), $~ && $~[0]] }
      expect_same(texts) { |s| s =~ /a/; [[s, "b"].grep(pattern) { |t| t + "x" }, $~ && $~[0]] }
      expect_same(texts) { |s| s =~ /a/; [[s, "b"].grep_v(pattern) { |t| [t, $~ && $~[0]] }, $~ && $~[0]] }
    end
  end

  it "knows what Enumerators leave as the last match when they are gone through" do
    next if Ikra.chosen.to_s.start_with?("cuda")

    texts = ["a1b", "a1b22c", "", "1", "ab"]
    [/\d+/, /(\d)|b/, //].each do |pattern|
      expect_same(texts) { |s| s =~ /a/; [[s, "b", :a].lazy.grep(pattern).map { |t| [t, $~ && $~[0]] }.to_a, $~ && $~[0]] }
      expect_same(texts) { |s| s =~ /a/; [[s, "b"].lazy.grep(pattern) { |t| [t, $~ && $~[0]] }.first(1), $~ && $~[0]] }
      expect_same(texts) { |s| s =~ /a/; [[s, "b"].lazy.grep(pattern) { |t| t =~ /b/; $~ && $` }.to_a, $~ && $~[0]] }
      expect_same(texts) { |s| s =~ /a/; [[s, "b", nil].lazy.grep_v(pattern).to_a, $~ && $~[0]] }
      expect_same(texts) { |s| s =~ /a/; [[s, "b"].lazy.grep_v(pattern) { |t| [t, $~ && $~[0]] }.to_a, $~ && $~[0]] }
      expect_same(texts) { |s| s =~ /a/; l = [s, "b"].lazy.grep(pattern); before = $~ && $~[0]; [before, l.first, $~ && $~[0]] }
      expect_same(texts) { |s| s =~ /a/; [[s, "b"].lazy.map(&:upcase).grep(pattern).select { |_| $~ }.to_a, $~ && $~[0]] }
      expect_same(texts) { |s| s =~ /a/; [[s, "b", s].slice_before(pattern).to_a, $~ && $~[0]] }
      expect_same(texts) { |s| s =~ /a/; [[s, "b", s].slice_after(pattern).map(&:size), $~ && $~[0]] }
    end
  end

  it "gives what elements of all classes give where those of some keep what they have made" do
    keeping = Class.new { def keep(x) = @kept = "k" + x.to_s }
    others = Class.new(keeping) { def keep(x) = x }
    list = [4, 5, 1]
    base = [others.new, keeping.new, others.new]
    expect_same(base) { |x| x.keep(3) if list[1] > 7; list.drop(1) }
    expect_same(base) { |x| x.keep(list[0]); list.drop(1) }
  end

  it "has =~ and !~ of all objects where Ruby has" do
    expect_same([1, 2.5]) { |x| x !~ 2 }
    expect_same([1, nil, []]) { |x| x =~ /a/ }
  end

  it "takes a single array apart that a splat of unknown length comes to" do
    [[[1, 2]], [[1, 2], [3, 4]], [], [[1]], [5, [6]], [7]].each do |list|
      expect_same([1, 2]) { |x| Regressions.spread(list + (x > 1 ? [[x]] : [])) { |a, b| [a, b] } }
      expect_same([1, 2]) { |x| Regressions.spread(list + [x].drop(x)) { |(a, b), c| [a, b, c] } }
    end
    expect_same([1]) do |x|
      { a: 1, b: 2, c: 3, d: 4, e: x }.each_with_index.to_a.then { |a| Regressions.spread(a) { |b, c| [b, c] } }
    end
  end

  it "keeps Strings as they are as the keys of a tally" do
    texts = %w[a b a].map { |text| +text }
    expect_same(texts) { |s| [s].tally.keys.map { |key| [key.frozen?, key.equal?(s)] } }
    keys = ->(hashes) { hashes.map { |hash| hash.map { |key, n| [key, key.frozen?, n] } } }
    [->(s) { [s, s, "c"].tally }, ->(s) { [s, "d"].group_by(&:itself).transform_values(&:size) },
     ->(s) { (0..20).map { |i| "#{s}#{i}" }.tally }].each do |made|
      expect(keys.call(texts.pmap(&made))).to eq(keys.call(texts.map(&made)))
    end
    counts = [+"x", +"y"].tally
    texts.peach { |s| counts[s] = (counts[s] || 0) + 1 }
    expect(counts.map { |key, n| [key, key.frozen?, n] })
      .to eq([["x", false, 1], ["y", false, 1], ["a", true, 2], ["b", true, 1]])
  end

  it "zips with ranges without an end, Hashes, Strings and ranges of Strings as Ruby does" do
    expect_same([0, 1, 2]) { |n| [[n, 2].zip((n..)), (1..n).zip((5..)), [].zip((1..))] }
    expect_same([0, 1, 2]) { |n| [[].zip((1.5..)), [].zip((..3)), [n].first(n).zip((1..3)), [].zip(("a".."b"))] }
    expect_same([0, 1, 2]) { |n| [n].zip({ 1 => n }) }
    expect_same([0, 1, 2]) { |n| [n, 1].zip(("a".."c")) }
    expect_same([0, 1, 2]) { |n| [n].first(n).zip(n > 1 ? "a" : [1]) }
    expect_same([0, 1, 2]) { |n| [n].first(n).zip((1.5..3)) }
  end

  it "calls its method's block from a lambda that calls itself, also in a kernel of a driver" do
    counter = Struct.new(:n) do
      def down(&block)
        step = lambda do |i|
          next 9 if i <= 0

          block.call(i)
          step.call(i - 1)
        end
        step.call(n)
      end

      def again
        step = ->(i) { i <= 0 ? 0 : yield(i) + step.call(i - 1) }
        step.call(n)
      end
    end.new(3)
    expect_same([1, 2]) { |x| [counter.down { |i| i + x }, counter.again { |i| i * x }] }
    expect(Ikra.section { [1, 2].pmap { |x| [counter.down { |i| i + x }, counter.again { |i| i * x }] } })
      .to eq([[9, 6], [9, 12]])
  end

  it "says of nil that no pattern matches it what Ruby says, also where it could be a String" do
    record = Struct.new(:text, :other)
    expect_same([nil, "a", 1]) do |x|
      one = record.new("", nil)
      one[x ? "other" : "text"] = "b"
      case one.other
      in 1 | 2 then 3
      end
    end
  end
end

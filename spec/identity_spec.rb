# frozen_string_literal: true

# Ruby asks whether it is the same object before it asks `==`, wherever it compares by itself (rb_equal in MRI).
module Identity
  # Equal to nothing, also not to itself.
  class Odd
    attr_reader :x

    def initialize(x) = @x = x
    def ==(_other) = false
  end

  # Counts how often it is asked.
  class Asked
    attr_accessor :times, :peer

    def initialize = @times = 0

    def ==(other)
      @times += 1
      other.is_a?(Asked)
    end
  end

  # Has an `equal?` that says yes of all.
  class Same
    attr_reader :x

    def initialize(x) = @x = x
    def equal?(_other) = true
  end

  # Has one that nobody may ask.
  class Unasked < Same
    include Comparable

    def equal?(_other) = raise(ArgumentError, "asked")
    def <=>(other) = x <=> other.x
  end

  # Compares what it holds, which may be itself.
  class Ring
    attr_accessor :peer

    def ==(other) = other.is_a?(Ring) && peer == other.peer
  end

  Pair = Struct.new(:left, :right)
  Holder = Struct.new(:item)

  # Tells that it was asked.
  class Loud
    def ==(_other) = raise(ArgumentError, "compared")
  end
end

each_backend do
  let(:odd) { Identity::Odd.new(1) }

  it "looks for items by which object they are, then by ==" do
    list = [Identity::Odd.new(0), odd, Identity::Odd.new(2), odd]
    expect_same([odd, Identity::Odd.new(1)]) { |x| [list.include?(x), list.member?(x), list.index(x)] }
    expect_same([odd]) { |x| [list.find_index(x), list.rindex(x), list.count(x), list.each_entry.count(x)] }
    expect_same([odd]) { |x| copy = list.map { |y| y }; [copy.delete(x).equal?(x), copy.size] }
    expect_same([odd]) { |x| [[[x, 7]].assoc(x), [[7, x]].rassoc(x), list.any?(x), list.none?(x), list.one?(x)].map { |y| y ? 1 : 0 } }
    expect_same([odd]) { |x| [(list - [x]).size, list.uniq.size, (list & [x]).size, list.each_slice(2).include?([x])] }
  end

  it "asks no equal? of the user's" do
    [Identity::Same, Identity::Unasked].each do |type|
      all = [type.new(1), type.new(2), type.new(3)]
      expect_same([all]) { |a| [(a - [a[0]]).size, (a & [a[0]]).size, (a | [a[0]]).size, a.uniq.size, a.tally.size] }
      expect_same([all]) { |a| [a.difference([a[1]]).size, a.group_by { |x| x }.size, Set[a[0], a[1]].size] }
      expect_same([all]) { |a| [a.index(a[2]), a.include?(a[1]), a.count(a[1]), a[0] == a[1], a[0].eql?(a[1])] }
      expect_same([all]) { |a| h = { a[0] => 1, a[1] => 2 }; [h.size, h[a[0]], h[a[1]], h[a[2]], h.key(1) == a[0]] }
      expect_same([all]) { |a| [[a[0]] == [a[1]], { 1 => a[0] } == { 1 => a[1] }, (case a[0] when a[1] then 1 else 2 end)] }
      expect_same([all]) { |a| catch(a[0]) { catch(a[1]) { throw a[0], 1 } + 2 } }
      expect_same([all]) { |_| x = type.new(1); y = type.new(2); [[x, y].uniq.size, { x => 1, y => 2 }.size, [x].index(y)] }
    end
  end

  it "has the same pairs of a Hash in windows that overlap, and in each round of a cycle" do
    pairs = { 1 => 2.5, 2 => 3.5, 3 => 4.5 }
    expect_same([pairs]) { |h| c = h.each_cons(2).to_a; [c[0][1].equal?(c[1][0]), c[0][0].equal?(c[1][0])] }
    expect_same([pairs]) { |h| l = []; h.each_cons(2) { |x| l << x }; l[0][1].equal?(l[1][0]) }
    expect_same([pairs]) { |h| l = []; h.each_cons(2).with_index { |(x, y), _| l << x << y }; l[1].equal?(l[2]) }
    expect_same([pairs]) { |h| l = []; h.cycle(2) { |x| l << x }; [l[0].equal?(l[3]), l[0].equal?(l[1])] }
    expect_same([pairs]) { |h| l = h.cycle.first(4); [l[0].equal?(l[3]), l.size] }
    expect_same([{ 1 => 2, n: 3 }]) { |h| h[:m] = 4; c = h.each_cons(2).to_a; c[0][1].equal?(c[1][0]) }
    expect_same([pairs]) { |h| h.each_cons(2).map { |(a, b), (c, d)| [a + c, b - d] } }
    expect_same([pairs]) { |h| [h.each_cons(4).to_a, h.each_cons(2).size, h.each_slice(2).map { |x| x.size }] }
    expect_same([pairs]) { |h| h.each_cons(0) { |x| x } }
    windows, cycle = [pairs].pmap { |h| [h.each_cons(2).to_a, h.cycle(2).to_a] }.first
    expect(windows[0][1]).to equal(windows[1][0])
    expect(cycle[0]).to equal(cycle[3])
  end

  it "compares arrays, Hashes, Structs and their like so" do
    kept = odd
    other = Identity::Odd.new(1)
    expect_same([kept, other]) { |x| [[x] == [kept], [x, 1] == [kept, 2], [[x]] == [[kept]], [x] <=> [kept]] }
    expect_same([kept, other]) { |x| [{ 1 => x } == { 1 => kept }, { a: x }.value?(kept), { a: x }.key(kept), { a: x } <= { a: kept }] }
    expect_same([kept, other]) { |x| [Identity::Holder.new(x) == Identity::Holder.new(kept), x === kept, x <=> kept, x != kept] }
    expect_same([kept, other]) do |x|
      found = case x
              when kept then 1
              else 2
              end
      case [x]
      in [^kept] then [found, 1]
      in [_] then [found, 2]
      end
    end
    expect_same([kept, other]) { |x| [[x].any?(kept), [x].grep(kept).size, [1, x].slice_when { |a, b| a == b }.to_a.size] }
  end

  it "does so for what the section makes" do
    expect_same([1, 2]) do |n|
      x = Identity::Odd.new(n)
      y = n > 1 ? x : Identity::Odd.new(1)
      [[x].include?(y), [y, x].index(x), [x].count(y), [x] == [y], x === y, x <=> y, x == y, { 1 => x } == { 1 => y }]
    end
    expect_same([1, 2]) do |n|
      list = Array.new(n + 3) { |i| Identity::Odd.new(i) }
      kept = list[n]
      [list.include?(kept), list.index(kept), list.rindex(kept), list.count(kept), list == list.dup, list.delete(kept).x]
    end
  end

  it "asks == no more often than Ruby" do
    items = Array.new(3) { Identity::Asked.new }
    expect(items.pmap { |x| [x].include?(x) && [x, x] == [x, x] && x === x }).to eq [true] * 3
    expect(items.map(&:times)).to eq [0, 0, 0]
  end

  it "stops at the first member that differs" do
    loud = Identity::Loud.new
    expect_same([1, 2]) { |n| Identity::Pair.new(n, loud) == Identity::Pair.new(1, Identity::Loud.new) }
    expect_same([1, 2]) { |n| Identity::Pair.new(n, loud) == Identity::Pair.new(1, loud) }
    expect_same([1, 2]) { |n| [n, loud] == [1, Identity::Loud.new] }
    expect_same([1, 2]) { |n| [n, loud] == [1, loud] }
  end

  it "compares an object that holds itself with itself" do
    ring = Identity::Ring.new
    ring.peer = ring
    expect_same([ring]) { |x| [[x].include?(x), [x].index(x), [x] == [x], x === x, { 1 => x } == { 1 => x }] }
  end

  it "takes an array that holds NaN as equal to itself" do
    nans = [0.0 / 0, 1.0]
    expect_same([1, 2]) { |n| [nans == nans, nans.eql?(nans), nans <=> nans, [nans].include?(nans), n] }
    expect_same([3]) { |n| list = Array.new(n) { 0.0 / 0 }; [list == list, list <=> list] }
  end
end

each_compiling_backend do
  it "refuses only where Ruby's answer depends on which NaN it is" do
    nan = Float::NAN
    expect_same([1.0, 2.0]) { |x| [[x, nan].include?(3.0), [nan, x].index(x), [x, nan] == [3.0, nan], nan === nan] }
    ask = [->(x) { [x, nan].include?(nan) }, ->(x) { [x, nan] == [x, nan] }, ->(x) { [nan, x].eql?([nan, x]) },
           ->(x) { [x, nan, nan].uniq.size }, ->(x) { { x => nan } == { x => nan } }, ->(x) { [nan, x] - [nan] },
           ->(x) { [x, x * nan].count(nan) }]
    ask.each do |block|
      expect { [1.0].pmap(&block) }.to raise_error(Ikra::UnsupportedError, /two Floats.*\[unsupported-identity\]/m)
    end
  end

  it "knows which numbers are immediate values" do
    numbers = [0, 5, -(2**62), (2**62) - 1]
    expect_same(numbers) { |x| [x.equal?(x + 0), x.equal?(x ^ 1)] }
    expect_same([0.0, 1.5, -1.5, 1e70, 1e-70]) { |x| [x.equal?(x * 1), x.equal?(x - 1)] }
    [2**62, -(2**62) - 1, -0.0, 1e300, 1e-300, Float::NAN, [0x3000000000000000].pack("q").unpack1("d")].each do |x|
      expect { [x].pmap { |y| y.equal?(y * 1) } }.to raise_error(Ikra::UnsupportedError, /unsupported-identity/)
    end
  end

  it "refuses several NaN that blocks give where Ruby looks which are the same" do
    nan = Float::NAN
    expect([1, 2].pgroup_by { |x| x > 1 ? nan : 1.0 }.size).to eq(2)
    expect([nan, nan].puniq).to eq([nan])
    [-> { [1, 2].pgroup_by { nan } }, -> { [1, 2].puniq { [nan] } }, -> { [1, 2].plazy.map { nan }.tally },
     -> { [1, 2].plazy.map { nan }.uniq.to_a }, -> { [1, 2].pto_h { |x| [nan, x] } }].each do |call|
      expect(&call).to raise_error(Ikra::UnsupportedError, /which NaN are one object.*\[unsupported-identity\]/m)
    end
  end

  it "refuses them before anything is changed" do
    counter = Struct.new(:count)
    calls = [->(all) { all.pgroup_by { |one| one.count += 1; Float::NAN } },
             ->(all) { all.puniq { |one| one.count += 1; [Float::NAN] } },
             ->(all) { all.plazy.map { |one| one.count += 1; Float::NAN }.to_set },
             ->(all) { all.pto_h { |one| one.count += 1; [Float::NAN, 1] } }]
    calls.each do |call|
      all = [counter.new(1), counter.new(2)]
      expect { call.(all) }.to raise_error(Ikra::UnsupportedError, /\[unsupported-identity\]/)
      expect(all.map(&:count)).to eq([1, 2])
    end
  end
end

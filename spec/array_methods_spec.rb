# frozen_string_literal: true

# Methods of Array, Range and Enumerator that `builtins/core/` has, on arrays that are empty, short and long, with arguments that
# Ruby converts or refuses. Each block is run by Ruby and by every back-end and must give the same.
each_backend do
  let(:arrays) { [[3, 1, 2], [], [5], [7, 7, 1, 9, -4]] }

  it "chooses items" do
    expect_same(arrays) { |x| x.combination(2).to_a }
    expect_same(arrays) { |x| x.combination(0).to_a }
    expect_same(arrays) { |x| x.combination(1).to_a }
    expect_same(arrays) { |x| x.combination(-1).to_a }
    expect_same(arrays) { |x| x.combination(x.size).to_a }
    expect_same(arrays) { |x| x.combination(2.9).map(&:sum) }
    expect_same(arrays) { |x| x.combination(2).sum { |a, b| a * b } }
    expect_same(arrays) { |x| x.combination(nil).to_a }
    expect_same(arrays) { |x| n = 0; [x.combination(2) { |a, b| n += a - b }.equal?(x), n] }
    expect_same(arrays) { |x| x.combination(3).first(2) }
    expect_same(arrays) { |x| x.combination(2).size }
    expect_same(arrays) { |x| x.permutation(2).to_a }
    expect_same(arrays) { |x| x.permutation.to_a.size }
    expect_same(arrays) { |x| x.first(3).permutation.to_a }
    expect_same(arrays) { |x| x.first(4).permutation(3).map { |a| a.inject(0) { |s, v| s * 10 + v } } }
    expect_same(arrays) { |x| x.permutation(0).to_a }
    expect_same(arrays) { |x| x.permutation(-2).to_a }
    expect_same(arrays) { |x| x.permutation(9).to_a }
    expect_same(arrays) { |x| x.repeated_combination(2).to_a }
    expect_same(arrays) { |x| x.repeated_combination(3).count }
    expect_same(arrays) { |x| x.repeated_combination(0).to_a }
    expect_same(arrays) { |x| x.repeated_permutation(2).to_a }
    expect_same(arrays) { |x| x.repeated_permutation(0).to_a }
    expect_same(arrays) { |x| x.repeated_permutation(x.size > 4 ? 1 : x.size).to_a }
    expect_same(arrays) { |x| [1, :a, 2.5].combination(2).to_a }
    expect_same(arrays) { |x| [1, 2, 3].combination(2) { |a, b| break a if a + b > 4 } }
  end

  it "turns rows into columns and multiplies" do
    expect_same(arrays) { |x| [x, x].transpose }
    expect_same(arrays) { |x| [[1, 2], [3, 4]].transpose }
    expect_same(arrays) { |x| [[1, 2], [3]].transpose }
    expect_same(arrays) { |x| [x, [1, 2, 3]].transpose }
    expect_same(arrays) { |x| [].transpose }
    expect_same(arrays) { |x| x.transpose }
    expect_same(arrays) { |x| [[1], nil].transpose }
    expect_same(arrays) { |x| x.each_slice(2).to_a.transpose }
    expect_same(arrays) { |x| x.map { |v| [v, v * 2] }.transpose }
    expect_same(arrays) { |x| x.product([1, 2]) }
    expect_same(arrays) { |x| x.product([1, 2], x) }
    expect_same(arrays) { |x| x.product }
    expect_same(arrays) { |x| x.product(3) }
    expect_same(arrays) { |x| x.product([1], nil) }
    expect_same(arrays) { |x| n = 0; x.product([1, 2]) { |a, b| n += a * b }; n }
    expect_same(arrays) { |x| [1, 2].product([3, 4], [5]) }
    expect_same(arrays) { |x| [1] * -5 }
  end

  it "searches in what is ordered" do
    expect_same(arrays) { |x| x.sort.bsearch { |v| v >= 3 } }
    expect_same(arrays) { |x| x.sort.bsearch { |v| 3 <=> v } }
    expect_same(arrays) { |x| x.sort.bsearch { |v| nil } }
    expect_same(arrays) { |x| x.sort.bsearch { |v| 0.5 } }
    expect_same(arrays) { |x| x.sort.bsearch { |v| 0.0 / 0 } }
    expect_same(arrays) { |x| x.sort.bsearch { |v| :a } }
    expect_same(arrays) { |x| x.sort.bsearch { |v| [] } }
    expect_same(arrays) { |x| x.sort.bsearch { |v| true } }
    expect_same(arrays) { |x| x.sort.bsearch_index { |v| v >= 7 } }
    expect_same(arrays) { |x| x.sort.bsearch_index { |v| 7 - v } }
    expect_same(arrays) { |x| (0..x.size).bsearch { |v| v >= 3 } }
    expect_same(arrays) { |x| (0...x.size).bsearch { |v| v >= 4 } }
    expect_same(arrays) { |x| (0..100).bsearch { |v| v * v <=> 49 } }
    expect_same(arrays) { |x| (-100..100).bsearch { |v| v >= -37 } }
    expect_same(arrays) { |x| (0..).bsearch { |v| v > 1000 } }
    expect_same(arrays) { |x| (..0).bsearch { |v| v > -1000 } }
    expect_same(arrays) { |x| (...10).bsearch { |v| v >= 10 } }
    expect_same(arrays) { |x| (nil..nil).bsearch { |v| v >= 10 } }
    expect_same(arrays) { |x| (0.0..10.0).bsearch { |v| v * v >= 2 } }
    expect_same(arrays) { |x| (-1.0..10).bsearch { |v| v >= -0.5 } }
    expect_same(arrays) { |x| (0.0..).bsearch { |v| Math.log(v) >= x.size } }
    expect_same(arrays) { |x| (0.0...1.0).bsearch { |v| v >= 1.0 } }
    expect_same(arrays) { |x| (..-0.0).bsearch { |v| v >= -1e300 } }
    expect_same(arrays) { |x| (1..3.5).bsearch { |v| v >= 3.2 } }
    expect_same(arrays) { |x| (3..1).bsearch { true } }
    expect_same(arrays) { |x| (4..4).bsearch { |v| v >= 4 } }
    expect_same(arrays) { |x| (4...4).bsearch { |v| v >= 4 } }
  end

  it "changes arrays made in the section" do
    expect_same(arrays) { |x| a = x.dup; [a.delete(7), a] }
    expect_same(arrays) { |x| a = x.dup; [a.delete(100), a] }
    expect_same(arrays) { |x| a = x.dup; [a.delete(100) { |v| v + 1 }, a] }
    expect_same(arrays) { |x| a = x.dup; [a.delete(7.0), a] }
    expect_same(arrays) { |x| a = x.dup; [a.filter! { |v| v > 2 }, a] }
    expect_same(arrays) { |x| a = x.dup; [a.insert(0, 1, 2, 3), a] }
    expect_same(arrays) { |x| a = x.dup; a.insert(-1, 9) }
    expect_same(arrays) { |x| a = x.dup; a.insert(-2, 9) }
    expect_same(arrays) { |x| a = x.dup; a.insert(-9, 9) }
    expect_same(arrays) { |x| a = x.dup; a.insert(0) }
    expect_same(arrays) { |x| a = [x, [x]]; [a.flatten!, a] }
    expect_same(arrays) { |x| a = x.dup; a.flatten! }
    expect_same(arrays) { |x| a = [1, [2, [3]]]; a.flatten!(1); a }
    expect_same(arrays) { |x| a = [1, [2, [3]]]; a.flatten!(0) }
    expect_same(arrays) { |x| [[1, [2, [3]]]].flatten(1) }
    expect_same(arrays) { |x| [[1, [2, [3, [nil, []]]]]].flatten }
    expect_same(arrays) { |x| [x, [[x]]].flatten(-1) }
    expect_same(arrays) { |x| [x, [[x]]].flatten(0) }
    expect_same(arrays) { |x| x.map { |v| [v, [v]] }.flatten }
    expect_same(arrays) { |x| a = x.dup; [a.slice!(1), a] }
    expect_same(arrays) { |x| a = x.dup; [a.slice!(1, 2), a] }
    expect_same(arrays) { |x| a = x.dup; [a.slice!(0, 0), a] }
    expect_same(arrays) { |x| a = x.dup; [a.slice!(9, 1), a] }
    expect_same(arrays) { |x| a = x.dup; [a.slice!(-2, 5), a] }
    expect_same(arrays) { |x| a = x.dup; [a.slice!(1..), a] }
    expect_same(arrays) { |x| a = x.dup; [a.slice!(-2..-1), a] }
    expect_same(arrays) { |x| a = x.dup; [a.slice!(1...2), a] }
    expect_same(arrays) { |x| a = x.dup; [a.slice!(-9..2), a] }
    expect_same(arrays) { |x| a = x.dup; [a.pop(2), a] }
    expect_same(arrays) { |x| a = x.dup; [a.pop(0), a] }
    expect_same(arrays) { |x| a = x.dup; a.pop(-1) }
    expect_same(arrays) { |x| a = x.dup; [a.shift(2), a] }
    expect_same(arrays) { |x| a = x.dup; a.shift(nil) }
    expect_same(arrays) { |x| a = x.dup; a.replace([1, 2]); a }
    expect_same(arrays) { |x| a = x.dup; a.replace(a); a }
    expect_same(arrays) { |x| a = x.dup; a.fill(0, 0, 2); a }
    expect_same(arrays) { |x| a = x.dup; a.fill(9, -2) }
    expect_same(arrays) { |x| a = x.dup; a.fill(9, nil, 1) }
    expect_same(arrays) { |x| a = x.dup; a.fill(0) { |i| i } }
    expect_same(arrays) { |x| a = x.dup; a.fill(-1) { |i| i * i } }
    expect_same(arrays) { |x| a = x.dup; a.fill { |i| i * i } }
    expect_same(arrays) { |x| a = x.dup; [a.fill(0, 1..), a.fill(9, ...2).equal?(a), a.fill(7, -1..-1)] if x.any? }
    expect_same(arrays) { |x| a = x.dup; a.fill(:s, 0..1) }
    expect_same(arrays) { |x| a = x.dup; a.fill(-9..1) { |i| i } }
    expect_same(arrays) { |x| a = x.dup; a.fill(0...2) { |i| i * 5 } }
  end

  it "replaces parts by others" do
    expect_same(arrays) { |x| [-3, -1, 0, 1, 2, 3].map { |i| a = x.dup; a[i, 1] = 8; a } }
    expect_same(arrays) { |x| [0, 1, 2, 9].map { |n| a = x.dup; a[1, n] = [8, 9, 10]; a if x.any? } }
    expect_same(arrays) { |x| a = x.dup; a[0, 2] = []; a }
    expect_same(arrays) { |x| a = x.dup; a[1, 0] = a; a if x.any? }
    expect_same(arrays) { |x| a = x.dup; a[0..1] = 7; a }
    expect_same(arrays) { |x| a = x.dup; a[-2..] = [1, 2, 3]; a }
    expect_same(arrays) { |x| a = x.dup; a[...-1] = [nil]; a }
    expect_same(arrays) { |x| a = x.dup; a[1..0] = [5, 6]; a if x.any? }
    expect_same(arrays) { |x| a = x.dup; a[-9..2] = 1 }
    expect_same(arrays) { |x| a = x.dup; a[-9, 1] = 1 }
    expect_same(arrays) { |x| a = x.dup; a[0, -1] = 1 }
    expect_same(arrays) { |x| a = x.dup; a[7, 2] = [1, 2]; a }
    expect_same(arrays) { |x| a = x.dup; a[8..9] = []; a }
    expect_same(arrays) { |x| a = x.dup; (a[0, 1] = [4, 5]) + a }
    expect_same(arrays) { |x| a = x.dup; a[1.9, 1.2] = :s; a if x.any? }
    expect_same(arrays) { |x| a = x.map { |v| [v] }; a[0, 1] = [[1, 2]]; a.first << 3; a }
    expect_same(arrays) { |x| a = x.dup; a.map!.with_index { |v, i| v * i }; a }
    expect_same(arrays) { |x| x.group_by.with_index { |v, i| (v + i).even? } }
    expect_same(arrays) { |x| a = x.dup; a.sort_by!.with_index { |v, i| -i }; a }
    expect_same(arrays) { |x| a = x.dup; [a.collect!.with_index(2) { |v, i| v - i }, a.map!.size] }
  end

  it "takes parts" do
    expect_same(arrays) { |x| x.values_at(1..2) }
    expect_same(arrays) { |x| x.values_at(-1..5, 0) }
    expect_same(arrays) { |x| x.values_at(-2..) }
    expect_same(arrays) { |x| x.values_at(-20..1) }
    expect_same(arrays) { |x| x.values_at(-20...1) }
    expect_same(arrays) { |x| x.values_at(-20..) }
    expect_same(arrays) { |x| x.values_at(0...-1) }
    expect_same(arrays) { |x| x.values_at(1.5) }
    expect_same(arrays) { |x| x.rotate(1.9) }
    expect_same(arrays) { |x| x.rotate(nil) }
    expect_same(arrays) { |x| x.each_slice(2.5).to_a }
    expect_same(arrays) { |x| x.each_cons(2.9).to_a }
    expect_same(arrays) { |x| x.each_slice(nil).to_a }
    expect_same(arrays) { |x| x.take(1.9) }
    expect_same(arrays) { |x| x.drop(1.9) }
    expect_same(arrays) { |x| x.drop(-1) }
  end

  it "compares as eql? does" do
    expect_same(arrays) { |x| x.intersect?([7, 5]) }
    expect_same(arrays) { |x| x.intersect?(3) }
    expect_same(arrays) { |x| x.intersect?([]) }
    expect_same(arrays) { |x| [x].eql?([x]) }
    expect_same(arrays) { |x| [1, 2].eql?([1.0, 2]) }
    expect_same(arrays) { |x| x.eql?(x.map(&:to_f)) }
    expect_same(arrays) { |x| x.eql?(nil) }
    expect_same(arrays) { |x| [1, 1.0].uniq }
    expect_same(arrays) { |x| [[1], [1.0], [1]].uniq }
    expect_same(arrays) { |x| [[1]] - [[1.0]] }
    expect_same(arrays) { |x| [[1]] & [[1.0]] }
    expect_same(arrays) { |x| x.union }
    expect_same(arrays) { |x| x.union([8], x) }
    expect_same(arrays) { |x| x.difference }
    expect_same(arrays) { |x| x.intersection }
    expect_same(arrays) { |x| x.intersection([7, 1], [1]) }
    expect_same(arrays) { |x| x.union(3) }
  end

  # More than 16 items are found by their hash.
  it "takes long arrays for sets" do
    numbers = Array.new(1200) { |i| (i * 7919) % 701 }
    floats = numbers.map { |i| i % 3 == 0 ? -i / 8.0 : i.to_f }
    mixed = numbers.map { |i| [i, i.to_f, -0.0, :a, nil, true, false, :"b#{i % 5}", i / 2.0, 0.0, i << 40, -i][i % 12] }
    nested = numbers.map { |i| [[i % 7, i % 5], [i % 3], [], [i % 4 * 1.0, 2], [nil, :a], [0.0], [-0.0]][i % 7] }
    deep = numbers.map { |i| [[i % 7], [i % 3, [i % 5]]] }
    others = numbers.map { |i| (i * 3) - 400 }
    sizes = [0, 1, 15, 16, 17, 18, 33, 64, 65, 700, 1200]
    [numbers, floats, mixed, nested, deep].each do |all|
      expect_same(sizes) { |n| all.first(n).uniq }
    end
    [numbers, mixed, nested].each do |all|
      expect_same(sizes) { |n| all.last(900).difference(all.first(n), all.first(20)) }
      expect_same(sizes) { |n| all.reverse.intersection(all.first(n), all.first(40)) }
      expect_same(sizes) { |n| all.first(n) | all.last(600) }
    end
    expect_same(sizes) { |n| a = mixed.first(n); [a.uniq!, a] }
    expect_same(sizes) { |n| [mixed.first(n) - numbers, nested.first(n) & mixed, numbers.first(3).union(mixed.first(n))] }
    expect_same(sizes) { |n| [nested.intersect?(nested.first(n)), numbers.first(n).intersect?([701, :c, [3]])] }
    expect_same(sizes) { |n| [numbers - others.first(n), others.first(n) | floats, others & numbers.first(n)] }
    expect_same(sizes) { |n| numbers.first(n).uniq { |x| x % 97 } }
    expect_same(sizes) { |n| numbers.first(n).uniq { |x| [x % 7, x % 5 * 0.5] } }
    expect_same(sizes) { |n| numbers.first(n).uniq { |x| x.odd? ? x % 50 : :even } }
    expect_same(sizes) { |n| [(1..n).uniq { |x| x % 40 }, (1..n).to_a.uniq.size, (1..n).each_slice(2).uniq.size] }
    expect_same(sizes) { |n| numbers.first(n).map { |x| [x % 30, n] }.uniq }
    expect_same(sizes) { |n| [numbers.first(n).map { |x| (0..x % 30).to_a }.uniq, [[0], [0, 1]] & [[0]]] }
    expect_same(sizes) { |n| numbers.first(n).map { |x| x.odd? ? Integer : Float }.uniq.size }
    expect_same(sizes) { |n| Array.new(n) { |i| i << 45 }.uniq.size + Array.new(n) { |i| -i * 0.125 }.uniq.size }
    # Those that no two of are alike, and those that all are.
    nan = Float::NAN
    expect_same(sizes) { |n| [([0.0, -0.0] * n).uniq, ([1, 1.0] * n).uniq, ([nil] * n).uniq, ([n] * n) - [n.to_f]] }
    expect_same(sizes) { |n| (Array.new(n) { |i| i } | [nan]).size }
  end

  it "takes long arrays of objects for sets, by what their class calls eql?" do
    plain = Class.new { attr_reader :n; def initialize(n) = @n = n }
    equal = Class.new(plain) { def ==(other) = other.is_a?(self.class) && n == other.n }
    alike = Class.new(equal) { def eql?(other) = self == other; def hash = n.hash }
    # One that takes itself for an Integer.
    number = Class.new(plain) { def eql?(other) = other.is_a?(Integer) ? n == other : equal?(other); def hash = n.hash }
    pair = Struct.new(:n, :m)
    [plain, equal, alike, number, pair].each do |made|
      few = Array.new(40) { |i| made.new(i % 30) }
      xs = Array.new(300) { |i| few[(i * 7) % 40] }
      ys = few.last(25)
      mixed = Array.new(300) { |i| i.odd? ? xs[i] : i % 20 }
      rows = xs.map { |x| [x, nil] }
      base = [[xs, ys], [ys, xs], [xs.first(16), ys.first(17)]]
      expect_same(base) { |a, b| [a.uniq.map(&:n), (a - b).map(&:n), (a & b).map(&:n), (a | b).map(&:n)] }
      expect_same([20, 300]) { |n| mixed.first(n).uniq.map { |x| x.is_a?(Integer) ? x : -x.n } }
      expect_same([20, 300]) { |n| rows.first(n).uniq.map { |x, _| x.n } }
      expect_same([20, 300]) { |n| (rows.first(n) - rows.last(5)).map { |x, _| x.n } }
      expect_same([20, 300]) { |n| xs.first(n).uniq { |x| x.n % 9 }.map(&:n) }
    end
  end

  # Where each item were compared with each, these would take minutes.
  it "takes as long for an item of a large set as of a small one" do
    base = [60_000]
    expect_same(base) { |n| a = Array.new(n) { |i| (i * 7919) % 100_003 }; [a.uniq.size, (a - a.first(n / 2)).sum] }
    expect_same(base) { |n| a = Array.new(n) { |i| (i * 7919) % 100_003 }; [(a & a.last(n / 2)).sum, (a | [1, n]).size] }
    expect_same(base) { |n| Array.new(n) { |i| i * 0.25 }.uniq { |x| [x.floor, x % 1] }.sum }
    expect_same(base) { |n| (0...n).map { |i| i << 40 }.intersect?((1..n).map { |i| -i }) }
  end

  it "goes around, and makes arrays of other things" do
    expect_same(arrays) { |x| x.deconstruct }
    expect_same(arrays) { |x| x.cycle(2) { |v| v } }
    expect_same(arrays) { |x| n = 0; x.cycle { |v| n += 1; break n if n > 7 } }
    expect_same(arrays) { |x| x.cycle(2).to_a }
    expect_same(arrays) { |x| x.cycle.first(5) }
    expect_same(arrays) { |x| x.cycle(-1).to_a }
    expect_same(arrays) { |x| x.cycle(nil).first(2) }
    expect_same(arrays) { |x| (1..3).cycle(2).to_a }
    expect_same(arrays) { |x| Array(x) }
    expect_same(arrays) { |x| Array(nil) }
    expect_same(arrays) { |x| Array(1..3) }
    expect_same(arrays) { |x| Array(x.first) }
    expect_same(arrays) { |x| Array(:a) }
    expect_same(arrays) { |x| Array([1, 2]) }
    expect_same(arrays) { |x| x.each.size }
    expect_same(arrays) { |x| x.find.size }
  end

  it "shuffles by its own generator" do
    Ikra.srand(7)
    expect(arrays.pmap { |x| x.shuffle.sort == x.sort }).to all(be(true))
    expect(arrays.pmap { |x| a = x.dup; a.shuffle!; a.sort == x.sort }).to all(be(true))
    expect(arrays.pmap { |x| v = x.sample; v.nil? ? x.empty? : x.include?(v) }).to all(be(true))
    expect(arrays.pmap { |x| (x.sample(3) - x).size }).to eq([0, 0, 0, 0])
    expect(arrays.pmap { |x| x.sample(3).size }).to eq([3, 0, 1, 3])
    expect_same(arrays) { |x| x.sample(-1) }
    seen = Array.new(40) { |i| i }.pmap { |i| [1, 2, 3].shuffle }
    expect(seen.uniq.size).to be > 1
  end
end

# What cannot be told before is refused.
each_compiling_backend do
  let(:arrays) { [[3, 1, 2], [], [5]] }

  def refused(slug, &block) = expect { arrays.pmap(&block) }.to raise_error(Ikra::UnsupportedError, /\[#{slug}\]/)

  it "refuses what it has no array for" do
    refused("unsupported-enumerator") { |x| x[(0..).step(2)] }
    refused("unsupported-method") { |x| x.flatten(x.size) }
    refused("unsupported-enumerator") { |x| x.lazy.zip(1..).first(1) }
  end

  it "puts nils between where an item is written behind the end" do
    expect_same(arrays) { |x| a = x.dup; a.insert(2, 5, 6) }
    expect_same([1, 4]) { |n| a = []; a[n] = 1; a[n + 3] = 2.5; a }
    expect_same([10, 30]) do |n|
      memo = []
      fib = ->(k) { k < 2 ? k : memo[k] ||= fib.call(k - 1) + fib.call(k - 2) }
      [fib.call(n), memo]
    end
    expect_same([3]) { |n| c = []; [5, n, 5].each { |i| c[i] = (c[i] || 0) + n }; c }
    expect_same([1]) { |n| a = [n]; begin; a[-3] = 1; rescue IndexError => e; e.message; end }
    lists = [[], [1, 2, 3]]
    lists.peach(2) { |l| l[l.size + 1] = l.first }
    expect(lists).to eq([[nil, nil, nil, nil], [1, 2, 3, nil, 1, nil, 1]])
  end
end

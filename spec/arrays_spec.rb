# frozen_string_literal: true

# Arrays and ranges in a section: those that exist (of Integers here, one of them empty), those of fixed length and those
# that the section makes, and Enumerators. Each block is run by Ruby and by every back-end and must give the same.
# rubocop:disable Style/SymbolProc, Style/EachWithObject, Style/For, Style/MultilineBlockChain, Lint/UselessAssignment
# rubocop:disable Style/NestedModifier, Style/RedundantSelf, Performance, Lint/Void, Style/WhileUntilModifier
each_backend do
  let(:arrays) { [[3, 1, 2], [], [5], [7, 7, 1, 9, -4]] }
  let(:numbers) { [0, 1, 2, 5, 8] }

  it "knows which are frozen" do
    frozen = [1, 2].freeze
    other = [1]
    lists = [frozen, other, [3].freeze]
    hashes = [{ a: 1 }, { a: 2 }.freeze]
    expect_same(lists) { |a| [a.frozen?, frozen.frozen?, other.frozen?, a.dup.frozen?, a.clone.frozen?] }
    expect_same(lists) { |a| (a.frozen? ? a.dup : [*a, 9]).tap { |copy| copy << 5 } }
    expect_same(lists) { |a| b = a.size > 1 ? a : [a.size]; [b.frozen?, b.freeze.frozen?] if b.frozen? || a.size == 1 && b != a }
    expect_same(hashes) { |h| [h.frozen?, hashes.frozen?, h.keys.frozen?] }
    expect_same(lists, &:frozen?)
    expect_same([1, 2]) { |x| [frozen.freeze.equal?(frozen), [x].frozen?, [x].freeze.frozen?, [x].map(&:to_s).frozen?] }
    unless Ikra.backend == :ruby
      expect { lists.pmap { |a| a.freeze } }.to raise_error(Ikra::UnsupportedError, /an array that exists cannot be frozen/)
      expect { hashes.pmap { |h| h.freeze } }.to raise_error(Ikra::UnsupportedError, /a Hash that exists/)
    end
  end

  it "makes arrays of arrays" do
    expect_same(arrays) { |a| [a.size, a.first] }
    expect_same(arrays) { |a| a.map { |x| x * 2 } }
    expect_same(arrays) { |a| a.select { |x| x > 2 } }
    expect_same(arrays) { |a| a.reject { |x| x > 2 } }
    expect_same(arrays) { |a| a.reverse }
    expect_same(arrays) { |a| a.take(2) }
    expect_same(arrays) { |a| a.drop(2) }
    expect_same(arrays) { |a| a.first(2) }
    expect_same(arrays) { |a| a.last(2) }
    expect_same(arrays) { |a| a.rotate }
    expect_same(arrays) { |a| a.rotate(-2) }
    expect_same(arrays) { |a| a.zip(a) }
    expect_same(arrays) { |a| a.partition(&:even?) }
    expect_same(arrays) { |a| a.flat_map { |x| [x, x] } }
    expect_same(arrays) { |a| a.filter_map { |x| x * 2 if x > 1 } }
    expect_same(arrays) { |a| a.take_while { |x| x > 1 } }
    expect_same(arrays) { |a| a.drop_while { |x| x > 1 } }
    expect_same(arrays) { |a| a.values_at(0, -1, 9) }
    expect_same(arrays) { |a| a.fetch(0, nil) }
    expect_same(arrays) { |a| a.fetch(10, 5) }
    expect_same(arrays) { |a| a.fetch(10) { |i| i * 2 } }
    expect_same(arrays) { |a| a[1..] }
    expect_same(arrays) { |a| a[0, 2] }
    expect_same(arrays) { |a| a[-2..-1] }
    expect_same(arrays) { |a| a[5..] }
    expect_same(arrays) { |a| a + [1] }
    expect_same(arrays) { |a| a - [7] }
    expect_same(arrays) { |a| a & [7, 1] }
    expect_same(arrays) { |a| a | [7, 100] }
    expect_same(arrays) { |a| a * 2 }
    expect_same(arrays) { |a| a == [5] }
    expect_same(arrays) { |a| a <=> [5] }
    expect_same(arrays) { |a| a.size > 2 ? a.map { |x| x } : [] }
    expect_same(arrays) { |a| a.size > 2 ? a.map { |x| x } : nil }
    expect_same(arrays) { |a| acc = []; a.each { |x| acc += [x] }; acc }
    expect_same(arrays) { |a| a.map { |x| (0...x.abs).map { |i| i * x } } }
    expect_same(arrays) { |a| a.map { |x| [x, [x, nil]] } }
    expect_same(arrays) { |a| a.compact }
    expect_same(arrays) { |a| a.flatten }
    expect_same(arrays) { |a| a.product([1, 2]) }
    expect_same(arrays) { |a| [a.size, 3].map { |x| x + 1 } }
    expect_same(arrays) { |a| [1, 2, 3].select(&:odd?) }
    expect_same(arrays) { |a| [1, 2] + [3] }
    expect_same(arrays) { |a| [1, 2] <=> [1, 3] }
    expect_same(arrays) { |a| [1, nil, :a, 2.5, true] }
    expect_same(arrays) { |a| a.dig(0) }
    expect_same(arrays) { |a| b = a.to_a; b[0] = b[0]; b.size }
    expect_same(numbers) { |n| n.divmod(3) }
    expect_same(arrays) { |a| (1..).first(3) }
    expect_same(arrays) { |a| a.zip(1..9) }
    expect_same(arrays) { |a| a.zip(a, a.map { |x| x * 2 }).map { |x, y, z| x + y + z } }
  end

  it "folds" do
    expect_same(arrays) { |a| a.map { |x| x * 2 }.sum }
    expect_same(arrays) { |a| a.zip(a).sum { |x, y| x * y } }
    expect_same(arrays) { |a| a.inject(:+) }
    expect_same(arrays) { |a| a.inject { |x, y| x * y } }
    expect_same(arrays) { |a| a.reduce(1) { |x, y| x * y } }
    expect_same(arrays) { |a| a.sum { |x| x * 0.1 } }
    expect_same(arrays) { |a| [[1, 2], [3, 4]].map(&:sum) }
    expect_same(numbers) { |n| (1..n).select(&:even?).sum }
    expect_same(numbers) { |n| (1..n).sum }
    expect_same(numbers) { |n| (n..1).sum }
    expect_same(numbers) { |n| (1..n).sum(10) }
    expect_same(numbers) { |n| (1..n).sum { |i| i * 0.1 } }
    expect_same(numbers) { |n| (1..n).inject(:*) }
    expect_same(numbers) { |n| [1, n, 3].sum }
    expect_same(numbers) { |n| [n, 2, 3].inject(:+) }
    expect_same(numbers) { |n| [[n, 2], [3, 4]].sum { |a, b| a * b } }
    expect_same(numbers) { |n| [].sum + n }
    expect_same(numbers) { |n| x = n > 2 ? [n, 1] : nil; x ? x.sum : 0 }
    expect_same(numbers) { |n| [0.1, 0.2, 0.3, n].sum }
    expect_same(numbers) { |n| ([0.1] * 10).sum }
  end

  it "orders and finds extremes" do
    expect_same(arrays) { |a| a.select(&:odd?).map { |x| x * 1.5 }.max }
    expect_same(arrays) { |a| a.sort }
    expect_same(arrays) { |a| a.sort.reverse }
    expect_same(arrays) { |a| a.sort { |x, y| y <=> x } }
    expect_same(arrays) { |a| a.sort_by { |x| -x } }
    expect_same(arrays) { |a| a.uniq }
    expect_same(arrays) { |a| a.uniq { |x| x % 2 } }
    expect_same(arrays) { |a| a.min }
    expect_same(arrays) { |a| a.minmax }
    expect_same(arrays) { |a| a.max { |x, y| y <=> x } }
    expect_same(arrays) { |a| a.min_by { |x| -x } }
    expect_same(arrays) { |a| a.minmax_by { |x| -x } }
    expect_same(arrays) { |a| b = a.map { |x| x + 1 }; b.sum + (b.max || 0) }
    expect_same(arrays) { |a| [3, 1, 2].sort }
    expect_same(arrays) { |a| [3.5, 1, 2].sort }
    expect_same(arrays) { |a| [a.size, 3].max }
    expect_same(numbers) { |n| [(1..n).min, (1..n).max, (1..n).minmax, (1..n).size, (1..n).count] }
    expect_same(numbers) { |n| [(1...n).min, (1...n).max] }
    expect_same(numbers) { |n| [(1.5..n).min, (1.5..n).max] }
    expect_same(numbers) { |n| (1..n).min_by { |i| (i - 3).abs } }
    expect_same(numbers) { |n| (1..n).sort_by { |i| -i } }
    expect_same(numbers) { |n| [n, 2, 3].min }
    expect_same(numbers) { |n| [n, 2.5, 3].minmax }
    expect_same(numbers) { |n| [n, 2, 3].sort { |a, b| b <=> a } }
    expect_same(numbers) { |n| [n, 2, 3].sort_by { |a| -a } }
    expect_same(numbers) { |n| a, b, c = [n, 2, 3].sort; a * 100 + b * 10 + c }
    expect_same(numbers) { |n| [n, 2, 2].uniq }
    expect_same(numbers) { |n| [[n, :a], [3, :b]].max_by { |a, _| a }.last }
    expect_same(numbers) { |n| [[n, :a], [3, :b]].min_by(&:first) }
    expect_same(numbers) { |n| [].max }
  end

  it "goes on from an iteration without a block" do
    expect_same(arrays) { |a| a.each_with_index.map { |x, i| x * i } }
    expect_same(arrays) { |a| a.each_with_index.map { |x| x } }
    expect_same(arrays) { |a| a.each_with_index.to_a }
    expect_same(arrays) { |a| a.map.with_index { |x, i| [x, i] } }
    expect_same(arrays) { |a| a.map.with_index(1) { |x, i| x * i } }
    expect_same(arrays) { |a| a.each.with_index(1).map { |x, i| x * i } }
    expect_same(arrays) { |a| s = 0; a.each.with_index(1) { |x, i| s += x * i }; s }
    expect_same(arrays) { |a| a.each_slice(2).map { |x, y| [x, y] } }
    expect_same(arrays) { |a| a.each_slice(2).to_a }
    expect_same(arrays) { |a| a.each_cons(2).map { |x, y| x - y } }
    expect_same(arrays) { |a| a.each_cons(2).to_a }
    expect_same(arrays) { |a| a.each_cons(2).count { |x, y| x < y } }
    expect_same(arrays) { |a| a.each_with_index.max_by { |x, i| x } }
    expect_same(arrays) { |a| a.each_with_index.min_by { |x, i| [x, i] } }
    expect_same(arrays) { |a| a.each_with_index.max }
    expect_same(arrays) { |a| x, i = a.each_with_index.max; i }
    expect_same(arrays) { |a| (1..4).each_slice(2).map(&:sum) }
    expect_same(arrays) { |a| 3.times.map { |i| i * 2 } }
    expect_same(arrays) { |a| 1.step(10, 3).to_a }
    expect_same(arrays) { |a| 1.upto(4).select(&:even?) }
    expect_same(arrays) { |a| n = 0; 20000.times { n += a.map { |x| x + 1 }.sum }; n }
    expect_same(arrays) { |a| n = 0; 2000.times { |i| n += a.map { |x| [x, i] }.sort_by { |x, j| -x }.sum { |x, j| x + j } }; n }
    expect_same(arrays) { |a| last = nil; 300.times { |i| last = a.map { |x| x + i } }; last }
    expect_same(arrays) { |a| x = 300.times { |i| b = a.map { |x| x + i }; break b if i > 7 }; x.is_a?(Integer) ? nil : x }
    expect_same(numbers) { |n| (1..n).step(2).to_a }
    expect_same(numbers) { |n| s = 0; (1..n).step(2) { |i| s += i }; s }
    expect_same(numbers) { |n| (0.0..1.0).step(0.1).to_a }
    expect_same(numbers) { |n| (0.0...1.0).step(0.1).map { |x| x * n } }
    expect_same(numbers) { |n| 1.0.step(2.0, 0.1).to_a }
    expect_same(numbers) { |n| begin; 1.step(n, 0, 1); rescue ArgumentError => e; e.message; end }
    expect_same(numbers) { |n| begin; 1.5.step(n, 0, 1, n); rescue ArgumentError => e; e.message; end }
    expect_same(numbers) { |n| (1..n).each_slice(2).to_a }
    expect_same(numbers) { |n| (1..n).each_cons(3).map(&:sum) }
    expect_same(numbers) { |n| (1..n).each_with_index.map { |x, i| x * i } }
    expect_same(numbers) { |n| [n, 2, 3].each_with_index.map { |x, i| x * i } }
    expect_same(numbers) { |n| [n, 2, 3].each_with_index.max_by { |x, i| x } }
    expect_same(numbers) { |n| [n, 2, 3].each_slice(2).to_a }
    expect_same(numbers) { |n| [n, 2, 3].each_cons(2).to_a }
    expect_same(numbers) { |n| [3, 1].each.with_index(1).to_a }
    expect_same(numbers) { |n| n.times.map { |i| i }.each_slice(3).map(&:sum) }
    expect_same(numbers) { |n| n.times.sum { |i| i * 2 } }
    expect_same(numbers) { |n| n.downto(1).to_a }
    expect_same(numbers) { |n| [4, 5].each_with_index.with_index(10).map { |(x, i), j| x * i * j } }
    expect_same(numbers) { |n| [4, 5].select.with_index { |x, i| i == 0 } }
    expect_same(numbers) { |n| [4, 5].each_slice(1).with_index.map { |(x), i| x * i } }
    expect_same(numbers) { |n| [4, 5].each_with_index.select { |x, i| i == 0 } }
    expect_same(numbers) { |n| [4, 5].each_with_index.sum { |x, i| x * i } }
    expect_same(numbers) { |n| [4, 5].each_with_index.inject(0) { |s, (x, i)| s + x * i } }
    expect_same(numbers) { |n| [4, 5].each_with_index.sort_by { |x, i| -x }.first }
    expect_same(numbers) { |n| [4, 5].each_with_index.find { |x, i| x > n } }
    expect_same(numbers) { |n| [4, 5].each_with_index.reject { |x, i| i == 1 }.map(&:first) }
    expect_same(numbers) { |n| [4, 5].each_with_index.flat_map { |x, i| [x] * i } }
    expect_same(numbers) { |n| [4, 5].each_with_index.any? { |x, i| x == n } }
    expect_same(numbers) { |n| [4, 5].each_with_index.count { |x, i| x > i } }
    expect_same(numbers) { |n| [4, 5].each_with_index.to_a.flatten }
  end

  it "asks" do
    expect_same(arrays) { |a| a.index(7) }
    expect_same(arrays) { |a| a.index { |x| x < 3 } }
    expect_same(arrays) { |a| a.rindex(7) }
    expect_same(arrays) { |a| [a.any?, a.all?, a.none?, a.one?] }
    expect_same(arrays) { |a| [a.any?(7), a.all?(Integer), a.none?(1..3), a.one?(5)] }
    expect_same(arrays) { |a| [a.any? { |x| x > 5 }, a.all? { |x| x > 0 }, a.none? { |x| x > 6 }, a.one? { |x| x > 6 }] }
    expect_same(arrays) { |a| a.find { |x| x > 4 } }
    expect_same(arrays) { |a| a.count(&:even?) }
    expect_same(numbers) { |n| (1..n).include?(3) }
    expect_same(numbers) { |n| (1..n) === 3 }
    expect_same(numbers) { |n| [(1..n).cover?(2..3), (1...n).cover?(2..3), (1..n).cover?(2...4)] }
    expect_same(numbers) { |n| (1..).find { |i| i * i > n } }
    expect_same(numbers) { |n| (1..n).none? { |i| i > 3 } }
    expect_same(numbers) { |n| (1..n).find_index(3) }
    expect_same(numbers) { |n| [n, 2, 3].include?(2) }
    expect_same(numbers) { |n| [n, 2, 3].index(2) }
    expect_same(numbers) { |n| [n, 2].count(2) }
    expect_same(numbers) { |n| x = [1, 2].find { |v| v > n }; x }
    expect_same(numbers) { |n| pairs = [[1, 2], [3, 4]]; p2 = pairs.find { |a, b| a > n }; p2 ? p2[1] : 0 }
  end

  it "raises what Ruby raises" do
    expect_same([[1,2,3]]) { |a| a.fetch(10) }
    expect_same([[1,2,3]]) { |a| a.fetch(-4) }
    expect_same(numbers) { |n| [n, nil].max }
    expect_same(numbers) { |n| [n, 0.0 / 0.0].max }
    expect_same(numbers) { |n| [n, :a].sort }
    expect_same(numbers) { |n| [3, n].take(-1) }
    expect_same(numbers) { |n| [3, n].fetch(7) }
    expect_same(numbers) { |n| [3, n] + nil }
    expect_same(numbers) { |n| [3, n].each_slice(0) { } }
    expect_same(numbers) { |n| Array.new(-1) }
  end

  it "changes the arrays it makes" do
    expect_same(arrays) { |a| a.each_with_object([]) { |x, m| m << x } }
    expect_same(arrays) { |a| out = []; a.each { |x| out << x if x > 2 }; out }
    expect_same(arrays) { |a| out = []; a.each { |x| out << x if x > 2 }; out.sum }
    expect_same(arrays) { |a| out = []; a.each { |x| out.push(x * 2, 1) }; [out.pop, out.size, out] }
    expect_same(arrays) { |a| out = Array.new(3) { |i| i * i }; out[1] = 7; out }
    expect_same(arrays) { |a| out = Array.new(a.size, 0); a.each_with_index { |x, i| out[i] += x }; out }
    expect_same(arrays) { |a| stack = [1]; n = 0; while (x = stack.pop); n += x; stack << x + 1 << x + 2 if x < 4; end; n }
    expect_same(arrays) { |a| out = []; 300.times { |i| b = a.map { |x| x + i }; out << b.sum }; out }
    expect_same(arrays) { |a| out = []; 300.times { |i| b = a.map { |x| x + i }; out << b }; out }
    expect_same(arrays) { |a| grid = Array.new(3) { [0] * 3 }; a.each { |x| grid[x % 3][(x + 1) % 3] += x }; grid }
    expect_same(arrays) { |a| grid = [[0, 0], [0, 0]]; a.each { |x| grid[x % 2][0] += 1 }; grid }
    expect_same(arrays) { |a| buckets = Array.new(3) { [] }; a.each { |x| buckets[x % 3] << x }; buckets }
    expect_same(arrays) { |a| a.inject([]) { |acc, x| acc << x * 2 } }
    expect_same(arrays) { |a| q = [1]; q << q.shift + 1 while q.first < 5; q }
    expect_same(arrays) { |a| q = []; a.each { |x| q.unshift(x) }; q.concat([1, 2]); q }
    expect_same(arrays) { |a| b = a.dup; b << 1; b }
    expect_same(arrays) { |a| b = a.dup; b[0] = 9; b }
    expect_same(numbers) { |n| s = []; (1..n).reverse_each { |i| s << i }; s }
    expect_same(numbers) { |n| s = []; (0.0..n).step(0.3) { |x| s << x }; s }
    expect_same(numbers) { |n| (1..n).each_with_object([]) { |i, acc| acc << i if i.odd? } }
    expect_same(numbers) { |n| Array.new(n) { |i| i * 2 } }
    expect_same(numbers) { |n| Array.new(n, 1.5).sum }
    expect_same(numbers) { |n| Array.new(3) { |i| i + n }.map { |x| x * 2 } }
    expect_same(numbers) { |n| n.times.each_with_object([]) { |i, m| m << i } }
    expect_same(numbers) { |n| a = (0..n).to_a; a.map! { |x| x * 2 }; a }
    expect_same(numbers) { |n| a = (0..n).to_a; a.fill(7); a }
    expect_same(numbers) { |n| a = (0..n).to_a; a.shift; a.pop; a }
    expect_same(numbers) { |n| a = (0..n).to_a; i = a.index { |x| x > 3 }; i ? a.delete_at(i) : nil }
    expect_same(numbers) { |n| a = [5, 3, n]; a.sort!; a }
    expect_same(arrays) { |a| b = a.dup; b.sort!; b }
    expect_same(arrays) { |a| b = a.to_a.dup; b.select! { |x| x > 2 }; b }
    expect_same(arrays) { |a| b = a.dup; [b.select! { |x| x > 2 }, b.size] }
    expect_same(arrays) { |a| b = a.dup; [b.uniq!, b.size] }
    expect_same(arrays) { |a| b = a.dup; b.reject! { |x| x > 2 }; b.reverse!; b }
    expect_same(arrays) { |a| b = a.dup; x = b.delete_at(1); [x, b] }
    expect_same(arrays) { |a| b = [5, 3, a.size]; b.sort!; b }
    expect_same(arrays) { |a| b = a.dup; b[b.size] = 4; b }
  end

  it "takes items from both ends, and puts them there" do
    changes = Array.new(600) { |i| (i * 7919) % 1009 }
    expect_same([0, 5, 41]) do |n|
      q = [n]
      sum = 0
      changes.each do |c|
        case (c + n) % 12
        when 0, 1 then q << c
        when 2, 3 then q.unshift(c)
        when 4 then q.prepend(c, n)
        when 5, 6 then sum += q.shift || 1
        when 7 then sum -= q.pop || 1
        when 8 then sum += q.shift(2).size
        when 9 then q.insert(c.odd? ? 0 : q.size / 2, c)
        when 10 then sum += q.delete_at(0) || 1
        else c % 5 == 0 ? q.reverse! : q.concat(q.first(2))
        end
        sum += q.size - (q.first || 0)
      end
      [sum, q]
    end
    expect_same([0, 3]) { |n| q = [n]; 500.times { |i| q << i; q.shift }; q }
    expect_same([0, 3]) { |n| q = [n]; 500.times { |i| q.unshift(i); q.pop }; q }
    expect_same([0, 3]) { |n| q = [n, nil, 1.5]; 50.times { |i| q << [i] << nil; q.unshift(i.to_f); q.shift(2) }; q }
    expect_same([0, 3]) { |n| q = [nil] * n; 9.times { q.unshift(nil); q.push(nil, nil); q.shift }; q }
    expect_same([0, 3]) { |n| q = (0..n).to_a; q.clear; q.unshift(1); q.slice!(0, 1); q << 2; q.unshift(n); q }
    expect_same([0, 3]) { |n| q = (0..n).to_a; seen = []; q.each { |x| seen << x; q.shift if x.odd? }; [q, seen] }
  end

  # Where each took time for all items, these would take minutes.
  it "takes as long for an item at the front of long arrays as of short ones" do
    expect_same([150_000]) { |n| q = (0...n).to_a; sum = 0; sum = (sum * 3 + q.shift) % 1009 until q.empty?; sum }
    expect_same([150_000]) { |n| q = []; n.times { |i| q.unshift(i) }; [q.size, q[n / 3], q.sum] }
    expect_same([150_000]) { |n| q = [0]; n.times { |i| q << i; q.unshift(q.pop); q.push(q.shift, i) }; [q.size, q[n / 3]] }
    expect_same([150_000]) { |n| q = [1, 2, 3]; n.times { |i| q << q.shift + i }; q }
  end

  it "knows ranges" do
    expect_same(numbers) { |n| (1..n).map { |i| i * i } }
    expect_same(numbers) { |n| (1...n).to_a }
    expect_same(numbers) { |n| (1..3).to_a }
    expect_same(numbers) { |n| (1..n).first(2) }
    expect_same(numbers) { |n| [(1..n).first, (1..n).last] }
    expect_same(numbers) { |n| ((1..n) % 2).to_a }
    expect_same(numbers) { |n| (1..n).zip(2..n) }
    expect_same(numbers) { |n| (1..n).partition(&:odd?) }
    expect_same(numbers) { |n| (1..n).flat_map { |i| [i] * i } }
    expect_same(numbers) { |n| (1..n).take_while { |i| i < 4 } }
    expect_same(numbers) { |n| (1..n).take(3) }
    expect_same(numbers) { |n| (1..n).drop(3) }
    expect_same(numbers) { |n| (1..).first(3) }
    expect_same(numbers) { |n| (1..n) == (1..5) }
    expect_same(numbers) { |n| (1..n).tap { |r| r.size }.size }
    expect_same(numbers) { |n| for i in (1..n).map { |x| x * 2 } do n += i end; n }
  end

  it "knows arrays of fixed length" do
    expect_same(numbers) { |n| [n, 2, 3].reverse }
    expect_same(numbers) { |n| [n, 2, 3].rotate(n) }
    expect_same(numbers) { |n| [n, 2, 3][n] }
    expect_same(numbers) { |n| [n, 2, 3][1..] }
    expect_same(numbers) { |n| [n, 2, 3].zip([4, 5, 6], [7, 8]) }
    expect_same(numbers) { |n| [n, nil, 3].compact }
    expect_same(numbers) { |n| [n, 2, 3].partition { |x| x > 2 } }
    expect_same(numbers) { |n| [n, 2, 3].values_at(0, 2, 5) }
    expect_same(numbers) { |n| [n, 2, 3].take_while { |x| x < 3 } }
    expect_same(numbers) { |n| [n, 2] * 2 }
    expect_same(numbers) { |n| [n, 2].product([1, 2]) }
    expect_same(numbers) { |n| [[n, 2], [3, 4]].flatten }
    expect_same(numbers) { |n| [[n, 2], [3, 4]].map { |a, b| a * b } }
    expect_same(numbers) { |n| [] }
    expect_same(numbers) { |n| [n].first(0) }
    expect_same(numbers) { |n| [n, 2, 3].first(n) }
    expect_same(numbers) { |n| x = n > 2 ? [n, 1] : nil; x&.first }
    expect_same(numbers) { |n| [1, 2, 3].each_entry { |x| x } }
    expect_same(numbers) { |n| [1, 2.5, nil, n].map { |x| x.nil? ? 0 : x } }
    expect_same(numbers) { |n| [n, [n, [n]]].dig(1, 1, 0) }
  end

  it "holds values of several classes" do
    mixed = [[1, 2.5, nil, :a, true], [], [nil], [0.5, -0.0, 3]]
    expect_same(mixed) { |a| a.map { |x| x } }
    expect_same(mixed) { |a| a.map { |x| [x, x.nil?] } }
    expect_same(mixed) { |a| a.compact }
    expect_same(mixed) { |a| a.reverse + [1] }
    expect_same(mixed) { |a| a.select { |x| x } }
    expect_same(mixed) { |a| a.uniq }
    expect_same(mixed) { |a| a.index(nil) }
    expect_same(mixed) { |a| a.partition { |x| x.nil? } }
    expect_same(mixed) { |a| a.first.nil? ? nil : a.take(2) }
    expect_same(mixed) { |a| a.grep(Integer) }
    expect_same(mixed) { |a| a.grep(0..2) { |x| x * 2 } }
  end

  it "sums Floats as MRI does" do
    floats = [[0.1] * 10, [1e100, 1.0, -1e100], [0.1, 0.2, 0.3], [3, 0.1, 5], [], [Float::INFINITY, 1.0], [1e308, 1e308]]
    expect_same(floats) { |a| a.sum }
    expect_same(floats) { |a| a.sum(0.0) }
    expect_same(floats) { |a| a.sum(-0.0) }
    expect_same(floats) { |a| a.each_entry.sum(0.1) }
    expect_same(floats) { |a| a.map { |x| x * 0.1 }.sum }
    large = [[9007199254740993] * 5, [9007199254740993, 1, 0.1, 9007199254740993], [0.1, 9007199254740993, 1], [0], []]
    expect_same(large) { |a| a.sum(0.0) }
    expect_same(large) { |a| a.sum(-0.0) }
    expect_same(large) { |a| a.sum(0.1) { |x| x } }
    expect_same(large) { |a| a.each_entry.sum(0.0) }
    expect_same([3, 0]) { |n| [(1...n).sum(-0.0), ([9007199254740993] * n).sum(0.0), [n, 0.1].sum(0.5)] }
    expect_same(floats) { |a| a.sort }
    expect_same(floats) { |a| a.minmax }
    expect_same([[1.0, Float::NAN], [2.0, 1.0]]) { |a| a.max }
  end

  it "goes through arrays of arrays" do
    nested = [[[1, 2], [3, 4, 5]], [[]], [], [[7]]]
    expect_same(nested) { |a| a.map { |b| b.sum } }
    expect_same(nested) { |a| a.map { |b| b.map { |x| x * 2 } } }
    expect_same(nested) { |a| a.flatten }
    expect_same(nested) { |a| a.flat_map { |b| b } }
    expect_same(nested) { |a| a.sum { |b| b.size } }
    expect_same(nested) { |a| a.max_by { |b| b.size } }
    expect_same(nested) { |a| a.sort_by { |b| -b.size } }
    expect_same(nested) { |a| a.map { |b| b.first } }
    expect_same(nested) { |a| a.dig(0, 1) }
  end

  it "gives the objects themselves" do
    point = Struct.new(:x)
    nested = [[point.new(3), point.new(1)], [], [point.new(2)]]
    expect_same(nested) { |a| a.sort_by { |p| p.x } }
    expect_same(nested) { |a| [a.min_by { |p| p.x }, a.size] }
    expect_same(nested) { |a| a.each_with_index.map { |p, i| [i, p] } }
    expect_same(nested) { |a| a.select { |p| p.x > 1 }.map { |p| p.x } }
  end

  it "finds more room where an element needs it" do
    expect_same([1, 10, 5_000]) { |n| Array.new(n) { |i| i * 2 }.sum }
    expect_same([1, 10, 3_000]) { |n| (0...n).map { |i| [i, i * 0.5] } }
  end
end

each_compiling_backend do
  def slug_of
    yield
    nil
  rescue Ikra::UnsupportedError => e
    e.message[/\[([a-z-]+)\]/, 1]
  end

  it "refuses what it cannot keep" do
    arrays = [[1, 2], [3]]
    expect(slug_of { arrays.pmap { |a| a.lazy } }).to eq("unsupported-result")
    expect(slug_of { arrays.pmap { |a| a.cycle } }).to eq("unsupported-result")
    expect(slug_of { arrays.pmap { |a| a.pack } }).to eq("unsupported-method")
    expect(slug_of { arrays.pmap { |a| a.each } }).to eq("unsupported-result")
    expect(slug_of { arrays.pmap { |a| a.each.next } }).to eq("unsupported-enumerator")
    expect(slug_of { arrays.pmap { |a| (1..a.size).each } }).to eq("unsupported-result")
  end

  it "gives new arrays at each call" do
    result = [1, 2].pmap { |n| [n, [n]] }
    expect(result).to eq([[1, [1]], [2, [2]]])
    result.first << 3
    expect(result.first).to eq([1, [1], 3])
  end
end
# rubocop:enable all

# frozen_string_literal: true

# What Ruby says of arguments that nobody means: class and message of its errors, and what some of them do all the same.
each_backend do
  it "fills arrays beyond their end" do
    expect_same([0, 1, 3]) { |n| Array.new(1) { 7 }.fill(0, n + 2, n) }
    expect_same([3]) { |n| [Array.new(1) { 7 }.fill(0, n, 0), Array.new(1) { 7 }.fill(0, n...n), Array.new(2) { 7 }.fill(0, 5, -1)] }
    expect_same([3]) { |n| [Array.new(1) { 7 }.fill(n, 0) { |i| i }, Array.new(1) { 7 }.fill(n...n) { |i| i }] }
    expect_same([2**62]) { |n| Array.new(1) { 7 }.fill(0, n, 1) }
    expect_same([2**62]) { |n| Array.new(1) { 7 }.fill(0, 1, n) }
  end

  it "tells what at and dig cannot take" do
    list = [1, "a", nil, [2]]
    expect_same([1]) { |n| list.at(n..2) }
    expect_same([0]) { |n| list.dig(n, 0) }
    expect_same([1]) { |n| list.dig(n, 0) }
    expect_same([2, 3]) { |n| list.dig(n, 0) }
    expect_same([:a]) { |key| { a: :b }.dig(key, :c) }
    expect_same([true, 0]) { |x| [x].dig(0, 1, 2) }
    expect_same([1]) { |n| [Integer, n].dig(0, 1) }
  end

  it "converts what is put in, before it looks for the pattern" do
    expect_same(["abc"]) { |text| text.dup.sub!("q", nil) }
    expect_same(["abc"]) { |text| text.sub(1, 2) }
    expect_same(["abc"]) { |text| text.gsub(1, "x") }
    expect_same(["abc"]) { |text| text.gsub("q", :b) }
    expect_same(["abc"]) { |text| text.sub }
    expect_same(["abc"]) { |text| text.sub("a", "b", "c") }
  end

  it "counts arguments as Ruby's own methods do" do
    list = [3, 1, 2]
    expect_same([1]) { |n| list.size(n) }
    expect_same([1]) { |n| list.sort(n) { |a, b| a <=> b } }
    expect_same([1]) { |n| list.reverse(n, n) }
    expect_same([1]) { |n| n.succ(1) }
    expect_same([1]) { |n| { a: n }.key? }
  end

  it "counts those that may be left away, in the words of each method" do
    list = [3, 1, 2]
    expect_same([1]) { |n| list.inject(n, 1, 2) }
    expect_same([1]) { |n| { a: n }.any?(1, 2) }
    expect_same([1]) { |n| n.step(2, 1, 5) { 3 } }
    expect_same([1]) { |n| (n..3).first(1, 2) }
    expect_same([1]) { |n| (n..3).count(1, 2) }
    expect_same([1]) { |n| list.each_with_index(n) { 3 } }
    expect_same(["a"]) { |text| text.sub("b") }
    expect_same([1]) { |n| n.send }
    expect_same([1]) { |n| list.slice_after(n) { true } }
    expect_same([[], [7], [7, 8]]) { |items| items.inject }
    expect_same([1]) { |n| [list.max_by(2).to_a, n] }
  end

  it "converts arguments in the order of C" do
    expect_same(["a"]) { |text| Math.hypot(text, [1]) }
    expect_same(["a"]) { |text| Math.ldexp(text, [1]) }
    expect_same([2**31]) { |n| Math.ldexp(1.0, n) }
    expect_same([2**31]) { |n| 2.to_s(n) }
    expect_same([2**31]) { |n| "a".sum(n) }
    expect_same([1]) { |n| /a/.match(n..2, [n]) }
    expect_same([1]) { |n| "a".match(n, 1, 2) }
    expect_same(["e"]) { |text| [1.5].sum(text) }
    expect_same([nil]) { |x| [1.5].sum(x) }
    expect_same([1.0]) { |x| [[].zip(x), [].join(x).encoding == Encoding::US_ASCII] }
    expect_same([1.0]) { |x| [1].zip(x) }
    expect_same([2**62]) { |n| [1].insert(n, 1) }
  end

  it "says what ranges without an end cannot do" do
    expect_same([1]) { |n| (n..).last }
    expect_same([1]) { |n| (n..).entries }
    expect_same([1]) { |n| (..n).first(n) }
    expect_same([1]) { |n| [(..n).last, (n...n).last(2)] }
    expect_same([1]) { |n| (..n).last(n) }
  end

  it "yields what chars and its like take apart" do
    expect_same(["aé"]) { |text| found = []; [text.chars { |x| found << x }, found] }
    expect_same(["aé"]) { |text| found = []; [text.bytes { |x| found << x }, text.codepoints { |x| found << x }, found] }
    expect_same(["a\nb"]) { |text| found = []; [text.lines { |x| found << x }, text.lines { break 7 }, found] }
  end

  it "tells true from false in what cannot be compared or put together" do
    flags = [true, false]
    expect_same([false, true]) { |x| [1] & x }
    expect_same([true]) { |x| [x, false, nil].minmax }
    expect_same([1]) { |n| [flags.minmax, n] }
    expect_same([{ a: 1 }]) { |hash| hash.to_h { true } }
  end

  it "names classes as what they are" do
    expect_same([1]) { |n| n + Integer }
    expect_same(["a"]) { |text| text.start_with?(String) }
    expect_same(["a"]) { |text| text + Comparable }
    expect_same([[1]]) { |list| list + Comparable }
  end

  it "has no operators of arrays for what is none" do
    expect_same([%w[b a]]) { |list| list.sum(/a/) }
    expect_same([nil, true]) { |start| ["b"].sum(start) }
  end

  it "gives nil to methods whose Enumerator is made an array" do
    expect_same([[3, 1, 2]]) { |list| [list.take_while.to_a, list.drop_while.to_a, list.find_index.to_a, list.rindex.to_a] }
    expect_same([[3, 1, 2]]) { |list| copy = list.map { |x| x }; [copy.reject!.to_a, copy, copy.select!.to_a, copy] }
  end

  it "rounds by way of Rational, and takes roots, as the running Ruby does" do
    expect_same([110.4365763954013, -110.4365763954013, 4095.123456789012345, 7.123456789012345, 0.1]) { |x| x.round(15) }
    random = Random.new(7)
    expect_same(Array.new(500) { random.rand(4096.0) }) { |x| [x.round(15), x.round(16), (-x).round(15, half: :even)] }
    roots = Array.new(300) { random.rand((2**25)..(2**27)) } + [67_973_761, 94_903_598, 3_037_000_499]
    expect_same(roots) { |x| [Integer.sqrt(x * x), Integer.sqrt((x * x) - 1), Integer.sqrt((x * x) + 1)] }
  end
end

each_compiling_backend do
  it "make no Strings that are longer than memory" do
    [2**40, 2**62, (2**63) - 10, (2**63) - 1].each do |size|
      [->(n) { ("5" * n).size }, ->(n) { "5".ljust(n) }, ->(n) { "5".center(n).size }].each do |block|
        expect { [size].pmap(&block) }.to raise_error(Ikra::Error, /more than 1 GiB/)
      end
    end
  end

  it "does not make arrays of 2**31 items and more" do
    expect { [2**40].pmap { |n| Array.new(n, 1).size } }.to raise_error(Ikra::UnsupportedError, /2\*\*31 items/)
    expect { [2**62].pmap { |n| Array.new(n, 1).size } }.to raise_error(ArgumentError, "array size too big")
  end

  it "runs no block for the single item of an Array that is to have no item twice" do
    expect([7].puniq { |x| raise ArgumentError, x.to_s }).to eq [7]
    expect { (7..7).puniq { |x| raise ArgumentError, x.to_s } }.to raise_error(ArgumentError, "7")
  end
end

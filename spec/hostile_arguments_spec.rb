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

  it "names classes as what they are" do
    expect_same([1]) { |n| n + Integer }
    expect_same(["a"]) { |text| text.start_with?(String) }
    expect_same(["a"]) { |text| text + Comparable }
    expect_same([[1]]) { |list| list + Comparable }
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
  it "does not make arrays of 2**31 items and more" do
    expect { [2**40].pmap { |n| Array.new(n, 1).size } }.to raise_error(Ikra::UnsupportedError, /2\*\*31 items/)
    expect { [2**62].pmap { |n| Array.new(n, 1).size } }.to raise_error(ArgumentError, "array size too big")
  end

  it "runs no block for the single item of an Array that is to have no item twice" do
    expect([7].puniq { |x| raise ArgumentError, x.to_s }).to eq [7]
    expect { (7..7).puniq { |x| raise ArgumentError, x.to_s } }.to raise_error(ArgumentError, "7")
  end
end

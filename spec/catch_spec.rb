# frozen_string_literal: true

# catch and throw: out of loops, blocks and methods, to the tag that is the same object.
class Fisher
  def initialize(grams) = @grams = grams

  def look(array) = array.each { |v| throw :found, v * @grams if v > 2 } && nil

  def catch(number) = number + @grams

  def own = catch(3)

  def drop_all = @grams = 0

  def each_of = [1, 2].each { |v| yield v }

  def dive(depth) = depth.zero? ? throw(:up, @grams) : dive(depth - 1)
end

each_backend do
  let(:arrays) { [[3, 1, 2], [], [5], [7, 7, 1, 9, -4]] }
  let(:fishers) { [Fisher.new(2), Fisher.new(3)] }

  it "leaves blocks" do
    expect_same(arrays) { |x| catch(:done) { x.each { |v| throw :done, v if v < 3 }; :none } }
    expect_same(arrays) { |x| catch(:done) { x.each { |v| throw :done if v < 3 }; :none } }
    expect_same(arrays) { |x| catch(:a) { catch(:b) { x.each { |v| throw(v > 2 ? :a : :b, v) }; 0 } + 100 } }
    expect_same(arrays) { |x| catch(:done) { throw :done, [x.size, 2] } }
    expect_same(arrays) { |x| catch(:done) { x.each { |v| throw :done, { v => [x, nil] } if v > 4 }; 3 } }
    expect_same(arrays) { |x| catch(:done) { throw :done, x }.equal?(x) }
    expect_same(arrays) { |x| catch(:a) { catch(:b) { throw(x.empty? ? :b : :a, [x.size]) } << 2 } }
    expect_same(arrays) { |x| catch(:a) { 1 } }
    expect_same(arrays) { |x| catch(1) { throw 1, x.size } }
    expect_same(arrays) { |x| catch(x) { |t| throw t, x.size } }
    expect_same(arrays) { |x| catch(nil) { throw nil, x.size } }
    expect_same(arrays) { |x| throw :nope }
    expect_same(arrays) { |x| throw x.size }
    expect_same(arrays) { |x| throw nil }
    expect_same(arrays) { |x| throw x.empty? }
    expect_same(arrays) { |x| throw x }
    expect_same(arrays) { |x| catch(:a) { throw :b, 1 } }
    expect_same(arrays) { |x| n = 0; catch(:stop) { loop { n += 1; throw :stop if n > x.size } }; n }
    expect_same(arrays) { |x| n = 0; r = catch(:stop) { 10.times { |i| 10.times { |j| n += 1; throw :stop, [i, j] if i * j > x.size } }; nil }; [n, r] }
    expect_same(arrays) { |x| catch(:a) { break 7 } }
    expect_same(arrays) { |x| catch(:a) { next 7 } }
    expect_same(arrays) { |x| r = x.map { |v| catch(:k) { throw :k, nil if v == 1; v } }; r }
    expect_same(arrays) { |x| catch(:a) { x.map { |v| [v] }.each { |l| throw :a, l if l[0] == 7 }; [] } }
  end

  it "leaves methods" do
    expect_same(fishers) { |x| catch(:found) { x.look([1, 2, 3]); 0 } }
    expect_same(fishers) { |x| catch(:found) { x.look([1, 2]); 0 } }
    expect_same(fishers) { |x| x.look([3]) }
    expect_same(fishers) { |x| x.own }
    expect_same(fishers) { |x| catch(:up) { x.each_of { |v| throw :up, v } } }
  end

  it "leaves the section with the value" do
    out = ->(base, &block) { catch(:out) { base.pmap(&block) && :none } }
    expect(out.([1, 2]) { |x| throw :out, x + 1 }).to eq(2)
    expect(out.([1, 2]) { |x| throw :out, x / 2.0 if x == 2 }).to eq(1.0)
    expect(out.([1, 2]) { |x| throw :out }).to be_nil
    expect(out.([1, 2]) { |x| throw :out, x > 1 }).to be(false)
    expect(out.([1, 2]) { |x| throw :out, x == 1 ? nil : :b }).to be_nil
    expect(out.([2]) { |x| throw :out, x == 1 ? 0.5 : :b }).to eq(:b)
    expect(out.([1]) { |x| begin; throw :out, x; ensure; x + 1; end }).to eq(1)
    expect(out.(fishers) { |x| throw :out, x }).to equal(fishers[0])
    expect(out.(arrays) { |x| throw :out, x if x.size == 1 }).to equal(arrays[2])
    expect(out.(arrays) { |x| throw :out, Fisher }).to equal(Fisher)
    expect(out.(arrays) { |x| x.size }).to eq(:none)
    expect(catch(7) { [6, 7].pmap { |x| throw x, x * 1.5 if x == 7 } }).to eq(10.5)
    expect(catch(:out) { [1, 2].peach { |x| throw :out, x } }).to eq(1)
    error = [3].pmap { |x| throw :nowhere, x } rescue $!
    expect([error.tag, error.value]).to eq([:nowhere, 3])
  end
end

each_compiling_backend do
  it "refuses tags that it cannot follow" do
    refuse = ->(slug) { raise_error(Ikra::UnsupportedError, /\[#{slug}\]/) }
    expect { [1].pmap { |x| catch { |tag| throw tag, x } } }.to refuse["unsupported-catch"]
    expect { [Fisher.new(1)].pmap { |x| catch(:up) { x.dive(3) } } }.to refuse["unsupported-catch"]
    expect { [1].pmap { |x| throw [x] } }.to raise_error(Ikra::UnsupportedError, /no `catch` waits/)
    expect { [1].pmap { |x| throw :out, [x] } }.to raise_error(Ikra::UnsupportedError, /cannot take an instance of Array/)
    rescued = raise_error(Ikra::UnsupportedError, /whether a `catch` around the section does/)
    expect { [1].pmap { |x| begin; throw :out; rescue; x; end } }.to rescued
    expect { [1].pmap { |x| begin; throw :out; rescue UncaughtThrowError; x; end } }.to rescued
  end

  it "changes nothing when a value is thrown out of the section" do
    makers = [Fisher.new(2), Fisher.new(3)]
    thrown = catch(:out) { makers.peach { |x| x.drop_all; throw :out, 5 } }
    expect([thrown, *makers.map { |x| x.catch(0) }]).to eq([5, 2, 3])
  end
end

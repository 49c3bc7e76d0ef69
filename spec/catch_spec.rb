# frozen_string_literal: true

# catch and throw: out of loops, blocks and methods, to the tag that is the same object.
class Fisher
  def initialize(grams) = @grams = grams

  def look(array) = array.each { |v| throw :found, v * @grams if v > 2 } && nil

  def catch(number) = number + @grams

  def own = catch(3)

  def drop_all = @grams = 0

  def each_of = [1, 2].each { |v| yield v }

  def hurl(value)
    throw :out, [value] if value == @grams
    value
  end

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

  it "leaves the section with what that has made" do
    out = ->(base, &block) { [catch(:out) { base.map(&block) && :none }, catch(:out) { base.pmap(&block) && :none }] }
    same = ->(base, &block) { out.(base, &block).then { |ruby, ikra| expect(ikra).to eq(ruby) } }
    same.([1, 2]) { |x| throw :out, [x, 2.5, nil] if x == 2 }
    same.([1, 2]) { |x| throw :out, { a: x, "b" => [x, { x => :c }] } if x == 2 }
    same.([1, 2]) { |x| throw :out, "text #{x}" if x == 2 }
    same.([1, 2]) { |x| throw :out, (x == 1 ? [x] : 5) }
    same.([3, 2]) { |x| throw :out, (x == 1 ? [x] : { x => 5 }) }
    same.([1, 2]) { |x| throw :out, x..5 if x == 2 }
    same.([1, 2]) { |x| throw :out, [Complex(x, 1), Rational(x, 3), Set[x]] if x == 2 }
    same.([1, 2]) { |x| [x].each { |y| throw :out, [x, y].map { |z| z + 1 } if y == 2 } }
    same.([1, 2]) { |x| begin; raise "no" if x == 2; rescue => e; throw :out, [e.message, x]; end }
    same.([1, 2]) { |x| throw :out, Array.new(100) { |i| [i, "s#{i}"] } if x == 2 }
    kept = [fishers[0], arrays[0]]
    thrown = out.([1, 2]) { |x| throw :out, [kept[0], kept[1], x, Fisher.new(x)] if x == 2 }
    expect(thrown[1].first(3)).to match([equal(kept[0]), equal(kept[1]), 2])
    expect(thrown.map { |all| [all[3].class, all[3].catch(0)] }.uniq).to eq([[Fisher, 2]])
    expect(out.([1]) { |x| throw :out, ->(y) { y + 1 } }.map { |lambda| lambda.call(2) }).to eq([3, 3])
    looped = out.([1]) { |x| list = [x]; list << list; throw :out, list }.last
    expect(looped[1]).to equal(looped)
    tag = Object.new
    expect(catch(tag) { [7].pmap { |x| throw tag, [x] } }).to eq([7])
    driver = catch(:out) { Ikra.section { sums = [1, 2].pmap { |x| x + 1 }; throw :out, [sums, "q"] if sums.size == 2 } }
    expect(driver).to eq([[2, 3], "q"])
  end

  it "keeps what was changed before the value was thrown, and nothing where no catch waits" do
    world = -> { [Fisher.new(2), Fisher.new(3), Fisher.new(0), Fisher.new(5)] }
    grams = ->(fishers) { fishers.map { |x| x.catch(0) } }
    runs = {
      element: ->(fishers, name) { fishers.__send__(name) { |x| throw :out, [x] if x.catch(0).zero?; x.drop_all } },
      ensured: lambda do |fishers, name|
        fishers.__send__(name) { |x| begin; throw :out, 3 if x.catch(0) == 3; ensure; x.drop_all; end }
      end,
      driver: lambda do |fishers, name|
        Ikra.section { 3.times { |i| fishers[i].drop_all; fishers.__send__(name) { |x| x }; throw :out, i if i == 1 } }
      end,
      within: ->(fishers, name) { Ikra.section { fishers.__send__(name) { |x| x.drop_all; throw :out } } },
      inner: lambda do |fishers, name|
        fishers.__send__(name) { |x| x.drop_all; throw :out, [1, 2].pmap { |v| v + x.catch(0) } }
      end,
      local: lambda do |fishers, name|
        sum = 0
        catch(:out) { fishers.__send__(name) { |x| sum += x.catch(0); throw :out if x.catch(0) == 3 } }
        throw :out, sum
      end
    }
    Warnings.without do
      runs.each do |kind, run|
        all = %i[map pmap].map { |name| world.().then { |made| [catch(:out) { run.(made, name) }, *grams.(made)] } }
        all.each { |one| one[0] = one[0].size if one[0].is_a?(Array) && kind == :element }
        expect(all[1]).to eq(all[0]), kind.to_s
      end
    end
  end

  it "is an UncaughtThrowError with its tag, value and cause where no catch waits" do
    told = lambda do |error|
      [error.class, error.message, error.tag, error.value, error.cause&.message, error.backtrace.first(2)]
    end
    asked = ->(values, &block) { %i[map pmap].map { |name| values.__send__(name, &block) rescue told.($!) } }
    all = [asked.([1, 2]) { |x| throw :out, [x] if x == 2 },
           asked.([1, 2]) { |x| throw "t#{x}", { x => 1 } if x == 2 },
           asked.([1, 2]) { |x| throw [x], x if x == 2 },
           asked.([1, 2]) { |x| begin; raise "no" if x == 2; rescue; throw :out, x; end },
           asked.([1, 2]) { |x| begin; raise "no" if x == 2; rescue; throw :out, [x]; end }]
    all.each { |ruby, ikra| expect(ikra).to eq(ruby) }
  end
end

each_compiling_backend do
  it "refuses tags that it cannot follow" do
    refuse = ->(slug) { raise_error(Ikra::UnsupportedError, /\[#{slug}\]/) }
    expect { [1].pmap { |x| catch { |tag| throw tag, x } } }.to refuse["unsupported-catch"]
    expect { [Fisher.new(1)].pmap { |x| catch(:up) { x.dive(3) } } }.to refuse["unsupported-catch"]
    rescued = raise_error(Ikra::UnsupportedError, /whether a `catch` around the section does/)
    expect { [1].pmap { |x| begin; throw :out; rescue; x; end } }.to rescued
    expect { [1].pmap { |x| begin; throw :out; rescue UncaughtThrowError; x; end } }.to rescued
    expect { [1].pmap { |x| begin; throw :out, [x]; rescue; x; end } }.to rescued
    # A function that throws knows of no clause around its calls.
    begin
      ENV["IKRA_TEST_OUTLINED"] = "1"
      calls = [->(x) { begin; x.hurl(1); rescue ArgumentError; 5; end },
               ->(x) { begin; x.hurl(1); rescue => e; e.message; end },
               ->(x) { begin; x.hurl(1); rescue; raise IndexError, "after"; end },
               ->(x) { begin; begin; x.hurl(1); ensure; 6; end; rescue UncaughtThrowError; 5; end }]
      calls.each { |call| expect { [Fisher.new(1)].pmap(&call) }.to rescued }
      expect(catch(:out) { [Fisher.new(1)].pmap { |x| begin; x.hurl(1); rescue IndexError; 5; end } }).to eq([1])
    ensure
      ENV.delete("IKRA_TEST_OUTLINED")
    end
    [5, [6]].each do |value|
      ensuring = lambda do
        ends = []
        catch(:out) { Ikra.section { begin; [1].peach { |x| throw :out, value }; ensure; ends << 1; end } }
      end
      expect(&ensuring).to refuse["unsupported-ensure"]
    end
  end

  it "says that Ruby does again what changes something and is thrown out of, and does not behind a sync" do
    makers = [Fisher.new(2), Fisher.new(3)]
    told = /peach runs in plain Ruby, from its beginning, .* #{__FILE__}:#{__LINE__ + 1}\n  hint: have the block return/
    thrown = -> { catch(:out) { makers.peach { |x| x.drop_all; throw :out, 5 } } }
    expect { expect(thrown.call).to eq(5) }.to output(told).to_stderr
    behind = -> { catch(:out) { Ikra.section { Ikra.sync { 1 }; makers.peach { |x| x.drop_all }; throw :out, 5 } } }
    expect(&behind).to raise_error(Ikra::UnsupportedError, /thrown behind an Ikra.sync .*\[unsupported-catch\]/)
    expect(makers.map { |x| x.catch(0) }).to eq([0, 3])
  end
end

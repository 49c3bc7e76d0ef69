# frozen_string_literal: true

# rescue, else, ensure and retry: what was done before an error stays done, and an error that nobody rescues is Ruby's.
class RescueBase < StandardError; end
class RescueLow < RescueBase; end
class RescueOther < StandardError; end
class Told < StandardError; def message = "told"; end
class RescueDeep < Exception; end # rubocop:disable Lint/InheritException
LISTED = [ZeroDivisionError, IndexError].freeze

# Counts what happens to it.
class Miner
  attr_accessor :gold, :log

  def initialize(gold)
    @gold = gold
    @log = 0
  end

  def note(number)
    @log = (@log * 10) + number
    number
  end

  def dig(by)
    note(1)
    dust = 100 / by
    note(2)
    dust
  rescue ZeroDivisionError
    note(3)
    -1
  else
    note(4)
    dust + 0.5
  ensure
    note(5)
  end

  def ensured(by)
    note(1)
    100 / by
  ensure
    note(2)
  end

  def early(by)
    return note(1) if by == 1

    100 / by
  ensure
    note(7)
  end

  def overruled(by)
    100 / by
  ensure
    return note(8) if by < 2 # rubocop:disable Lint/EnsureReturn
  end

  def fails(by)
    inner(by) + 1
  end

  def inner(by)
    raise RescueLow, "low #{by}" if by == 1
    raise RescueOther, "other #{by}" if by == 2

    100 / by
  end

  def guarded
    yield
  rescue ZeroDivisionError
    note(9)
  ensure
    note(6)
  end

  def patient
    tries = 0
    begin
      tries += 1
      note(tries)
      raise RescueLow if tries < 3

      100 / @gold
    rescue RescueLow
      retry
    end
  end

  def again(by)
    inner(by)
  rescue RescueBase
    note(1)
    raise
  rescue StandardError
    pass_on
  end

  def pass_on
    note(2)
    raise
  end

  def down(depth)
    depth.zero? ? 100 / @gold : down(depth - 1) + 1
  rescue ZeroDivisionError
    depth
  end

  def secure(depth)
    note(depth)
    depth.zero? ? 100 / @gold : secure(depth - 1)
  ensure
    note(9)
  end

  def climb(depth)
    raise RescueLow, "at #{depth}" if depth == @gold
    raise RescueOther if depth > 4

    climb(depth + 1) + 1
  rescue RescueOther
    raise RescueBase, "base #{depth}"
  end

  def odd(depth) = depth.zero? ? 100 / @gold : (even(depth - 1) rescue 50)

  def even(depth) = depth.zero? ? nil + 1 : odd(depth - 1) + 0.5

  def endless(depth) = endless(depth + 1) + 1

  def sink(depth) = depth.zero? ? raise : sink(depth - 1) + 1

  def unknown = nobody_knows

  def fall(depth) = depth.zero? ? 100 / @gold : fall(depth - 1) + 1
end

each_backend do
  it "raises with no cause" do
    expect_same([1, 0]) { |x| begin; 10 / x; rescue StandardError => e; raise ArgumentError, e.message, cause: nil; end rescue $!.message }
    expect_same([1, 0]) { |x| begin; raise ArgumentError.new("at #{x}"), cause: nil; rescue ArgumentError => e; e.message; end }
    expect_same([1, 0]) { |x| begin; fail "at #{x}", cause: nil; rescue => e; [e.class, e.message]; end }
    error = begin
      [1, 0].pmap { |x| begin; 10 / x; rescue ZeroDivisionError; raise KeyError, "none", cause: nil; end }
    rescue KeyError => e
      e
    end
    expect([error.message, error.cause]).to eq(["none", nil])
    none = -> { [1].pmap { |_| raise cause: nil } }
    expect(&none).to raise_error(ArgumentError, "only cause is given with no arguments")
  end

  let(:numbers) { [0, 1, 2, 3, -4, 0, 7] }
  let(:mixed) { [0, 1, nil, 2.5, :a, true, -3, 0.0] }
  let(:miners) { -> { [0, 1, 2, 3, 0, 5].map { |n| Miner.new(n) } } }

  it "rescues what operations raise" do
    expect_same(numbers) { |x| 10 / x rescue -1 }
    expect_same(numbers) { |x| (10 % x rescue nil) }
    expect_same(mixed) { |x| x + 1 rescue :no }
    expect_same(mixed) { |x| begin; 10 / x; rescue ZeroDivisionError; 0; rescue TypeError; nil; end }
    expect_same(mixed) { |x| begin; x.floor; rescue NoMethodError; :none; end }
    expect_same([Miner.new(1)]) { |m| begin; m.unknown; rescue NameError; 5; end }
    expect_same([1.5, Float::NAN, Float::INFINITY]) { |x| x.to_i rescue 0 }
    expect_same([1.5, Float::NAN]) { |x| begin; x.to_i; rescue RangeError; 7; end }
    expect_same([4.0, -4.0]) { |x| begin; Math.sqrt(x); rescue Math::DomainError; 0.0; end }
    expect_same([4.0, -4.0]) { |x| begin; Math.sqrt(x); rescue ArgumentError; 0.0; end }
    expect_same([[1, 2], [3]]) { |x| x.fetch(1) rescue 9 }
    expect_same([[1, 2], [3]]) { |x| begin; x.fetch(1); rescue IndexError; 8; end }
    expect_same(numbers) { |x| begin; case x; in 0 then 1; end; rescue NoMatchingPatternError; x; end }
    expect_same(numbers) { |x| Integer.sqrt(x) rescue x }
    expect_same(numbers) { |x| [x, 3].sum { |v| 12 / v } rescue 0 }
    expect_same(numbers) { |x| (10 / x rescue 5) + (7 / x rescue 0.5) }
  end

  it "rescues by class" do
    expect_same(numbers) { |x| begin; raise RescueLow if x == 0; raise RescueOther, "no" if x == 1; x; rescue RescueBase; :base; rescue RescueOther; :other; end }
    expect_same(numbers) { |x| begin; raise RescueLow if x == 0; raise RescueOther, "no" if x == 1; x; rescue RescueOther, RescueLow; :one; end }
    expect_same(numbers) { |x| begin; raise RescueLow, "deep #{x}"; rescue RescueOther; 1; end }
    expect_same(numbers) { |x| begin; raise "plain" if x.zero?; x; rescue RuntimeError; 5; end }
    expect { numbers.pmap { |x| begin; raise RescueDeep, "deep"; rescue; 1; end } }.to raise_error(RescueDeep, "deep")
    expect_same(numbers) { |x| begin; raise RescueDeep, "deep"; rescue Exception; x; end }
    expect_same(numbers) { |x| begin; 1 / x; rescue Comparable; 1; end }
    expect_same(numbers) { |x| begin; 1 / x; rescue Kernel; 1; end }
    expect_same(numbers) { |x| begin; 1 / x; rescue TypeError; 1; rescue StandardError; 2; rescue ZeroDivisionError; 3; end }
  end

  it "keeps what was done before" do
    expect_same(numbers) { |x| y = 1; begin; y = 2; 10 / x; y = 3; rescue ZeroDivisionError; y += 10; end; y }
    expect_same(numbers) { |x| y = nil; begin; y = x; 10 / x; y = 0.5; rescue ZeroDivisionError; end; y }
    expect_same(numbers) { |x| a = b = 0; begin; a = 1; z = 5 / x; b = z; rescue ZeroDivisionError; b = :none; end; [a, b] }
    expect_same_effects(miners) { |m| m.log += 1; begin; m.log += 2; m.log += 100 / m.gold; rescue ZeroDivisionError; m.log *= 2; end }
    expect_same_effects(miners, 3) { |m| begin; m.log += 2; m.gold = 6 / m.gold; rescue ZeroDivisionError; m.gold = 4; end }
    total = 0
    numbers.pmap { |x| begin; total += x; total += 10 / x; nil; rescue ZeroDivisionError; 0; end }
    expect(total).to eq(numbers.sum + numbers.reject(&:zero?).sum { |x| 10 / x })
  end

  it "gives the value of the way taken" do
    expect_same(numbers) { |x| begin; 10 / x; rescue ZeroDivisionError; nil; else; :fine; end }
    expect_same(numbers) { |x| begin; 10 / x; rescue ZeroDivisionError; end }
    expect_same(numbers) { |x| begin; 10 / x; rescue ZeroDivisionError; 0.5; ensure; 99; end }
    expect_same(numbers) { |x| begin; x; ensure; 99; end }
    expect_same(numbers) { |x| begin; [x, 10 / x]; rescue ZeroDivisionError; [0, x]; end }
    expect_same(numbers) { |x| r = begin; [10 / x, 1, 2]; rescue ZeroDivisionError; []; end; r.size }
    expect_same(numbers) { |x| begin; x; rescue ZeroDivisionError; 1; else; 10 / x; end }
    expect_same(numbers) { |x| if (begin; 10 / x; rescue ZeroDivisionError; false; end) then 1 else 2 end }
    expect_same(numbers) { |x| y = x > 1 ? (10 / x rescue 0) : (raise("no") rescue 4); y }
  end

  it "runs what stands in nested ones" do
    expect_same(numbers) { |x| begin; begin; 10 / x; rescue TypeError; 1; end; rescue ZeroDivisionError; 2; end }
    expect_same(numbers) { |x| begin; begin; 10 / x; rescue ZeroDivisionError; raise RescueLow, "low"; end; rescue RescueBase; 3; end }
    expect_same(numbers) { |x| begin; begin; 10 / x; rescue ZeroDivisionError; 5 / x; end; rescue ZeroDivisionError; 4; end }
    expect_same(numbers) { |x| begin; 10 / x; rescue ZeroDivisionError; begin; raise "x"; rescue; 8; end; end }
    expect_same(numbers) { |x| n = 0; begin; begin; n += 1; 10 / x; ensure; n += 10; end; rescue ZeroDivisionError; n += 100; ensure; n += 1000; end; n }
    expect_same(numbers) { |x| n = 0; begin; begin; 10 / x; rescue ZeroDivisionError; n += 1; nil + 1; ensure; n += 10; end; rescue NoMethodError; n += 100; end; n }
    expect_same(numbers) { |x| begin; begin; 10 / x; ensure; raise RescueLow, "in ensure" if x == 0; end; rescue RescueLow; -5; end }
    expect_same(numbers) { |x| begin; 1; ensure; 10 / x; end }
  end

  it "stands in loops" do
    expect_same(numbers) { |x| s = 0; 4.times { |i| begin; next if i == 1; s += 10 / (x - i); rescue ZeroDivisionError; s += 1000; end }; s }
    expect_same(numbers) { |x| s = 0; 4.times { |i| begin; s += 10 / (x - i); rescue ZeroDivisionError; break; ensure; s += 100; end }; s }
    expect_same(numbers) { |x| s = 0; i = 0; while i < 5; i += 1; begin; next if i == 2; break if i == 4; s += 10 / (x - i); rescue ZeroDivisionError; s += 7; ensure; s += 100; end; end; [s, i] }
    expect_same(numbers) { |x| [3, 2, 1, 0].map { |v| x / v rescue nil } }
    expect_same(numbers) { |x| [3, 2, 1, 0].each { |v| x / v } rescue 3 }
    expect_same(numbers) { |x| s = 0; begin; [3, 2, 1, 0, 5].each { |v| s += 12 / v }; rescue ZeroDivisionError; s += 0.5; end; s }
    expect_same(numbers) { |x| catch(:done) { begin; throw :done, x if x > 1; 10 / x; rescue ZeroDivisionError; 77; ensure; x += 1; end } }
    expect_same(numbers) { |x| n = 0; r = catch(:done) { begin; throw :done, x; ensure; n += 5; end }; [r, n] }
    expect_same(numbers) { |x| i = 0; s = 0; until i == 3 do begin; i += 1; s += 12 / (i - x); rescue ZeroDivisionError; s -= 1; else; s += 100; end end; s }
  end

  it "tries again" do
    expect_same(numbers) { |x| n = 0; begin; n += 1; raise RescueLow if n < x; n; rescue RescueLow; retry; end }
    expect_same(numbers) { |x| n = 0; begin; n += 1; 10 / x; rescue ZeroDivisionError; x = 5 if n > 3; retry; end }
    expect_same(numbers) { |x| n = 0; begin; n += 1; 10 / x; rescue ZeroDivisionError; n < 4 ? retry : n; ensure; n += 100; end }
    expect_same(numbers) { |x| s = 0; 3.times { |i| t = 0; begin; t += 1; s += 10 / (x - i); rescue ZeroDivisionError; retry if t < 3; s += t; end }; s }
    expect_same(numbers) { |x| n = 0; begin; n += 1; raise RescueOther if n < 3; raise RescueLow if n < 5; n; rescue RescueLow; n += 1; retry; rescue RescueOther; retry; end }
    expect_same_effects(miners) { |m| begin; m.patient; rescue ZeroDivisionError; m.note(9); end }
    expect_same_effects(miners) { |m| m.patient }
  end

  it "reaches through methods" do
    expect_same_effects(miners) { |m| m.dig(m.gold) }
    expect_same(miners.call) { |m| m.dig(m.gold) }
    expect_same_effects(miners) { |m| begin; m.ensured(m.gold); rescue ZeroDivisionError; m.note(3); end }
    expect_same_effects(miners) { |m| m.ensured(m.gold) }
    expect_same_effects(miners) { |m| begin; m.early(m.gold); rescue StandardError; m.note(2); end }
    expect_same(miners.call) { |m| m.early(m.gold) rescue 0 }
    expect_same(miners.call) { |m| m.overruled(m.gold) }
    expect_same_effects(miners) { |m| m.overruled(m.gold) }
    expect_same(miners.call) { |m| begin; m.fails(m.gold); rescue RescueBase; :base; rescue RescueOther; :other; rescue ZeroDivisionError; :zero; end }
    expect_same(miners.call) { |m| m.fails(m.gold) rescue false }
    expect_same_effects(miners) { |m| m.guarded { m.note(1); 100 / m.gold } }
    expect_same(miners.call) { |m| m.guarded { next 5 if m.gold > 2; 100 / m.gold } }
    expect_same_effects(miners) { |m| [1, 2].each { |v| m.guarded { break if m.gold > 2; 100 / m.gold } }; m.note(4) }
    expect_same_effects(miners) { |m| [1, 2].each { |v| m.guarded { next if m.gold > 2; m.note(v) } }; m.note(4) }
    expect_same(miners.call) { |m| f = ->(v) { m.guarded { return v } }; f.(1) }
    expect_same(miners.call) { |m| f = ->(v) { begin; 10 / v; rescue ZeroDivisionError; m.note(1); end }; f.(m.gold) + f.(0) }
  end

  it "reaches through methods that call themselves" do
    expect_same(miners.call) { |m| m.down(3) }
    expect_same(miners.call) { |m| m.fall(3) rescue :fell }
    expect_same(miners.call) { |m| m.fall(3) }
    expect_same(miners.call) { |m| begin; m.fall(m.gold); rescue TypeError; 0; end }
    expect_same(miners.call) { |m| s = 0; begin; s += m.fall(1); s += m.fall(2); rescue ZeroDivisionError; s = nil; ensure; m.gold += 0; end; s }
    expect_same_effects(miners) { |m| begin; m.secure(2); rescue ZeroDivisionError; m.note(7); end }
    expect_same_effects(miners) { |m| m.secure(3) }
    expect_same(miners.call) { |m| m.climb(0) }
    expect_same(miners.call.drop(4)) { |m| m.gold = 9; m.climb(0) }
    expect_same(miners.call) { |m| begin; m.climb(0); rescue RescueLow; :low; rescue RescueBase; :base; end }
    expect_same(miners.call) { |m| begin; m.climb(m.gold + 1); rescue RescueLow; :low; rescue RescueBase; raise; end }
    expect_same(miners.call) { |m| m.odd(3) }
    expect_same(miners.call) { |m| m.even(3) }
    expect_same(miners.call) { |m| [m.odd(4), (m.even(4) rescue :even), (m.odd(0) rescue 1)] }
    # The stack of a GPU's threads may be full before 10,000 calls: a DeviceError, which nothing in the section rescues.
    next if Ikra.backend == :cuda

    expect_same(miners.call) { |m| begin; m.endless(0); rescue SystemStackError; :deep; end }
    expect { miners.call.pmap { |m| m.endless(0) rescue 0 } }.to raise_error(SystemStackError)
  end

  it "raises again" do
    expect_same(numbers) { |x| begin; 10 / x; rescue ZeroDivisionError; raise; end }
    expect_same(numbers) { |x| begin; begin; 10 / x; rescue ZeroDivisionError; raise; end; rescue ZeroDivisionError; 6; end }
    expect_same(numbers) { |x| begin; raise RescueLow, "number #{x}" if x > 1; x + nil; rescue StandardError; raise; end }
    expect_same(numbers.drop(2)) { |x| begin; raise RescueLow, "number #{x} #{x * 0.5}" if x > 1; x + nil; rescue StandardError; raise; end }
    expect_same(miners.call) { |m| begin; m.again(m.gold); rescue RescueBase; 1; rescue RescueOther; 2; rescue ZeroDivisionError; 3; end }
    expect_same(miners.call) { |m| begin; m.again(m.gold); rescue RescueOther; 2; rescue ZeroDivisionError; 3; end }
    expect_same_effects(miners) { |m| begin; m.again(m.gold); rescue StandardError; m.note(4); end }
    expect_same(numbers) { |x| begin; raise; rescue RuntimeError; x; end }
    expect_same(numbers) { |x| begin; 10 / x; rescue ZeroDivisionError; (raise "x" rescue 0); raise; end }
  end

  it "knows the exception by name" do
    expect_same(numbers) { |x| begin; 10 / x; rescue => e; 0; end }
    expect_same(numbers) { |x| begin; 10 / x; rescue ZeroDivisionError => e; raise e; end }
    expect_same(numbers) { |x| begin; begin; 10 / x; rescue => e; x.nope rescue raise(e); end; rescue ZeroDivisionError; 5; end }
    expect_same(numbers) { |x| begin; x == 0 ? nil + 1 : 10 / (x - 1); rescue NoMethodError => e; raise e; rescue => e; x; end }
  end

  it "ends loops by StopIteration" do
    expect_same(numbers) { |x| n = 0; loop { n += 1; raise StopIteration if n > x }; n }
    expect_same(numbers) { |x| loop { raise StopIteration if x > 1; break 5 } }
    expect_same(numbers) { |x| loop { raise IndexError, "no" } }
    expect_same(numbers) { |x| begin; loop { raise StopIteration }; x; rescue StopIteration; :outside; end }
  end

  it "names the place of what is not rescued" do
    line = __LINE__ + 3
    block = lambda do |x|
      y = begin
        10 / x
      rescue TypeError
        0
      ensure
        x += 1
      end
      y + 1
    end
    expect { [3, 0, 1, 0].pmap(&block) }.to raise_error(ZeroDivisionError) do |error|
      expect(error.backtrace.first).to match(/rescue_spec.rb:#{line}:/)
      expect(error.element_index).to eq(1) if Ikra.chosen != :ruby
    end
  end
end

each_compiling_backend do
  def refused(slug) = raise_error(Ikra::UnsupportedError, /\[#{slug}\].*hint/m)

  it "never rescues what Ruby does not raise" do
    expect { [2**62].pmap { |x| x << x rescue 0 } }.to raise_error(Ikra::OverflowError)
    expect { [2**62].pmap { |x| begin; x << x; rescue Exception; 0; end } }.to raise_error(Ikra::OverflowError)
  end

  it "raises again what it has told" do
    expect_same([1, 2]) do |x|
      begin
        raise Told, "x#{x}" if x > 1

        x
      rescue StandardError => e
        raise e if e.message.size > 1
      end
    rescue Told => e
      "again #{e.message}"
    end
    expect_same([0, 2]) { |x| begin; 5 / x; rescue => e; e.message.size > 3 ? raise : 0; end }
    expect_same([0]) { |x| begin; raise Told, "x#{x}"; rescue => e; e.message << "!"; e.message; end }
  end

  it "knows what it rescues as $!" do
    expect_same([1, 2]) { |x| begin; raise Told, "x#{x}"; rescue; $!.message; end }
    expect_same([1, 2]) { |x| (raise Told, "x#{x}" if x > 1; x) rescue $!.message }
    expect_same([1, 2]) do |x|
      begin
        raise Told, "a"
      rescue Told => e
        inner = begin; x / 0; rescue; "#{$!.message}!"; end
        [e.message, $!.message, inner, $!.class, [1].map { |y| $!.message * y }]
      end
    end
    expect_same([1, 2]) do |x|
      begin
        raise Told, "a"
      rescue Told, TypeError
        raise $! if x > 1

        $!.is_a?(Told)
      end
    rescue Told
      $!.message
    end
  end

  it "knows what it has rescued for as long as the local" do
    expect_same([1, 2]) { |x| begin; raise Told, "x#{x}"; rescue => e; e.message; end }
    again = proc { |x| begin; x / (x - 1); rescue => e; 1; end; raise e if e; x }
    expect_same([1, 2], &again)
  end

  it "rescues what an array names" do
    expect_same([1, 2, 3]) { |x| begin; 6 / (x - 1); rescue *LISTED; -1; end }
    expect_same([1, 2, 3]) do |x|
      [x.fdiv(2), { 1 => 2 }.fetch(x), [][x] + 1]
    rescue KeyError, *LISTED => e
      e.class
    rescue *[TypeError, NoMethodError] => e
      e.class.name
    end
    expect_same([1, 2]) { |x| begin; x > 1 ? raise(Told, "a") : 1 / 0; rescue *LISTED; 1; rescue Told; 2; end }
    expect_same([1, 2]) { |x| a = nil; begin; Integer("a#{x}"); rescue *a; 1; rescue *ArgumentError; 2; end }
    retrying = lambda do |most, *errors, &work|
      tries = 0
      begin
        work.call(tries += 1)
      rescue *errors => e
        retry if tries < most
        e.message
      end
    end
    expect_same([1, 4]) { |x| retrying.call(3, Told, KeyError) { |n| n < x ? raise(Told, "try #{n}") : n } }
  end

  it "asks at each call what is in such an array" do
    listed = [KeyError]
    block = ->(x) { begin; x / 0; rescue *listed; "listed"; rescue ZeroDivisionError; "other"; end }
    expect([1].pmap(&block)).to eq(["other"])
    listed << ZeroDivisionError
    expect([1].pmap(&block)).to eq(["listed"])
    listed.clear
    expect([1].pmap(&block)).to eq(["other"])
  end

  it "refuses what it cannot follow" do
    expect { [1].pmap { |x| begin; x / 0; rescue => e; e.backtrace.size; end } }.to refused("unsupported-method")
    expect { [1].pmap { |x| begin; x / 0; rescue => e; e.message << "!"; raise; end } }.to refused("unsupported-raise")
    expect { [1].pmap { |x| begin; x / 0; rescue => e; e.full_message; end } }.to refused("unsupported-method")
    if RUBY_VERSION < "3.2"
      # Where error_highlight adds lines to the message itself.
      expect { [nil].pmap { |x| begin; x.succ; rescue => e; e.message; end } }.to refused("unsupported-rescue-variable")
    end
    expect { [1].pmap { |x| begin; x / 0; rescue => e; e = 5; raise e; end } }.to refused("unsupported-rescue-variable")
    expect { [1].peach { |x| begin; x / 0; rescue => @error; 1; end } }.to refused("unsupported-rescue-variable")
    expect { [1].pmap { |x| begin; x / 0; rescue *Told.errors; 0; end } }.to refused("unsupported-rescue")
    expect { [1].pmap { |x| a = [Told]; begin; x / 0; rescue *a; 0; ensure; a << TypeError; end } }
      .to refused("unsupported-rescue")
    expect { [1].pmap { |x| a = [Told]; begin; a = [TypeError]; x / 0; rescue *a; 0; end } }
      .to refused("unsupported-rescue")
    expect { [Miner.new(0)].pmap { |m| m.sink(2) rescue 0 } }.to refused("unsupported-raise")
  end
end

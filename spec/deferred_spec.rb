# frozen_string_literal: true

# What elements change and none looks at: they run in parallel, and it ends as it would in sequential Ruby.
module Deferring
  class Account
    attr_accessor :balance, :weight, :partner, :low

    def initialize(number)
      @balance = number % 7
      @weight = number * 0.1
      @low = 100
    end

    def take(amount) = @balance += amount
  end

  def accounts(size)
    accounts = Array.new(size) { |i| Account.new(i) }
    accounts.each_with_index { |account, i| account.partner = accounts[((i * 7) + 3) % size] }
  end

  # The same block, sequentially and in parallel, with what it leaves. Nobody is told of a conflict, as there is none.
  def same(ticks = 1)
    plain = yield ->(base, block) { ticks.times { base.each(&block) } }
    here = nil
    expect { here = yield ->(base, block) { base.peach(ticks, &block) } }.not_to output.to_stderr
    expect(here).to eq(plain)
  end
end

each_compiling_backend do |backend|
  include Deferring

  around do |example|
    Ikra.conflicts = :raise
    example.run
  ensure
    Ikra.conflicts = :in_order
  end

  it "counts and adds up in captured arrays" do
    [3, 1_000, 30_000].each do |size|
      numbers = Array.new(size) { |i| i * i % 1009 }
      same do |each|
        counts = [0] * 10
        sums = [0.5] * 7
        best = [500] * 5
        halves = [0.0] * 3
        each.call(numbers, lambda do |n|
          counts[n % 10] += 1
          counts[n % 3] -= 2 if n.odd?
          sums[n % 7] += n * 0.1
          sums[-1] *= 1.0001
          best[n % 5] = n if n < best[n % 5]
          halves[n % 3] = (halves[n % 3] * 0.5) + n
        end)
        [counts, sums, best, halves]
      end
    end
  end

  it "changes other objects, which may be elements themselves" do
    [3, 1_000, 20_000].each do |size|
      same(3) do |each|
        all = accounts(size)
        each.call(all, lambda do |account|
          account.partner.take(size)
          account.balance -= 1
          account.partner.weight += size * 0.1
          account.partner.partner.low = size % 90 if size % 90 < account.partner.partner.low
        end)
        all.map { |account| [account.balance, account.weight, account.low] }
      end
    end
  end

  it "keeps the order of the base where elements are of several classes, or there several times" do
    cells = accounts(50)
    base = Array.new(3_000) { |i| [i, i * 0.5, cells[i % 50], nil][(i * i) % 4] }
    same(2) do |each|
      sum = 1.0
      trace = [0] * 4
      each.call(base, lambda do |x|
        value = x.is_a?(Numeric) ? x : 3
        sum = (sum * 0.99) + value
        trace[0] = ((trace[0] * 31) + value.to_i) % 10_007
      end)
      [sum, trace]
    end
  end

  it "looks at it in other calls of the same section" do
    [3, 1_000, 30_000].each do |size|
      accounts = accounts(size)
      run = lambda do |each|
        counts = [0] * 50
        seen = 0
        each.call(accounts) { |account| counts[account.balance] += 1 }
        each.call(accounts) { |account| account.low = counts[account.balance] + counts[1] }
        seen += counts[2]
        each.call(accounts) { |account| account.partner.take(account.low % 3) }
        each.call(accounts) { |account| account.weight += account.partner.balance }
        each.call(accounts) { |account| counts[account.balance % 50] += 2 }
        [counts, seen, accounts.map { |account| [account.balance, account.low, account.weight] }]
      end
      plain = run.call(->(base, &block) { base.each(&block) })
      accounts = accounts(size)
      counts = [0] * 50
      seen = 0
      expect do
        Ikra.section do
          accounts.peach { |account| counts[account.balance] += 1 }
          accounts.peach { |account| account.low = counts[account.balance] + counts[1] }
          seen += counts[2]
          accounts.peach { |account| account.partner.take(account.low % 3) }
          accounts.peach { |account| account.weight += account.partner.balance }
          accounts.peach { |account| counts[account.balance % 50] += 2 }
        end
      end.not_to output.to_stderr
      here = [counts, seen, accounts.map { |account| [account.balance, account.low, account.weight] }]
      expect(here).to eq(plain)
    end
  end

  it "watches where a method changes it for one call and for another that looks at it" do
    add = ->(array, at, by) { array[at] += by }
    plain = [0] * 5
    20.times { |i| add.call(plain, i % 5, 1) }
    20.times { |i| add.call(plain, i % 5, plain[(i + 1) % 5]) }
    sums = [0] * 5
    run = lambda do
      Ikra.section do
        20.ptimes { |i| add.call(sums, i % 5, 1) }
        20.ptimes { |i| add.call(sums, i % 5, sums[(i + 1) % 5]) }
      end
    end
    expect(&run).to raise_error(Ikra::ConflictError, /conflict over item/)
    Ikra.conflicts = :in_order
    expect(&run).to output(anything).to_stderr.or(output("").to_stderr)
    expect(sums).to eq(plain)
  end

  it "changes variables around the section" do
    numbers = (1..5_000).to_a
    same do |each|
      sum = 0.0
      state = 1
      each.call(numbers, lambda do |n|
        sum += 0.1
        3.times { |i| sum += n * i * 0.01 }
        state = ((state * 48_271) + n) % 0x7fffffff
      end)
      [sum, state]
    end
  end

  it "keeps what was written last" do
    numbers = Array.new(5_000) { |i| (i * i) + 3 }
    same(2) do |each|
      seen = [nil] * 20
      last = nil
      all = accounts(300)
      each.call(numbers, lambda do |n|
        seen[n % 20] = n.even? ? n : n * 0.5
        seen[n % 3] = nil if n % 7 == 0
        all[n % 300].low = n if n % 11 < 5
        last = n if n % 9 == 4
      end)
      [seen, last, all.map(&:low)]
    end
  end

  it "runs in order what would take too much memory" do
    sums = [0.0] * 4
    expected = [0.0] * 4
    change = ->(all) { ->(n) { 40_000.times { |k| all[(n + k) % 4] += k * 0.5 } } }
    [1, 2, 3].each(&change.call(expected))
    numbers = [1, 2, 3] + ([nil] * 397)
    numbers.peach { |n| (n ? 40_000 : 50_000).times { |k| sums[((n || 0) + k) % 4] += n ? k * 0.5 : 0.0 } }
    expect(sums).to eq(expected)
  end

  it "raises what Ruby raises, and changes nothing then" do
    counts = [0] * 5
    expect { [1, 2, 7, 3].peach { |n| counts[n] += 1 } }.to raise_error(NoMethodError, /\+/)
    all = accounts(4)
    all[2].weight = Float::NAN
    expect { all.peach { |account| account.partner.weight = [account.partner.weight, 0.5].min } }
      .to raise_error(ArgumentError, /comparison of Float with/)
    all[0].balance = nil
    pairs = [[all[0], nil], [all[1], 1]]
    expect { pairs.peach { |account, x| account.balance += x } }.to raise_error(NoMethodError, /\+/)
    frozen = [1].freeze
    expect { [1, 2].peach { |n| frozen[0] += n } }.to raise_error(FrozenError)
    expect([counts, all[0].weight, frozen]).to eq([[0] * 5, 0.0, [1]])
  end

  # Large ones are not put together behind the elements.
  it "tells elements that one writes and another reads where a sum needs more than 64 bits, and only then" do
    sums = [2**62, -(2**62)]
    expect { [1, 2, 3].peach { |n| sums[0] += (2**62) * (n % 2) } }.to raise_error(Ikra::ConflictError)
    expect { [1, 2, 3].peach { |n| sums[1] -= (2**62) * (n % 2) } }.to raise_error(Ikra::ConflictError)
    expect(sums).to eq([2**62, -(2**62)])
    [1, 2, 3].peach { |n| sums[1] += n * (2**60) }
    expect(sums[1]).to eq(2**61)
  end

  it "runs on #{backend}" do
    counts = [0] * 4
    expect(Ikra.profile { [1, 2, 3].peach { |n| counts[n % 4] += n } }.backend).to eq(backend)
  end

  it "leaves to conflicts what an element looks at" do
    counts = [0] * 4
    expect { [1, 2].peach { |n| counts[0] += counts[1] + n } }.to raise_error(Ikra::ConflictError)
    expect { [1, 2].pmap { |n| counts[0] += n } }.to raise_error(Ikra::ConflictError)
  end
end

# frozen_string_literal: true

require "timeout"

# Elements that are not independent: they run in order, and do what sequential Ruby does.
module Conflicting
  class Account
    attr_accessor :balance, :partner, :log, :next

    def initialize(balance)
      @balance = balance
      @log = [0] * 4
    end

    def pay(amount)
      raise ArgumentError, "#{@balance} is too little" if amount > @balance

      @balance -= amount
      @partner.balance += amount
    end
  end

  class Till
    attr_accessor :sum, :inner

    def initialize(sum = 0)
      @sum = sum
    end

    def take(prices)
      prices.peach { |price| @sum += price }
      @sum
    end
  end

  def accounts(size)
    accounts = Array.new(size) { |i| Account.new(100 + (i % 7)) }
    accounts.each_with_index { |account, i| account.partner = accounts[((i * 7) + 3) % size] }
  end
end

each_compiling_backend do |backend|
  include Conflicting

  around { |example| Warnings.without { example.run } }

  it "adds to what others add to" do
    [3, 500, 20_000].each do |size|
      plain = accounts(size)
      2.times { plain.each { |account| account.pay(account.balance / 3) } }
      here = accounts(size)
      here.peach(2) { |account| account.pay(account.balance / 3) }
      expect(here.map(&:balance)).to eq(plain.map(&:balance))
    end
  end

  it "counts in a captured array, and in the arrays of arrays" do
    histogram = [0] * 10
    numbers = (0...5000).to_a
    numbers.peach { |n| histogram[n * n % 10] += 1 }
    expect(histogram).to eq(numbers.map { |n| n * n % 10 }.tally.then { |t| Array.new(10) { |i| t[i] || 0 } })
    grid = Array.new(3) { [0] * 3 }
    numbers.peach { |n| grid[n % 3][n % 2] += n }
    expect(grid.sum(&:sum)).to eq(numbers.sum)
  end

  it "writes one captured object, self, and one item from all elements" do
    till = Conflicting::Till.new
    till.inner = Conflicting::Till.new(5)
    [1, 2, 3].peach { |n| till.sum = n }
    expect(till.sum).to eq(3)
    expect(till.take([4, 5])).to eq(12)
    [1, 2].peach { |n| till.inner.sum += n }
    expect(till.inner.sum).to eq(8)
    counts = [0, 0]
    [1, 2, 3].peach(2) { |n| counts[-1] += n if n > 1 }
    expect(counts).to eq([0, 10])
  end

  it "reads what earlier elements have written, and their result" do
    line = accounts(300)
    line.each_cons(2) { |a, b| b.next = a }
    expect(line.pmap { |account| account.balance += account.next ? account.next.balance : 0 })
      .to eq(accounts(300).map(&:balance).then { |all| all.each_index.map { |i| all[0..i].sum } })
    primes = Array.new(2000, true)
    (2...2000).to_a.peach { |i| (i * i).step(1999, i) { |j| primes[j] = false } if primes[i] }
    expect((2...2000).select { |i| primes[i] }.last(2)).to eq([1997, 1999])
    seen = [false] * 5
    expect([1, 3, 1, 2, 3].pselect { |n| !seen[n] && (seen[n] = true) }).to eq([1, 3, 2])
  end

  it "shares variables around the section" do
    seed = 1
    expect((1..4).to_a.pmap { |n| (seed = ((seed * 1_103_515_245) + 12_345) % (2**31)) + n })
      .to eq([1_103_527_591, 377_401_577, 662_824_087, 1_147_902_785])
    best = nil
    [3, 1, 2].peach { |x| best = x if best.nil? || x < best }
    count = 0
    expect([5, 6, 7].pmap { |_| count += 1 }).to eq([1, 2, 3])
    total = 0
    expect([1.5, 2.5, 3.0].pselect { |x| (total += x) < 5 }).to eq([1.5, 2.5])
    flag = false
    expect([1, 2, 3].pmap { |x| (flag = !flag) ? x : -x }).to eq([1, -2, 3])
    a = 1
    b = 2
    [1, 2, 3].peach(3) { |_| a, b = b, a + b }
    quotient = 100
    [2, 5].peach { |n| quotient /= n }
    nested = 0
    [1, 2].peach { |n| nested += begin nested += n; 0 end }
    expect([best, count, total, flag, a, b, quotient, nested]).to eq([1, 3, 7.0, true, 89, 144, 10, 0])
  end

  it "shares references, too" do
    line = accounts(50)
    previous = nil
    line.peach do |account|
      account.balance += previous.balance if previous
      previous = account
    end
    sums = accounts(50).map(&:balance).then { |all| all.each_index.map { |i| all[0..i].sum } }
    expect(line.map(&:balance)).to eq(sums)
    expect(previous).to equal(line.last)
    expect { line.peach { |account| previous = account.balance > 3000 ? nil.foo : account.next } }
      .to raise_error(NoMethodError)
    expect(previous).to equal(line.last)
  end

  it "raises what sequential Ruby raises first, and has changed nothing" do
    here = accounts(50)
    before = here.map(&:balance)
    # The partner of 40 has had much from others before.
    expect { here.peach { |account| account.pay(account.equal?(here[40]) ? 10_000 : 50) } }
      .to raise_error(ArgumentError, /is too little/)
    expect(here.map(&:balance)).to eq(before)
    zeros = [1] * 3
    error = begin
      [0, 1, 2, 3].peach { |i| (zeros[0] -= 1) && (i == 3 ? [][1].foo : 1 / (zeros[0] + 1)) }
    rescue StandardError => e
      e
    end
    expect([error.class, error.element_index, zeros]).to eq([ZeroDivisionError, 1, [1] * 3])
  end

  it "does not run what comes after an exception" do
    flags = [0, 0]
    expect do
      Timeout.timeout(20) do
        [0, 1].peach { |i| i.zero? ? (flags[0] = 1) && raise("stop") : (nil while flags[0] == 1) }
      end
    end.to raise_error(RuntimeError, "stop")
  end

  it "ends loops that wait for another element" do
    flags = [0] * 3
    sum = 0
    Timeout.timeout(20) do
      (0...3000).to_a.peach { |i| i.zero? ? flags[1] = 1 : ((nil while flags[1].zero?) || sum += 1) }
    end
    expect([flags, sum]).to eq([[0, 1, 0], 2999])
  end

  it "draws the same numbers, gives accumulators and counts ticks as else" do
    states = [true, false].map do |apart|
      Ikra.srand(5)
      cells = [0] * 40
      last = nil
      total = 0
      (0...40).to_a.peach(3) { |i| (cells[apart ? i : i / 2] += rand(9)) && (last = i) && total += i }
      [cells.sum, last, total]
    end
    expect(states.uniq.size).to eq(1)
  end

  it "knows an element's own arrays, also many of them" do
    here = accounts(600)
    Ikra.conflicts = :raise
    here.peach(3) { |account| 4.times { |i| account.log[i] += account.balance } }
    expect(here.map(&:log)).to eq(here.map { |account| [account.balance * 3] * 4 })
    shared = here.map(&:log)
    expected = shared.map(&:dup).each_with_index.map do |log, i|
      i.even? ? log.tap { log[i % 4] = shared[599 - i][(i + 1) % 4] } : log
    end
    (0...600).to_a.peach { |i| shared[i][i % 4] = shared[599 - i][(i + 1) % 4] if i.even? }
    expect(shared).to eq(expected)
  ensure
    Ikra.conflicts = :in_order
  end

  it "makes arrays and objects in order, too" do
    totals = [0.0] * 3
    (1..200).to_a.peach do |n|
      list = Array.new(n % 50) { |i| i * 0.1 }
      list << n
      totals[n % 3] += list.sum
    end
    plain = [0.0] * 3
    (1..200).each { |n| plain[n % 3] += (Array.new(n % 50) { |i| i * 0.1 } << n).sum }
    expect(totals).to eq(plain)
  end

  it "stops when it is interrupted" do
    totals = [0]
    expect { Timeout.timeout(0.3) { [1, 2].peach((1 << 32) - 1) { |n| totals[0] = (totals[0] + n) % 7 } } }
      .to raise_error(Timeout::Error)
    expect(totals).to eq([0])
  end

  it "runs at the same time again when elements do not conflict any more" do
    step = ->(cells) { cells.peach { |cell| cell.partner.balance += 1 } }
    here = accounts(100)
    there = accounts(100).each { |account| account.partner = account }
    backends = Array.new(6) do |i|
      Ikra.profile { step.call(i < 2 ? here : there) }.backend
    end
    expect(backends.last.to_sym).to eq(backend)
    expect(there.map(&:balance)).to eq(accounts(100).map { |account| account.balance + 4 })
  end
end

RSpec.describe "A conflict" do
  include Conflicting

  it "is told once for each place" do
    skip "the mode has a frame of its own" if GCModes.chosen
    counts = [0]
    section = -> { [1, 2].peach { |n| counts[0] = [counts[0] + n, n].max if counts.sum < 10 } }
    place = /\A\S*conflicts_spec.rb:#{__LINE__ - 1}:in .*: peach runs its elements in order/
    message = /#{place}.*elements 0 and 1 conflict over item 0/m
    expect { section.call }.to output(message).to_stderr
    expect { section.call }.not_to output.to_stderr
    expect(counts).to eq([6])
  end

  it "may be raised in a whole program" do
    text = "a = [0]; begin; [1, 2].peach { |n| a[0] = a.sum + n }; rescue Ikra::ConflictError => e; p e.elements; end"
    output = IO.popen({ "IKRA_CONFLICTS" => "raise", "IKRA_BACKEND" => "cpu" },
                      [RbConfig.ruby, "-Ilib", "-rikra", "-e", text], &:read)
    expect(output).to eq("[0, 1]\n")
  end
end

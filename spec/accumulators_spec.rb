# frozen_string_literal: true

# Local variables around the section that its block writes: they end as sequential Ruby would leave them.
each_backend do
  let(:numbers) { [3, 1, 4, 1, 5, 9, 2, 6] }

  it "adds up Integers" do
    total = 100
    numbers.peach { |n| total += n }
    expect(total).to eq(131)
  end

  it "adds up Floats in the order of the elements" do
    values = Array.new(1000) { |i| 0.1 * i }
    total = 0.0
    values.peach { |x| total += x }
    expect(total).to eq(values.inject(0.0) { |sum, x| sum + x })
  end

  it "grows beyond 64 bits as Ruby does" do
    total = 2**62
    [2**62, 2**62].peach { |n| total += n }
    expect(total).to eq(3 * (2**62))
  end

  it "has the answer of many Integers whatever is beyond 64 bits on the way" do
    most = (2**63) - 1
    lists = [[most, most, -most, -5], [-most, -most, most], [most, 2, 0], [most] * 70_000,
             Array.new(200_000) { |i| ((i * i) - (i % 7)) * (2**(i % 20)) }]
    lists.product([0, 1, -most - 1, 2**63, 2.5]).each do |list, start|
      sum = rest = product = least = greatest = start
      list.peach do |n|
        sum += n if n != 4
        rest -= n
        product *= n % 3
        least = [least, n].min
        greatest = [n, greatest].max
      end
      expected = [list.reject { |n| n == 4 }.inject(start, :+), list.inject(start, :-)]
      expected << list.inject(start) { |all, n| all * (n % 3) }
      expected.push([start, *list].min, [start, *list].max)
      found = [sum, rest, product, least, greatest]
      expect(found.zip(found.map(&:class))).to eq(expected.zip(expected.map(&:class)))
    end
  end

  it "subtracts, multiplies and combines bits" do
    left = 100
    product = 1
    bits = 0
    mask = 0xff
    parity = 0
    numbers.peach do |n|
      left -= n
      product *= n
      bits |= n
      mask &= n + 240
      parity ^= n
    end
    expect([left, product, bits, mask, parity]).to eq([69, 6480, 15, 240, 15 ^ 0 ^ parity ^ 15])
    expect(parity).to eq(numbers.inject(0) { |a, n| a ^ n })
  end

  it "finds the least and the greatest" do
    least = 1_000
    greatest = -1.5
    numbers.peach do |n|
      least = [least, n].min
      greatest = [n * 0.5, greatest].max
    end
    expect([least, greatest]).to eq([1, 4.5])
  end

  it "keeps the last value that was assigned" do
    last = nil
    odd = :none
    numbers.peach do |n|
      last = n
      odd = n if n.odd?
    end
    expect([last, odd]).to eq([6, 9])
  end

  it "keeps what came first with ||=, and what failed first with &&=" do
    found = nil
    all = true
    numbers.peach do |n|
      found ||= n > 3 ? n : nil
      all &&= n != 9
    end
    expect([found, all]).to eq([4, false])
  end

  it "leaves a variable alone that no element wrote" do
    count = 7
    numbers.peach { |n| count += 1 if n > 100 }
    expect(count).to eq(7)
  end

  it "puts together what one element gives several times" do
    total = 0
    numbers.peach(3) { |n| n.times { |i| total += i } }
    expect(total).to eq(3 * numbers.sum { |n| (0...n).sum })
  end

  it "takes several writes of one element" do
    total = 0
    bits = nil
    [1, 2, 3].peach do |n|
      total += n
      total += 1 if n > 1
      total += 0.5
      bits = n
      bits = -n if n.odd?
    end
    expect([total, bits]).to eq([9.5, -3])
  end

  it "works beside pmap's results" do
    count = 0
    doubled = numbers.pmap do |n|
      count += 1
      n * 2
    end
    expect([count, doubled]).to eq([8, numbers.map { |n| n * 2 }])
  end

  it "adds up what is written out" do
    sum = 1
    rest = 100
    product = 1.0
    numbers.peach do |n|
      sum = sum + n # rubocop:disable Style/SelfAssignment
      rest = rest.-(n)
      product = product * (n + 0.5) # rubocop:disable Style/SelfAssignment
    end
    expect([sum, rest, product]).to eq([32, 69, numbers.inject(1.0) { |all, n| all * (n + 0.5) }])
    both = 0
    Warnings.without { numbers.peach { |n| both = both + (n * both) + n } }
    expect(both).to eq(numbers.inject(0) { |all, n| all + (n * all) + n })
  end

  it "puts numbers of all kinds together as Ruby's operators do" do
    lists = [[1, 2.5, -0.0], [0.0, -0.0], [-0.0, 0.0], [Float::INFINITY, 1.0], [2**53, 1.0, 2**62, -(2**62)],
             [2**62, 2**62, -(2**62)], [3, 3.0], [3.0, 3], [0.1, 0.2, 0.3], [2**53 + 1, 2.0**53], [7], [-0.0]]
    [0, 0.0, -0.0, 2**62, 2**64, -1.5].product(lists).each do |start, list|
      expected = [list.inject(start) { |all, x| all + x }, list.inject(start) { |all, x| all - x },
                  list.inject(start) { |all, x| all * x }, list.inject(start) { |all, x| [all, x].max },
                  list.inject(start) { |all, x| [x, all].min }, list.inject(start) { |all, x| [x, all].max },
                  list.inject(start) { |all, x| [all, x].min }]
      sum = rest = product = most = least = most_later = least_later = start
      list.peach do |x|
        sum += x
        rest -= x
        product *= x
        most = [most, x].max
        least = [x, least].min
        most_later = [x, most_later].max
        least_later = [least_later, x].min
      end
      found = [sum, rest, product, most, least, most_later, least_later]
      expect(found.map(&:inspect)).to eq(expected.map(&:inspect))
    end
  end

  it "uses an operator of the user's own" do
    text = <<~RUBY
      class Integer
        alias plus +
        def +(other) = plus(other).plus(1)
      end
      total = 0
      [1, 2, 3].peach { |n| total += n }
      p total
    RUBY
    command = [RbConfig.ruby, "-Ilib", "-rikra", "-W0", "-e", text]
    output = IO.popen({ "IKRA_BACKEND" => Ikra.backend.to_s }, command, &:read)
    expect(output).to eq("9\n")
  end

  it "changes nothing when the section fails" do
    total = 5
    expect { numbers.peach { |n| total += 10 / (n - 9) } }.to raise_error(ZeroDivisionError)
    expect(total).to eq(5) unless Ikra.backend == :ruby
  end
end

each_compiling_backend do
  it "runs where one element may be the only one that writes an item" do
    ends = [0, 0, 0]
    [1, 2, 3].peach { |n| n == 1 ? ends[0] = 7 : ends[n - 1] = n }
    expect(ends).to eq([7, 2, 3])
  end

  it "begins with what no column has a place for" do
    range = 1..2
    [1].peach { |n| range = range ? n : 2 }
    kind = String
    Ikra.section { kind = nil }
    made = ->(x) { x + 1 }
    found = Ikra.section do
      before = made.call(3)
      made = [before]
      made << 5
      before
    end
    kept = $stdout
    Ikra.section { kept = 4 if found == 5 }
    expect([range, kind, made, found, kept]).to eq([1, nil, [4, 5], 4, $stdout])
  end

  it "is read where it is until it is assigned" do
    range = 1..4
    sums = Ikra.section do
      first = range.sum
      5.times { |i| range = i if i > 2 }
      [first, range == 4]
    end
    last = Integer
    [1, 2, 3].peach { |n| last = last.is_a?(Integer) ? (last * 31) + n : n }
    expect([sums, range, last]).to eq([[10, true], 4, 1026])
  end

  it "is seen by Ikra.sync whether it is assigned or not" do
    range = 1..2
    seen = []
    Ikra.section do
      Ikra.sync { seen << range }
      range = 3
      Ikra.sync { seen << range }
    end
    expect([range, seen]).to eq([3, [1..2, 3]])
  end

  it "refuses to store what no column has a place for" do
    list = nil
    expect { [1].peach { |n| list = list ? list : (1..n) } }.to raise_error(Ikra::UnsupportedError, /unsupported-store/)
    expect(list).to be_nil
  end

  describe "what an operator raises" do
    def raised
      yield
      nil
    rescue StandardError => e
      e
    end

    it "has the line of the block" do
      failing = Class.new { define_method(:+) { |other| other > 1 ? raise("no #{other}") : self } }.new
      [nil, "a", [], failing].each do |first|
        total = first
        plain = raised { [1, 2].each { |x| total += x } }
        total = first
        error = raised { [1, 2].peach { |x| total += x } }
        place = "#{__FILE__}:#{__LINE__ - 1}:in "
        expect([error.class, error.message[/.*/], error.cause]).to eq([plain.class, plain.message[/.*/], nil])
        inner = first == failing ? 1 : 0
        expect(error.backtrace[inner]).to start_with(place).and include("block (6 levels)") unless Ikra.backend == :ruby
        expect(error.backtrace.count { |frame| frame.start_with?(place) }).to be >= 2
      end
    end

    it "adds Strings in order" do
      text = ""
      %w[a b c].peach { |x| text += x }
      expect(text).to eq("abc")
      last = nil
      %w[a b c].peach { |x| last = x }
      expect(last).to eq("c")
      total = 0
      error = raised { [1, "a"].peach { |x| total += x } }
      expect([error.class, error.message[/.*/], total]).to eq([TypeError, "String can't be coerced into Integer", 0])
    end

    it "tells nothing of the line where Ikra calls it" do
      total = nil
      error = raised { [1].peach { |x| total += x } }
      expect(error.message).not_to include("sum")
      expect(error.receiver).to be_nil
    end
  end
end

# frozen_string_literal: true

# The language inside a section: each block is run by Ruby and by every back-end and must give the same.
# The blocks are written as people write them, which is not always as RuboCop would.
each_backend do
  let(:integers) { [0, 1, 2, 3, 7, 12, 100, -1, -2, -7, 2**31, -(2**31), 2**40, (2**53) + 1] }
  let(:small) { [0, 1, 2, 3, 5, 8, 13] }
  let(:floats) { [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.7, -3.7, 1e10, -1e10, 0.49999999999999994, 1e-310] }
  let(:odd_floats) { floats + [Float::NAN, Float::INFINITY, -Float::INFINITY, 1e308, -1e308] }

  describe "Integer" do
    it "does arithmetic" do
      expect_same(integers) { |n| n + 1 }
      expect_same(integers) { |n| n - 3 }
      expect_same(integers) { |n| n * 3 }
      expect_same(integers) { |n| -n }
      expect_same(integers) { |n| +n }
      expect_same(integers) { |n| n.abs }
      expect_same(small) { |n| n**3 }
      expect_same(small) { |n| 2**n }
    end

    it "divides towards minus infinity" do
      [1, 2, 3, 7, 10, 4096, -1, -2, -3, -7].each do |divisor|
        expect_same(integers) { |n| n / divisor }
        expect_same(integers) { |n| n % divisor }
        expect_same(integers) { |n| n.remainder(divisor) }
        expect_same(integers) { |n| n.fdiv(divisor) }
      end
      expect_same(integers) { |n| n / 7 }
      expect_same(integers) { |n| n % 7 }
      expect_same(integers) { |n| n / -7 }
      expect_same(integers) { |n| n % -7 }
      expect_same(integers) { |n| n % 8 }
      expect_same(integers) { |n| n / 8 }
    end

    it "does bits" do
      expect_same(integers) { |n| n & 255 }
      expect_same(integers) { |n| n | 1 }
      expect_same(integers) { |n| n ^ -1 }
      expect_same(integers) { |n| ~n }
      expect_same(integers) { |n| n >> 3 }
      expect_same(small) { |n| n << 4 }
      expect_same(small) { |n| 1 << n }
      expect_same(integers) { |n| n[3] }
      expect_same(integers) { |n| n.bit_length }
    end

    it "asks and converts" do
      expect_same(integers) { |n| n.even? }
      expect_same(integers) { |n| n.odd? }
      expect_same(integers) { |n| n.zero? }
      expect_same(integers) { |n| n.positive? }
      expect_same(integers) { |n| n.succ }
      expect_same(integers) { |n| n.pred }
      expect_same(integers) { |n| n.to_f }
      expect_same(integers) { |n| n.clamp(-3, 10) }
      expect_same(integers) { |n| n.between?(0, 12) }
      expect_same(integers) { |n| n.gcd(12) }
      expect_same(small) { |n| n.lcm(4) }
      expect_same(integers) { |n| Integer.sqrt(n.abs) }
    end

    it "compares with Floats exactly" do
      expect_same(integers) { |n| n < 9_007_199_254_740_992.0 }
      expect_same(integers) { |n| n == 9_007_199_254_740_992.0 }
      expect_same(integers) { |n| n > 2.5 }
      expect_same(integers) { |n| n <=> 3 }
      expect_same(integers) { |n| n <=> 3.5 }
      expect_same(integers) { |n| n <=> nil }
      expect_same(integers) { |n| n == nil }
    end

    it "mixes with Float" do # a fractional power is C's pow: a Math function
      expect_same(integers) { |n| n + 0.5 }
      expect_same(integers) { |n| n / 2.0 }
      expect_same(integers) { |n| n % 2.5 }
      expect_same(integers) { |n| n * 1.5 }
      expect_same(small, tolerance: 2) { |n| n**0.5 }
    end

    it "raises what Ruby raises" do
      expect_same(small) { |n| 10 / n }
      expect_same(small) { |n| 10 % n }
      expect_same(small) { |n| n + nil }
      expect_same(small) { |n| n < nil }
      expect_same(small) { |n| n.foo }
      expect_same(small) { |n| n & 1.5 }
      expect_same(small) { |n| raise ArgumentError, "too big" if n > 3 }
      expect_same(small) { |n| n > 3 ? raise("no") : n }
    end
  end

  describe "Float" do
    it "does arithmetic" do
      expect_same(odd_floats) { |x| x + 1.5 }
      expect_same(odd_floats) { |x| x * x }
      expect_same(odd_floats) { |x| x / 3 }
      expect_same(odd_floats) { |x| 1 / x }
      expect_same(odd_floats) { |x| -x }
      expect_same(odd_floats) { |x| x.abs }
      expect_same(odd_floats) { |x| x % 3 }
      expect_same(odd_floats) { |x| x % -2.5 }
      expect_same(odd_floats) { |x| x**2 }
      expect_same(floats, tolerance: 2) { |x| x.abs**1.5 }
    end

    it "rounds" do
      expect_same(floats) { |x| x.floor }
      expect_same(floats) { |x| x.ceil }
      expect_same(floats) { |x| x.round }
      expect_same(floats) { |x| x.to_i }
      expect_same(floats) { |x| x.truncate }
    end

    it "compares and asks" do
      expect_same(odd_floats) { |x| x < 1 }
      expect_same(odd_floats) { |x| x == 0 }
      expect_same(odd_floats) { |x| x <=> 1.5 }
      expect_same(odd_floats) { |x| x.nan? }
      expect_same(odd_floats) { |x| x.finite? }
      expect_same(odd_floats) { |x| x.infinite? }
      expect_same(odd_floats) { |x| x.zero? }
      expect_same(odd_floats) { |x| x != x }
    end

    it "raises what Ruby raises" do
      expect_same(odd_floats) { |x| x.to_i if x.nan? || x.infinite? }
      expect_same([1.0, -1.0]) { |x| Math.sqrt(x) }
      expect_same([1.0, -1.0]) { |x| Math.log(x) }
      expect_same([1.0]) { |x| x + nil }
      expect_same([1.0]) { |x| x > nil }
    end
  end

  describe "Math" do
    it "stays within 2 ulp" do
      values = [0.1, 0.5, 0.9, 1.0]
      expect_same(values, tolerance: 2) { |x| Math.sin(x) + Math.cos(x) }
      expect_same(values, tolerance: 2) { |x| Math.exp(x) }
      expect_same(values, tolerance: 2) { |x| Math.log(x) }
      expect_same(values, tolerance: 2) { |x| Math.atan2(x, 0.3) }
      expect_same(values, tolerance: 2) { |x| Math.hypot(x, 3) }
      expect_same(values) { |x| Math.sqrt(x) }
      expect_same([4, 9, 16]) { |n| Math.sqrt(n) }
      expect_same(values) { |x| x * Math::PI }
    end
  end

  describe "control flow" do
    it "branches" do
      expect_same(integers) { |n| if n > 2 then 1 else 2.5 end }
      expect_same(integers) { |n| n > 2 ? n : nil }
      expect_same(integers) { |n| n if n > 2 }
      expect_same(integers) { |n| n unless n > 2 }
      expect_same(integers) do |n|
        if n < 0 then :negative
        elsif n.zero? then :zero
        else :positive
        end
      end
    end

    it "knows case and when" do
      expect_same(integers) do |n|
        case n
        when 0 then 0.5
        when 1, 2 then :few
        when 3..10 then n * 2
        when Integer then nil
        end
      end
      expect_same(integers) do |n|
        case
        when n < 0 then -1
        when n > 0 then 1
        else 0
        end
      end
    end

    it "loops" do
      expect_same(small) { |n| i = 0; i += 1 while i < n; i }
      expect_same(small) { |n| [(for k in [n, 2] do end), (for k in 1..n do break k * 2 if k == 2 end).nil?] }
      expect_same(small) { |n| r = (for k in 1..n do k end); r.sum }
      expect_same(small) { |n| i = 10; i -= 1 until i <= n; i }
      expect_same(small) { |n| s = 0; n.times { |i| s += i }; s }
      expect_same(small) { |n| s = 0; 1.upto(n) { |i| s += i * i }; s }
      expect_same(small) { |n| s = 0; n.downto(1) { |i| s = s * 2 + i }; s }
      expect_same(small) { |n| s = 0; 0.step(n, 2) { |i| s += i }; s }
      expect_same(small) { |n| s = 0; for i in 1..n do s += i end; s }
      expect_same(small) { |n| s = 0; (0...n).each { |i| next if i.odd?; s += i }; s }
      expect_same(small) { |n| s = 0; loop { s += 1; break if s > n }; s }
      expect_same(small) { |n| i = 0; begin i += 1 end while i < n; i }
      expect_same(small) { |n| x = 10.times { |i| break i * 2 if i > n }; x }
      expect_same(small) { |n| (1..n).sum }
      expect_same(small) { |n| (1..n).sum { |i| i * 0.1 } }
      expect_same(small) { |n| (1..n).inject(1) { |a, b| a * b } }
      expect_same(small) { |n| (1..n).inject(:+) }
      expect_same(small) { |n| (1..n).any? { |i| i > 3 } }
      expect_same(small) { |n| (1..n).all? { |i| i < 6 } }
      expect_same(small) { |n| (1..n).count { |i| i.even? } }
      expect_same(small) { |n| (1..n).find { |i| i * i > 10 } }
    end

    it "has nested loops with early exits" do
      expect_same(small) do |n|
        found = nil
        (1..n).each do |i|
          (1..i).each do |j|
            if i * j == 6
              found = (i * 10) + j
              break
            end
          end
          break if found
        end
        found
      end
    end

    it "keeps each path's class" do
      expect_same(small) { |n| x = n; x = 0.5 if n > 3; x }
      expect_same(small) { |n| x = n > 3 ? 1 : 2.0; x * 2 }
      expect_same(small) { |n| x = nil; x = n if n.odd?; x.nil? ? -1 : x + 1 }
      expect_same(small) { |n| x = (n if n > 2); x&.succ }
      expect_same(small) { |n| x = nil; x ||= n; x }
      expect_same(small) { |n| n.zero? && n }
      expect_same(small) { |n| n.zero? || n }
      expect_same(small) { |n| !n.zero? }
      expect_same(small) { |n| n == 1 && n < 5 || n == 8 }
    end

    it "ends a block early" do
      expect_same(small) { |n| next 0 if n.even?; n }
      expect_same(small) { |n| n.times { |i| next if i == 1 }; next :done if n > 3; n }
    end

    it "assigns several at once" do
      expect_same(small) { |n| a, b = n, 2; a, b = b, a; a - b }
      expect_same(small) { |n| a, (b, c) = n, [n + 1, n + 2]; (a * b) + c }
      expect_same(small) { |n| a = b = n; a + b }
      expect_same(small) { |n| a, b = n.divmod(3); (a * 100) + b }
      expect_same([[1, 2], [3, 4]]) { |a, b| a + b }
      expect_same([[1, [2, 3]], [4, [5, 6]]]) { |a, (b, c)| a + (b * c) }
    end
  end

  describe "captured values" do
    it "reads numbers, symbols and arrays" do
      factor = 3
      offset = 0.5
      mode = :double
      table = [5, 6, 7]
      mixed = [1, 2.5, nil, :a, true]
      expect_same(small) { |n| n * factor }
      expect_same(small) { |n| n + offset }
      expect_same(small) { |n| mode == :double ? n * 2 : n }
      expect_same(small) { |n| table[n] }
      expect_same(small) { |n| table[n % table.size] }
      expect_same(small) { |n| table[-n] }
      expect_same(small) { |n| mixed[n] }
      expect_same(small) { |n| table.include?(n) }
      expect_same(small) { |n| table.sum + n }
      expect_same(small) { |n| table.min + table.max + n }
      expect_same(small) { |n| s = 0; table.each { |t| s += t * n }; s }
      expect_same(small) { |n| s = 0; table.each_with_index { |t, i| s += t * i * n }; s }
      expect_same(small) { |n| table.first + table.last + n }
    end

    it "sees a new value at the next call" do
      [1, 2.5, :a, nil].each do |value|
        expect_same(small) { |n| n > 2 ? value : n }
      end
    end
  end

  describe "blocks, lambdas and procs" do
    it "calls lambdas of the section" do
      expect_same(small) { |n| f = ->(x) { x * 2 }; f.call(n) + f.(n) + f[n] }
      expect_same(small) { |n| f = lambda { |x| return 0 if x > 3; x }; f.call(n) }
      expect_same(small) { |n| k = 3; add = ->(x, y = 1) { x + y + k }; add.call(n) + add.call(n, 2) }
      expect_same(small) { |n| f = proc { |a, b| b.nil? ? a : b }; f.call(n) }
      expect_same(small) { |n| f = ->(i) { i * n }; (1..3).sum(&f) }
      expect_same(small) { |n| c = 0; inc = -> { c += 1 }; n.times { inc.call }; c }
      expect_same(small) { |n| f = ->(x) { x }; f.call(n, n) }
    end

    it "yields and hands blocks on" do
      expect_same(small) { |n| Yielding.twice(n) { |x| x + 1 } }
      expect_same(small) { |n| Yielding.hand_on(n) { |x| x * 3 } }
      expect_same(small) { |n| Yielding.call(n) { |x| next 7 if x == 2; x } }
      expect_same(small) { |n| Yielding.maybe(n) }
      expect_same(small) { |n| Yielding.maybe(n, &:succ) }
      expect_same(small) { |n| Yielding.first_over(n, 4) { |i| i * n } }
      expect_same(small) { |n| Yielding.options(n, by: 2) + Yielding.options(n) + Yielding.defaults(n) }
    end
  end

  describe "raise" do
    it "tells values in the message" do
      expect_same(small) { |n| raise ArgumentError, "#{n} is over #{n / 2.0}" if n > 3 }
      expect_same(small) { |n| n > 3 ? raise("#{n.even? ? :even : :odd} #{n}") : n }
      expect_same(small) { |n| x = n > 4 ? nil : n; raise IndexError, "got #{x}" if x.nil? }
      expect_same(small) { |n| raise KeyError.new("no #{n}") if n == 2 }
      expect_same(small) { |n| raise if n == 2 }
    end
  end

  it "coerces" do
    meters = [Meters.new(2), Meters.new(5)]
    expect_same(meters) { |m| (3 * m) + (1.5 * m) }
    expect_same(meters) { |m| m * 2 }
    expect_same(meters, &:plain)
  end

  it "compares symbols and booleans" do
    expect_same([:a, :b, :c]) { |s| s == :b }
    expect_same([:a, :b, :c]) { |s| s }
    expect_same([true, false, nil]) { |x| x ? 1 : 2 }
    expect_same([true, false, nil]) { |x| x }
    expect_same([1, 2.5, nil, :a, true]) { |x| x }
    expect_same([1, 2.5, nil, :a, true]) { |x| x.nil? }
    expect_same([1, 2.5, 3]) { |x| x + 1 }
  end
end

# Methods that take blocks.
module Yielding
  def self.twice(n) = yield(yield(n))
  def self.hand_on(n, &block) = twice(n, &block)
  def self.call(n, &block) = block.call(n) + 1
  def self.maybe(n) = block_given? ? yield(n) : -1
  def self.options(n, by: 1) = n * by
  def self.defaults(n, a = n + 1) = a

  def self.first_over(n, limit)
    10.times do |i|
      value = yield(i)
      return value if value > limit
    end
    n
  end
end

# A number with a unit.
class Meters
  attr_reader :n

  def initialize(n) = @n = n
  def *(other) = @n * other
  def coerce(other) = [self, other]
  def plain = n.odd? ? n : -n
end

# frozen_string_literal: true

# Integers of any size: programs as people write them, whose numbers leave 64 bits.
module BigIntegers
  Point = Struct.new(:x, :y)

  # Pseudo-random numbers and hashes of 64 bits without a sign.
  module Hashes
    module_function

    def fnv1a(text)
      text.each_byte.inject(0xcbf29ce484222325) { |hash, byte| ((hash ^ byte) * 0x100000001b3) & 0xffff_ffff_ffff_ffff }
    end

    def splitmix(state)
      state = (state + 0x9e3779b97f4a7c15) & 0xffff_ffff_ffff_ffff
      z = ((state ^ (state >> 30)) * 0xbf58476d1ce4e5b9) & 0xffff_ffff_ffff_ffff
      z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & 0xffff_ffff_ffff_ffff
      z ^ (z >> 31)
    end

    def xorshift(state)
      state ^= state >> 12
      state = (state ^ (state << 25)) & 0xffff_ffff_ffff_ffff
      state ^= state >> 27
      (state * 0x2545f4914f6cdd1d) & 0xffff_ffff_ffff_ffff
    end

    def congruential(state) = ((state * 6_364_136_223_846_793_005) + 1_442_695_040_888_963_407) & 0xffff_ffff_ffff_ffff

    def rotate(x, by) = ((x << by) | (x >> (64 - by))) & 0xffff_ffff_ffff_ffff

    def murmur(key)
      key ^= key >> 33
      key = (key * 0xff51afd7ed558ccd) & 0xffff_ffff_ffff_ffff
      key ^= key >> 33
      key = (key * 0xc4ceb9fe1a85ec53) & 0xffff_ffff_ffff_ffff
      key ^ (key >> 33)
    end
  end

  # Number theory.
  module Theory
    module_function

    def fibonacci(count)
      a = 0
      b = 1
      count.times { a, b = b, a + b }
      a
    end

    # By the digits of a spigot (Gibbons).
    def pi(count)
      q = 1
      r = 0
      t = 1
      k = 1
      n = 3
      l = 3
      digits = []
      while digits.size < count
        if (4 * q) + r - t < n * t
          digits << n
          q, r, n = q * 10, 10 * (r - (n * t)), ((10 * ((3 * q) + r)) / t) - (10 * n)
        else
          n = ((q * ((7 * k) + 2)) + (r * l)) / (t * l)
          r = ((2 * q) + r) * l
          q *= k
          t *= l
          k += 1
          l += 2
        end
      end
      digits.join
    end

    def inverse(number, modulus)
      a = number
      b = modulus
      x = 1
      y = 0
      while b > 0
        quotient, rest = a.divmod(b)
        a = b
        b = rest
        x, y = y, x - (quotient * y)
      end
      x % modulus
    end

    def prime?(number)
      return number == 2 if number < 3 || number.even?

      odd = number - 1
      twos = 0
      while odd.even?
        odd >>= 1
        twos += 1
      end
      [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].all? do |base|
        next true if (number % base).zero?

        x = base.pow(odd, number)
        x == 1 || twos.times.any? { |_| (x == number - 1).tap { x = x.pow(2, number) } }
      end
    end

    def collatz(number)
      highest = number
      steps = 0
      while number != 1
        number = number.even? ? number / 2 : (3 * number) + 1
        highest = [highest, number].max
        steps += 1
      end
      [steps, highest]
    end

    def binomial(n, k) = (1..k).inject(1) { |product, i| product * (n - k + i) / i }

    def multiply(one, other)
      Array.new(2) { |i| Array.new(2) { |j| (0..1).sum { |k| one[i][k] * other[k][j] } } }
    end
  end

  # Attributes that become as large as they like.
  class Account
    attr_accessor :balance, :seen

    def initialize(balance)
      @balance = balance
      @seen = nil
    end

    def compound(rate) = @balance *= rate
  end

  # A wrapper that people write for numbers without a sign.
  class Unsigned
    include Comparable

    attr_reader :value

    def initialize(value) = @value = value & 0xffff_ffff_ffff_ffff
    def +(other) = Unsigned.new(@value + other.value)
    def *(other) = Unsigned.new(@value * other.value)
    def <=>(other) = @value <=> other.value
    def to_s = format("0x%016x", @value)
  end

  EDGES = [53, 62, 63, 64, 65, 127, 1023, 1024].flat_map { |bits| [-1, 0, 1].map { |by| (2**bits) + by } }.freeze

  # What a block gives of each of these.
  PROGRAMS = {
    "factorials" => [[0, 1, 20, 21, 25, 100], ->(n) { (1..n).inject(1) { |product, i| product * i } }],
    "factorials by inject(:*)" => [[1, 20, 21, 60], ->(n) { [(1..n).inject(:*), (1..n).reduce(1, :*)] }],
    "factorials by recursion" => [[5, 30], ->(n) { (f = ->(m) { m < 2 ? 1 : m * f.call(m - 1) }).call(n) }],
    "the digits of factorials" => [[10, 50, 100], lambda do |n|
      product = (1..n).inject(:*)
      [product.digits.sum, product.to_s.size, product.to_s.chars.sum(&:to_i), product.to_s[/0*\z/].size]
    end],
    "Fibonacci numbers" => [[10, 92, 93, 94, 300], ->(n) { Theory.fibonacci(n) }],
    "Fibonacci numbers by matrices" => [[10, 93, 200], lambda do |n|
      result = [[1, 0], [0, 1]]
      base = [[1, 1], [1, 0]]
      while n > 0
        result = Theory.multiply(result, base) if n.odd?
        base = Theory.multiply(base, base)
        n /= 2
      end
      result[0][1]
    end],
    "digits of pi" => [[1, 10, 60], ->(n) { Theory.pi(n) }],
    "RSA with small primes" => [[65, 42, 2**60], lambda do |message|
      p = 4_294_967_291
      q = 4_294_967_279
      e = 65_537
      n = p * q
      d = Theory.inverse(e, (p - 1) * (q - 1))
      secret = message.pow(e, n)
      [n, d, secret, secret.pow(d, n)]
    end],
    "Miller-Rabin tests" => [[2, 97, 561, (2**61) - 1, (2**62) + 1, (2**63) - 25],
                             ->(n) { [Theory.prime?(n), Theory.prime?((n * 4) + 3)] }],
    "modular multiplication" => [[3, 2**62, -(2**61)], lambda do |a|
      [a * (2**62) % ((2**61) - 1), a * a % ((2**89) - 1), (a << 70) % 1_000_000_007, (a**5) % (10**25)]
    end],
    "Diffie-Hellman" => [[12_345, 2**50], lambda do |secret|
      prime = (2**127) - 1
      [5.pow(secret, prime), 7.pow(99, prime).pow(secret, prime) == 7.pow(secret, prime).pow(99, prime)]
    end],
    "FNV-1a" => [["", "a", "foobar", "é", "a longer text"], ->(text) { Hashes.fnv1a(text) }],
    "FNV-1a in hexadecimal" => [["", "foobar"], ->(text) { format("%016x", Hashes.fnv1a(text)) }],
    "djb2 without a mask" => [["ab", "a text of some length"],
                              ->(text) { text.each_char.inject(5381) { |hash, c| (hash * 33) + c.ord } }],
    "polynomial hashes" => [["ab", "a text of some length"],
                            ->(text) { text.bytes.inject(0) { |hash, byte| ((hash * 257) + byte) % ((2**61) - 1) } }],
    "splitmix64" => [[0, 1, 42, (2**63) - 1], ->(n) { [Hashes.splitmix(n), Hashes.splitmix(Hashes.splitmix(n))] }],
    "xorshift64*" => [[1, 42, (2**63) - 1], ->(n) { 5.times.map { n = Hashes.xorshift(n) } }],
    "congruential generators" => [[0, 1, 42], ->(n) { 6.times.map { n = Hashes.congruential(n) } }],
    "Murmur's finish and rotations" => [[0, 7, 2**62], ->(n) { [Hashes.murmur(n), Hashes.rotate(n, 31)] }],
    "IBANs" => [%w[GB82WEST12345698765432 DE89370400440532013000 DE89370400440532013001], lambda do |iban|
      (iban[4..] + iban[0, 4]).gsub(/[A-Z]/) { |letter| (letter.ord - 55).to_s }.to_i % 97 == 1
    end],
    "networks of IPv6" => [%w[2001:db8:85a3:0:0:8a2e:370:7334 fe80:0:0:0:1:2:3:4], lambda do |address|
      number = address.split(":").inject(0) { |all, part| (all << 16) | part.to_i(16) }
      mask = ((1 << 64) - 1) << 64
      network = number & mask
      parts = 8.times.map { |i| ((network >> (16 * (7 - i))) & 0xffff).to_s(16) }
      [number, network, parts.join(":"), number & ~mask, number.between?(network, network | 0xff)]
    end],
    "networks of IPv4" => [["10.0.0.1", "255.255.255.255"], lambda do |address|
      number = address.split(".").map(&:to_i).inject { |all, part| (all << 8) + part }
      [number & (~0 << 8) & 0xffff_ffff, number << 40]
    end],
    "Collatz sequences" => [[27, 837_799, (2**61) - 1, (2**62) + 3], ->(n) { Theory.collatz(n) }],
    "big powers" => [[2, 3, 7, -5], lambda { |n|
                                      [(n**1000).abs.digits.sum, n**99, (n**100).to_s[0, 9], (n**64) / (n**60)]
                                    }],
    "last digits of a sum of powers" => [[10, 60], ->(n) { (1..n).sum { |i| i**i }.to_s[-10..] || "-" }],
    "binomial coefficients" => [[[10, 3], [70, 35], [100, 50]], ->((n, k)) { Theory.binomial(n, k) }],
    "Catalan numbers" => [[5, 35, 50], ->(n) { Theory.binomial(2 * n, n) / (n + 1) }],
    "Mersenne numbers" => [[31, 61, 89, 127], ->(n) { [(1 << n) - 1, ((1 << n) - 1).to_s(2).count("1")] }],
    "square roots" => [[10, 2**62], lambda do |n|
      [Integer.sqrt(n**7), Integer.sqrt(n * (10**40)), Integer.sqrt((n**4) - 1), Math.sqrt(n**6)]
    end],
    "palindromes by adding" => [[195, 89], lambda do |n|
      40.times { n.to_s == n.to_s.reverse ? break : n += n.to_s.reverse.to_i }
      n
    end],
    "bases" => [[10, -10], ->(n) { (2..36).map { |base| (n**30).to_s(base) } }],
    "numbers that are read" => [%w[123456789012345678901234567890 -99999999999999999999 18446744073709551616],
                                ->(text) { [text.to_i, Integer(text), text.to_i + 1, text.to_i(16)] }],
    "formats" => [[3, -3], lambda do |n|
      big = n**50
      [format("%d|%x|%o|%b|%X", big, big, big, big, big), format("%+d|%40d|%-40d|%040d|%#x", big, big, big, big, big),
       format("%s %p", big, big), big.to_s.rjust(40, "."), "<#{big}>", big.inspect,
       big.to_s.reverse.scan(/\d{1,3}/).join(",")]
    end],
    "Floats and back" => [EDGES.map(&:bit_length).uniq, lambda do |bits|
      [-1, 0, 1].map do |by|
        whole = (2**(bits - 1)) + by
        float = whole.to_f
        [float, -whole.to_f, float.infinite? || float.to_i, float == whole, whole == float, whole <=> float,
         float <=> whole, whole + 0.5, whole * 0.5, whole / 2.0, whole.fdiv(3)]
      end
    end],
    "halves between Floats" => [[54, 55, 64, 65, 66, 100, 1023], lambda do |bits|
      half = 2**(bits - 54)
      [-2, -1, 0, 1, 2, 3].flat_map do |by|
        [((2**bits) + (by * half)).to_f, (-(2**bits) - (by * half)).to_f, ((2**bits) + (by * half) + 1).to_f]
      end
    end],
    "rounded Floats" => [[1e20, -1e20, 2.0**63, -(2.0**63), 1.5e300, Float::MAX, 9.007199254740993e15],
                         ->(x) { [x.to_i, x.floor, x.ceil, x.round, x.truncate, x.to_i % 1000, x.to_r.numerator] }],
    "digits that are rounded away" => [[5, -5], lambda do |n|
      big = n * (11**25)
      [-30, -27, -5, -1, 0, 2].flat_map do |digits|
        [big.round(digits), big.floor(digits), big.round(digits, half: :even), big.round(digits, half: :down)]
      end
    end],
    "divisions" => [[7, -7], lambda do |n|
      big = n**40
      [3, -3, 10**20, -(10**20), 2**64, n**39, n**41].flat_map do |by|
        [big / by, big % by, big.divmod(by), big.remainder(by), big.div(by), big.fdiv(by), big.gcd(by), big.lcm(by)]
      end
    end],
    "bits" => [[3, -3], lambda do |n|
      big = n**60
      [~big, big & 0xffff_ffff_ffff_ffff, big | 1, big ^ 0xffff_ffff_ffff_ffff, big >> 10, big >> 200,
       big << 3, -big >> 64, big[0], big[70], big[500],
       big.bit_length, big[3, 70], big.allbits?(3), big.anybits?(4), big.nobits?(2**70),
       big & -0xffff_ffff_ffff_ffff, (big | 0xffff_ffff_ffff_ffff) ^ big]
    end],
    "orders" => [[2, -2], lambda do |n|
      all = [n**65, 5, -(n**63), n**64, 1.5, n**65, 0]
      [all.sort, all.min, all.max, all.uniq, all.minmax, all.sort_by { |x| -x }, all.index(n**64), all.include?(n**65),
       all.max_by { |x| x * x }, all.each_slice(2).map(&:sum), (n**64).between?(0, n**66), (n**65).clamp(0, 2**64)]
    end],
    "groups" => [[3, 5], lambda do |n|
      all = (60..64).map { |i| n**(i / 2 * 2) }
      [all.tally, all.group_by { |x| x % 4 }, all.to_h do |x|
                                                [x, x.to_s.size]
                                              end, all.partition(&:odd?), all.each_cons(2).to_a,
       all.zip(all.rotate), all.sum, all.inject(:gcd), all.inject(:lcm), all.inject { |a, b| a ^ b }]
    end],
    "keys" => [[2, 3], lambda do |n|
      counts = Hash.new(0)
      20.times { |i| counts[n**(60 + (i % 4))] += 1 }
      [counts, counts[n**62], counts[n**70], counts.key?(n**63), { n**80 => :a }[n**80]]
    end],
    "memos" => [[50, 100], lambda do |n|
      memo = {}
      fibonacci = ->(i) { i < 2 ? i : memo[i] ||= fibonacci.call(i - 1) + fibonacci.call(i - 2) }
      [fibonacci.call(n), memo.size, memo.values.max]
    end],
    "Structs" => [[2, 10], lambda do |n|
      point = Point.new(n**70, -n)
      point.y -= n**65
      [point, point.x + point.y, point == Point.new(n**70, point.y), point.to_a]
    end],
    "objects" => [[3, (2**63) - 1], lambda do |n|
      number = (Unsigned.new(n) * Unsigned.new((2**40) + n)) + Unsigned.new(0xffff_ffff_ffff_ffff)
      [number.value, number.to_s, number > Unsigned.new(n), [number, Unsigned.new(n)].max.value]
    end],
    "Rationals" => [[7, 30], ->(n) { (1..n).sum { |i| Rational(1, i**5) } }],
    "case and patterns" => [[1, 2], lambda do |n|
      case 2**(n * 40)
      when 2**80 then :large
      when Integer then :small
      end.then { |size| [size, (10**(n * 15) in Integer)] }
    end],
    "literals" => [[1, -1], lambda do |n|
      [n * 18_446_744_073_709_551_616, n + 0xffff_ffff_ffff_ffff, 100_000_000_000_000_000_000_000 * n,
       n & -0x1_0000_0000_0000_0000, n < 9_223_372_036_854_775_808, [9_223_372_036_854_775_808, n]]
    end],
    "errors that are rescued" => [[0, 2, nil], lambda do |n|
      big = 2**80
      begin
        big / n
      rescue ZeroDivisionError => e
        [e.message, big]
      rescue TypeError => e
        [e.message]
      end
    end],
    "what is retried in smaller steps" => [[4_000_000_000_000_000_000, 3], lambda do |n|
      sum = 0
      5.times { |i| sum += n * i }
      sum -= n * 10
      [sum, n.succ * 4, -(n * 4), (n * 4).pred, (n * -4).abs]
    end]
  }.freeze

  # Exceptions with Ruby's messages.
  RAISING = {
    "division by 0" => [[0], ->(n) { (2**70) / n }],
    "nil" => [[nil], ->(n) { (2**70) + n }],
    "a text" => [["a"], ->(n) { (2**70) * n }],
    "comparisons with nil" => [[nil], ->(n) { (2**70) < n }],
    "comparisons of items" => [[nil], ->(n) { [2**70, n].max }],
    "characters" => [[70], ->(n) { (2**n).chr }],
    "indices" => [[70], ->(n) { [1, 2][2**n] }],
    "repetitions" => [[70], ->(n) { "a" * (2**n) }],
    "digits of negative ones" => [[70], ->(n) { (-(2**n)).digits }],
    "roots of negative ones" => [[70], ->(n) { Integer.sqrt(-(2**n)) }],
    "radixes" => [[70], ->(n) { (2**n).to_s(37) }]
  }.freeze
end

each_backend do |backend|
  BigIntegers::PROGRAMS.each do |name, (base, work)|
    # They match regular expressions.
    next if backend.to_s.start_with?("cuda") && ["the digits of factorials", "IBANs", "formats"].include?(name)

    it("computes #{name}") { expect_same(base, &work) }
  end

  BigIntegers::RAISING.each do |name, (base, work)|
    it("raises what Ruby raises of #{name}") { expect_same(base, &work) }
  end

  # What comes back below 64 bits, or below 128, is in registers.
  it "hashes and draws on the chosen back-end" do
    seeds = [0, 1, 12_345, 2**62, (2**63) - 1, 2**63, (2**64) - 1]
    found = nil
    profile = Ikra.profile do
      found = seeds.pmap do |seed|
        sum = 0
        20.times do
          seed = BigIntegers::Hashes.splitmix(seed)
          sum ^= BigIntegers::Hashes.xorshift(seed) ^ BigIntegers::Hashes.murmur(sum)
          sum = BigIntegers::Hashes.rotate(BigIntegers::Hashes.congruential(sum), 17)
        end
        sum
      end
    end
    expected = seeds.map do |seed|
      sum = 0
      20.times do
        seed = BigIntegers::Hashes.splitmix(seed)
        sum ^= BigIntegers::Hashes.xorshift(seed) ^ BigIntegers::Hashes.murmur(sum)
        sum = BigIntegers::Hashes.rotate(BigIntegers::Hashes.congruential(sum), 17)
      end
      sum
    end
    expect(found.to_a).to eq(expected)
    expect(profile.backend).to eq(backend)
  end

  it "takes what a constant is now" do
    numbers = [1, 5, -7, 2**61]
    block = ->(n) { [(n * 0xbf58476d1ce4e5b9) & BigIntegers::MASK, n + BigIntegers::MASK, { BigIntegers::MASK => n }] }
    [(2**64) - 1, 2**100, -(2**90), 2**200, 255, (2**64) - 1].each do |mask|
      stub_const("BigIntegers::MASK", mask)
      expect_same(numbers, &block)
    end
  end

  it "knows them again as what they are equal to, whatever they are made by" do
    point = BigIntegers::Point
    expect_same([0, 5, -7, 2**63, -(2**64), 2**90]) do |n|
      twin = (n + (2**64)) - (2**64)
      [twin == n, twin.eql?(n), n.eql?(twin), { twin => 1 }[n], { n => 1 }[twin], { [twin] => 1 }[[n]],
       [twin, n].uniq, [n].include?(twin), [n] == [twin], point.new(twin, 1) == point.new(n, 1),
       { point.new(twin, 1) => 1 }[point.new(n, 1)], (case twin when n then 1 end),
       [twin, n].tally, [n, twin].group_by { |m| m }, twin.class, twin.is_a?(Integer), twin <=> n, [twin].index(n)]
    end
  end

  it "knows them again in what is put together without a literal" do
    point = BigIntegers::Point
    all = ->(*items, **names) { [items, names] }
    expect_same([0, 5, -7, 2**63, 2**90]) do |n|
      twin = (n + (2**64)) - (2**64)
      both = [all.call(twin, k: twin), all.call(n, k: n)]
      first, *rest = 1, twin
      made = (0..1).map { twin }
      changed = point.new(0, first)
      changed.x = twin
      [both[0] == both[1], { both[0] => 1 }[both[1]], rest == [n], { rest => 1 }[[n]], made == [n, n],
       (made + [n]).tally, { a: twin } == { a: n }, { { a: twin } => 1 }[{ a: n }], changed == point.new(n, 1),
       Complex(twin, 1).eql?(Complex(n, 1)), { Rational(twin, 7) => 1 }[Rational(n, 7)], [[twin, 1]].to_h[n]]
    end
  end

  # Ruby keeps what 63 bits do not hold as it keeps what 64 do not hold.
  it "tells those of 64 bits from larger ones wherever they come from" do
    numbers = [2**65, 2**62, (2**63) - 1, -(2**63), -(2**62) - 1, 2**63, 5]
    expect_same(numbers) { |n| [n < 5e18, n <=> n.to_f, n <=> 4.7e18, [n, 4.7e18].max, format("%+x", n), n[2**64]] }
    counts = numbers.each_with_index.to_h
    expect_same(numbers) { |n| [counts[n], counts[n + 0], { n => 1 }[n * 1], { [n] => 1 }[[n + 0]]] }
    expect_same(numbers) { |n| [n, n + 0].uniq.size }
    expect_same(numbers.map { |n| BigIntegers::Account.new(n) }) { |account| [account.balance < 5e18, account.balance] }
    expect_same([0, 1, -1]) { |n| [n[2**64], n[-(2**64)]] }
  end

  it "counts with what is within 64 bits again" do
    expect_same([2**63, 2**64, 5 << 60]) do |n|
      few = n >> 60
      [few.times.to_a.size, few.downto(1).sum, 1.upto(few).sum, (0..few).sum, (few..(few + 2)).to_a]
    end
  end

  it "multiplies around each power" do
    powers = [31, 32, 63, 64, 65].map { |exponent| 2**exponent }
    numbers = [0, 1, -1, 3] + powers.flat_map { |power| [power - 1, power, power + 1, -power, -power + 1, -power - 1] }
    expect_same(numbers.product(numbers)) { |a, b| [a * b, (a * b) & 0xffff_ffff_ffff_ffff, (a * b) >> 64] }
    expect_same(numbers) { |a| a * a }
    expect_same(numbers) { |a| a * -(2**64) }
  end

  it "shifts, divides and compares around each power" do
    numbers = [62, 63, 64, 65, 126, 127, 128].flat_map { |e| [-1, 0, 1].flat_map { |d| [(2**e) + d, -((2**e) + d)] } }
    expect_same(numbers + [0, 1, -1, 10]) do |n|
      [0, 1, 5, 62, 63, 64, 65, 100, 127, 200].map do |by|
        m = by - 100
        [n >> by, n << by, n >> -by, n[by], n % (by + 1), n / (by + 1), n / -(by + 1), n % -(by + 1), n & m, n | m,
         n ^ m, n < m, n >= m, n == m, m - n, n * m, n <=> m, m & n, m * n]
      end
    end
  end

  it "keeps them in attributes over several calls" do
    accounts = [3, 2**40, -(2**62), 0].map { |balance| BigIntegers::Account.new(balance) }
    twins = accounts.map(&:dup)
    accounts.peach(9) { |account| account.compound(1_000_003) }
    9.times { twins.each { |account| account.compound(1_000_003) } }
    expect(accounts.map(&:balance)).to eq(twins.map(&:balance))
    fresh = [1, 2].map { |balance| BigIntegers::Account.new(balance) }
    fresh.peach { |account| account.seen = [7**40, account.balance.nil?] }
    expect(fresh.map(&:seen)).to eq([[7**40, false]] * 2)
  end

  it "adds them up" do
    large = ->(n) { (n + 10)**40 }
    expect([1, 2, 3].psum(&large)).to eq([1, 2, 3].sum(&large))
    expect([2**62, 2**62, 5].psum { |n| n * 3 }).to eq(3 * ((2**63) + 5))
    expect([2**62, 2**62, 2**62].psum).to eq(3 * (2**62))
    expect((1..30).pinject { |a, b| a * b }).to eq((1..30).inject(:*))
    expect((1..30).to_a.pinject(1) { |a, b| a * b }).to eq((1..30).inject(:*))
  end

  it "computes them in a section with a loop around it" do
    powers = Ikra.section do
      (60..66).flat_map { |bits| [1, 3].pmap { |n| n * (2**bits) } }
    end
    expect(powers).to eq((60..66).flat_map { |bits| [1, 3].map { |n| n * (2**bits) } })
    total = Ikra.section do
      sum = 1
      40.times { |i| sum *= i + 1 }
      sum
    end
    expect(total).to eq((1..40).inject(:*))
  end

  it "gives selections by them" do
    numbers = (55..70).to_a
    expect(numbers.pselect { |n| (2**n).to_s.size > 19 }).to eq(numbers.select { |n| (2**n).to_s.size > 19 })
    next if backend == :ruby

    expect([1, 2, 3].pmap { |n| n * (2**61) }.to_a.map(&:class).uniq).to eq([Integer])
  end
end

RSpec.describe "Integers beyond 64 bits" do
  on_cpu

  it "have so many bits as there is room for" do
    expect { [40].pmap { |n| 1 << (2**n) } }.to raise_error(Ikra::OverflowError, /in `<<'/)
    expect { [40].pmap { |n| 3**(2**n) } }.to raise_error(Ikra::OverflowError, /in `\*\*'/)
  end

  it "are no ends of ranges" do
    expect { [62].pmap { |n| ((4 * (2**n))..(8 * (2**n))).size } }
      .to raise_error(Ikra::UnsupportedError, /\[unsupported-range\]/)
  end

  it "has no order with what is not a number" do
    nan = Float::NAN
    expect_same([0, 5]) do |n|
      large = [(n ^ (2**63)) * 3, (n ^ (2**63))**5]
      large.map { |x| [x > nan, x < nan, x >= nan, x <= nan, x == nan, x <=> nan, nan > x, nan <= x, nan <=> x] }
    end
  end
end

# frozen_string_literal: true

# Arithmetic beyond 64 bits of which low bits or a remainder are wanted.
module Modular
  MASK = (1 << 62) - 1
  PRIME = 1_000_000_007
  MERSENNE = (2**61) - 1
  NUMBERS = [123_456_789_012, 987_654_321_098, -(2**62), (2**62) + 5, -1, 0, 3, (2**63) - 1, -(2**63)].freeze
  PAIRS = NUMBERS.product(NUMBERS).freeze

  def self.power(base, exponent, modulus)
    result = 1
    base %= modulus
    while exponent.positive?
      result = result * base % modulus if exponent.odd?
      base = base * base % modulus
      exponent >>= 1
    end
    result
  end

  class Generator
    attr_reader :state

    def initialize(state) = @state = state
    def step = @state = ((@state * 6_364_136_223_846_793_005) + 1_442_695_040_888_963_407) & 0x7fffffffffffffff
    def scramble = @state = mix(mix(@state, 13), 17) & MASK
    def mix(value, by) = value ^ (value << by)
  end
end

each_compiling_backend do
  {
    "remainders of products" => ->((a, b)) { [a * b % Modular::PRIME, a * b % -97, a * b % 1000] },
    "remainders by what is computed" => ->((a, b)) { a * b % (b | 1) },
    "remainders of products and sums" => ->((a, b)) { [((a * b) + a) % 998_244_353, (b + (a * b)) % -5] },
    "remainders of sums and differences" => ->((a, b)) { [(a + b) % 97, (a - b) % -1000, (a + a) % Modular::MERSENNE] },
    "remainders by powers of two" => ->((a, b)) { [a * b % 65_536, (a - b) % (2**40)] },
    "low bits of products, sums and differences" => ->((a, b)) { [(a * b) & 255, (a + b) & 0xffffffff, (a - b) & 7] },
    "low bits by a constant" => ->((a, b)) { ((a * b) + a) & Modular::MASK },
    "low bits of what is negated, shifted and mixed" => lambda do |(a, b)|
      [~(a * b) & 255, -a & 255, (a << 13) & Modular::MASK, ((a * 3) ^ (b * 5) | (a + b)) & 0xffff]
    end,
    "what is used as a whole besides, where it fits" => lambda do |(a, b)|
      c = (a % 1000) * (b % 1000)
      [c, c % 97, c & 15]
    end,
    "one product in several ways" => ->((a, b)) { [a * b % 1000, (b * a) & 255, ((a * b) + a) % 33] },
    "ZeroDivisionErrors" => lambda do |(a, b)|
      a * b % (b & 0)
    rescue ZeroDivisionError
      a
    end
  }.each do |name, work|
    it "computes #{name}" do
      expect(Modular::PAIRS.pmap(&work)).to eq(Modular::PAIRS.map(&work))
    end
  end

  it "computes powers modulo what needs all bits, with Ruby's 0 of negative ones" do
    large = [2**62, (2**62) - 1, (2**62) + 1, 2**61, (2**63) - 1, 2**63, 2**31, 7, 1].flat_map { |m| [m, -m] } - [2**63]
    cases = (Modular::NUMBERS + [14, 49]).product([0, 1, 2, 63, 1_000_003, (2**63) - 1], large)
    expect(cases.pmap { |n, exponent, m| n.pow(exponent, m) }).to eq(cases.map { |n, exponent, m| n.pow(exponent, m) })
  end

  it "computes powers modulo a large number as people write them" do
    expect(Modular::NUMBERS.pmap { |n| Modular.power(n, 65_537, Modular::MERSENNE) })
      .to eq(Modular::NUMBERS.map { |n| n.pow(65_537, Modular::MERSENNE) })
  end

  it "runs generators of random numbers and hashes that people write" do
    made = ->(how) { Modular::NUMBERS.map { |n| Modular::Generator.new(n & Modular::MASK) }.tap(&how).map(&:state) }
    expect(made.call(->(all) { all.peach(5, &:step) })).to eq(made.call(->(all) { 5.times { all.each(&:step) } }))
    expect(made.call(->(all) { all.peach(&:scramble) })).to eq(made.call(->(all) { all.each(&:scramble) }))
  end

  it "gives all of it where the whole number is wanted" do
    expect_same([2**62]) { |n| n * 3 }
    expect_same([2**62]) { |n| [(n * 3) & 7, n * 3] }
    expect_same([2**62]) { |n| (n * 3) & -8 }
    expect_same([2**62]) { |n| n << 1 }
  end
end

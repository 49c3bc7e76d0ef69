# frozen_string_literal: true

# Numbers that are put together of two: each method is tried in spec/support/parity, here what they are in programs.
module Fractions
  class Point
    attr_accessor :z, :share, :list

    def initialize(z, share)
      @z = z
      @share = share
      @list = []
    end

    def step
      @z = (@z * @z) + 0.1
      @share += 1/3r
    end
  end

  Value = Struct.new(:number)
  ORIGIN = Complex(3, 4)

  def self.minors(m)
    return m[0][0] if m.size == 1

    (0...m.size).sum do |j|
      (j.even? ? 1 : -1) * m[0][j] * minors(m[1..].map { |row| row[0...j] + row[(j + 1)..] })
    end
  end

  def self.written_out(m)
    (m[0][0] * ((m[1][1] * m[2][2]) - (m[1][2] * m[2][1]))) - (m[0][1] * ((m[1][0] * m[2][2]) - (m[1][2] * m[2][0]))) +
      (m[0][2] * ((m[1][0] * m[2][1]) - (m[1][1] * m[2][0])))
  end

  def self.points = Array.new(4) { |i| Point.new(Complex(i / 10.0, 0.2), Rational(i, 3)) }

  def self.escape(c)
    z = 0i
    n = 0
    while z.abs2 < 4 && n < 50
      z = (z * z) + c
      n += 1
    end
    [n, z]
  end

  def self.fft(all)
    return all if all.size == 1

    even = fft(all.each_slice(2).map(&:first))
    odd = fft(all.each_slice(2).map(&:last))
    turned = odd.each_with_index.map { |x, i| x * Complex.polar(1, -2 * Math::PI * i / all.size) }
    even.zip(turned).map { |a, b| a + b } + even.zip(turned).map { |a, b| a - b }
  end
end

each_backend do |backend|
  {
    "variables" => [->(point) { point.step }, lambda { |points|
                                                points.map do |point|
                                                  [point.z, point.share, point.z.frozen?]
                                                end
                                              }],
    "arrays of them" => [->(point) { point.list = [point.z, point.share, 1i] }, ->(points) { points.map(&:list) }],
    "items that are pushed" => [->(point) { point.list << point.z.conj << point.share.to_c },
                                ->(points) { points.map(&:list) }]
  }.each do |what, (change, tell)|
    it "are written to #{what}" do
      expected, actual = Array.new(2) { Fractions.points }
      2.times { expected.each(&change) }
      actual.peach(2, &change)
      expect(tell.call(actual)).to eql(tell.call(expected))
    end
  end

  {
    "literals" => ->(x) { [x + 2i, x * 1.5r, 2ri - x, -3r, 0.5i] },
    "parts" => lambda { |x|
                 a, b = Complex(x, 1).rect
                 [a, b, Rational(x, 6).numerator, Rational(x, 6).denominator]
               },
    "results with them inside" => lambda { |x|
                                    { x => Rational(x, 7), c: Complex(x, 0.5), v: Fractions::Value.new(1i * x) }
                                  },
    "one of several sorts" => ->(x) { [x, Rational(x, 2), Complex(x, 1), x / 2.0][x % 4] },
    "keys" => lambda { |x|
                h = Hash.new(0)
                3.times do |i|
                  h[Complex(x % 2, i % 2)] += 1
                  h[Rational(i, x)] += 5
                end
                h.to_a
              },
    "orders" => ->(x) { [[Rational(x, 2), 1/3r, 0.4].max, [Rational(x, 2), 1/3r, 5].sort, Rational(x, 3) <=> 0.5] },
    "sums" => ->(x) { [[Rational(x, 2), 1/3r].sum, [Complex(x, 2), 1i].sum, [Complex(x, 2), 1i].inject(:*)] },
    "text" => ->(x) { "#{Rational(x, 3)} #{Complex(x, -0.0)} #{[Rational(1, x), Complex(1, 1/2r)]}" },
    "formats" => ->(x) { format("%s %p %.3f %08.1f %d %.2e", 1r / x, Complex(x, 2), x / 3r, -x / 8r, x / 2r, x / 3r) },
    "Math" => ->(x) { [Math.sqrt(Rational(x, 4)), Float(x / 4r), Integer(Rational(x * 4, 4)), [10, 20, 30][x / 2r]] },
    "case" => ->(x) { case Complex(x, 0) when 1 then :one when Complex(2, 0) then :two else :more end },
    "classes" => lambda { |x|
                   [Complex(x, 1).class, 1r.is_a?(Numeric), x.to_r.instance_of?(Rational), 1i.frozen?, 1i.real?]
                 },
    "members" => ->(x) { [[Complex(x, 1)].include?(1 + 1i), [Complex(x, 1), 1 + 1i].uniq, [1r, x].index(x.to_r)] },
    "powers" => ->(x) { [x**-1, (x + 1)**-2, Rational(x, 2)**x] },
    "powers of Complex" => ->(x) { Complex(x, 1)**2 },
    "powers of Floats" => ->(x) { Complex(x, 0.5)**-1 },
    "powers of i" => ->(x) { 1i**x },
    "text that says one" => ->(x) { [Rational("#{x}/3"), " -#{x}.5e1 km".to_r, Rational("0.#{x}", 2), "x".to_r] },
    "rounding" => lambda { |x|
                    [Rational(x, 2).round, Rational(x, 2).round(half: :even), Rational(x, 3).floor(2), (x / 2r).ceil]
                  },
    "division" => lambda { |x|
                    [x.quo(3), Rational(x, 3).divmod(1/2r), Complex(x, 2) / (3 + 1i), Complex(x, 2.5) / 2, 7 % 2 / 3r]
                  },
    "constants and what is captured" => ->(x) { [Fractions::ORIGIN.abs * x, Complex::I * x] },
    "Mandelbrot's set" => ->(x) { Fractions.escape(Complex(x / 4.0, 0.3)) },
    "Fourier's transform" => ->(x) { Fractions.fft(Array.new(8) { |i| Complex(i % x, 0) }) }
  }.each do |what, work|
    it "have #{what}" do
      expect_same([1, 2, 3, 4], &work)
    end
  end

  {
    "ZeroDivisionErrors" => ->(x) { Rational(x, 0) }, "TypeErrors" => ->(x) { Rational(x, 2) + nil },
    "comparisons that fail" => ->(x) { (x / 2r) < nil }, "no order" => ->(x) { Complex(x, 1) < 2 },
    "RangeErrors" => ->(x) { Complex(x, 1).to_i }, "no new" => ->(x) { Complex.new(x, 2) },
    "no other methods" => ->(x) { Rational(x, 2).foo }, "parts that are none" => ->(x) { Complex(x, :a) },
    "text that says none" => ->(x) { Rational("#{x}x") }
  }.each do |what, work|
    it "raise as Ruby does: #{what}" do
      expect_same([1, 2, 3], &work)
    end
  end

  it "are read, whatever holds them" do
    expect_same([Complex(1, 2), Rational(1, 2), 3, 2.5, nil]) { |x| x.nil? ? 0 : (x * 2) + 1 }
    table = { Complex(1, 2) => :a, Rational(1, 2) => :b }
    expect_same([1, 2]) { |x| [table[Complex(x, 2)], table[Rational(x, 2)], table[1/2r], table[x]] }
    z = Complex(1, 2)
    share = 3/4r
    expect_same([1, 2]) { |x| (z * x) + share }
    same = [z, z]
    expect(same.pmap { |x| x }.map { |x| x.equal?(z) }).to eq([true, true])
  end

  it "are multiplied in many places, whatever their parts are" do
    matrices = [[[Complex(1/2r, 2), 2, 3r], [4, Complex(5, 1.5), 6], [7, 8.5, Complex(0, 1)]],
                [[1/2r, 2r, 3r], [4, 5/3r, 6], [7r, 8r, 9/7r]]]
    expect_same(matrices) { |m| [Fractions.minors(m), Fractions.written_out(m)] }
    expect_same(matrices) { |m| m.map(&:sum).inject { |a, b| (a * b) - (a / (b + 1)) } }
  end

  it "are the objects that Ruby gives back" do
    expect_same([1/3r, -1/3r, 0r, 5r, -1r, 1r]) do |r|
      [r.abs.equal?(r), r.magnitude.equal?(r), r.rationalize(0).equal?(r), r.to_r.equal?(r), (+r).equal?(r),
       (r**1).equal?(r), (r**3).equal?(r), Rational(r).equal?(r), r.dup.equal?(r), (r + 0).equal?(r)]
    end
    expect_same([1, -1]) do |x|
      r = Rational(x, 3)
      z = Complex(x, 2)
      [r.abs.equal?(r), r.abs.equal?(r.abs), (-r).magnitude.equal?(r), (z**1).equal?(z), z.to_c.equal?(z),

       (r**1).equal?(r), [r, r.abs].uniq.size, x.abs.equal?(x)]
    end
  end

  it "are put together by operations of the base" do
    numbers = [3r, 1/2r, 2r]
    expect([numbers.psum, numbers.psort, numbers.pmax, numbers.pminmax, numbers.pinclude?(2), numbers.preduce(:*)])
      .to eql([numbers.sum, numbers.sort, numbers.max, numbers.minmax, true, 3r])
    expect([1, 2, 3].psum { |x| Complex(1, x) }).to eql(Complex(3, 6))
    expect([1, 2, 3].psort_by { |x| Rational(1, x) }).to eq([3, 2, 1])
    expect([[1, 2], [3, 4]].pmap { |a, b| Complex(a, b) }.pmap(&:abs2)).to eq([5, 25])
  end

  it "are added up exactly until a Float comes, and then compensated" do
    lists = [[7.0, 1/3r, 2], [1r, 1.0, 5], [0.5, 0.5], [1/3r, 0.1, 0.2, 3], [1e16, 1.0, 1/2r, 1e-3], [1/2r, 2], []]
    expect_same(lists) { |list| [list.sum, list.sum(0.1), list.sum(1r), list.sum { |x| x }] }
    expect_same(lists) { |list| [list.each_entry.sum, list.each_slice(1).sum(&:first), list.each_entry.sum(1r)] }
    expect_same(lists) { |list| list.each_with_index.to_h { |x, i| [i, x] }.sum(0.5) { |_, x| x } }
  end

  it "are the same where a part is not a number only if they are one object, which is not known" do
    nan = Complex(Float::NAN, 1)
    # rubocop:disable Style/CaseEquality, Lint/BinaryOperatorWithIdenticalOperands -- what they say is the question
    blocks = [->(x) { x.eql?(x) }, ->(x) { x === x }, ->(x) { [x].include?(x) }, ->(x) { [x] == [x] },
              ->(x) { [x].index(x) }, ->(x) { [x].count(x) }, ->(x) { [x].delete(x) }, ->(x) { { a: x } == { a: x } }]
    blocks.each do |block|
      expect_same([1 + 2i, Complex(0.5, 1)], &block)
      next if backend == :ruby

      expect { [nan].pmap(&block) }.to raise_error(Ikra::UnsupportedError, /unsupported-identity/)
    end
    expect([nan].pmap { |x| x == x }).to eq([false])
    # rubocop:enable Style/CaseEquality, Lint/BinaryOperatorWithIdenticalOperands
  end

  it "are elements beside Floats in programs" do
    expect_same_program { Ikra.section { [2.5, 2i].map { |x| x }.pmap { |x| 1r * x } } }
    mixed = [1, 2.5, 1r, 1i]
    expect_same_program { Ikra.section { mixed.pmap { |x| [1r * x, x] } } }
  end

  it "are in programs" do
    numbers = Array.new(3) { |i| Complex(i, 1) }
    both = Ikra.section do
      total = 0r
      (1..5).each { |i| total += Rational(1, i) }
      doubled = numbers.pmap { |c| c * 2 }
      [total, doubled.sum, doubled]
    end
    expect(both).to eql([137/60r, Complex(6, 6), [2i, 2 + 2i, 4 + 2i]])
  end
end

RSpec.describe "Rational and Complex" do
  it "have parts of any size" do
    Ikra.backend = :cpu
    expect_same([2**62]) { |x| [Rational(x, 3) * x, Complex(x, 1) * x, Rational(1, x)**5] }
    expect_same([(2**70) * 1r, Complex(1, 2**70)]) { |x| x + 1 }
  end
end

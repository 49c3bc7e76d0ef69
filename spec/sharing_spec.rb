# frozen_string_literal: true

# Loops that a warp of a GPU shares: it computes iterations at the same time, and the answer is that of the loop.
# Elsewhere the same loops run as they are written.
module Sharing
  class Particle
    attr_reader :x, :mass

    def initialize(x, mass)
      @x = x
      @mass = mass
      @pull = 0.0
      @seen = 0
    end

    def attract(others)
      others.each do |other|
        next if other.equal?(self)

        distance = other.x - @x
        @pull += distance * other.mass / ((distance * distance) + 1e-3)
        @seen += 1 if distance.positive?
      end
    end

    def move = @x += @pull * 0.01

    def first_right(others)
      others.each { |other| return other.x if other.x > @x }
      nil
    end
  end

  FACTORS = [0.5, 1.0, 3.25, -0.0].freeze
  LENGTHS = [0, 1, 31, 32, 33, 100].freeze

  # As many items as lanes, or some more or less.
  def with_items
    LENGTHS.each do |length|
      random = Random.new(length)
      yield Array.new(length) { random.rand(-5.0..10.0) }
    end
  end

  def particles(count)
    random = Random.new(count)
    Array.new(count) { Particle.new(random.rand, random.rand) }
  end
end

RSpec.describe "loops that warps share" do
  include Sharing

  around do |example|
    ENV["IKRA_TEST_SHARING"] = "1"
    example.run
  ensure
    ENV.delete("IKRA_TEST_SHARING")
  end

  each_backend do |backend|
    it "add up" do
      with_items do |items|
        expect_same(Sharing::FACTORS) do |by|
          sum = 0.0
          items.each { |x| sum += x / by }
          sum
        end
      end
    end

    it "add up several things, some of them under conditions" do
      with_items do |items|
        expect_same(Sharing::FACTORS) do |by|
          a = b = 1.0
          c = 0
          items.each do |x|
            next if x < 0.5

            a += x * by
            b -= x / (by + 1)
            c += x.to_i if x > by
            a += 1.0 if x > 5
          end
          [a, b, c]
        end
      end
    end

    it "add up in instance variables, of ever more ticks" do
      expect_same_effects(-> { particles(70) }, 3) { |particle| particle.attract([particle]) }
      all = nil
      expect_same_effects(-> { all = particles(70) }) { |particle| particle.attract(all) }
    end

    it "run in sections of several launches" do
      ones = particles(70)
      others = particles(70)
      run = lambda do |bodies|
        3.times do
          bodies.peach { |body| body.attract(bodies) }
          bodies.peach(&:move)
        end
      end
      Ikra.section { run.call(ones) }
      3.times do
        others.each { |body| body.attract(others) }
        others.each(&:move)
      end
      expect(ones.map { |body| state(body) }).to eq(others.map { |body| state(body) })
    end

    it "go on as what was added says" do
      with_items do |items|
        expect_same(Sharing::FACTORS) do |by|
          sum = bounded = 0.0
          count = 0
          items.each { |x| bounded += x if bounded < by * 10 }
          items.reverse_each do |x|
            next if sum > by * 15

            sum += x
            break if sum > by * 20

            count += 1
          end
          [sum, bounded, count]
        end
      end
    end

    it "are left" do
      with_items do |items|
        expect_same(Sharing::FACTORS) do |by|
          sum = 0.0
          items.each do |x|
            break if x > by * 9

            sum += x
          end
          [sum, items.any? { |x| x * 2 == by }, items.index { |x| x > by * 3 }, items.find { |x| x < -by }]
        end
      end
      all = particles(70)
      expect_same(all) { |particle| particle.first_right(all) }
    end

    it "carry values of the last iteration" do
      with_items do |items|
        expect_same(Sharing::FACTORS) do |by|
          last = nil
          before = 0.0
          items.each_with_index do |x, i|
            before = last || x
            last = x * i if x > by
          end
          [last, before]
        end
      end
    end

    it "are those of Ruby's methods" do
      with_items do |items|
        expect_same(Sharing::FACTORS) do |by|
          [items.sum { |x| x * by }, items.count { |x| x > by }, items.inject(by) { |a, x| (a * 0.5) + x }]
        end
        expect_same(Sharing::FACTORS) { |by| items.min_by { |x| (x - by).abs } }
        expect_same(Sharing::FACTORS) { |by| items.map { |x| (x - by).abs }.max }
      end
    end

    it "count otherwise" do
      with_items do |items|
        expect_same(Sharing::FACTORS) do |by|
          sum = 0.0
          i = items.size - 1
          while i >= 0
            sum = (sum * 0.75) + (items[i] * by)
            i -= 3
          end
          j = 0
          until j == items.size
            sum += items[j] * by
            j += 1
          end
          1.step(items.size * 5, 7) { |k| sum += k * by }
          [sum, i, j]
        end
      end
    end

    it "have loops in them, or stand in loops" do
      with_items do |items|
        expect_same(Sharing::FACTORS) do |by|
          sum = total = 0.0
          items.each do |x|
            inner = 0.0
            x.to_i.abs.times { |i| inner += x * i }
            sum += inner / (by + 2)
          end
          3.times do |row|
            part = 0.0
            items.each { |x| part += (x * row) - by }
            total += Math.sqrt(part.abs)
          end
          [sum, total]
        end
      end
    end

    it "fail where the loop does" do
      numbers = (1..90).to_a
      [0, 40, 89].each do |at|
        items = numbers.dup
        items[at] = 0
        expect_same([7, 100]) { |by| items.inject(0) { |sum, x| sum + (by / x) } }
        items[at] = nil
        expect_same([7, 3]) do |by|
          sum = 0
          items.each { |x| sum += x + by }
          sum
        end
      end
    end

    it "fail in the first iteration that does, which may be rescued" do
      items = (1..90).map { |i| i % 40 }
      expect_same([1, 2]) do |by|
        sum = 0
        begin
          items.each do |x|
            raise ArgumentError, "many" if x == 39
            raise IndexError, "zero" if x.zero?

            sum += x * by
          end
        rescue ArgumentError
          sum = -sum
        end
        sum
      end
    end

    next if backend == :ruby

    it "leave 64 bits as the loop does" do
      items = [0, 40, 89].map { |at| Array.new(90, 1).tap { |all| all[at] = 2**62 } }
      items.each do |all|
        expect_same([3, 7]) { |by| all.inject(0) { |sum, x| sum + (x * by) } }
        expect_same([3, 2**62]) { |by| all.inject(by) { |sum, x| sum + x } }
      end
    end

    it "are shared on a GPU" do
      items = Array.new(100) { |i| i * 0.5 }
      all = particles(10)
      shared = lambda do |base, &block|
        Ikra.explain(base, :pmap, &block).code.include?("shared_section")
      end
      gpu = backend.to_s.start_with?("cuda")
      expect(shared.call([1.0]) { |by| items.inject(0.0) { |sum, x| sum + (x / by) } }).to be(gpu)
      expect(shared.call([1.0]) { |by| items.count { |x| x > by } }).to be(gpu)
      expect(shared.call([1.0]) { |by| items.min_by { |x| (x - by).abs } }).to be(gpu)
      expect(shared.call(all) { |particle| particle.attract(all) }).to be(gpu)
      expect(shared.call([1.0]) { |by| by + 1 }).to be(false)
    end
  end
end

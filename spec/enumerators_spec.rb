# frozen_string_literal: true

# Enumerators: what they give, and how many they say that it is.
require "English"
module Enumerators
  class Own
    include Enumerable

    def initialize(count) = @count = count

    def each(&block)
      return to_enum(:each) unless block

      @count.times(&block)
    end
  end

  class Pairs
    include Enumerable

    def each
      yield :a, 1
      yield :a, 2
      yield :b, 1
      self
    end
  end

  class Sized < Own
    def size = @count
  end
end

each_backend do
  it "has no use for the value of a block that `each` has none for" do
    expect_same([["a,b\n1,2\n3,4", 1]]) do |text, from|
      head = last = nil
      rows = []
      text.each_line.with_index(from) do |line, number|
        if number == 1
          head, last = line, line # rubocop:disable Style/ParallelAssignment
        else
          rows << [head, last, line]
        end
      end
      rows
    end
    expect_same([[3, 4]]) { |l| l.map.with_index(2) { |x, i| [x, i] } }
    expect_same([[3, 4]]) { |l| l.each_with_index.map { |x, i| x * i } }
    expect_same([[3, 4]]) { |l| l.select.with_index { |x, i| x > 3 && i == 1 } }
    expect_same([[3, 4]]) { |l| l.each.with_index(9_223_372_036_854_775_800) { |x, i| break [x, i] if x == 4 } }
  end

  it "hand on several values to blocks that make keys" do
    pairs = Enumerators::Pairs.new
    expect_same([1, 2]) { |x| [pairs.uniq { |_, v| v }, pairs.uniq { |a| a }, pairs.uniq { |_, *r| r.size + x }] }
    expect_same([1]) { |_| [pairs.uniq { |*all| all }, pairs.uniq { |_, (v, _)| v }, pairs.uniq { |_, v = 9| v }] }
    expect_same([1]) { |x| [pairs.to_h { |a| [a, x] }, pairs.to_h { |*all| [all, 0] }, pairs.to_h { |k, v| [v, k] }] }
    expect_same([[[1, 2], [3, 2]]]) { |l| l.each_with_index.uniq { |a, _| a[1] } }
    expect_same([[[1, 2], [3, 2]]]) { |l| l.each_with_index.to_h { |a| [a, 2] } }
  end

  it "give what they go through, where that is an object of the user's" do
    own = Enumerators::Own.new(4)
    expect_same([1, 2]) do |x|
      seen = []
      given = for a, b in own.each_cons(2) do seen << ((a * b) + x) end
      other = own.each_slice(2).each { |slice| seen << slice.sum }
      [seen, given.equal?(own), other.equal?(own), own.each_entry.each { |a| seen << a }.equal?(own)]
    end
  end

  it "give what an arithmetic sequence was made of, where they go through one with indices" do
    range = 1..5
    seen = []
    expect(range.step(2).each_with_index.peach { |x, i| seen << [x, i] }).to equal(range)
    expect(1.step(9, 3).with_index(2).peach { |x, i| seen << [x, i] }).to eq(1)
    expect((range % 3).each.peach { |x| seen << x }).to eq(range % 3)
    expect(seen).to eq([[1, 0], [3, 1], [5, 2], [1, 2], [4, 3], [7, 4], 1, 4])
    expect(range.step(2).each_with_index.pmap { |x, i| x * i }).to eq([0, 3, 10])
    given = Ikra.section { 1.step(9, 3).with_index(2).peach { |x, i| seen << [x, i] } + 1 }
    expect([given, seen.last]).to eq([2, [7, 4]])
    expect_same([1, 2]) do |x|
      ranges = [(x..5).step(2).each_with_index { |y, i| y * i }, (x..5).step(2).with_index { |y, i| y * i }]
      [ranges.map { |all| all.is_a?(Range) }, (x..5).step(2).each(&:succ).is_a?(Range)]
    end
  end

  it "know their size, or that they do not" do
    expect_same([[3, 1, 2], [5]]) do |l|
      [l.each_entry.size, l.each_slice(2).size, l.each_cons(2).with_index.size, l.find_index.size, l.drop_while.size]
    end
    expect_same([[3, 1, 2], [5]]) do |l|
      [l.to_enum.size, l.to_enum(:map).size, l.enum_for(:each_slice, 2).size, l.to_enum(:each_slice, 2).to_a]
    end
    expect_same([2, 4]) { |x| [x.times.size, x.upto(5).size, x.enum_for(:times).size, x.enum_for(:times).sum] }
    expect_same([{ a: 1, b: 2 }, { c: 3 }]) { |h| [h.each_pair.size, h.each_entry.size, h.to_enum(:each_key).size] }
    own = Enumerators::Own.new(4)
    expect_same([1, 2]) do |x|
      [own.each_slice(x).size, own.each_entry.size, own.map.size, own.each.size, own.each_slice(x).map(&:sum)]
    end
    sized = Enumerators::Sized.new(3)
    expect_same([1, 2]) { |x| [sized.each_entry.size, sized.map.size, sized.each_slice(x).size] }
  end

  it "are made of what a block yields" do
    fibonacci = lambda {
      Enumerator.new do |y|
        a = 0
        b = 1
        loop do
          y << a
          a, b = b, a + b
        end
      end
    }
    expect_same([1, 3]) do |x|
      e = fibonacci.call
      [e.take(x + 4), e.first, e.first(x), e.find do |v|
                                             v > x * 5
                                           end, e.size]
    end
    expect_same([1, 3]) { |x| fibonacci.call.lazy.select(&:odd?).map { |v| v * x }.first(4) }
    expect_same([1, 3]) { |x| [fibonacci.call.each_slice(x).first(2), fibonacci.call.take_while { |v| v < x * 7 }] }
    expect_same([1, 3]) { |x| fibonacci.call.with_index(x).first(3) + fibonacci.call.each_cons(2).first(x) }
    expect_same([1, 3]) { |x| fibonacci.call.each { |v| break v * x if v > 5 } }
    several = ->(x) { Enumerator.new { |y| y.yield(x, 2); y.yield(3); y.yield; y << [4, 5] << 6 } } # rubocop:disable Style/Semicolon
    expect_same([1, 3]) do |x|
      e = several.call(x)
      [e.to_a, e.map { |a, b| [a, b] }, e.first, e.each_with_index.to_a]
    end
    expect_same([1, 3]) do |x|
      seen = []
      given = Enumerator.new(2) do |y|
        seen << y.yield(x)
        :done
      end
      [given.each { |v| v.to_s(2) }, seen.dup, given.size, given.map { |v| v + 1 }]
    end
    expect_same([1, 3]) do |x|
      seen = []
      made = Enumerator.new do |y|
        y << x
        raise ArgumentError, "behind #{x}"
      ensure
        seen << :ensured
      end
      first = made.first
      begin
        made.to_a
      rescue ArgumentError => e
        [first, e.message, seen]
      end
    end
  end

  it "are made of what each value gives next" do
    expect_same([1, 3]) do |x|
      e = Enumerator.produce(x) { |v| v * 2 }
      [e.take(3), e.first, e.lazy.map(&:-@).first(2), e.size]
    end
    expect_same([1, 3]) { |x| Enumerator.produce(x, &:succ).take_while { |v| v < 6 } }
    expect_same([1, 3]) { |x| Enumerator.produce([x, 1]) { |a, b| [b, a + b] }.lazy.map(&:first).first(5) }
    expect_same([1, 7]) do |x|
      collatz = Enumerator.produce(x) do |v|
        raise StopIteration if v == 1

        v.even? ? v / 2 : (3 * v) + 1
      end
      collatz.to_a
    end
    expect_same([1, 3]) { |x| Enumerator.produce { |v| v.nil? ? x : v + 1 }.first(3) }
  end

  it "are lazy over several values where the block names them" do
    expect_same([3]) { |n| [n, 6].lazy.with_index.map { |a, i| [a, i] }.to_a }
    expect_same([3]) { |n| [n, 6].each_with_index.lazy.select { |a| a }.flat_map { |a, i| [a, i] }.first(3) }
    expect_same([3]) { |n| [n, 6].each_with_index.lazy.map { 1 }.to_a }
    expect_same([3]) { |n| [n, 6].each_with_index.lazy.map { |a, i| a * i }.map { |a| a + 1 }.to_a }
    told = /yields several values.*unsupported-enumerator/m
    next if Ikra.backend == :ruby

    expect { [3].pmap { |n| [n, 6].lazy.with_index.map { |a| a }.to_a } }.to raise_error(Ikra::UnsupportedError, told)
    expect { [3].pmap { |n| [n, 6].each_with_index.lazy.select { |a| a }.filter_map(&:itself).first } }
      .to raise_error(Ikra::UnsupportedError, told)
  end

  it "are lazy over an `each` of the user's that yields one value at a time" do
    own = Enumerators::Own.new(9)
    expect_same([1, 3]) { |x| [own.lazy.map { |v| v * x }.select(&:even?).first(2), own.lazy.to_a.size] }
    next if Ikra.backend == :ruby

    expect { [1].pmap { |_| Enumerators::Pairs.new.lazy.map { |a| a }.first(2) } }
      .to raise_error(Ikra::UnsupportedError, /unsupported-enumerator.*yield \[a, b\]/m)
  end
end

each_backend(Backends::ALL - %i[cuda-emulated cuda]) do
  it "of Strings know it, too" do
    expect_same(["aé\nb", ""]) { |s| [s.each_char.size, s.each_byte.size, s.each_codepoint.size, s.each_line.size] }
    expect_same(["aé\nb\r\nc", ""]) { |s| [s.each_byte.with_index.size, s.each_line.with_index.size] }
    expect_same(%w[a d]) { |s| [s.upto("e").size, s.upto("e").to_a] }
    expect_same(%w[a d]) { |s| [(s.."e").filter.size, (s.."e").each_slice(2).size, (s.."e").map.with_index.to_a] }
    expect_same(["aé\nb\r\nc", ""]) { |s| s.each_line(chomp: true).with_index.map { |line, i| line * i } }
    expect_same(["aé\nb\r\nc"]) { |s| [s.each_line("b", chomp: s.size > 1).to_a, s.each_line(chomp: true).size] }
    expect_same(["aé\nb\r\nc"]) { |s| s.each_line(chomp: false).each_slice(2).map(&:join) }
    expect_same(%w[a c]) { |s| [(s.."e").each.to_a, (s.."e").each_slice(2).each(&:size).is_a?(Range)] }
  end
end

# frozen_string_literal: true

# What parallel calls of a section give one another: rows of columns that a GPU moves itself, of all types and many
# lengths, and launches that repeat so often that they become graphs. Compared with plain Ruby.
module MovedRowsWorlds
  class Item
    attr_accessor :number, :sum

    def initialize(number)
      @number = number
      @sum = 0.5
    end
  end

  class OtherItem < Item; end
end

RSpec.describe "Rows that parallel calls give one another" do
  def items(count)
    Array.new(count) { |i| (i % 7 == 3 ? MovedRowsWorlds::OtherItem : MovedRowsWorlds::Item).new(i) }
  end

  def outcome(backend, base)
    previous = Ikra.chosen
    Ikra.backend = backend
    [yield(base), base.map { |item| [item.number, item.sum] }]
  ensure
    Ikra.backend = previous
  end

  def expect_same_program(count, repeated: false, &block)
    expected, actual = [:ruby, Ikra.chosen].map do |backend|
      base = items(count)
      base.concat(base.first(count / 2)) if repeated
      outcome(backend, base, &block)
    end
    expect(actual).to eq(expected)
  end

  each_backend do
    [0, 1, 63, 64, 65, 4_096, 4_097, 9_999].each do |count|
      it "selects of what was selected, from #{count} items" do
        expect_same_program(count) do |base|
          Ikra.section do
            left = base
            counts = 0
            6.times do |round|
              left.peach { |item| item.sum += item.number * 0.25 }
              left = left.pselect { |item| (item.number * 7) % (round + 2) != 0 }
              counts = (counts * 3) + left.size
              left.peach { |item| item.sum -= round }
            end
            [counts, left.size, left.pmap { |item| item.number * 2 }]
          end
        end
      end
    end

    it "takes what elements give as the elements of the next call, whatever class it has" do
      expect_same_program(300) do |base|
        Ikra.section do
          numbers = base.pmap { |item| item.number * 3 }
          floats = numbers.pmap { |n| n * 0.5 }
          flags = floats.pmap { |x| x > 40.0 }
          mixed = numbers.pmap { |n| n.odd? ? n : n * 0.25 }
          some = mixed.pmap { |n| n.is_a?(Integer) ? nil : n }
          given = 0
          4.times do |round|
            numbers = numbers.pmap { |n| n + round }
            mixed = mixed.pselect { |n| n > round }
            some = some.pselect { |n| n.nil? || n > round }
            given += mixed.size + some.size + flags.pselect { |flag| flag }.size
          end
          halves = some.pmap { |n| n ? n / 2 : -1 }
          [numbers, floats, flags, mixed, some, halves, given, numbers.preject { |n| n % 3 == 0 }]
        end
      end
    end

    it "grows and shrinks arrays" do
      expect_same_program(10) do |_base|
        Ikra.section do
          now = (0..3).pmap { |i| i }
          sizes = 0
          [5, 900, 40, 7_000, 1, 20_000, 3].each do |size|
            before = now
            now = (0...size).pmap { |i| i + (before[i % 7] || 5) }
            now = now.pselect { |x| x % 3 != 1 }
            now = now.pmap { |x| x + 1 }
            sizes = (sizes * 31) + now.size + (now[0] || 7)
          end
          [sizes, now]
        end
      end
    end

    it "runs one after the other those that stand there twice, wherever that comes from" do
      expect_same_program(40, repeated: true) do |base|
        Ikra.section do
          left = base
          3.times do |round|
            left = left.pselect { |item| item.number % (round + 3) != 1 }
            left.peach { |item| item.sum = (item.sum * 0.5) + item.number }
          end
          both = left + left.pselect { |item| item.number.even? }
          both.peach { |item| item.sum = (item.sum * 0.75) + 1 }
          left.size
        end
      end
    end

    it "begins again where the code around the calls makes more than there is room for" do
      expect_same_program(30_000) do |base|
        Ikra.section do
          odd = base.pselect { |item| item.number.odd? }
          numbers = odd.pmap(&:number)
          [numbers.sum, odd.map(&:number).sum]
        end
      end
    end

    it "adds up and compares what elements give" do
      expect_same_program(1_000) do |base|
        Ikra.section do
          sums = base.pmap { |item| item.number * 0.1 }
          odd = base.pselect { |item| item.number.odd? }
          [sums.sum, sums.max, sums.min, odd.pmap(&:number).sum, odd.pmap(&:sum).sum, odd.map(&:number).last]
        end
      end
    end

    it "launches the same again and again, with something else now and then" do
      expect_same_program(20) do |base|
        Ikra.section do
          total = 0.0
          700.times do |round|
            base.peach { |item| item.sum += item.number }
            base.peach { |item| item.sum *= 0.75 }
            base.peach { |item| item.number += 1 } if round % 400 == 399
            total += base[3].sum if round % 300 == 299
          end
          total
        end
      end
    end

    it "raises what an element raises after many launches" do
      next if Ikra.chosen == :ruby

      base = items(20)
      run = lambda do
        Ikra.section do
          600.times do
            base.peach { |item| item.number += 1 }
            base.peach { |item| raise ArgumentError, "at #{item.number}" if item.number == 500 }
          end
        end
      end
      expect(&run).to raise_error(ArgumentError, "at 500") { |e| expect(e.element_index).to eq(19) }
      expect(base.map(&:number)).to eq([*0...20])
    end
  end
end

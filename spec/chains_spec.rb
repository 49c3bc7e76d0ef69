# frozen_string_literal: true

# What is particular to chains, to methods that stop early, and to those that run in parts.
module Chains
  # A light that can be switched.
  class Light
    attr_accessor :level, :switched

    def initialize(level) = @level = level
    def bright? = @level > 5
  end
end

RSpec.describe Ikra::Chain do
  def places(error) = error.backtrace.reject { |frame| frame.include?("/gems/") || frame.include?("rspec") }

  each_backend do |backend|
    it "runs nothing until it is asked for something" do
      seen = []
      chain = [1, 2].plazy.map { |x| x / 0 }
      expect(chain).to be_a(described_class)
      expect(chain.inspect).to eq("#<Ikra::Chain: Array.map>")
      expect(seen).to be_empty
      expect { chain.to_a }.to raise_error(ZeroDivisionError)
    end

    it "can be ended several times, and be the beginning of several others" do
      odd = (1..9).plazy.select { |x| x.odd? }
      expect([odd.sum, odd.count, odd.map do |x|
                                    x * 2
                                  end.to_a, odd.to_a]).to eq([25, 5, [2, 6, 10, 14, 18], [1, 3, 5, 7, 9]])
    end

    it "raises what Ruby comes to, behind stages that need all before them" do
      inverse = ->(x) { 10 / x }
      tails = { flat_map: ->(lazy) { lazy.flat_map { |x| [x, x] } }, uniq: ->(lazy) { lazy.uniq },
                each_slice: ->(lazy) { lazy.each_slice(1) }, drop: ->(lazy) { lazy.drop(1) },
                zip: ->(lazy) { lazy.zip([1, 2, 3]) }, with_index: ->(lazy) { lazy.select { |x| x }.with_index },
                take: ->(lazy) { lazy.take(9) }, two: ->(lazy) { lazy.uniq.flat_map { |x| [x] } } }
      tails.each do |name, tail|
        ends = [->(lazy) { lazy.first(1) }, ->(lazy) { lazy.first }, ->(lazy) { lazy.to_a }, ->(lazy) { lazy.first(9) }]
        ends.each do |ending|
          expected, given = %i[lazy plazy].map do |chain|
            ending.call(tail.call([5, 2, 1, 0].public_send(chain).map(&inverse)))
          rescue ZeroDivisionError => e
            e.message
          end
          expect(given).to eq(expected), "#{name}: #{given} instead of #{expected}"
        end
      end
    end

    it "reads what it runs over when it is ended" do
      lights = [3, 7, 9].map { |level| Chains::Light.new(level) }
      seen = lights.plazy.map { |light| light.level }.flat_map { |level| [level, level] }
      lights[0].level = 4
      expect([seen.first, seen.to_a]).to eq([4, [4, 4, 7, 7, 9, 9]])
      lights[0].level = 5
      expect([seen.first, seen.inspect]).to eq([5, "#<Ikra::Chain: Array.map.flat_map>"])
      broken = lights.plazy.map { |light| light.level / 0 }.uniq.each_slice(2)
      expect { broken.to_a }.to raise_error(ZeroDivisionError)
    end

    it "runs no block of a stage for elements that nobody asks for" do
      lights = [3, 7, 9].map { |level| Chains::Light.new(level) }
      chain = lights.plazy.flat_map { |light| [light.level += 1] }
      next expect([chain.first, lights.map(&:level)]).to eq([4, [4, 7, 9]]) if backend == :ruby

      expect { chain.first }.to raise_error(Ikra::UnsupportedError, /before `first`.*\[changing-stage\]/m)
      expect { chain.uniq.to_a }.to raise_error(Ikra::UnsupportedError, /\[changing-stage\]/)
      expect(lights.map(&:level)).to eq([3, 7, 9])
      expect([chain.to_a, lights.map(&:level)]).to eq([[4, 8, 10], [4, 8, 10]])
    end

    it "gives the very same objects" do
      lights = [3, 7, 9].map { |level| Chains::Light.new(level) }
      bright = lights.plazy.select { |light| light.bright? }.to_a
      expect(bright.map(&:object_id)).to eq(lights.drop(1).map(&:object_id))
      bright = lights.plazy.select(&:bright?).reject { |light| light.level > 8 }.to_a
      expect(bright.map(&:object_id)).to eq([lights[1].object_id])
      expect(lights.plazy.select(&:bright?).min_by { |light| -light.level }).to equal(lights[2])
    end

    it "changes objects" do
      lights = [3, 7, 9].map { |level| Chains::Light.new(level) }
      given = lights.plazy.select { |light| light.bright? }.each { |light| light.level += 1 }
      expect(given).to equal(lights)
      expect(lights.map(&:level)).to eq([3, 8, 10])
      expect(lights.plazy.map { |light| light.level *= 2 }.sum).to eq(42)
      expect(lights.map(&:level)).to eq([6, 16, 20])
    end

    it "has blocks that use what is around them" do
      factor = 3
      table = [5, 6, 7]
      chain = (0...3).plazy.map { |i| table[i] * factor }.select { |x| x > factor * 5 }
      expect(chain.to_a).to eq([18, 21])
      factor = 4
      expect(chain.sum).to eq(24 + 28)
    end

    it "takes what is yielded as several values apart" do
      prices = { apple: 3, pear: 5, plum: 8 }
      expect(prices.plazy.select { |_, price| price > 4 }.map { |name, price| [name, price * 2] }.to_a.to_h)
        .to eq({ pear: 10, plum: 16 })
      expect(%i[a b].each_with_index.plazy.map { |name, i| [i, name] }.to_a).to eq([[0, :a], [1, :b]])
    end

    it "gives blocks several values as Ruby's lazy enumerators do" do
      pairs = %i[a b c].each_with_index
      chains = [
        ->(all) { all.map { |x| x }.to_a }, ->(all) { all.select { |x| x }.map { |x| [x] }.to_a },
        ->(all) { all.select { |_, i| i > 0 }.map { |x, i| [i, x] }.to_a },
        ->(all) { all.reject { |_, i| i > 1 }.to_a },
        ->(all) { all.filter_map { |x, i| x if i > 0 }.to_a }, ->(all) { all.map { |*x| x }.to_a },
        ->(all) { all.select { |x| x.size == 2 }.first },
        ->(all) { all.with_index.map { |(x, i), j| [x, i + j] }.to_a },
        ->(all) { all.with_index.map { |x| x }.to_a }, ->(all) { all.with_index { |x, _| x }.map { |x| x }.to_a },
        ->(all) { all.select(&:itself).reject(&:frozen?).to_a }
      ]
      chains.each { |chain| expect(chain.call(pairs.plazy)).to eq(chain.call(pairs.lazy)) }
    end

    it "gives blocks behind stages that need more than one element several values, too" do
      shelf = Class.new do
        include Enumerable

        def each
          yield 5, 0
          yield 6, 1
          self
        end
      end
      stages = [
        ->(all) { all.take(1) }, ->(all) { all.select { |x| x }.take(1) }, ->(all) { all.drop(1) },
        ->(all) { all.uniq { |x| x.size } }, ->(all) { all.drop_while { |x| x == 5 } },
        ->(all) { all.take_while { |x| x == 5 } }, ->(all) { all.zip([1, 2]) }, ->(all) { all.flat_map { |x| [x, 7] } },
        ->(all) { all.grep(Array) { |x| x } }, ->(all) { all.compact }, ->(all) { all.reject { |x| x == 5 }.uniq }
      ]
      ends = [
        ->(all) { all.map { |x| x }.to_a }, ->(all) { all.group_by { |x| x } },
        ->(all) { all.find_index { |x| x == 6 } },
        ->(all) { all.map { |x| x }.min_by { |x| x == 5 ? 1 : 0 } }, ->(all) { all.count { |*x| x.size == 1 } },
        ->(all) { all.each_with_object([]) { |x, memo| memo << x } }, ->(all) { all.sum { |x| x == 5 ? 1 : 2 } }
      ]
      stages.product(ends, [[5, 6].each_with_index, shelf.new, [5, 6], [[5, 0], [6, 1]]]) do |stage, last, all|
        expect(last.call(stage.call(all.plazy))).to eq(last.call(stage.call(all.lazy)))
      end
    end

    it "is empty where its collection is" do
      expect([].plazy.map { |x| x.foo }.to_a).to eq([])
      expect([].plazy.map { |x| x.foo }.sum).to eq(0)
      expect([].plazy.select { |x| x.foo }.max).to be_nil
      expect([].plazy.any? { |x| x.foo }).to be(false)
    end

    it "stops where the answer is known" do
      expect([4, 2, 0].pfind { |x| 8 / x > 3 }).to eq(2)
      expect([4, 2, 0].plazy.map { |x| 8 / x }.first(2)).to eq([2, 4])
      expect([4, 2, 0].pany? { |x| 8 / x == 4 }).to be(true)
      expect([4, 2, 0].pall? { |x| 8 / x == 2 }).to be(false)
      expect([4, 2, 0].ptake_while { |x| 8 / x < 3 }).to eq([4])
      expect { [4, 0, 2].pfind { |x| 8 / x > 3 } }.to raise_error(ZeroDivisionError)
      big = (0...100_000)
      expect(big.pfind_index { |x| 10_000 / (90_000 - x) == 10_000 }).to eq(89_999)
      expect(big.plazy.map { |x| x / (x - 70_000) }.find { |x| x < -6_000 }).to eq(-6_363)
    end

    it "stops in what has no end" do
      expect((1..).pfind { |x| x * x > 500_000 }).to eq(708)
      expect((1..).plazy.map { |x| x * 2 }.select { |x| x % 3 == 0 }.first(4)).to eq([6, 12, 18, 24])
      expect((1..).ptake_while { |x| x < 5 }).to eq([1, 2, 3, 4])
    end

    it "has sums over more elements than there is memory for" do
      expect((0...3_000_000).psum { |x| x % 7 }).to eq((0...3_000_000).sum { |x| x % 7 })
      expect((0...3_000_000).plazy.select { |x| x % 3 == 0 }.map { |x| x * 0.1 }.sum)
        .to eq((0...3_000_000).select { |x| x % 3 == 0 }.sum { |x| x * 0.1 })
      expect((0...3_000_000).plazy.map { |x| x % 5 }.tally).to eq((0..4).to_h { |x| [x, 600_000] })
      expect((0...3_000_000).pcount { |x| x.even? }).to eq(1_500_000)
      expect((0...3_000_000).plazy.map { |x| (x - 2_000_000).abs }.min).to eq(0)
    end

    it "folds" do
      numbers = (1..50).to_a
      expect(numbers.pinject { |a, b| a - b }).to eq(numbers.inject { |a, b| a - b })
      expect(numbers.pinject(associative: true) { |a, b| a + b }).to eq(1275)
      expect(numbers.pinject(5, associative: true) { |a, b| [a, b].max }).to eq(50)
      expect([7].pinject(associative: true) { |a, b| a + b }).to eq(7)
      expect([].pinject(associative: true) { |a, b| a + b }).to be_nil
      expect(numbers.plazy.map { |x| x * (2**57) }.inject(:+)).to eq(1275 * (2**57))
      expect(numbers.paccumulate(:+)).to eq(numbers.map { |n| n * (n + 1) / 2 })
      expect([3, 4].paccumulate(10) { |a, b| a * b }).to eq([30, 120])
    end

    it "sorts stably, and refuses what has no order" do
      values = Array.new(1_000) { |i| [(i * 7919) % 13, i] }
      expect(values.psort_by { |key, _| key }).to eq(values.sort) unless backend == :ruby
      %i[sort sort_by].each do |name|
        all = [1.0, Float::NAN, 0.5]
        message = OperationTable.outcome { all.public_send(name, &(name == :sort ? nil : :itself)) }.last
        expect { name == :sort ? all.psort : all.psort_by { |x| x } }.to raise_error(ArgumentError, message)
      end
    end

    it "respects operators of one's own" do
      integer = Module.new do
        refine(Integer) { def +(_other) = 0 }
      end
      expect(integer).to be_a(Module) # a refinement changes nothing elsewhere
      expect([1, 2].psum).to eq(3)
      # Array#sum adds the Integers before the first Float exactly, also from a Float on.
      [[-(2**60) - 1, (2**60) + 3], [(2**53) + 1, 1], [(2**53) + 1, 1, 0.5, 2**53, 1]].each do |values|
        [0.0, -0.0, 1.5, 1e16].each do |from|
          expect(values.psum(from) { |x| x }).to eq(values.sum(from) { |x| x })
          expect(values.psum(from)).to eq(values.sum(from))
          expect(values.each_slice(1).psum(from) { |x,| x }).to eq(values.each_slice(1).sum(from) { |x,| x })
        end
      end
    end

    it "makes arrays by index, grids and stencils" do
      expect(Array.pnew(4) { |i| i * i }).to eq([0, 1, 4, 9])
      expect(Array.pnew(3)).to eq([nil, nil, nil])
      expect(Array.pnew(2, 7)).to eq([7, 7])
      expect { Array.pnew(-1) { |i| i } }.to raise_error(ArgumentError, "negative array size")
      expect(Ikra.grid(2, 3) { |y, x| (y * 10) + x }).to eq([[0, 1, 2], [10, 11, 12]])
      expect(Ikra.grid(2, 1, 2, 2) { |a, b, c, d| (a * 8) + (b * 4) + (c * 2) + d })
        .to eq([[[[0, 1], [2, 3]]], [[[8, 9], [10, 11]]]])
      expect(Ikra.grid(3, 0) { |y, _| y }).to eq([[], [], []])
      expect { Ikra.grid(1, 2, 3, 4, 5) { |a| a } }.to raise_error(ArgumentError, /1 to 4 dimensions, not 5/)
      expect { Ikra.grid(1, -2) { |a| a } }.to raise_error(ArgumentError, /not -2/)
      expect([1, 2, 4].pstencil([-1, 0, 1], outside: 0) { |a, b, c| (a * 100) + (b * 10) + c }).to eq([12, 124, 240])
      expect([[1, 2], [3, 4]].pstencil([[-1, 0], [0, 1]], outside: 9) { |up, right| (up * 10) + right })
        .to eq([[92, 99], [14, 29]])
      expect([3, 5].pstencil([1]) { |right| right.nil? ? -1 : right }).to eq([5, -1])
      expect { [1].pstencil([0.5]) { |x| x } }.to raise_error(ArgumentError, /offsets are Integers/)
      expect { [[1], [2, 3]].pstencil([[0, 1]]) { |x| x } }.to raise_error(ArgumentError, /of one length/)
    end
    next if backend == :ruby

    it "names the user's lines only" do
      line = __LINE__ + 1
      expect { [1, 0].plazy.map { |x| x + 0 }.select { |x| 1 / x > 0 }.sum }.to raise_error(ZeroDivisionError) { |error|
        expect(places(error).first).to start_with("#{__FILE__}:#{line}:")
        expect(error.backtrace.join).not_to include("(ikra")
        expect(error.backtrace.join).not_to include("lib/ikra")
        expect(error.element_index).to eq(1)
      }
      line = __LINE__ + 1
      expect { [1, 0].plazy.map { |x| x.hash }.select { |x| x }.sum }.to raise_error(Ikra::UnsupportedError) { |error|
        expect(error.message).to start_with("#{__FILE__}:#{line}: `Integer#hash` ")
        expect(error.message).not_to include("(ikra")
      }
    end

    it "numbers elements of parts as those of all" do
      expect { (0...5_000_000).psum { |x| x / (x - 4_000_000) } }.to raise_error(ZeroDivisionError) { |error|
        expect(error.element_index).to eq(4_000_000)
      }
      expect { (0...100_000).pany? { |x| x / (x - 80_000) > 1_000_000 } }.to raise_error(ZeroDivisionError) { |error|
        expect(error.element_index).to eq(80_000)
      }
    end

    it "stops early where something is changed, and runs nothing behind that" do
      lights = Array.new(6) { |i| Chains::Light.new(i) }
      expect(lights.pfind { |light| (light.switched = true) && light.level == 2 }).to equal(lights[2])
      expect(lights.map(&:switched)).to eq([true, true, true, nil, nil, nil])
      count = 0
      expect((1..).pany? { |x| (count += x) > 1000 }).to be(true)
      expect(count).to eq(1035)
      expect do
        lights.pall? do |light|
          light.switched = 1 / (4 - light.level)
        end
      end.to raise_error(ZeroDivisionError) { |error|
               expect(error.element_index).to be_nil
             }
      expect(lights.map(&:switched)).to eq([true, true, true, nil, nil, nil])
    end

    it "stops early as Ruby does, whatever is changed and gone through" do
      asking = { find: false, find_index: false, any?: false, none?: false, one?: false, all?: true, take_while: true,
                 drop_while: true }
      asking.each do |name, goes_on|
        [(1..20).to_a, 1..20, [2.5, 9.0, 40.0], [], (1..9).each_with_index, 1.step(70, 3),
         { 4 => 2, 30 => 3 }].each do |all|
          next if name == :find_index && all.is_a?(Hash)

          expected, given = [name, :"p#{name}"].map do |method|
            seen = 0
            [all.public_send(method) { |x| (seen += Array(x)[0]) && ((seen > 30) ^ goes_on) }, seen]
          end
          expect(given).to eq(expected), "#{name} of #{all.inspect}: #{given} instead of #{expected}"
        end
      end
    end

    it "stops early in chains, whatever their stages change" do
      ends = {
        find: ->(chain, see) { chain.find { |x| see.call(100) && x > 12 } },
        first: ->(chain, _) { chain.first(3) },
        find_index: ->(chain, see) { chain.find_index { |x| see.call(100) && x > 12 } },
        one: ->(chain, _) { chain.one? },
        taken: ->(chain, see) { chain.take_while { |x| see.call(7) && x < 20 }.to_a },
        all: ->(chain, see) { chain.all? { |x| see.call(9) && x < 30 } },
        none: ->(chain, _) { chain.find_index { |x| x > 90 } }
      }
      ends.each do |name, ending|
        expected, given = %i[lazy plazy].map do |chain|
          seen = 0
          see = ->(x) { seen += x }
          stages = (1..30).public_send(chain).map { |x| (see.call(x) && x) * 2 }
          [ending.call(stages.select { |x| x % 4 == 0 }, see), seen]
        end
        expect(given).to eq(expected), "#{name}: #{given} instead of #{expected}"
      end
      expect((0...100_000).plazy.select { |x| x % 3 == 0 }.find_index { |x| x > 70_000 }).to eq(23_334)
      expect((1..).plazy.map { |x| x * 2 }.take_while { |x| x < 10_000 }.sum).to eq(24_995_000)
      parts = (1..9).plazy.map { |x| 100 / (9 - x) }
      expect { parts.take_while { |x| x < 300 }.to_a }.to raise_error(ZeroDivisionError)
      expect(parts.take_while { |x| x < 30 }.to_a).to eq([12, 14, 16, 20, 25])
    end

    it "refuses to run all of a stage that changes something before one that Ruby runs with it" do
      seen = 0
      chain = (1..9).plazy.map { |x| (seen += 1) && [x, x] }
      { flat_map: [], uniq: [], each_slice: [2], drop: [1], zip: [[1]] }.each do |name, arguments|
        block = :itself.to_proc if name == :flat_map
        expect { chain.public_send(name, *arguments, &block).to_a }
          .to raise_error(Ikra::UnsupportedError, /before `#{name}` change.*\[changing-stage\].*to_a/m)
      end
      numbered = chain.select { |x| x[0] > 2 }.with_index
      expect { numbered.to_a }.to raise_error(Ikra::UnsupportedError, /\[changing-stage\]/)
      expect(seen).to eq(0)
      expect(chain.to_a.plazy.flat_map(&:itself).sum).to eq(90)
      expect(chain.sort_by { |x| -x[0] }.to_a[0]).to eq([9, 9])
      expect(seen).to eq(18)
    end

    it "runs the block of an end between the stages, as Ruby does, where these change something" do
      %i[group_by partition min_by max_by minmax_by sort_by].each do |name|
        expected, given = %i[lazy plazy].map do |chain|
          i = 0
          found = %w[a b c].public_send(chain).map { |word| (i += 1) && word }
          [Array(found.public_send(name) { |_| name == :partition ? i.odd? : -i }), i]
        end
        expect(given).to eq(expected), "#{name}: #{given} instead of #{expected}"
      end
      i = 0
      numbered = %w[a b].plazy.map { |word| (i += 1) && word }
      expect(numbered.to_h { |word| [word, i] }).to eq({ "a" => 1, "b" => 2 })
      i = 0
      expect { %w[a b].plazy.map { |word| (i += 1) && word }.inject("") { |all, word| all + word + i.to_s } }
        .to raise_error(Ikra::UnsupportedError, /\[changing-stage\]/)
      expect(i).to eq(0)
    end

    it "takes the first elements when something is done with them" do
      i = 0
      taken = (1..100).plazy.map { |x| (i += 1) && (x * 2) }.take(10)
      expect(i).to eq(0)
      expect(taken.first(3)).to eq([2, 4, 6])
      expect(taken.first).to eq(2)
      expect(i).to eq(4)
      expect(taken.take(2).to_a).to eq([2, 4])
      expect { taken.map { |x| x + i }.to_a }.to raise_error(Ikra::UnsupportedError, /before `map`.*\[changing-stage\]/)
      expect { taken.find { |x| x > 2 } }.to raise_error(Ikra::UnsupportedError, /before `find`.*\[changing-stage\]/)
      expect(i).to eq(6)
      pure = (1..100).plazy.map { |x| x * 2 }.take(5)
      expect([pure.sum, pure.map { |x| x + 1 }.to_a, pure.take(0).first, pure.with_index.to_a.last])
        .to eq([30, [3, 5, 7, 9, 11], nil, [10, 4]])
      expect(pure.inspect).to eq("#<Ikra::Chain: Range.map.take(5)>")
      expect { pure.first(-1) }.to raise_error(ArgumentError, "attempt to take negative size")
      expect { pure.take(-1) }.to raise_error(ArgumentError, "attempt to take negative size")
      expect { [1].plazy.first(-1) }.to raise_error(ArgumentError, "attempt to take negative size")
      expect { [1].pfirst(-1) }.to raise_error(ArgumentError, /negative array size/)
    end

    it "takes blocks that compare" do
      lights = Array.new(50) { |i| Chains::Light.new((i * 37) % 50) }
      down = ->(one, other) { other.level <=> one.level }
      expect(lights.psort { |one, other| one.level <=> other.level }.map(&:level)).to eq((0...50).to_a)
      expect(lights.psort(&down).first).to equal(lights.max_by(&:level))
      expect(lights.pmin { |one, other| other.level <=> one.level }).to equal(lights.max_by(&:level))
      expect(lights.plazy.select { |light| light.level < 9 }.sort { |a, b| b.level <=> a.level }.to_a.map(&:level))
        .to eq((0...9).to_a.reverse)
      expect { lights.psort { |_, _| nil } }.to raise_error(ArgumentError, /comparison of Chains::Light with/)
      # Ruby asks what the block gave for its side of 0.
      expect { lights.psort { |one, other| one.level > other.level } }.to raise_error(NoMethodError, /.>'/)
      expect { lights.psort { |_, _| "1" } }.to raise_error(ArgumentError, "comparison of String with 0 failed")
      expect(lights.psort { |_, _| Float::NAN }).to eq(lights)
      expect(lights.psort! { |one, other| one.level <=> other.level }).to equal(lights)
      expect(lights.map(&:level)).to eq((0...50).to_a)
    end

    it "runs in plain Ruby where that is wanted" do
      Ikra.fallback = :ruby
      lengths = nil
      # It is said once for each place.
      told = /\A(.*runs in plain Ruby.*)?\z/m
      expect { lengths = [1, 20].plazy.map { |x| x.to_s }.select { |x| x.size > 1 }.to_a }.to output(told).to_stderr
      expect(lengths).to eq(["20"])
      expect { expect([2, 1].psort { |a, b| b <=> a }).to eq([2, 1]) }.to output(told).to_stderr
    ensure
      Ikra.fallback = :raise
    end

    it "compiles a chain once, and others that end in the same block beside it" do
      ends = proc { |x| x + 1 }
      chains = [
        ->(base) { base.plazy.select { |x| x > 1 }.map(&ends).sum },
        ->(base) { base.plazy.reject { |x| x > 1 }.map(&ends).sum },
        ->(base) { base.plazy.map { |x| x * 2 }.map(&ends).sum }
      ]
      compiled = lambda do
        profile = Ikra.profile { chains.each { |chain| chain.call([1, 2, 3]) } }
        profile[:compile]
      end
      expect(chains.map { |chain| chain.call([1, 2, 3]) }).to eq([7, 2, 15])
      compiled.call
      expect(compiled.call).to eq(0)
    end

    it "makes Hashes, Arrays and numbers while Ruby collects" do
      floats = Array.new(60) { |i| ((i * 7919) % 37) * 1.0e200 }
      wanted = [floats.group_by { |x| x * 2 }, floats.tally, floats.uniq, floats.sort_by { |x| -x }]
      given = lambda do
        [floats.pgroup_by { |x| x * 2 }, floats.ptally, floats.puniq, floats.psort_by { |x| -x }]
      end
      given.call
      begin
        GC.stress = true
        found = given.call
      ensure
        GC.stress = false
      end
      expect(found).to eq(wanted)
    end

    it "explains what runs" do
      text = Ikra.explain((1..9).plazy.select { |x| x.odd? }.map { |x| x * 0.5 }).text
      expect(text).to include("x * 0.5: Float", "kept: bool", "compact b")
      expect(text).not_to include("(ikra")
      expect(Ikra.explain([3, 1], :psort_by) { |x| -x }.types).to include("-x: Integer")
      expect { Ikra.explain([1].plazy) }.to raise_error(ArgumentError, /no stages/)
    end
  end
end

# frozen_string_literal: true

# What a section has changed is written by all threads, as plain memory, beside what only Ruby's functions can write.
class WritingHolder
  attr_accessor :a, :b, :c

  def initialize(a, b, c)
    @a = a
    @b = b
    @c = c
  end

  def state = instance_variables.to_h { |name| [name, instance_variable_get(name)] }
end

# Its variables are set in any order, and some are not.
class WritingShape
  attr_accessor :a, :b, :c, :d, :e

  def initialize(order)
    order.each { |name| instance_variable_set(name, 1) }
  end

  def state = instance_variables.sort.to_h { |name| [name, instance_variable_get(name)] }
end

WritingPair = Struct.new(:left, :right)
WritingWide = Struct.new(*(1..40).map { |i| :"m#{i}" })

# Says what it looks like while somebody says that it is frozen.
class WritingWitness
  attr_accessor :n, :seen, :others

  def initialize(n) = @n = n
  def inspect = (@others.first.seen << @others.map(&:n)) && "a witness"
end

RSpec.describe "the layout of arrays and Hashes" do
  it "is that of this Ruby" do
    native = Ikra.const_get(:Native)
    expect([native.knows_arrays, native.knows_hashes]).to eq([true, true])
  end
end

each_compiling_backend do |backend|
  # Floats and Integers that live on the heap among those that do not, and what is none.
  numbers = [1.5, -0.0, 0.0, 1e-300, 1e300, Float::INFINITY, 2.25, 7, -1, 2**61, (2**62) - 1, -(2**62) - 1, (2**63) - 1]
  floats = numbers.grep(Float)

  threads = backend == :cpu ? { 1 => [nil, "1"], 2 => ["1"], 16 => [nil, "1"] } : { 2 => ["1"] }
  threads.flat_map { |count, splits| splits.map { |split| [count, split] } }.each do |count, split|
    context "with #{count} threads#{" for few values" if split}" do
      around do |example|
        Ikra.threads = count
        ENV["IKRA_TEST_SPLIT"] = split
        Warnings.without { example.run }
      ensure
        Ikra.threads = nil
        ENV.delete("IKRA_TEST_SPLIT")
      end

      # Both give states, which have to be the same.
      def expect_written(make, &)
        ours = make.call
        rubys = make.call
        ours.peach(&)
        rubys.each(&)
        different = ours.zip(rubys).find { |pair| pair.map { |o| state(o).inspect }.uniq.size == 2 }
        expect(different).to be_nil
      end

      def state(object) = object.respond_to?(:state) ? object.state : object

      it "writes immediates among what lives on the heap" do
        make = -> { Array.new(700) { |i| WritingHolder.new(floats[i % floats.size], i * 0.5, nil) } }
        expect_written(make) { |o| o.b = o.a * o.b if o.a < 2.25 }
        expect_written(make) { |o| o.c = o.a > 1 ? o.b : nil }
        expect_written(make) { |o| o.a, o.b = o.b, o.a }
        make = -> { Array.new(700) { |i| WritingHolder.new(numbers.grep(Integer)[i % 6], i, i.even?) } }
        expect_written(make) do |o|
          o.b = o.a & 0xffff_ffff_ffff
          o.c = !o.c if o.b.even?
        end
        expect_written(make) { |o| o.b = o.a if o.b % 97 == 3 }
        expect_written(make) { |o| o.c = o.c ? o.b : nil }
        objects = make.call
        objects.peach { |o| o.c = o.c ? o : nil }
        expect(objects.each_with_index.map { |o, i| o.c.equal?(i.even? ? o : nil) }).to all(be(true))
      end

      it "writes variables of all shapes, and such that were not set" do
        names = %i[@a @b @c @d @e]
        orders = names.permutation.to_a.flat_map { |order| [order, order.first(3)] }
        make = -> { Array.new(960) { |i| WritingShape.new(orders[i % orders.size]) } }
        expect_written(make) { |o| o.a = (o.a || 5) + 1 }
        expect_written(make) { |o| o.a = o.b || 0.5 }
        expect_written(make) do |o|
          o.e = 2.5 unless o.a
          o.d = 1e-300 if o.b
        end
      end

      it "writes members of Structs" do
        expect_written(-> { Array.new(500) { |i| WritingPair.new(i, i * 1.5) } }) do |s|
          s.left = -s.left
          s.right += 1
        end
        expect_written(-> { Array.new(500) { |i| WritingWide.new(*(i...(i + 40))) } }) do |s|
          s.m40 = s.m1
          s.m1 = s.m2 * s.m3
        end
      end

      it "writes items of arrays, also of such that share their memory" do
        make = lambda do
          long = Array.new(300) { |i| i * 0.5 }
          Array.new(200) { |i| i % 50 == 7 ? long.first(290 - i) : Array.new((i % 5) + 1) { |k| k + (i * 0.25) } }
        end
        expect_written(make) { |items| items[0] += 1.0 }
        expect_written(make) { |items| items[-1] = items[0] * 1e-310 if items.size > 2 }
        long = Array.new(5_000) { |i| i }
        part = long.first(4_000)
        [long].peach { |items| items.size.times { |i| items[i] += i } }
        expect(long).to eq(Array.new(5_000) { |i| 2 * i })
        expect(part).to eq((0...4_000).to_a)
      end

      it "raises where something is frozen, and changes nothing" do
        objects = Array.new(400) { |i| WritingHolder.new(i, i * 0.5, nil) }
        objects.peach { |o| o.a += 1 }
        objects[333].freeze
        states = objects.map(&:state)
        expect { objects.peach { |o| o.a += 1 } }.to raise_error(FrozenError)
        expect(objects.map(&:state)).to eq(states)
        objects.peach { |o| o.a += 1 if o.a != 334 }
        expect(objects.map(&:a)).to eq((0...400).map { |i| i == 333 ? 334 : i + 2 })
        arrays = Array.new(200) { |i| [i, i + 1] }
        arrays[150].freeze
        expect { arrays.peach { |items| items[1] = 0 } }.to raise_error(FrozenError)
        expect(arrays).to eq(Array.new(200) { |i| [i, i + 1] })
      end

      it "makes arrays of results, also while garbage is collected" do
        all = Array.new(150) { |i| numbers[i * 7 % numbers.size] }
        blocks = [:itself.to_proc, ->(x) { x.to_f * 1e-150 }, ->(x) { x > 1 ? x : nil }, ->(x) { [x, x.to_f] },
                  ->(x) { x > 1 }]
        sames = lambda do
          [all.pmap { |x| x }, all.pmap { |x| x.to_f * 1e-150 }, all.pmap { |x| x > 1 ? x : nil },
           all.pmap { |x| [x, x.to_f] }, all.pmap { |x| x > 1 }]
        end
        expected = blocks.map { |block| all.map(&block) }
        expect(sames.call.inspect).to eq(expected.inspect)
        GC.stress = GCModes::YOUNG
        results = sames.call
        GC.stress = false
        expect(results.inspect).to eq(expected.inspect)
      ensure
        GC.stress = false
      end

      it "selects" do
        all = Array.new(150) { |i| numbers[i * 7 % numbers.size] }
        objects = all.map { |x| WritingHolder.new(x, nil, nil) }
        GC.stress = backend == :cpu && GCModes::YOUNG
        results = [all.pselect { |x| x > 1 }, objects.pselect { |o| o.a > 1 }, (0...200).pselect { |i| i % 3 == 1 },
                   ((2**62) - 70..(2**62) + 70).pselect { |i| i.even? }, all.pselect { |x| x.nil? }]
        GC.stress = false
        expect(results.map { |r| r.map { |x| x.is_a?(WritingHolder) ? x.object_id : x } }.inspect)
          .to eq([all.select { |x| x > 1 }, objects.select { |o| o.a > 1 }.map(&:object_id), (1...200).step(3).to_a,
                  ((2**62) - 70..(2**62) + 70).select(&:even?), []].inspect)
        expect({ a: 1, b: 2 }.pselect { |_, n| n > 1 }).to eq({ b: 2 })
      ensure
        GC.stress = false
      end

      it "puts numbers together" do
        integers = Array.new(1_000) { |i| (i * 7919 % 1009) - 500 }
        [integers, integers.map { |i| i * 0.1 }, integers.map { |i| i << 53 }].each do |all|
          sum = difference = 1
          greatest = least = all[0]
          later = all[1]
          all.peach do |x|
            sum += x
            difference -= x
            greatest = [greatest, x].max
            least = [x, least].min
            later = [x, later].max
          end
          expect([sum, difference, greatest, least, later].inspect)
            .to eq([all.reduce(1, :+), all.reduce(1, :-), all.max, all.min, all.drop(1).max].inspect)
        end
        bits = 0
        integers.peach { |x| bits ^= x }
        expect(bits).to eq(integers.reduce(:^))
        huge = 2**62
        (1..200).peach { |i| huge += i << 55 }
        expect(huge).to eq((2**62) + ((1..200).sum << 55))
      end
    end
  end
  next unless backend == :cpu

  around { |example| Warnings.without { example.run } }

  it "undoes what it has written where another thread has frozen something meanwhile" do
    objects = Array.new(300) { |i| WritingWitness.new(i) }
    objects.each { |o| (o.seen = []) && (o.others = objects) }
    changes = Thread.new { sleep(0.1) && objects[200].freeze }
    expect { objects.peach(2_000_000) { |o| o.n = (o.n * 3) % 1_000_003 } }.to raise_error(FrozenError, /a witness/)
    changes.join
    expect(objects.map(&:n)).to eq((0...300).to_a)
    expect(objects[0].seen.uniq).to eq([(0...300).to_a])
  end

  it "writes into arrays that another thread has made shorter meanwhile" do
    arrays = Array.new(100) { |i| [i, i + 1, i + 2, i + 3] }
    changes = Thread.new { sleep(0.1) && arrays[50].clear }
    arrays.peach(2_000_000) { |items| items[3] = (items[3] * 3) % 1_000_003 }
    changes.join
    expect(arrays.map(&:size).uniq).to eq([4])
    expect(arrays[50].first(3)).to eq([nil, nil, nil])
    expect(arrays[51].first(3)).to eq([51, 52, 53])
  end

  it "writes what another thread has changed meanwhile" do
    objects = Array.new(300) { |i| WritingHolder.new(i + 1, 2, nil) }
    changes = Thread.new { sleep(0.1) && objects.each { |o| o.a = "another" } }
    objects.peach(2_000_000) { |o| o.a = (o.a * 3) % 1_000_003 }
    changes.join
    expect(objects.map(&:a)).to all(be_an(Integer))
  end
end

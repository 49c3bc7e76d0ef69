# frozen_string_literal: true

# What sections do with columns.
require "English"
RSpec.describe Ikra::Column do
  def column(items, type = nil) = described_class.from_a(items, type)

  # Type, items and class, so that -0.0, NaN and 1 and 1.0 are told apart.
  def shown(value)
    case value
    when described_class, Ikra::TupleColumn then [value.class, value.type, value.to_a.map(&:inspect)]
    else value.inspect
    end
  end

  # What the block gives, or the class of what it raises; what is refused is not compared.
  def comparable
    given = yield
    given.is_a?(Enumerator) ? given.to_a : given
  rescue Ikra::Error
    throw :refused
  rescue StandardError => e
    e.class
  end

  # The value of the block with Ruby and on the back-end.
  def expect_as_in_ruby
    chosen = Ikra.chosen
    catch(:refused) do
      Ikra.backend = :ruby
      expected = shown(yield)
      Ikra.backend = chosen
      expect(shown(yield)).to eq(expected)
    end
  ensure
    Ikra.backend = chosen
  end

  floats = [1.5, -0.0, 0.0, Float::INFINITY, -Float::INFINITY, Float::NAN, Float::MAX, 5e-324, 0.1]
  integers = [0, -1, 7, (2**62), -(2**62), (2**31), (2**63) - 1, -(2**63)]
  small = [0, -1, 7, (2**31) - 1, -(2**31)]
  truths = [true, false, false, true]
  hostile = { float64: floats, float32: floats, int64: integers, int32: small, bool: truths }

  each_backend do
    describe "as what a section is called on" do
      hostile.each do |type, items|
        it "gives its items: #{type}" do
          expect_as_in_ruby { column(items, type).pmap { |x| x } }
          expect_as_in_ruby { column(items, type)[1..2].pmap { |x| x } }
          expect_as_in_ruby { column(items, type)[1..][1..].pselect { |x| x == x } } # rubocop:disable Lint/BinaryOperatorWithIdenticalOperands
          expect_as_in_ruby { column(items, type)[2..].each_with_index.pmap { |x, i| [i, x] } }
          expect_as_in_ruby { column([], type).pmap { |x| x } }
          expect_as_in_ruby { column([], type).pselect { |x| x } }
        end
      end

      it "gives columns of the type of the values" do
        expect_as_in_ruby { column([1, 2, 3]).pmap { |x| x * 0.5 } }
        expect_as_in_ruby { column([1.0, -2.0]).pmap { |x| x > 0 } }
        expect_as_in_ruby { column([1.0, -2.0]).pmap { |x| x.to_i } }
        expect_as_in_ruby { column([1.0, -2.0]).pmap { |x| [x, x.to_i, x > 0] } }
        expect_as_in_ruby { column([true, false]).pmap { |b| b ? 1 : 2 } }
      end

      it "selects" do
        expect_as_in_ruby { column([1, 2, 3], :int32).pselect(&:odd?) }
        expect_as_in_ruby { column([true, false, true]).pselect { |b| b } }
        expect_as_in_ruby { column([0.1, 0.7, 1e9], :float32)[1..].pselect { |x| x > 0.5 } }
      end

      it "can be several columns" do
        points = column([[1.0, 2], [3.0, 4], [5.0, 6]])
        expect_as_in_ruby { points.pmap { |x, y| x * y } }
        expect_as_in_ruby { points.pmap { |point| point.sum } }
        expect_as_in_ruby { points.pmap { |x, y| [y, x] } }
        expect_as_in_ruby { points[1..].pselect { |_, y| y > 4 } }
        expect_as_in_ruby { points.each_with_index.pmap { |(x, y), i| x + (y * i) } }
        expect_as_in_ruby { described_class.new(0, %i[bool int64]).pmap { |_| 1 } }
        expect_as_in_ruby { described_class.new(0, %i[bool int64]).pselect { |_| true } }
      end

      it "adds up what is around" do
        total = 0
        values = column([1, 2, 3])
        expect(values.peach { |x| total += x }).to be(values)
        expect(total).to eq(6)
      end

      it "is what it was when the section was called" do
        values = column(floats)
        expect(values.pmap { |x| x + 1.0 }).not_to eq(values)
        expect(values.to_a.map(&:inspect)).to eq(floats.map(&:inspect))
      end

      it "has all parallel methods, which give what Ruby's do" do
        points = column([[1.0, 2], [3.0, 4]])
        # The order of pshuffle is chance.
        (Ikra::ParallelMethods.instance_methods(false) - %i[plazy pshuffle psample]).each do |name|
          [column([3, 1, 2, 1]), column([1.5, -0.5]), column([], :int64)].each do |values|
            expect_as_in_ruby { comparable { values.public_send(name) { |x| x > 1 } } }
            expect_as_in_ruby { comparable { values.public_send(name) { |x| x } } }
            expect_as_in_ruby { comparable { values.public_send(name, 2) } }
          end
          expect_as_in_ruby { comparable { points.public_send(name) { |x, y| x < y - 1 } } }
        end
      end

      it "refuses values that no column holds" do
        [->(x) { x > 1 ? x : nil }, ->(x) { x > 1 ? x : 1 }, ->(x) { [[x]] }].each do |block|
          expect do
            column([1.0, 2.0]).pmap(&block)
          end.to raise_error(Ikra::UnsupportedError, /\[column-result\]\n(?:.*\n)*  hint.*to_a/)
        end
        expect_as_in_ruby { column([1.0, 2.0]).to_a.pmap { |x| x > 1 ? x : nil } }
      end
    end

    describe "as what a block captures" do
      # Runs the block with columns made anew for each back-end: what it gives, and what is in the columns then.
      def expect_columns_as_in_ruby(*made)
        expect_as_in_ruby do
          columns = made.map { |items, type| column(items, type) }
          result = begin
            yield(*columns)
          rescue StandardError => e
            raise if e.is_a?(Ikra::Error)

            [e.class, e.message.lines.first.chomp]
          end
          [result.is_a?(described_class) ? result.to_a : result, columns.map(&:to_a)]
        end
      end

      hostile.each do |type, items|
        it "reads and writes items: #{type}" do
          made = [[items, type], [items.reverse, type]]
          expect_columns_as_in_ruby(*made) { |a, b| a.size.ptimes { |i| a[i] = b[i] } }
          expect_columns_as_in_ruby(*made) { |a, b| a.size.ptimes { |i| a[-i - 1] = b[i] } }
          expect_columns_as_in_ruby(*made) { |a, b| (0...a.size).step(2).peach { |i| a[i] = b[0] } }
          expect_columns_as_in_ruby(*made) { |a, _| (-12..12).pmap { |i| a[i] } }
          expect_columns_as_in_ruby(*made) { |a, b| [1].pmap { [a.size, a.length, a.empty?, a.first, a.last, a == b] } }
          expect_columns_as_in_ruby(*made) do |a, b|
            [1].pmap do |_|
              [a.to_a, b.reverse, a.first(2), b.last(2), a.take(1), a.drop(2)]
            end
          end
          expect_columns_as_in_ruby([[], type]) do |a|
            [1].pmap do
              [a[0], a[-1], a.size, a.first, a.last, a.to_a, a.count, a.any?]
            end
          end
        end

        it "does to views what is done to what they show: #{type}" do
          expect_columns_as_in_ruby([items, type]) do |a|
            v = a[1..2]
            2.ptimes { |i| v[i] = a[0] }
            v
          end
          expect_columns_as_in_ruby([items, type]) do |a|
            v = a[1..][0, 2]
            w = a[0...0]
            [[1].pmap { [v[0], v[1], v[2], w[0], w.size] }, v.pmap { |x| x }.to_a]
          end
        end
      end

      it "rounds what is stored in single precision before it is read again" do
        expect_columns_as_in_ruby([[0.0] * 8, :float32]) do |a|
          8.ptimes do |i|
            a[i] = 0.1 * i
            a[i] += 1e-9
            a[i] = a[i] * 3
          end
        end
        expect_columns_as_in_ruby([[0.0] * 4,
                                   :float32]) do |a|
          [1e300, -0.0, (2**24) + 1, (2**62) + 1].each_with_index.peach do |x, i|
            a[i] = x
          end
        end
      end

      it "raises what Ruby raises" do
        int32 = [[1, 2, 3], :int32]
        expect_columns_as_in_ruby(int32) { |a| [1, 2**31].each_with_index.peach { |x, i| a[i] = x } }
        [[:float64, nil], [:float64, true], [:int64, 1.5], [:int32, nil], [:bool, 1], [:bool, nil],
         %i[float32 x]].each do |type, value|
          items = type == :bool ? [true] : [1]
          expect do
            target = column(items, type)
            1.ptimes { |i| target[i] = value }
          end.to raise_error(TypeError, /no implicit conversion of .* into #{type}/)
        end
        target = column([1, 2, 3])
        expect { 5.ptimes { |i| target[i] = 9 } }.to raise_error(IndexError, "index 3 outside of column bounds: -3...3")
        expect do
          [-4].peach do |i|
            target[i] = 9
          end
        end.to raise_error(IndexError, "index -4 outside of column bounds: -3...3")
        expect { [1].pmap { target.fetch(7) } }.to raise_error(IndexError, "index 7 outside of array bounds: -3...3")
        expect([1].pmap do
                 [target.fetch(-1), target.fetch(9, 4), target.fetch(9) do |i|
                                                          i * 2
                                                        end]
               end).to eq([[target[-1], 4, 18]])
      end

      it "gives what Array's methods give" do
        expect_columns_as_in_ruby([[3.5, 1.25, -2.0, 1.25]], [[3, 1, -2, 1], :int32]) do |a, b|
          [1, 2].pmap do |n|
            total = 0.0
            a.each { |x| total += x * n }
            b.each_with_index { |x, i| total += x * i }
            a.reverse_each { |x| total -= x }
            [total, a.sum, b.sum, a.min, a.max, b.minmax, a.sort, b.sort do |x, y|
                                                                    y <=> x
                                                                  end, a.count(1.25), b.count(&:odd?),
             a.include?(3.5), b.index(1), b.rindex(1), b.find_index { |x| x < 0 }, a.each_slice(3).map(&:sum),
             b.each_cons(2).map { |x, y| y - x }, b.inject(:*), a.inject do |x, y|
                                                                  x - y
                                                                end, b.each_with_index.map do |x, i|
                                                                       x * i
                                                                     end,
             b.flat_map { |x| [x, n] }, b.min_by do |x|
                                          x * x
                                        end, b.partition(&:even?), b.to_a, [*b], Array(a), b.each_index.map do |i|
                                                                                             i
                                                                                           end,
             a.any? { |x| x > 3 }, a.zip(b), b.first(2), b.each_entry.map { |x| x + 1 }, b.find { |x| x < 2 }]
          end
        end
        expect([[1.0, Float::NAN], [Float::NAN, 1.0]].map { |items| column(items) }).to all(satisfy do |a|
          expect { [1].pmap { a.max } }.to raise_error(ArgumentError)
        end)
      end

      it "is what Ruby says that it is" do
        a = column([1, 2])
        b = column([1.0, 2.0])
        answers = [1].pmap do
          [a.is_a?(Ikra::Column), a.is_a?(Array), a.is_a?(Enumerable), a.respond_to?(:<<), a.respond_to?(:[]), a.nil?,
           a == b, a == 1, a == [1, 2], a.equal?(a), a.eql?(b), a.type, b.type]
        end
        expect(answers).to eq([[true, false, true, false, true, false, true, false, false, true, false, :int64,
                                :float64]])
        expect { [1].pmap { a + b } }.to raise_error(NoMethodError, /undefined method .\+. for /)
        expect { [1].peach { a << 3 } }.to raise_error(NoMethodError)
        x, y = nil
        expect([1].pmap { x, y = a; x.size + (y ? 1 : 0) }).to eq([2]) # rubocop:disable Style/Semicolon
      end

      it "is a constant, a local variable, or in objects and arrays" do
        stub_const("TABLE", column([10, 20, 30]))
        holder = Struct.new(:numbers, :name)
        expect_as_in_ruby { [0, 1, 5].pmap { |i| TABLE[i] } }
        expect_as_in_ruby do
          holders = [holder.new(column([1, 2])), holder.new(column([3, 4], :int32)), holder.new([5, 6])]
          holders.peach { |h| h.numbers[1] += h.numbers[0] }
          holders.map { |h| h.numbers.to_a }
        end
        expect_as_in_ruby do
          columns = Array.new(50) { |n| described_class.generate((n % 4) + 1, :float64) { |i| i + n } }
          sums = columns.pmap(&:sum)
          columns.peach { |c| c.each_index { |i| c[i] *= 2 } }
          [sums, columns.map(&:to_a)]
        end
        expect_as_in_ruby do
          a = column([1, 2])
          b = column([1.5])
          [[0, 1].pmap { |i| (i.zero? ? a : b)[0] }, [0, 1].pmap { |i| c = i.zero? ? a : nil; c&.size }] # rubocop:disable Style/Semicolon
        end
      end

      it "is given as a result, and as what is selected" do
        a = column([1, 2])
        b = column([3.0])
        expect([0, 1].pmap { |i| i.zero? ? a : b }).to match([be(a), be(b)])
        expect([a, b].pselect { |c| c.size > 1 }).to match([be(a)])
      end

      it "sees that columns have the same memory, whichever were seen first" do
        add = ->(x, y) { x.size.ptimes { |i| y[i] += x[i] } }
        expect_as_in_ruby do
          one = column((0...40).to_a)
          other = column([7] * 40)
          add.call(one, other)
          add.call(one, one)
          add.call(one[0, 20], one[20, 20])
          add.call(one[0, 30], one[10, 30])
          add.call(one[10, 30], one[0, 30])
          [one.to_a, other.to_a]
        end
      end

      it "changes all or nothing" do
        target = column([1, 2, 3])
        view = target[1..]
        expect do
          3.ptimes do |i|
            target[i] = 7
            view[0] = 8 if i.zero?
            raise "no" if i == 2
          end
        end.to raise_error(RuntimeError, "no")
        # Sequential Ruby has changed them by then.
        expect(target.to_a).to eq(Ikra.chosen == :ruby ? [7, 7, 7] : [1, 2, 3])
      end

      it "is not changed when it is frozen" do
        frozen = column([1, 2, 3]).freeze
        expect { 3.ptimes { |i| frozen[i] = 1 } }.to raise_error(FrozenError, /can't modify frozen Ikra::Column/)
        expect { 3.ptimes { |i| frozen[1..][i] = 1 } }.to raise_error(StandardError)
        expect(frozen.to_a).to eq([1, 2, 3])
        expect([1].pmap { frozen.sum }).to eq([6])
        seen = column([1, 2, 3])
        view = seen[1..]
        seen.freeze
        expect_as_in_ruby do
          2.ptimes { |i| view[i] = 9 }
          seen.to_a
        end
        expect { 1.ptimes { |i| seen[i] = 9 } }.to raise_error(FrozenError)
      end

      it "can be counted in" do
        expect_as_in_ruby do
          bins = described_class.new(5, :int64)
          sums = described_class.new(5, :float64)
          1000.ptimes { |i| bins[i % 5] += 1 }
          1000.ptimes { |i| sums[i % 5] += i * 0.1 }
          [bins.to_a, sums.to_a]
        end
      end
    end

    describe "in a section of several calls" do
      it "is read and written by all of them" do
        expect_as_in_ruby do
          xs = described_class.generate(9, :float64) { |i| i * 0.5 }
          ys = described_class.new(9, :float32, 1)
          view = ys[3..]
          given = Ikra.section do
            3.times { 9.ptimes { |i| ys[i] += xs[i] * 0.1 } }
            6.ptimes { |i| xs[i] = view[i] }
            view[1] = 7
            ys[0] + xs.sum
          end
          [given, xs.to_a, ys.to_a]
        end
      end

      it "is gone through" do
        expect_as_in_ruby do
          xs = column([1, 2, 3], :int32)
          ys = column([0.0] * 3)
          view = xs[1..]
          total = 0
          Ikra.section do
            xs.peach { |x| total += x }
            view.peach { |x| total += x * 10 }
            xs.each_with_index.peach { |x, i| ys[i] = x * 1.5 }
            1
          end
          [total, ys.to_a]
        end
      end
    end
  end

  each_compiling_backend do
    it "is not changed while a section goes through it" do
      values = column([1, 2, 3])
      view = values[1..]
      expect { values.peach { |x| values[0] = x } }.to raise_error(Ikra::UnsupportedError, /the column .*changing-base/)
      expect { values.peach { |x| view[0] = x } }.to raise_error(Ikra::UnsupportedError, /the column .*changing-base/)
      expect do
        values.each_with_index.peach do |x, i|
          view[i] = x
        end
      end.to raise_error(Ikra::UnsupportedError, /changing-base/)
    end

    it "is not changed while a call in a section goes through it" do
      values = column([1, 2, 3])
      view = values[1..]
      array = [1, 2, 3]
      [-> { values.peach { |x| values[2] = x } }, -> { view.peach { |x| values[2] = x } },
       -> { values.peach { |x| view[0] = x } }, -> { array.peach { |x| array[2] = x } }].each do |block|
        expect { Ikra.section(&block) }.to raise_error(Ikra::UnsupportedError, /changing-base/)
      end
      expect { Ikra.section { values.pmap { |x| x } } }.to raise_error(Ikra::UnsupportedError, /unsupported-base/)
      expect([values.to_a, array]).to eq([[1, 2, 3]] * 2)
    end

    it "refuses what would make columns in a section" do
      values = column([1, 2, 3])
      [-> { values.map { |x| x } }, -> { values.select { |x| x } }, -> { values.dup }, -> { values[0..1] },
       -> { values[0, 1] }, -> { values.fill(1) }, -> { values[0..1] = values }, -> { values.frozen? }].each do |block|
        expect { [1].pmap { block.call } }.to raise_error(Ikra::UnsupportedError, /hint: /)
      end
    end

    it "says who conflicts" do
      Ikra.conflicts = :raise
      values = column([0] * 9)
      view = values[3..]
      expect { 5.ptimes { |i| view[i] = values[i + 2] } }
        .to raise_error(Ikra::ConflictError, /of the same Ikra::Column/)
      expect { 6.ptimes { |i| view[i] = values[i] } }.to raise_error(Ikra::ConflictError)
      expect { 6.ptimes { |i| view[i] += 1 } }.not_to raise_error
    ensure
      Ikra.conflicts = :in_order
    end

    it "leaves what another thread writes meanwhile, but for what the section writes" do
      values = column([0] * 2000)
      stop = false
      thread = Thread.new do
        until stop
          values[1999] += 1
          Thread.pass
        end
      end
      20.times { 1000.ptimes { |i| 50.times { values[i] += 1 } } }
      stop = true
      thread.join
      expect(values.to_a[0...1000]).to eq([1000] * 1000)
      expect(values[1999]).to be > 0
    end

    it "takes a column where there was an Array, and the other way round" do
      block = ->(numbers) { 3.ptimes { |i| numbers[i] += 1 } }
      given = [[1, 2, 3], column([1, 2, 3]), column([1, 2, 3], :int32), column([1, 2, 3], :float32), [1.0, 2.0, 3.0]]
      given.each(&block)
      expect(given.map(&:to_a)).to eq([[2, 3, 4]] * 5)
      squares = given.map { |numbers| numbers.pmap { |x| x * x } }
      expect(squares.map(&:class)).to eq([Array, described_class, described_class, described_class, Array])
    end
  end
end

# frozen_string_literal: true

# What sections do with columns.
RSpec.describe Ikra::Column do
  def column(items, type = nil) = described_class.from_a(items, type)

  # Type, items and class, so that -0.0, NaN and 1 and 1.0 are told apart.
  def shown(value)
    case value
    when described_class, Ikra::TupleColumn then [value.class, value.type, value.to_a.map(&:inspect)]
    else value.inspect
    end
  end

  # The value of the block with Ruby and on the back-end.
  def expect_as_in_ruby
    chosen = Ikra.chosen
    Ikra.backend = :ruby
    expected = shown(yield)
    Ikra.backend = chosen
    expect(shown(yield)).to eq(expected)
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

      it "refuses values that no column holds" do
        [->(x) { x > 1 ? x : nil }, ->(x) { x > 1 ? x : 1 }, ->(x) { [[x]] }].each do |block|
          expect { column([1.0, 2.0]).pmap(&block) }.to raise_error(Ikra::UnsupportedError, /\[column-result\]\n  hint.*to_a/)
        end
        expect_as_in_ruby { column([1.0, 2.0]).to_a.pmap { |x| x > 1 ? x : nil } }
      end
    end
  end
end

# frozen_string_literal: true

# Ikra::Column by itself; column_sections_spec.rb has what sections do with it.
RSpec.describe Ikra::Column do
  numbers = {
    float64: [1.5, -0.0, 0.0, Float::INFINITY, -Float::INFINITY, Float::MAX, Float::MIN, 5e-324, 0.1],
    float32: [1.5, -0.0, 0.0, Float::INFINITY, -Float::INFINITY, 0.25, -3.0],
    int64: [0, -1, (2**63) - 1, -(2**63), 2**62, 42],
    int32: [0, -1, (2**31) - 1, -(2**31), 42],
    bool: [true, false, false, true]
  }
  packed = { float64: "d*", float32: "f*", int64: "q*", int32: "l*" }

  def pack(values, directive)
    return values.pack(directive) if directive

    values.map { |truth| truth ? 1 : 0 }.pack("C*")
  end

  numbers.each do |type, values|
    describe "of #{type}" do
      let(:column) { described_class.from_a(values, type) }

      it "holds what was put there, bit for bit" do
        expect(column.to_a.map(&:inspect)).to eq(values.map(&:inspect))
        expect(Array.new(values.size) { |i| column[i] }.map(&:inspect)).to eq(values.map(&:inspect))
        expect([column.size, column.length, column.type]).to eq([values.size, values.size, type])
      end

      it "is packed as Array#pack does" do
        expect(column.to_packed).to eq(pack(values, packed[type]))
        expect(described_class.from_packed(column.to_packed, type)).to eq(column)
      end

      it "has no item outside" do
        expect([column[values.size], column[-values.size - 1], column[values.size..]&.size]).to eq([nil, nil, 0])
        expect(column[(values.size + 1)..]).to be_nil
        [values.size, -values.size - 1].each do |index|
          expect { column[index] = values.first }.to raise_error(IndexError, /outside of column bounds/)
        end
      end

      it "comes back from Marshal, and from a copy" do
        [Marshal.load(Marshal.dump(column)), column.dup, column.clone].each do |copy|
          expect([copy.type, copy.to_packed]).to eq([type, column.to_packed])
          copy[0] = values.last
          expect(column.to_packed).to eq(pack(values, packed[type]))
        end
      end

      it "has views that share its memory, also of views" do
        view = column[1..][1, 2]
        expect(view.to_a.map(&:inspect)).to eq(values[2, 2].map(&:inspect))
        view[0] = values.last
        expect(column[2].inspect).to eq(values.last.inspect)
        column[3] = values.first
        expect(view[-1].inspect).to eq(values.first.inspect)
      end

      it "can be empty" do
        empty = described_class.new(0, type)
        expect([empty.to_a, empty.to_packed, empty.first, empty[0], empty[0..].size]).to eq([[], "", nil, nil, 0])
        expect(empty.inspect).to eq("#<Ikra::Column #{type}[0]>")
        expect(empty.map(&:nil?)).to eq(empty)
      end

      it "goes through its items as an Array does" do
        array = column.to_a
        expect(column.each_with_index.to_a.inspect).to eq(array.each_with_index.to_a.inspect)
        expect(column.each.next.inspect).to eq(array.first.inspect)
        expect(column.reverse_each.to_a.inspect).to eq(array.reverse.inspect)
        expect(column.each_slice(2).to_a.inspect).to eq(array.each_slice(2).to_a.inspect)
        expect([column.first, column.last(2), column.count, column.include?(array[1])].inspect)
          .to eq([array.first, array.last(2), array.count, true].inspect)
      end
    end
  end

  it "rounds to single precision what is stored so, and widens what is read" do
    column = described_class.new(3, :float32)
    column[0] = 0.1
    column[1] = 1e300
    column[2] = Float::NAN
    expect(column.to_a[0, 2]).to eq([[0.1].pack("f").unpack1("f"), Float::INFINITY])
    expect(column[2]).to be_nan
  end

  it "takes Integers for Floats, and otherwise what is of the class only" do
    floats = described_class.new(2, :float64, 3)
    floats[1] = 2**70
    expect(floats.to_a).to eql([3.0, (2**70).to_f])
    { float64: [nil, "1", 1r, true], int64: [1.0, nil, true], int32: [1.0, :a], bool: [0, nil] }.each do |type, values|
      column = described_class.new(1, type)
      values.each do |value|
        expect { column[0] = value }.to raise_error(TypeError, /no implicit conversion of .* into #{type}/)
      end
    end
  end

  it "says what does not fit" do
    expect { described_class.new(1, :int32)[0] = 2**31 }.to raise_error(RangeError, "2147483648 does not fit int32")
    expect { described_class.new(1, :int64, -(2**63) - 1) }.to raise_error(RangeError, /does not fit int64/)
    expect { described_class.from_a([1, 2.0]) }.to raise_error(TypeError, /Integer, Float/)
    expect { described_class.from_a([]) }.to raise_error(ArgumentError, /give the type/)
    expect { described_class.new(1, :int16) }.to raise_error(ArgumentError, /unknown type of a column: :int16/)
    expect { described_class.new(-1, :bool) }.to raise_error(ArgumentError, /negative size/)
    expect { described_class.new(2**60, :bool) }.to raise_error(ArgumentError, /no memory/)
    expect { described_class.from_packed("abc", :int32) }.to raise_error(ArgumentError, /3 bytes/)
  end

  it "finds the type of items" do
    expect([[1.0], [1], [true, false], [2**62]].map { |items| described_class.from_a(items).type })
      .to eq(%i[float64 int64 bool int64])
  end

  it "is equal to a column of equal items" do
    ints = described_class.from_a([1, 2**53])
    floats = described_class.from_a([1.0, (2**53).to_f])
    expect([ints == floats, floats == ints, ints == ints.to_a, ints == described_class.from_a([1])])
      .to eq([true, true, false, false])
    expect(described_class.from_a([(2**53) + 1]) == described_class.from_a([(2**53).to_f])).to be(false)
    zeros = [-0.0, 0.0].map { |zero| described_class.from_a([zero]) }
    expect(zeros[0] == zeros[1]).to be(true)
    nan = described_class.from_a([Float::NAN])
    expect(nan == nan.dup).to be(false)
  end

  it "cannot be changed when it is frozen, and what is seen of it then neither" do
    column = described_class.new(3, :int64)
    before = column[0..1]
    column.freeze
    expect { column[0] = 1 }.to raise_error(FrozenError)
    expect { column.fill(1) }.to raise_error(FrozenError)
    expect { column[0..1][0] = 1 }.to raise_error(FrozenError)
    expect([column.clone.frozen?, column.dup.frozen?, column.clone(freeze: false).frozen?]).to eq([true, false, false])
    before[1] = 7
    expect(column.to_a).to eq([0, 7, 0])
  end

  it "takes items for rows, all or none" do
    column = described_class.generate(6, :int32) { |i| i }
    column[1..2] = [10, 20]
    column[3, 3] = column[0, 3]
    expect(column.to_a).to eq([0, 10, 20, 0, 10, 20])
    column[0...5] = column[1..]
    expect(column.to_a).to eq([10, 20, 0, 10, 20, 20])
    expect { column[0..1] = [1, 2**40] }.to raise_error(RangeError)
    expect { column[0..1] = [1] }.to raise_error(ArgumentError, "1 items for 2 rows")
    expect { column[9..] = [] }.to raise_error(RangeError)
    expect { column[0..1] = 3 }.to raise_error(TypeError)
    expect(column.to_a).to eq([10, 20, 0, 10, 20, 20])
  end

  it "gives columns where it is mapped and selected from" do
    column = described_class.from_a([1, 2, 3], :int32)
    expect(column.map { |x| x * 0.5 }).to have_attributes(type: :float64, to_a: [0.5, 1.0, 1.5])
    expect(column.map(&:even?)).to have_attributes(type: :bool)
    expect(column.select(&:odd?)).to have_attributes(type: :int32, to_a: [1, 3])
    expect(column.reject(&:odd?)).to have_attributes(type: :int32, to_a: [2])
    expect { column.map(&:to_s) }.to raise_error(Ikra::UnsupportedError, /to_a\.pmap/)
    expect { column.map { |x| x > 1 ? x : nil } }.to raise_error(Ikra::UnsupportedError)
  end

  it "shows its beginning" do
    expect(described_class.new(1_000_000, :float64, 1).inspect)
      .to eq("#<Ikra::Column float64[1000000] 1.0, 1.0, 1.0, …>")
    expect(described_class.from_a([true]).to_s).to eq("#<Ikra::Column bool[1] true>")
  end

  it "has no subclasses, and is made by its own methods only" do
    expect { Class.new(described_class) }.to raise_error(TypeError, "Ikra::Column has no subclasses")
    expect { described_class.allocate }.to raise_error(TypeError)
  end

  it "lives through collections of garbage, as do the views of what is gone" do
    view = described_class.generate(40_000, :float64, &:to_f)[10_000..]
    GC.start
    GC.compact if GC.respond_to?(:compact)
    GC.stress = GCModes::YOUNG
    kept = Array.new(20) { |i| view[i * 100, 50].map { |x| x + 1.0 } }
    GC.stress = false
    expect(kept.map(&:first)).to eq(Array.new(20) { |i| 10_001.0 + (i * 100) })
  ensure
    GC.stress = false
  end

  it "tells the garbage collector of its memory" do
    before = GC.count
    60.times { described_class.new(4_000_000, :float64) }
    expect(GC.count).to be > before
  end

  describe "of several types" do
    let(:points) { described_class.from_a([[1.0, 2], [3.0, 4], [5.0, 6]]) }

    it "has arrays as items" do
      expect(points.type).to eq(%i[float64 int64])
      expect([points[0], points[-1], points[3], points.size, points.to_a])
        .to eq([[1.0, 2], [5.0, 6], nil, 3, [[1.0, 2], [3.0, 4], [5.0, 6]]])
      expect(points.columns.map(&:to_a)).to eq([[1.0, 3.0, 5.0], [2, 4, 6]])
      expect(points.inspect).to eq("#<Ikra::TupleColumn (float64, int64)[3] [1.0, 2], [3.0, 4], [5.0, 6]>")
    end

    it "stores all of an item or nothing" do
      expect { points[0] = [9.0, 1.0] }.to raise_error(TypeError)
      expect { points[0] = [9.0] }.to raise_error(TypeError)
      expect(points[0]).to eq([1.0, 2])
      points[1..][0] = [7, 8]
      expect(points[1]).to eql([7.0, 8])
    end

    it "is mapped, selected from, copied and frozen" do
      expect(points.map { |x, y| x * y }.to_a).to eq([2.0, 12.0, 30.0])
      expect(points.map { |x, y| [y, x] }.type).to eq(%i[int64 float64])
      expect(points.select { |x, _| x > 2 }.to_a).to eq([[3.0, 4], [5.0, 6]])
      copy = points.dup
      copy[0] = [0.0, 0]
      expect([points[0], points == copy, points == Marshal.load(Marshal.dump(points))]).to eq([[1.0, 2], false, true])
      expect { points.freeze[0] = [0.0, 0] }.to raise_error(FrozenError)
    end

    it "is made with a fill, and over columns" do
      made = described_class.new(2, %i[int32 bool], [7, true])
      expect(made.to_a).to eq([[7, true], [7, true]])
      expect(Ikra::TupleColumn.over(made.columns)).to eq(made)
      expect { Ikra::TupleColumn.over([made.columns[0], described_class.new(1, :bool)]) }.to raise_error(ArgumentError)
    end
  end

  describe "and arrays of numbers of others" do
    numbers.each do |type, values|
      it "is an IO::Buffer and comes of one: #{type}" do
        skip "this Ruby has no IO::Buffer" unless defined?(IO::Buffer)
        experimental = Warning[:experimental]
        Warning[:experimental] = false
        column = described_class.from_a(values, type)
        expect(described_class.from_buffer(column.to_buffer, type).to_packed).to eq(column.to_packed)
        expect(described_class.from_buffer(column[1..2].to_buffer, type).to_packed).to eq(column[1..2].to_packed)
        expect(described_class.from_buffer(described_class.new(0, type).to_buffer, type).size).to eq(0)
      ensure
        Warning[:experimental] = experimental unless experimental.nil?
      end

      it "is a Numo::NArray and comes of one: #{type}" do
        begin
          require "numo/narray"
        rescue LoadError
          skip "the gem numo-narray is not there"
        end
        column = described_class.from_a(values, type)
        narray = column.to_numo
        expected = type == :bool ? pack(values, nil).bytes : column.to_a
        expect(narray.to_a.map(&:inspect)).to eq(expected.map(&:inspect))
        expect(described_class.from_numo(narray)).to have_attributes(type:, to_packed: column.to_packed)
        expect(described_class.from_numo(column[1..].to_numo)).to have_attributes(to_packed: column[1..].to_packed)
        expect(described_class.from_numo(described_class.new(0, type).to_numo)).to have_attributes(type:, size: 0)
        expect { described_class.from_numo(Numo::UInt16[1, 2]) }.to raise_error(TypeError, /UInt16/)
      end
    end
  end
end

# frozen_string_literal: true

begin
  require "fiddle"
rescue LoadError
  # Only what looks at addresses needs it.
end

# Columns from and to others by Arrow's C interfaces.
RSpec.describe Ikra::ArrowTable do
  numbers = {
    float64: [1.5, -0.0, Float::INFINITY, 5e-324], float32: [1.5, -0.0, 0.25, -3.0],
    int64: [0, -1, (2**63) - 1, -(2**63)], int32: [0, -1, (2**31) - 1, -(2**31)], bool: [true, false, false, true]
  }
  column = Ikra::Column

  def on_each_backend
    chosen = Ikra.chosen
    Backends::ALL.each do |backend|
      Ikra.backend = backend
      yield
    end
  ensure
    Ikra.backend = chosen
  end

  # Where the numbers of a column lie: the second buffer of an ArrowArray.
  def place(column)
    skip "fiddle is not there" unless defined?(Fiddle)

    array = column.arrow_c_array.last
    buffers = Fiddle::Pointer.new(array.to_i)[40, 8].unpack1("J")
    Fiddle::Pointer.new(buffers)[8, 8].unpack1("J")
  end

  numbers.each do |type, values|
    it "takes what it gives: #{type}" do
      given = column.from_a(values, type)
      [column.from_arrow(given), column.from_arrow(*given.arrow_c_array.reverse)].each do |taken|
        expect([taken.type, taken.to_packed]).to eq([type, given.to_packed])
        expect(place(taken) == place(given)).to be(type != :bool)
      end
      part = column.from_arrow(given[1, 2])
      expect(part.to_packed).to eq(given[1, 2].to_packed)
      expect(column.from_arrow(column.new(0, type))).to have_attributes(size: 0, type:)
    end

    it "has who writes write into a copy: #{type}" do
      given = column.from_a(values, type)
      taken = column.from_arrow(given)
      other = taken[0..]
      taken[0] = values.last
      expect([taken[0], other[0], given[0]].inspect).to eq([values.last, values.last, values.first].inspect)
      given[1] = values.first
      expect([taken[1], given[1]].inspect).to eq([values[1], values.first].inspect)
      taken.fill(values.first)
      expect(given[2..].to_a.inspect).to eq(values[2..].inspect)
    end

    it "runs sections over what it took: #{type}" do
      taken = column.from_arrow(column.from_a(values, type))
      on_each_backend do
        expect(taken.pmap { |item| item }.to_a.inspect).to eq(values.inspect)
        expect((0...values.size).pcount { |i| taken[i] == values[i] }).to eq(values.size)
        copy = column.from_arrow(taken)
        copy.size.ptimes { |i| copy[i] = taken[copy.size - 1 - i] }
        expect([copy.to_a, taken.to_a].inspect).to eq([values.reverse, values].inspect)
      end
    end
  end

  it "sums, sorts and scans what it took as Ruby does" do
    [[:int64, [3, 1, 2]], [:int32, [3, 1, 2]], [:float64, [0.1, 0.7, 0.2]]].each do |type, values|
      taken = column.from_arrow(column.from_a(values, type))
      on_each_backend do
        expect([taken.psum, taken.pmin, taken.pmax, taken.psort.to_a, taken.sum, taken.sort.to_a])
          .to eq([values.sum, values.min, values.max, values.sort, values.sum, values.sort])
        expect(taken.pmap { |item| item }.psum).to eq(values.sum)
        expect(taken.pselect { |item| item > 1 }.to_a).to eq(values.select { |item| item > 1 })
      end
      sorted = column.from_arrow(taken)
      expect([sorted.sort!.to_a, taken.to_a]).to eq([values.sort, values])
    end
  end

  it "takes and gives tables" do
    table = described_class.new("price" => column.from_a([1.0, 2.5]), "n" => column.from_a([3, 4], :int32))
    [column.from_arrow(table), column.from_arrow(*table.arrow_c_array.reverse)].each do |taken|
      expect(taken.transform_values(&:to_a)).to eq("price" => [1.0, 2.5], "n" => [3, 4])
      expect(place(taken["n"])).to eq(place(table.columns["n"]))
    end
    expect { described_class.new("a" => [1]) }.to raise_error(TypeError, /Array/)
    expect { described_class.new({}) }.to raise_error(ArgumentError)
    expect { described_class.new(a: column.new(1, :bool), b: column.new(2, :bool)) }.to raise_error(ArgumentError)
    odd = described_class.new("a\0b" => column.new(1, :bool))
    expect { odd.arrow_c_array }.to raise_error(ArgumentError, /no name/)
    expect { column.from_arrow(odd) }.to raise_error(ArgumentError, /error 22/)
  end

  it "takes each structure once, and keeps what it took" do
    stream = column.from_a([1, 2, 3]).arrow_c_stream
    source = Struct.new(:arrow_c_stream).new(stream)
    taken = column.from_arrow(source)
    expect { column.from_arrow(source) }.to raise_error(ArgumentError, /taken or released/)
    GC.start
    expect(taken.to_a).to eq([1, 2, 3])
    expect { column.from_arrow(0, 0) }.to raise_error(ArgumentError, /taken or released/)
    expect { column.from_arrow(3) }.to raise_error(TypeError, /arrow_c_stream/)
  end

  it "frees what nobody took" do
    before = GC.count
    1_000.times { column.new(1_000, :float64).then { |made| [made.arrow_c_stream, made.arrow_c_array] } }
    GC.start
    expect(GC.count).to be > before
  end
end

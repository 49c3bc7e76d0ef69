# frozen_string_literal: true

# Where the numbers of columns are: sections on a GPU leave them there, and who looks at them has them brought home.
require "English"
require "tempfile"
RSpec.describe Ikra::Column do
  # Fewer go to a GPU with everything else that is small.
  count = 20_000

  def numbers(count) = described_class.from_a(Array.new(count) { |i| i * 0.5 })

  # On the host, on a device?
  def place(column) = Ikra.const_get(:Native).column_place(column)

  def on_gpu? = Ikra.backend.to_s.start_with?("cuda")

  def expect_only_there(column) = expect(place(column)).to eq(on_gpu? ? [false, true] : [true, false])
  def expect_also_there(column) = expect(place(column)).to eq([true, on_gpu?])

  each_backend(Backends::COMPILING) do
    it "stays where it was computed, until somebody looks" do
      column = numbers(count)
      doubled = column.pmap { |x| x * 2 }
      expect_also_there(column)
      expect_only_there(doubled)
      again = doubled.pmap { |x| x + 1 }
      expect_only_there(doubled)
      expect(again[7]).to eq(8.0)
      expect_also_there(again)
      expect(doubled.to_a).to eq(Array.new(count) { |i| i.to_f })
    end

    it "is read there by sections that capture it" do
      doubled = numbers(count).pmap { |x| x * 2 }
      sums = (0...count).pmap { |i| doubled[i] + doubled[(i + 1) % doubled.size] }
      expect_only_there(doubled)
      expect(sums.first(3)).to eq([1.0, 3.0, 5.0])
      expect(sums.last).to eq((count - 1).to_f)
    end

    it "is written there, and others that have it keep what they have" do
      column = numbers(count).pmap { |x| x * 2 }
      copy = column.dup
      view = column[10, 5]
      2.times { column.size.ptimes { |i| column[i] += 0.5 } }
      expect_only_there(column)
      expect(view.to_a).to eq([11.0, 12.0, 13.0, 14.0, 15.0])
      expect(copy[10]).to eq(10.0)
      expect(column).to eq(copy.pmap { |x| x + 1 })
    end

    it "is as before when a section fails" do
      column = numbers(count).pmap { |x| x * 2 }
      limit = count - 1
      expect do
        column.size.ptimes do |i|
          column[i] = 0.0
          raise ArgumentError, "stop" if i == limit
        end
      end.to raise_error(ArgumentError)
      expect_only_there(column)
      expect(column.to_a).to eq(Array.new(count) { |i| i.to_f })
      column.size.ptimes { |i| column[i] -= i }
      expect(column.to_a.uniq).to eq([0.0])
    end

    it "comes home to be written by the program" do
      column = numbers(count).pmap { |x| x * 2 }
      column[3] = 0.25
      expect(place(column)).to eq([true, false])
      expect(column.pmap { |x| x }.first(5)).to eq([0.0, 1.0, 2.0, 0.25, 4.0])
      column.size.ptimes { |i| column[i] += 1 }
      column.fill(7.0)
      expect(column.pmap { |x| x }.to_a.uniq).to eq([7.0])
    end

    it "has parts there" do
      column = numbers(count).pmap { |x| x * 2 }
      all = Array.new(count) { |i| i.to_f }
      part = column[5, count - 9]
      own = all[5, count - 9]
      expect(part.pmap { |x| x + 1 }.to_a).to eq(own.map { |x| x + 1 })
      expect(part.psum).to eq(own.sum)
      expect(part.pmax).to eq(own.max)
      expect(column[1..].pmap { |x| -x }.psort!.first(2)).to eq([-all[-1], -all[-2]])
      expect_only_there(column)
      expect(part.pselect { |x| x % 3 == 1 }.to_a).to eq(own.select { |x| x % 3 == 1 })
    end

    it "has all types" do
      truths = numbers(count).pmap { |x| x > 10 }
      expect(truths.to_a.count(true)).to eq(count - 21)
      expect(truths.pmap { |x| x ? 1 : 2 }.to_a.sum).to eq(count + 21)
      small = described_class.new(count, :int32, 3)
      small.size.ptimes { |i| small[i] += i }
      expect(small.to_a.last).to eq(count + 2)
      single = described_class.new(count, :float32, 0.1)
      single.size.ptimes { |i| single[i] = single[i] + 1 }
      expect(single.to_a.uniq).to eq([[1.1].pack("f").unpack1("f")])
      pairs = numbers(count).pmap { |x| [x, x > 1] }
      expect(pairs[4]).to eq([2.0, true])
    end

    it "is read and written by a section of several calls" do
      column = numbers(count).pmap { |x| x * 2 }
      cell = Struct.new(:row, :total)
      cells = Array.new(3) { |row| cell.new(row, 0.0) }
      Ikra.section do
        3.times { cells.peach { |one| one.total += column[one.row] } }
      end
      expect_only_there(column)
      expect(cells.map(&:total)).to eq([0.0, 3.0, 6.0])
      Ikra.section do
        3.times { |t| column.size.ptimes { |i| column[i] = i + t } }
      end
      expect(column[7]).to eq(9.0)
      Ikra.section do
        column.size.ptimes { |i| column[i] += 1 }
        Ikra.sync { column[0] = 100.0 }
        column.size.ptimes { |i| column[i] += 1 }
      end
      expect(column.first(3)).to eq([101.0, 5.0, 6.0])
    end

    it "is taken over row by row where another thread has written it meanwhile" do
      column = numbers(count).pmap { |x| x * 2 }
      other = column[0, 10]
      Ikra.section do
        column.size.ptimes { |i| column[i] += 1 if i > 5 }
        Ikra.sync { Thread.new { other[0] = 50.0 }.join }
        column.size.ptimes { |i| column[i] += 1 if i > 5 }
      end
      expect(column.first(8)).to eq([50.0, 1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 9.0])
    end

    it "can be frozen, dumped, shown and compared" do
      column = numbers(count).pmap { |x| x * 2 }.freeze
      expect { column.size.ptimes { |i| column[i] += 1 } }.to raise_error(FrozenError)
      expect(column.inspect).to start_with("#<Ikra::Column float64[20000] 0.0, 1.0, 2.0, …")
      expect(Marshal.load(Marshal.dump(column.pmap { |x| x }))).to eq(column)
    end

    # Whole columns, and what Ruby makes of Arrays of the same items.
    describe "as a whole" do
      wholes = {
        int64: Array.new(count) { |i| ((i * 7919) % 10_007) - 5_000 },
        float64: Array.new(count) { |i| (((i * 7919) % 10_007) - 5_000) / 3.0 },
        int32: Array.new(count) { |i| ((i * 7919) % 10_007) - 5_000 }
      }
      wholes.each do |type, items|
        it "is added up, compared and sorted: #{type}" do
          column = described_class.from_a(items, type)
          column.pmap { |x| x }
          expect(column.psum).to eq(items.sum)
          expect(column.psum(0.5)).to eq(items.sum(0.5))
          expect(column.psum(10) { |x| x * 2 }).to eq(items.sum(10) { |x| x * 2 })
          expect(column.pmin).to eq(items.min)
          expect(column.pmax).to eq(items.max)
          expect(column.pminmax).to eq(items.minmax)
          expect(column.pmax_by { |x| -x }).to eq(items.max_by { |x| -x })
          expect(column.psort).to eq(items.sort)
          expect(column.psort_by { |x| -x }).to eq(items.sort_by { |x| -x })
          expect(column[5, 100].psum).to eq(items[5, 100].sum)
          expect(column[5, 100].psort).to eq(items[5, 100].sort)
        end

        it "has sums up to each: #{type}" do
          column = described_class.from_a(items, type)
          column.pmap { |x| x }
          sum = 0
          expect(column.paccumulate(:+).to_a).to eq(items.map { |x| sum += x })
          sum = 7
          expect(column.paccumulate(7, :+).to_a).to eq(items.map { |x| sum += x })
          sum = 0.5
          expect(column.paccumulate(0.5, "+").to_a).to eq(items.map { |x| sum += x })
        end

        it "gives the items that are chosen: #{type}" do
          long = described_class.from_a(items * 4, type)
          long.pmap { |x| x }
          expect(long.pselect { |x| x > 10 }.to_a).to eq((items * 4).select { |x| x > 10 })
          few = long.pselect { |x| x == items[3] }
          expect(few.to_a).to eq([items[3]] * (items * 4).count(items[3]))
          expect(few.pmap { |x| x }.to_a).to eq(few.to_a)
          expect(long.pselect { |x| x > 1e9 }.to_a).to eq([])
          expect(few.type).to eq(type)
          pairs = Ikra::TupleColumn.over([long, long.dup])
          expect(pairs.pselect { |x, y| x + y > 10 }.to_a.size).to eq((items * 4).count { |x| x + x > 10 })
        end

        it "is sorted where it is: #{type}" do
          column = described_class.from_a(items, type)
          column.pmap { |x| x }
          view = column[0, 3]
          expect(column.psort!).to equal(column)
          expect(view.to_a).to eq(items.min(3))
          expect(column.to_a).to eq(items.sort)
          expect(column.psort! { |a, b| b <=> a }.first(4)).to eq(items.max(4))
          column[0, 100].psort!
          expect(column.first(3)).to eq(items.max(100).last(3).reverse)
        end
      end

      it "says what Ruby says of numbers that do not fit or compare" do
        large = described_class.new(count, :int64, 2**60)
        large.pmap { |x| x }
        expect(large.psum).to eq(count * (2**60))
        expect { large.paccumulate(:+) }.to raise_error(Ikra::UnsupportedError, /column-result/)
        odd = numbers(count).pmap { |x| x == 5 ? Float::NAN : -x }
        expect { odd.psort! }.to raise_error(ArgumentError)
        expect { odd.psort }.to raise_error(ArgumentError)
        expect(odd.psum).to be_nan
        zeros = numbers(count).pmap { |x| x * (x > 5 ? 1 : -1) * 0.0 }
        expect(zeros.psort!.to_a.map(&:to_s).tally).to eq("-0.0" => 11, "0.0" => count - 11)
        expect(zeros[0].to_s).to eq("-0.0")
        expect([zeros.pmin.to_s, zeros.pmax.to_s]).to eq(["-0.0", "-0.0"])
        expect { zeros.freeze.psort! }.to raise_error(FrozenError)
      end

      it "says what is missing for sums up to each" do
        [numbers(count), [1, 2], 1..3].each do |all|
          expected = begin
            [1, 2].inject
          rescue StandardError => e
            e
          end
          expect { all.paccumulate }.to raise_error(expected.class)
          expect { all.paccumulate(5) }.to raise_error(TypeError, "5 is not a symbol nor a string")
        end
        expect([1, 2, 3].paccumulate("+")).to eq([1, 3, 6])
      end
    end

    it "comes home when memory is released" do
      column = numbers(count).pmap { |x| x * 2 }
      Ikra.release_memory
      expect(place(column)).to eq([true, false])
      expect(column[3]).to eq(3.0)
    end

    it "goes to a forked child with what it holds" do
      column = numbers(count).pmap { |x| x * 2 }
      reader, writer = IO.pipe
      pid = fork do
        writer.print column.to_a.sum
        writer.close
        exit!(0)
      end
      writer.close
      Process.wait(pid)
      expect(reader.read).to eq((count * (count - 1) / 2).to_f.to_s)
      expect(column[1]).to eq(1.0)
    end
  end

  it "comes home where a device has too little memory, and sections go on" do
    skip "no emulated GPU here" unless ENV["IKRA_CUDA_EMULATOR"] && !HAS_GPU
    script = Tempfile.new(["little_memory", ".rb"])
    script.write(<<~RUBY)
      require "ikra"
      Ikra.backend = :"cuda-emulated"
      columns = Array.new(8) { |k| Ikra::Column.from_a(Array.new(20_000) { |i| i.to_f + k }).pmap { |x| x * 2 } }
      sums = columns.map { |column| column.pmap { |x| x + 1 } }
      places = columns.map { |column| Ikra.const_get(:Native).column_place(column) }
      abort "none came home" unless places.include?([true, false])
      8.times do |k|
        abort "wrong" unless sums[k].to_a == Array.new(20_000) { |i| ((i + k) * 2.0) + 1 }
        abort "wrong" unless columns[k].to_a == Array.new(20_000) { |i| (i + k) * 2.0 }
      end
    RUBY
    script.close
    command = [RbConfig.ruby, "-I#{File.expand_path("../lib", __dir__)}", script.path, { err: %i[child out] }]
    said = IO.popen({ "IKRA_CUDA_EMULATOR_MEMORY" => (1 << 20).to_s }, command, &:read)
    expect([$CHILD_STATUS.success?, said]).to eq([true, ""])
  end
end

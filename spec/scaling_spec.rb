# frozen_string_literal: true

require "set"

# What takes time in proportion to the data in Ruby does so in sections: for four times the data not ten times as long.
module Scaling
  TIMES = 3
  Link = Struct.new(:number, :rest)

  # The shortest of some times, in seconds of the process: others on the machine take none of them.
  def self.took
    Array.new(TIMES) do
      begun = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      yield
      Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - begun
    end.min
  end
end

RSpec.describe "Time" do
  on_cpu

  # What takes less than a few milliseconds says nothing. What is not linear is never so; a machine that is busy makes
  # one measurement worth little, so a bad one is taken again.
  def expect_linear(size, least: 0.003, again: 4, &section)
    [size, size * 4].each(&section)
    few, many = [size, size * 4].map { |n| Scaling.took { section.call(n) } }
    return expect_linear(size, least:, again: again - 1, &section) if many >= 10 * [few, least].max && again > 0

    expect(many).to be < 10 * [few, least].max
  end

  it "of an index loop over a String" do
    texts = Hash.new { |all, n| all[n] = ["let x = 1 + 2;\n" * (n / 15)] }
    expect_linear(20_000) do |n|
      texts[n].pmap do |text|
        i = count = 0
        while i < text.size
          count += 1 if text[i] == "x"
          i += 1
        end
        count
      end
    end
  end

  it "of an index loop over a String that the section makes" do
    expect_linear(20_000) do |n|
      [n].pmap do |size|
        text = "let x = 1;" * (size / 10)
        i = count = 0
        while i < text.size
          count += 1 if text[i, 2] == "x "
          text << "." if i % 1000 == 0
          i += 1
        end
        count
      end
    end
  end

  it "of looks at the end of a String that is not of ASCII" do
    expect_linear(10_000) do |n|
      [n].pmap do |size|
        text = "é" * size
        count = 0
        size.times { |i| count += 1 if text[-1] == "é" && text[-2, 2].bytesize == 4 && text[-(i % 5) - 1] == "é" }
        count
      end
    end
  end

  it "of lists that the code around parallel calls makes from their end, and puts into what exists" do
    expect_linear(10_000) do |n|
      box = [nil]
      Ikra.section { n.times { |i| box[0] = Scaling::Link.new(i, box[0]) } }
    end
    expect_linear(10_000) do |n|
      box = [nil]
      Ikra.section { n.times { |i| box[0] = [i, box[0]] } }
    end
  end

  it "of slices of a Range" do
    expect_linear(4_000) { |n| [n].pmap { |k| (0...k).each_slice(3).to_a.size } }
    expect_linear(4_000) { |n| [n].pmap { |k| (0...k).each_slice(20) { |slice| slice.size }.size } }
  end

  it "of slices of a Hash" do
    hashes = Hash.new { |all, n| all[n] = [(0...n).to_h { |i| [i, i] }] }
    expect_linear(4_000) { |n| hashes[n].pmap { |hash| hash.each_slice(3).with_index.to_a.size } }
  end

  it "of deletion from a Hash that the section makes" do
    expect_linear(10_000) do |n|
      [n].pmap do |k|
        hash = {}
        k.times { |i| hash[i * 7919 % 1_000_003] = i }
        k.times { |i| hash.delete(i * 7919 % 1_000_003) if i.even? }
        hash.size
      end
    end
  end

  it "of keys that hold arrays, and Strings" do
    key = ->(i) { [1, (0..2).map { |j| i * j }] }
    expect_linear(1_000) do |n|
      [n].pmap do |k|
        hash = {}
        k.times { |i| hash[key.call(i)] = i }
        hash.size
      end
    end
    expect_linear(1_000) do |n|
      Ikra.section do
        set = Set.new
        n.times { |i| set << [[i], [i.to_s, [i, nil]]] }
        set.size
      end
    end
  end

  it "of keys that are Hashes or Ranges, or hold some" do
    keyed_by = lambda do |n, &key|
      hash = {}
      n.times { |i| hash[key.call(i)] = i }
      hash.size
    end
    expect_linear(1_000) { |n| [n].pmap { |k| keyed_by.call(k) { |i| { a: i, b: [i] } } } }
    expect_linear(1_000) { |n| [n].pmap { |k| keyed_by.call(k) { |i| i..i + 1 } } }
    expect_linear(1_000) { |n| [n].pmap { |k| keyed_by.call(k) { |i| [i..i + 1] } } }
    expect_linear(1_000) { |n| [n].pmap { |k| keyed_by.call(k) { |i| [{ i => 1 }, 2] } } }
    rows = Hash.new { |all, n| all[n] = Array.new(n) { |i| { id: i, name: "n#{i}" } } }
    expect_linear(1_000) do |n|
      all = rows[n]
      Ikra.section { all.uniq.size + all.tally.size }
    end
  end

  it "of a Hash as a cache" do
    expect_linear(10_000) do |n|
      [n].pmap do |k|
        hash = {}
        k.times do |i|
          hash.delete(i / 2)
          hash[i] = i
          hash.delete(hash.first[0]) if hash.size > k / 10
        end
        hash.size
      end
    end
  end

  it "of deletion from Hashes and Sets that were there before" do
    hashes = Hash.new { |all, n| all[n] = [(0...n).to_h { |i| [i * 7919 % 1_000_003, i] }] }
    expect_linear(10_000) do |n|
      hash = hashes[n][0].dup
      Ikra.section { n.times { |i| hash[i + 2_000_000] = hash.delete(i * 7919 % 1_000_003) } }
    end
    sets = Hash.new { |all, n| all[n] = Set.new(0...n) }
    expect_linear(5_000) do |n|
      set = sets[n].dup
      Ikra.section do
        (n / 2).times do |i|
          set.delete(i * 7919 % n)
          set.delete(set.first)
        end
      end
    end
  end

  it "of characters that are replaced by others" do
    expect_linear(10_000) do |n|
      text = "." * n
      Ikra.section { n.times { |i| text[i] = "#" if i % 3 == 0 } }
    end
  end
end

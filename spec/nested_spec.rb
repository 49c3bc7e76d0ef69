# frozen_string_literal: true

require "tempfile"

# Inside an element parallel methods are those of Ruby that they stand for.
RSpec.describe "parallel methods inside elements" do
  rows = [[3, 1, 2], [5, 4], [7], [8, 1, 8, 3, 5, 6]]

  # With and without the p: the name stands in the text, so there are two methods for each.
  calls = {
    "map { |x| x * 2 }" => nil, "select { |x| x > 2 }" => nil, "filter { |x| x > 2 }" => nil,
    "reject { |x| x > 2 }" => nil,
    "filter_map { |x| x + 1 if x > 2 }" => nil, "flat_map { |x| [x, x] }" => nil, "partition { |x| x > 2 }" => nil,
    "sort" => nil, "sort_by { |x| -x }" => nil, "min" => nil, "max" => nil, "minmax" => nil,
    "min_by { |x| -x }" => nil, "max_by { |x| x % 3 }" => nil, "sum" => nil, "sum { |x| x * 0.1 }" => nil,
    "sum(0.5)" => nil, "count { |x| x > 2 }" => nil, "count(8)" => nil, "any? { |x| x > 4 }" => nil,
    "all? { |x| x > 1 }" => nil, "none? { |x| x > 7 }" => nil, "one? { |x| x > 2 }" => nil, "find { |x| x > 2 }" => nil,
    "find_index { |x| x > 2 }" => nil, "include?(5)" => nil, "inject(:+)" => nil, "inject { |a, b| a - b }" => nil,
    "reduce(1) { |a, b| a * b }" => nil, "uniq" => nil, "reverse" => nil, "first" => nil, "first(2)" => nil,
    "take(2)" => nil, "drop(2)" => nil, "take_while { |x| x > 2 }" => nil, "drop_while { |x| x > 2 }" => nil,
    "compact" => nil, "each_with_index.map { |x, i| x * i }" => "each_with_index.pmap { |x, i| x * i }",
    "map { |x| (0...x).map { |i| i * x } }" => "pmap { |x| (0...x).pmap { |i| i * x } }"
  }

  calls = calls.map { |plain, parallel| [plain, parallel || "p#{plain}"] }
  methods = calls.flatten.each_with_index.map do |call, i|
    "  def self.call#{i}(rows) = rows.pmap { |row| row.#{call} }\n"
  end
  file = Tempfile.new(["nested", ".rb"])
  file.write("module NestedCalls\n#{methods.join}end\n")
  file.close
  load file.path
  after(:context) { file.unlink }

  each_backend do
    calls.each_with_index do |(plain, parallel), i|
      it "has #{parallel}" do
        found = [0, 1].map { |which| NestedCalls.public_send(:"call#{(2 * i) + which}", rows) }
        expect(found[1]).to eq(found[0])
        expect(found[1]).to eq(rows.map { |row| eval("row.#{plain}", binding, __FILE__, __LINE__) }) # rubocop:disable Security/Eval
      end
    end

    it "goes through all elements again in each tick of a peach" do
      sums = rows.pmap do |row|
        sum = 0
        row.peach(3) { |x| sum = (sum * 2) + x }
        sum
      end
      expected = rows.map do |row|
        sum = 0
        3.times { row.each { |x| sum = (sum * 2) + x } }
        sum
      end
      expect(sums).to eq(expected)
      expect(rows.pmap { |row| row.peach(0) { |x| x / 0 }.size }).to eq(rows.map(&:size))
      expect do
        rows.pmap do |row|
          row.peach(0 - row.size) do |x|
            x
          end
        end
      end.to raise_error(ArgumentError, /must not be negative: -3/)
    end

    it "has the methods of Integers, Ranges, Structs, Enumerators and one's own Enumerables" do
      pair = Struct.new(:a, :b).new(4, 9)
      own = OwnEach::Own.new([2, 5])
      sums = rows.pmap do |row|
        sum = 0
        row.size.ptimes { |i| sum += i }
        (1..3).peach { |i| sum += i * row[0] }
        pair.peach { |x| sum += x }
        row.each_with_index.peach { |x, i| sum += x * i }
        row.peach_with_index { |x, i| sum += x * i }
        own.peach { |x| sum += x }
        sum
      end
      expected = rows.map do |row|
        products = row.each_with_index.sum { |x, i| x * i }
        (0...row.size).sum + (6 * row[0]) + 13 + (2 * products) + 7
      end
      expect(sums).to eq(expected)
    end
  end

  each_compiling_backend do
    it "refuses what Ruby has no method for, and what cannot run in an element" do
      expect { rows.pmap { |row| row.plazy.map { |x| x }.sum } }
        .to raise_error(Ikra::UnsupportedError, /`plazy` .*\[nested-section\]/)
    end
  end
end

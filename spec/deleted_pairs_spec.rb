# frozen_string_literal: true

require "set"

# Pairs that are deleted from Hashes with slots are dead for a while (`core/`), which nobody sees.
each_backend do |_|
  describe "deletion from Hashes that the section makes" do
    # So many pairs that there are slots, in an order that is not that of the keys.
    it "keeps the order, and finds what is left" do
      expect_same([0, 1, 15, 16, 17, 40, 300]) do |n|
        h = {}
        n.times { |i| h[i * 7919 % 1009] = i }
        gone = []
        n.times { |i| gone << h.delete(i * 7919 % 1009) if i % 3 == 1 }
        left = [h.size, h.empty?, h.first, h.key?(7919 % 1009), h[0], h.fetch(1, :none)]
        n.times { |i| h[i * 7919 % 1009] = -i if i % 6 == 1 }
        [gone, left, h.size, h, h.keys, h.values, h.to_a.last, h.sum { |k, v| k * v }]
      end
    end

    it "goes on where all are gone" do
      expect_same([20, 100]) do |n|
        h = Hash.new(7)
        n.times { |i| h["k#{i}"] = i }
        n.times { |i| h.delete("k#{n - 1 - i}") }
        none = [h.size, h.first, h.to_a, h["k1"], h.delete("k1")]
        (n / 2).times { |i| h["k#{i}"] += i }
        [none, h, h.shift, h.size, h.first]
      end
    end

    it "while others are gone through" do
      sizes = [0, 1, 3, 10, 17, 40, 200]
      made = ->(n) { (0...n).to_h { |i| [i * 7919 % 1009, i] } }
      expect_same(sizes) do |n|
        h = {}
        n.times { |i| h[i] = -i }
        h.each { |k, _| h.delete(k) if k.even? }
        h
      end
      expect_same(sizes.map(&made)) do |t|
        h = t.dup
        seen = []
        h.each do |k, v|
          seen << k
          h.delete(k + v)
        end
        [seen, h]
      end
      expect_same(sizes.map(&made)) do |t|
        h = t.dup
        h.each_key { |k| h.shift if k.odd? }
        h
      end
      expect_same(sizes) do |n|
        h = (0...n).to_h { |i| [i, 1] }
        [h.sum { |k, _v| h.delete(k - 1) || 5 }, h]
      end
      expect_same(sizes) do |n|
        h = (0...n).to_h { |i| [i, 1] }
        h.each { |k, _| h.clear if k == 3 }
        h.size
      end
      expect_same(sizes) do |n|
        h = (0...n).to_h { |i| [i, 1] }
        h.each do |k, _|
          h.each do |j, _|
            h.delete(j) if j == k + 2
          end
        end
        h
      end
      expect_same(sizes) do |n|
        h = (0...n).to_h { |i| [i, 1] }
        h.map do |k, v|
          h.delete(k * 2)
          h.size + v
        end
      end
      expect_same(sizes) do |n|
        s = Set.new((0...n).to_a)
        s.each { |x| s.delete(x + 1) }
        s.to_a
      end
      expect_same(sizes) do |n|
        h = (0...n).to_h { |i| [i, 1] }
        h.each do |k, _|
          h.delete(k)
          break if k == 5
        end
        [h.first, h.size]
      end
      tables = -> { sizes.map { |n| [made.call(n)] } }
      expect_same_effects(tables, 2) { |row| row[0].each { |k, v| row[0].delete(k) if (k + v).odd? } }
    end

    it "from the front, as in a cache" do
      expect_same([10, 30, 200]) do |n|
        h = {}
        seen = []
        (n * 5).times do |i|
          key = i * 31 % (n + 7)
          seen << h.delete(key) if i.odd?
          h[key] = i
          seen << h.delete(h.first[0]) if h.size > n / 2
          seen << h.shift if i % 50 == 49
          seen << h.keys.sum if i % 70 == 69
        end
        [h, seen]
      end
    end

    it "in what is copied, kept in arrays and given" do
      expect_same([20, 60]) do |n|
        hashes = Array.new(3) { {} }
        hashes.each_with_index do |h, j|
          n.times { |i| h[[i, j]] = i }
          n.times { |i| h.delete([i, j]) if i % (j + 2) == 0 }
        end
        other = hashes[0].dup
        other.delete([1, 0])
        [hashes, other, hashes[0].size, other == hashes[0], hashes[1].merge(other).size, hashes.map(&:size)]
      end
    end

    it "with the methods that go through pairs between" do
      expect_same([50]) do |n|
        h = {}
        n.times { |i| h[i] = i * i }
        all = []
        n.times do |i|
          h.delete(i * 3 % n)
          all << case i % 10
                 when 0 then h.map { |k, v| k + v }.sum
                 when 1 then h.select { |k, _| k.even? }.size
                 when 2 then h.any? { |k, _| k == 7 } ? 1 : 0
                 when 3 then h.min_by { |k, _| -k }
                 when 4 then h.values
                 when 5 then h.each_slice(2).to_a.size
                 when 6 then h.key(49)
                 when 7 then h.keep_if { |k, _| k != 20 }.size
                 when 8 then h.sort_by { |k, _| -k }.first(2)
                 else h.compact.size
                 end
        end
        [all, h]
      end
    end

    it "in Sets" do
      expect_same([10, 100]) do |n|
        set = Set.new
        n.times { |i| set << (i * 7 % 101) }
        n.times { |i| set.delete(i) if i.odd? }
        [set.size, set.include?(4), set.include?(5), set.to_a, set.first]
      end
    end
  end
end

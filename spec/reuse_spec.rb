# frozen_string_literal: true

# Memory that iterations of loops have taken is taken again, unless it is needed: what they have left is there then.
module Reuse
  # An object of a list, or a tree.
  class Node
    attr_accessor :value, :other, :nodes

    def initialize(value, other = nil)
      @value = value
      @other = other
      @nodes = []
    end

    def self.tree(depth)
      node = new(depth)
      2.times { node.nodes << tree(depth - 1) } if depth.positive?
      node
    end

    def count = 1 + @nodes.sum(&:count)

    # Variables of the method, which nobody reads in the next iteration.
    def self.counted(times, depth)
      i = total = 0
      seventh = nil
      while i < times
        node = tree(depth)
        pair = [node, i]
        total += pair[0].count
        seventh = node if i == 7
        i += 1
      end
      [total, seventh.count]
    end
  end

  # Puts something into a list in a loop, which it leaves then, or later.
  def self.left(list, number, how)
    catch(:out) do
      5.times do |j|
        pair = [[number, j]]
        list << pair if j == 1
        return list if how == :broken && j == 1

        throw(:out, pair) if how == :thrown && j == 3
        raise IndexError, "far" if how == :raised && j == 3
      end
    end
  rescue IndexError
    [[9, 9]]
  end

  # Leaves its loop when it has found something, and what it has found in a list.
  def self.found(list, count)
    count.times do |i|
      three = [i] * 3
      if i == 5
        (list << three
         return three)
      end
    end
    nil
  end
end

each_backend do |backend|
  around do |example|
    ENV["IKRA_TEST_COPIES"] = "1" if example.metadata[:copies]
    example.run
  ensure
    ENV.delete("IKRA_TEST_COPIES")
  end

  [false, true].each do |copies|
    describe "loops, where variables are #{"always " if copies}copied", copies: do
      it "keep what they put into something older" do
        expect_same([2000]) do |n|
          out = []
          n.times do |i|
            rows = Array.new(20) { |j| [j, i] }
            out << rows[i % 20] if i % 100 == 0
          end
          out
        end
        expect_same([500]) do |n|
          best = last = nil
          n.times do |i|
            root = Reuse::Node.new(i)
            9.times { |j| root.nodes << Reuse::Node.new(j, root) }
            best = root if i % 77 == 0
            last = root.nodes[3].other
          end
          [best.value, best.nodes.map(&:value), best.nodes[4].other.equal?(best), last.value, last.nodes.size]
        end
        expect_same([20]) { |n| Reuse::Node.counted(n, 3) }
        expect_same([300]) do |n|
          all = {}
          n.times do |i|
            counts = Hash.new(0)
            20.times { |j| counts[j % 7] += i }
            all["k#{i}"] = counts.values if i % 50 == 0
          end
          all
        end
      end

      it "keep what was left when they were left" do
        expect_same([50]) do |n|
          kept = []
          last = nil
          n.times { |i| (own = [i]) && (last = Reuse.found(kept, 10)) && (own << 1) }
          [kept.size, kept.first, kept.last, last]
        end
        %i[broken thrown raised].each do |way|
          expect_same([[50, way]]) do |n, how|
            kept = []
            n.times { |i| Reuse.left(kept, i, how) && [[7, i]].size }
            kept
          end
        end
      end

      it "keep what their variables hold" do
        expect_same([300]) do |n|
          one = other = []
          n.times do |i|
            one += [i]
            other = one if i % 3 == 0
            other << 7 if i % 5 == 0 && other.equal?(one)
          end
          [one, other, one.equal?(other)]
        end
        expect_same([300]) do |n|
          text = ""
          second = "é"
          n.times do |i|
            text += "x#{i}"
            second = "#{text}ü" if i % 10 == 3
            text << "!" if i % 7 == 0
          end
          [text, second, text.ascii_only?, second.encoding]
        end
        expect_same([100]) do |n|
          state = [[], "", 0]
          maybe = nil
          n.times do |i|
            state = [state[0] + [i], "#{state[1]}k", state[2] + 1]
            state = [state[0].last(3), state[1][-5..] || state[1], state[2]]
            maybe = i % 7 == 0 ? nil : (maybe || []) + [i, 0.5, nil]
          end
          [state, maybe]
        end
        expect_same([40]) do |n|
          text = ""
          n.times do |_i|
            inner = ""
            20.times { |j| (inner += j.to_s) && (text += "." if j % 6 == 0) }
            text += inner[0, 2]
          end
          [text, (1..n).inject([]) { |list, i| list + [i * 2] }, (1..n).inject("") { |all, i| all + i.to_s }]
        end
      end
    end
  end

  it "take no more memory than is needed at a time" do
    next unless backend == :cpu

    # Without it each takes more than there may be.
    expect([20_000].pmap do |n|
             list = []
             n.times { |i| list += [i] }
             list.sum
           end).to eq([199_990_000])
    sizes = [30_000].pmap do |n|
      text = ""
      n.times { (text += text.size < 50_000 ? "0123456789" * 10 : ".") && text += "." }
      text.size
    end
    expect(sizes).to eq([(496 * 101) + (2 * (30_000 - 496))])
    rows = [40_000].pmap do |n|
      kept = []
      n.times { |i| (row = Array.new(5_000, i)) && i % 10_000 == 0 && (kept << row) }
      kept.map { |row| row.sum / row.size }
    end
    expect(rows).to eq([[0, 10_000, 20_000, 30_000]])
    expect(Ikra.section { 400.times.sum { Reuse::Node.tree(13).count } }).to eq(400 * 16_383)
    expect(Ikra.section { Reuse::Node.counted(400, 13) }).to eq([400 * 16_383, 16_383])
  end
end

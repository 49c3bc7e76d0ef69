# frozen_string_literal: true

module Golden
  # Programs of one construct each, of several sizes: what they cost should grow as they do.
  module Rows
    module_function

    def pairs(count) = in_block("table = { #{list(count) { |i| "\"k#{i}\" => x + #{i}" }} }\ntable[\"k1\"]")
    def parts(count) = in_block("\"#{Array.new(count) { |i| "\#{x + #{i}} " }.join}\"")
    def items(count) = in_block("[#{list(count) { |i| (i * 7) % 1000 }}][x]")

    def words(count)
      in_block("names = [\"k1\", \"k#{count - 1}\", \"no\"]\ncase names[x]\n" \
               "#{lines(count) { |i| "when \"k#{i}\" then #{i * 3}" }}\nelse -1\nend")
    end

    def classes(count)
      "#{lines(count) { |i| "class C#{i}\n  def f(x) = x * 3 + #{i}\nend" }}\n" \
        "objects = [#{list(count) { |i| "C#{i}.new" }}]\n#{in_block("objects[x % #{count}].f(x)")}"
    end

    def loops(depth)
      open = Array.new(depth) { |i| "#{"  " * i}2.times do |i#{i}|" }
      body = ["#{"  " * depth}sum += x + i#{depth - 1}", "#{"  " * depth}return sum if sum > 50"]
      close = Array.new(depth) { |i| "#{"  " * (depth - 1 - i)}end" }
      lines = ["sum = 0", *open, *body, *close, "sum"].map { |line| "  #{line}\n" }
      "def count(x)\n#{lines.join}end\n#{in_block("count(x)")}"
    end

    def handed(count)
      hands = (1...count).to_a.reverse.map { |i| "    @v#{i} = @v#{i - 1}\n" }
      shift = "class Shift\n  def initialize\n#{lines(count) { |i| "    @v#{i} = nil" }}\n  end\n\n  " \
              "def push(x)\n#{hands.join}    @v0 = x\n  end\n\n  def last = @v#{count - 1}\nend\n"
      shift + in_block("shift = Shift.new\n3.times { |i| shift.push(x + i) }\nshift.last")
    end

    def in_block(body) = "[0, 1, 2].pmap do |x|\n#{body.lines.map { |line| "  #{line}" }.join}\nend\n"
    def list(count, &) = Array.new(count, &).join(", ")
    def lines(count, &) = Array.new(count, &).join("\n")
    private_class_method :in_block, :list, :lines

    # Names and texts of files.
    ALL = { pairs: [5, 20, 60], parts: [10, 40, 160], items: [100, 1_000, 4_000], words: [100, 400, 1_600],
            classes: [10, 40], loops: [10, 40], handed: [10, 120, 250] }.flat_map do |name, sizes|
      sizes.map { |size| ["#{name}-#{size}", -> { public_send(name, size) }] }
    end.to_h.freeze
  end
end

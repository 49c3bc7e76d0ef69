# frozen_string_literal: true

module RandomPrograms
  # Structs, arrays and Hashes that hold themselves, made in the section or before, compared, looked for and shown.
  module Cycles
    OWN_CLASSES = <<~RUBY
      Tree = Struct.new(:parent, :children, :value) do
        def add(value) = Tree.new(self, [], value).tap { |child| children << child }
      end
      Loop = Struct.new(:value, :next)

      # What all objects have shows them, with where they are: of those from before the section.
      class Bead
        attr_accessor :next

        def self.string(length)
          beads = Array.new(length) { |i| i.odd? ? new.turned(i) : new.set(i, nil) }
          beads.each_with_index { |bead, i| bead.next = beads[(i + 1) % length] }
          beads.first.instance_variable_set(:@more, [nil, beads.last, { beads[0] => 1.5 }])
          beads.first
        end

        def set(value, following)
          @value = value
          @next = following
          self
        end

        def turned(value)
          @next = nil
          @value = value
          self
        end
      end

      def self.ring(length, value)
        first = last = Loop.new(value)
        (length - 1).times { |i| last = last.next = Loop.new(value + i % 2) }
        last.next = first
      end

      def self.tree(width, value)
        root = Tree.new(nil, [], value)
        width.times { |i| root.add(i % 2).add(value) }
        root
      end

      def self.knot(value) = [value, 1].tap { |list| list << list }
      def self.table(value) = { 1 => value }.tap { |table| table[2] = table }

      TREES = [tree(1, 0), tree(2, 1), tree(2, 1)].freeze
      RINGS = [ring(1, 0), ring(2, 1), ring(3, 1)].freeze
      KNOTS = [knot(0), knot(1), [1, 1, knot(1)]].freeze
      BEADS = [Bead.string(1), Bead.string(2), Bead.string(3)].freeze
      TABLES = [table(0), table(1), { 1 => 1, 2 => table(1) }].freeze
    RUBY
    MADE = { "TREES" => "tree", "RINGS" => "ring", "KNOTS" => "knot", "TABLES" => "table" }.freeze

    # An Integer that hangs on what is equal to what, or on how it is shown.
    def cycle(depth)
      return bead(depth) if chance(0.15, :bead)

      constant, maker = pick(MADE.to_a)
      value = -> { e("(", expression([:int], [depth - 1, 0].max), " % 3)") }
      made = lambda do
        next e("#{constant}[", value.call, "]") if chance(0.4)
        next own_cycle(maker, value.call) if chance(0.4, :own_cycle)

        size = "#{between(1, 3)}, " if %w[TREES RINGS].include?(constant)
        e("RandomPrograms::Home.#{maker}(#{size}", value.call, ")")
      end
      one = fresh("c")
      other = fresh("c")
      e(made.call, ".then { |#{one}| ", made.call, ".then { |#{other}| ", cycle_question(constant, one, other), " } }")
    end

    private

    def bead(depth)
      one = e("BEADS[(", expression([:int], [depth - 1, 0].max), " % 3)]#{pick(["", ".next", ".next.next"])}")
      text = pick([%w[( ).inspect], %w[( ).to_s], ["\"\#{", "}\""], ["[", ", 1].inspect"], ["{ a: ", " }.inspect"],
                   ["format(\"%p %s\", ", ", 1)"]])
      e(text[0], one, text[1], ".sum")
    end

    # One that is made where it is used.
    def own_cycle(maker, value)
      name = fresh("c")
      first, change = case maker
                      when "tree" then ["Tree.new(nil, [], ", "#{name}.add(1); #{name}.children[0].add(#{name}.value)"]
                      when "ring" then ["Loop.new(", "#{name}.next = #{pick(["Loop.new(1, #{name})", name])}"]
                      when "knot" then ["[1].push(", "#{name} << #{pick([name, "[#{name}[0], 1, #{name}]"])}"]
                      else ["Hash.[](1, ", "#{name}[2] = #{name}"]
                      end
      e(first, value, ").then { |#{name}| #{change}; #{name} }")
    end

    def cycle_question(constant, one, other)
      within = { "TREES" => ".children", "RINGS" => ".next", "KNOTS" => "[2]", "TABLES" => "[2]" }.fetch(constant)
      one += within if chance(0.3)
      other += within if chance(0.3)
      list = "[#{Array.new(between(1, 3)) { pick([one, other, "3"]) }.join(", ")}]"
      shown = ["(#{one}.inspect == #{other}.inspect ? 1 : 0)", "#{one}.inspect.size", "#{one}.to_s.size",
               "[#{one}, 1].inspect.size",
               '"#{' "#{other}" '}".size', "{ 1 => #{other} }.inspect.size"]
      compared = ["(#{one} == #{other} ? 1 : 0)", "(#{one} != #{other} ? 1 : 0)", "(#{one}.eql?(#{other}) ? 1 : 0)",
                  "(#{list}.include?(#{other}) ? 1 : 0)", "(#{list}.index(#{one}) || 5)", "#{list}.count(#{one})",
                  "#{list}.uniq.size", "(#{list} - [#{other}]).size", "([#{one}] & [#{other}]).size",
                  "({ 1 => #{one} } == { 1 => #{other} } ? 1 : 0)", "(#{one} === #{other} ? 1 : 0)",
                  "([1, #{one}].eql?([1, #{other}]) ? 1 : 0)", "(case #{one} when #{other} then 1 else 0 end)"]
      compared << "((#{one} <=> #{other}) || 5)" if constant == "KNOTS"
      e(pick(chance(0.4) ? shown : compared))
    end
  end
end

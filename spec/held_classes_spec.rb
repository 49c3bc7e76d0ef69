# frozen_string_literal: true

require "set"

# Classes and modules as values: in arrays, Hashes and objects, from before the section and put there by it.
module HeldClasses
  # What has a size.
  class Shape
    attr_reader :size

    def initialize(size) = @size = size

    def self.sides = 0
  end

  # A class with a constant and methods of its own.
  class Circle < Shape
    LIMIT = 10

    def area = 3 * @size
    def self.sides = 1
  end

  # Another.
  class Square < Shape
    LIMIT = 20

    def area = @size * @size
    def self.sides = 4
  end

  # One that is made in another way, too.
  class Line < Shape
    def area = @size
    def self.between(from, to:) = new(to - from)
  end

  # No class.
  module Plain
    def self.sides = 99
  end

  KINDS = [Circle, Square, Line].freeze
  TABLE = { circle: Circle, square: Square }.freeze

  # Holds one, and a list.
  class Holder
    attr_accessor :kind, :log, :number

    def initialize(kind, number)
      @kind = kind
      @log = []
      @number = number
    end

    def made = @kind.new(@number)

    def swap = @kind = @kind == Circle ? Square : Circle
  end

  # Makes objects by name.
  class Registry
    def initialize = @known = {}

    def add(name, kind)
      @known[name] = kind
      self
    end

    def make(name, *rest) = @known.fetch(name).new(*rest)
  end
end

# rubocop:disable Style/CaseEquality, Lint/BinaryOperatorWithIdenticalOperands -- what classes answer to these
each_backend do
  kinds = HeldClasses::KINDS
  table = HeldClasses::TABLE

  def holders(*kinds) = kinds.each_with_index.map { |kind, i| HeldClasses::Holder.new(kind, i + 1) }

  def expect_same_holders(*kinds, ticks: 1, &block)
    expect_same_effects(-> { holders(*kinds) }, ticks, &block)
  end

  # What a section gives that begins with some holders.
  def expect_section(block)
    before = Ikra.chosen
    all = holders(*HeldClasses::KINDS)
    given = Ikra.section { block.call(all) }
    Ikra.backend = :ruby
    other = holders(*HeldClasses::KINDS)
    expect(given).to eq(Ikra.section { block.call(other) })
  ensure
    Ikra.backend = before
  end

  describe "classes that are held" do
    it "make objects" do
      expect_same([0, 1, 2]) { |i| kinds[i].new(i + 3).area }
      expect_same(%i[circle square]) { |name| [table[name].new(4).area, table.fetch(name).new(3).area] }
      expect_same([2, 3]) { |i| kinds.each_with_index.map { |kind, j| kind.new(i + j).area } }
      expect_same([0, 1]) do |i|
        [kinds[i].superclass, kinds[i].new(1).class.superclass.superclass, kinds[i].superclass.sides]
      end
      expect_same([0, 1]) do |i|
        [Integer.superclass.name, BasicObject.superclass, kinds[i].superclass == HeldClasses::Shape]
      end
      expect_same([1]) { |i| [kinds[2].between(i, to: 9).area, kinds.zip([1, 2, 3]).sum { |k, n| k.new(n).area }] }
      expect_same([[HeldClasses::Circle, 1], [HeldClasses::Square, 2]]) { |kind, n| kind.new(n).area }
      registry = HeldClasses::Registry.new.add(:a, HeldClasses::Circle).add(:b, HeldClasses::Square)
      expect_same(%i[a b]) { |name| registry.make(name, 3).area }
      expect_same(%i[a b]) do |name|
        own = HeldClasses::Registry.new.add(:a, HeldClasses::Circle).add(:b, HeldClasses::Line)
        own.make(name, 5).area
      end
    end

    it "are the base" do
      expect_same(kinds) { |kind| [kind.new(4).area, kind.name, kind.sides, kind] }
      expect_same([HeldClasses::Circle, nil, HeldClasses::Plain]) { |kind| kind&.sides }
      expect_same([Integer, Float, Comparable]) { |kind| [kind === 5, 2.5.is_a?(kind)] }
    end

    it "are compared, found and keys" do
      shapes = [HeldClasses::Square.new(1), HeldClasses::Line.new(2)]
      expect_same(shapes) { |s| [kinds.index(s.class), kinds.find { |k| k === s }, kinds.map { |k| s.is_a?(k) }] }
      expect_same(kinds) do |k|
        [k == HeldClasses::Circle, k.equal?(kinds[2]), k < HeldClasses::Shape, k >= k, k > kinds[1]]
      end
      scores = { HeldClasses::Circle => 1, HeldClasses::Square => 2 }
      expect_same(shapes) { |s| [scores[s.class], scores.fetch(s.class, 0), scores.key?(HeldClasses::Circle)] }
      expect_same([1]) { |i| kinds.each_with_object(Hash.new(i)) { |k, all| all[k] += k.sides } }
      chosen = Set[HeldClasses::Circle, HeldClasses::Line]
      expect_same(kinds) { |k| [chosen.include?(k), kinds.uniq.size] }
      expect_same(shapes) { |s| case s when *kinds then kinds.size else 0 end }
      numbers = [Integer, Float]
      expect_same([1, "a", nil]) { |x| case x when nil, *numbers then 1 else 2 end }
    end

    it "have names, constants and methods" do
      expect_same([0, 1]) { |i| [kinds[i]::LIMIT, kinds[i].name, kinds[i].to_s.downcase, kinds[i].inspect] }
      expect_same([0, 2]) { |i| [kinds[i].respond_to?(:between), kinds.sum(&:sides), kinds[i].send(:sides)] }
      expect_same([1]) { |_| kinds.sort_by(&:sides).map(&:name) }
      expect_same([0, 2]) do |i|
        kinds[i].between(1, to: 3).area
      rescue StandardError
        kinds[i].sides
      end
    end

    it "are put into objects and arrays" do
      expect_same_holders(*kinds, ticks: 3) { |h| h.swap && h.number += h.made.area }
      expect_same_holders(*kinds) { |h| h.kind = kinds[h.number % 3] }
      expect_same_holders(*kinds) { |h| h.kind = h.number == 1 ? nil : HeldClasses::Line }
      expect_same_holders(*kinds) { |h| (h.log << h.kind) << HeldClasses::Circle << h.made.class }
      expect_same_holders(kinds[1], kinds[1]) { |h| (h.log << h.kind) && h.kind = kinds[1] }
      expect_same_holders(nil, 5, :a, [1], *kinds) do |h|
        h.number = if h.kind.is_a?(Class)
                     h.kind.sides
                   else
                     h.kind.is_a?(Array) ? 7 : -1
                   end
      end
    end

    it "stand in rows with what their objects are made of" do
      rows = [[HeldClasses::Circle, 3], [HeldClasses::Square, 4]]
      boxes = -> { Array.new(2) { |i| HeldClasses::Holder.new(nil, i) } }
      one = boxes.call
      other = boxes.call
      3.times { one.each { |h| h.log << rows[h.number][0].new(rows[h.number][1]) } }
      other.peach(3) do |h|
        kind, size = rows[h.number]
        h.log << kind.new(size)
      end
      seen = ->(all) { all.map { |h| h.log.map { |shape| [shape.class, shape.area] } } }
      expect(seen.call(other)).to eq(seen.call(one))
    end

    it "are all that elements make, and looked at again in the section" do
      pick = [HeldClasses::Circle, HeldClasses::Square]
      one = HeldClasses::Line
      expect_section(->(all) { all.pmap(&:class) })
      expect_section(->(all) { all.pmap { |_| one }.map(&:sides) + all.pmap { |h| pick[h.number % 2] } })
      expect_section(->(all) { all.pmap { |h| pick[h.number % 2] || one }.tally.map { |kind, n| [kind.name, n] } })
      expect_section(->(all) { (all.pmap { |_| one } + [Integer]).pmap(&:name) })
      expect_section(->(all) { all.pmap { |h| [one] * h.number }.flatten.size })
      expect_section(->(all) { all.pmap { |h| h.number > 1 ? Math : Comparable }.each_slice(2).to_a })
      expect_section(lambda do |all|
        made = all.pmap { |h| HeldClasses::Holder.new(h.number == 1 ? one : pick[0], 5) }
        made.peach { |h| h.kind = h.kind.superclass }
        3.times { made.peach { |h| h.log << h.kind } }
        [made.map(&:kind), made.pmap { |h| h.log.uniq }]
      end)
      expect_section(lambda do |all|
        made = all.pmap { |_| HeldClasses::Holder.new(one, 5) }
        made.pmap { |h| h.kind.name } + all.pmap { |_| { one => one } }.map { |hash| hash[one] }
      end)
      expect_same_effects(-> { holders(*kinds) }, 2) { |h| h.log << HeldClasses::Holder.new(one, 7).kind << [one] }
      pushed = []
      expect([holders(one, one).pmap { |_| (pushed << "a") && one }, pushed]).to eq([[one, one], %w[a a]])
    end

    it "may be others in the next call" do
      areas = ->(*of) { holders(*of).pmap { |h| h.made.area } }
      expect(areas.call(kinds[0])).to eq([3])
      expect(areas.call(kinds[1])).to eq([1])
      expect(areas.call(kinds[2], kinds[1], kinds[0])).to eq([1, 4, 9])
      expect(areas.call(Class.new(kinds[1]), kinds[0])).to eq([1, 6])
    end

    it "are seen in an Ikra.sync" do
      holder = holders(kinds[0]).first
      seen = []
      Ikra.section do
        2.times do
          holder.kind = kinds[2]
          Ikra.sync { seen << holder.kind.name }
          holder.swap
        end
      end
      expect([holder.kind, seen]).to eq([kinds[0], [kinds[2].name] * 2])
    end
  end

  it "comes out of elements beside arrays that get longer" do
    one = 1
    list = [true, nil]
    given = [15, 3].pmap { |x| x == 3 ? list.concat([one]) : x.class }
    expect(given).to eq([Integer, [true, nil, 1]])
    expect(given[1]).to equal(list)
    expect([15].pmap { |x| x == 3 ? list.concat(one) : -0.0.class }).to eq([Float])
  end
end
# rubocop:enable Style/CaseEquality, Lint/BinaryOperatorWithIdenticalOperands

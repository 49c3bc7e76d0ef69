# frozen_string_literal: true

# Instance variables that are not set, of which Ruby tells those that hold nil apart.
module UnsetVariables
  # Its variable is set by whoever comes to it.
  class Cell
    attr_accessor :number, :memo, :mark

    def initialize(number) = @number = number
    def clear = @memo = nil
    def mark? = defined?(@mark)

    def halved
      return memo if defined?(@memo)

      self.memo = number.even? ? number / 2 : nil
    end
  end

  # One that has it from the beginning.
  class Marked < Cell
    def initialize(number)
      super
      @mark = nil
    end
  end

  # A Struct with a variable besides.
  Entry = Struct.new(:number) do
    def asked = [defined?(@seen), @seen = nil, defined?(@seen)]
  end
end

RSpec.describe "Instance variables that are not set" do
  each_backend do
    def cells = Array.new(40) { |i| (i % 3 == 1 ? UnsetVariables::Marked : UnsetVariables::Cell).new(i) }

    def seen(all)
      all.map { |cell| cell.instance_variables.map { |name| [name, cell.instance_variable_get(name)] } }
    end

    # The block gets the objects, and the names of the methods that do it for all of them.
    def expect_same
      mine = cells
      theirs = cells
      expected = yield(theirs, :each, :map)
      actual = yield(mine, :peach, :pmap)
      expect([actual, seen(mine)]).to eq([expected, seen(theirs)])
    end

    it "are set by nil as by anything else" do
      expect_same { |all, each| all.send(each, &:clear) && nil }
      expect_same { |all, each| all.send(each) { |cell| cell.memo = nil if cell.number > 20 } && nil }
      expect_same { |all, each| all.send(each) { |cell| cell.mark, cell.memo = cell.number.even? ? 1 : nil } && nil }
      expect_same { |all, each| all.send(each) { |cell| cell.memo ||= nil } && nil }
      expect_same { |all, each| all.send(each) { |cell| cell.instance_variable_set(:@memo, nil) } && nil }
      expect_same { |all, each| 3.times { |i| all.send(each) { |cell| cell.mark = nil if i == 1 } } }
    end

    it "are asked for" do
      expect_same { |all, _, map| all.send(map) { |cell| [cell.mark?, cell.halved, cell.halved] } }
      expect_same { |all, _, map| all.send(map) { |cell| cell.instance_variable_defined?(:@mark) } }
      expect_same { |all, _, map| all.send(map) { |cell| cell.tap { _1.mark = nil if _1.number > 30 }.mark? } }
      expect_same { |all, _, map| 2.times.map { |i| all.each { _1.mark = 2 if i == 1 }.send(map, &:mark?) } }
      wrong = ->(cell) { cell.instance_variable_defined?("mark") }
      expect { cells.pmap(&wrong) }.to raise_error(NameError, start_with("`mark' is").or(start_with("'mark' is")))
    end

    it "are those of objects that the section makes" do
      kind = UnsetVariables::Cell
      expect_same { |all, _, map| all.send(map) { |one| kind.new(one.number).then { [_1.halved, _1.mark?] } } }
      expect_same do |all, _, map|
        all.send(map) { |one| kind.new(4).tap { |made| made.clear if one.number > 9 } }.map(&:instance_variables)
      end
      expect_same do |all, _, map|
        all.send(map) { |one| one.dup.tap { |copy| copy.clear if one.number > 9 } }.map(&:instance_variables)
      end
      expect_same { |all, _, map| all.send(map) { |one| one.dup.then { [_1.mark?, _1.tap(&:halved).mark?] } } }
      expect_same do |all, _, map|
        copies = all.send(map) do |one|
          copy = one.dup
          copy.mark = nil if one.number > 30
          [copy.instance_variable_defined?(:@mark), copy]
        end
        copies.map { |is_set, copy| [is_set, copy.instance_variables] }
      end
    end

    it "are seen, and set, by what Ruby runs meanwhile" do
      mine = cells
      theirs = cells
      count = 0
      given = Ikra.section do
        mine.peach { |cell| cell.memo = nil if cell.number > 9 }
        Ikra.sync do
          count = mine.count { |cell| cell.instance_variable_defined?(:@memo) }
          mine[0].mark = nil
        end
        mine.pmap(&:mark?)
      end
      theirs.each { |cell| cell.memo = nil if cell.number > 9 }
      theirs[0].mark = nil
      expect([count, given, seen(mine)]).to eq([30, theirs.map(&:mark?), seen(theirs)])
    end

    it "stay unset where nothing is written back" do
      skip "Ruby has written some" if Ikra.backend == :ruby

      all = cells.each { |cell| cell.remove_instance_variable(:@mark) if cell.mark? }
      expect { all.peach { |cell| cell.number == 30 ? raise("no") : cell.clear } }.to raise_error("no")
      all[3].freeze
      expect { all.peach { |cell| cell.mark = nil } }.to raise_error(FrozenError)
      expect(all.count(&:mark?)).to eq(0)
    end

    it "are those of a Struct" do
      entries = [UnsetVariables::Entry.new(1)]
      expect(entries.pmap(&:asked)).to eq([[nil, nil, "instance-variable"]])
      expect(entries.first.instance_variables).to eq([:@seen])
    end
  end
end

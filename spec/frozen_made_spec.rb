# frozen_string_literal: true

# What a section makes and freezes, and then changes.
module FrozenMade
  # Shown by its address.
  class Point
    attr_accessor :x

    def initialize(x) = @x = x
  end

  # Shown as it says.
  class Named < Point
    def inspect = "<#{x}>"
  end

  Pair = Struct.new(:a, :b)

  # What elements put things into.
  class Box
    attr_accessor :log, :held, :seen

    def initialize = @log = []
  end

  module_function

  # What is given, and whether it, and what is in it, is frozen.
  def told(value)
    within = case value
             when Hash then value.to_a.flatten(1)
             when Array, Struct then value.to_a
             when Box then [value.log, value.held, value.seen]
             else []
             end
    [within.empty? ? value : value.class, value.frozen?, within.map { |item| told(item) }]
  end
end

RSpec.describe "What is frozen and then changed" do
  each_backend do
    # What is raised: its class, message without addresses, and what it keeps.
    def raised
      yield
    rescue FrozenError => e
      [e.class, e.message.gsub(/0x\h+/, "0x"), e.receiver.class, e.receiver.frozen?, e.backtrace.first[/\d+/]]
    end

    def expect_same(&block)
      expect(raised { [3, 4].pmap(&block) }).to eq(raised { [3, 4].map(&block) })
    end

    it "is told as Ruby tells it" do
      expect_same { |n| "a#{n}".freeze << "b" }
      expect_same { |n| [n].freeze << 1 }
      expect_same { |n| FrozenMade::Point.new(n).freeze.x = 1 }
      expect_same { |n| FrozenMade::Named.new(n).freeze.x = 1 }
      expect_same { |n| FrozenMade::Pair.new(n, [n]).freeze.a = 1 }
      expect_same { |n| FrozenMade::Pair.new(n, "é").tap { |pair| pair.freeze if n > 3 }.b = 1 }
      expect_same { |n| "ä#{n}".tap { |text| text.freeze if n > 3 }.upcase! }
    end

    it "is told within the section" do
      texts = lambda do |n|
        made = ["a#{n}", FrozenMade::Named.new(n), FrozenMade::Pair.new(n, 1)]
        made.each(&:freeze) if n > 3
        [-> { made[0] << "b" }, -> { made[1].x = 2 }, -> { made[2].b = 3 }].map do |change|
          change.call
          "changed"
        rescue FrozenError => e
          e.message
        end
      end
      expect([3, 4].pmap(&texts)).to eq([3, 4].map(&texts))
      classes = lambda do |n|
        FrozenMade::Point.new(n).freeze.x = 2
      rescue => e # rubocop:disable Style/RescueStandardError
        e.class
      end
      expect([3].pmap(&classes)).to eq([FrozenError])
    end

    it "is told in drivers" do
      driver = lambda do |section|
        raised do
          section.call do
            all = [1, 2].pmap { |n| n + 1 }
            FrozenMade::Pair.new(1, all.first).freeze.a = 4
          end
        end
      end
      expect(driver.call(Ikra.method(:section))).to eq(driver.call(->(&block) { block.call }))
    end
  end
end

RSpec.describe "What is frozen and put where others look" do
  each_backend do
    # Runs a program with boxes in plain Ruby and here.
    def expect_same(&program)
      here = Ikra.backend
      in_ruby, now = [:ruby, here].map do |backend|
        Ikra.backend = backend
        boxes = Array.new(4) { FrozenMade::Box.new }
        given = begin
          program.call(boxes)
        rescue FrozenError => e
          next [e.class, e.message]
        end
        FrozenMade.told([boxes, given])
      end
      expect(now).to eq(in_ruby)
    end

    it "comes back frozen" do
      expect_same { |boxes| boxes.peach { |box| box.log << [:a, box.log.size].freeze } }
      expect_same { |boxes| boxes.peach { |box| box.log << { a: box.log.size }.freeze } }
      expect_same { |boxes| boxes.peach { |box| box.log << "t#{box.log.size}".freeze } }
      expect_same { |boxes| boxes.peach { |box| box.log << FrozenMade::Pair.new([1].freeze, { b: 2 }.freeze).freeze } }
      expect_same { |boxes| boxes.peach { |box| box.log << [[box.log.size].freeze, [1]] } }
      expect_same { |boxes| boxes.peach { |box| box.held = { a: [1].freeze }.freeze } }
      expect_same { |boxes| boxes.peach { |box| box.held = Hash.new(box.log.size).freeze } }
      expect_same do |boxes|
        3.times { boxes.peach { |box| (box.log << [box.log.size].freeze) && (box.seen = box.log[0].frozen?) } }
      end
      expect_same do |boxes|
        all = []
        boxes.each_with_index.peach do |_box, i|
          all << (i.odd? ? [i].freeze : [i])
          row = { i => 1 }
          row.freeze if i > 1
          all << row
        end
        all
      end
    end

    it "is known to later elements" do
      expect_same do |boxes|
        Ikra.section do
          2.times { |t| boxes.peach { |box| box.log << [t].freeze << [t] << { t => 1 }.freeze << { t => 2 } } }
          boxes.peach { |box| box.seen = box.log.map { |row| row.frozen? } }
          boxes.peach { |box| box.log.each { |row| row.is_a?(Array) && !row.frozen? && (row << 3) } }
          boxes.peach { |box| box.held = [box.log[0].clone, box.log[0].dup, box.log[2].clone, box.log[2].dup] }
        end
      end
      expect_same do |boxes|
        Ikra.section do
          boxes.peach { |box| box.held = { a: 1 } }
          boxes.peach { |box| box.held.freeze.freeze }
          boxes.pmap { |box| box.held.frozen? }
        end
      end
    end

    it "refuses changes as Ruby does" do
      expect_same { |boxes| boxes.peach { |box| (box.log << [1].freeze) && (box.log[0] << 2) } }
      expect_same { |boxes| boxes.peach { |box| (box.held = { a: 1 }.freeze) && (box.held[:b] = 2) } }
      expect_same do |boxes|
        Ikra.section do
          boxes.peach { |box| box.log << [:a, 1].freeze << { b: 2 }.freeze }
          boxes.peach { |box| box.log[0][1] = 2 }
        end
      end
      expect_same do |boxes|
        Ikra.section do
          boxes.peach { |box| box.log << [:a, 1].freeze << { b: 2 }.freeze }
          boxes.peach do |box|
            box.log[0] << 2
          rescue FrozenError => e
            box.seen = [e.message]
          end
          boxes.peach do |box|
            box.log[1].clear
          rescue FrozenError => e
            box.seen << e.message << e.receiver.size
          end
        end
      end
    end

    it "is what the code around calls freezes" do
      expect_same do |boxes|
        all = []
        Ikra.section do
          rows = [[1], [2].freeze]
          table = { c: 3 }
          all << rows[0] << rows[1] << table
          boxes.peach { |box| box.seen = [rows[1].frozen?, table.frozen?] }
          rows[0].freeze
          table.freeze
          given = boxes.pmap { |box| box.log.size }.freeze
          boxes.peach { |box| box.log << rows[0].frozen? << table.frozen? << given.frozen? }
          given
        end
        all
      end
      expect_same do |boxes|
        Ikra.section do
          boxes.peach { |box| box.held = [1].freeze }
          boxes[0].log << { a: 1 }
          Ikra.sync { boxes[1].seen = boxes.count { |box| box.held.frozen? } }
          boxes[0].log[0].freeze
          Ikra.sync { boxes[2].seen = boxes[0].log[0].frozen? ? 1 : 0 }
          boxes.pmap { |box| [box.held.frozen?, box.log[0].frozen?] }
        end
      end
    end
  end
end

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

# frozen_string_literal: true

# `&object`, where that has a `to_proc`.
module BlockObjects
  class Adder
    def initialize(n)
      @n = n
      @asked = 0
    end

    attr_reader :asked

    def to_proc
      @asked += 1
      n = @n
      ->(x) { x + n }
    end
  end

  class Hidden
    private

    def to_proc = proc { |x| x * 2 }
  end

  class Named
    def to_proc = :succ.to_proc
  end

  class Wrong
    def to_proc = 3
  end

  None = Class.new
end

each_backend do
  it "calls it once" do
    expect_same_program do
      adder = BlockObjects::Adder.new(3)
      [Ikra.section { [1, 2].map(&adder) }, adder.asked]
    end
    expect_same([1, 2]) { |n| [n, 2].map(&BlockObjects::Adder.new(n)) }
    hidden = BlockObjects::Hidden.new
    expect_same([1, 2]) { |n| [n, 2].map(&hidden) }
    named = BlockObjects::Named.new
    expect_same([1, 2]) { |n| [n, 2].sum(&named) }
  end

  it "raises where that gives no Proc, or there is none" do
    [BlockObjects::Wrong.new, BlockObjects::None.new, 3, 1.5, true, "a", [1]].each do |object|
      expect_same([1]) { |n| [n].map(&object) }
    end
  end
end

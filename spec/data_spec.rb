# frozen_string_literal: true

# Objects of Data classes, which Ruby has since 3.2: in the base, and made in the section. Each block is run by Ruby and
# by every back-end, and must give the same.
if defined?(Data) && Data.respond_to?(:define)
  DataPoint = Data.define(:x, :y) do
    def +(other) = DataPoint.new(x + other.x, y + other.y)
    def scaled(by:) = with(x: x * by, y: y * by)
    def length = Math.sqrt((x * x) + (y * y))
    def self.origin = new(x: 0, y: 0)
  end

  # Converts what it is given, and has a default.
  DataAmount = Data.define(:value, :unit) do
    def initialize(value:, unit: :meter)
      super(value: value * 1.0, unit:)
    end
  end

  # Below a Data class.
  class DataPixel < DataPoint
    def ==(other) = other.is_a?(DataPixel) && x == other.x
  end

  DataNothing = Data.define

  each_backend do
    let(:points) { [DataPoint.new(1, 2), DataPoint.new(x: 3, y: 4.5), DataPixel.new(1, 2)] }

    it "reads members" do
      expect_same(points) { |p| [p.x, p.y, p.length, p.members, p.frozen?] }
      expect_same(points) { |p| case p; in [x, y] then x + y; end }
      expect_same(points) { |p| case p; in DataPixel then 1; in DataPoint[x, y] then x - y; end }
      expect_same(points) { |p| p.x = 1 }
      expect_same(points) { |p| p.nope }
    end

    it "makes objects" do
      expect_same(points) { |p| (p + p).length }
      expect_same(points) { |p| q = DataPoint.new(y: p.x, x: 7); [q.x, q.y, q.frozen?, q.class == DataPoint] }
      expect_same(points) { |p| DataPoint[p.y, 1].x }
      expect_same(points) { |p| (DataPoint.origin + p.scaled(by: 2)).y }
      expect_same(points) { |p| [DataAmount.new(p.x).value, DataAmount.new(p.x).unit, DataAmount.new(1, :foot).unit] }
      expect_same(points) { |p| DataAmount.new(value: p.x, unit: :inch).value }
      expect_same(points) { |p| [p.with(y: 9).y, p.with.x, p.with(x: 1, y: nil).y] }
      expect_same(points) { |p| p.with(x: 4).class == p.class }
      expect_same([1]) { |x| DataNothing.new == DataNothing.new }
    end

    it "compares" do
      one = DataPoint.new(1, 2)
      expect_same(points) { |p| [p == one, one == p, p != one, p.eql?(one), p == DataPoint.new(1, 2.0), p == 1] }
      expect_same(points) { |p| [DataPoint.new(p.x, 1) == DataPoint.new(1, p.y), DataPoint.new(1, 2).eql?(one)] }
      expect_same(points) { |p| [DataPoint.new(1, 2.0).eql?(DataPoint.new(1, 2)), DataPoint.new(1, 2.0) == one] }
    end

    it "raises what Ruby raises for wrong members" do
      expect_same(points) { |p| DataPoint.new(p.x).x }
      expect_same(points) { |p| DataPoint.new.x }
      expect_same(points) { |p| DataPoint.new(1, 2, p.x).x }
      expect_same(points) { |p| DataPoint.new(1, y: p.x).x }
      expect_same(points) { |p| DataPoint.new(y: p.x).x }
      expect_same(points) { |p| DataPoint.new(x: 1, y: p.x, z: 3).x }
      expect_same(points) { |p| DataPoint.new(x: 1, z: p.x).x }
      expect_same(points) { |p| DataPoint.new(z: p.x).x }
      expect_same(points) { |p| DataPoint.new(x: 1, y: p.x, z: 3, w: 4).x }
      expect_same(points) { |p| p.with(z: 1).x }
      expect_same(points) { |p| p.with(1).x }
      expect_same([1]) { |x| DataNothing.new(x: 1) == 1 }
      expect_same([1]) { |x| DataNothing.new(1) == 1 }
    end
  end

  each_compiling_backend do
    # Ruby 3.2 makes the new object without `initialize`.
    it "makes others with initialize, or refuses to" do
      if DataAmount.new(value: 1).with(value: 2).value.is_a?(Float)
        expect_same([1]) { |x| DataAmount.new(value: x, unit: :inch).with(value: 7).value }
      else
        expect { [1].pmap { |x| DataAmount.new(x).with(value: 7).value } }
          .to raise_error(Ikra::UnsupportedError, /make the object with `new`/)
      end
    end

    it "refuses what would show that they are values" do
      stub_const("Odd", Data.define(:x) { def initialize(x:) = super(x: (@y = x)) })
      expect { [1].pmap { |x| Odd.new(x).x } }.to raise_error(Ikra::UnsupportedError, /make it a member/)
    end
  end
end

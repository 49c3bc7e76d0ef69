# frozen_string_literal: true

# A street as it lies on the sheet: corners joined by straight lines.
class Polyline
  attr_reader :points
  # @return [Float]
  attr_reader :length

  # @param points [Array<Array(Float, Float)>]
  def initialize(points)
    @points = points
    @lengths = points.each_cons(2).map { |(x, y), (u, v)| Math.hypot(u - x, v - y) }
    @length = @lengths.sum
  end

  # @param fraction [Float] 0.0 is the beginning, 1.0 the end
  # @param right [Numeric] how far to the right of the line, seen in its direction
  # @return [Array(Float, Float)]
  def at(fraction, right: 0)
    rest = fraction * @length
    i = 0
    while i < @lengths.size - 1 && rest > @lengths[i]
      rest -= @lengths[i]
      i += 1
    end
    along(i, rest, right)
  end

  # @return [Polyline] the longest of its straight pieces
  def longest_piece
    Polyline.new(@points.each_cons(2).to_a[@lengths.index(@lengths.max)])
  end

  # @return [Float] the direction from end to end in degrees, so that writing along it does not stand on its head
  def slope
    (x, y), (u, v) = [@points.first, @points.last].minmax_by(&:first)
    Math.atan2(v - y, u - x) * 180 / Math::PI
  end

  private

  def along(segment, distance, right)
    (x, y), (u, v) = @points[segment, 2]
    return [x, y] if @lengths[segment].zero?

    dx = (u - x) / @lengths[segment]
    dy = (v - y) / @lengths[segment]
    [x + (dx * distance) - (dy * right), y + (dy * distance) + (dx * right)]
  end
end

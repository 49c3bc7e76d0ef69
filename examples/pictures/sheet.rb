# frozen_string_literal: true

require_relative "svg"

# A part of the plane, with dots and squares on it, as SVG.
class Sheet
  WIDTH = 640
  MARGIN = 16
  TITLE = 28
  COLOURS = %w[#1b6ca8 #c8553d #2a9d5c #8a5a9e #d08c1f #4d5a66 #b0407a #3c8d93].freeze
  INK = "#22262b"

  # @param points [Array<Array(Float, Float)>] all that has to find room
  def initialize(title, points)
    @left, right = points.map(&:first).minmax
    bottom, @top = points.map(&:last).minmax
    @scale = (WIDTH - (2 * MARGIN)) / (right - @left)
    height = ((@top - bottom) * @scale) + (2 * MARGIN) + TITLE
    @svg = SVG.new(WIDTH, height.round, font_family: "sans-serif", font_size: 14)
    @svg.add(:title, title)
    @svg.add(:rect, width: "100%", height: "100%", fill: "#fbfaf6")
    @svg.add(:text, title, x: MARGIN, y: TITLE, fill: INK)
  end

  # @return [SVG]
  def to_svg = @svg

  # @param number [Integer, nil] of a colour; none is ink
  def dots(points, number, radius: 2)
    @svg.add(:g, fill: number ? COLOURS[number % COLOURS.size] : INK) do
      points.each { |point| placed(point).then { |x, y| @svg.add(:circle, cx: x, cy: y, r: radius) } }
    end
  end

  # @param squares [Array<Array(Float, Float, Float)>] left, bottom and side
  def squares(squares)
    @svg.add(:g, fill: "none", stroke: "#c9c2b4", stroke_width: 0.5) do
      squares.each do |left, bottom, side|
        x, y = placed([left, bottom + side])
        @svg.add(:rect, x:, y:, width: side * @scale, height: side * @scale)
      end
    end
  end

  # @param arrows [Array<Array(Float, Float, Float, Float)>] where each starts, and its way
  # @param length [Numeric] of them in pixels
  def arrows(arrows, number, length: 7)
    @svg.add(:g, stroke: COLOURS[number % COLOURS.size], stroke_width: 1.5, stroke_linecap: "round") do
      arrows.each do |x, y, dx, dy|
        far = length / Math.hypot(dx, dy)
        x1, y1 = placed([x, y])
        @svg.add(:line, x1:, y1:, x2: x1 - (dx * far), y2: y1 + (dy * far))
        @svg.add(:circle, cx: x1, cy: y1, r: 1.3, fill: COLOURS[number % COLOURS.size])
      end
    end
  end

  private

  def placed((x, y)) = [MARGIN + ((x - @left) * @scale), MARGIN + TITLE + ((@top - y) * @scale)]
end

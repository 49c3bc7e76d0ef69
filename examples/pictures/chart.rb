# frozen_string_literal: true

require_relative "svg"

# Lines over two axes that begin at 0, as SVG.
class Chart
  WIDTH = 640
  HEIGHT = 400
  LEFT = 76
  RIGHT = 170
  TOP = 44
  BOTTOM = 52
  # The points of longer lines are not marked.
  MOST_MARKED = 30
  COLORS = %w[#1b6ca8 #c8553d #2a9d5c #8a5a9e #d08c1f #4d5a66].freeze

  # @param title [String]
  # @param across [String] what the horizontal axis counts, with its unit
  # @param up [String] what the vertical one does
  # @param lines [Hash{String => Array<Array(Numeric, Numeric)>}] points by what they are of
  # @param caption [String, nil] what stands in small letters under the title
  def initialize(title, across:, up:, lines:, caption: nil)
    @title = title
    @caption = caption
    @names = [across, up]
    @lines = lines
    points = lines.values.flatten(1)
    @most = [points.map(&:first).max, points.map(&:last).max].map { |most| [most.to_f, 1e-9].max }
  end

  # @return [SVG]
  def to_svg
    @svg = SVG.new(WIDTH, HEIGHT, font_family: "sans-serif", font_size: 12)
    @svg.add(:title, @title)
    @svg.add(:rect, width: WIDTH, height: HEIGHT, fill: "white")
    text(@title, LEFT, TOP - 20, font_size: 15)
    text(@caption, LEFT, TOP - 7, font_size: 9) if @caption
    axes
    @lines.each_with_index { |(name, points), index| line(name, points, index) }
    @svg
  end

  private

  def text(words, x, y, **attributes) = @svg.add(:text, words, x:, y:, fill: "#222", **attributes)

  def x(value) = LEFT + (value / @most[0] * (WIDTH - LEFT - RIGHT))
  def y(value) = HEIGHT - BOTTOM - (value / @most[1] * (HEIGHT - TOP - BOTTOM))

  def axes
    grid
    ticks(@most[0]).each { |value| text(label(value), x(value), HEIGHT - BOTTOM + 18, text_anchor: "middle") }
    @svg.add(:path, d: "M#{LEFT} #{TOP} V#{HEIGHT - BOTTOM} H#{WIDTH - RIGHT}", fill: "none", stroke: "#222")
    text(@names[0], (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, text_anchor: "middle")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    text(@names[1], 16, middle, text_anchor: "middle", transform: "rotate(-90 16 #{middle})")
  end

  def grid
    ticks(@most[1]).each do |value|
      @svg.add(:path, d: "M#{LEFT} #{y(value).round(1)} H#{WIDTH - RIGHT}", stroke: "#ddd")
      text(label(value), LEFT - 8, y(value) + 4, text_anchor: "end")
    end
  end

  # Round numbers, about five of them.
  def ticks(most)
    power = 10.0**Math.log10(most / 5).floor
    step = [1, 2, 5, 10].map { |times| times * power }.find { |candidate| most / candidate <= 6 }
    (0..(most / step).floor).map { |count| count * step }
  end

  def label(value) = value >= 1000 ? value.round.to_s.gsub(/(?<=\d)(?=(\d{3})+$)/, ",") : format("%.4g", value)

  def line(name, points, index)
    color = COLORS[index % COLORS.size]
    placed = points.map { |point| [x(point[0]).to_f, y(point[1]).to_f] }
    @svg.line(placed, stroke: color, stroke_width: 2)
    placed.each { |at, height| @svg.add(:circle, cx: at, cy: height, r: 3, fill: color) } if points.size <= MOST_MARKED
    top = TOP + (index * 18)
    @svg.add(:rect, x: WIDTH - RIGHT + 12, y: top - 9, width: 12, height: 4, fill: color)
    text(name, WIDTH - RIGHT + 30, top - 2)
  end
end

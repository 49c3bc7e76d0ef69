# frozen_string_literal: true

require_relative "svg"

# Bars of times, one under the other, as SVG.
class Bars
  WIDTH = 720
  LEFT = 250
  RIGHT = 90
  STEP = 34
  COLOUR = "#1b6ca8"
  OTHER = "#b9c2c9"

  # @param title [String]
  # @param caption [Array<String>] lines under the bars: command, machine, date
  # @param bars [Array<Array(String, Float, Boolean)>] what it is of, milliseconds, and whether it stands out
  def initialize(title, caption, bars)
    @title = title
    @caption = caption
    @bars = bars
  end

  # @return [SVG]
  def to_svg
    height = 60 + (@bars.size * STEP) + (@caption.size * 16)
    svg = SVG.new(WIDTH, height, font_family: "sans-serif", font_size: 13, fill: "#222")
    svg.add(:title, @title)
    svg.add(:rect, width: WIDTH, height:, fill: "white")
    svg.add(:text, @title, x: 16, y: 28, font_size: 16)
    @bars.each_with_index { |bar, row| bar(svg, 48 + (row * STEP), *bar) }
    @caption.reverse.each_with_index do |line, row|
      svg.add(:text, line, x: 16, y: height - 8 - (row * 16), font_size: 11)
    end
    svg
  end

  private

  def bar(svg, top, name, milliseconds, ours)
    width = milliseconds / @bars.map { |bar| bar[1] }.max * (WIDTH - LEFT - RIGHT)
    svg.add(:text, name, x: LEFT - 10, y: top + 15, text_anchor: "end")
    svg.add(:rect, x: LEFT, y: top, width:, height: STEP - 12, fill: ours ? COLOUR : OTHER)
    svg.add(:text, format("%.1f ms", milliseconds), x: LEFT + width + 8, y: top + 15)
  end
end

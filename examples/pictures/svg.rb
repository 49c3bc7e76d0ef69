# frozen_string_literal: true

# An SVG picture, written element by element. Numbers are rounded to a tenth of a pixel: finer than anyone sees.
class SVG
  # @param width [Numeric] in pixels
  # @param height [Numeric]
  # @param attributes [Hash{Symbol => Object}] of the whole, such as the font
  def initialize(width, height, **attributes)
    box = [0, 0, width, height].map { |number| told(number) }.join(" ")
    @lines = []
    @root = { xmlns: "http://www.w3.org/2000/svg", width:, height:, viewBox: box, **attributes }
  end

  # @param name [Symbol] of the element
  # @param text [String, nil] what stands in it
  # @param attributes [Hash{Symbol => Object}] an underscore stands for a dash; nil leaves one out
  # @yield adds the elements within
  def add(name, text = nil, **attributes)
    start = "<#{name}#{written(attributes)}"
    if block_given?
      @lines << "#{start}>"
      yield
      @lines << "</#{name}>"
    else
      @lines << (text ? "#{start}>#{text.encode(xml: :text)}</#{name}>" : "#{start}/>")
    end
  end

  # @param points [Array<Array(Numeric, Numeric)>]
  def line(points, **attributes)
    add(:polyline, points: points.map { |point| pair(point) }.join(" "), fill: "none", **attributes)
  end

  # @return [String] a point, as attributes have it
  def pair(point) = point.map { |number| told(number) }.join(",")

  # @return [String] the whole file
  def to_s = "<svg#{written(@root)}>\n#{@lines.join("\n")}\n</svg>\n"

  # @param path [String] where to write it; the folder is made
  def save(path)
    require "fileutils"
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, to_s)
  end

  private

  def written(attributes)
    attributes.compact.map { |name, value| " #{name.to_s.tr("_", "-")}=#{told(value).encode(xml: :attr)}" }.join
  end

  def told(value) = value.is_a?(Float) ? format("%.1f", value).delete_suffix(".0") : value.to_s
end

# frozen_string_literal: true

require_relative "../traffic/car"
require_relative "../pictures/svg"
require_relative "../traffic/pedestrian"
require_relative "polyline"
require_relative "projection"

# Draws a town and its traffic as an SVG picture: streets by class, a dot for every actor, a legend and a scale bar.
class Map
  ATTRIBUTION = "Map data © OpenStreetMap contributors (ODbL)"
  PAPER = "#f4f1ea"
  INK = "#3d4148"
  CASING = "#c9c2b4"
  # How a class of road looks: width in pixels and colour. The classes not named here look like the last one.
  ROADS = {
    "motorway" => [9, "#e8927c"], "trunk" => [8, "#f0b07f"], "primary" => [7.5, "#f6cf8b"],
    "secondary" => [7, "#f7e7a1"], "tertiary" => [6.5, "#fbf5d0"], "unclassified" => [6, "#fefdf8"],
    "residential" => [6, "#ffffff"], "service" => [4, "#ffffff"]
  }.freeze
  # How an actor looks: colour, radius, and how far to the right of the middle of the street it keeps, in pixels.
  ACTORS = { Pedestrian => ["#2f9e62", 1.9, 4.6], Car => ["#d6336c", 2.3, 1.7] }.freeze
  # A street name is written where there is room for so many pixels a letter.
  ROOM_PER_LETTER = 5
  LEGEND_WIDTH = 290

  def initialize(title, streets, actors, width: 1600)
    @title = title
    @streets = streets
    @actors = actors
    @projection = Projection.new(streets.flat_map(&:points), width:, margin: 70)
    @lines = streets.to_h { |street| [street, Polyline.new(street.points.map { |point| @projection.call(point) })] }
  end

  # @return [SVG] the picture
  def to_svg
    @svg = SVG.new(@projection.width, @projection.height,
                   font_family: "'Helvetica Neue', Helvetica, Arial, sans-serif", fill: INK)
    @svg.add(:title, @title)
    @svg.add(:rect, width: "100%", height: "100%", fill: PAPER)
    @svg.add(:g, fill: "none", stroke_linecap: "round", stroke_linejoin: "round") { roads }
    dots
    halo = { stroke: PAPER, stroke_width: 3, stroke_linejoin: "round", paint_order: "stroke" }
    @svg.add(:g, font_size: 11, text_anchor: "middle", **halo) { names }
    legend
    corner = { x: @projection.width - 16, y: @projection.height - 16 }
    @svg.add(:text, ATTRIBUTION, **corner, font_size: 12, text_anchor: "end")
    @svg
  end

  private

  # Each pair of directions once, the important roads last and so on top, and all casings under all surfaces.
  def drawn
    @drawn ||= @streets.uniq { |street| [street.points, street.points.reverse].min }
                       .sort_by { |street| [-rank(street.road_class), street.index] }
  end

  def rank(road_class)
    ROADS.keys.index(road_class) || ROADS.size
  end

  def look(road_class)
    ROADS.fetch(road_class, ROADS.values.last)
  end

  def roads
    casings = drawn.map { |street| [street, look(street.road_class).first + 2, CASING] }
    surfaces = drawn.map { |street| [street, *look(street.road_class)] }
    [*casings, *surfaces].each { |street, width, colour| road(street, width, colour) }
  end

  def road(street, width, colour) = @svg.line(@lines[street].points, stroke: colour, stroke_width: width)

  def dots
    ACTORS.each do |kind, (colour, radius, right)|
      @svg.add(:g, fill: colour) do
        @actors.grep(kind).each do |actor|
          x, y = @lines[actor.street].at((actor.progress / actor.street.length).clamp(0.0, 1.0), right:)
          @svg.add(:circle, cx: x, cy: y, r: radius)
        end
      end
    end
  end

  # A name stands once, along the longest straight piece of the street that bears it.
  def names
    drawn.select(&:name).group_by(&:name).each do |name, streets|
      piece = streets.map { |street| @lines[street].longest_piece }.max_by(&:length)
      next if piece.length < name.size * ROOM_PER_LETTER

      x, y = piece.at(0.5)
      @svg.add(:text, name, transform: "translate(#{@svg.pair([x, y])}) rotate(#{@svg.pair([piece.slope])})", y: -9)
    end
  end

  def legend
    classes = drawn.map(&:road_class).uniq.sort_by { |road_class| rank(road_class) }
    rows = classes.map { |road_class| -> { road_row(road_class) } }
    rows += ACTORS.keys.reverse.map { |kind| -> { actor_row(kind) } }
    height = 108 + (rows.size * 22)
    placed(free_corner(LEGEND_WIDTH, height), font_size: 13) do
      @svg.add(:rect, width: LEGEND_WIDTH, height:, rx: 8, fill: "#ffffff", fill_opacity: 0.92.to_s, stroke: CASING)
      @svg.add(:text, @title, x: 20, y: 34, font_size: 18, font_weight: "bold")
      rows.each_with_index { |row, i| placed([20, 64 + (i * 22)], &row) }
      placed([20, height - 30]) { scale_bar }
    end
  end

  def placed(point, **attributes, &) = @svg.add(:g, transform: "translate(#{@svg.pair(point)})", **attributes, &)

  # The corner of the sheet where the legend hides least of the town, as x and y.
  def free_corner(width, height)
    across = [24, @projection.width - width - 24]
    down = [24, @projection.height - height - 44]
    across.product(down).min_by do |left, top|
      @lines.values.flat_map(&:points).count { |x, y| x.between?(left, left + width) && y.between?(top, top + height) }
    end
  end

  def road_row(road_class)
    width, colour = look(road_class)
    [[width + 2, CASING], [width, colour]].each do |stroke, paint|
      @svg.add(:path, d: "M0 0h28", stroke: paint, stroke_width: stroke, stroke_linecap: "round")
    end
    label("#{road_class.tr("_", " ")} street")
  end

  def actor_row(kind)
    colour, radius, = ACTORS[kind]
    count = @actors.grep(kind).size
    @svg.add(:circle, cx: 14, r: radius * 2, fill: colour)
    label("#{kind.name.downcase} (#{count})")
  end

  def label(text) = @svg.add(:text, text, x: 44, y: 4)

  # The longest of these that fits, in metres.
  def scale_bar
    metres = [100, 200, 500, 1000, 2000, 5000].reverse.find { |length| length * @projection.scale < 180 } || 50
    length = metres * @projection.scale
    text = metres < 1000 ? "#{metres} m" : "#{metres / 1000} km"
    @svg.add(:path, d: "M0 -4v8m0 -4h#{@svg.pair([length])}m0 -4v8", fill: "none", stroke: INK, stroke_width: 1.5)
    @svg.add(:text, text, x: length + 10, y: 4)
  end
end

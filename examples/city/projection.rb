# frozen_string_literal: true

# Places longitudes and latitudes on a sheet: equirectangular about the middle of what is shown, which keeps the shape
# of a town. Sheet coordinates are in pixels, y pointing down.
class Projection
  METRES_PER_DEGREE = 111_195.0

  # @return [Float] pixels a metre
  attr_reader :scale
  # @return [Float] pixels
  attr_reader :width, :height

  # @param points [Array<Array(Float, Float)>] all that has to find room, as longitude and latitude
  # @param width [Numeric] of the sheet in pixels; the height follows
  # @param margin [Numeric] pixels left free on each side
  def initialize(points, width:, margin:)
    west, east = points.map(&:first).minmax
    south, north = points.map(&:last).minmax
    @west = west
    @north = north
    @margin = margin
    @squeeze = Math.cos((south + north) / 2 * Math::PI / 180)
    @scale = (width - (2 * margin)) / ((east - west) * @squeeze * METRES_PER_DEGREE)
    @width = width
    @height = ((north - south) * METRES_PER_DEGREE * @scale) + (2 * margin)
  end

  # @return [Array(Float, Float)] x and y on the sheet
  def call((longitude, latitude))
    [@margin + ((longitude - @west) * @squeeze * METRES_PER_DEGREE * @scale),
     @margin + ((@north - latitude) * METRES_PER_DEGREE * @scale)]
  end
end

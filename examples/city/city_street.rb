# frozen_string_literal: true

require_relative "../traffic/street"

# A street of a real town. To the simulation it is a Street like any other; besides, it knows where on earth it lies.
class CityStreet < Street
  # The speed limit in miles an hour where the map tells none, by OpenStreetMap's class of road.
  LIMITS = {
    "motorway" => 65.0, "trunk" => 55.0, "primary" => 45.0, "secondary" => 40.0, "tertiary" => 35.0,
    "unclassified" => 30.0, "residential" => 25.0, "living_street" => 15.0, "service" => 15.0
  }.freeze
  DEFAULT_LIMIT = 25.0
  KILOMETRES_PER_MILE = 1.609344
  # A tick of the town is a second, in which one mile an hour makes a sixtieth of a sixtieth of a mile, and an actor
  # counts that as a sixtieth. So lengths are in sixtieths of a mile.
  METRES_PER_UNIT = KILOMETRES_PER_MILE * 1000 / 60

  # @return [Array<Array(Float, Float)>] longitude and latitude of the street's corners, in the direction of travel
  attr_reader :points
  # @return [String] OpenStreetMap's class of road, without the suffix of links ("primary", not "primary_link")
  attr_reader :road_class
  # @return [String, nil]
  attr_reader :name

  # @param edge [Hash] the attributes of an edge in the GraphML file
  def initialize(index, edge, points)
    @points = points
    @road_class = edge.fetch("highway", "unclassified").delete_suffix("_link")
    @name = edge["name"]
    super(index, edge.fetch("length").to_f / METRES_PER_UNIT, limit(edge["maxspeed"]))
  end

  def start
    points.first
  end

  def end
    points.last
  end

  # Whether the other street is this one in the opposite direction.
  def reverse?(other)
    points == other.points.reverse
  end

  private

  def limit(maxspeed)
    value = maxspeed.to_f
    return LIMITS.fetch(road_class, DEFAULT_LIMIT) unless value.positive?

    maxspeed.end_with?("mph") ? value : value / KILOMETRES_PER_MILE
  end
end

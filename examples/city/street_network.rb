# frozen_string_literal: true

require "rexml/document"
require "rexml/streamlistener"
require_relative "city_street"

# Reads the streets of a town from a GraphML file as OSMnx writes it: nodes are crossings with x and y in degrees,
# directed edges are streets.
class StreetNetwork
  # @param path [String] a GraphML file
  # @return [Array<CityStreet>] its streets, with their neighbours
  def self.load(path)
    network = new
    File.open(path) { |file| REXML::Document.parse_stream(file, network) }
    network.streets
  end

  include REXML::StreamListener

  def initialize
    @names = {}
    @nodes = {}
    @edges = []
  end

  # @!group What the parser calls

  def tag_start(tag, attributes)
    case tag
    when "key" then @names[attributes["id"]] = attributes["attr.name"]
    when "node" then @element = @nodes[attributes["id"]] = {}
    when "edge" then @edges << (@element = attributes.dup)
    when "data"
      @name = @names[attributes["key"]]
      @value = +""
    end
  end

  def text(text)
    @value&.<<(text)
  end

  def tag_end(tag)
    case tag
    when "data"
      @element[@name] = first(@value) if @element
      @value = nil
    when "node", "edge" then @element = nil
    end
  end

  # @!endgroup

  # The streets one can turn into are those that begin where this one ends. Only who finds no other turns around, and
  # where a one-way street leads nowhere, its actors begin again.
  def streets
    streets = @edges.each_with_index.map { |edge, index| CityStreet.new(index, edge, points(edge)) }
    beginning = streets.group_by(&:start)
    streets.each do |street|
      onward = beginning.fetch(street.end, [street])
      around, ahead = onward.partition { |other| street.reverse?(other) }
      street.neighbors = ahead.empty? ? around : ahead
    end
  end

  private

  # Where OSMnx joined several pieces of a street, an attribute is a list in Python's notation: the first will do.
  def first(value)
    value[/\A\[['"]?(.*?)['"]?[,\]]/, 1] || value
  end

  def points(edge)
    source, target = edge.values_at("source", "target").map { |id| @nodes.fetch(id).values_at("x", "y").map(&:to_f) }
    between = edge.fetch("geometry", "")[/\((.*)\)/, 1].to_s.split(",").map { |pair| pair.split.map(&:to_f) }
    [source, *between[1...-1], target]
  end
end

#!/usr/bin/env ruby
# frozen_string_literal: true

# People meet their friends, fall ill for some days, and are immune then: the program of the README, with a curve. The
# days are one section.
#
#   ruby examples/epidemic.rb --people 20000 --days 90 --output tmp/epidemic.svg
#   ruby examples/epidemic.rb --people 20000 --days 90 --live 8000

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"
require_relative "pictures/chart"
require_relative "pictures/live"

# Somebody who may fall ill.
class Person
  attr_reader :state
  attr_writer :friends

  def initialize(number, ill)
    @random = Random.new(number)
    @state = ill ? :ill : :well
    @days = 0
  end

  # Looks at friends only, so that all may do so at the same time.
  def meet(risk)
    @caught = @state == :well && @friends.any? { |friend| friend.state == :ill && @random.rand < risk }
  end

  def live(length)
    @days += 1 if @state == :ill
    @state = :immune if @days == length
    @state = :ill if @caught
  end
end

# How many of so many people were well, ill and immune on each day.
def drawn(size, ill, immune)
  lines = { "well" => ill.zip(immune).map { |counts| size - counts.sum }, "ill" => ill, "immune" => immune }
  lines.transform_values! { |counts| counts.each_with_index.map { |count, day| [day + 1, count] } }
  Chart.new("An epidemic among #{size} people", across: "day", up: "people", lines:).to_svg
end

options = { people: 20_000, days: 90, friends: 10, risk: 0.05, length: 7, backend: Ikra.backend }
OptionParser.new do |parser|
  parser.on("--people N", Integer, "(#{options[:people]})")
  parser.on("--days N", Integer, "(#{options[:days]})")
  parser.on("--friends N", Integer, "of each (#{options[:friends]})")
  parser.on("--risk X", Float, "to catch it from a friend who is ill, a day (#{options[:risk]})")
  parser.on("--length N", Integer, "how many days it takes (#{options[:length]})")
  parser.on("--output FILE", "draw the curves as SVG")
  parser.on("--live PORT", Integer, "show each day in a browser (with the gem webrick)")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
end.parse!(into: options)

Ikra.backend = options[:backend]
random = Random.new(1)
people = Array.new(options[:people]) { |number| Person.new(number, number < options[:people] / 1000.0) }
people.each { |person| person.friends = Array.new(options[:friends]) { people.sample(random:) } }

risk, length, days = options.values_at(:risk, :length, :days)
ill = []
immune = []
live = Live.new(options[:live]) if options[:live]
looked_at = !live.nil?
Ikra.section do
  days.times do
    people.peach { |person| person.meet(risk) }
    people.peach { |person| person.live(length) }
    ill << people.pcount { |person| person.state == :ill }
    immune << people.pcount { |person| person.state == :immune }
    Ikra.sync { live.show(drawn(people.size, ill, immune)) } if looked_at
  end
end
live&.finish

drawn(people.size, ill, immune).save(options[:output]) if options[:output]
puts "most are ill on day #{ill.index(ill.max) + 1}: #{ill.max}"
puts "ill at the end: #{ill.last}"
puts "never ill: #{people.size - ill.last - immune.last}"

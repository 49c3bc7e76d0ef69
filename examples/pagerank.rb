#!/usr/bin/env ruby
# frozen_string_literal: true

# Which pages are important? Those that important pages link to. In each round every page hands its rank on to the pages
# that it links to, until no rank changes much. All rounds are one section: what is between the parallel calls is
# compiled as well, and runs once.
#
#   ruby examples/pagerank.rb --pages 10000

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"

# A page, with the pages that link to it.
class Page
  attr_accessor :links
  attr_reader :number, :rank, :share, :sources

  def initialize(number)
    @number = number
    @sources = []
    @links = 0
    @rank = 1.0
    @share = 0.0
  end

  def give
    @share = @rank / @links
  end

  # Gives the change.
  def take(damping)
    sum = 0.0
    @sources.each { |page| sum += page.share }
    before = @rank
    @rank = 1.0 - damping + (damping * sum)
    (@rank - before).abs
  end
end

options = { pages: 10_000, seed: 1, damping: 0.85, least: 1e-6, backend: Ikra.backend }
OptionParser.new do |parser|
  parser.on("--pages N", Integer, "(#{options[:pages]})")
  parser.on("--seed N", Integer, "which pages link to which (#{options[:seed]})")
  parser.on("--damping X", Float, "(#{options[:damping]})")
  parser.on("--least X", Float, "the change at which it ends (#{options[:least]})")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
end.parse!(into: options)

Ikra.backend = options[:backend]
random = Random.new(options[:seed])
pages = Array.new(options[:pages]) { |i| Page.new(i) }
# Some are linked to much more often than others.
pages.each do |page|
  page.links = random.rand(1..8)
  page.links.times { pages[((random.rand**3) * pages.size).to_i].sources << page }
end

damping = options[:damping]
least = options[:least]
rounds = 0
best = Ikra.section do
  change = 1.0
  until change < least
    pages.peach(&:give)
    change = pages.pmap { |page| page.take(damping) }.max
    rounds += 1
  end
  bound = pages.pmap(&:rank).sum / pages.size * 5
  pages.pselect { |page| page.rank > bound }
end

puts "#{rounds} rounds, #{best.size} pages of more than five times the mean"
best.max_by(10) { |page| [page.rank, -page.number] }.each { |page| puts format("%6d %.6f", page.number, page.rank) }

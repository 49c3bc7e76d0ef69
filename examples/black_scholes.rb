#!/usr/bin/env ruby
# frozen_string_literal: true

# What options on shares are worth (Black and Scholes, Journal of Political Economy 81, 1973). Share prices, strike
# prices and times are columns side by side, so that no option is an object; pmap gives columns again, one of calls and
# one of puts. A call less a put is worth what the share is, less the strike price as of today, which shows how exact
# all are.
#
#   ruby examples/black_scholes.rb --options 6000000

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "ikra"
require "optparse"

# What all options have in common: the interest, and how much prices move, each in a year.
class Market
  def initialize(rate, volatility)
    @rate = rate
    @volatility = volatility
  end

  # That of the call, the right to buy for the strike price, and of the put, the right to sell.
  def values(price, strike, years)
    spread = @volatility * Math.sqrt(years)
    likely = (Math.log(price / strike) + ((@rate + (0.5 * @volatility * @volatility)) * years)) / spread
    today = discounted(strike, years)
    call = (price * normal(likely)) - (today * normal(likely - spread))
    put = (today * normal(spread - likely)) - (price * normal(-likely))
    [call, put]
  end

  # What will be paid is worth this today.
  def discounted(amount, years)
    amount * Math.exp(-@rate * years)
  end

  private

  # How likely a normally distributed number is below x.
  def normal(x)
    0.5 * Math.erfc(-x / Math.sqrt(2.0))
  end
end

options = { options: 100_000, rate: 0.02, volatility: 0.3, seed: 1, backend: Ikra.backend }
OptionParser.new do |parser|
  parser.on("--options N", Integer, "(#{options[:options]})")
  parser.on("--rate X", Float, "the interest (#{options[:rate]})")
  parser.on("--volatility X", Float, "(#{options[:volatility]})")
  parser.on("--seed N", Integer, "which options (#{options[:seed]})")
  parser.on("--backend NAME", %i[auto cuda cpu ruby], "auto, cuda, cpu or ruby")
end.parse!(into: options)

Ikra.backend = options[:backend]
random = Random.new(options[:seed])
market = Market.new(options[:rate], options[:volatility])
terms = Ikra::Column.generate(options[:options], %i[float64 float64 float64]) do
  [random.rand(5.0..30.0), random.rand(1.0..100.0), random.rand(0.25..10.0)]
end

values = terms.pmap { |price, strike, years| market.values(price, strike, years) }
call, put = values.columns
price, strike, years = terms.columns
error = (0...terms.size).plazy.map do |i|
  (call[i] - put[i] - price[i] + market.discounted(strike[i], years[i])).abs
end.max

5.times do |i|
  puts format("%8.4f for %8.4f in %7.4f years: call %8.4f, put %8.4f", price[i], strike[i], years[i], call[i], put[i])
end
puts format("all calls %.4f, all puts %.4f", call.psum, put.psum)
puts format("inexact by %.9f", error)

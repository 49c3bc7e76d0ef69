# frozen_string_literal: true

# Any call of Ruby's may raise what another thread sends, a Timeout or a signal. None may be lost, whichever it is.
module RaisedAnywhere
  # Has variables of many kinds.
  class Part
    attr_accessor :number, :pattern, :table, :text, :pair

    def initialize(number)
      @number = number
      @pattern = /(?<=k)#{number}/
      @table = { number => "a", "b" => number }
      @text = "k#{number}"
      @pair = Pair.new(number, :none)
    end
  end

  Pair = Struct.new(:left, :right)

  # A block of which no other call knows anything.
  def self.section(number)
    LargeSections.new(<<~RUBY)
      ->(parts) do
        least = #{number}
        table = { a: 1, "b" => 2.5 }
        parts.pmap do |part|
          part.number += 1
          part.pair.right = :seen
          [part.text =~ part.pattern, part.table["b"], part.text.upcase, least, table[:a], part.pair.left,
           /x/.match?(part.text), part.text.to_sym, { part.number => "\#{least}" }, Random.rand(2) < 3]
        end
      end
    RUBY
  end

  # Calls the section, and raises at the call of Ruby's that has a number.
  #
  # @return [Array] how many calls there were, which one it was, and what came of it
  def self.raising_at(number, section)
    parts = Array.new(3) { |n| Part.new(n) }
    calls = 0
    place = nil
    caller = Thread.current
    trace = TracePoint.new(:c_call) do |point|
      # Ruby makes an error of what is raised while it makes an exception.
      next if Thread.current != caller || point.defined_class <= Exception || point.method_id == :backtrace

      calls += 1
      next unless calls == number

      place = "#{point.defined_class}##{point.method_id}"
      raise IOError, "enough"
    end
    came = begin
      trace.enable { section.call(parts) }
      :nothing
    rescue StandardError => e
      [e.class, e.message]
    end
    [calls, place, came]
  end
end

RSpec.describe "What is raised in the middle of a call" do
  on_cpu

  def expect_raised(calls)
    lost = calls.filter_map do |number|
      _, place, came = RaisedAnywhere.raising_at(number, yield)
      [number, place, came] if place && came != [IOError, "enough"]
    end
    expect(lost).to eq([])
  end

  it "is raised by a first call" do
    calls = Array.new(2) { |n| RaisedAnywhere.raising_at(0, RaisedAnywhere.section(-n)).first }.last
    expect(calls).to be > 20
    expect_raised(1.step(calls, (calls / 40.0).ceil)) { RaisedAnywhere.section(@number = @number.to_i + 1) }
  end

  it "is raised by a later call" do
    section = RaisedAnywhere.section(0)
    calls = Array.new(3) { RaisedAnywhere.raising_at(0, section).first }.last
    expect(calls).to be > 20
    expect_raised(1..calls) { section }
  end
end

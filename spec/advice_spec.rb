# frozen_string_literal: true

require "spec_helper"

module AdviceSpec
  class Document
    attr_reader :weights
    attr_accessor :found

    def initialize(number)
      @weights = { "x" => number, "y" => 2 }
    end

    def work(count)
      x = 0.5
      count.times { x = (x * x) + 0.25 }
      @found = x
    end
  end
end

# What Ikra says of calls that it does not make faster.
each_backend(Backends::ALL & [:cpu]) do
  let(:documents) { Array.new(2_000) { |i| AdviceSpec::Document.new(i) } }

  around do |example|
    Ikra.advise = true
    # Others would have to wait for a core.
    Ikra.threads = 1
    example.run
  ensure
    Ikra.threads = nil
    Ikra.advise = false
  end

  # What is written to the standard error while the block is called for so many seconds.
  def said_in(seconds)
    told = StringIO.new
    before = $stderr
    $stderr = told
    ends = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    yield until Process.clock_gettime(Process::CLOCK_MONOTONIC) > ends || !told.string.empty?
    told.string
  ensure
    $stderr = before
  end

  it "tells once where the time of calls goes, if that is not computing" do
    call = -> { documents.peach { |d| d.found = d.weights.size } }
    told = said_in(15, &call)
    expect(told).to match(/advice_spec.rb:\d+:.* peach has spent .* calls on .*objects of .*AdviceSpec::Document/)
    expect(told).to match(/a loop of Ruby may be faster.*\n  hint: take the loop/)
    expect(said_in(0.7, &call)).to eq("")
  end

  it "tells of many calls that are small" do
    few = documents.first(3)
    expect(said_in(15) { 100.times { few.peach { |d| d.found = 1 } } }).to match(/peach has spent .* on computing/)
  end

  it "says nothing where elements compute, nor where it is not wanted" do
    expect(said_in(1) { documents.peach { |d| d.work(3_000) } }).to eq("")
    Ikra.advise = false
    expect(said_in(1) { documents.peach { |d| d.found = d.weights.size } }).to eq("")
  end

  it "tells of what took long to compile, and most of it for which line" do
    section = Ikra.const_get(:Section)
    expect { section.was_made_long([2.34, "town.rb:7"], :peach) }
      .to output(/peach has taken 2\.3 s to compile, most of it for town.rb:7: Ikra.cache = true keeps it/).to_stderr
    expect { section.was_made_long([1.5, nil], :pmap) }.to output(/pmap has taken 1\.5 s to compile: /).to_stderr
  end

  it "is true or false" do
    expect { Ikra.advise = 1 }.to raise_error(ArgumentError, /true or false, not 1/)
  end
end

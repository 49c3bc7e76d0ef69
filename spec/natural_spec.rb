# frozen_string_literal: true

# What programs have that people write without a thought of sections.
module Natural
  class Edge
    def initialize(graph) = graph.add(self)
  end

  class Graph
    attr_reader :edges

    def initialize = @edges = []
    def add(edge) = @edges << edge
  end

  class Shape
    def initialize(size) = @size = size
    def ==(other) = self.class == other.class && state == other.state

    protected

    def state = @size
  end

  class Square < Shape
    protected

    def state = @size * 2
  end

  class Job
    attr_reader :state

    def fail(why) = @state = [:failed, why]
    def block_given? = 21
    def eval(number) = number * 2
    def run(number) = number > 1 ? fail("too big") : [block_given?, eval(number)]
  end

  class Counter
    @@made = 0
    def self.made = @@made
    def bump = @@made += 1
  end

  def self.letters(text) = case text when /x(.)/ then letters(text[1..]) + 1 else 0 end
end

each_backend do
  it "splats ranges of Strings" do
    expect_same([0]) { [*"a".."h"].size }
    expect_same([0]) do
      all = []
      all.push(*"a".."c")
      [all, [*"a".."b", *"x".."z"].join]
    end
    expect_same([0]) { [*"a".."h"][2] + "1" }
  end

  it "makes ranges of what may be nil" do
    expect_same([3, 4]) do |n|
      low, high = (1..n).map { |i| i * i }.minmax
      (low..high).sum
    end
    expect_same([[3, 4], [1, 5]]) { |a| (a.min..a.max).to_a + (a[0]..a[-1]).to_a }
    next if Ikra.backend == :ruby

    expect do
      [[1], []].pmap do |a|
        (a.min..a.max).size
      end
    end.to raise_error(Ikra::UnsupportedError, /\[unsupported-range\]/)
  end

  it "repeats and joins by `*`" do
    expect_same([[[2, 3], 2], [[1], 2], ["ab", 2], [[1, 2], "-"]]) { |a, b| a * b }
  end

  it "makes Strings by `String.new`" do
    expect_same(%w[ä b]) { |s| [String.new << s, String.new("abc") << s, String.new(s), String.new(capacity: 9)] }
  end

  it "lets objects give themselves away in `initialize`" do
    graphs = Array.new(2) { Natural::Graph.new }
    expect(graphs.pmap do |graph|
             Natural::Edge.new(graph)
             graph.edges.size
           end).to eq([1, 1])
    expect(graphs.map { |graph| graph.edges.map(&:class) }).to eq([[Natural::Edge]] * 2)
  end

  it "calls protected methods where self may call them" do
    shapes = [Natural::Shape.new(2), Natural::Square.new(1), Natural::Shape.new(2), Natural::Square.new(1)]
    expect_same(shapes) { |shape| shapes.map { |other| shape == other } }
  end

  it "calls methods of one's own that are named as Kernel's" do
    jobs = Array.new(2) { Natural::Job.new }
    expect(jobs.each_with_index.pmap { |job, i| job.run(i + 1) }).to eq([[21, 2], [:failed, "too big"]])
    expect(jobs.map(&:state)).to eq([nil, [:failed, "too big"]])
  end

  it "assigns class variables in methods that are given by name" do
    before = Natural::Counter.made
    Warnings.without { Array.new(3) { Natural::Counter.new }.peach(&:bump) }
    expect(Natural::Counter.made).to eq(before + 3)
  end
end

each_backend(Backends::ALL & %i[ruby cpu]) do
  it "matches patterns against what may be nil" do
    expect_same(%w[xaxb ab] << "x") { |text| Natural.letters(text) }
    expect_same(["a b", ""]) { |text| /a/ === text.split[0] }
  end
end

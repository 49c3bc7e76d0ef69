# frozen_string_literal: true

require "json"
require "open3"
require "rbconfig"
require "rexml/document"
require "tmpdir"
require_relative "../examples/pictures/bars"
require_relative "../examples/pictures/chart"
require_relative "../examples/pictures/png"
require_relative "../examples/pictures/sheet"

# What the examples and the benchmarks draw with.
RSpec.describe SVG do
  def parsed(svg) = REXML::Document.new(svg.to_s).root
  def told(element) = element.attributes.to_h.transform_values(&:to_s)

  it "writes elements, one in the other, with what XML needs escaped" do
    svg = described_class.new(20, 10.0, font_size: 12)
    svg.add(:g, fill: "none", stroke: nil) { svg.line([[0, 1.25], [2.0, 3.04]], stroke: "red") }
    svg.add(:text, "a < b & \"c\"", x: 1, title: "\"<&>\"")
    root = parsed(svg)
    expect(told(root)).to include("width" => "20", "height" => "10", "viewBox" => "0 0 20 10", "font-size" => "12")
    group, text = root.elements.to_a
    expect(told(group)).to eq("fill" => "none")
    expect(group.elements.to_a.first.attributes["points"]).to match(/\A0,1\.[23] 2,3\z/)
    expect([text.text, text.attributes["title"]]).to eq(["a < b & \"c\"", "\"<&>\""])
  end

  it "saves into a folder that it makes" do
    Dir.mktmpdir do |folder|
      described_class.new(1, 1).save("#{folder}/new/picture.svg")
      expect(REXML::Document.new(File.read("#{folder}/new/picture.svg")).root.name).to eq("svg")
    end
  end

  it "draws charts" do
    chart = Chart.new("Heat", across: "piece", up: "heat", lines: { "a" => [[0, 0], [10, 1000]], "b" => [[5, 20]] })
    texts = parsed(chart.to_svg).elements.to_a("text").map(&:text)
    expect(texts).to include("Heat", "piece", "heat", "a", "b", "10", "1,000")
    long = Chart.new("", across: "", up: "", lines: { "a" => Array.new(100) { |i| [i, i] } })
    expect(parsed(long.to_svg).elements.to_a("circle")).to be_empty
  end

  it "places points on a sheet with y upwards" do
    sheet = Sheet.new("Two", [[0.0, 0.0], [1.0, 1.0]])
    sheet.dots([[0.0, 0.0], [1.0, 1.0]], 0)
    sheet.squares([[0.0, 0.0, 1.0]])
    sheet.arrows([[0.0, 0.0, 1.0, 0.0]], 1)
    low, high = REXML::XPath.match(parsed(sheet.to_svg), "//circle").map do |dot|
      told(dot).values_at("cx", "cy").map(&:to_f)
    end
    expect([low[0] < high[0], low[1] > high[1]]).to eq([true, true])
  end

  it "draws bars, as long as the times, and the benchmark's are those of its table" do
    bars = REXML::XPath.match(parsed(Bars.new("T", ["here"], [["a", 10.0, true], ["b", 5.0, false]]).to_svg), "//rect")
    widths = bars.drop(1).map { |bar| told(bar)["width"].to_f }
    expect(widths[0]).to be_within(0.2).of(widths[1] * 2)
    root = File.expand_path("..", __dir__)
    table = File.read("#{root}/docs/benchmarks.md", encoding: Encoding::UTF_8)[/^## On the CPU$.*?^The two columns/m]
    times = table.scan(/^\| .+? \| ([\d.]+ ms) \|/).flatten
    texts = REXML::Document.new(File.read("#{root}/docs/gallery/benchmark.svg")).root.elements.to_a("text").map(&:text)
    expect(texts.grep(/ ms\z/)).to eq(times)
    expect(texts.join).to include(table[/\d{4}-\d\d-\d\d/])
  end

  it "mixes colours" do
    expect(PNG.mixed([0x000000, 0x0000ff], 0.0)).to eq(0)
    expect(PNG.mixed([0x000000, 0x0000ff], 1.0)).to eq(0xff)
    expect(PNG.mixed([0x100000, 0x300000, 0x300040], 0.25)).to eq(0x200000)
    expect(PNG.mixed([0x100000, 0x300000, 0x300040], 9.0)).to eq(0x300040)
  end

  {
    "flock" => [%w[--birds 20 --steps 3], 3, "20 birds after 1 steps"],
    "epidemic" => [%w[--people 200 --days 4], 4, "An epidemic among 200 people"],
    "heat" => [%w[--pieces 30 --steps 150], 3, "Heat on a ring"],
    "kmeans" => [%w[--points 100 --clusters 3], 1.., "k-means: 100 points, 3 clusters"],
    "barnes_hut" => [%w[--bodies 50 --steps 3], 3, "50 stars after 1 steps"],
    "city" => [%w[--ticks 3 --cars 5 --peds 5 --output /dev/null], 3, "Dillingham, Alaska"]
  }.each do |name, (options, count, title)|
    it "shows the pictures of #{name} in a browser while it runs" do
      begin
        require "net/http"
        require "webrick"
      rescue LoadError
        skip "webrick is not there"
      end
      example = File.expand_path("../examples/#{name}.rb", __dir__)
      live = [*options, "--live", "0"]
      Open3.popen3({ "IKRA_BACKEND" => "cpu" }, RbConfig.ruby, example, *live) do |_, out, err, process|
        address = URI(err.gets[%r{http://localhost:\d+/}])
        expect(Net::HTTP.get(address)).to include('new EventSource("events")')
        events = Net::HTTP.get(URI.join(address, "events")).split("\n\n")
        expect(events.last).to start_with("event: end")
        pictures = events.grep(/\Adata: /).map { |event| parsed(JSON.parse(event.delete_prefix("data: "))) }
        expect(pictures.size).to be_between(*(count.is_a?(Range) ? [count.begin, 1_000] : [count, count]))
        expect(pictures.first.elements.to_a("title").first.text).to eq(title)
        told = out.read
        same = Open3.capture2({ "IKRA_BACKEND" => "cpu" }, RbConfig.ruby, example, *options).first
        expect([told, process.value.success?]).to eq([same, true])
      end
    end
  end

  it "has the pictures that rake gallery draws" do
    root = File.expand_path("..", __dir__)
    drawn = File.read("#{root}/rakelib/gallery.rake").scan(/^  "(\S+)" => %w\[([^\s\]]+)/)
    expect([*drawn.map(&:first), "benchmark.svg"].sort).to eq(Dir.children("#{root}/docs/gallery").sort)
    page = File.read("#{root}/docs/gallery.md", encoding: Encoding::UTF_8)
    expect(drawn).to all(satisfy do |picture, example|
      page.include?("(gallery/#{picture})") && page.include?("`ikra example run #{File.basename(example, ".rb")}")
    end)
  end
end

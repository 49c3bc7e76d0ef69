# frozen_string_literal: true

require "open3"
require "rbconfig"
require "rexml/document"
require "tmpdir"

# What Ikra.explain returns, printed, as data, and in a browser.
RSpec.describe Ikra::Explanation do
  # Something of each sort.
  let(:reader) do
    Class.new do
      attr_reader :text, :words, :score

      def self.name = "Reader"

      def initialize(text)
        @text = text
        @score = 0.0
      end

      def read(counts)
        @words = text.split
        @words.each do |word|
          counts[word.size] += 1
          @score += word =~ /[aeiou]/ ? 1.5 : 2
        end
        File.write("log", text) if @score > 1_000
        @words.find { |word| word.size > 3 && [word < "z", true] }
      end
    end
  end
  let(:explanation) do
    readers = ["to be or not", "that is"].map { |text| reader.new(text) }
    counts = Array.new(30, 0)
    Ikra.explain(readers, :pmap) { |reader| reader.read(counts) }
  end

  around do |example|
    chosen = Ikra.chosen
    Ikra.backend = :cpu
    example.run
  ensure
    Ikra.backend = chosen
  end

  it "is a page that begins with a verdict" do
    page = explanation.to_s
    expect(page.lines.size).to be <= 40
    expect(page).to start_with("section: runs in parallel on cpu\nreads:\n")
    expect(page).to include("  @text of ", "4 bytes, own row\n", "\nwrites:\n  @words", "\naccumulates:\n  elements of")
    expect(page).to match(/^types that are not obvious:\n.*@words: Array or nil/)
    expect(page).to match(/^unsupported, .*:\n  \S+:\d+: `File\.write` cannot .* \[unsupported-method\]\n/)
    expect(page).to match(/^code: \d+ lines of intermediate program, of these .* %; \d+ lines for cpu$/)
    expect(explanation.inspect).to eq("#<Ikra::Explanation runs in parallel on cpu>")
  end

  it "stays a page, however much there is" do
    names = Array.new(40) { |i| :"n#{i}" }
    numbers = Struct.new(*names)
    all = [numbers.new(*Array.new(40) { |i| i.odd? ? i : nil })]
    explanation = Ikra.explain(all, :pmap) { |one| one.to_a.map { |n| n || 0 }.sum }
    expect(explanation.to_s.lines.size).to be <= 40
    expect(explanation.to_s).to include("  … and ")
  end

  it "names where elements may conflict" do
    cells = Array.new(2) { World::Point.new(1.0) }
    explanation = Ikra.explain(cells) { |cell| cell.x = cells[0].x }
    expect(explanation.watched).to all(match(/\A@x \((world|explanation_spec)\.rb:\d+\)\z/)).and(satisfy(&:any?))
    expect(explanation.verdict).to start_with("runs in parallel on cpu, unless elements conflict: @x (")
  end

  it "has what is touched as data" do
    columns = explanation.columns.reject(&:own?).to_h { |column| [column.name, column] }
    expect(columns["@score"].to_a.drop(2)).to eq(["Float", true, true, [:own_row], 8])
    expect(columns["@text"].to_a.drop(2)).to eq(["String", true, false, [:own_row], 4])
    expect(columns["@words"].bytes).to eq(12)
    expect(columns.values.select(&:accumulates?).map(&:types)).to eq(["Integer"])
    expect(explanation.columns.select(&:own?).map(&:of).uniq).to contain_exactly("String", "Regexp")
  end

  it "has the lines as data" do
    lines = explanation.lines
    expect(lines.map(&:path).uniq).to eq([__FILE__])
    score = lines.find { |line| line.text.include?("@score +=") }
    expect(File.readlines(__FILE__, chomp: true)[score.number - 1]).to eq(score.text)
    expect(score.types).to include("@score" => "Float", "word =~ /[aeiou]/" => "Integer or nil")
    found = lines.find { |line| line.text.include?("find") }
    expect(found.types["[word < \"z\", true]"]).to match(/\A\[.*\]\z/)
    expect(found.types.keys).to all(satisfy { |text| text.start_with?("…") || found.text.include?(text) })
  end

  it "has what comes of each line" do
    lines = explanation.lines
    score = lines.find { |line| line.text.include?("@score +=") }
    expect(score.ir.join("\n")).to include("add_f")
    expect(score.code.join("\n")).to include("fadd")
    expect(lines.find { |line| line.text.strip == "end" }.ir).to be_nil
    made = lines.flat_map { |line| [*line.ir, *line.code] }
    expect(made).to all(satisfy { |line| !line.match?(%r{  (;|//) \S+\.rb:\d+\z}) })
    expect(explanation.code).not_to match(/@\h{4}/)
  end

  it "has it of what is kept on disk, and of files of one name" do
    Dir.mktmpdir do |folder|
      Dir.mkdir("#{folder}/other")
      File.write("#{folder}/a.rb", <<~RUBY)
        class A
          attr_accessor :x
          def initialize(x) = @x = x
          def go = @x *= 3
        end
      RUBY
      File.write("#{folder}/other/a.rb", <<~RUBY)
        require "ikra"
        require_relative "../a"
        all = [A.new(1.5), A.new(2.5)]
        lines = Ikra.explain(all) do |a|
          a.x += 7.25
          a.go
        end.lines
        puts(lines.select(&:ir).map { |line| [File.dirname(line.path) == __dir__, line.number].join(" ") })
        puts(lines.sum { |line| line.code.to_a.grep(/fadd|fmul/).size })
      RUBY
      told = Array.new(2) do
        environment = { "IKRA_BACKEND" => "cpu", "IKRA_CACHE_DIR" => "#{folder}/cache" }
        ruby = [RbConfig.ruby, "-I", File.expand_path("../lib", __dir__)]
        Open3.capture2e(environment, *ruby, "#{folder}/other/a.rb").first
      end
      # Both operations are in the code for one tick, and in that for all of them.
      expect(told).to eq([told.first] * 2).and all(match(/^true 5$/)).and all(match(/^false 4$/)).and all(match(/^4$/))
    end
  end

  it "has the whole as text" do
    expect(explanation.text).to include(explanation.types, explanation.ir, explanation.code)
    expect(explanation.ir).to include("kernel k0")
    expect(explanation.backend).to eq(:cpu)
    expect(explanation.unsupported.size).to eq(1)
    expect(Ikra.explain([1]) { |n| n }.unsupported).to eq([])
  end

  it "saves a file that loads nothing" do
    Dir.mktmpdir do |folder|
      html = File.read(explanation.save("#{folder}/section.html"))
      expect(html).not_to match(/\b(?:src|href)=|@import|url\(/)
      expect(html).to include('<span class="writes">score</span>').and include('<span class="reads">score</span>')
      expect(html).to include('title="word =~ /[aeiou]/: Integer or nil"', "<summary>Code for cpu")
      expect(html).to include("<b>Intermediate program</b>\n", "<b>Code for cpu</b>\n")
      # Every tag that is opened is closed, in order.
      body = html[%r{<body>.*</body>}m]
      expect(REXML::Document.new(body).root.name).to eq("body")
    end
  end
end

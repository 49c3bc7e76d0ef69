# frozen_string_literal: true

require "open3"
require "rbconfig"

# `ruby -rikra -e '…'` is how a gem is tried: the program is in the process's own arguments.
RSpec.describe "ruby -e" do
  # Runs Ruby with these arguments; gives what it prints.
  def ruby(*arguments, input: "", load: %w[-rikra])
    library = File.expand_path("../lib", __dir__)
    Open3.capture2e({ "IKRA_BACKEND" => "cpu" }, RbConfig.ruby, "-I#{library}", *load, *arguments, stdin_data: input)[0]
  end

  it "runs sections" do
    expect(ruby("-e", "p [1, 2].pmap { |n| n + 1 }")).to eq("[2, 3]\n")
    expect(ruby("-e", "require 'ikra'; p [1, 2].pmap { |n| n + 1 }", load: [])).to eq("[2, 3]\n")
  end

  it "knows classes and methods that it defines, and several lines" do
    program = <<~RUBY
      class Ball
        attr_accessor :height
        def initialize(height) = @height = height
        def fall(by) = self.height -= by
      end
      balls = [Ball.new(3), Ball.new(5)]
      balls.peach(2) { |ball| ball.fall(1) }
      p balls.map(&:height), ["ö", [1].pmap { |n|
        n * 7 }]
    RUBY
    expect(ruby("-e", program)).to eq("[1, 3]\n[\"ö\", [7]]\n")
  end

  it "joins several -e, and finds them among other options" do
    expect(ruby("-e", "k = 2", "-e", "p [1, 2].pmap { |n|", "-e", " n * k }", "x", "-e", "y")).to eq("[2, 4]\n")
    expect(ruby("-W0", "-I", "-e", "-ep [1].pmap { |n| n + 1 }", "--", "-e", "p 1")).to eq("[2]\n")
    expect(ruby("-ane", "k = $F.size; p [k].pmap { |n| n + k }", input: "a b\nc\n")).to eq("[4]\n[2]\n")
    expect(ruby("--disable", "did_you_mean", "-e", "p [1].pmap { |n| n + 1 }")).to eq("[2]\n")
  end

  it "does not mind a new name of the process" do
    program = "$0 = 'a name that is longer than what there was, so that all is written over'; p [1].pmap { |n| n }"
    expect(ruby("-e", program)).to eq("[1]\n")
  end

  it "says why where the text is not the one that runs" do
    expect(ruby("-e", "eval(%q([1].pmap { |n| n }), nil, '-e', 1)")).to match(/-e:1: the source of .* was not kept/)
    # Other code at the same place of the same line.
    program = "       [1].pmap { |n| n + 2 } if false; eval(%q(       [1].pmap { |n| n + 1 }), nil, '-e', 1)"
    expect(ruby("-e", program)).to match(/was not kept.*no-source/)
  end

  it "says that the standard input is not kept" do
    expect(ruby("-", input: "p 1\np [1].pmap { |n| n + 1 }\n"))
      .to match(/\A1\n-:2:.*\(-:2\) came from the standard input \[no-source\].*hint: .*file/m)
    expect(ruby(input: "p [1].pmap { |n| n + 1 }\n")).to match(/came from the standard input/)
  end
end

RSpec.describe "irb" do
  # Types these lines into irb; gives what is printed.
  def irb(lines, *options)
    library = File.expand_path("../lib", __dir__)
    arguments = %w[-f --noprompt --nocolorize --noautocomplete --noecho --nomultiline] + options
    program = "require 'irb'; ARGV.replace(#{arguments.inspect}); IRB.start"
    # What irb needs is there without gems, but for documentation.
    command = [RbConfig.ruby, "--disable-gems", "-I#{library}", "-e", program]
    printed, = Open3.capture2e({ "IKRA_BACKEND" => "cpu" }, *command, stdin_data: lines)
    skip "no irb here" if printed.match?(/cannot load such file -- (irb|reline|rdoc)/)
    printed
  end

  let(:lines) do
    <<~RUBY
      class Ball
        attr_reader :height
        def initialize(height) = @height = height
        def higher(by) = @height + by
      end
      print "<", [Ball.new(3)].pmap { |ball| ball.higher(2) }, ">"
      total = 1
      [1, 2].peach do |n|
        twice = n * 2
        total += twice
      end
      print "<", total, ">"
    RUBY
  end

  it "keeps what is typed once Ikra is there" do
    expect(irb("require \"ikra\"\n#{lines}").scan(/^<.*?>/)).to eq(["<[5]>", "<7>"])
  end

  it "loads Ikra with -r" do
    expect(irb(lines, "-r", "ikra").scan(/^<.*?>/)).to eq(["<[5]>", "<7>"])
  end
end

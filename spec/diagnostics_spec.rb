# frozen_string_literal: true

# Errors as data, and as they are shown.
RSpec.describe Ikra::UnsupportedError do
  def refused
    yield
  rescue described_class => e
    e
  else
    raise "nothing is unsupported"
  end

  on_cpu

  # As they are in the message, which has them again.
  def diagnostics(error)
    all = error.diagnostics
    expect(all.map(&:to_s).join("\n\n")).to eq(error.message)
    all
  end

  it "has its reasons as data" do
    line = __LINE__ + 1
    only = diagnostics(refused { [1].pmap { |x| x + `l` } }).first
    expect(only.to_h).to eq(code: "unsupported-command", path: __FILE__, line:, columns: [53, 55],
                            text: File.readlines(__FILE__, chomp: true)[line - 1], message: only.message,
                            hint: only.hint, calls: [])
    expect(only.message).to start_with("a parallel section cannot")
    expect(only.hint).to be_a(String)
    expect(only.place.text[(only.columns.begin - 1)..(only.columns.end - 1)]).to eq("`l`")
    expect(only.inspect).to start_with("#<Ikra::Diagnostic unsupported-command at #{__FILE__}:#{line}: a parallel")
  end

  def doubled(number)
    number * `l`
  end

  it "has the calls that led there" do
    place = method(:doubled).source_location
    only = diagnostics(refused { [1].pmap { |x| doubled(x) } }).first
    expect([only.path, only.line]).to eq([place[0], place[1] + 1])
    expect(only.calls.size).to eq(1)
    expect([only.calls[0].path, only.calls[0].line]).to eq([__FILE__, __LINE__ - 3])
    columns = only.calls[0].columns
    expect(only.calls[0].text[(columns.begin - 1)..(columns.end - 1)]).to eq("doubled")
  end

  def halves(number) = yield(number).chunk

  # Has an `each` of its own.
  class Sides
    include Enumerable

    def each
      yield [1, 2]
      yield nil
      self
    end
  end

  it "has the call in the block of a parallel method that only some elements come to" do
    only = diagnostics(refused { [1].pmap { |x| x > 0 ? halves(x) { |y| [y] } : 0 } }).first
    columns = only.calls[0].columns
    expect(only.calls[0].text[(columns.begin - 1)..(columns.end - 1)]).to eq("halves")
  end

  # What the element comes to is not what is refused.
  it "has a place of the user's where a built-in goes through an `each` of the user's" do
    given = [7].pmap do |i|
      case i
      when 4 then Sides.new.min { |x, _ = 3| x }
      when 5 then [i].chunk
      else "hello".match(/l(l)(o)?/)[1]
      end
    end
    expect(given).to eq(["l"])
    told = refused { [5].pmap { |i| i == 4 ? Sides.new.min { |x, _ = 3| "hello".match(/l/) || x } : [i].chunk } }
    expect(diagnostics(told).map(&:path)).to all(eq(__FILE__))
  end

  it "has the expression that is refused as the section runs" do
    exponents = [2, -2]
    only = diagnostics(refused { [3].pmap { |x| x + (2**exponents[1]) } }).first
    expect(only.code).to eq("unsupported-argument")
    expect(only.place.text[(only.columns.begin - 1)..(only.columns.end - 1)]).to eq("**")
    expect(only.hint).to eq("make one of them a Float, or the base a Rational")
    only = diagnostics(refused { [3].pmap { |x| begin; throw :a, x; rescue UncaughtThrowError; 3; end } }).first
    expect(only.code).to eq("unsupported-catch")
    expect(only.place.text[(only.columns.begin - 1)..(only.columns.end - 1)]).to start_with("throw")
  end

  it "names what the user has written" do
    e = nil
    told = refused { [1].pmap { |x| begin; raise "x" if x > 0; rescue StandardError => e; x; end } }
    expect(told.message).to match(/from around a parallel section \[unsupported-rescue-variable\]/)
    expect(e).to be_nil
    digits = "1234567890123456789012"
    expect { [1].pmap { |n| digits.to_i << (n << 40) } }.to raise_error(Ikra::OverflowError, /in `<<'/)
    expect(refused { [+"a"].pmap(&:freeze) }.message).to match(/cannot be frozen/)
  end

  it "has all of several" do
    one = refused { [1].pmap { |x| doubled(x) } }.message
    other = refused { [1].pmap { |_| redo } }.message
    all = diagnostics(described_class.new("#{one}\n\n#{other}"))
    expect(all.map(&:code)).to eq(%w[unsupported-command unsupported-redo])
    expect(all.map { |reason| reason.calls.size }).to eq([1, 0])
    expect(all.last.line).to eq(__LINE__ - 4)
  end

  it "shows a block such as &:name, which is no line" do
    only = diagnostics(refused { [:a].pmap(&:hash) }).first
    expect([only.path, only.line, only.columns]).to eq([__FILE__, __LINE__ - 1, nil])
    expect(only.place.text).to eq("&:hash")
  end

  it "has hints of several lines, and reasons without a line" do
    text = "a.rb:3: it is so\nand so [some-code]\n  hint: write that,\n        or that"
    only = Ikra::Diagnostic.all(text).first
    expect(only.to_h).to eq(code: "some-code", path: "a.rb", line: 3, columns: nil, text: nil,
                            message: "it is so\nand so", hint: "write that,\nor that", calls: [])
    expect(only.to_s).to eq(text)
    bare = Ikra::Diagnostic.all("it is so")
    expect(bare.map(&:to_h)).to eq([{ code: nil, path: nil, line: nil, columns: nil, text: nil, message: "it is so",
                                      hint: nil, calls: [] }])
    expect(bare.first.inspect).to eq("#<Ikra::Diagnostic no code at no place: it is so>")
  end

  it "is one reason at least of every error" do
    error = refused { Ikra::Column.from_a([1.0]).map(&:to_s) }
    expect(diagnostics(error).map(&:code)).to eq(["column-result"])
  end

  describe "#detailed_message" do
    let(:error) { refused { [1].pmap { |x| x + `l` } } }

    it "has the class behind the first line" do
      first, *rest = error.detailed_message.lines(chomp: true)
      expect(first).to eq("#{error.message.lines(chomp: true).first} (Ikra::UnsupportedError)")
      expect(rest).to eq(error.message.lines(chomp: true).drop(1))
      expect(Ikra::DeviceError.new("gone").detailed_message(highlight: false)).to eq("gone (Ikra::DeviceError)")
    end

    it "has colours where that is asked for, and nothing else" do
      shown = error.detailed_message(highlight: true)
      expect(shown.gsub(/\e\[[\d;]*m/, "")).to eq(error.detailed_message)
      expect(shown).to match(/\| +\e\[31m\^+\e\[0m$/).and match(/^\e\[36m  hint: .*\e\[0m/m)
      expect(Ikra::OverflowError.new("large").detailed_message(highlight: true))
        .to eq("\e[1mlarge (\e[1;4mIkra::OverflowError\e[0m\e[1m)\e[0m")
    end
  end

  describe "a warning" do
    before { Ikra.fallback = :ruby }
    after { Ikra.fallback = :raise }

    def plain = [1].pmap { |x| x.hash }

    it "is said once for each place" do
      place = method(:plain).source_location.join(":")
      once = /\A#{place}:in \S+: pmap runs in plain Ruby:\n(?!.*runs in plain)/m
      expect { 3.times { plain } }.to output(once).to_stderr
      expect { plain }.not_to output.to_stderr
    end

    it "has Ruby's category where that is on, and is said where it is off" do
      skip "this Ruby has no category for it" if RUBY_VERSION < "3.3"
      said = []
      allow(Warning).to receive(:warn) { |_, category: nil| said << category }
      before = Warning[:performance]
      [true, false].each do |state|
        Warning[:performance] = state
        Ikra.const_get(:Section).instance_variable_get(:@warned).clear
        # What was refused is tried ever more rarely.
        Ikra.const_get(:Fallbacks).clear
        plain
      end
      expect(said).to eq([:performance, nil])
    ensure
      Warning[:performance] = before unless before.nil?
    end
  end
end

# The reasons that are told are the true ones.
module TrueReasons
  class Early
    def first(size, rest = (size > 0 ? (return size) : 1)) = rest
  end

  EARLY = Early.new
end

RSpec.describe "What is told of what cannot run" do
  on_cpu

  def refusal
    yield
    nil
  rescue Ikra::UnsupportedError => e
    e.message
  end

  it "names the method that the user has called, and no part of it" do
    told = refusal { [1i].pmap { |x| 1.remainder(x) } }
    expect(told).to include("`remainder` with Complex cannot run in a section [unsupported-argument]")
  end

  it "tells a `return` in the value of a parameter" do
    told = refusal { [1].pmap { |x| TrueReasons::EARLY.first(x) } }
    expect(told).to include("`return` in the value of an optional parameter cannot run in a section")
  end
end

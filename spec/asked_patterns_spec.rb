# frozen_string_literal: true

require "timeout"

# Patterns that neither automata nor backtracking can do: Ruby is asked in the middle of a section.
RSpec.describe "What sections ask Ruby to match" do
  on_cpu

  texts = ["price: 100 EUR, 200 USD", "aa bb cc", "", "foo bar foofoo", "höhe: 33 m, tiefe 44 m", "((a)(b))", "a\nb\n"]

  before { Warning[:performance] = false if Warning.respond_to?(:categories) }

  def expect_ruby(items, &block) = expect(items.pmap(&block)).to eq(items.map(&block))

  it "has recursive groups, and what begins where the search does" do
    expect_ruby(texts) { |t| [t[/\((?:[^()]|\g<0>)*\)/], t.scan(/\X/), t.gsub(/\G\w/, "x"), t =~ /(?i:(o)\1)/] }
    expect_ruby(texts) { |t| [t.rindex(/.*o/m), t.rindex(/\X/), t.start_with?(/\Gf\X/), t.split(/\X\X/)] }
    expect_ruby(texts) { |t| /(?<c>\w)\X?\k<c>/ =~ t ? c : nil }
    expect_ruby(texts) { |t| t.sub(/(?<n>\d+)(?= m\X)/) { (Regexp.last_match(:n).to_i * 2).to_s } }
    expect_ruby(texts) do |t|
      case t
      when /\Ga(?!\n)/ then 1
      when /(.)\1\X/ then [Regexp.last_match(1), Regexp.last_match.pre_match]
      end
    end
  end

  it "has patterns of objects, and those that a section puts together" do
    pair = Struct.new(:pattern, :text)
    pairs = [pair.new(/\Gb/, "ba"), pair.new(/a/, "ba"), pair.new(/(?<y>\d+)(?!\d)-\X\k<y>/, "12-é12")]
    expect_ruby(pairs) { |o| [o.text =~ o.pattern, o.pattern.match?(o.text), o.pattern.names, o.pattern.source] }
    expect_ruby(%w[foo bar baz]) do |w|
      ["foobarbaz"[/(?<=#{w})./], "foobarbaz"[/#{w}\X/], Regexp.new("(?<=#{w}).").match("foobarbaz")&.begin(0)]
    end
    expect_ruby(%w[foo ( baz]) do |w|
      "foobarbaz"[/(?<=#{w})./]
    rescue RegexpError => e
      e.message
    end
  end

  it "takes over where backtracking takes too many steps" do
    many = ["aaaaaaaaaaaaaaaaaaaaaab", "#{"a" * 24}c", "c"]
    expect_ruby(many) { |t| [t =~ /(?:a|a|b)+(?!.)c/, t.scan(/(?>a)(?:a|a)*c/), t.rindex(/(?:a|a|b)+(?!.)c/)] }
  end

  it "has characters that versions of Unicode match differently" do
    expect_ruby(%w[STRAßE K ſ ﬁ ss]) { |w| [w =~ /ss\z/i, w =~ /k\z/i, w =~ /s\z/i, w =~ /fi/i] }
    expect_ruby(["\u{1fa75} a", "x\u{200d}y", "a b"]) { |w| [w.scan(/\w+/), w =~ /\bb/, w =~ /\p{Alpha}\z/] }
  end

  it "is asked by drivers, beside syncs, and by what calls itself" do
    deep = Class.new { def find(n, t) = n == 0 ? t[/(?<=: )\X+/].to_i : find(n - 1, t) + (0 * find(0, t)) }.new
    expect_ruby(texts) { |t| deep.find(5, t) }
    seen = []
    found = Ikra.section do
      first = texts.map { |t| t[/(?<=: )\X+/] }
      Ikra.sync { seen << first.compact.size }
      texts.pmap { |t| t.match?(/(.)\1\X/) }
    end
    expect([found, seen]).to eq([texts.map { |t| t.match?(/(.)\1\X/) }, [2]])
  end

  it "is asked by all threads where they compute more" do
    many = Array.new(400) { |i| "k#{i % 7}: #{i}" }
    block = proc do |t|
      n = 0
      4_000.times { |i| n += t.getbyte(i % t.bytesize) }
      t[/(?<=: )\X+/].to_i + n
    end
    expected = many.map(&block)
    3.times { expect(many.pmap(&block)).to eq(expected) }
  end

  it "is told by profiles" do
    many = Array.new(300) { |i| "k#{i % 7}: #{i}" }
    block = proc { |t| t[/(?<=: )\X+/].to_i }
    many.pmap(&block)
    expect(Ikra.profile { many.pmap(&block) }.steps["asked"][:count]).to eq(300)
  end

  it "ends as a section does when Ruby wants its thread for something else" do
    many = Array.new(500) { |i| "k#{i % 7}: #{i}" }
    block = proc { |t| t[/(?<=: )\X+/].to_i }
    expected = many.map(&block)
    here = Thread.current
    2.times do |i|
      expect { Timeout.timeout(0.005 * i.succ) { loop { many.pmap(&block) } } }.to raise_error(Timeout::Error)
      Thread.new { sleep(0.003 * i) && here.raise(IOError, "enough") }
      expect { loop { many.pmap(&block) } }.to raise_error(IOError, "enough")
      expect(many.pmap(&block)).to eq(expected)
    end
  end
end

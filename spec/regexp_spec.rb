# frozen_string_literal: true

require "timeout"
require "spec_helper"
require_relative "support/random_patterns"

# rubocop:disable Lint/OutOfRangeRegexpRef, Style/PerlBackrefs, Style/SpecialGlobalVars, Style/Semicolon, Style/StringChars
module RegexpSpec
  NUMBER = /\A-?\d+\z/
  ANY = Regexp.union("cat", "d.g")
  PAIR = /\A(?<key>\w+)\s*=\s*(?<value>.*)\z/
  LINES = [
    "", "cat", "a cat\n", "dog", "d.g", "-12", "12\n", "x\ny", "\n", "ab\n\n", "äöü", "naïve café 12-34", "CAT",
    "\tcat s", "2024-01-05 ERROR disk full id=42", "a,b;;c", "x1y22z333", "key=val; k2=v2", "key = value"
  ].freeze

  class Reader
    def pair(line)
      return nil unless line =~ PAIR

      [$~[:key], $~[:value]]
    end

    # What a method matches is its own.
    def own(line)
      line =~ /(.)/
      other(line)
      $1
    end

    def other(line) = line =~ /(\d)/
  end
end

RSpec.describe "Regular expressions" do
  around do |example|
    chosen = Ikra.chosen
    Ikra.backend = :cpu
    example.run
  ensure
    Ikra.backend = chosen
  end

  lines = RegexpSpec::LINES
  reader = RegexpSpec::Reader.new

  # What the block gives of each item, or what it raises.
  def given_by(items, method, &block)
    items.public_send(method, &block)
  rescue StandardError => e
    [e.class, e.message[/\A.*/]]
  end

  def expect_ruby(items, &)
    expect(given_by(items, :pmap, &).inspect).to eq(given_by(items, :map, &).inspect)
  end

  it "names groups in US-ASCII" do
    expect_same([/(?<x>b)(?<y>z)?/]) do |pattern|
      names = pattern.names + "abc".match(pattern).named_captures.keys
      names.map { |name| name.encoding == Encoding::US_ASCII }
    end
  end

  it "are asked by pgrep, whose block sees what was matched" do
    number = /(\d+)/
    expect(lines.pgrep(number) { $1.to_i }).to eq(lines.grep(number) { $1.to_i })
    expect(lines.pgrep(number) { |x| [x, $~[0], $`, $'] }).to eq(lines.grep(number) { |x| [x, $~[0], $`, $'] })
    expect(lines.pgrep(/(\w)=/) { |x| [$1, x =~ /(\w+)\z/, $1] })
      .to eq(lines.grep(/(\w)=/) { |x| [$1, x =~ /(\w+)\z/, $1] })
    expect(lines.plazy.grep(number) { "<#{$1}" }.grep(/(.)$/) { $1 }.to_a)
      .to eq(lines.grep(number) { "<#{$1}" }.grep(/(.)$/) { $1 })
    expect([lines].pmap { |all| all.pgrep(number) { $1 } }).to eq([lines.grep(number) { $1 }])
    expect(Ikra.section { lines.pgrep(number) { $1 } }).to eq(lines.grep(number) { $1 })
    expect { lines.plazy.grep(number).map { |x| x =~ /(\w)/ && x }.map { $1 }.to_a }
      .to raise_error(Ikra::UnsupportedError, /\[unsupported-special-global\]/)
  end

  it "are asked by pgrep in plain Ruby, too" do
    Ikra.backend = :ruby
    number = /(\d+)/
    expect(lines.pgrep(number) { $1.to_i }).to eq(lines.grep(number) { $1.to_i })
    expect(lines.pgrep_v(number) { $~ }).to eq(lines.grep_v(number) { $~ })
    expect(lines.plazy.grep(number) { "<#{$1}" }.grep(/(.)$/) { $1 }.to_a)
      .to eq(lines.grep(number) { "<#{$1}" }.grep(/(.)$/) { $1 })
    expect(lines.pgrep(number, &:upcase)).to eq(lines.grep(number, &:upcase))
  end

  it "say where a pattern matches" do
    expect_ruby(lines) { |x| [x =~ /cat/, x =~ /[aeiou]\w/, x =~ /é/, x =~ /$/, x =~ /^\s*$/, x !~ /a/] }
    expect_ruby(lines) { |x| [x.match?(/^a/), /CAT/i.match?(x), /./m =~ x, x =~ /\bna/, x =~ /(a|ab)\n+\Z/] }
    expect_ruby(lines) { |x| [/a/.match?(x, 1), x.match?(/a/, -2), /t/.match?(x, 20)] }
  end

  it "may be constants or captured, and asked about what is no String" do
    pattern = /a(t)/
    expect_ruby(lines) { |x| [RegexpSpec::NUMBER.match?(x), RegexpSpec::ANY =~ x, x[pattern, 1], pattern == /a(t)/] }
    expect_ruby([1, nil, :cat, "cat"]) { |x| RegexpSpec::ANY === x }
    expect_ruby(lines) do |x|
      case x
      when /\A(\d)/ then $1
      when /\A\s*\z/ then :blank
      when /at/ then $~[0]
      else :other
      end
    end
  end

  it "keep what was matched, for a method or an element" do
    expect_ruby(lines) { |x| x =~ /id=(\d+)/ ? $1.to_i : nil }
    expect_ruby(lines) { |x| x =~ /(\d+)-(\d+)?/; [$1, $2, $3, $&, $`, $', $+, Regexp.last_match(1)] }
    expect_ruby(lines) { |x| /(?<year>\d+)-(?<month>\d+)/ =~ x ? "#{year}/#{month}" : "none" }
    expect_ruby(lines) { |x| [reader.pair(x), reader.own(x)] }
    expect_ruby(lines) { |x| x.send(:=~, /(\d)/); [$1, $~ && $~[0]] }
    expect(Ikra.section { lines.pmap { |x| x =~ /(\d+)/; $1.to_i } }).to eq(lines.map { |x| x[/\d+/].to_i })
    expect { lines.pmap { |_| $1 } }.to raise_error(Ikra::UnsupportedError, /match first/)
  end

  it "give MatchData" do
    expect_ruby(lines) do |x|
      m = x.match(/(?<first>\w)(?<digit>\d)?/)
      m && [m.captures, m.to_a, m.size, m.values_at(0, 1), m.to_s, m.names, m.named_captures, m[:first], m["digit"]]
    end
    expect_ruby(lines) do |x|
      m = x.match(/(é)|(a)/)
      m && [m.pre_match, m.post_match, m.begin(0), m.end(2), m.offset(1), m[-1], m[0, 2]]
    end
    expect_ruby(lines) { |x| x.match(/z/) { |m| m[0] } }
    expect_ruby(lines) { |x| x.match(/(a)/)&.begin(5) }
    expect_ruby(lines) { |x| x.match(/(a)/)&.[](:q) }
    expect_ruby(lines) { |x| x.match(/(\d+)/)[1] }
    expect { lines.pmap { |x| x.match(/a/) } }.to raise_error(Ikra::UnsupportedError, /its texts or places/)
  end

  it "find parts" do
    expect_ruby(lines) { |x| [x[/\d+/], x[/(\w)=(\w+)/, 2], x[/(?<k>\w+)=/, :k], x[/(?<k>\w+)=/, "k"]] }
    expect_ruby(lines) { |x| [x[/(a)(b)?/, -1], x.index(/\d/), x.index(/\d/, 3), x.rindex(/\d/), x.rindex(/a/, 3)] }
    expect_ruby(lines) { |x| [x.start_with?(/\d/), x.index(/é/), x.partition(/[=,]/), x.rpartition(/[=,]/)] }
    expect_ruby(lines) { |x| [x.split.grep(/\d/), x.split.grep(/(\d)/) { $1 }, x.split.any?(/\d/)] }
  end

  it "scan" do
    expect_ruby(lines) { |x| [x.scan(/\d+/), x.scan(/(\w)(\d)?/), x.scan(/x*/), x.scan("a"), x.scan("")] }
    expect_ruby(lines) do |x|
      out = []
      x.scan(/[aeiou]/) { |v| out << v.ord }
      x.scan(/(\w+)=(\w+)/) { |k, v| out << "#{v}:#{k}" << $1 }
      out
    end
  end

  it "split" do
    expect_ruby(lines) { |x| [x.split(/[,;]/), x.split(/\s+/), x.split(/([,;=])/), x.split(//), x.split(/x*/)] }
    expect_ruby(lines) { |x| [x.split(/,/, 2), x.split(/;/, -1), x.split(/(;)|(,)/, 3), x.split(/ /)] }
  end

  it "are replaced" do
    expect_ruby(lines) { |x| [x.sub(/\d+/, "#"), x.gsub(/\d/, "#"), x.gsub(/(\w)(\d)/, '\2\1'), x.gsub(/x*/, "-")] }
    expect_ruby(lines) { |x| [x.gsub(/(?<k>\w+)=(?<v>\w+)/, '\k<v>=\k<k>[\0]\`'), x.gsub(/\b/, "|")] }
    expect_ruby(lines) { |x| [x.sub(/(?<y>\d+)/, '[\1]'), x.gsub(/\s*=\s*\w[^ ]*/) { "<#{$&}>" }, x[/ ?a[^a]*b/]] }
    expect_ruby(lines) { |x| [x.gsub(/\d+/) { |d| (d.to_i + 1).to_s }, x.gsub(/(\w)(\d)/) { "#{$2}#{$1}" }] }
    expect_ruby(lines) { |x| [x.gsub(/[aeiou]/, "a" => "1", "e" => "2"), x.sub(/(\w+)/) { $1.upcase }] }
    expect_ruby(lines) { |x| y = x.dup; [y.gsub!(/\d/, "_"), y.sub!(/_/) { "<" }, y.gsub!(/q/, ""), y] }
  end

  it "name parts that are replaced or cut out" do
    expect_ruby(lines) { |x| y = x.dup; y[/\d+/] = "é#"; y }
    expect_ruby(lines) { |x| y = x.dup; [(y[/(\w)=(\w+)?/, 2] = "<>"), y] }
    expect_ruby(lines) { |x| y = x.dup; y[/(?<k>\w+)=/, :k] = y[/(?<k>\w+)=/, "k"] = "kk"; y }
    expect_ruby(lines) { |x| y = x.dup; y[/a(t)?/, -1] = "T"; [y, $~[0], $`, $1] }
    expect_ruby(lines) { |x| y = x.dup; y[/a/] += "b"; [y, $&] }
    expect_ruby(lines) { |x| y = x.dup; y[/\w/], z = x.partition("a"); [y, z, $&] }
    expect_ruby(lines) { |x| y = x.dup; [y.slice!(/\d+/), y.slice!(/(\w)(=)?/, 2), y.slice!(/(\w)/, -1), y] }
    expect_ruby(lines) { |x| y = x.dup; [y.slice!(/(?<k>\w+)=/, "k"), y.slice!(/a(t)/, 5), y.slice!(/a(t)/, -2), y] }
    expect_ruby(["cat"]) { |x| x[/t/] = "p"; x.slice!(/c/); x }
    # Of longer ones MRI changes what was matched.
    expect_ruby(%w[cat dog]) { |x| y = x.dup; [y.slice!(/a./), $~ && $&, y.slice!(/x/), $~.nil?] }
    indices = [1, 0, -1, -2, 5, -9, 1.5, nil, "k", :q]
    indices.each do |index|
      expect_ruby(["cat"]) { |x| y = x.dup; y[/c(a)/, index] = "p"; y }
      expect_ruby(["cat"]) { |x| y = x.dup; [y.slice!(/c(a)/, index), y] }
      expect_ruby(%w[cat z]) { |x| x[/c(a)/, index] }
    end
    expect_ruby(["cat"]) { |x| y = x.dup; y[/t/] = 1; y }
    expect_ruby(["cat"]) { |x| y = x.dup; y[/(q)|t/, 1] = "é"; y }
    frozen = [-"cat"]
    expect_ruby(frozen) { |x| x[/q/] = 1 }
    expect_ruby(frozen) { |x| x[/t/] = "c" }
    expect_ruby(frozen) { |x| x.slice!(/q/) }
    expect_ruby(["é"]) { |x| y = x.dup; y[/é/] = [255].pack("C"); y }
    expect_ruby(["éa"]) { |x| y = x.dup; y[/a/] = [255].pack("C"); y }
  end

  it "are made of Strings by match" do
    expect_ruby(lines) { |x| [x.match?("a."), x.match?("é", 1), x.match("(\\d)(\\d)?")&.captures] }
    expect_ruby(lines) { |x| x.match("a", 2)&.begin(0) }
    expect_ruby(%i[cat éa a]) { |x| [x.match?("a"), x.match("a")&.pre_match, x.match(/a(.)/) { |m| m[1] }] }
    expect_ruby(%i[cat éa a]) { |x| x.match(/a/); $~ && $`.size }
    expect_ruby(["cat"]) { |x| x.match(1) }
    expect_ruby([:cat]) { |x| x.match?(nil) }
    expect_ruby([:cat]) { |x| x =~ "cat" }
  end

  it "raise what Ruby does" do
    expect_ruby(["a\xff", "\xff".b, "ä".b, "a"]) { |x| x =~ /ä/ }
    expect_ruby(["\xff", "a\xff"]) { |x| /a/.match?(x) }
    expect_ruby(["a"]) { |x| x.gsub(/(?<a>a)/, '\k<b>') }
    expect_ruby(["a"]) { |x| x =~ "a" }
  end

  it "are refused where nobody knows which groups they have" do
    expect do
      lines.pmap do |x|
        x =~ /(?<a>b)|(?<a>c)(?=d)/
      end
    end.to raise_error(Ikra::UnsupportedError, /has the same name/)
    expect { lines.pmap { |x| x =~ /a\Kb/ } }.to raise_error(Ikra::UnsupportedError, /`\\K`/)
    ["\xC3\xA9", "\xE9"].each do |source|
      latin = Regexp.new(source.dup.force_encoding("ISO-8859-1"))
      expect { lines.pmap { |x| x =~ latin } }.to raise_error(Ikra::UnsupportedError, /another encoding than UTF-8/)
    end
    several = [/a/, /(a)/]
    expect { lines.pmap { |x| x.scan(several[x.size % 2]) } }.to raise_error(Ikra::UnsupportedError, /one of several/)
  end

  it "match texts with ligatures without case, where the pattern has no letters that are one" do
    texts = ["Straße", "GROẞ", "Maß", "ﬁnal Oﬃce", "ﬂ"]
    expect_ruby(texts) { |x| [x =~ /STRA/i, x[/gro./i], x.gsub(/[a-m]/i, "-"), x.match?(/s\w/i)] }
    expect_ruby(texts) { |x| x.sub(/o(ﬃ|x)/, '<\1>') }
    ["ss", "s+", "(s)(?:s)", "s{2}", "fi", "i|f", "Fl", "s.t"].each do |source|
      pattern = Regexp.new(source, Regexp::IGNORECASE)
      expect_ruby([*texts, "ﬆ"]) { |x| x.match?(pattern) }
    end
  end

  it "look around, match groups again, and what is atomic once" do
    more = [*lines, "price: 100 EUR, 200 USD", "aa bb cc", "foo bar foofoo", "höhe: 33 m, tiefe 44 m", "a\r\nb\n"]
    expect_ruby(more) { |t| [t.scan(/\d+(?= EUR| m)/), t =~ /foo(?!foo)/, t[/(?<=: )\d+/], t.gsub(/(?<!o)o/, "0")] }
    expect_ruby(more) { |t| [t.scan(/(\w)\1/), t.match(/(?<c>\w)\k<c>/)&.[](:c), t.split(/\R/), t.scan(/^.*?(?=$)/)] }
    expect_ruby(more) { |t| [t.match?(/(?>a+)b/), t.match?(/a++b/), t =~ /\w?+\Z\n*/, t.rindex(/(?<=o)o/)] }
    expect_ruby(more) { |t| [t.start_with?(/(?=f)fo/), t.index(/(?<=h)ö|(?<!t)e/, 3), t.sub(/(?=(\w))\w/, '<\1>')] }
    expect_ruby(more) { |t| /(?<c>\w)\k<c>/ =~ t ? c : nil }
    steps = Ikra.profile { more.pmap { |t| t[/(?<=: )\d+(?! m)/] } }.steps
    expect(steps).not_to include("asked")
  end

  it "match as Ruby does, whatever they are" do
    random = RandomPatterns.new(1)
    told = []
    run = Array.new(400) { [random.regexp, Array.new(20) { random.text }] }.count do |pattern, texts|
      block = proc do |x|
        m = x.match(pattern)
        found = m && [m.to_a, m.begin(0), m.pre_match, m.post_match, m.named_captures.to_a]
        [found, x =~ pattern, x.gsub(pattern, '<\0>'), x.scan(pattern), x.split(pattern, -1), x.rindex(pattern)]
      end
      # Ruby takes years for some.
      wanted = Timeout.timeout(2) { texts.map(&block) }
      told << [pattern, texts] if texts.pmap(&block) != wanted
      true
    rescue Ikra::UnsupportedError, Timeout::Error
      false
    end
    expect(told).to eq([])
    expect(run).to be > 200
  end
end

# Ruby's own answer hangs on what a literal has matched before, so it is asked once.
each_backend(Backends::ALL & [:cpu]) do
  it "gives parts of a match from the end on" do
    expect_same(%w[hello olleh]) do |s|
      match = s.match(/l(l)(o)?(x)?/)
      [match[-1, 3], match[-2, 1], match[-4, 9], match[1, 9], match[-9, 1], match[-2..9], match[5, 1]]
    end
  end

  it "gives names of captures in the encoding that the text asks for" do
    expect_same(%w[ab éb 日b]) { |s| s.match(/(?<x>b)/).then { |m| m.names.map { |name| [name, name.encoding.to_s] } } }
    expect_same(%w[ab éb]) { |s| s.match(/(?<x>b)/).named_captures.map { |name, text| [name.encoding.to_s, text] } }
    expect_same(%w[ab éb]) { |s| s.match(/(?<x>b)|é(?<y>b)/).names.map { |name| [name, name.encoding.to_s] } }
    expect_same([1]) { [/(?<x>b)/, /(?<x>é)/, /(?<x>b)/u].map { |pattern| pattern.names[0].encoding.to_s } }
  end

  it "knows names of captures beyond ASCII, in their encoding" do
    expect_same(%w[ab añ]) do |s|
      m = s.match(/(?<año>.)(?<日本>ñ)?/)
      [m[:año], m["日本"], m.names, m.named_captures.to_a, m.begin(:año), m.end("日本"), m.values_at(1, "año"),
       s[/(?<ñ>b)/, "ñ"]]
    end
    names = ["ñ", "ñ".b, "é", "é".b, "n", "q\n", "é\n", "\x01", "\u200b", "\xff", "\u{10ffff}", "", "a\xffé",
             "\e\x7f\0", "a\"\\\#{", "n".encode("US-ASCII"), "\u3042\u00a0"]
    tell = ->(error) { [error.class, error.message, error.message.encoding.to_s] }
    [->(m, name) { m[name] }, ->(m, name) { m.begin(name) }, ->(m, name) { "xb"[m.regexp, name] }].each do |ask|
      [/(?<ñ>.)/, /(?<n>.)/].product(names).each do |pattern, name|
        answers = %i[map pmap].map do |call|
          [name].public_send(call) { |n| ask.call(pattern.match("ab"), n) }
        rescue IndexError, ArgumentError => e
          tell.call(e)
        end
        expect(answers[1]).to eq(answers[0])
      end
    end
    expect { ["ab"].pmap { |s| s.sub(/(?<ñ>.)/, "<\\k<ñ>>".b) } }.to raise_error(IndexError, /\\xC3\\xB1\z/)
    expect_same(["ab"]) { |s| [s.sub(/(?<ñ>.)/, "<\\k<ñ>>"), s.gsub(/(?<n>.)/, "<\\k<n>>".b)] }
  end

  it "leaves what going through an Enumerator has matched last" do
    calls = [%i[map pmap], %i[select pselect], %i[sum psum], %i[sort_by psort_by], %i[count pcount]]
    collections = [%w[a b5].slice_after(/(.)\z/), %w[b5 a].slice_before(/b/), "abc abd".gsub(/b/), "abc".gsub(/z/)]
    collections.product(calls).each do |collection, names|
      left = names.map do |name|
        "x" =~ /x/
        collection.public_send(name, &:size)
        $~ && [$~[0], $~.pre_match]
      end
      expect(left[1]).to eq(left[0])
    end
  end
end

each_backend do |backend|
  next unless backend.to_s.start_with?("cuda")

  it "refuses regular expressions" do
    expect { RegexpSpec::LINES.pmap { |x| x =~ /a/ } }.to raise_error(Ikra::DeviceError, /on the CPU only/)
  end
end
# rubocop:enable Lint/OutOfRangeRegexpRef, Style/PerlBackrefs, Style/SpecialGlobalVars, Style/Semicolon, Style/StringChars

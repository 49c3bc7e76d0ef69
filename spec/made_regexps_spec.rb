# frozen_string_literal: true

# Regexps that a section puts together: by interpolation, Regexp.new, union and escape; and what all tell of themselves.
# rubocop:disable Style/RegexpLiteral, Style/PerlBackrefs, Style/SpecialGlobalVars, Style/WordArray
# rubocop:disable Lint/EmptyInterpolation, Lint/EmptyExpression, Lint/LiteralInInterpolation
# rubocop:disable Lint/BinaryOperatorWithIdenticalOperands
module MadeRegexps
  WORD = /[a-z]+/
  NUMBER = /\d+/i
  ENTRY = /\A(#{WORD})\s*=\s*(#{NUMBER})\z/
end

each_backend(Backends::ALL - %i[cuda-emulated cuda]) do
  word = MadeRegexps::WORD
  texts = ["foo", "b+c", "a.b|c", "x = 12", "é", "[", " \t#-{}"]

  it "escapes texts" do
    expect_same(texts) { |x| [Regexp.escape(x), Regexp.quote(x.to_sym), Regexp.escape(x).encoding == Encoding::UTF_8] }
    expect_same(texts) { |x| [/^#{Regexp.escape(x)}$/.match?(x), "<#{x}>".index(/#{Regexp.escape(x)}/)] }
    expect_same([["foo", "b+c"], [], ["a"]]) { |x| ["xb+cfoo".gsub(Regexp.union(x), "<\\0>"), Regexp.union(x).source] }
    expect_same([1]) { |x| [Regexp.union("a.b", /c#{x}|d/i, "e").to_s, Regexp.union.source, Regexp.union(word).to_s] }
    expect_same([1]) { |x| Regexp.escape(x) }
    expect_same([1]) { |x| Regexp.union("a", x) }
    expect_same([1]) { |_| Regexp.union("a", :b) }
    expect_same([1]) { |_| Regexp.union(:b).source }
  end

  it "puts patterns together" do
    expect_same(%w[foo bar]) { |x| "foo Foobar bar".scan(/\b#{x}\w*/i) }
    expect_same(%w[foo bar]) { |x| "foo Foobar bar".scan(/(#{x})(\w?)/) + "a1".scan(/[(#{x}]|\(#{x}|a(?:1)/) }
    expect_same(["key = 12", "1 = x"]) { |x| x =~ /\A(#{word})\s*=\s*(#{MadeRegexps::NUMBER})\z/ ? $1 + $2 : $~&.size }
    expect_same(["ab", "b"]) { |x| case x when /\A#{"a"}/ then 1 when /#{x[0]}\z/ then 2 end }
    expect_same([2, 3]) { |x| ["aaaa"[/a{#{x}}/], /a#{}b#{nil}#{:c}#{x}/mx.inspect, /#{MadeRegexps::WORD}/o.source] }
    expect_same(["a", "é"]) { |x| [/#{x}/ == /#{x}/, /#{x}/ == /a/, Regexp.new(x).eql?(/é/), Regexp.new(/#{x}/i).to_s] }
    expect_same(%w[foo bar]) { |x| "foobar".match(/(?<a>#{x})(?<b>\w*)/)&.named_captures }
    expect_same(["-", ";"]) { |x| "a,b;c-d".split(/[#{x},]/) + "a-b".partition(/#{x}/) }
    expect_same(%w[foo bar]) do |x|
      tests = [Regexp.new("^#{x}"), Regexp.new(x.upcase, Regexp::IGNORECASE), Regexp.compile(x, true)]
      tests.map { |test| test.match?("xfoo") }
    end
  end

  it "keeps them in lists and Hashes of a section" do
    expect_same([%w[foo bar], %w[o a]]) do |x|
      by = x.to_h { |name| [name, /#{name}/] }
      found = x.map { |name| by[name] }.map { |test| "foobar".index(test) }
      found << (x.size > 1 ? /#{x[0]}/ : MadeRegexps::WORD).match("--foo")[0].size
    end
  end

  it "tells what a Regexp is" do
    all = [/a/, /a/mix, /é/, /a\/b/m, %r{a/b\n}, /(?i:abc)/, /(?i)abc/, /(?i:a)|(?:b)/, /(?mi-x:q)/x, /a b/x, /a/u]
    all.each do |pattern|
      expect_same([1]) { |_| [pattern.to_s, pattern.inspect, pattern.source, pattern.options, pattern.casefold?] }
      expect_same([1]) { |_| [pattern.fixed_encoding?, pattern.to_s.encoding == Encoding::UTF_8, "<#{pattern}>"] }
    end
  end

  it "says what of them it cannot do" do
    next if Ikra.backend == :ruby

    refused = ->(what, &run) { expect(&run).to raise_error(Ikra::UnsupportedError, what) }
    refused.call(/unsupported-regexp/) { ["(", "(?<=a)b"].pmap { |x| /a#{x}/.match?("a") } }
    refused.call(%r{/o}) { %w[a b].pmap { |x| /#{x}/o.match?("a") } }
    refused.call(/whose groups come from/) { ["(a)"].pmap { |x| "ab".scan(/#{x}/) } }
    refused.call(/Regexp.new\(source\)/) { %w[a].pmap { |x| Regexp.new(x) } }
    refused.call(/options/) { %w[a].pmap { |x| Regexp.new(x, 64).source } }
  end
end
# rubocop:enable Style/RegexpLiteral, Style/PerlBackrefs, Style/SpecialGlobalVars, Style/WordArray
# rubocop:enable Lint/EmptyInterpolation, Lint/EmptyExpression, Lint/LiteralInInterpolation
# rubocop:enable Lint/BinaryOperatorWithIdenticalOperands

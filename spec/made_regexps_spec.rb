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

  sources = ["a", "(", "[", "a(b)", "é", "[é", "a\\", "*", "a{2,1}", "(?<a", "é\\xff", "(?<n>x)", "#{"x" * 30}("]

  it "raises what Ruby says of what is no pattern" do
    sources.each do |source|
      expect_same([source]) { |x| [Regexp.new(x), [Regexp.new(x, true), nil], Regexp.new(x, Regexp::MULTILINE)] }
      expect_same([source]) { |x| [Regexp.new(x).match?("xab"), Regexp.union(x, "b"), x.size > 3 || "xab" =~ /#{x}/] }
    end
    expect_same(sources) do |x|
      Regexp.new(x).source
    rescue RegexpError => e
      [e.message, e.message.encoding]
    end
    expect_same(sources - ["a\\", "é\\xff"]) { |x| begin; /a#{x}/i.source; rescue RegexpError => e; e.message; end }
    expect_same([sources]) { |all| all.map { |x| begin; "xab".match?(x); rescue RegexpError; nil; end } }
    expect_same(["\xff"]) { |x| Regexp.new(x) }
    made = []
    expect { ["a", "[", "b"].peach { |x| made << Regexp.new(x).source } }.to raise_error(RegexpError) { |error|
      expect(error.element_index).to eq(1) unless Ikra.backend == :ruby
    }
    expect(made).to eq(Ikra.backend == :ruby ? ["a"] : [])
  end

  it "gives them" do
    expect_same(texts - ["["]) { |x| [/#{Regexp.escape(x)}/mi, Regexp.new(Regexp.escape(x)), Regexp.union(x, /c/)] }
    expect_same([1, 2, 3]) { |x| x > 1 ? /#{x}(a)/x : Regexp.new("b") }
    expect_same([1, 2, 3]) { |x| x > 1 ? [/#{x}/, x] : nil }
    expect_same([%w[a b], []]) { |all| all.to_h { |x| [x, /#{x}/] }.merge("é" => /é/) }
    held = [/#{"a"}/].pmap { |x| /#{x.source}/.then { |y| [[y, y], { r: y }] } }
    expect(held).to eq([[[/a/, /a/], { r: /a/ }]])
    expect(held[0][0][0]).to equal(held[0][1][:r])
    frozen = ->(x) { [/#{x}/, Regexp.new(x), Regexp.union(x, "b"), Regexp.new(/#{x}/), Regexp.union(/#{x}/)] }
    expect(%w[a].pmap(&frozen)[0].map(&:frozen?)).to eq(frozen.call("a").map(&:frozen?))
    expect_same(%w[a]) { |x| [/#{x}/.frozen?, Regexp.new(x).frozen?, [/#{x}/, Regexp.new(x)].map(&:frozen?)] }
  end

  it "leaves them behind, where they are stored and by an Ikra.section" do
    holder = Struct.new(:pattern, :more)
    told = lambda do |value, known = {}.compare_by_identity|
      case value
      when Regexp then known[value] ||= [known.size, value, value.options, value.frozen?, value.encoding]
      when Array, Struct then value.map { |item| told.call(item, known) }
      when Hash then told.call(value.to_a, known)
      else value
      end
    end
    same = lambda do |&run|
      backend = Ikra.backend
      both = [:ruby, backend].map do |one|
        Ikra.backend = one
        objects = [nil, /x/, nil].map { |pattern| holder.new(pattern) }
        told.call([objects, run.call(objects)])
      end
      expect(both[1]).to eq(both[0])
    ensure
      Ikra.backend = backend
    end
    same.call do |all|
      all.peach do |h|
        s = "b"
        h.pattern = /#{s}/
      end && nil
    end
    same.call do |all|
      all.peach do |h|
        s = "é"
        r = Regexp.new(s)
        h.more = [r, h.pattern || r]
      end && nil
    end
    same.call do |all|
      all.peach(3) do |h|
        h.more = "ab".index(h.pattern) || 0 if h.pattern
        h.pattern = /b#{h.more || 1}/
      end && all.map(&:pattern)
    end
    same.call do |_|
      Ikra.section do
        s = "a"
        r = /#{s}b/i
        [r, "cab".index(r), [r], { r: }, r.frozen?, Regexp.new(s)]
      end
    end
    same.call do |all|
      Ikra.section do
        s = "b"
        r = /#{s}/
        all.each { |h| h.pattern ||= r }
        all.pmap do |h|
          h.pattern.match?("abc")
        end
      end
    end
    same.call do |all|
      Ikra.section do
        x = all.pmap { |h| h.pattern ? /y/ : Regexp.new("b") }
        [x, x.map do |r|
              r.match?("ab")
            end]
      end
    end
    same.call do |all|
      Ikra.section do
        s = "b"
        all[0].pattern = r = /#{s}/
        Ikra.sync do
          all[0].more = all[0].pattern.source
        end
        r
      end
    end
  end

  it "freezes and copies them" do
    expect_same(%w[a é]) do |x|
      r = /#{x}/
      [r.frozen?, r.dup.frozen?, r.clone.frozen?, Regexp.new(x).freeze.frozen?, /a/.frozen?]
    end
    both = lambda { |x|
      r = /#{x}/
      [r, r.dup, r.clone, Regexp.new(x), Regexp.new(x).freeze, /a/]
    }
    expect(%w[a].pmap(&both)[0].map(&:frozen?)).to eq(both.call("a").map(&:frozen?))
  end

  it "says what of them it cannot do" do
    next if Ikra.backend == :ruby

    refused = ->(what, &run) { expect(&run).to raise_error(Ikra::UnsupportedError, what) }
    refused.call(%r{/o}) { %w[a b].pmap { |x| /#{x}/o.match?("a") } }
    refused.call(/whose groups come from/) { ["(a)"].pmap { |x| "ab".scan(/#{x}/) } }
    refused.call(/unsupported-regexp/) { ["a\\"].pmap { |x| /#{x}/.source } }
    refused.call(/options/) { %w[a].pmap { |x| Regexp.new(x, 64).source } }
  end
end
# rubocop:enable Style/RegexpLiteral, Style/PerlBackrefs, Style/SpecialGlobalVars, Style/WordArray
# rubocop:enable Lint/EmptyInterpolation, Lint/EmptyExpression, Lint/LiteralInInterpolation
# rubocop:enable Lint/BinaryOperatorWithIdenticalOperands

# frozen_string_literal: true

# The methods of Strings in sections: each block is run by Ruby and by every back-end and must give the same, with the
# same encodings.
# rubocop:disable Style/Semicolon, Layout/LineLength, Style/FormatString, Style/StringConcatenation, Style/CombinableLoops
# rubocop:disable Style/LambdaCall, Lint/FormatParameterMismatch, Style/StringChars
# rubocop:disable Style/RedundantArgument, Style/WordArray, Style/NilComparison, Style/YodaCondition
module StringMethods
  TEXTS = [
    "", "a", "b", "abc", "aab", "hello world\n", "  x y  ", "a,b,,c,,", "12", "-0x1f", "0b101", "1_000", "3.25e2", "zZ9",
    "az", "\t\0 end\0 ", "line\r\nline\n\nlast", "\r", "a" * 40, "#{"word " * 9}\n", "$1 \#{x} \"q\" \\", "-9", "^a-c"
  ].freeze
  WIDE = ["défg ß", "日本語", "é", "e\u0301", "😀 ok 😀", "a日b日c", "ж,ж", "ß" * 9].freeze
  INVALID = ["\xff\xfea", "\xe3\x81", "a\x80b", "\xed\xa0\x80z", "\xf0\x9f", "x\xc3"].freeze
  OTHERS = ["bytes\xff".b, "plain".b, "us".encode("US-ASCII"), "\xe9x".dup.force_encoding("US-ASCII"), "".b].freeze
  ALL = (TEXTS + WIDE + INVALID + OTHERS).freeze
  # Sigma at the end and elsewhere, ligatures, title case, a dot above, and letters whose other case is longer or shorter.
  CASED = [
    "Straße ẞ", "ΌΣΟΣ ΟΔΟΣ Σ", "ﬁﬂﬃﬄ", "ǆ Ǆ ǅ ǅa", "ǅungla", "İstanbul ıI iİ", "i\u0307 \u0345α", "ᾳ ᾼ ᾳα", "ŉ ǰ ΐ", "Ა ა",
    "Ꭰ ꭰ ᏸ", "Ⱥ ⱥ K Å", "ЖЗИ жзи", "Āā Ĺĺ ſ", "𐐀𐐨", "日本", "é", "É", "éÉ"
  ].freeze
  # All characters, several hundred in a String.
  CHARACTERS = [*0..0xd7ff, *0xe000..0x10_ffff].each_slice(997).map { |codes| codes.pack("U*") }.freeze
  SINGLE = CHARACTERS.flat_map { |s| s.chars.reject { |c| [c.upcase, c.downcase, c.downcase(:fold)].all?(c) } }.freeze
end

each_backend do |backend|
  let(:ascii) { StringMethods::TEXTS + [StringMethods::OTHERS[2]] }
  let(:valid) { StringMethods::TEXTS + StringMethods::WIDE }
  let(:all) { StringMethods::ALL }

  # With the encodings of what comes out.
  def expect_texts(values, &block)
    expect_same(values, &block)
    told = ->(results) { results.flatten.grep(String).map(&:encoding) }
    expect(told.(values.pmap(&block))).to eq(told.(values.map(&block)))
  end

  # Those for which Ruby raises nothing give the same together; each of the others raises the same.
  def expect_each(values, &block)
    good, bad = values.partition do |value|
      block.call(value)
      true
    rescue StandardError
      false
    end
    expect_texts(good, &block)
    bad.each { |value| expect_same([value], &block) }
  end

  describe "bytes and characters" do
    it "counts and gives them" do
      expect_texts(all) { |s| [s.size, s.length, s.bytesize, s.bytes, s.chars, s.reverse, s.chr, s.valid_encoding?] }
      expect_texts(all) { |s| [s.each_char.to_a, s.each_byte.sum, s.sum, s.sum(8), s.getbyte(1), s.getbyte(-1)] }
      expect_each(all) { |s| [s.ord, s.codepoints] }
      expect_same(all) { |s| n = 0; s.each_char.with_index { |c, i| n += c.bytesize * i }; n }
      expect_same(valid) { |s| n = 0; s.each_codepoint { |c| n += c }; n }
    end

    it "takes parts" do
      expect_texts(all) { |s| [s[0], s[1], s[-1], s[-2], s[40], s[0, 2], s[1, 0], s[-2, 5], s[2, -1], s[100, 1]] }
      expect_texts(all) { |s| [s[1..], s[..1], s[1...-1], s[-3..], s[5..2], s[100..], s[0..200], s.slice(1, 3)] }
      expect_texts(all) { |s| [s.byteslice(1), s.byteslice(1, 3), s.byteslice(-2..), s.byteslice(9, 9), s.byteslice(0)] }
      expect_texts(valid) { |s| [s["a"], s["本"], s[""]] }
      expect_texts(ascii) { |s| (0..4).map { |i| s[i] } }
    end

    it "inspects them" do
      expect_texts(all) { |s| [s.inspect] }
      expect_texts(StringMethods::CHARACTERS) { |s| [s.inspect] }
    end
  end

  describe "comparison" do
    it "compares" do
      expect_same(all) { |s| StringMethods::ALL.map { |other| s <=> other } }
      expect_same(all) { |s| StringMethods::ALL.map { |other| [s == other, s.eql?(other), s != other] } }
      expect_same(all) { |s| StringMethods::ALL.map { |other| s.casecmp(other) } }
      expect_same(ascii) { |s| [s.casecmp?("ABC"), s.casecmp?(1), s.casecmp(nil), s <=> 1, s == :a] }
      expect_same(all) { |s| [s.between?("a", "m"), s.clamp("b", "c"), [s, "b"].max, s > "a"] }
    end
  end

  describe "search" do
    it "finds" do
      expect_same(valid) { |s| [s.index("a"), s.index("l", 3), s.index("本"), s.index("", 2), s.index("a", -2), s.index("o", 99)] }
      expect_same(valid) { |s| [s.rindex("a"), s.rindex("l", -3), s.rindex("日", 2), s.rindex(""), s.rindex("b", -99)] }
      expect_same(valid) { |s| [s.include?("b"), s.start_with?("a", "日"), s.end_with?("\n", "語", " "), s.start_with?] }
      expect_each(all) { |s| [s.index("é"), s.include?("\u3042"), s.rindex("ß")] }
      expect_texts(all) { |s| [s.delete_prefix("a"), s.delete_suffix(" "), s.delete_prefix("")] }
      expect_same([1]) { |s| "abc".index(s) }
      expect_same([nil]) { |s| "abc".include?(s) }
    end

    it "parts at separators" do
      expect_texts(valid) { |s| [s.partition("b"), s.rpartition("l"), s.partition(""), s.partition("日")] }
      expect_each(all) { |s| s.split }
      expect_each(all) { |s| s.split(",") }
      expect_texts(valid) { |s| [s.split(",", -1), s.split(",", 2), s.split(" ", 2), s.split(""), s.split("", 3), s.split("日")] }
      expect_texts(valid) { |s| [s.split("l", 1), s.split(nil, 3), s.split("a", 0), s.split(" ", -1)] }
      expect_texts(valid) { |s| found = []; s.split(",") { |piece| found << piece << s.size }; found }
      expect_texts(all) { |s| [s.lines, s.lines(chomp: true), s.lines("l"), s.lines("\r\n", chomp: true), s.each_line.map(&:size)] }
      expect_texts(valid) { |s| n = 0; s.each_line(chomp: true) { |line| n += line.size }; n }
    end
  end

  describe "what is made of them" do
    it "joins and fills up" do
      expect_texts(valid) { |s| [s + "é", "é" + s, s * 3, s * 0, s.ljust(9), s.rjust(12, "ab"), s.center(11, "日本"), s.center(2)] }
      expect_each(all) { |s| s + "é" }
      expect_each(all) { |s| s.ljust(12, "\u3042") }
      expect_same([-1, 3]) { |n| "ab" * n }
      expect_same([3]) { |n| "ab".center(n, "") }
    end

    it "strips both ends" do
      expect_each(all) { |s| s.strip }
      expect_each(all) { |s| [s.lstrip] }
      expect_each(all) { |s| [s.rstrip] }
      expect_texts(all) { |s| [s.chomp, s.chop, s.chomp("\n"), s.chomp(""), s.chomp("b"), s.chomp(nil)] }
    end

    it "changes the case of ASCII" do
      expect_texts(ascii) { |s| [s.upcase, s.downcase, s.swapcase, s.capitalize] }
      expect_texts(all) { |s| [s.upcase(:ascii), s.downcase(:ascii)] }
      expect_each(all) { |s| [s.swapcase(:ascii), s.capitalize(:ascii)] }
    end

    it "changes the case of all characters" do
      expect(StringMethods::SINGLE.size).to be > 2800
      expect_texts(StringMethods::SINGLE) { |s| [s.upcase, s.downcase, s.swapcase, s.capitalize, s.downcase(:fold)] }
      expect_texts(StringMethods::SINGLE) { |s| t = "Éß#{s}Aß"; [t.upcase, t.downcase, t.swapcase, t.capitalize] }
      expect_texts(StringMethods::CASED) { |s| [s.upcase, s.downcase, s.swapcase, s.capitalize, s.downcase(:fold)] }
      expect_texts(StringMethods::CASED) { |s| (0..s.size).map { |i| s[i..].to_s.capitalize } }
      expect_texts(StringMethods::CHARACTERS) { |s| [s.upcase, s.downcase, s.swapcase, s.capitalize] }
    end

    it "changes case in place" do
      expect_texts(StringMethods::CASED) { |s| t = s.dup; [t.upcase!.nil?, t.dup, t.swapcase!.nil?, t.dup, t.capitalize!.nil?, t.dup, t.downcase!.nil?, t.dup, t.downcase!(:fold).nil?, t] }
      expect_same(StringMethods::INVALID) { |s| t = s + "é"; begin; t.upcase!; rescue ArgumentError; t << "!"; end; t }
    end

    it "compares without case" do
      texts = StringMethods::CASED + ["STRASSE SS", "fiflffiffl", "όσοσ οδοσ σ", "k å"]
      expect_same(texts) { |s| texts.map { |other| s.casecmp?(other) } }
      expect_same(texts) { |s| texts.map { |other| s.casecmp(other) } }
      expect_same(StringMethods::SINGLE) { |s| [s.casecmp?(s.upcase), s.casecmp?(s.downcase), s.casecmp?(s.swapcase)] }
      expect_each(all) { |s| StringMethods::OTHERS.map { |other| s.casecmp?(other) } }
      expect_each(all) { |s| ["é".casecmp?(s), s.casecmp?("É")] }
    end

    it "raises where bytes are no characters" do
      expect_each(all) { |s| [s.upcase] }
      expect_each(all) { |s| [s.downcase] }
      expect_each(all) { |s| [s.swapcase] }
      expect_each(all) { |s| [s.capitalize] }
      expect_each(all) { |s| [s.downcase(:fold)] }
    end

    it "refuses the case of languages, and what comes behind characters beyond ASCII" do
      next if Ikra.backend == :ruby

      expect { ["é"].pmap { |s| s.upcase(:turkic) } }.to raise_error(Ikra::UnsupportedError, /`upcase` with this option.*unsupported-string/)
      expect { ["é"].pmap { |s| s.upcase(:fold) } }.to raise_error(Ikra::UnsupportedError, /unsupported-string/)
      expect { ["é"].pmap { |s| s.succ } }.to raise_error(Ikra::UnsupportedError, /`succ` of characters.*unsupported-string/)
    end

    it "translates sets of characters" do
      expect_texts(valid) { |s| [s.tr("a-y", "b-z"), s.tr("^a-z", "*"), s.tr("el", "ip"), s.tr("日本", "ab"), s.tr("a", ""), s.tr("a-c", "é")] }
      expect_texts(ascii) { |s| [s.tr_s("l", "r"), s.tr_s("a-c", "x"), s.tr("\\^a", "!"), s.tr("a\\-c", "123")] }
      expect_texts(valid) { |s| [s.delete("l"), s.delete("a-m", "^e"), s.delete("^a-z"), s.delete("日"), s.squeeze, s.squeeze("a-z")] }
      expect_same(valid) { |s| [s.count("lo"), s.count("a-z"), s.count("^a-z"), s.count("a-z", "^e"), s.count("日本")] }
    end

    it "translates sets of characters in long Strings" do
      long = (valid - [""]).map { |s| (s * 300)[0, 300] } + [[*0..255].pack("C*") * 2]
      expect_texts(long[..-2]) { |s| [s.tr("a-y", "b-z"), s.tr("^a-z", "*"), s.tr("日本", "ab"), s.tr("a", ""), s.tr("a-c", "éßx"), s.tr("ß-ü", "a-z")] }
      expect_texts(long.select(&:ascii_only?)) { |s| [s.tr_s("l", "r"), s.tr_s("a-c", "x"), s.tr("\\^a", "!"), s.tr_s("^a-c", "-")] }
      expect_texts(long) { |s| [s.delete("l"), s.delete("a-m", "^e"), s.delete("^a-z"), s.squeeze, s.squeeze("a-z"), s.squeeze("^a-z")] }
      expect_texts(long[..-2]) { |s| [s.delete("日"), s.delete("é-ü"), s.squeeze("日ß")] }
      expect_same(long) { |s| [s.count("lo"), s.count("a-z"), s.count("^a-z"), s.count("a-z", "^e")] }
      high = [0x80, 0x2d, 0xff].pack("C*")
      expect_texts([long.last]) { |s| [s.tr(high, "a-z".b), s.delete(high), s.tr("a-z", high), s.squeeze(high)] }
      expect_same([long.last]) { |s| s.count(high) }
      expect_each([("ab" * 200) + "\xff", "\xff" + ("ab" * 200)]) { |s| [s.count("ab"), s.delete("a"), s.tr("a", "b")] }
    end

    it "replaces" do
      expect_texts(valid) { |s| [s.sub("l", "[\\0]"), s.gsub("l", "[\\0\\\\]"), s.gsub("", "-"), s.sub("日", "\\`|\\'"), s.gsub("a", "")] }
      expect_texts(valid) { |s| [s.sub("l") { |x| x + s }, s.gsub("a") { |x| "<#{x}>" }] }
      expect_each(all) { |s| s.gsub("a", "é") }
    end

    it "gives the next one" do
      expect_texts(ascii) { |s| [s.succ, s.next] }
      expect_texts(%w[a z Zz az a9 9 z9 <z> -9 1.9 zZ9 *] + ["\x7f", "\xff".b]) { |s| s.succ.succ }
      expect_texts(["a", "y", "08", "zy"]) { |s| found = []; s.upto("11") { |x| found << x }; s.upto("zz", true) { |x| found << x }; found }
    end
  end

  describe "those that a section makes" do
    it "changes them in place" do
      expect_texts(valid) { |s| t = s.dup; t[0, 1] = "ZZ"; t.insert(1, "é"); t.insert(-1, "end"); t.prepend("<", "="); t }
      expect_texts(valid) { |s| t = s + "abc"; t["abc"] = "日"; t[-1] = "x"; t[1..2] = ""; [t, t.slice!(0), t.slice!(0, 2), t] }
      expect_texts(ascii) { |s| t = s.dup; [t.upcase!, t.capitalize!, t.swapcase!, t.reverse!, t.succ!].map { |x| x && x.dup } << t }
      expect_texts(valid) { |s| t = s.dup; [t.strip!.nil?, t.chomp!.nil?, t.chop!.nil?, t.squeeze!.nil?, t] }
      expect_texts(valid) { |s| t = s.dup; [t.tr!("a-y", "b-z").nil?, t.delete!("l").nil?, t.gsub!("o", "0").nil?, t.sub!("e") { "E" }.nil?, t] }
      expect_texts(valid) { |s| t = s.dup; t.replace("new"); t.setbyte(0, 65); t << 0x65e5 << "!"; u = t.dup; t.clear; [t, u] }
      expect_texts(all) { |s| t = +""; s.each_char { |c| t << c << "-" }; t }
      expect_texts(ascii) { |s| t = s.dup; t.concat("a", t, "b"); t << t; t }
    end

    it "raises what Ruby raises" do
      expect_same([5, -9]) { |i| t = "abc".dup; t[i] = "x"; t }
      expect_same([5, -9]) { |i| t = "abc".dup; t.insert(i, "x"); t }
      expect_same([1]) { |_| t = "abc".dup; t["z"] = "x"; t }
      expect_same([9]) { |i| t = "abc".dup; t[i..] = "x"; t }
      expect_same([3, -4]) { |i| t = "abc".dup; t.setbyte(i, 1); t }
      expect_same(["\xff".b]) { |s| t = "é".dup; t << s }
      expect_same([1.5, nil, :a]) { |x| "abc" + x }
    end
  end

  describe "numbers" do
    it "reads them" do
      expect_same(all.reject { |s| s.bytesize > 14 }) { |s| [s.to_i, s.to_i(2), s.oct, s.hex] }
      expect_same(valid.reject { |s| s.size > 9 }) { |s| s.to_i(36) }
      texts = ["1.5", "-2.25e-3", ".5", "1.", "1e400", "1e-400", "0.1", "123456789012345678901234567890", "1_0.5", "1__0", "x",
               "2.2250738585072014e-308", "4.9e-324", "1.7976931348623157e308", "9007199254740993", "0.3000000000000000444", " 7 "]
      expect_same(texts) { |s| s.to_f }
      good = ["12", " 7\n", "0x1f", "0b11", "0o17", "017", "1_000", "-5"]
      expect_same(good) { |s| [Integer(s), Integer(s, 16)] }
      expect_same(["1.5", "1e3", " 2 ", "1_0"]) { |s| Float(s) }
      ["", "x", "1__2", "12x", "0x", "1\0"].each { |bad| expect_same([bad]) { |s| Integer(s) } }
      ["", "x", "1__2", "1.5x", "1\0", "löschen", " é1", "1ö"].each { |bad| expect_same([bad]) { |s| Float(s) } }
      expect_same(["löschen", "ö\x7f", "2"]) do |s|
        Float(s)
      rescue ArgumentError => e
        [e.message, e.message.encoding]
      end
      expect_same([1, -1, 37]) { |n| "10".to_i(n) }
    end

    it "writes them" do
      numbers = [0, 1, -1, 10, 255, -255, 2**40, (2**63) - 1, -(2**63)]
      expect_texts(numbers) { |n| [n.to_s, n.to_s(2), n.to_s(16), n.to_s(36), n.inspect] }
      expect_same([37, 1]) { |base| 5.to_s(base) }
      expect_texts([0, 65, 127, 128, 255]) { |n| n.chr }
      expect_same([256, -1]) { |n| n.chr }
    end

    it "formats Integers" do
      numbers = [0, 5, -5, 12_345, -(2**63), (2**63) - 1]
      expect_texts(numbers) { |n| ["%d" % n, "%5d|%-5d|%05d|%+d|% d" % [n, n, n, n, n], "%.8d" % n, "%i%%" % n] }
      expect_texts(numbers) { |n| "%x %X %#x %o %#o %b %#b %08x %+x % b %.10x" % [n, n, n, n, n, n, n, n, n, n, n] }
      expect_texts(numbers) { |n| format("%2$s-%1$d", n, :a) }
      expect_texts(numbers) { |n| format("%*d|%-*d|%.*f", 6, n, 6, n, 2, n) }
    end

    it "formats what has names" do
      numbers = [0, 1, -12, 123_456]
      expect_texts(numbers) { |n| [format("%<a>d", a: n), format("%<a>05.1f|%<b>-6s|%<a>x", a: n, b: "q"), format("%{a}-%{b}", a: n, b: nil)] }
      expect_texts(numbers) { |n| "%{a}|%<b>+3d|%%|%-9{a}|" % { a: n, b: 2 } }
      expect_texts(numbers) { |n| h = { a: n, b: "é", c: 1.5 }; [format("%<c>.3e %<b>s", h), "%-8{b}|%.1{b}" % h] }
      hash = { a: 1, "b" => 2, c: :d, e: [1] }
      expect_texts(numbers) { |n| [format("%<a>d %{c} %{e} %<e>p", hash), n.to_s] }
      expect_texts([{ n: "a", v: 1.5 }, { v: 2, n: "bcd" }]) { |row| format("%<n>-5s|%<v>8.2f", row) }
      template = "<%<n>s>"
      expect_texts(numbers) { |n| format(template, n:) + format("%<a>s", a: format("%<b>03d", b: n)) }
      expect_texts(numbers) { |n| ["<%s>" % { a: n }.size, format("%-5s|", n), format("%p", { a: n })] }
      defaults = Hash.new(7).merge(a: 1)
      expect_texts(numbers) { |n| format("%<a>d %<b>d #{n}", defaults) }
    end

    it "raises of names what Ruby raises" do
      # A GPU does not tell what it has made itself.
      next if Ikra.chosen.start_with?("cuda")

      hash = { a: 1, "b" => 2, c: nil }
      expect_same([1]) { |_n| format("%<b>d", hash) }
      expect_same([1]) { |n| format("%{none}", a: n) }
      expect_same([1]) { |_n| format("%<c>d", hash) }
      expect_same([1]) { |n| format("%<a", a: n) }
      expect_same([1]) { |n| format("%{a", a: n) }
      expect_same([1]) { |n| format("%<a><b>d", a: n, b: 1) }
      expect_same([1]) { |n| "%<a>6{b}" % { a: n, b: 2 } }
      expect_same(["x"]) { |n| format("%<a>d", a: n) }
      expect_same([1]) { |n| format("%<a>.2", a: n) }
    end

    it "formats Floats" do
      floats = [0.0, -0.0, 0.5, 1.5, 2.5, -1.25, 0.1, 1e22, 1e-5, 123_456_789.125, 99_999.95, 78_167.15, 5e-324, 1.7976931348623157e308,
                Float::NAN, Float::INFINITY, -Float::INFINITY, 1e100, 2_030_705.0]
      expect_texts(floats) { |x| ["%f" % x, "%.2f|%8.1f|%-8.1f|%08.1f|%+.0f|% .3f" % [x, x, x, x, x, x], "%.20f" % x] }
      expect_texts(floats) { |x| ["%e %.3E %g %.3g %G %#g" % [x, x, x, x, x, x], "%12.4e|" % x, "%.15g %.17g" % [x, x]] }
      expect_texts([0, 3, -7]) { |n| "%f %.1f %5.0f %e" % [n, n, n, n] }
    end

    it "formats Floats in hexadecimal digits" do
      floats = [0.0, -0.0, 1.5, -3.75, 0.1, 255.9999999, 1e-320, 5e-324, 1.7976931348623157e308, 1.96875, Float::NAN,
                -Float::INFINITY, Float::INFINITY, 1.03125]
      expect_texts(floats) { |x| ["%a" % x, "%20.3a|%A|%+a|% a|%020a|%-30a|" % [x, x, x, x, x, x]] }
      expect_texts(floats) { |x| ["%#.0a %.0a %.1A %.20a %-9.2a|%09.1A" % [x, x, x, x, x, x], "%<q>a %{q}" % { q: x }] }
      expect_texts([3, -2**40]) { |n| "%a and %e %x" % [n, n, n] }
      expect_texts(["%a", "%x %a", "%5.2A", "%d"]) { |text| text % ([1.25] * text.count("%")) }
    end

    it "formats texts" do
      expect_texts(valid) { |s| ["%s" % s, "%10s|%-10s|%.2s|%8.3s" % [s, s, s, s], format("%s and %s", s, 5)] }
      expect_texts(%w[a é]) { |s| "%c%c%5c" % [s, 66, s] }
      expect_same([1]) { |n| "%d %d" % [n] }
      expect_same(["12x"]) { |s| "%d" % s }
    end
  end

  it "compares characters" do
    texts = StringMethods::ALL
    at = [0, 1, 2, 5, -1, -2, 40]
    expect_same(texts) { |t| at.map { |i| [t[i] == "a", t[i] != "o", t[i] == "é", t[i] == "", t[i] == "ab", t[i].nil?] } }
    expect_same(texts) { |t| at.map { |i| [t[i] == nil, t[i] == :a, t[i] == 5, "a" == t[i], t[0..1] == "ab", t[0.5] == "b"] } }
    expect_same(texts) { |t| texts.first(40).map { |u| [t[0] == u[0], t[1] != u[-1], t[-1] == u[1], t[0] == u, t[9] == u[9]] } }
    expect_same([["#..", ".#.", "..#"]]) { |g| (0..2).map { |y| (0..3).map { |x| g[y][x] == "#" ? 1 : 0 } } }
    expect_same([[1, 2], "ab", "xa", [nil, "a"]]) { |t| [t[0] == 1, t[0] == "a", t[1] != "a"] }
    expect_same(["abc"]) { |t| seen = []; [(seen << 1; t)[(seen << 2; 1)] == (seen << 3; "b"), seen] }
    expect_same([["b"], ["a"]]) { |t| begin; t[x = t.size][0] == "a"; rescue NoMethodError; x; end }
  end

  it "is dumped as a literal" do
    texts = [*StringMethods::ALL, "é\n\#{}\e#a\#$b\#@c\u{1F600}\u{10FFFF}\x7f\xff\v\f\a\b"]
    expect_texts(texts) { |s| s.dump }
    expect_same(texts) { |s| s.dump.frozen? }
  end

  it "is encoded where its bytes stay" do
    ascii, others = StringMethods::ALL.partition(&:ascii_only?)
    expect_texts(ascii) { |s| [s.encode("UTF-8"), s.encode(Encoding::US_ASCII), s.encode("binary"), s.encode, s.encode("ASCII", "UTF-8")] }
    expect_texts(ascii) { |s| [s.encode("UTF-8", invalid: :replace, undef: :replace, replace: "?"), s.encode.frozen?] }
    expect_texts(others.select { |s| s.encoding == Encoding::UTF_8 }) { |s| [s.encode("utf-8"), s.encode(s.encoding), s.encode] }
    expect_texts(StringMethods::WIDE) { |s| [s.encode("utf-8", invalid: :replace), s.encode(Encoding::UTF_8, "UTF-8")] }
    [1, nil, :a].each { |encoding| expect_same([encoding]) { |x| "a".encode(x) } }
    [1, nil, :a].each { |encoding| expect_same([encoding]) { |x| (+"a").force_encoding(x) } }
    next if backend == :ruby

    refused = ->(&run) { expect(&run).to raise_error(Ikra::UnsupportedError, /unsupported-string/) }
    refused.call { ["é"].pmap { |s| s.encode("US-ASCII") } }
    refused.call { ["\xff"].pmap { |s| s.encode("UTF-8", invalid: :replace) } }
    refused.call { ["a"].pmap { |s| s.encode("UTF-16") } }
    refused.call { ["a"].pmap { |s| s.encode("UTF-8", xml: :text) } }
  end

  it "has an encoding with a name" do
    expect_texts(all) { |s| [s.encoding.name, s.encoding.to_s, s.encoding.inspect, "<#{s.encoding}>"] }
    expect_same(all) { |s| [s.encoding, s.encoding == Encoding::UTF_8, s.encoding.dummy?, s.encoding.ascii_compatible?] }
    expect_same([Encoding::UTF_8, Encoding::BINARY]) { |e| [e.name, e.name.frozen?, e.inspect.frozen?, e.name.equal?(e.name)] }
    expect_same([Encoding::UTF_8, 1]) { |e| e.is_a?(Encoding) ? e.name : e }
  end

  it "gives the Strings that Ruby has for nil, true and false" do
    values = [nil, true, false]
    expect(values.pmap { |x| x.to_s }.zip(values).all? { |text, value| text.equal?(value.to_s) }).to be(true)
    expect_texts(values) { |x| x.to_s }
  end

  # The GPU keeps no Strings of elements that fail.
  describe "messages" do
    if %i[cpu ruby].include?(backend)
      it "tell Strings that were made" do
        texts = ["a", "b é"]
        expect_same(texts) { |s| s.size > 1 ? raise("bad #{s.reverse}") : s }
        expect_same(texts) { |s| s.size > 1 ? raise(ArgumentError, "bad #{s + "é"}, #{s * 50}") : s }
        expect_same(texts) { |s| s.size > 1 ? raise(KeyError, s * 3) : s }
        expect_same(texts) { |s| s.size > 1 ? raise(s.center(300, "é")) : s }
        expect_same(texts) { |s| s.size > 1 ? raise(s) : s }
        expect_same([1, 2]) { |x| x > 1 ? raise("#{x} #{x * 2} #{x * 0.5} #{[x, :a]} #{x == 1}") : x }
        expect_same([1, 2]) { |x| x > 1 ? raise([x, nil].inspect.b) : x }
      end

      it "tell Strings that are no numbers" do
        expect_same(%w[1 x]) { |s| Integer("#{s}0") }
        expect_same(%w[1 x]) { |s| Float("#{s}0") }
        expect_same(%w[1 x]) { |s| begin; 5.times { |i| Integer("#{s}#{i}"); "z" * 50 }; rescue ArgumentError; s.center(60); raise; end }
        expect_same(%w[1 x]) { |s| begin; Integer("#{s}0"); rescue ArgumentError => e; raise e; ensure; 5.times { |i| i.to_s * 50 }; end }
      end

      it "tell Strings of the code around elements" do
        n = 3
        failing = -> { Ikra.section { sum = [1, 2].pmap { |x| x * n }.sum; raise "sum #{sum.to_s.rjust(5)}" if sum > 1; sum } }
        expect(&failing).to raise_error(RuntimeError, "sum     9")
      end
    end

    it "are dropped where errors are rescued" do
      expect_same(%w[1 x]) { |s| begin; Integer("#{s}0"); rescue ArgumentError; nil; end }
      expect_same(%w[1 x]) { |s| begin; Float("#{s}0"); rescue ArgumentError; -1.0; end }
      expect_same(%w[1 x]) { |s| r = 0; 5.times { |i| begin; r += Integer("#{s}#{i}"); rescue ArgumentError; r -= 1; end }; r }
      expect_same(%w[1 x]) { |s| begin; raise "no #{s.upcase}" if s == "x"; 1; rescue StandardError; 2; end }
    end
  end

  describe "functions of texts" do
    it "keep what loops need, and nothing else" do
      loops = [1, 10, 1000]
      expect_same(loops) { |n| all = []; n.times { |i| all << "a,b#{i}".split(",") }; [all.last, all.first, all.size] }
      expect_same(loops) { |n| s = +""; n.times { |i| t = +""; 3.times { |j| t << format("%d-%s", j, "q#{i}".capitalize) }; s << t }; s }
      expect_same(loops) { |n| h = {}; n.times { |i| h["k#{i % 7}".upcase] = "v#{i}".rjust(9) }; h }
      expect_same(loops) { |n| a = Array.new(5) { |i| "s#{i}" }; n.times { |i| a[i % 5] = a[(i + 4) % 5].tr("a-z", "b-za") + i.to_s(7) if a[i % 5].size < 50 }; a }
      expect_same(loops) { |n| s = "a"; n.times { |i| s = s.succ; s = s.swapcase if i % 3 == 0 }; s }
      expect_same([300_000]) { |n| sum = 0; n.times { |i| sum += "a,b,#{i}".upcase.split(",")[2].to_i }; sum }
    end

    it "tell where they were called" do
      expect_same(["12", "x"]) do |s|
        Integer("1") +
          Integer(s)
      end
      expect_same(["%d", "%"]) { |s| [format("%d", 1), format(s, 3)] }
      next if backend == :ruby

      expect { ["a", "é"].pmap { |s| "#{s.succ}#{s.succ}" } }.to raise_error(Ikra::UnsupportedError, /`succ` of characters/) { |e|
        expect(e.backtrace.first).to start_with("#{__FILE__}:#{__LINE__ - 1}:")
      }
    end

    it "are compiled once" do
      next if backend == :ruby

      size = ->(work) { Ikra.profile(&work).steps.sum { |name, step| name.start_with?("code: ") ? step[:count] : 0 } }
      once = size.call(-> { ["a"].pmap { |s| format("%5.1f", s.size) } })
      often = size.call(-> { ["a"].pmap { |s| [format("%5.1f", s.size), format("%8.2f", s.size), format("%f", s.size)] } })
      expect(often).to be < 2 * once unless once == 0
    end
  end

  describe "what is no character" do
    it "is found from the end as MRI does, which goes back in long texts" do
      draws = Random.new(9)
      parts = ["a", "é", "漢", "\x80", "\xe3", "\xbf", "😀"]
      texts = Array.new(400) { Array.new(draws.rand(150)) { parts.sample(random: draws) }.join }
      expect_texts(texts) { |s| [s[-1], s[-2], s[-3, 2], s[-4, 9], s[-5..], s[-6..-2], s[-9, 0], s[-200], s.slice(-7)] }
      expect_texts(texts) { |s| [s[-1] == "é", s[-2] == "\x80", s[-3] == "a", s[-1] == s[-4], s[2] == s[-2]].to_s }
      expect_texts(texts) { |s| t = s.dup; [t.slice!(-2), t.slice!(-3, 2), t].inspect }
      expect_texts(texts.reject(&:empty?)) { |s| t = s.dup; t[-1] = "x"; t }
    end

    it "is replaced as MRI does" do
      draws = Random.new(5)
      bytes = [0x41, 0x80, 0xbf, 0xc1, 0xc2, 0xe0, 0xa0, 0x9f, 0xed, 0xe3, 0xf0, 0x90, 0x8f, 0xf4, 0xf5, 0xff, 0x20]
      texts = Array.new(500) do
        text = Array.new(draws.rand(9)) { bytes.sample(random: draws) }.pack("C*")
        text.force_encoding([Encoding::UTF_8, Encoding::US_ASCII, Encoding::BINARY].sample(random: draws))
      end
      expect_texts(texts) { |s| [s.scrub, s.scrub("<>"), s.scrub(nil), s.scrub { |part| "<#{part.bytesize}>" }] }
      expect_texts(texts) { |s| t = s.dup; [t.scrub!("?").equal?(t), t] }
      expect_same(["\xff"]) { |s| s.scrub("\xfe") }
      expect_same(["\xff"]) { |s| s.scrub("a") { "b" } }
      expect_same(["\xff"]) { |s| s.scrub(3) }
    end
  end

  describe "a text that is frozen" do
    it "is one of its own" do
      texts = [+"a", +"é"]
      expect_texts(texts) { |s| [-"b#{s}", (-"b#{s}").frozen?, (-"b#{s}").equal?(-"b#{s}"), -s, s.frozen?, -(-"c#{s}")] }
      next if backend == :ruby

      expect { ["a"].pmap { |s| -"b#{s}".freeze } }.to raise_error(Ikra::UnsupportedError, /use it as it is/)
    end
  end

  describe "Symbols" do
    it "has their names" do
      expect_texts(%i[a abc é B]) { |x| [x.to_s, x.name, x.size, x.length, x[0], x[0, 2], x.empty?] }
      expect_same(%i[a abc B]) { |x| [x.start_with?("a"), x.end_with?("c"), x.casecmp(:A), x.casecmp?(:b)] }
      expect_same(%i[é É ß ẞ ss ǆ ᾳ]) { |x| [x.casecmp?(:É), x.casecmp?(:SS), x.casecmp?(:ǅ), x.casecmp?(:αι), x.inspect, x.to_s.upcase] }
    end
  end
end
# rubocop:enable Style/Semicolon, Layout/LineLength, Style/FormatString, Style/StringConcatenation, Style/CombinableLoops
# rubocop:enable Style/LambdaCall, Lint/FormatParameterMismatch, Style/StringChars
# rubocop:enable Style/RedundantArgument, Style/WordArray, Style/NilComparison, Style/YodaCondition

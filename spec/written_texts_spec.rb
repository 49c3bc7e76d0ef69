# frozen_string_literal: true

require_relative "support/large_sections"

# What is known of texts that are written out: formats, what stands between interpolated values, and what Strings are
# compared with.
each_compiling_backend do
  # With the encoding of what each gives.
  def same_texts(base, &block)
    expect_same(base, &block)
    encodings = [base.pmap(&block), base.map(&block)].map { |rows| rows.map { |row| Array(row).map(&:encoding) } }
    expect(encodings[0]).to eq(encodings[1])
  end

  # rubocop:disable Style/FormatString, Lint/FormatParameterMismatch -- of all kinds, also wrong ones
  describe "formats" do
    let(:integers) { [0, 1, -1, 7, -255, 4096, 123_456_789, -(2**61), 2**62, (2**63) - 1, -(2**63)] }
    let(:floats) do
      [0.0, -0.0, 0.5, -1.25, 2.5, 1e-7, 123_456.789, -1e20, 1e300, Float::NAN, Float::INFINITY, -Float::INFINITY]
    end
    let(:texts) { ["", "a", "abcdefgh", "日本語", "é\n\"", "\xFF".b, "ok".encode("US-ASCII")] }

    it "put Integers" do
      same_texts(integers) do |n|
        [format("%d", n), format("<%d|%i|%u>", n, n, n), "%5d|%-5d|%05d|%+d|% d" % [n, n, n, n, n]]
      end
      same_texts(integers) { |n| [format("%.3d|%8.4d|%-8.4d|%+08d|%- 8d|%#d|%.0d", n, n, n, n, n, n, n)] }
      same_texts(integers) do |n|
        [format("%x|%X|%o|%b|%B", n, n, n, n, n), format("%#x|%#X|%#o|%#b|%#B", n, n, n, n, n)]
      end
      same_texts(integers) { |n| [format("%+x|% o|%08b|%-8x|%.4x|%#.6o|%+#x|%010.4X", n, n, n, n, n, n, n, n)] }
      same_texts(integers) { |n| [format("%f|%.0f|%10.2f|%-12.1f|%+f|% f|%012.3f", n, n, n, n, n, n, n)] }
    end

    it "put Floats" do
      same_texts(floats) { |x| [format("%f|%.2f|%10.3f|%-10.1f|%+010.2f|% .0f|%#.0f", x, x, x, x, x, x, x)] }
      same_texts(floats) do |x|
        [format("%e|%.0e|%E|%12.3e", x, x, x, x), format("%g|%.3g|%G|%#g|%+012.4g", x, x, x, x, x)]
      end
      expect_same([0.5, -7.9, 1e10]) { |x| format("%d|%05x|%+o", x, x, x) }
      floats.last(3).each { |x| expect_same([x]) { |y| format("%d", y) } }
    end

    it "put texts" do
      same_texts(texts) { |s| [format("%s", s), "<%s>" % s, format("%5s|%-5s|%.1s|%6.2s|%05s", s, s, s, s, s)] }
      same_texts(texts.first(5)) do |s|
        [format("%p|%12p|%.2p", s, s, s), format("é%s日本語, and more than eight bytes %s", s, s)]
      end
      same_texts([nil, true, :sym, 1.5, 12]) { |x| [format("%s|%p", x, x), format("%-6s|%3.2s|%6p", x, x, x)] }
      same_texts([[1, "a"], []]) { |list| [format("%s", list), format("%p", list)] }
      expect_same(%w[a é]) { |s| format("%c|%3c|%-3c|%c", s, s, s, 65) }
      expect_same(%w[ab é]) { |s| format("%c", s) }
      ["", "\xFF", "\xFFa", "a\xFF", "\xC3", "éa"].flat_map { |text| [text, text.b] }.each do |text|
        expect_same([text]) { |s| format("%c", s) }
        expect_same([text]) { |s| format("é%3c", s) }
        expect_same([text]) { |s| format("%c".b, s) }
      end
    end

    it "have per cents, and nothing else" do
      same_texts([1]) { |n| [format("100%%"), "%%%d%%" % n, format(""), format("plain"), format("%%"), "é" % []] }
    end

    it "convert in order" do
      ["12", "-7", "z", nil, "1.5", 2.5, :a, [1]].each do |value|
        expect_same([value]) { |x| format("%d|%d", 1, x) }
        expect_same([value]) { |x| format("%f", x) }
        expect_same([value]) { |x| format("%s %e", x, x) }
        expect_same([value]) { |x| format("%d %d %d", 1, x) }
        expect_same([value]) { |x| format("%c", x) }
      end
      expect_same(%w[0x1A 0b11 1_0]) { |s| format("%d|%x", s, s) }
      expect_same([1]) { |n| [format("%d", n, n), "%d" % [n, n]] }
      expect_same(["\xFF".b]) { |s| format("é%s", s) }
      expect_same(["\xFF".b]) { |s| format("%s|%s", s, "é") }
    end

    it "are used up" do
      expect_same([1]) { |n| format("%d %d", n) }
      expect_same([1]) { |n| "%s%s%s" % [n, n] }
      expect_same([[1], [1, 2]]) { |list| "%d" % list }
      expect_same([[1, 2], [3]]) { |list| "%d %d" % list }
    end

    it "are wrong where Ruby has them wrong" do
      expect_same([1]) { |n| format("%", n) }
      expect_same([1]) { |n| format("%d %", n) }
      expect_same([1]) { |n| format("%5-d", n) }
      expect_same([1]) { |n| format("%.2.2f", n) }
      expect_same([1]) { |n| format("% %", n) }
    end

    it "call methods of objects" do
      shown = Struct.new(:n) { def to_s = "<#{n}>" }
      expect_same(Array.new(3) { |n| shown.new(n) }) { |o| [format("%s|%6s", o, o), format("%d", o.n)] }
    end

    it "are kept by variables and constants" do
      stub_const("FORMAT", "%03d|%s")
      expect_same([1, 2]) do |n|
        plain = "%d-%s"
        [format(FORMAT, n, n), format(plain, n, :a), format("%02d", n), plain]
      end
    end

    it "are not what they were when they have changed" do
      changed = [
        ->(n) { (f = +"%d") && (f << "%d") && format(f, n, n) }, ->(n) { (f = +"%d") && f.replace("%s!") && (f % n) },
        ->(n) { (f = +"C") && (f << "*") && [n, n].pack(f) }, ->(n) { (f = +"C") && f.replace("U") && [n].pack(f) },
        ->(n) { (f = +"C") && (f << "C") && "a#{n}".unpack(f) },
        ->(n) { (f = +"a") && f.replace("C") && "a#{n}".unpack1(f) }
      ]
      changed.each do |block|
        given = begin
          [65].pmap(&block)
        rescue Ikra::UnsupportedError
          next
        end
        expect(given).to eq([65].map(&block))
      end
    end

    it "are printed" do
      next if Ikra.backend != :cpu

      told = %i[each peach].map do |name|
        StringIO.new.tap { |out| [1, 22].public_send(name) { |n| out.printf("%03d|%-4s|%%\n", n, :ab) } }.string
      end
      expect(told[1]).to eq(told[0])
      expect { [5].peach { |n| printf("%d-%s\n", n, nil) } }.to output("5-\n").to_stdout
    end
  end

  # rubocop:enable Style/FormatString, Lint/FormatParameterMismatch

  describe "texts between values" do
    it "are put together with values that cannot change" do
      same_texts([0, 7, -1, 10, -10, 99, 12_345_678_901, 2**62, -(2**63), (2**63) - 1]) do |n|
        [n.to_s, "a#{n}", "#{n}b", "#{n}#{n}", "é#{n}é",
         "more than eight bytes #{n} and more than thirty-two bytes behind"]
      end
      same_texts([nil, true, false, :a, :é, 1.5, 2, "s", "é"]) do |x|
        [x.to_s, "<#{x}>", "#{x}#{x}", "1#{x}", "#{x}é"]
      end
      same_texts([1]) { |n| [n.to_s, "", "a#{n}", "true|false", "1.0#{n}", "a5b"] }
      same_texts([[1, nil], []]) { |list| [list.to_s, "-#{list}-", "#{list.first}|"] }
    end

    it "have the encoding that Ruby gives them" do
      texts = ["a", "é", "\xFF".b, "a".b, "a".encode("US-ASCII"), ""]
      same_texts(texts) { |s| [s.to_s, "a#{s}", "#{s}a", "1#{s}", "#{s}1", "#{s}#{s}", "#{s}b1"] }
      texts.each { |text| expect_same([text]) { |s| ["é#{s}", "#{s}1é"] } }
    end

    it "see what texts have become" do
      expect_same(["a"]) do |s|
        text = +s
        ["#{text}#{text << "x"}#{text.size}#{text << "y"}", text]
      end
    end

    it "call methods of objects, in order" do
      shown = Struct.new(:n) { def to_s = n > 1 ? raise(ArgumentError, "n#{n}") : "<#{n}>" }
      expect_same([0, 1].map { |n| shown.new(n) }) { |o| "#{o}|#{o.n}|#{o}" }
      expect_same([0, 2].map { |n| shown.new(n) }) { |o| "#{o}|#{1 / o.n}" }
      expect_same([2].map { |n| shown.new(n) }) { |o| "#{o.n}#{o}#{1 / 0}" }
    end

    it "are messages and names" do
      expect_same([1, 2]) { |n| n > 1 ? raise(ArgumentError, "#{n}é#{n + 1}b#{n + 2}") : n }
      expect_same([1, 2]) { |n| [:"s#{n}" == :s1, "k#{n}" == "k2"] }
      expect_same_program { Ikra.section { Array.new(3) { |i| "#{i}|#{i * 2}|#{i.odd?}" }.join(",") } }
    end
  end

  describe "texts that Strings are compared with" do
    def words
      ["", "a", "b", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghijklmnop", "abcdefghijklmnopq", "ä", "äöüßäöüß",
       "y" * 31, "y" * 32, "y" * 33, "no", "nope", "\0", "a\0", "ä".b, "\xE4".b, "a".encode("US-ASCII")]
    end

    it "are equal where Ruby has them equal" do
      expect_same(words) { |w| [w == "", w == "a", w == "abcdefg", w == "abcdefgh", w == "abcdefghi", w == "\0"] }
      expect_same(words) { |w| [w == "abcdefghijklmnop", w == "abcdefghijklmnopq", w == "ä", w != "äöüßäöüß"] }
      expect_same(words) do |w|
        [w == "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy", w == "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
         w == "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"]
      end
      expect_same(words) { |w| ["#{w}a" == "aa", w + w == "abcdefgabcdefg", w * 2 != "abcdefghabcdefgh", w.b == "ä"] }
    end

    it "are never like values of other classes" do
      expect_same([*words, nil, true, 1, 1.5, :a]) { |x| [x == "a", x != "a", (x == "ä" ? 1 : 2)] }
      expect_same([*words, nil, :a, [1]]) { |x| x == "a" }
    end

    it "are clauses of a short case" do
      expect_same([*words, nil, 3]) do |w|
        case w
        when "a", "b" then 1
        when "ä" then w.size
        when "abcdefghi" then w
        when nil then :none
        else -1
        end
      end
    end

    # rubocop:disable Lint/DuplicateCaseCondition -- which of them counts is what this is about
    it "are clauses of a long case, the first of which counts" do
      expect_same([*words, nil, :a, 2.5]) do |w|
        case w
        when "" then 0
        when "a", "b", "a" then 1
        when "abcdefgh" then w.upcase
        when "abcdefghi", "abcdefghijklmnop" then 3.5
        when "abcdefghijklmnopq" then nil
        when "ä" then w.size
        when "äöüßäöüß" then [w]
        when "no" then :first
        when "no" then :second
        when "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy" then 9
        when "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy" then 10
        when nil then 11
        else -1
        end
      end
    end

    # rubocop:enable Lint/DuplicateCaseCondition

    it "are clauses of a case that is a table, the first of which counts" do
      texts = words + words.map { |w| w * 2 } + Array.new(30) { |i| ["k#{i}", "längeres Wort #{i}"] }.flatten
      clauses = texts.select { |w| w.valid_encoding? && w.bytesize <= 32 }.map { |w| w.dup.force_encoding("UTF-8") }
      block = LargeSections.new(<<~RUBY)
        lambda { |w| case w
        #{clauses.each_with_index.map { |w, i| "when #{w.inspect}, \"x#{i}\" then #{i}" }.join("\n")}
        when nil then :none
        else -1
        end }
      RUBY
      expect_same([*texts, *clauses, "x7", "x70", "k1".encode("US-ASCII"), "k30", nil, :k1, 2.5], &block)
      expect_same([*texts, *clauses].map(&:b), &block)
      expect_same((0..70).to_a) { |n| block.call("k#{n}") }
    end

    it "are clauses of a case that give numbers, all or many next to each other" do
      numbers = [->(i) { (i - 40) * 1_000 }, ->(i) { (i / 4.0) - 3 }, ->(i) { i < 40 ? i : "w.size" },
                 ->(i) { i < 40 ? i : i * 0.5 }, ->(i) { i.odd? ? i : i * 0.5 }, ->(i) { i == 3 ? "nil" : 2**62 }]
      numbers.each do |number|
        block = LargeSections.new(<<~RUBY)
          lambda { |w| case w
          #{Array.new(80) { |i| "when \"k#{i}\" then #{number.call(i)}" }.join("\n")}
          else -1
          end }
        RUBY
        expect_same([*(0..80).map { |i| "k#{i}" }, "no", nil], &block)
        expect_same((0..80).to_a) { |n| n + (block.call("k#{n}") || 0) }
      end
    end

    it "are clauses of a case without else, whose value nobody uses and that assigns" do
      expect_same(words.map { |w| [w, w.size] }) do |w, n|
        text = "#{w}-"
        case text
        when "-", "a-", "b-", "abcdefg-", "abcdefgh-" then n += 10
        when "ä-", "no-", "nope-", "\0-", "a\0-"
          n = -n
          text << "!"
        end
        [n, text]
      end
    end

    it "are looked for in methods, by next and in loops" do
      expect_same(words) do |w|
        next :out if w == "no"

        [w, "b", "zz"].map do |text|
          case text
          when "k0" then next 0
          when "k1", "k2", "k3", "k4", "k5", "b" then 1
          when "k6", "k7", "nope" then break 7
          when "zz" then text == "zz" && w != "a"
          else text
          end
        end
      end
    end
  end
end

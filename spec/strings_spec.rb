# frozen_string_literal: true

# Strings in sections: read, made, compared, kept and returned. `spec/string_spec.rb` has their methods.
module Strings
  NAMES = ["abc", "défg", "", "a", "ab", "abcdefg", "abcdefgh", "abcdefghi", "hello world, long text", "x" * 100, "\0",
           "\xff\xfe", "bytes\xff".b, "plain".b, "plain".encode("US-ASCII"), "é", "é".b, "z" * 64, "日本語"].freeze
  OTHERS = ["abc", "é", "ab", "", "x" * 100, "plain"].freeze
  TENS = { "abc" => 10, "défg" => 20, "x" * 100 => 30, "é".b => 40, :sym => 50, "" => 60 }.freeze
  GREETING = "hello"
  Pair = Struct.new(:key, :value)

  # Something with a name.
  class Thing
    attr_accessor :name, :size

    def initialize(name)
      @name = name
      @size = 0
    end

    def shout = "#{name}!"
    def measure = @size = name.bytesize
  end
end

each_backend do |backend|
  let(:names) { Strings::NAMES }
  let(:things) { names.map { |name| Strings::Thing.new(name) } }
  def text? = ->(value) { value.is_a?(String) ? [value, value.encoding, value.frozen?] : value }

  # The encodings of Strings, and whether they are frozen, too.
  def expect_same_texts(values, &block)
    expect_same(values, &block)
    told = ->(results) { results.flatten.grep(String).map { |text| [text.encoding, text.frozen?] } }
    expect(told.(values.pmap(&block))).to eq(told.(values.map(&block)))
  end

  def expect_refused(slug, &section)
    return if Ikra.backend == :ruby

    expect(&section).to raise_error(Ikra::UnsupportedError, /\[#{slug}\]/)
  end

  describe "those that were there before" do
    it "tells their bytes" do
      expect_same(names) { |s| [s.bytesize, s.empty?, s.ascii_only?] }
      expect_same(names) { |s| [s.getbyte(0), s.getbyte(1), s.getbyte(-1), s.getbyte(8), s.getbyte(200), s.getbyte(-300)] }
      expect_same(names) { |s| (0...s.bytesize).sum { |i| s.getbyte(i) * (i + 1) } }
      expect_same(names) { |s| Strings::GREETING.bytesize + s.bytesize }
    end

    it "compares them" do
      expect_same(names) { |s| Strings::OTHERS.map { |other| [s == other, s != other, s.eql?(other), s === other, s <=> other] } }
      expect_same(names) { |s| Strings::NAMES.map { |other| s == other } }
      expect_same(names) { |s| Strings::NAMES.map { |other| s.equal?(other) } }
      expect_same(names) { |s| [s == :abc, s == nil, s == 1, s <=> 3, s.eql?([s])] }
      expect_same(names) { |s| [s.start_with?("ab"), s.start_with?("", "x"), s.start_with?("abcdefghij", "hello w"), s.start_with?] }
      expect_same(names) { |s| Strings::OTHERS.include?(s) }
    end

    it "hands them on as the same objects" do
      expect(names.pmap { |s| [s, s] }.each_with_index.all? { |(a, b), i| a.equal?(names[i]) && b.equal?(a) }).to be(true)
      expect(things.pmap { |thing| thing.name.bytesize > 3 ? thing.name : nil }.compact.all? { |s| names.any? { |n| n.equal?(s) } }).to be(true)
    end

    it "asks what they are" do
      expect_same([*names, :abc, 1, nil]) { |x| [x.is_a?(String), x.is_a?(Comparable), String === x, x.is_a?(Symbol)] }
      expect_same([*names, :abc, 1, nil]) { |x| x.is_a?(String) ? x.bytesize : 0 }
      expect_same(names) { |s| [s.class == String, s.frozen?, s.nil?, s.respond_to?(:bytesize)] }
    end

    it "finds what has another encoding" do
      others = ["abc".encode("UTF-16LE"), "x"]
      expect(others.pmap { |s| s }).to eq(others)
      expect_refused("unsupported-encoding") { others.pmap { |s| s == "x" } }
    end

    it "has them again where a call before had others" do
      foreign = "é".encode("ISO-8859-1")
      thing = Struct.new(:name)
      calls = [->(all) { Ikra.section { all.map { |t| t.name + "!" } } }, ->(all) { all.peach { |t| t.name += "!" } },
               ->(all) { all.map(&:name).pmap { |name| name + "!" } },
               ->(all) { h = { 1 => all[0].name }; Ikra.section { h[1].upcase + all.sum { |t| t.name.size }.to_s } },
               ->(all) { 2.times { Ikra.section { all.peach { |t| t.name = t.name.to_s + "!" } } } },
               ->(all) { all.pmap { |t| "#{t.name.inspect}!" } }]
      calls.each do |call|
        3.times do
          bad = [thing.new("a"), thing.new(foreign)]
          expect_refused("unsupported-encoding") { call.call(bad) }
          expect(bad.map(&:name)).to eq(["a", foreign])
          good, same = Array.new(2) { [thing.new("é"), thing.new("b")] }
          given = call.call(good)
          Ikra.backend = :ruby
          expect([given, good]).to eq([call.call(same), same])
          Ikra.backend = backend
        end
      end
    end

    it "refuses to freeze them" do
      expect_refused("unsupported-string") { [+"a"].pmap(&:freeze) }
      expect_same(["a"]) { |s| s.freeze.bytesize }
    end

    it "compares anew what has changed" do
      count = -> { things.pmap { |thing| thing.name == "abc" ? 1 : 0 }.sum }
      expect(count.call).to eq(1)
      things[1].name = +"ab"
      things[1].name << "c"
      expect(count.call).to eq(2)
      things[2].name = nil
      expect(count.call).to eq(2)
      things.each { |thing| thing.name = "" }
      expect(count.call).to eq(0)
    end
  end

  describe "made ones" do
    it "are what Ruby makes" do
      expect_same_texts(names) { |_| ["abc", "", "défg", "x" "y", 'z', "\n\t\0", "日本語"] }
      expect_same_texts(names) { |s| [s + "!", "é" + "x", "" + ""] unless s.encoding == Encoding::BINARY } if backend == :ruby
      expect_same_texts(Strings::OTHERS) { |s| [s + "!", "<<" + s + s + ">>", s + s + s] }
      expect_same_texts([["x", "y".b], ["".b, "é"], ["é".b, "".b], ["a".encode("US-ASCII"), "b".b], ["", "\xff".b]]) do |a, b|
        ["#{a}#{b}", "#{b}", "#{a}!", "!#{a}#{b}", "#{a}#{1}", "#{:a}#{2}", +"" << a << b, a + b]
      end
      expect_same_texts(Strings::OTHERS) { |s| ["#{s}", "#{s} has #{s.bytesize} bytes: #{:sym}", "a#{1}b#{-22}c#{2**40}"] }
      expect_same_texts([0, 1, -1, 10, -99, 123_456_789, 2**62, -(2**63), (2**63) - 1]) { |n| [n.to_s, "#{n}"] }
      expect_same_texts([:a, :é, :"b c", :A?]) { |s| [s.to_s, s.name, "#{s}#{s}"] }
      expect_same_texts([nil, true, false, 3]) { |x| [x.to_s, "<#{x}>"] }
    end

    it "changes them" do
      expect_same(Strings::OTHERS) { |s| a = +"x"; 5.times { a << s << "-" }; a }
      expect_same(Strings::OTHERS) { |s| a = +"x"; b = a; b << s; [a, b] }
      expect_same(Strings::OTHERS) { |s| a = +""; 40.times { |i| a << "#{i}" }; b = a.dup; b << s; [a.bytesize, b, a == b] }
      expect_same(Strings::OTHERS) { |s| a = s.dup; a << s << a; a }
      expect_same([1, 100, 1000]) { |n| a = +""; n.times { |i| a << "abc" << "#{i}" << a if i < 5; a << "é" }; a.bytesize }
    end

    it "knows which one is which" do
      expect_same(Strings::OTHERS) { |s| a = s + ""; b = s + ""; [a.equal?(a), a.equal?(b), a == b, a.equal?(s), a.frozen?] }
      twice = Strings::OTHERS.pmap { |s| a = s + "z"; [a, [a], { k: a }] }
      expect(twice.all? { |a, (b), hash| a.equal?(b) && a.equal?(hash[:k]) }).to be(true)
    end

    it "freezes them" do
      expect_same_texts(Strings::OTHERS) { |s| a = (s + "!").freeze; b = a.dup; b << "?"; [a, b, a.clone, +a, a.frozen?] }
    end

    it "raises what Ruby raises" do
      expect_same([1, nil, :a, 2.5]) { |x| "a" + x }
      expect_same(Strings::NAMES) { |s| s + "ü" }
      expect_same(Strings::NAMES) { |s| "ü#{s}" }
      expect_same([1, nil]) { |x| (+"a").start_with?(x) }
    end

    it "are told from outside ones" do
      expect_same(Strings::OTHERS) { |s| a = s.bytesize > 2 ? s : s + "!"; [a, a.bytesize, a == "ab!", "ab!" == a, a + "?"] }
      expect_same(Strings::OTHERS) { |s| a = s.bytesize.even? ? nil : "#{s}."; a ? a + s : a }
      expect_same([1, 2, 3]) { |x| a = x == 1 ? "one" : x == 2 ? :two : 3; [a, "#{a}", a == "one"] }
    end

    it "are items, members and variables" do
      expect_same(Strings::OTHERS) { |s| a = []; a << s << (s + "1") << "lit"; a + [a.size, a.last, a.include?("lit")] }
      expect_same(Strings::OTHERS) { |s| Strings::Pair.new(s + "k", "v") }
      expect_same(Strings::OTHERS) { |s| pair = Strings::Pair.new("a" + s, s); pair == Strings::Pair.new("a" + s, s + "") }
      expect_same(Strings::OTHERS) { |s| thing = Strings::Thing.new("n" + s); thing.name << "m"; [thing.shout, thing.measure] }
      left, right = [0, 1].map { Strings::OTHERS.map { |s| Strings::Thing.new(s) } }
      left.each { |thing| thing.name = "#{thing.name}!" }
      right.peach { |thing| thing.name = "#{thing.name}!" }
      expect(right.map(&:name)).to eq(left.map(&:name))
    end
  end

  describe "literals of bytes that are no text" do
    it "are Strings as others are" do
      expect_same_texts([1, 2]) { |_| +"\xff" }
      expect_same_texts([1, 2]) { |_| "\x89PNG\r\n\x1a\n".b }
      expect_same([255, 65]) { |x| ["\xff".bytes, "\xffab".size, "\xff".valid_encoding?, "\xff".encoding, "a\xffb".chars, x] }
      expect_same([255, 65]) { |x| [[x].pack("C") == "\xff".b, "\xff" == "\xff".b, "\x01\xff".b.unpack1("n"), x.chr <=> "\xff"] }
      expect_same_texts([1, 2]) { |x| "a\xfe#{x}\xff" }
      expect_same_texts([1, 2]) { |x| x == 1 ? +"\xc3" "\xa4" : +"\xc3" "a" }
      expect_same([1, 2]) { |x| s = +"\xff"; s << "a" * x; [s.bytes, "\xff".frozen?, s.frozen?] }
      expect_same(["abc", "\xff"]) { |s| case s when "\xff" then 1 when "abc" then 2 end }
      expect_same(["abc", "\xff"]) { |s| [{ "\xff" => 1 }[s], s.include?("\xff"), s.inspect] }
    end

    it "are one object where the file says so" do
      same = [1, 2].pmap { "\xfe" }
      expect(same[0]).to equal(same[1]).and be_frozen
      expect(same).to eq(["\xfe"] * 2)
    end
  end

  describe "what is known of their bytes" do
    it "is right for those that were there" do
      expect_same(names) { |name| [name.ascii_only?, name.size, name == name.b, name.valid_encoding?] }
    end

    it "stays right while a made one changes" do
      expect_same(names) do |name|
        text = +"plain"
        all = [text.ascii_only?]
        text << "more"
        all << text.ascii_only? << text.size
        text << "é"
        all << text.ascii_only? << text.size << (text == "plainmoreé")
        text.replace("abc")
        all << text.ascii_only? << text.size
        text = name.dup
        text.clear if text.size > 6
        all << text.ascii_only? << text.size << text.valid_encoding?
      end
    end

    it "stays right where bytes are put in and taken away" do
      expect_same(names) do |name|
        text = "some" + name
        all = [text.ascii_only?, text.size]
        text.setbyte(0, 200)
        all << text.ascii_only? << text.size << text.valid_encoding?
        text.setbyte(0, 65)
        all << text.ascii_only? << text.size
        text.chop! while text.bytesize > 4
        all << text.ascii_only? << text.size << text.ascii_only? << (text == "Aome")
        text.prepend(name)
        all << text.ascii_only? << text.size
        text.force_encoding("BINARY")
        all << text.ascii_only? << text.size << text.b.ascii_only? << text.freeze.ascii_only? << text
      end
    end

    it "stays right from tick to tick" do
      things, others = Array.new(2) { names.map { |name| Strings::Thing.new(name) } }
      things.peach(3) { |thing| thing.name = thing.name.ascii_only? ? thing.name + "é" : thing.name[0, 1] + "x" }
      3.times { others.each { |thing| thing.name = thing.name.ascii_only? ? thing.name + "é" : thing.name[0, 1] + "x" } }
      expect(things.map(&:name)).to eq(others.map(&:name))
    end
  end

  describe "as keys" do
    it "looks them up" do
      expect_same(names) { |s| [Strings::TENS[s], Strings::TENS.key?(s), Strings::TENS.fetch(s, 0)] }
      expect_same(Strings::OTHERS) { |s| [Strings::TENS["ab" + "c"], Strings::TENS[s + ""], Strings::TENS["#{s}"]] }
      expect_same(Strings::OTHERS) { |s| Strings::TENS.fetch(s) } if backend == :ruby
      expect_same([:sym, :abc]) { |s| [Strings::TENS[s], Strings::TENS[s.to_s]] }
    end

    it "makes Hashes of them" do
      lists = [%w[a b a c b], [], ["x", "é", "é".b, "x" + "", "plain".b, "plain"], Strings::NAMES.dup]
      expect_same(lists) { |list| [list.tally, list.uniq, list.group_by(&:bytesize), list.to_h { |s| [s, 1] }] }
      expect_same(lists) { |list| list.each_with_object(Hash.new(0)) { |s, counts| counts[s + "!"] += 1 } if list.first == "a" }
      expect_same(lists) { |list| (list & ["a", "x"]) | ["a", "q"] }
      expect_same(lists) { |list| [list.index("a"), list.count("b"), list.include?("x"), list - ["a"]] }
      expect_same([%w[b a c], ["x"], []]) { |list| [list.sort, list.min, list.max, list.minmax, list.sort_by(&:bytesize)] }
      expect_same([1, 2]) { |x| h = {}; s = +"abc"; h[s] = x; s << "d"; [h, h["abc"], s, h.keys.first.frozen?] }
      expect_same([1, 30]) { |n| h = {}; n.times { |i| h["key #{i}"] = i }; [h["key 3"], h.size, h.key?("key 29")] }
      expect_same([1, 30]) { |n| h = { "a" => n, "b" => 2 }; h["a"] += 1; [h, h.map { |key, value| "#{key}=#{value}" }] }
    end
  end

  describe "patterns and conditions" do
    it "tells them apart" do
      expect_same(names) { |s| case s when "abc" then 1 when "é", "" then 2 when String then 3 end }
      expect_same([*names, nil, :abc]) { |s| case s when "abc" then 1 when Symbol then 2 when nil then 3 else 4 end }
      expect_same([["add", 1], ["sub", 2], [nil, 3]]) do |x|
        case x
        in ["add", Integer => n] then n
        in [String => s, n] then "#{s}#{n}"
        else nil
        end
      end
      expect_same(Strings::OTHERS) { |s| s.between?("a", "b") ? s.clamp("ab", "abb") : s }
      expect_same(Strings::OTHERS) { |s| [s < "b", s >= "ab", s > ""] }
    end
  end

  describe "in sections of several calls" do
    it "reads and makes them" do
      list = Strings::OTHERS.dup
      expect(Ikra.section { list.pmap { |s| s.bytesize }.sum }).to eq(list.sum(&:bytesize))
      expect(Ikra.section { all = +""; list.each { |s| all << s << "," }; all }).to eq(list.map { |s| "#{s}," }.inject(:+))
      expect(Ikra.section { list.each_with_index.map { |s, i| "#{i}#{s}" } }).to eq(list.each_with_index.map { |s, i| "#{i}#{s}" })
    end
  end
end

# frozen_string_literal: true

# `pack`, `unpack` and `unpack1` by formats that are written out.
each_compiling_backend do |backend|
  def texts
    ["", "a", "Zürich 12", "\x00\x01\x02\xFE\xFF\x80\x7F".b, "a\0b \0 ", "\xFF" * 16, "~}|{zyxwvut",
     [1.5, -0.0, 1e-300, 3.25].pack("DGeg"), [-1, 2**31, 2**62, -2**63].pack("sLqq"), "   \0"]
  end

  def expect_all(&block)
    texts.each_slice(3) { |some| expect_same(some, &block) }
  end

  def same_bytes(base, &block)
    expect_same(base) { |x| block.call(x) }
    told = [base.pmap(&block), base.map(&block)].map { |texts| texts.map { |text| [text.bytes, text.encoding] } }
    expect(told[0]).to eq(told[1])
  end

  it "write numbers" do
    numbers = [0, 1, -1, 255, 2**31, -(2**62), 123_456_789, (2**63) - 1]
    same_bytes(numbers) { |n| [n, (n >> 1) + 0.5, 7].pack("NnC") }
    same_bytes(numbers) { |n| [n, n, n].pack("q>S<l") }
    same_bytes(numbers) { |n| [n, 2].pack("C*") }
    same_bytes(numbers) { |n| [n, n, n].first((n & 3).clamp(0, 3)).pack("N*") }
    same_bytes(numbers) { |n| [n].pack("x2Vx") }
    same_bytes([[1, 2], [], [3]]) { |list| list.pack("v*") }
    floats = [0.0, -0.0, 1.5, 1e-40, 1e-45, 7e-46, 1e39, 3.4028235677973366e38, 3.402823567797336e38, 16_777_217.0,
              Float::INFINITY, 0.1, 1.0000000596046448]
    same_bytes(floats) { |x| [x, 1].pack("eG") }
    same_bytes(floats) { |x| [x, x].pack("g*") }
  end

  it "write texts, bits, digits and characters" do
    words = ["", "a", "Zürich", "0110100111", "fF09zZ", "abc\0"]
    same_bytes(words) { |w| [w, w, w].pack("a3A5Z4") }
    same_bytes(words) { |w| [w, nil, w].pack("a*Z*Z*") }
    same_bytes(words) { |w| [w, w].pack("B*b12") }
    same_bytes(words) { |w| [w, w].pack("H*h9") }
    same_bytes([233, 65, 8364, 0x1F600]) { |n| [n, 66].pack("U*") }
    same_bytes([233, 65, 8364]) { |n| [n, 66].pack("UC") }
    same_bytes([233, 65, 8364]) { |n| [n, "é"].pack("Um0") }
    same_bytes(%w[C U c* U*]) { |format| [65, 233].pack(format) }
  end

  it "go through base64" do
    texts = ["", "a", "ab", "abc", "Zürich" * 20, "\xFF\x00\x10".b * 31]
    same_bytes(texts) { |t| [t].pack("m") }
    same_bytes(texts) { |t| [t].pack("m0") }
    same_bytes(texts) { |t| [t].pack("m9") }
    same_bytes(["", "YQ==", "YWI=", "YW Jj\nYQ", "YWJjZA==YQ", "Y", "=YQ=="]) { |t| t.unpack1("m") }
    ["", "YQ==", "YWJj", "YQ", "YR==", "YWI=x", "Y", "YWJ="].each { |t| expect_same([t]) { |x| x.unpack1("m0") } }
    [1, :a, nil].each { |value| expect_same([value]) { |x| [x].pack("m0") } }
  end

  it "read one number" do
    expect_all { |s| [s.unpack1("N"), s.unpack1("n"), s.unpack1("V"), s.unpack1("v"), s.unpack1("C"), s.unpack1("c")] }
    expect_all { |s| [s.unpack1("s<"), s.unpack1("S>"), s.unpack1("l>")] }
    expect_all { |s| [s.unpack1("L"), s.unpack1("q>"), s.unpack1("i!")] }
    expect_all { |s| [s.unpack1("x C"), s.unpack1("C0"), s.unpack1("N*"), s.unpack1("N2")] unless s.empty? }
  end

  it "read several" do
    expect_all { |s| s.unpack("C2 n") }
    expect_all { |s| s.unpack("nN2c # and this\n C") }
    expect_all { |s| [s.unpack("C*"), s.unpack("n*"), s.unpack("l>*"), s.unpack("c*").sum] }
    expect_all { |s| [s.unpack(""), s.unpack("a0"), s.unpack("C0")] }
  end

  it "read as many as there are behind others" do
    expect_all { |s| [s.unpack("nC*"), s.unpack("C*C*"), s.unpack("a2n3C"), s.unpack("n2a2N*"), s.unpack("x0C2s")] }
    expect_all { |s| [s.unpack("C100"), s.unpack("B3C*"), s.unpack("C70a"), s.unpack("nC*", offset: 0)] }
    expect_all { |s| s.unpack("d*C").inspect }
    expect_all { |s| [s.unpack1("nC*"), s.unpack1("NC"), s.unpack1("q>na1"), s.unpack1("C0n2A")] }
    expect_same(["Zürich", "", "a"]) { |s| [s.unpack("U2C*"), s.unpack("U"), s.unpack("CU*"), s.unpack1("U0U")] }
    expect_same(%w[Zürich äö a]) { |s| s.unpack("U3C*") }
  end

  it "go through compressed Integers" do
    same_bytes([[1, 300, 0], [2**40, 16_384], [127, 128]]) { |list| list.pack("w*") }
    same_bytes([1, 2**62, 0]) { |n| [n, 5, n].pack("wCw*") }
    expect_same([[1, 300, 0], [2**62, 16_384], []]) { |list| list.pack("w*").unpack("w*") }
    texts = ["\x81\x01\x80\x7F\x05", "", "\xFF", "a\xFF"]
    expect_same(texts) { |s| [s.unpack("w*"), s.unpack("w2"), s.unpack("wC*")] }
    expect_same(texts) { |s| [s.unpack1("w"), s.unpack1("wC"), s.unpack1("Nw")] }
    expect_same([-1]) { |n| [n].pack("w") }
    expect_same(["a"]) { |s| [s].pack("w") }
    expect_same([1]) { |n| [n].pack("ww") }
  end

  it "read Floats" do
    expect_all { |s| s.unpack("DG").inspect }
    expect_all { |s| [s.unpack("e*").inspect, s.unpack1("g").inspect, s.unpack("fF").inspect] }
    floats = [1.0, -2.5, 0.1, 1e-40, -1e-45, 3.4e38, Float::INFINITY, -0.0].map { |x| [x].pack("e") }
    expect_same(floats) { |s| [s.unpack1("e"), s.unpack1("e").to_s] }
  end

  it "read texts, bits and digits" do
    expect_all { |s| s.unpack1("a3") }
    expect_all { |s| s.unpack1("A*") }
    expect_all { |s| s.unpack1("Z*") }
    expect_all { |s| s.unpack("Z4a2A3") }
    expect_all { |s| s.unpack("Z*Z*a*") }
    expect_all { |s| s.unpack1("B*") }
    expect_all { |s| s.unpack("b3B12H*") }
    expect_all { |s| s.unpack("h3H5a") }
  end

  it "give Strings in Ruby's encodings" do
    %w[a A Z B b H h].each do |letter|
      block = eval("->(s) { s.unpack1('#{letter}*') }", binding, "unpack #{letter}", 1) if RubyVM.keep_script_lines = true # rubocop:disable all
      expect(["ab"].pmap(&block).map(&:encoding)).to eq(["ab"].map(&block).map(&:encoding))
    end
  ensure
    RubyVM.keep_script_lines = false
  end

  it "read characters" do
    expect_same(["Zürich", "", "a", "日本"]) { |s| [s.unpack("U*"), s.unpack1("U"), s.unpack1("U*")] }
  end

  it "begin at an offset" do
    expect_same(%w[abcdef abc]) { |s| [s.unpack1("n", offset: 1), s.unpack("C*", offset: s.size)] }
    expect_same(%w[abcdef abc]) { |s| s.unpack("a2", offset: 2) }
    expect_same(["ab"]) { |s| s.unpack1("C", offset: s.size + 1) }
    expect_same(["ab"]) { |s| s.unpack("C", offset: -1) }
    expect_same(["ab"]) { |s| s.unpack("C", offset: nil) }
  end

  # What the processor makes of inf - inf has its sign on a GPU too, if another one.
  unless backend.to_s.start_with?("cuda")
    it "show the sign of NaN" do
      expect_same([0.0, -0.0, Float::INFINITY, Float::NAN, -Float::NAN, 1.5]) do |x|
        [x / 0, x / 0.0, 0.0 / x, 0 / x, -(x / 0), (x / 0) * -1, x % 3.0, x + (x * -1), x * 0, x.fdiv(0), x.quo(-0.0),
         [x / 0, x].sum].map { |nan| [nan].pack("G") }
      end
      expect_same([0, 3]) { |x| [[x.fdiv(0)].pack("G"), [0.0 / x].pack("g"), [Math.log(x + 1, 1)].pack("E")] }
    end
  end

  it "go back, and to a place" do
    expect_same(["abc", "é", ""]) { |s| [[s].pack("a@4"), [s, 7].pack("a@4C"), [s].pack("a3@1"), [s, s].pack("a4X2a")] }
    expect_same([233, 7]) { |x| [[x].pack("U@4"), [x].pack("UX"), [x].pack("N@0").encoding] }
    expect_same(%w[abcdef ghijkl]) { |s| [s.unpack("a@4a"), s.unpack("x2a2X1a"), s.unpack("@1a", offset: 2)] }
    expect_same(%w[abcdef ghijkl]) { |s| [s.unpack1("@3a"), s.unpack1("a2X1a"), s.unpack("@6C"), s.unpack("C*X2C")] }
    expect_same(%w[ab abc]) { |s| [s].pack("a2X3") }
    expect_same(%w[ab abc]) { |s| s.unpack("X") }
    expect_same(%w[ab abc]) { |s| s.unpack("@3a") }
    expect { ["ab"].pmap { |s| s.unpack("@a") } }.to raise_error(Ikra::UnsupportedError, /by "@a"/)
  end

  it "raise what Ruby raises" do
    expect_same([1]) { |n| [n].pack("CC") }
    expect_same([[1]]) { |list| list.pack("CC") }
    expect_same([nil]) { |x| [x].pack("C") }
    expect_same(["1"]) { |x| [x].pack("N") }
    expect_same([nil]) { |x| [x].pack("e") }
    expect_same([1]) { |x| [x].pack("a") }
    expect_same([1]) { |x| [x].pack(x) }
    expect_same([-1]) { |x| [x].pack("U") }
    expect_same(["ab"]) { |s| s.unpack("x3C") }
    expect_same(["ab"]) { |s| s.unpack(s.size) }
    expect_same(["ab"]) { |s| s.unpack1 }
    expect { ["ab"].pmap { |s| s.unpack1(s) } }.to raise_error(Ikra::UnsupportedError, /a format that is put together/)
    expect { ["ab"].pmap { |s| s.unpack1("u") } }.to raise_error(Ikra::UnsupportedError, /by "u" cannot run/)
    expect_same(["\xFF" * 8]) { |s| s.unpack1("Q") }
  end
end

# frozen_string_literal: true

# rubocop:disable Layout/LineLength
Parity.table "String", on: :texts do
  unary "+@", "scrub", "scrub!", "bytesize", "size", "length", "empty?", "ascii_only?", "valid_encoding?", "sum", "to_s", "to_str", "inspect"
  unary "b", "chr", "reverse", "strip", "lstrip", "rstrip", "chop", "squeeze", "hex", "oct", "freeze"
  unary "-@", code: "-(x.dup)"
  unary "dedup", code: "x.dup.dedup"
  unary "to_f", on: :numerals
  unary "to_r", code: ["x.to_r", "Rational(x)", "Rational(x, 3)"], on: :numerals
  unary "encoding", code: ["x.encoding == Encoding::UTF_8", "x.encoding.equal?((x + \"é\").encoding)"], on: :ascii
  unary "force_encoding", code: ["x.dup.force_encoding(Encoding::BINARY)", "x.dup.force_encoding(\"us-ascii\").inspect"]
  unary "bytes", code: "x.bytes.sum"
  unary "chars", code: "x.chars.size"
  unary "codepoints", code: "x.codepoints.sum"
  unary "each_char", code: ["n = 0; x.each_char { |c| n += c.bytesize * 3 }; n", "x.each_char.with_index.sum { |c, i| c.size * i }"]
  unary "each_byte", code: ["n = 0; x.each_byte { |b| n ^= b }; n", "x.each_byte.to_a.sum"]
  unary "each_codepoint", code: "n = 0; x.each_codepoint { |c| n += c }; n"
  unary "each_line", code: ["n = 0; x.each_line { |l| n = n * 3 + l.size }; n", "x.each_line.sum(&:size)"]
  unary "lines", code: ["x.lines.size", "x.lines(chomp: true)[0]", "x.lines(\"l\")[-1]", "x.lines(nil).size"]
  unary "ord", code: "x.ord"
  unary "to_i", code: ["x.to_i", "x.to_i(2)", "x.to_i(0)", "x.to_i(16)"]
  unary "chomp", code: ["x.chomp", "x.chomp(\"\")", "x.chomp(nil)", "x.chomp(\"\\n\")"]
  unary "split", code: ["x.split.size", "x.split(\"\").size", "x.split(\" \", 2)[1]", "n = 0; x.split(\"l\") { |y| n += y.size }; n"]
  unary "upcase", "downcase", "swapcase", "capitalize"
  unary "dump"
  unary "encode", code: ["x.encode", "x.encode(\"UTF-8\").encoding.name", "x.encode(Encoding::US_ASCII)"], on: :ascii
  unary "upcase", "downcase", "swapcase", "capitalize", "inspect", on: :cased
  unary "downcase", code: ["x.downcase(:fold)", "x.downcase(:ascii)"], on: :cased
  unary "succ", "next", "to_sym", "intern", on: :ascii
  unary "hash", code: "{ x => 1 }[x]"
  binary "==", "===", "<=>", "eql?", "casecmp", by: %i[texts mixed]
  binary "casecmp?", by: %i[texts mixed]
  binary "casecmp?", by: :cased, on: :cased
  binary "+", by: %i[texts mixed]
  binary "include?", "start_with?", "end_with?", "delete_prefix", "delete_suffix", by: %i[texts mixed]
  binary "index", "rindex", by: :texts, code: ["x.index(y)", "x.rindex(y)"]
  binary "index", by: :places, code: ["x.index(\"l\", y)", "x.index(\"\", y)"]
  binary "rindex", by: :places, code: ["x.rindex(\"l\", y)", "x.rindex(\"\", y)"]
  binary "byteindex", by: :texts
  binary "byteindex", by: :places, code: "x.byteindex(\"l\", y)"
  binary "partition", by: :texts, code: ["x.partition(y)[0]", "x.partition(y)[2]"]
  binary "rpartition", by: :texts, code: ["x.rpartition(y)[0]", "x.rpartition(y)[2]"]
  binary "split", by: :texts, code: ["x.split(y).size", "x.split(y, -1)[-1]"]
  binary "chomp", by: :texts
  binary "*", by: :few
  binary "[]", "slice", "byteslice", by: %i[places mixed], code: ["x[y]", "x.slice(y)", "x.byteslice(y)"]
  binary "[]", "slice", by: :places, code: ["x[y, 2]", "x[1, y]", "x[y..]", "x[0...y]", "x[y..3]"]
  binary "byteslice", by: :places, code: ["x.byteslice(y, 2)", "x.byteslice(1, y)", "x.byteslice(y..)"]
  binary "getbyte", by: %i[places mixed]
  unary "unpack", code: ["x.unpack(\"Cn2\").inspect", "x.unpack(\"c*\").size", "x.unpack(\"a2B9H*\").inspect"]
  unary "unpack1", code: ["x.unpack1(\"N\").inspect", "x.unpack1(\"m\").inspect", "x.unpack1(\"Z*\").inspect"]
  binary "ljust", "rjust", "center", by: :places
  binary "ljust", by: :texts, code: "x.ljust(9, y)"
  binary "rjust", by: :texts, code: "x.rjust(9, y)"
  binary "center", by: :texts, code: "x.center(9, y)"
  binary "count", "delete", by: :sets
  binary "squeeze", by: :sets, code: "x.squeeze(y)"
  binary "tr", by: :sets, code: ["x.tr(y, \"x-z\")", "x.tr(\"a-l\", y)"]
  binary "tr_s", by: :sets, code: "x.tr_s(y, \"*\")", on: :ascii
  unary "=~", code: ["x =~ /l+/", "x =~ /[^\\x00-\\x7f]/", "x !~ /o/"]
  unary "!~", code: "x !~ /l/"
  unary "match?", code: "x.match?(/\\s|e/)"
  unary "match", code: ["m = x.match(/(l+)(.)?/); m && [m[0], m[1], m[2], m.begin(0), m.post_match].inspect"]
  unary "scan", code: ["x.scan(/l/).size", "x.scan(/(.)(l)/).inspect", "x.scan(\"l\").size"]
  unary "split", code: ["x.split(/l|o/).inspect", "x.split(/(l)/, -1).inspect", "x.split(/b*/).size"]
  unary "sub", "gsub", code: ["x.gsub(/[aeiou]/, \"<\\\\0>\")", "x.sub(/l*/) { |y| y.size.to_s }"]
  binary "sub", "gsub", by: :patterns, code: ["x.sub(y, \"<\\\\0>\")", "x.gsub(y, \"<\\\\0>\")", "x.gsub(y) { |z| z + \"!\" }"]
  unary "upto", code: "n = 0; x.upto(\"zz\") { |y| n += y.size }; n", on: :short
  unary "%", code: ["x % []", "\"%5s|%-5s|%.1s\" % [x, x, x]", "\"%p\" % x"], on: :ascii
end

# Those that change a String: what they give, and what it is then.
Parity.table "String", on: :texts do
  %w[chomp! chop! lstrip! rstrip! strip! reverse! squeeze! clear].each do |name|
    unary name, code: ["s = x.dup; s.#{name}; s", "x.dup.#{name}.nil?"]
  end
  %w[succ! next!].each do |name|
    unary name, code: ["s = x.dup; s.#{name}; s", "x.dup.#{name}.nil?"], on: :ascii
  end
  %w[capitalize! downcase! swapcase! upcase!].each do |name|
    unary name, code: ["s = x.dup; s.#{name}; s", "x.dup.#{name}.nil?"]
    unary name, code: ["s = x.dup; s.#{name}; s", "x.dup.#{name}.nil?"], on: :cased
  end
  { "<<" => "s << y", "concat" => "s.concat(y, y)", "prepend" => "s.prepend(y)", "replace" => "s.replace(y)",
    "append_as_bytes" => "s.append_as_bytes(y)", "delete_prefix!" => "s.delete_prefix!(y)",
    "delete_suffix!" => "s.delete_suffix!(y)" }.each do |name, code|
    binary name, by: :texts, code: "s = x.dup; #{code}; s"
  end
  binary "sub!", by: :patterns, code: "s = x.dup; s.sub!(y, \"-\"); s"
  binary "gsub!", by: :patterns, code: "s = x.dup; s.gsub!(y, \"-\"); s"
  { "delete!" => "s.delete!(y)", "tr!" => "s.tr!(y, \"x-z\")" }.each do |name, code|
    binary name, by: :sets, code: ["s = x.dup; #{code}; s", "s = x.dup; (#{code}).nil?"]
  end
  binary "tr_s!", by: :sets, code: "s = x.dup; s.tr_s!(y, \"*\"); s", on: :ascii
  { "[]=" => "s[y] = \"<>\"", "insert" => "s.insert(y, \"<>\")", "slice!" => "s.slice!(y)",
    "setbyte" => "s.setbyte(y, 65)" }.each do |name, code|
    binary name, by: :places, code: "s = x.dup; #{code}; s"
  end
  binary "<<", by: :codes, code: "s = x.dup; s << y; s"
end

Parity.table "Symbol", on: :symbols do
  unary "to_s", "name", "id2name", "inspect", "size", "length", "empty?"
  unary "[]", "slice", code: ["x[0]", "x.slice(0, 2)", "x[-1]", "x[9]"]
  unary "start_with?", code: "x.start_with?(\"a\", \"@\")"
  unary "end_with?", code: "x.end_with?(\"b\", \"=\")"
  unary "=~", code: ["x =~ /b/", "x !~ /b/"]
  unary "match?", code: ["x.match?(/b|=/)", "x.match?(\"b\")"]
  unary "match", code: ["x.match(/b|=/)&.begin(0)", "x.match(\"a\")&.to_s"]
  unary "upcase", "downcase", "swapcase", "capitalize", code: ["x.upcase", "x.downcase.to_s + x.swapcase.name", "x.capitalize(:ascii)"]
  unary "succ", "next", code: ["x.succ", "x.next.size"], on: :plain_symbols
  unary "encoding", code: ["x.encoding == Encoding::UTF_8", "x.encoding.name"]
  unary "intern"
  binary "casecmp", by: :symbols
  binary "casecmp?", by: :symbols
  binary "casecmp", by: :mixed
end

Parity.table("NilClass", on: :nils) { unary "to_s", "inspect" }
%w[TrueClass FalseClass].each { |owner| Parity.table(owner, on: :bools) { unary "to_s", "inspect" } }

Parity.table "Integer", on: :integers do
  unary "to_s", code: ["x.to_s", "x.to_s(2)", "x.to_s(36)"]
  unary "inspect"
  unary "chr", code: ["x.chr", "(x & 255).chr"]
  unary "format", code: ["\"%d|%+5d|%-5d|%05d|% .3d\" % [x, x, x, x, x]", "\"%x %#X %o %b %+x\" % [x, x, x, x, x]", "\"%.2f\" % x"]
end

Parity.table "Float", on: :floats do
  unary "to_s", "inspect"
  unary "format", code: ["\"%f|%.2f|%+.0f|%012.3f\" % [x, x, x, x]", "\"%e|%.3E|%g|%.3g|%#g\" % [x, x, x, x, x]", "\"%.15g\" % x"]
end
# rubocop:enable Layout/LineLength

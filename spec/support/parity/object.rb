# frozen_string_literal: true

Parity.table "NilClass", on: :nils do
  unary "nil?", "to_i", "to_f", "to_r", "to_c", "rationalize", "!"
  unary "to_a", code: "x.to_a.size"
  unary "to_h", code: "x.to_h.size"
  binary "&", "|", "^", "==", "===", "!=", "=~", by: :mixed
end

%w[TrueClass FalseClass].each do |owner|
  Parity.table owner, on: :bools do
    binary "&", "|", "^", "==", "===", "!=", by: :mixed
    unary "!"
  end
end

Parity.table "Comparable", on: :weights do
  binary "<", "<=", ">", ">=", "==", by: %i[weights mixed]
  binary "between?", by: :weights, code: "x.between?(y, y)"
  binary "clamp", by: :weights, code: "x.clamp(y, y)"
end

Parity.table "Kernel", on: :weights do
  unary "instance_variable_get", code: ["x.instance_variable_get(:@grams)", "x.instance_variable_get(:@none)"]
  unary "instance_variable_defined?", code: ["x.instance_variable_defined?(:@grams)",
                                             "x.instance_variable_defined?(:@none)"]
  unary "instance_variable_set", code: ["x.dup.instance_variable_set(:@b, 2)",
                                        "x.dup.tap { |w| w.instance_variable_set(:@grams, 3) }.grams"]
  unary "frozen?", "itself", "inspect", "to_s"
  unary "dup", code: ["x.dup.equal?(x)", "x.dup == x", "x.dup.frozen?", "x.dup.instance_variable_get(:@grams)"]
  unary "clone", code: ["x.clone.equal?(x)", "x.clone == x", "x.clone.frozen?", "x.clone(freeze: true).frozen?"]
  unary "class", code: "x.class == Parity::Weight"
  binary "equal?", "eql?", "!=", by: :weights
end

Parity.table "Comparable", on: :symbols do
  binary "<", "<=", ">", ">=", "==", by: %i[symbols mixed]
  binary "between?", by: :symbols, code: ["x.between?(y, :b)", "x.between?(:aa, y)"]
  binary "clamp", by: :symbols, code: ["x.clamp(y, :zz)", "x.clamp(:\"\", y)"]
end

Parity.table "Symbol", on: :symbols do
  binary "==", "===", "!=", by: :mixed
  unary "to_sym"
  unary "<=>", code: ["x <=> x", "x <=> 1", "x <=> nil"]
  binary "<=>", by: %i[symbols mixed]
  unary "to_proc", code: "[1, 2].sum(&:succ) == 5 ? x : nil"
end

Parity.table "Kernel", on: :mixed do
  unary "nil?", "!", "itself", "frozen?", "freeze", "dup", "clone"
  unary "to_enum", code: "x.to_enum(:then).count { |y| y.nil? }", on: :integers
  unary "enum_for", code: "x.enum_for(:then).count { |y| y.nil? }", on: :integers
  %i[integers floats nils symbols].each { |set| unary "class", code: "x.class == Integer", on: set }
  binary "==", "!=", "equal?", "eql?", "===", "<=>", by: :mixed
  unary "is_a?", code: ["x.is_a?(Integer)", "x.is_a?(Comparable)", "x.is_a?(NilClass)"]
  unary "kind_of?", code: ["x.kind_of?(Numeric)", "x.kind_of?(Object)"]
  unary "instance_of?", code: ["x.instance_of?(Numeric)", "x.instance_of?(Float)"]
  unary "respond_to?",
        code: ["x.respond_to?(:succ)", "x.respond_to?(:nope)", "x.respond_to?(:puts)", "x.respond_to?(:nil?)"]
  unary "send", code: ["x.send(:nil?)", "x.send(:then) { |v| v.nil? ? 1 : v }", "x.send(:nope)"]
  unary "public_send", code: ["x.public_send(:itself)", "x.public_send(:is_a?, Integer)", "x.public_send(:rand)"]
  unary "method", code: ["x.method(:nil?).call", "x.method(:is_a?).(Integer)"], on: :integers
  unary "tap", code: "n = 0; x.tap { |v| n = v }; n"
  unary "then", code: "x.then { |v| v.nil? ? 1 : v }"
  unary "yield_self", code: "x.yield_self { |v| v.nil? ? 1 : v }"
  unary "Integer", code: "Integer(x)"
  unary "Integer", code: "Integer(x)", on: :floats
  unary "Float", code: "Float(x)"
  unary "Float", code: "Float(x)", on: :integers
  unary "loop", code: "n = 0; loop { n += 1; break if n > 3 }; n"
  unary "raise", code: ["raise ArgumentError, \"no\"", "x.nil? ? raise(\"nil\") : x"]
end

Parity.table("Kernel", on: :symbols) { unary "!~", code: "x !~ /b/" }
Parity.table("Kernel", on: :integers) { unary "=~", code: ["x =~ /b/", "x =~ nil"] }

# frozen_string_literal: true

Parity.table "Integer", on: :integers do
  binary "+", "-", "*", "/", "%", "modulo", "div", "remainder", "fdiv", by: %i[integers floats others]
  binary "ceildiv", by: %i[integers fractions others]
  binary "pow", by: :moduli, code: ["(x % 2).pow(0, y)", "(x % 2).pow(5, y)", "0.pow(x < 0 ? 5 : x, y)"]
  binary "divmod", by: %i[integers floats others], code: ["x.divmod(y)[0]", "x.divmod(y)[1]"]
  binary "<", "<=", ">", ">=", "==", "===", "<=>", by: %i[integers floats others]
  binary "**", "pow", by: %i[exponents fractions others]
  binary "pow", by: :moduli, code: ["x.pow(0, y)", "x.pow(13, y)", "3.pow(x % 1_000_003, y)", "x.pow(2**40, y)"]
  binary "pow", by: %i[exponents others], code: ["x.pow(y, 7)", "7.pow(3, y)"]
  binary "&", "|", "^", by: %i[integers floats others]
  binary "<<", ">>", by: %i[shifts fractions others]
  binary "[]", by: %i[shifts others], code: ["x[y]", "x[y, 5]", "x[2, y]"]
  binary "allbits?", "anybits?", "nobits?", by: %i[integers others]
  binary "gcd", "lcm", by: %i[integers fractions others]
  binary "gcdlcm", by: :integers, code: ["x.gcdlcm(y)[0]", "x.gcdlcm(y)[1]"]
  binary "coerce", by: %i[integers floats others], code: ["x.coerce(y)[0]", "x.coerce(y)[1]"]
  binary "floor", "ceil", "round", "truncate", by: %i[small fractions others]
  unary "floor", "ceil", "round", "truncate"
  unary "round", code: ["x.round(-1)", "x.round(-2, half: :even)", "x.round(-2, half: :down)", "x.round(-2, half: :up)",
                        "x.round(half: nil)", "x.round(1, half: :even)", "x.round(half: :foo)"]
  binary "round", by: :small, code: ["x.round(y, half: :even)", "x.round(y, half: :down)"]
  unary "-@", "~", "abs", "magnitude", "even?", "odd?", "zero?", "succ", "next", "pred", "integer?",
        "to_i", "to_int", "to_f", "ord", "bit_length", "size", "numerator", "denominator"
  unary "digits", code: ["x.digits.size", "x.digits[2]", "x.digits.sum"]
  binary "digits", by: %i[small others], code: ["x.digits(y).size", "x.digits(y)[3]"]
  unary "even?", code: "x.even?(1)"
  unary "times", code: ["n = 0; (x % 7).times { |i| n += i }; n", "x.times { break } && 1"]
  binary "upto", by: :small, code: "n = 0; (x % 5).upto(y) { |i| n = (n * 10) + i }; n"
  binary "upto", by: :others, code: "x.upto(y) { break }"
  unary "upto", code: "n = 0; (x % 5).upto(5.5) { |i| n += i }; -3.upto(-1.5) { |i| n += i }; n"
  binary "downto", by: :small, code: "n = 0; (x % 5).downto(y) { |i| n = (n * 3) + i }; n"
  binary "downto", by: :others, code: "x.downto(y) { break }"
  unary "downto", code: "n = 0; (x % 5).downto(-2.5) { |i| n += i }; n"
end

Parity.table "Integer.", on: :integers do
  unary "sqrt", code: ["Integer.sqrt(x)", "Integer.sqrt(x * 0.5)"]
  binary "sqrt", by: :others, code: "Integer.sqrt(y)"
end

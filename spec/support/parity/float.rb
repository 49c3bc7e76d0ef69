# frozen_string_literal: true

Parity.table "Float", on: :floats do
  binary "+", "-", "*", "/", "quo", "fdiv", "%", "modulo", by: %i[integers floats others]
  binary "divmod", by: %i[integers floats others], code: ["x.divmod(y)[0]", "x.divmod(y)[1]"]
  binary "<", "<=", ">", ">=", "==", "===", "<=>", "eql?", by: %i[integers floats others]
  binary "**", by: %i[exponents fractions floats others], tolerance: 2
  binary "coerce", by: %i[integers floats others], code: ["x.coerce(y)[0]", "x.coerce(y)[1]"]
  binary "floor", "ceil", "round", "truncate", by: %i[small fractions others]
  binary "floor", "ceil", "round", "truncate", by: :digits
  binary "round", by: :digits, code: ["x.round(y, half: :even)", "x.round(y, half: :down)", "(x / 7e3).round(y)"]
  unary "floor", "ceil", "round", "truncate"
  unary "floor", code: ["x.floor(20)", "x.floor(22)"]
  unary "ceil", code: ["x.ceil(20)", "x.ceil(22)"]
  unary "round", code: ["x.round(2)", "x.round(1, half: :even)", "x.round(half: :even)", "x.round(half: :down)",
                        "x.round(half: :up)", "x.round(half: nil)", "x.round(half: :foo)"]
  binary "round", by: :small, code: ["x.round(y, half: :even)", "x.round(y, half: :down)"]
  unary "-@", "abs", "magnitude", "zero?", "positive?", "negative?", "nan?", "finite?", "infinite?", "to_i", "to_int",
        "to_f", "next_float", "prev_float", "arg", "angle", "phase"
  unary "nan?", code: "x.nan?(1)"
  unary "next_float", code: "x.next_float.prev_float.prev_float"
end

Parity.table "Float constants", on: :integers do
  unary "constants", code: %w[EPSILON INFINITY NAN MAX MIN DIG MANT_DIG RADIX MAX_EXP MIN_EXP MAX_10_EXP MIN_10_EXP]
    .map { |name| "x.odd? ? Float::#{name} : nil" }
end

# frozen_string_literal: true

Parity.table "Rational", on: :rationals do
  unary "numerator", "denominator", "-@", "abs", "magnitude", "positive?", "negative?", "to_i", "to_f", "to_r", "to_s",
        "inspect", "floor", "ceil", "round", "truncate", "rationalize"
  binary "+", "-", "*", "/", "quo", "fdiv", "==", "<=>", by: :rational_arguments
  binary "+", by: :rational_arguments, code: ["y + x", "y - x", "y * x", "y / x", "y.fdiv(x)", "y == x", "y <=> x"]
  binary "**", by: :rational_arguments, on: :ratios, tolerance: 2
  binary "coerce", by: :real_arguments, code: ["x.coerce(y)[0]", "x.coerce(y)[1]"]
  unary "coerce", code: ["x.coerce(2i)[0]", "x.coerce(2i)[1]", "x.coerce(3 + 0i)[0]"]
  binary "floor", "ceil", "round", "truncate", by: :small
  binary "round", by: :small,
                  code: ["x.round(y, half: :up)", "x.round(y, half: :even)", "x.round(y, half: :down)",
                         "x.round(half: :even)"]
  binary "rationalize", by: :fractions, code: ["x.rationalize(1/100r)", "x.rationalize(y)"]
end

Parity.table "Numeric", on: :rationals do
  unary "+@", "integer?", "real?", "zero?", "nonzero?", "positive?", "negative?", "finite?", "infinite?", "abs2",
        "real", "imaginary", "imag", "conj", "conjugate", "to_int", "dup", "clone", "arg", "angle", "phase"
  unary "polar", code: ["x.polar[0]", "x.polar[1]"]
  unary "rect", code: ["x.rect[0]", "x.rect[1]"]
  binary "%", "modulo", "div", "remainder", by: :rational_arguments
  binary "divmod", by: :rational_arguments, code: ["x.divmod(y)[0]", "x.divmod(y)[1]"]
  binary "eql?", by: :rational_arguments
end

Parity.table "Comparable", on: :rationals do
  binary "<", "<=", ">", ">=", "==", by: :real_arguments
  binary "between?", "clamp", by: :real_arguments, code: ["x.between?(y, 10)", "x.clamp(y, 10)"]
end

Parity.table "Integer", on: :integers do
  binary "quo", by: :rational_arguments
  unary "to_r", "rationalize", "numerator", "denominator"
  unary "**", code: ["x**-1", "x**-3"]
  binary "<", by: :rational_arguments, code: ["x < y", "y >= x", "x - y", "x * y", "x / y", "x + y"]
end

Parity.table "Float", on: :reals do
  unary "to_r", "rationalize", "numerator", "denominator"
  binary "rationalize", by: :fractions
  binary "<", by: :rational_arguments,
              code: ["x < y", "y >= x", "x - y", "x * y", "x / y", "x + y", "x <=> y", "x == y"]
end

Parity.table "Kernel functions", on: :integers do
  binary "Rational", by: :rational_arguments, code: ["Rational(x)", "Rational(x, y)", "Rational(y, x)", "Rational(y)"]
end

Parity.table "Kernel functions", on: :floats do
  unary "Rational", code: ["Rational(x)", "Rational(x, 3)"]
end

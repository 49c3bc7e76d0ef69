# frozen_string_literal: true

%i[integers floats].each do |numbers|
  Parity.table "Numeric", on: numbers do
    unary "+@", "integer?", "real?", "zero?", "nonzero?", "positive?", "negative?", "finite?", "infinite?", "abs",
          "magnitude", "abs2", "real", "imaginary", "imag", "conj", "conjugate", "to_int", "dup", "clone", "floor",
          "ceil", "round", "truncate", "arg", "angle", "phase", "-@"
    unary "rect", code: ["x.rect[0]", "x.rect[1]"]
    unary "rectangular", code: ["x.rectangular[0]", "x.rectangular[1]"]
    unary "polar", code: ["x.polar[0]", "x.polar[1]"]
    binary "eql?", by: %i[integers floats others]
    # Of large equal numbers a section does not know whether they are one object.
    binary "equal?", by: %i[integers floats others], code: ["x == y || x != x ? nil : x.equal?(y)"]
    binary "%", "modulo", "fdiv", by: :small
    binary "divmod", by: :small, code: ["x.divmod(y)[0]", "x.divmod(y)[1]"]
    binary "div", "remainder", by: %i[integers floats others]
    binary "<=>", by: :mixed
    binary "quo", by: :floats
    binary "coerce", by: :floats, code: "x.coerce(y)[1]"
    binary "step", by: :small, code: [
      "n = 0; (x % 5).step(y) { |i| n = (n * 7) + i }; n",
      "n = 0; (x % 5).step(y, -2) { |i| n = (n * 7) + i }; n",
      "n = 0; (x % 5).step(by: 3, to: y) { |i| n = (n * 7) + i }; n",
      "n = 0; (x % 5).step(10, y) { |i| n = (n * 7) + i; break if n > 100 }; n",
      "n = 0.0; (x % 5).step(y, 0.3) { |i| n = (n * 0.7) + i }; n"
    ]
    unary "step", code: ["n = 0; (x % 5).step { |i| n += i; break if n > 20 }; n",
                         "n = 0.0; 1.0.step(2.0, 0.1) { |i| n += i * (x % 5) }; n",
                         "n = 0.0; 1.0.step(-2.0, -0.7) { |i| n += i * (x % 5) }; n"]
  end

  Parity.table "Comparable", on: numbers do
    binary "between?", "clamp", by: %i[integers floats others],
                                code: ["x.between?(y, 10)", "x.between?(-1.5, y)", "x.clamp(y, 10)", "x.clamp(-1.5, y)"]
    binary "clamp", by: :small, code: %w[x.clamp(y..3) x.clamp(y..) x.clamp(..y) x.clamp(0.5..y) x.clamp(y)]
    binary "clamp", by: :small, code: "x.clamp(y...30)"
    binary "<", "<=", ">", ">=", "==", by: :mixed
  end
end

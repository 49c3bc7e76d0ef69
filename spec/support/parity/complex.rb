# frozen_string_literal: true

Parity.table "Complex", on: :complexes do
  unary "abs", "magnitude", "arg", "angle", "phase", tolerance: 2
  unary "real", "imaginary", "imag", "abs2", "conjugate", "conj", "-@", "real?", "finite?",
        "infinite?", "to_s", "inspect", "to_c", "to_i", "to_f", "to_r", "denominator", "numerator"
  unary "rect", code: ["x.rect[0]", "x.rect[1]"]
  unary "rectangular", code: ["x.rectangular[0]", "x.rectangular[1]"]
  unary "polar", code: ["x.polar[0]", "x.polar[1]"], tolerance: 2
  binary "+", "-", "*", "/", "quo", "fdiv", "==", "<=>", "eql?", by: :complex_arguments
  binary "**", by: :complex_arguments, tolerance: 16
  binary "+", by: :complex_arguments, code: ["y + x", "y - x", "y * x", "y / x", "y.fdiv(x)", "y == x", "y <=> x"]
  binary "coerce", by: :complex_arguments, code: ["x.coerce(y)[0]", "x.coerce(y)[1]"]
  binary "rationalize", by: :real_arguments, code: "Complex(x.real.to_i, 0).rationalize(y)"
end

Parity.table "Complex", on: :integers do
  unary "**", code: ["Complex(1, 1)**(x % 40)", "Complex(2, 0.5)**(x % 9 - 4)", "Complex(0, 2)**(x % 20)"]
end

Parity.table "Complex.", on: :complexes do
  binary "rect", "rectangular", by: :real_arguments, code: ["Complex.rect(x, y)", "Complex.rect(x)", "Complex.rect(y)"]
  binary "polar", by: :real_arguments, tolerance: 2,
                  code: ["Complex.polar(x.real, y)", "Complex.polar(y, x.real)", "Complex.polar(x.real)",
                         "Complex.polar(y)"]
end

Parity.table "Kernel functions", on: :complexes do
  unary "Complex", code: ["Complex(x)", "Complex(x, 2)", "Complex(0.5, x)", "Complex(x, nil)"]
  unary "Rational", code: ["Rational(x)", "Rational(x, 3)"]
end

%i[integers fractions].each do |numbers|
  Parity.table "Kernel functions", on: numbers do
    binary "Complex", by: :complex_arguments, code: ["Complex(x)", "Complex(x, y)", "Complex(y, x)", "Complex(y)"]
  end
end

%i[integers floats rationals].each do |numbers|
  Parity.table "Numeric", on: numbers do
    unary "to_c", "i", "numerator", "denominator"
    unary "real", code: ["x + 2i", "x - 2.5i", "x * 1i", "x * Complex(0.5, 2)", "2i + x", "x == Complex(x, 0)"]
  end
end

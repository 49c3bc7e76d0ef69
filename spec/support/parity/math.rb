# frozen_string_literal: true

Parity.table "Math.", on: :reals do
  # On a GPU: what NVIDIA's library is off by, and glibc itself (docs/benchmarks.md).
  gpu = Hash.new(2).merge("tanh" => 3, "erfc" => 6, "gamma" => 10)
  %w[sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp expm1 log log1p log2 log10 cbrt erf erfc
     gamma].each do |name|
    unary name, code: "Math.#{name}(x)", tolerance: gpu[name]
    unary name, code: "Math.#{name}(x)", on: :unit, tolerance: gpu[name]
    unary name, code: "Math.#{name}(x)", on: :exponents, tolerance: gpu[name]
    binary name, code: "Math.#{name}(y)", by: :others
  end
  unary "sqrt", code: "Math.sqrt(x)"
  unary "sqrt", code: "Math.sqrt(x)", on: :integers
  binary "sqrt", code: "Math.sqrt(y)", by: :others
  unary "lgamma", code: ["Math.lgamma(x)[0]", "Math.lgamma(x)[1]"], tolerance: 20
  unary "frexp", code: ["Math.frexp(x)[0]", "Math.frexp(x)[1]"]
  unary "frexp", code: ["Math.frexp(x)[0]", "Math.frexp(x)[1]"], on: :floats
  unary "frexp", code: ["Math.frexp(x)[0]", "Math.frexp(x)[1]"], on: :integers
  unary "ldexp", on: :floats, code: ["Math.ldexp(x, 3)", "Math.ldexp(x, -1060)", "Math.ldexp(x, -2200)",
                                     "Math.ldexp(x, 2000)", "Math.ldexp(x, -1074)", "Math.ldexp(x, 1.9)"]
  binary "ldexp", by: :others, code: ["Math.ldexp(x, y)", "Math.ldexp(y, 1)"]
  binary "log", by: %i[unit reals exponents others], code: "Math.log(x, y)", tolerance: 2
  binary "atan2", by: %i[reals exponents others], code: "Math.atan2(x, y)", tolerance: 2
  binary "hypot", by: %i[reals exponents others], code: "Math.hypot(x, y)", tolerance: 2
  unary "constants", code: ["x * Math::PI", "x * Math::E"]
end

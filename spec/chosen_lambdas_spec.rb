# frozen_string_literal: true

# One of several lambdas, which is known when the section runs.
module ChosenLambdas
  PLUS = ->(x) { x + 1 }
  TWICE = ->(x) { x * 2 }

  # Holds a lambda.
  class Operation
    def initialize(made) = @made = made
    def run(value) = @made.call(value)
  end

  module_function

  def each_of(value) = [->(x) { x + 1 }, ->(x) { x * 3 }].each { |f| yield f.call(value) }
  def fold(all, value) = all.empty? ? value : fold(all.drop(1), all[0].call(value))
end

each_backend do
  numbers = [0, 1, 2, 3, 5]
  made = ChosenLambdas

  it "is called" do
    expect_same(numbers) do |n|
      f = n > 2 ? ->(x) { x + 1 } : ->(x) { x * n }
      f.call(5) + f.call(2) + f[3]
    end
    expect_same(numbers) { |n| [->(x) { x + 1 }, ->(x) { x * n }, ->(x) { x.fdiv(3) }][n % 3].call(5) }
    expect_same(numbers) { |n| [->(x) { x + 1 }, ->(x) { x * n }].map { |f| f.call(3) } }
    expect_same(numbers) { |n| [->(x) { x + 1 }, ->(x) { x * n }].inject(1) { |a, f| f.call(a) } }
    expect_same(numbers) do |n|
      all = []
      all << ->(x) { x + 1 }
      all << ->(x) { x * 5 }
      all.sum { |f| f.call(n) }
    end
    expect_same(numbers) do |n|
      all = [made::PLUS, made::TWICE]
      all[n % 2].call(n) + (n > 2 ? made::PLUS : ->(x) { x - n }).call(n)
    end
    expect_same(numbers) do |n|
      f = ->(x) { x }
      3.times { |i| f = ->(x) { x + 2 } if i == n }
      f.call(n)
    end
  end

  it "is handed on" do
    expect_same(numbers) do |n|
      sum = 0
      made.each_of(n) { |x| sum += x }
      sum
    end
    expect_same(numbers) { |n| made.fold([made::PLUS, made::TWICE], n) }
    expect_same(numbers) { |n| [1, 2].map(&(n > 2 ? ->(x) { x + 1 } : ->(x) { x * n })) }
    expect_same(numbers) { |n| [made::PLUS, made::TWICE].sum { |f| made::Operation.new(f).run(n) } }
    expect_same(numbers) do |n|
      (n > 2 ? made::Operation.new(->(x) { x - n }) : made::Operation.new(made::PLUS)).run(n)
    end
  end

  it "is told from other values" do
    expect_same(numbers) do |n|
      f = n > 2 ? ->(x) { x + 1 } : n
      f.is_a?(Proc) ? f.call(1) : f
    end
    expect_same(numbers) do |n|
      f = n.odd? ? made::PLUS : nil
      f ? f.call(n) : -1
    end
    expect_same(numbers) { |n| (n > 2 ? ->(x) { x + 1 } : ->(x, y) { x * y }).call(4) }
  end
end

each_compiling_backend do
  it "is refused where several take values along" do
    expect do
      [3].pmap { |n| (1..n).map { |k| (k > 2 ? ->(x) { x + k } : ->(x) { x * k }).call(n) } }
    end.to raise_error(Ikra::UnsupportedError, /\[mixed-values\].*hint/m)
  end
end

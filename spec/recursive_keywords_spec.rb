# frozen_string_literal: true

# Methods that call themselves and have parameters of other forms than required ones.
module RecursiveKeywords
  module_function

  def down(from, by: 1, to: 0) = from <= to ? from : down(from - by, by:, to:) + 1

  def gather(count, start = 2, *rest, by:, **others)
    count <= 0 ? start + by + rest.sum : gather(count - by, start + 1, *rest, count, by: by + 1, **others)
  end

  def handed(count, **named) = count.zero? ? last(**named) : handed(count - 1, **named) + 1
  def last(first: 1, second: 2) = (first * 10) + second

  def defaults(count, one = count * 2, two = one + 1)
    count.zero? ? one + two : defaults(count - 1, one) + defaults(count - 1)
  end

  def permutations(all, from: 0)
    return 1 if from == all.size

    (from...all.size).sum do |i|
      all[from], all[i] = all[i], all[from]
      found = permutations(all, from: from + 1) + all[0]
      all[from], all[i] = all[i], all[from]
      found
    end
  end
end

each_backend do
  numbers = [0, 1, 2, 3, 5]
  made = RecursiveKeywords

  it "take keywords" do
    expect_same(numbers) { |n| made.down(n) + made.down(n, by: 2) + made.down(n, to: 1) }
    expect_same(numbers) { |n| made.gather(n, by: 1) + made.gather(n, 1, 2, by: 1) }
    expect_same(numbers) { |n| made.handed(n) + made.handed(n, first: 5) + made.handed(n, second: n, first: 3) }
    expect_same(numbers.first(4)) { |n| made.permutations((0..n).to_a) }
    expect_same(numbers) { |n| made.handed(n, third: 5) }
    expect_same(numbers) { |n| made.gather(n) }
  end

  it "have defaults" do
    expect_same(numbers) { |n| made.defaults(n) + made.defaults(n, 1, 2) }
  end
end

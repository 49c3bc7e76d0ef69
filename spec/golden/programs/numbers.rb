# frozen_string_literal: true

# Sequences through the methods of Enumerable.
numbers = (1..60).to_a
Ikra.section do
  odd, even = numbers.partition(&:odd?)
  pairs = odd.zip(even).map { |a, b| a * b }
  runs = numbers.slice_when { |a, b| (b % 7).zero? && a.odd? }.map(&:sum)
  groups = numbers.group_by { |x| x % 4 }.transform_values { |list| list.minmax }
  windows = numbers.each_cons(3).map(&:sum).each_slice(5).map(&:max)
  last = numbers.each_with_object([]) { |x, all| all.unshift(x) if x > 55 }
  [pairs.max_by { |x| x % 11 }, runs, groups, windows, last,
   numbers.map(&:even?).tally, numbers.inject { |a, b| (a * b) % 97 }, numbers.take_while { |x| x < 5 }]
end

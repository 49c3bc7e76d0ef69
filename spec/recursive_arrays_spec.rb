# frozen_string_literal: true

# Methods that call themselves and make arrays for that.
module RecursiveArrays
  module_function

  def quicksort(all)
    return all if all.size <= 1

    pivot = all[0]
    rest = all[1..]
    quicksort(rest.select { |x| x < pivot }) + [pivot] + quicksort(rest.select { |x| x >= pivot })
  end

  def mergesort(all)
    return all if all.size <= 1

    middle = all.size / 2
    merge(mergesort(all[0...middle]), mergesort(all[middle..]))
  end

  def merge(left, right)
    merged = []
    i = j = 0
    while i < left.size && j < right.size
      if left[i] <= right[j]
        merged << left[i]
        i += 1
      else
        merged << right[j]
        j += 1
      end
    end
    merged + left[i..] + right[j..]
  end

  def fft(real, imaginary)
    n = real.size
    return [real, imaginary] if n == 1

    even = fft(half(real, 0), half(imaginary, 0))
    odd = fft(half(real, 1), half(imaginary, 1))
    combine(even, odd, n)
  end

  def half(all, offset) = Array.new(all.size / 2) { |i| all[(2 * i) + offset] }

  def combine(even, odd, size)
    real = Array.new(size, 0.0)
    imaginary = Array.new(size, 0.0)
    (size / 2).times do |k|
      c = Math.cos(-2 * Math::PI * k / size)
      s = Math.sin(-2 * Math::PI * k / size)
      a = (c * odd[0][k]) - (s * odd[1][k])
      b = (s * odd[0][k]) + (c * odd[1][k])
      real[k] = even[0][k] + a
      imaginary[k] = even[1][k] + b
      real[k + (size / 2)] = even[0][k] - a
      imaginary[k + (size / 2)] = even[1][k] - b
    end
    [real, imaginary]
  end

  # Copies the board.
  def queens(size, row = 0, columns = [])
    return 1 if row == size

    (0...size).sum do |column|
      free = columns.each_with_index.all? { |c, r| c != column && (c - column).abs != row - r }
      free ? queens(size, row + 1, columns + [column]) : 0
    end
  end

  def permutations(all)
    return [all] if all.size <= 1

    found = []
    all.each_with_index do |x, i|
      permutations(all[0...i] + all[(i + 1)..]).each { |rest| found << ([x] + rest) }
    end
    found
  end

  def subsets(all)
    all.empty? ? [[]] : subsets(all[1..]).flat_map { |set| [set, [all[0]] + set] }
  end

  # Nothing, or a number with an array.
  def split(count)
    return nil if count > 6
    return [count, []] if count > 3

    left = split(count + 1)
    right = split(count + 2)
    right ? [left[0] + right[0], left[1] + right[1] + [count]] : [count, [count]]
  end

  def total(all) = all.empty? ? 0 : all[0] + total(all.drop(1))
end

each_backend do
  numbers = (1..16).to_a
  made = RecursiveArrays
  numbered = ->(n) { Array.new(n) { |i| ((i * 37) + n) % 101 } }

  it "sorts" do
    expect_same(numbers) { |n| made.quicksort(numbered.call(n)) }
    expect_same(numbers) { |n| made.mergesort(numbered.call(n)) }
    expect_same(numbers) { |n| made.quicksort(numbered.call(n).map(&:to_f)) + made.quicksort([n, 3, 1]) }
  end

  it "transforms" do
    expect_same([1, 2, 3], tolerance: 50) { |n| made.fft(Array.new(8) { |i| (i * n).to_f }, Array.new(8, 0.0)).flatten }
  end

  it "searches with copies" do
    expect_same((1..6).to_a) { |n| made.queens(n) }
    expect_same((1..5).to_a) { |n| made.permutations((1..n).to_a) }
    expect_same((1..5).to_a) { |n| made.subsets((1..n).to_a) }
  end

  it "gives arrays, or nothing" do
    expect_same((0..8).to_a) { |n| made.split(n) }
    expect_same((0..8).to_a) { |n| (made.split(n) || [7])[0] }
    expect_same((0..8).to_a) { |n| (0..n).map { |i| i.odd? ? nil : [i, (0..i).to_a] } }
    expect_same((0..8).to_a) { |n| n > 2 ? 1.5 : [n, (0..n).to_a, [[n], (1..n).map { |i| [i, [i] * i] }]] }
    expect_same((0..8).to_a) do |n|
      if n > 3
        [n, (0..n).to_a]
      else
        (n > 1 ? (0..n).to_a : nil)
      end
    end
  end

  it "goes through arrays from outside and their parts" do
    arrays = numbers.map { |n| numbered.call(n) }
    expect_same(arrays) { |all| made.total(all) }
    expect_same(arrays) { |all| made.quicksort(all) }
  end
end

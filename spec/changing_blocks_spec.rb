# frozen_string_literal: true

# Blocks that change the array that a method goes through.
# rubocop:disable Style/Semicolon
each_backend do
  changing = {
    "select" => ->(a) { a.select { |x| a[0] += 1; a[1] = 7; x > 0 } },
    "select!" => ->(a) { a.select! { |x| a[0] += 1; a[1] = 7; x > 1 } && a },
    "reject" => ->(a) { a.reject { |x| a[0] += 1; a[3] = 7; x > 3 } },
    "take_while" => ->(a) { a.take_while { |x| a[0] += 1; x < 3 } },
    "drop_while" => ->(a) { a.drop_while { |x| a[2] += 1; x < 3 } },
    "partition" => ->(a) { a.partition { |x| a[0] += 1; a[x % 4] += 1; x < 3 } },
    "filter_map" => ->(a) { a.filter_map { |x| a[x % 4] += 1; x < 3 && x } },
    "group_by" => ->(a) { a.group_by { |x| a[x % 4] += 1; x < 3 } },
    "sort_by" => ->(a) { a.sort_by { |x| a[0] += 1; -x } },
    "product" => ->(a) { all = []; a.product([1, 2]) { |x, y| a[2] = 1; all << [x, y] }; all },
    "product of several" => lambda do |a|
      other = [5, 6]
      all = []
      a.product(*([other << 7] * a.size)) { |row| other[1] = a[2] = 9; all << row }
      all.sum(&:sum)
    end,
    "combination" => ->(a) { all = []; a.combination(2) { |x, y| a[2] = 1; all << [x, y] }; all },
    "reverse_each" => ->(a) { all = []; a.reverse_each { |x| a[2] = 1; all << x }; all },
    "each_slice" => ->(a) { a.each_slice(2).map { |x, y| a[3] = 1; x + y } },
    "inject" => ->(a) { a.inject { |all, x| a[3] = 1; all + x } }
  }

  changing.each do |name, block|
    it "runs #{name} as Ruby does" do
      expect_same([1, 2]) { |n| list = [n, 2, 3]; list << 4; [block.call(list), list] }
      lists = -> { [[1, 2, 3, 4], [2, 2, 3, 4]] }
      expected = lists.call
      given = lists.call
      results = expected.map { |list| block.call(list) }
      expect([given.pmap { |list| block.call(list) }, given]).to eq([results, expected])
    end
  end
end
# rubocop:enable Style/Semicolon

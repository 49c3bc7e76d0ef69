# frozen_string_literal: true

# Long arrays of numbers that are written out are tables, copied by a loop.
each_compiling_backend do
  let(:base) { (-4..36).to_a }

  it "give their items" do
    expect_same(base) do |x|
      [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5, -2][x]
    end
    expect_same(base) do |x|
      [0.5, 1.5, 2.0, 3.25, 4.0, 5.5, 6.0, 7.5, 8.0, 9.5, 1.0, 1.25, 1.75, 2.5, 2.25, 2.75, 3.5, 3.75,
       4.5, 4.25, 4.75, 5.0, 5.25, 5.75, 6.5, 6.25, 6.75, 7.0, 7.25, 7.75, 8.5, 8.25, -0.0][x]
    end
  end

  it "are arrays like others" do
    expect_same(base) do |x|
      all = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5, -2]
      all[3] = x > 4 ? 1.5 : nil
      all << "s" if x.odd?
      [all, all.size, all.frozen?]
    end
    expect_same(base) do |x|
      first, second, *rest = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7,
9, 5, -2]
      [first, second, rest.sum, rest.include?(x)]
    end
    expect_same(base) do |x|
      lists = Array.new(2) do |i|
        [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5, -2].push(x + i)
      end
      lists[0][0] = 100
      lists.map(&:sum)
    end
    expect_same(base) do |x|
      rows = x > 3 ? [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5,
                      -2] : [1, x]
      { rows => rows.max }
    end
  end

  it "are made anew each time" do
    expect_same_program do
      Ikra.section do
        made = []
        3.times do |i|
          all = [0.5, 1.5, 2.0, 3.25, 4.0, 5.5, 6.0, 7.5, 8.0, 9.5, 1.0, 1.25, 1.75, 2.5, 2.25, 2.75, 3.5, 3.75,
                 4.5, 4.25, 4.75, 5.0, 5.25, 5.75, 6.5, 6.25, 6.75, 7.0, 7.25, 7.75, 8.5, 8.25, -0.0]
          all[0] += i
          made << all
        end
        made.map(&:sum)
      end
    end
  end
end

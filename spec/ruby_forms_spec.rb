# frozen_string_literal: true

# Forms of Ruby's own methods that people write without a thought.
each_backend do |backend|
  # Methods for the examples.
  module RubyForms
    module_function

    def up(limit) = (1..).each { |i| return i if i * i > limit }
    def up_by(limit) = limit > 3 ? (1..).each_slice(2) { |i, j| return i + j if i * i > limit } : 0
    def up_to(limit) = 1.upto(Float::INFINITY) { |i| return i if i * i > limit }
    def down(count, by) = count.zero? ? by.call(0) : by.call(count) + down(count - 1, by)
    def folded(list, sum, by) = list.empty? ? sum : folded(list.drop(1), by.call(sum, list[0]), by)
  end

  it "leaves what has no end by return" do
    expect_same([1, 10, 30]) { |n| [RubyForms.up(n), RubyForms.up_by(n), RubyForms.up_to(n) + 1] }
    expect_same([1, 10, 30]) { |n| (n..).each { |i| break i if (i % 7).zero? } }
  end

  it "gives Ranges, and has them in arrays, Hashes and objects that it gives" do
    numbers = [3, 6, nil, 7]
    expect_same([0, 1, 3]) { |i| 1..(numbers[i] & 3) }
    expect_same([0, 1, 3]) do |i|
      [(1...(numbers[i] & 3)), (i..), (..i), ("a"..("b" * i)), (i * 0.5..7), { i => (i..9) }]
    end
    expect_same([0, 1, 3]) { |i| i > 0 ? (0...i).map { |x| (x..i) } : nil }
    expect_same([0, 1, 2]) { |i| 1..(numbers[i] & 3) }
    expect_same([0, 1, 2]) { |i| (1..(numbers[i] & 3)).sum }
  end

  it "hands lambdas on to methods that call themselves" do
    expect_same_program do
      Ikra.section { (times = 3) && RubyForms.down(5, ->(x) { x * times }) }
    end
    expect_same_program do
      Ikra.section { (seen = []) && (RubyForms.folded([1, 2, 3], 0, ->(a, b) { (seen << b) && (a + b) }) + seen.sum) }
    end
    expect_same([2, 3]) { |n| [RubyForms.down(3, ->(x) { x * n }), RubyForms.folded([n, 4], 1, ->(a, b) { a * b })] }
  end

  it "has deep literals" do
    expect_same([1, 2]) { |n| [[[[[[[[[[[[[[[[[[[[[[[[n]]]]]]]]]]]]]]]]]]]]]]], n] }
    expect_same([1, 2]) { |n| [[[[[[[[[[[[[[[[[[[[[[[[n]]]]]]]]]]]]]]]]]]]]]]], n][0][0][0][0].size }
  end

  it "has Ranges of Strings" do
    texts = ["0", "5", "9", "a", "az", "", "é", "b", "\u00ff", "10", nil, :a, 5, 1.5]
    expect_same(texts) do |x|
      case x
      when "0".."9" then :digit
      when "a"..."b" then :a
      when Integer then :number
      end
    end
    expect_same(texts) { |x| [("0".."9").cover?(x), ("0"..."9").include?(x), ("a".."c").member?(x)] }
    expect_same(%w[a ab zz az b 10]) { |x| [("a"..x).include?("az"), ("08".."11").include?(x)] }
    expect_same(%w[a y 08]) { |x| [(x..(x == "08" ? "11" : "ab")).to_a, (x.."z").count, (x...x).to_a] }
    expect_same(%w[a y]) do |x|
      (x.."c").map do |t|
        t * 2
      end + ("a".."d").each_slice(2).map(&:join) + ("x"..."z").select do |t|
                                                     t > x
                                                   end
    end
    expect_same(%w[a y]) do |x|
      out = +""
      ("a".."d").each { |t| out << t << x }
      [out, ("a"...x).exclude_end?]
    end
    expect_same(%w[a y]) do |x|
      out = []
      ("a".."d").each_with_index { |t, i| out << "#{t}#{i}#{x}" }
      out
    end
    expect_same(["ab", "1c", ""]) do |x|
      x.each_char.map do |c|
        case c when "0".."9" then 1 when "a".."b" then 2 else 3 end
      end
    end
  end

  it "makes a Hash of keywords where a method takes none" do
    expect_same([1, 2]) do |x|
      h = { "a" => x }
      [h.merge("k" => 1), h.merge("k" => 1, b: x), h.merge(k: x), h]
    end
    expect_same([1, 2]) do |x|
      h = { a: x }
      h.merge!(k: 1)
      h.update("s" => x, 3 => x)
      h
    end
    expect_same([1, 2]) do |x|
      list = [x]
      list.push(k: 1)
      list << 2
      list.unshift("k" => x)
      list.insert(1, 2.5 => x)
    end
    expect_same([1, 2]) do |x|
      [[{ k: x }].include?(k: 1), [{ k: x }].index(k: 2), { k: x }.==(k: 1), [[{ k: x }]].flatten.count("k" => 1)]
    end
    expect_same([1, 2]) { |x| ->(a, b = 2) { [a, b] }.call(x, "k" => 1) }
    expect_same([1, 2]) { |x| ->(*all) { all }.call(x, x => 1, k: 2, **{ l: 3 }) }
    expect_same([1, 2]) { |x| [[x, { "a" => 1 }], x.then { |i| { i => i } }] }
  end

  it "has Hashes and arrays beside each other" do
    expect_same([1, 2]) { |n| { a: { n: 1 }, b: [n] } }
    expect_same([1, 2]) { |n| { a: { n: }, b: [n], c: "x#{n}", d: 1.5, e: nil, f: [[n]] } }
    expect_same([1, 2]) do |n|
      x = []
      x << { n: 1 }
      x << [n]
      x << n
      x
    end
    expect_same([1, 2]) do |n|
      h = { a: [n, 2], b: { n: 1 } }
      [h[:a].size, h[:b].size, h[:a] == [1, 2], h.dig(:b, :n)]
    end
    expect_same([1, 2]) { |n| n == 1 ? { n: } : [n, n] }
  end

  it "makes numbers of Strings or nil" do
    texts = ["1", "x", "", " 12 ", "0x1f", "1f", "1.5", "1e3", "1_0", "1__0", "\0", "é", nil, 5, 2.5, :a, Float::NAN]
    expect_same(texts) { |x| Integer(x, exception: false) }
    expect_same(texts - ["0x1f"]) { |x| Float(x, exception: false) }
    expect_same(texts) { |x| Integer(x, 16, exception: false) }
    expect_same(%w[1 x]) { |x| Integer(x, 99, exception: false) }
    expect_same(%w[1 x]) { |x| Integer(x, exception: true) }
    expect_same(%w[1 x]) { |x| Float(x, exception: true) }
    expect_same([[1], { a: 1 }]) { |x| [Integer(x, exception: false), Float(x, exception: false)] }
    expect_same([[1]]) { |x| Integer(x) }
  end

  next if backend == :ruby

  it "refuses other keys than Symbols for a method with keywords" do
    expect { [1].pmap { |x| ->(a, **o) { a + o.size }.call(x, "k" => 1) } }
      .to raise_error(Ikra::UnsupportedError, /unsupported-hash/)
  end
end

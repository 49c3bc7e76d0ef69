# frozen_string_literal: true

# Forms of Ruby's that other methods say, too: Proc.new, Hash[…], for over what has no items, and sets of characters.
# rubocop:disable Style/Proc, Style/HashConversion, Lint/RedundantSplatExpansion
module Forms
  class Box
    attr_reader :value, :other

    def initialize(value) = @value = value
  end

  # Sets its variables by name.
  class Named
    attr_reader :value, :other

    def initialize(value)
      instance_variable_set(:@value, value)
      %w[@other @more].each { |name| instance_variable_set(name, [value]) }
      @value += instance_variable_get(:@other).size
    end
  end

  class Steps
    def initialize(count) = @count = count

    def each
      i = 0
      while i < @count
        yield i, i * 2
        i += 1
      end
      :done
    end
  end
end

each_backend do
  it "makes procs with Proc.new" do
    expect_same([1, 2]) { |x| Proc.new { |y| y + x }.call(2) }
    expect_same([1, 2]) { |x| Proc.new { |a, b| [a, b] }.call([x, 2]) }
    expect_same([1, 2]) { |x| [1, 2].map(&Proc.new { |y| y * x }) }
    expect_same([1, 2]) { |x| [Proc.new { next x }].map { |f| [f.call, f.lambda?] } }
  end

  it "takes the bits of a range" do
    numbers = [0, 1, -1, 13, -13, 255, 2**62, -(2**62)]
    ranges = [1..2, 1...2, 2..1, 2...2, 2..2, -1..2, 0..62, 3.., (..-1), -2..-1, 60..64, 70..80, 1..-3, 62..63]
    ranges.each { |range| expect_same(numbers) { |x| [x[range], x[range.begin || 0, 5]] } }
    expect_same([0, 8]) { |x| [x[..2], x[...3], x[..0], x[...0]] }
    expect { [4].pmap { |x| x[..2] } }.to raise_error(ArgumentError, /infinity/)
    expect_same([-1, -7, 2**62]) { |x| [x[0..63], x[2, 90], x[-70, 200], (x * 16)[3..80], (x * 16)[60..]] }
  end

  it "gives the bit at a Float" do
    floats = [0.5, 2.9, -0.5, -1.5, 64.2, 1e19, 1e30, -1e30, Float::NAN, Float::INFINITY, -Float::INFINITY]
    [0, 5, -1, 2**62, -(2**62) - 1].product(floats + [[1, 0.5]]).each do |x, at|
      expect_same(Array(at)) { |i| x[i] }
    end
    expect_same([5]) { |x| [1, 2.5, 0].map { |i| x[i] } }
  end

  it "sets instance variables by name" do
    set = lambda do |box|
      %i[@value @other].each_with_index { |name, i| box.instance_variable_set(name, box.value + i) }
      box.instance_variable_set("@value", box.value * 3)
    end
    left, right = Array.new(2) { [Forms::Box.new(1), Forms::Box.new(5)] }
    expect(right.pmap(&set)).to eq(left.map(&set))
    expect(right.map { |box| [box.value, box.other] }).to eq(left.map { |box| [box.value, box.other] })
    expect_same([1, 2]) { |x| Forms::Box.new(x).tap { |box| set.call(box) }.then { |box| [box.value, box.other] } }
    expect_same([1, 2]) { |x| Forms::Named.new(x).then { |b| [b.value, b.other, b.instance_variable_get(:@more)] } }
    expect([1, 2].pmap { |x| Forms::Named.new(x) }.map(&:instance_variables)).to eq([%i[@value @other @more]] * 2)
    ["value", "@", "@1", "@a?", "@@a", "A", ""].each do |name|
      expect_same([Forms::Box.new(1)]) { |box| box.instance_variable_set(name, 1) }
      expect_same([Forms::Box.new(1), 3]) { |box| box.instance_variable_get(name.to_sym) }
    end
    frozen = [Forms::Box.new(1).freeze]
    expect { frozen.peach { |box| box.instance_variable_set(:@value, 2) } }.to raise_error(FrozenError)
  end

  it "makes Hashes with []" do
    expect_same([1, 2]) { |x| [Hash[], Hash[x, 2, 3, 4], Hash[[[x, 2], [3, 4]]], Hash[{ x => 1 }], Hash[a: x]] }
    expect_same([1, 2]) { |x| [Hash[[1, 2].zip([x, 4])], Hash[[1, 2, 3].map { |i| [i, i * x] }], Hash[*[x, 1, 2, 3]]] }
    expect_same([1, 2]) { |x| Hash[x, 1, 2] }
    expect_same([1, 2]) { |x| Hash[x] }
  end

  it "goes through what may be nil" do
    expect_same([1, 2]) do |x|
      sum = 0
      for i in (x > 1 ? nil : [1, 2]) do sum += i end
      sum
    end
    expect_same([1]) do |x|
      sum = 0
      for i in (x > 1 ? nil : [1, 2]) do sum += i end
      sum
    end
  end

  it "goes through what Enumerators and objects with `each` give" do
    steps = Forms::Steps.new(3)
    expect_same([1, 2, 5]) do |x|
      sum = 0
      for a, b in steps do sum += (a * b) + x end
      [sum, a, b, (for i in steps do break i if i == x end), (for i in steps do sum += i end), sum]
    end
    expect_same([1, 2, 3]) do |x|
      seen = []
      for pair in [x, 2, 3].each_slice(2) do seen << pair.sum end
      for item, i in [x, 6].each_with_index do seen << (item * i) end
      for i in x.downto(1) do seen << i end
      for character in "ab".each_char do seen << (character * x) end
      for c, (a, *b) in [[x, [1, 2]], [4, [x]]] do seen << (a + b.size + c) end
      for seen[0] in [x, x + 1] do next end
      [seen, pair, item, i, character, a, b, c]
    end
    expect_same([1, 2]) do |x|
      x.times do |i|
        for j in [i, x, 5] do return 7 if j == 9 end
        for i in 0..j do x += i end
      end
      x
    end
  end

  it "goes through an Enumerator in the middle of a program" do
    steps = Forms::Steps.new(4)
    run = lambda do
      seen = []
      numbers = [1, 2, 3]
      Ikra.section do
        for a, b in steps do
          numbers.peach { |x| x + a }
          seen << (a - b)
        end
      end
      seen
    end
    expect(run.call).to eq([0, -1, -2, -3])
  end
end

each_backend(Backends::ALL - %i[cuda-emulated cuda]) do
  it "matches punctuation and words" do
    texts = ["a,b!cé Ü_9$+<=>^`|~", "«a» – ½ Ⅳ ٣", ""]
    expect_same(texts) { |x| x.scan(/[[:punct:]]+/) + x.scan(/\p{Punct}/) + x.scan(/\P{Punct}+/) + x.scan(/\p{P}/) }
    expect_same(texts) { |x| x.scan(/\p{Word}+/) + x.scan(/[[:word:]]+/) + x.scan(/[[:^word:][:punct:]]/) }
    expect_same(texts) { |x| x.scan(/\p{N}/) + x.scan(/\p{Nd}/) + x.scan(/\p{^Nd}+/) + x.scan(/\p{Z}/) }
  end

  it "has Ruby's sets of characters, or says which it does not know" do
    sets = [->(x) { x.scan(/[[:punct:]]+/) }, ->(x) { x.scan(/\p{Word}+/) }, ->(x) { x.scan(/\p{N}+/) },
            ->(x) { x.scan(/\p{P}+/) }, ->(x) { x.scan(/\p{Z}+/) }]
    texts = [*0..0xd7ff, *0xe000..0x1ffff].each_slice(128).map { |slice| slice.pack("U*") }
    sets.each do |set|
      known = texts.select do |text|
        [text].pmap(&set)
      rescue Ikra::UnsupportedError => e
        expect(e.message).to include("match differently with this pattern")
        false
      end
      expect(known.pmap(&set)).to eq(known.map(&set))
      expect(known.size).to be > 400
    end
  end
end
# rubocop:enable Style/Proc, Style/HashConversion, Lint/RedundantSplatExpansion

# frozen_string_literal: true

# Forms of Ruby's that other methods say, too: Proc.new, Hash[…], for over what has no items, and sets of characters.
# rubocop:disable Style/Proc, Style/HashConversion, Lint/RedundantSplatExpansion
each_backend do
  it "makes procs with Proc.new" do
    expect_same([1, 2]) { |x| Proc.new { |y| y + x }.call(2) }
    expect_same([1, 2]) { |x| Proc.new { |a, b| [a, b] }.call([x, 2]) }
    expect_same([1, 2]) { |x| [1, 2].map(&Proc.new { |y| y * x }) }
    expect_same([1, 2]) { |x| [Proc.new { next x }].map { |f| [f.call, f.lambda?] } }
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
        expect(e.message).to include("versions of Unicode read differently")
        false
      end
      expect(known.pmap(&set)).to eq(known.map(&set))
      expect(known.size).to be > 400
    end
  end
end
# rubocop:enable Style/Proc, Style/HashConversion, Lint/RedundantSplatExpansion

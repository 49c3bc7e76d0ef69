# frozen_string_literal: true

# Symbols that Strings name: those that the section has, and new ones, with which it begins anew.
module SymbolsOfStrings
  LEVELS = { info: 1, error: 2 }.freeze
end

each_backend do
  # Names that no other run has seen.
  let(:fresh) { "fresh#{object_id}#{Ikra.backend.hash.abs}" }

  it "finds those that there are" do
    expect_same(%w[info error]) { |s| SymbolsOfStrings::LEVELS[s.to_sym] }
    expect_same(%w[b a zz c]) { |s| [s.to_sym <=> :b, s.to_sym.to_s, s.to_sym.size, s.to_sym.inspect, s.intern] }
    expect_same([[:up, "up"], [:down, "up"]]) { |symbol, text| symbol == text.to_sym }
  end

  it "makes new ones" do
    name = fresh
    expect_same(%w[a b] << "ä ö" << "") { |s| [s.to_sym, "#{name}#{s}".to_sym] }
    expect_same([1, 2, 3]) { |i| :"#{name}_#{i}" }
    expect_same((1..300).to_a) { |i| "#{name}x#{i % 40}".intern }
    expect_same([1, 2]) { |i| h = {}; 3.times { |k| h[:"k#{i * k}"] = k }; h }
    expect_same([%w[a b], [name]]) { |all| all.map(&:to_sym) }
    expect_same(["a,b\n1,2\n", "#{name},d\n3,4"]) do |text|
      head, *rows = text.lines(chomp: true).map { |line| line.split(",") }
      rows.map { |row| head.map(&:to_sym).zip(row).to_h }
    end
  end

  it "gives those that methods of Strings give" do
    words = %i[abc Zz éÀ ß a9 zz] << :"" << :"a b"
    expect_same(words) { |s| [s.upcase, s.downcase, s.capitalize, s.swapcase, s.upcase(:ascii), s.downcase(:fold)] }
    expect_same(%i[a az Zz a9 zz9]) { |s| [s.succ, s.next, s.intern, s.succ.size] }
    expect_same(words) { |s| [s.encoding, s.encoding.name, s <=> :b, s <=> "b", s.upcase.equal?(s.to_s.upcase.to_sym)] }
    expect_same([%i[b A], %i[c]]) { |all| all.map(&:upcase).sort }
  end

  it "raises what Ruby raises of invalid bytes" do
    expect_same(["a", "\xff"]) { |s| s.to_sym } unless Ikra.backend.start_with?("cuda")
    expect_same(["a", "\xff", "\x80".b]) { |s| begin; s.to_sym; rescue EncodingError; 1; end }
  end

  it "draws the same random numbers when it has begun anew" do
    name = fresh
    skip "Ruby has its own" if Ikra.backend == :ruby
    Ikra.srand(3)
    plain = [1, 2].pmap { |_| rand }
    Ikra.srand(3)
    expect([1, 2].pmap { |i| :"#{name}#{i}"; rand }).to eql(plain)
  end

  it "makes them in sections, around calls too, but after a sync" do
    name = fresh
    made = Ikra.section do
      all = %w[u v].pmap { |s| :"#{name}#{s}" }
      all << "#{name}#{all.size}".to_sym
    end
    expect(made).to eq(%w[u v 2].map { |s| :"#{name}#{s}" })
    next if Ikra.backend == :ruby

    count = 0
    expect { Ikra.section { Ikra.sync { count += 1 }; :"#{name}after" } }
      .to raise_error(Ikra::UnsupportedError, /\[unsupported-symbol\]/)
    expect(count).to eq(1)
  end

  it "changes nothing when it begins anew" do
    name = fresh
    seen = []
    total = 0
    Warnings.without { [1, 2, 3].peach { |i| total += i; seen << :"#{name}#{i}" } }
    expect([total, seen]).to eq([6, [1, 2, 3].map { |i| :"#{name}#{i}" }])
  end

  it "has names that nothing looks at" do
    symbols = %i[a b c]
    expect_same([1, 2]) { |x| (_name = symbols[x].name) && x }
    expect_same([1, 2]) { |x| symbols[x].name.equal?("a") }
    expect_same([1, 2]) do |x|
      name = symbols[x].name
      _held = [name, -> { name }]
      x
    end
    seen = []
    value = Ikra.section do
      name = symbols[1].name
      Ikra.sync { seen << 1 }
      name.frozen?
    end
    expect([seen, value]).to eq([[1], true])
  end
end

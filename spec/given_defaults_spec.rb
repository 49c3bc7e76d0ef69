# frozen_string_literal: true

module GivenDefaults
  class Holder
    attr_accessor :table

    def initialize(table = nil) = @table = table
    def give(default) = @table.default = default
  end

  def self.made(kind)
    case kind % 3
    when 0 then {}
    when 1 then Hash.new(kind)
    else Hash.new { |_, key| key }
    end
  end
end

# `Hash#default=`, of Hashes that a section makes, and of those that exist.
each_backend do |backend|
  def looked_up(hash) = [hash, hash.default, hash.default_proc.nil?, hash[:another], hash.frozen?]

  # What `make` gives is changed by the block, which gets it and the element.
  def expect_change(make, base = [3, 1, 2], &block)
    left = make.call
    right = make.call
    expected = outcome { base.map { |x| block.call(left, x) } }
    expect(outcome { base.pmap { |x| block.call(right, x) } }).to eq(expected)
    return if expected.first == :raised && Ikra.backend == :ruby

    left = make.call if expected.first == :raised
    expect(looked_up(right)).to eq(looked_up(left))
  end

  it "is what a Hash that the section makes gives from then on" do
    expect_same([3, 1, 2]) { |x| (h = {}).default = x and [h[1], h.default, h.size, h.default(4), h.key?(1)] }
    expect_same([3, 1, 2]) do |x|
      h = Hash.new(1.5)
      before = h[1]
      h.default = x if x > 1
      [before, h[1], h.default, h.values_at(1, 2), h.fetch(1, :none), h.to_a]
    end
    expect_same([3, 1, 2]) do |x|
      h = Hash.new(7)
      h.default = x
      first = h[0]
      h.default = nil
      [first, h[0], h.default = [x], h[0] << 1, h[0], h[1].equal?(h[2])]
    end
    expect_same([3, 1, 2]) { |x| (h = {}).default = "a#{x}" and (h[1] + h[2]) << "b" }
    expect_same([3, 1, 2]) { |x| (h = {}).default = { a: x } and h[1][:b] = 2 and h[2] }
    expect_same([3, 1]) { |_| (h = {}).default = h and h[1].equal?(h) }
    expect_same([3, 1]) { |x| (h = {}).default = 0 and 5.times { |i| h[i % 2] += x } and h }
    expect_same([3, 1]) { |x| [x, 1, x].tally.tap { |h| h.default = 0 }.values_at(x, 99) }
    expect_same([3, 1]) { |x| (h = {}).default = x and h.shift }
    expect_same([3, 1]) do |x|
      all = [{}, Hash.new(3), Hash.new { |_, k| k }]
      all.each { |h| h.default = x if x == 3 }
      all.map { |h| h[5] }
    end
    expect_same([3, 1]) { |x| (h = {}) && [h.send(:default=, x), h.public_send(:default=, x + 1), h[4]] }
    expect_same([3, 1]) { |x| format("%<a>d %<b>d", { a: x }.tap { |h| h.default = 5 }) }
  end

  it "is a block that is asked for" do
    expect_same([3, 1, 2]) do |x|
      h = Hash.new { |hash, key| hash[key] = key * x }
      g = Hash.new(&h.default_proc)
      [g[x], g.to_a, h.to_a]
    end
    expect_same([3, 1]) { |x| [Hash.new(&Hash.new(x).default_proc)[1], {}.default_proc] }
    expect_same([3, 1]) { |x| Hash.new { |_, key| key * x }.default_proc.arity }
    expect_same([{}, Hash.new(3), Hash.new { |_, key| key }]) { |h| [h.default_proc&.call(h, 7), h.default_proc.nil?] }
    expect_same([3]) { |x| h = Hash.new { |_, key| key * x } and h.default_proc.equal?(h.default_proc) }
    shared = Hash.new { |_, key| key }
    expect([1].pmap { shared.default_proc }[0]).to equal(shared.default_proc)
  end

  it "takes the place of a default block" do
    expect_same([3, 1, 2]) do |x|
      h = Hash.new { |hash, key| hash[key] = key + x }
      before = [h[1], h.default]
      h.default = x if x > 1
      [before, h[7], h.default, h.to_a]
    end
    expect_same([3, 1]) { |x| Hash.new { |_, k| k }.tap { |h| h.default_proc = nil if x == 1 }.values_at(2, 3) }
    expect_same([3]) { |x| Hash.new { |_, k| k }.default_proc = x }
    expect_same([3]) { |x| {}.default_proc = x.odd? }
  end

  it "is copied, and goes its own way then" do
    expect_same([3, 1, 2]) do |x|
      h = { 1 => 2 }
      h.default = x
      others = [h.dup, h.clone, h.merge({ 4 => 5 }), h.select { true }, h.to_h, h.reject { false }]
      others[0].default = 9 if x == 3
      [h[0], others.map { |other| other[0] }]
    end
    expect_change(-> { Hash.new(4) }) { |h, x| (h.default = x) && (g = h.dup) && (g.default = 9) && [h[0], g[0]] }
  end

  it "leaves the section with a Hash" do
    made = [3, 1, 2].pmap { |x| Hash.new(7).merge({ 2 => x }).tap { |h| h.default = x if x > 1 } }
    expect(made.map { |h| looked_up(h) }).to eq([3, 1, 2].map { |x| looked_up(Hash.new(x > 1 ? x : 7).merge!(2 => x)) })
    made = [3, 1].pmap { |x| Hash.new { |_, k| k }.tap { |h| h.default = [x] if x > 1 } }
    expect([made[0][5], made[0].default_proc, made[1][5], made[1].default]).to eq([[3], nil, 5, nil])
    expect([5].pmap { |x| (h = { a: x }).tap { h.default = h } }[0].then { |h| h[:b].equal?(h) }).to be(true)
    held = [[1, 2]].pmap { |list| [{}, {}].each { |h| h.default = list } }[0]
    expect(held.map { |h| h[0] }).to eq([[1, 2], [1, 2]])
  end

  it "is given to a Hash that exists" do
    expect_change(-> { { 1 => 2 } }, [5]) { |h, x| (h.default = x) + h[77] }
    expect_change(-> { { 1 => 2 } }) { |h, x| (h.default = x) + h[77] }
    expect_change(-> { Hash.new(3) }) { |h, x| (h.default = x + h[x]) && [h[x], h.default] }
    expect_change(-> { Hash.new { |_, key| key } }) { |h, x| (h.default = x if x == 2) || [h[6], h.default] }
    expect_change(-> { Hash.new { |_, key| key } }) { |h, x| x == 2 ? h.default_proc = nil : h[6] }
    expect_change(-> { Hash.new("q") }) { |h, x| (h.default = "t#{x}") && h[0] }
    expect_change(-> { Hash.new(1) }) { |h, x| (h.default = [x, 2]) && h[0] }
    expect_change(-> { { a: [1] } }) { |h, x| (h.default = h[:a]) && h[0].push(x) }
    expect_change(-> { {} }) { |h, x| (h.default = { x => 1 }) && h[0] }
    expect_change(-> { { 5 => 6 } }) { |h, x| (h[x] = 1) && (h.default = x) && h.delete(5) ? h[1000] : h.to_a }
    expect_change(-> { {}.compare_by_identity.merge!(a: 3) }) { |h, x| (h.default = x) && h[:q] }
  end

  it "stays what it was where the section ends with an error" do
    expect_change(-> { Hash.new(8) }) { |h, x| x == 2 ? raise("no") : (h.default = x) }
    expect_change(-> { Hash.new { |_, key| key } }) { |h, x| (h.default = x) && [1, 2].fetch(x) }
  end

  it "cannot be given to one that is frozen" do
    expect_change(-> { { a: 3 }.freeze }) { |h, x| h.default = x }
    expect_change(-> { { a: 3 }.freeze }) { |h, x| x == 7 ? h.default = x : h[:q] }
    expect_same([1, 2]) { |x| { a: 1 }.freeze.default = x }
  end

  it "is each one's own" do
    made = -> { Array.new(300) { |i| GivenDefaults.made(i) } }
    left = made.call
    right = made.call
    left.each_with_index.to_a.each { |h, i| h.default = i * 2 if i.odd? }
    right.each_with_index.to_a.peach { |h, i| h.default = i * 2 if i.odd? }
    expect(right.map { |h| looked_up(h) }).to eq(left.map { |h| looked_up(h) })
  end

  it "stays with Hashes that objects hold" do
    holders = Array.new(50) { |i| GivenDefaults::Holder.new(i.odd? ? Hash.new(3) : nil) }
    holders.peach { |o| o.table.nil? ? o.table = { 1 => 2 }.tap { |h| h.default = 7 } : o.give(5) }
    expect(holders.map { |o| looked_up(o.table) })
      .to eq(Array.new(50) { |i| looked_up(i.odd? ? Hash.new(5) : Hash.new(7).merge!(1 => 2)) })
    holders.peach { |o| o.table = Hash.new { |_, k| k }.tap { |h| h.default = 7 if h[1] == 1 } }
    expect(holders.map { |o| looked_up(o.table) }).to all(eq(looked_up(Hash.new(7))))
    holders.peach { |o| o.table = Hash.new { |_, k| k }.tap { |h| h.default = 7 if h[1] == 2 } }
    expect(holders.map { |o| [o.table[8], o.table.default, o.table.default_proc.nil?] }).to all(eq([8, nil, false]))
  end

  it "is seen by the other calls of a section" do
    outside = { 1 => 2 }
    seen = Ikra.section do
      made = { 1 => 2 }
      made.default = outside.default = 4
      first = [1, 2].pmap { |x| [made[x], outside[x]] }
      made.default = outside.default = 6
      [first, [1, 2].pmap { |x| [made[x], outside[x]] }, made]
    end
    expect(seen).to eq([[[2, 2], [4, 4]], [[2, 2], [6, 6]], { 1 => 2 }])
    expect([outside.default, seen[2].default]).to eq([6, 6])
    changed = Ikra.section do
      made = { 1 => 2 }
      [[1, 2].pmap { |x| (made.default = x) && made[7] }, made[8], made]
    end
    expect([changed, changed[2].default]).to eq([[[1, 2], 2, { 1 => 2 }], 2])
  end

  next if backend == :ruby

  it "is what elements conflict over" do
    Ikra.conflicts = :raise
    table = { 1 => 2 }
    told = /over the default of the same Hash/
    expect { [1, 2].peach { |x| table.default = x } }.to raise_error(Ikra::ConflictError, told)
    expect { [1, 2].peach { |x| x == 1 ? table.default = x : table[7] } }.to raise_error(Ikra::ConflictError)
    expect([1, 2].pmap { |x| x == 3 ? table.default = x : table[2] }).to eq([nil, nil])
    [1, 2].pmap { |x| x == 1 ? table.default = x : table[1] }
    expect(table.default).to eq(1)
  end

  it "is no lambda, and no default of what an Ikra.sync could look at" do
    function = ->(_, _) { 5 }
    table = {}
    lambdas = [-> { [1].pmap { Hash.new(->(_, _) { 5 })[1] } }, -> { [1].pmap { Hash.new(function)[1] } },
               -> { [1].pmap { |x| (h = {}).default = function and h[x] } },
               -> { [1].pmap { |x| (h = {}).default_proc = function and h[x] } },
               -> { [1].pmap { |x| (h = {}).default_proc = :succ and h[x] } },
               -> { Ikra.section { (table.default = 1) && Ikra.sync { table.size } } }]
    lambdas.each { |run| expect(&run).to raise_error(Ikra::UnsupportedError, /\[unsupported-hash\]\n.*\n.*\n.*hint: /) }
    expect(table.default).to be_nil
  end

  it "is not changed in the middle by Ruby, nor is what Hashes look up by" do
    table = Hash.new(3)
    expect(Ikra.section { [table[4], Ikra.sync { table.default = 9 }, table[5]].values_at(0, 2) }).to eq([3, 9])
    blocks = Hash.new { |_, key| key }
    [-> { Ikra.section { blocks[4] && Ikra.sync { blocks.default = nil } && blocks[5] } },
     -> { Ikra.section { table[4] && Ikra.sync { table.compare_by_identity } && table[5] } },
     -> { Ikra.section { (h = {}) && Ikra.sync { h.default = 4 } && h[5] } },
     -> { Ikra.section { (h = Hash.new(3)) && Ikra.sync { h.default = 4 } && h[5] } },
     -> { Ikra.section { (h = Hash.new { |_, k| k }) && Ikra.sync { h.default = 4 } && h[5] } },
     -> { Ikra.section { (h = {}) && Ikra.sync { h.compare_by_identity } && h[5] } }].each do |run|
      expect(&run).to raise_error(Ikra::UnsupportedError, /\[changed-in-sync\]/)
    end
  end
end

# frozen_string_literal: true

require "set"

# Hashes and Sets that a section makes and freezes.
module FrozenHashes
  GIVEN = { x: 1 }.freeze

  module_function

  # Whether what is given, and what is in it, is frozen.
  def frozen(value)
    within = case value
             when Array then value
             when Hash then value.to_a.flatten(1)
             when Set then value.to_a
             else []
             end
    [value, value.frozen?, within.map { |item| frozen(item) }]
  end
end

each_backend do
  define_method(:expect_frozen_same) do |base = [1, 2], &block|
    expect(FrozenHashes.frozen(base.pmap(&block))).to eq(FrozenHashes.frozen(base.map(&block)))
  end

  it "gives frozen ones" do
    expect_frozen_same { |i| { a: i }.freeze }
    expect_frozen_same { |i| { a: { b: [i].freeze }.freeze, c: {} }.freeze }
    expect_frozen_same { |i| i > 1 ? { a: 1 }.freeze : { a: 2 } }
    expect_frozen_same do |i|
      h = { a: i }.freeze
      [h, { b: 1 }, h]
    end
    expect_frozen_same { |i| [Set[i, 2].freeze, Set[i]] }
    expect_frozen_same { |i| Hash.new(i).freeze }
    expect_frozen_same do |i|
      all = []
      5.times do |j|
        h = { j => i }
        h.freeze if j.odd?
        all << h
      end
      all
    end
  end

  it "knows whether they are" do
    expect_same([1, 2]) do |i|
      h = { a: i }
      before = h.frozen?
      h.freeze
      [before, h.frozen?, h[:a], h.equal?(h.freeze)]
    end
    expect_same([1, 2]) do |i|
      h = { a: i }
      k = h
      k.freeze if i > 1
      [h.frozen?, { h => 3 }[{ a: 1 }]]
    end
    expect_same([1, 2]) do |i|
      h = { 1 => 2, 3 => 4, i => 5 }
      h.delete(1)
      h.freeze
      [h.keys, h.size, h, h.to_a, h.first]
    end
    expect_same([1, 2]) do |i|
      s = Set[i].freeze
      [s.frozen?, s.include?(1), s | [7], { s => 1 }[Set[1]]]
    end
    expect_same([1, 2]) do |i|
      h = { a: i, b: 2 }.freeze
      [h.select { |_, v| v > 1 }, h.merge({ c: 1 })].map(&:frozen?)
    end
  end

  it "copies them" do
    expect_frozen_same do |i|
      h = { a: i }.freeze
      g = h.dup
      g[:b] = 2
      [g, h, h.clone, h.clone(freeze: false)]
    end
    expect_frozen_same do |i|
      h = { a: i }
      [h.clone(freeze: true), h.clone, h]
    end
    expect_frozen_same do |i|
      s = Set[i].freeze
      t = s.dup
      t << 5
      [s, t, s.clone]
    end
    expect_frozen_same do |_|
      [FrozenHashes::GIVEN.clone, FrozenHashes::GIVEN.dup, FrozenHashes::GIVEN.clone(freeze: false)]
    end
  end

  it "raises Ruby's errors where they are changed" do
    expect_same([1, 2]) do |i|
      h = { a: i }
      h.freeze if i > 1
      h[:b] = 1
      h
    end
    expect_same([1, 2]) { |i| Set[i].freeze << 3 }
    expect_same([1, 2]) do |i|
      h = Hash.new { |g, k| g[k] = i }.freeze
      h[1]
    end
    %i[[]= store].each do |name|
      expect_same([1, 2]) do |i|
        h = { a: i }.freeze
        begin
          h.public_send(name, :a, 1)
        rescue FrozenError => e
          e.message
        end
      end
    end
    expect_same([1]) do |_|
      h = {}.freeze
      begin
        h.clear
      rescue FrozenError => e
        e.message
      end
    end
    expect_same([1]) do |i|
      h = { a: i }.freeze
      begin
        h.delete(:c)
      rescue FrozenError => e
        e.message
      end
    end
    expect_same([1]) do |i|
      h = { a: i }.freeze
      begin
        h.delete_if do |_, _|
          false
        end
      rescue FrozenError => e
        e.message
      end
    end
    expect_same([1]) do |i|
      h = { a: i }.freeze
      begin
        h.select! do |_, _|
          true
        end
      rescue FrozenError => e
        e.message
      end
    end
    expect_same([1]) do |i|
      h = { a: i }.freeze
      begin
        h.merge!({})
      rescue FrozenError => e
        e.message
      end
    end
    expect_same([1]) do |i|
      h = { a: i }.freeze
      begin
        h.transform_values! do |v|
          v
        end
      rescue FrozenError => e
        e.message
      end
    end
    expect_same([1]) do |i|
      h = { a: i }.freeze
      begin
        h.compact!
      rescue FrozenError => e
        e.message
      end
    end
    expect_same([1]) do |i|
      h = { a: i }.freeze
      begin
        h.shift
      rescue FrozenError => e
        e.message
      end
    end
    expect_same([1]) do |i|
      s = Set[i].freeze
      begin
        s.delete(i)
      rescue FrozenError => e
        e.message
      end
    end
  end

  it "says of a Hash that is nowhere yet that the section has made it" do
    one = { "a" => { 1 => 2 } }
    other = { 5 => [0, 1] }
    changing = lambda do |n|
      one.default = { 3 => 4 }
      other.default = [0, 1] if n.zero?
      made = { a: [1, n] }
      made.freeze
      made[:b] = made[:a]
      made
    end
    expect { [1].map(&changing) }.to raise_error(FrozenError)
    expect { [1].pmap(&changing) }.to raise_error(Ikra.backend == :ruby ? FrozenError : /\[changed-record\]/)
  end
end

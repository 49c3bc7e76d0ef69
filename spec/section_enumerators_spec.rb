# frozen_string_literal: true

require "tempfile"
require_relative "support/own_each"

# What the blocks of parallel calls in a section get of Enumerators, and what these calls give: as Ruby's methods.
RSpec.describe "Enumerators in a section" do
  # With and without the p: the name stands in the text, so there are two methods for each.
  bases = %w[
    list.each_with_index list.each.with_index(2) list.each_slice(2).each_with_index list.each_slice(2).with_index(1)
    list.each_cons(2).each_with_index list.each_cons(2).with_index(1) list.each_with_object(7)
    list.each.with_object(7) list.each_entry list.reverse_each list.reverse_each.with_index list.each_index
    list.each_slice(2) list.each_with_index.map list.each_with_index.each_slice(2) list.to_enum(:each_with_index)
    list.each_with_index.with_index(1) list.each.with_index.with_object(7)
    hash.each hash.each_pair hash.each_with_index hash.each.with_index(1) hash.each_slice(2)
    hash.each_slice(2).with_index hash.each_key.with_index hash.map.with_index hash.each_with_object(7)
    hash.each_with_index.with_index hash.transform_keys.to_a hash.transform_values.to_a
    (1..3).each_with_index (1..3).each.with_index(2) (1..3).each_slice(2).each_with_index
    3.times 3.times.with_index(1) 4.upto(6).each_with_index 6.downto(4).with_index
    pair.each pair.each_pair pair.each_with_index pair.each_slice(1) own.each_with_index own.each_slice(2).with_index
  ]
  blocks = {
    "map" => ["{ |x| x }", "{ |x, y| [x, y] }", "{ |(x, y), z| [x, y, z] }", "{ |*all| all }", "{ _1 }",
              "{ [_1, _2] }"],
    "select" => ["{ |x| x != 2 }", "{ |_, y| y }"], "reject" => ["{ |_, y| y == 1 }"], "count" => ["{ |x| x == 1 }"]
  }
  calls = bases.flat_map { |base| blocks.flat_map { |name, all| all.map { |block| [base, name, block] } } }
  answers = ["map.with_index", "select", "find_index", "to_enum(:map)"].map { |call| "list.#{call}" }

  each_effect = bases - %w[hash.map.with_index list.each_with_index.map list.each_with_index.each_slice(2)]
  calls += each_effect.map { |base| [base, "each", "{ |x, y| out << [x, y] }"] }
  calls += %w[split one].product(["list.each.with_index(2)", "hash.each", "hash.each_with_index"], ["map"])
                        .map { |by, base, name| [base, name, "(&#{by})"] }
  calls += %w[list.each_with_index list.each.with_index(2)].map { |base| [base, "map", "(&:inspect)"] }
  texts = calls.map do |base, name, block|
    ["#{base}.#{name}#{block}", "Ikra.section { #{base}.p#{name}#{block} }"]
  end
  file = Tempfile.new(["section_enumerators", ".rb"])
  parameters = "list, hash, pair, own, split, one, out"
  methods = (texts + answers.map { |text| ["0", "Ikra.section { #{text}.peach { |x, i| i || x } }"] })
  file.write("module SectionEnumerators\n", *methods.flatten.each_with_index.map do |text, i|
    "  def self.call#{i}(#{parameters}) = #{text}\n"
  end, "end\n")
  file.close
  load file.path
  after(:context) { file.unlink }

  pair = Struct.new(:a, :b)
  given = lambda do |number|
    out = []
    arguments = [[5, 1, 4], { a: 1, b: 2, c: 3 }, pair.new(1, 2), OwnEach::Own.new([2, 5]), ->(x, y) { [y, x] },
                 ->(x) { [x] }, out]
    result = begin
      SectionEnumerators.public_send(:"call#{number}", *arguments)
    rescue ArgumentError => e
      e.message
    end
    # Objects of other calls are other ones.
    [arguments.index { |argument| argument.equal?(result) } || result, out]
  end

  each_backend do
    it "are those of a Hash's keys and values, which its methods without a block give" do
      changed = lambda do |kept|
        [kept.transform_keys!.with_index { |k, i| k + i }, kept.transform_values!.with_index(1) { |v, i| v * i }, kept]
      end
      pairs = { 1 => 2, 3 => 4 }
      single = [1]
      found = Ikra.section { single.map { pairs.transform_keys.with_index { |k, i| (k * 10) + i } } }
      expect(found).to eq([{ 10 => 2, 31 => 4 }])
      expect(Ikra.section { changed.call(pairs) }).to eq(changed.call({ 1 => 2, 3 => 4 }))
      expect(pairs).to eq({ 1 => 2, 4 => 8 })
    end

    bases.each do |base|
      it "are #{base}" do
        calls.each_index.select { |i| calls[i].first == base }.each do |i|
          found = given.call((2 * i) + 1)
          expect([texts[i].last, found]).to eq([texts[i].last, given.call(2 * i)])
        end
      end
    end
  end

  each_compiling_backend do
    it "are refused where a lambda would take apart what `select` makes one value of" do
      list = [5, 1, 4]
      split = ->(x, i) { x > i }
      expect { Ikra.section { list.each_with_index.pselect(&split) } }
        .to raise_error(Ikra::UnsupportedError, /\[unsupported-base\]/)
      one = ->(both) { both[0] > both[1] }
      expect(Ikra.section { list.each_with_index.pselect(&one) }).to eq([[5, 0], [4, 2]])
    end

    it "are refused where what they give depends on what the block gives" do
      answers.each_index do |i|
        expect { given.call((2 * (calls.size + i)) + 1) }.to raise_error(Ikra::UnsupportedError, /\[unsupported-base\]/)
      end
    end
  end
end

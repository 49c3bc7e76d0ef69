# frozen_string_literal: true

# A Hash has a frozen copy of a String as its key, which is one object for all Hashes that are given such a text.
RSpec.describe "Keys that are Strings" do
  number = 5
  outside = "text that is longer than a word 5"
  frozen = outside.dup.freeze
  given = { "k5" => 1 }
  item = Struct.new(:name).new("k5")
  forms = {
    "[]=" => -> { { "k#{number}" => 0 }.tap { |hash| hash["k#{number}"] = 1 } },
    "store" => -> { {}.tap { |hash| hash.store("k#{number}", 1) } },
    "+=" => -> { Hash.new(0).tap { |hash| hash["k#{number}"] += 1 }.to_h },
    "||=" => -> { {}.tap { |hash| hash["k#{number}"] ||= 1 } },
    "a literal" => -> { { "k5" => 1 } },
    "merge" => -> { { "a" => 1 }.merge({ "k#{number}" => 2 }) },
    "merge of one that was there" => -> { { "k#{number}" => 2 }.merge(given) },
    "merge into one that was there" => -> { given.merge({ "k#{number}" => 2 }) },
    "update" => -> { {}.update({ "k#{number}" => 2 }) },
    "to_h" => -> { [["k#{number}", 1]].to_h },
    "to_h with a block" => -> { [number].to_h { |x| ["k#{x}", 1] } },
    "group_by" => -> { [number].group_by { |x| "k#{x}" } },
    "tally" => -> { ["k#{number}", "k#{number}"].tally },
    "each_with_object" => -> { [number].each_with_object({}) { |x, hash| hash["k#{x}"] = 1 } },
    "inject" => -> { [number].inject({}) { |hash, x| hash.merge({ "k#{x}" => 1 }) } },
    "zip" => -> { ["k#{number}"].zip([1]).to_h },
    "invert" => -> { { 1 => "k#{number}" }.invert },
    "transform_keys" => -> { { number => 1 }.transform_keys { |key| "k#{key}" } },
    "select" => -> { { "k#{number}" => 1, "b" => 2 }.select { |_, value| value == 1 } },
    "sort" => -> { { "k#{number}" => 1, "b" => 2 }.sort.to_h },
    "a key of one that was there" => -> { {}.tap { |hash| given.each_key { |key| hash[key] = 1 } } },
    "a member" => -> { { item.name => 1 } },
    "a text from outside" => -> { { outside => 1 } },
    "the same, made" => -> { { "text that is longer than a word #{number}" => 1 } },
    "a frozen one from outside" => -> { { frozen => 1 } },
    "a frozen one" => -> { { "k#{number}".freeze => 1 } },
    "a number" => -> { { (number * 1.5e19).to_s => 1 } },
    "a number, again" => -> { { ((number - 1) * 1.875e19).to_s => 1 } },
    "deleted before" => -> { { "k#{number}" => 1 }.tap { |hash| hash.delete("k5") }.merge({ "k#{number}" => 3 }) }
  }
  callables = forms.values

  # Which of all keys, those that were there included, are one object.
  def same(hashes)
    keys = hashes.flat_map { |hash| hash.keys.map { |key| [key.__id__, key, key.encoding, key.frozen?] } }
    keys.map { |key| [keys.index { |other| other.first == key.first }, *key.drop(1)] }
  end

  around do |example|
    # Where Ruby 3.1 sweeps a key that is dead it can forget the one that has taken its place.
    GC.disable
    example.run
  ensure
    GC.enable
  end

  it "are one object for all Hashes, in whatever way they come there" do
    ruby = same([given, { frozen => 1 }, *callables.map(&:call)])
    own = same([given, { frozen => 1 }, *Ikra.section { callables.map(&:call) }])
    expect(own).to eq(ruby)
    expect(same([given, *[0].pmap { callables.map(&:call) }.first])).to eq(same([given, *callables.map(&:call)]))
  end
end

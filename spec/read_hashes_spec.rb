# frozen_string_literal: true

# Hashes as later calls read them: what they hold goes straight into the columns, and those with the very keys of the
# one before share them there.
module ReadHashesSpec
  Mark = Struct.new(:place)

  # Records whose keys are the same, in another order, too few or too many; with Hashes in them, some in several.
  def self.records(seed, keys = %w[id price qty tag], count = 600)
    random = Random.new(seed)
    inner = Array.new(20) { |i| { keys[0] => i * 1.5, keys[1] => i } }
    Array.new(count) do |i|
      of = case random.rand(10)
           when 0 then keys.shuffle(random:)
           when 1 then keys.first(random.rand(4))
           when 2 then keys + ["more#{i % 3}"]
           else keys
           end
      record = of.to_h { |key| [key, [i, i * 0.5, nil, true, :a, "é#{i % 5}"][random.rand(seed.even? ? 2 : 6)]] }
      record["inner"] = inner[random.rand(20)] if random.rand(3) > 0
      record.delete(of.first) if random.rand(20).zero?
      record
    end
  end
end

each_compiling_backend do
  # The block runs over several bases one after the other, which are all of the same types.
  def expect_same_of_all(*bases, &block)
    bases.each { |base| expect(base.pmap(&block)).to eq(base.map(&block)) }
  end

  def worlds(*arguments) = [2, 4, 6, 8, 3, 5].map { |seed| ReadHashesSpec.records(seed, *arguments) }

  it "reads records" do
    expect_same_of_all(*worlds) { |h| [h["id"], h["price"], h["qty"], h["tag"], h["none"]] }
    expect_same_of_all(*worlds) { |h| (h["inner"] || {})["price"] }
    expect_same_of_all(*worlds(%i[id price qty tag])) { |h| [h[:id], h[:tag], h["inner"]&.fetch(:price)] }
    expect_same_of_all(*worlds([1, 2, 2.0, nil])) { |h| [h[1], h[2], h[2.0], h[nil], h[3]] }
  end

  it "goes through their pairs" do
    expect_same_of_all(*worlds) { |h| [h.size, h.keys, h.each_key.map(&:size)] }
    expect_same_of_all(*worlds) { |h| h.map { |k, v| [v, k] } }
    expect_same_of_all(*worlds) { |h| [h.values, h.count { |k, v| v && k != "id" }, h.key?("more1")] }
    expect_same_of_all(*worlds) { |h| h.size }
    expect_same_of_all(*worlds) { |h| h.values.compact.size }
    expect_same_of_all(*worlds) { |h| h.any? { |k, _| k == "qty" } }
  end

  it "reads long ones, and empty ones" do
    make = lambda do |seed|
      Array.new(40) { |i| (0...[0, 1, 8, 9, 16, 17, 255, 256, 257, 1000][(i + seed) % 10]).to_h { |j| [j * 2, j + i] } }
    end
    expect_same_of_all(make.call(1), make.call(2), make.call(9)) { |h| [h[0], h[16], h[510], h[512], h[1998], h.size] }
    expect_same_of_all(make.call(1), make.call(2), make.call(9)) { |h| h.sum { |k, v| k * v } }
  end

  it "sees what has become of them" do
    records = ReadHashesSpec.records(2)
    block = ->(h) { [h["id"], h["price"], h.size] }
    3.times do |round|
      expect(records.pmap(&block)).to eq(records.map(&block))
      records.each_with_index do |record, i|
        record["id"] = i + round if i.odd?
        record.delete("price") if i % 7 == round
        record["new#{round}"] = i if i % 11 == round
      end
    end
  end

  it "tells Hashes apart that look up in other ways" do
    make = lambda do |seed|
      Array.new(60) do |i|
        hash = { "a" => i, "b" => i * 2 }
        case (i + seed) % 6
        when 0 then hash.compare_by_identity
        when 1 then hash.default = 7
        when 2 then hash.default_proc = proc { |_, k| k.size }
        end
        hash
      end
    end
    expect_same_of_all(make.call(0), make.call(1), make.call(3)) { |h| [h["a"], h["b"], h["ccc"]] }
  end

  it "finds keys that are arrays and Structs, and refuses those that have changed" do
    make = ->(n) { Array.new(30) { |i| { [i, n] => i, ReadHashesSpec::Mark.new(i % 3) => n } } }
    mark = ReadHashesSpec::Mark.new(1)
    expect_same_of_all(make.call(1), make.call(2), make.call(3)) { |h| [h[[4, 1]], h[[4, 2]], h[mark]] }
    bases = [make.call(1), make.call(2)]
    # One in 256 Ruby finds all the same.
    bases[1].first(9).each { |hash| hash.keys.first << 5 }
    block = ->(h) { h[[3, 2]] }
    bases[0].pmap(&block)
    expect { bases[1].pmap(&block) }.to raise_error(Ikra::UnsupportedError, /unsupported-key/)
  end

  it "still changes Hashes, and others that hold them" do
    make = -> { Array.new(50) { |i| { "a" => i, "in" => { "b" => i } } } }
    3.times do
      ours = make.call
      theirs = make.call
      block = lambda do |h|
        h["a"] += 1
        h["c"] = h["in"]["b"] if h["a"].odd?
        h["in"]["b"] += 2
      end
      ours.peach(&block)
      theirs.each(&block)
      expect(ours).to eq(theirs)
    end
  end

  it "gives them and what is in them back" do
    bases = worlds
    3.times do |i|
      expect(bases[i].pmap { |h| h["inner"] }).to eq(bases[i].map { |h| h["inner"] })
      same = bases[i].pmap { |h| [h, h["inner"], h["tag"]] }
      held = bases[i].map { |h| [h, h["inner"], h["tag"]] }
      expect(same.flatten(1).map(&:object_id)).to eq(held.flatten(1).map(&:object_id))
    end
  end
end

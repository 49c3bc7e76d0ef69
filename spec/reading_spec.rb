# frozen_string_literal: true

# Objects that are so many that all threads read them: what comes of it is what one thread, and Ruby, would give.
module ReadingSpec
  class Item
    attr_accessor :number, :other, :list

    def initialize(number) = @number = number

    def inspect = "#<Item>"

    def weight
      case number
      when Integer then number % 97
      when Float then number < 1.0 ? 5 : 6
      when Symbol then number == :heavy ? 100 : 1
      else number ? 2 : 3
      end
    end

    def total
      sum = weight + (other ? other.weight : 0)
      list&.each { |item| sum += item.weight }
      sum
    end
  end

  class Heavy < Item
    def weight = super + 1000
  end

  Pair = Struct.new(:left, :right)

  COUNT = 30_000

  # Objects of two classes that hold numbers of all kinds, each other, and arrays of each other. Some stand in several
  # arrays, some arrays in several objects; variables are not set, objects are extended, and most come about twice.
  def self.world(seed)
    random = Random.new(seed)
    plain = [->(i) { i }, ->(i) { i * 0.5 }]
    odd = [->(i) { i * 1e-300 }, ->(i) { (2**62) + i }, ->(_) {}, ->(i) { i.even? },
           ->(i) { i.even? ? :heavy : :"s#{i % 7}" }]
    makers = seed.even? ? plain : plain + odd
    items = Array.new(COUNT) do |i|
      (random.rand(10).zero? ? Heavy : Item).new(makers[random.rand(100) < 90 ? 0 : random.rand(makers.size)].call(i))
    end
    items.each { |item| item.other = items[random.rand(COUNT)] if random.rand(4) > 0 }
    lists = Array.new(COUNT / 2) { Array.new(random.rand(4)) { items[random.rand(COUNT)] } }
    lists << Array.new(COUNT) { items[random.rand(COUNT)] }
    items.each { |item| item.list = lists[random.rand(lists.size - 1)] if random.rand(3) > 0 }
    items.last.list = lists.last
    20.times { items[random.rand(COUNT)].extend(Comparable) }
    items.first(COUNT / 2) + Array.new(COUNT / 2) { items[random.rand(COUNT)] }
  end
end

each_compiling_backend do
  # What the block gives with one thread, with two, and with sixteen.
  def with_threads
    results = [1, 2, 16].map do |count|
      Ikra.threads = count
      yield
    end
    expect(results.uniq.size).to eq(1)
    results.first
  ensure
    Ikra.threads = nil
  end

  4.times do |seed|
    it "reads objects of all kinds (#{seed})" do
      items = ReadingSpec.world(seed)
      expected = items.map(&:total)
      expect(with_threads { items.pmap(&:total) }).to eq(expected)
      objects = with_threads { items.pmap { |item| item.other || item }.map(&:__id__) }
      expect(objects).to eq(items.map { |item| (item.other || item).__id__ })
    end
  end

  it "writes what was read to the same objects, frozen ones or not" do
    items = ReadingSpec.world(0).uniq
    before = items.map(&:number)
    [1, 2, 16].each do |count|
      Ikra.threads = count
      items.peach { |item| item.number = item.weight * 2 }
      expect(items.map(&:number)).to eq(items.zip(before).map do |item, number|
                                          (item.number = number) && (item.weight * 2)
                                        end)
      items.zip(before) { |item, number| item.number = number }
    end
    items[items.size - 7].freeze
    [1, 2, 16].each do |count|
      Ikra.threads = count
      expect { items.peach { |item| item.number = 1 } }.to raise_error(FrozenError)
    end
    expect(items.map(&:number)).to eq(before)
  ensure
    Ikra.threads = nil
  end

  it "reads members of Structs, and arrays in arrays" do
    count = ReadingSpec::COUNT
    pairs = Array.new(count) { |i| ReadingSpec::Pair.new(i, i % 5 == 0 ? nil : i * 0.5) }
    sums = pairs.map { |pair| pair.left + (pair.right || 7) }
    expect(with_threads { pairs.pmap { |pair| pair.left + (pair.right || 7) } }).to eq(sums)
    shared = [1.5, 2.5]
    rows = Array.new(count) { |i| i % 9 == 0 ? [shared, [i * 1.0]] : [[i * 0.5, 1.0, 2.0], shared] }
    expect(with_threads { rows.pmap { |row| row.sum { |list| list.sum } } }).to eq(rows.map { |row| row.sum(&:sum) })
  end

  it "reads long arrays of several types, also where something comes late that was not met before" do
    count = ReadingSpec::COUNT
    values = Array.new(count * 2) { |i| [i, i * 0.5, nil, true, false, i * 1e-300][i * i % 6] }
    values[count] = :late
    values[count + 5000] = (2**63) - 1
    values[-1] = ReadingSpec::Item.new(1)
    expect(with_threads { values.pmap { |value| value } }).to eq(values)
    values[-2] = 2**64
    expect(with_threads { values.pmap { |value| value } }).to eq(values)
  end

  # It protects the pages that objects have left, and only threads of Ruby can answer for that: so it must be done when
  # the section begins.
  it "reads objects that the garbage collector moves" do
    previous = GC.auto_compact
    # In the middle of marking, Ruby 3.1 would move what is held by the stack.
    switch = lambda do |value|
      GC.start
      GC.auto_compact = value
    end
    switch[true]
    items = ReadingSpec.world(0)
    expected = items.map(&:total)
    Ikra.threads = 2
    10.times do
      Array.new(20_000) { |i| [i, Object.new] }
      GC.start(full_mark: true, immediate_sweep: false)
      expect(items.pmap(&:total)).to eq(expected)
    end
  rescue NotImplementedError
    skip "this Ruby moves no objects"
  ensure
    switch[previous] unless previous.nil?
    Ikra.threads = nil
  end
end

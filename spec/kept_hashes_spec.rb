# frozen_string_literal: true

require "set"

module KeptHashes
  class Document
    attr_reader :words, :counts, :seen, :groups

    def initialize(words)
      @words = words
      @counts = nil
    end

    def count
      @counts = {}
      @words.each { |word| @counts[word] = (@counts[word] || 0) + 1 }
    end

    def note
      @seen = Set.new
      @words.each { |word| @seen << word.size }
    end

    def group = @groups = @words.group_by(&:size)
    def tally = @counts = @words.tally
  end

  class Node
    attr_accessor :seen, :children, :number

    def initialize(number)
      @number = number
      @seen = {}
      @children = []
    end

    def grow
      3.times do |j|
        child = Node.new((@number * 10) + j)
        child.seen[j] = [@number, j]
        child.seen["k#{j}"] = { n: j, parent: self }
        @children << child
      end
      @seen[:done] = @children.size
    end
  end

  class Index
    attr_reader :lists, :nested, :self_seen

    def initialize
      @lists = Hash.new { |hash, key| hash[key] = [] }
      @nested = {}
      @self_seen = Hash.new { |hash, key| hash[key] = weight(key) }
    end

    def weight(key) = key * 3
    def add(key, value) = @lists[key] << value
    def put(shelf, name, value) = ((@nested[shelf] ||= {})[name] ||= []) << value
  end

  Holder = Struct.new(:table)
  SQUARES = Hash.new { |_, key| key * key }
end

RSpec.describe "Hashes that elements make and keep" do
  before { Ikra.conflicts = :in_order }

  def documents = Array.new(40) { |i| KeptHashes::Document.new(%w[a bb b ccc].rotate(i).first(1 + (i % 4))) }

  each_backend do
    it "stores them in variables of elements, which stay independent" do
      Ikra.conflicts = :raise
      expect_same_effects(method(:documents), &:count)
      expect_same_effects(method(:documents), &:note)
      expect_same_effects(method(:documents), &:group)
      expect_same_effects(method(:documents), &:tally)
      expect_same_effects(-> { Array.new(9) { KeptHashes::Holder.new } }, 3) { |h| h.table = { h.table&.size => 1 } }
    end

    it "stores them in objects that elements make" do
      grown = lambda do |method|
        nodes = Array.new(30) { |i| KeptHashes::Node.new(i) }
        nodes.public_send(method, &:grow)
        nodes
      end
      expect(WholeObjects.of(grown.call(:peach))).to eq(WholeObjects.of(grown.call(:each)))
    end

    it "puts them into Hashes and arrays that exist" do
      put = lambda do |method|
        tables = [counts = {}, records = {}, list = []]
        60.times.public_send(method) { |i| (counts[i % 7] ||= Hash.new(0))[i % 3] += 1 }
        60.times.public_send(method) { |i| records[i] = { id: i, half: i * 0.5, tags: ["t#{i % 3}"] } }
        60.times.public_send(method) { |i| list << { i => i * i } }
        tables
      end
      left, right = %i[each peach].map(&put)
      expect(right).to eq(left)
      expect(right[0].values.map(&:default)).to all(eq(0))
      expect(right[0].keys).to eq(left[0].keys)
    end

    it "nests them" do
      records = Array.new(200) { |i| [%w[a b c][i % 3], "n#{i % 7}", i] }
      filled = lambda do |method|
        index = KeptHashes::Index.new
        records.public_send(method) { |shelf, name, i| index.put(shelf, name, i) }
        own = Array.new(5) { KeptHashes::Index.new }
        own.public_send(method) { |other| records.each { |shelf, name, i| other.put(shelf, name, i) } }
        [index.nested, own.map(&:nested)]
      end
      expect(filled.call(:peach)).to eq(filled.call(:each))
    end

    it "keeps one Hash one Hash" do
      store = {}
      given = 20.times.pmap do |i|
        table = { id: i }
        store[i] = table
        table[:more] = i.to_f
        table
      end
      expect(given).to eq(Array.new(20) { |i| { id: i, more: i.to_f } })
      expect(store.values.zip(given)).to all(satisfy { |a, b| a.equal?(b) })
    end

    it "changes them in later ticks and calls" do
      program = lambda do |holders, method|
        holders.public_send(method) { |h| h.table = { n: 0, list: [] } }
        holders.public_send(method) { |h| h.table[:n] = (h.table[:n] || 0) + 1 }
        holders.public_send(method) { |h| h.table.delete(:n) if h.table[:n].odd? }
        holders[0].table[:last] = { deep: 1 }
        holders.public_send(method) { |h| (h.table[:sub] ||= {})[:x] = 2 }
        holders
      end
      left, right = Array.new(2) { Array.new(8) { KeptHashes::Holder.new } }
      Ikra.section { program.call(right, :peach) }
      expect(right).to eq(program.call(left, :each))
    end

    it "begins again where they are more than there was room for" do
      tables = Array.new(3) { KeptHashes::Holder.new({}) }
      fill = ->(holder) { 700.times { |i| holder.table[i] = { i => holder.table.size } } }
      tables.peach { |holder| fill.call(holder) }
      expect(tables[2].table).to eq(Array.new(700) { |i| [i, { i => i }] }.to_h)
    end

    it "leaves nothing of those that failed" do
      holders = Array.new(6) { KeptHashes::Holder.new(nil) }
      expect { holders.peach { |h| h.table = { h.object_id => Integer.sqrt(-1) } } }.to raise_error(StandardError)
      expect(holders.map(&:table)).to all(be_nil)
      outside = { 1 => {} }.freeze
      expect { [2, 3].peach { |x| outside[x] = { x => 1 } } }.to raise_error(FrozenError)
      expect(outside).to eq(1 => {})
    end
  end

  it "makes them while everything is collected and moved" do
    left, right = Array.new(2) { Array.new(2) { |i| KeptHashes::Node.new(i) } }
    left.each(&:grow)
    GCModes.while_collecting { right.peach(&:grow) }
    expect(WholeObjects.of(right)).to eq(WholeObjects.of(left))
  end
end

RSpec.describe "Default blocks of Hashes that exist" do
  before { Ikra.conflicts = :in_order }

  each_backend do |backend|
    it "runs them for keys that are not there" do
      messages = Hash.new { |_, key| "no #{key}" }
      expect_same((0..4).to_a) { |i| [messages[i], KeptHashes::SQUARES[i], messages.size] }
      squares = KeptHashes::SQUARES
      expect_same([3]) { |i| [squares.fetch(i, 1), squares.key?(i), squares.default] }
      expect_same([3]) { |i| KeptHashes::SQUARES.merge({ 1 => 2 })[i] + KeptHashes::SQUARES.default(i) }
    end

    it "puts what they make where they say, in the order of the base" do
      filled = lambda do |method|
        groups = Hash.new { |hash, key| hash[key] = [] }
        tables = Hash.new { |hash, key| hash[key] = Hash.new(0) }
        indexes = Array.new(3) { KeptHashes::Index.new }
        80.times.public_send(method) { |i| groups[(i * 5) % 7] << i }
        80.times.public_send(method) { |i| tables[(i * 5) % 7][i % 3] += 1 }
        80.times.public_send(method) { |i| indexes[i % 3].add(i % 4, i) }
        indexes.public_send(method) { |index| index.add(:own, 1) }
        [groups.to_a, tables.to_a, indexes.map { |index| index.lists.to_a }]
      end
      expect(filled.call(:peach)).to eq(filled.call(:each))
    end

    it "remembers what was computed" do
      results = %i[map pmap].map do |method|
        memo = Hash.new { |hash, n| hash[n] = n < 2 ? n : hash[n - 1] + hash[n - 2] }
        [(0..40).public_send(method) { |i| memo[i] }, memo.to_a]
      end
      expect(results[1]).to eq(results[0])
    end

    it "sees what is around them, where all Hashes have the same one" do
      scale = 3
      table = Hash.new { |hash, key| hash[key] = key * scale }
      expect([1, 2, 1].pmap { |x| table[x] }).to eq([3, 6, 3])
      scale = 4
      expect([1, 5].pmap { |x| table[x] }).to eq([3, 20])
      index = KeptHashes::Index.new
      expect([4, 4].pmap { |x| index.self_seen[x] }).to eq([12, 12])
      next if backend == :ruby

      others = Array.new(2) { KeptHashes::Index.new }
      expect { others.pmap { |other| other.self_seen[4] } }
        .to raise_error(Ikra::UnsupportedError, /unsupported-default/)
      # So it is where another thread could change objects, so that they are read again.
      other = Thread.new { sleep }
      expect { others.pmap { |index| index.self_seen[4] } }
        .to raise_error(Ikra::UnsupportedError, /unsupported-default/)
      expect([others[0], others[0]].pmap { |index| index.self_seen[5] }).to eq([15, 15])
    ensure
      other&.kill
    end

    it "knows Hashes of other blocks from each other" do
      [Hash.new { |_, key| key + 1 }, Hash.new { |_, key| key * 10 }, Hash.new(7), {}].each do |table|
        expect_same([4]) { |x| table[x] }
      end
      tables = [Hash.new { |_, key| key + 1 }, Hash.new { |_, key| key * 10 }]
      expect_same([0, 1, 0]) { |x| tables[x][4] }
    end
  end

  it "refuses what is none that is written as a block" do
    table = Hash.new(&:size)
    expect { [1].pmap { |x| table[x] } }.to raise_error(Ikra::UnsupportedError, /unsupported-default/)
  end
end

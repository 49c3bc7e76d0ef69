# frozen_string_literal: true

# Objects of class Object, which are nothing but themselves.
module Sentinels
  NONE = Object.new

  class Cell
    attr_accessor :value
  end

  # What each of some objects is: the same as which one before it.
  def self.seen(list) = list.map { |item| [item.class, list.index { |other| other.equal?(item) }] }
end

each_backend do
  it "knows each from all others" do
    expect_same([1, 2]) do |_|
      one = Object.new
      other = Object.new
      which = case other when one then 1 when Object then 2 end
      [one == other, one.equal?(one), one != other, one.eql?(other), one == one.dup, which, one.class]
    end
    expect_same([3, 0]) do |n|
      none = Object.new
      best = none
      n.times { |i| best = i if best.equal?(none) || i > best }
      best.equal?(none) ? :none : best
    end
  end

  it "finds what is not there by them" do
    expect_same([{ a: 1 }, { b: nil }]) do |hash|
      none = Object.new
      %i[a b].map { |key| hash.fetch(key, none).equal?(none) ? :none : hash[key] }
    end
  end

  it "has them as keys and values of Hashes" do
    expect_same([1, 2]) do |n|
      keys = Array.new(3) { Object.new }
      places = keys.each_with_index.to_h
      [places[keys[n]], places[Object.new], places.size, keys.uniq.size]
    end
  end

  it "gives them" do
    given = [1, 2].pmap do |n|
      one = Object.new
      [one, one, Object.new, n.odd? ? Object.new : nil, { one: }].then { |all| all[..3] + all[4].values }
    end
    first, second = given.map { |all| Sentinels.seen(all) }
    expect(first).to eq([[Object, 0], [Object, 0], [Object, 2], [Object, 3], [Object, 0]])
    expect(second).to eq([[Object, 0], [Object, 0], [Object, 2], [NilClass, 3], [Object, 0]])
    expect([1].pmap { Object.new.freeze }.first).to be_frozen
  end

  it "keeps them in objects, beside such that were there before" do
    cells = Array.new(3) { Sentinels::Cell.new }
    Ikra.section do
      shared = Object.new
      cells.each_with_index { |cell, i| cell.value = i == 1 ? Sentinels::NONE : shared }
    end
    expect(Sentinels.seen(cells.map(&:value))).to eq([[Object, 0], [Object, 1], [Object, 0]])
    expect(cells[1].value).to equal(Sentinels::NONE)
  end

  it "takes no arguments" do
    expect_same([1]) { |n| Object.new(n) }
    expect_same([1]) { |n| Object.new(a: n) }
    expect_same([1]) { |n| Sentinels::Cell.new(n, a: n) }
  end
end

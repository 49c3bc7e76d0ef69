# frozen_string_literal: true

require "set"
require_relative "own_each"

# Every operation with some arguments and blocks, on collections of all kinds: what it is compared with is Ruby's method
# without the p. A row calls the method by the name that it is given, so that both have the same block.
module OperationTable
  Row = Struct.new(:name, :call, :kinds)

  ROWS = [] # rubocop:disable Style/MutableConstant

  # @param values [Array<Symbol>] the kinds of values that it is tried with: see {VALUES}
  def self.row(name, values = %i[integers floats], &call)
    ROWS << Row.new(name, call, values)
  end

  ANY = %i[integers floats nils mixed nans zeros bignums].freeze
  NUMBERS = %i[integers floats zeros].freeze

  row(:map) { |all, name| all.public_send(name) { |x| x * 2 } }
  # What a method that changes its collection gives, and what that is then; the collections are used again.
  def self.changing(name, values = %i[integers floats], &call)
    row(name, values) do |all, called|
      copy = all.dup
      given = call.call(copy, called)
      [given.equal?(copy) ? :self : given, copy]
    end
    row(name, values) { |all, called| call.call(all.dup.freeze, called) }
  end

  row(:flat_map) { |all, name| all.public_send(name) { |x| [x, -x] } }
  row(:flat_map) { |all, name| all.public_send(name) { |x| x } }
  row(:filter_map) { |all, name| all.public_send(name) { |x| x * 2 if x > 3 } }
  row(:filter_map, ANY - [:bignums]) { |all, name| all.public_send(name) { |x| x } }
  %i[select filter find_all reject].each { |takes| row(takes) { |all, name| all.public_send(name) { |x| x > 3 } } }
  row(:partition) { |all, name| all.public_send(name) { |x| x > 3 } }
  row(:uniq, ANY) { |all, name| all.public_send(name) }
  row(:uniq) { |all, name| all.public_send(name) { |x| x > 3 } }
  row(:uniq) { |all, name| all.public_send(name) { |x| x.to_i % 5 } }
  row(:uniq) { |all, name| all.public_send(name) { |x| [x > 3, 1] } }
  row(:compact, ANY) { |all, name| all.public_send(name) }
  row(:grep, ANY) { |all, name| all.public_send(name, 3..20) }
  row(:grep) { |all, name| all.public_send(name, 3..20) { |x| x + 1 } }
  row(:grep_v) { |all, name| all.public_send(name, 3..20) { |x| x + 1 } }
  %i[take drop].each { |some| row(some, ANY) { |all, name| all.public_send(name, 3) } }
  row(:first, ANY) { |all, name| all.public_send(name) }
  row(:first, ANY) { |all, name| all.public_send(name, 3) }
  row(:first) { |all, name| all.public_send(name, -1) }
  %i[take_while drop_while].each { |ends| row(ends) { |all, name| all.public_send(name) { |x| x < 900 } } }
  %i[chunk_while slice_when].each { |cuts| row(cuts) { |all, name| all.public_send(name) { |a, b| a < b }.to_a } }
  row(:chunk) { |all, name| all.public_send(name) { |x| x > 500 }.to_a }
  %i[slice_before slice_after].each do |cuts|
    row(cuts) { |all, name| all.public_send(name) { |x| x > 500 }.to_a }
    row(cuts, ANY) { |all, name| all.public_send(name, 3..20).to_a }
  end
  row(:chunk) { |all, name| all.public_send(name) { |x| x > 500 ? 1 : nil }.to_a }
  # Which of 0.0 and -0.0 is first is not defined: not every Ruby sorts stably.
  row(:sort, ANY - [:zeros]) { |all, name| all.public_send(name) }
  row(:sort, %i[zeros]) { |all, name| all.public_send(name).map { |x| x + 0.0 } }
  row(:sort_by) { |all, name| all.public_send(name) { |x| -x } }
  row(:sort_by, %i[zeros]) { |all, name| all.public_send(name) { |x| -x }.map { |x| x + 0.0 } }
  row(:sort_by) { |all, name| all.public_send(name) { |x| x * 0.5 } }
  row(:sort_by, %i[nans]) { |all, name| all.public_send(name) { |x| x } }
  row(:sort_by) { |all, name| all.public_send(name) { |x| [x > 500 ? 1 : 0, x] } }
  row(:sort_by) { |all, name| all.public_send(name) { |x| x > 500 ? nil : x } }
  %i[map! collect!].each { |name| changing(name) { |all, called| all.public_send(called) { |x| x * 2 } } }
  %i[select! filter! keep_if reject! delete_if].each do |name|
    changing(name) { |all, called| all.public_send(called) { |x| x > 3 } }
    changing(name) { |all, called| all.public_send(called) { |x| x < 1_000_000 } }
    changing(name) { |all, called| all.public_send(called) { |x, y| y ? x.to_i > y.to_i : nil } }
  end
  changing(:uniq!) { |all, called| all.public_send(called) }
  changing(:uniq!) { |all, called| all.public_send(called) { |x| x > 3 } }
  changing(:sort!, NUMBERS - [:zeros]) { |all, called| all.public_send(called) }
  changing(:sort!, %i[mixed nans]) { |all, called| all.public_send(called) }
  changing(:sort!) { |all, called| all.public_send(called) { |x, y| y <=> x } }
  changing(:sort_by!) { |all, called| all.public_send(called) { |x| -x } }
  changing(:sort_by!) { |all, called| all.public_send(called) { |x| [x > 500 ? 1 : 0, x] } }
  %i[map flat_map filter_map select reject partition sort_by group_by min_by find take_while].each do |name|
    row(name) { |all, called| all.public_send(called).with_index(2) { |x, i| x.to_i % 3 < i % 2 ? i : nil.to_i } }
    row(name) { |all, called| all.public_send(called).each_with_index { |x, i| (x.to_i + i) % 5 } }
  end

  row(:sort) { |all, name| all.public_send(name) { |x, y| [x.to_i % 7, x] <=> [y.to_i % 7, y] } }
  row(:minmax) { |all, name| all.public_send(name) { |x, y| y <=> x } }
  %i[min max].each do |best|
    row(best) { |all, name| all.public_send(name) { |x, y| y <=> x } }
    row(best) { |all, name| all.public_send(name, 3) { |x, y| [x.to_i % 7, x] <=> [y.to_i % 7, y] } }
    row(best, ANY) { |all, name| all.public_send(name) }
    row(best, ANY) { |all, name| all.public_send(name, 2) }
    row(:"#{best}_by", NUMBERS) { |all, name| all.public_send(name) { |x| -x } }
    row(:"#{best}_by", %i[nans]) { |all, name| all.public_send(name) { |x| x } }
    row(:"#{best}_by") { |all, name| all.public_send(name, 3) { |x| -x } }
    row(:"#{best}_by") { |all, name| all.public_send(name) { |x| x.to_i % 7 } }
  end
  row(:minmax, ANY) { |all, name| all.public_send(name) }
  row(:minmax_by, NUMBERS) { |all, name| all.public_send(name) { |x| -x } }
  row(:group_by, NUMBERS) { |all, name| all.public_send(name) { |x| x } }
  row(:group_by) { |all, name| all.public_send(name) { |x| x.to_i % 5 } }
  row(:group_by) { |all, name| all.public_send(name) { |x| x > 3 ? :large : nil } }
  row(:group_by, %i[mixed nils]) { |all, name| all.public_send(name) { |x| x } }
  row(:group_by) { |all, name| all.public_send(name) { |x| [x > 3, 2] } }
  row(:tally, ANY) { |all, name| all.public_send(name) }
  row(:to_set, ANY) { |all, name| all.public_send(name) }
  row(:to_set) { |all, name| all.public_send(name) { |x| x.to_i % 5 } }
  row(:to_h) { |all, name| all.public_send(name) { |x| [x, x > 3] } }
  row(:to_h) { |all, name| all.public_send(name) { |x| x } }
  row(:to_h) { |all, name| all.public_send(name, &->(x, y) { [x, y] }) }
  row(:to_h) { |all, name| all.public_send(name, &->(x) { [x, 1] }) }
  row(:sum, ANY) { |all, name| all.public_send(name) }
  row(:sum, NUMBERS) { |all, name| all.public_send(name) { |x| x * 0.1 } }
  row(:sum, NUMBERS) { |all, name| all.public_send(name, 0.5) { |x| x } }
  row(:sum, NUMBERS) { |all, name| all.public_send(name, 3r) { |x| x } }
  row(:sum, %i[nans mixed nils]) { |all, name| all.public_send(name) { |x| x } }
  row(:sum, %i[integers]) { |all, name| all.public_send(name) { |x| x + 4_000_000_000_000_000_000 } }
  row(:sum) { |all, name| all.public_send(name, []) { |x| [x] } }
  row(:count, ANY) { |all, name| all.public_send(name) }
  row(:count, ANY) { |all, name| all.public_send(name, 3) }
  row(:count) { |all, name| all.public_send(name) { |x| x > 3 } }
  row(:inject, ANY - [:nils]) { |all, name| all.public_send(name, :+) }
  row(:inject, NUMBERS) { |all, name| all.public_send(name, 2, :*) }
  row(:inject) { |all, name| all.public_send(name) { |a, b| a - b } }
  row(:reduce) { |all, name| all.public_send(name, 1) { |a, b| a - b } }
  %i[any? all? none? one?].each do |asks|
    row(asks, ANY) { |all, name| all.public_send(name) }
    row(asks, ANY) { |all, name| all.public_send(name, Integer) }
    row(asks) { |all, name| all.public_send(name) { |x| x > 3 } }
    row(asks) { |all, name| all.public_send(name) { |x| x > 997 } }
    row(asks) { |all, name| all.public_send(name) { |x| x > -5000 } }
    row(asks, %i[integers]) { |all, name| all.public_send(name) { |x| 6 / (x - 3) > 5 } }
  end
  row(:find) { |all, name| all.public_send(name) { |x| x > 3 } }
  row(:find) { |all, name| all.public_send(name) { |x| x > 5_000 } }
  row(:find, %i[integers]) { |all, name| all.public_send(name) { |x| 6 / (x - 3) > 5 } }
  row(:detect) { |all, name| all.public_send(name, -> { :none }) { |x| x > 5_000 } }
  row(:find_index) { |all, name| all.public_send(name) { |x| x > 990 } }
  %i[find_index include? member?].each { |finds| row(finds, ANY) { |all, name| all.public_send(name, 3) } }
  %i[each_entry reverse_each].each { |goes| row(goes) { |all, name| all.public_send(name) { |x| x > 3 } } }
  row(:zip, ANY) { |all, name| all.public_send(name, 1..3) }

  # Stages and what ends them, with Ruby's `lazy` in place of `plazy`.
  CHAINS = [] # rubocop:disable Style/MutableConstant
  def self.chain(values = %i[integers floats], &call) = CHAINS << Row.new(:lazy, call, values)

  chain { |all| all.map { |x| x * 2 }.select { |x| x > 6 }.to_a }
  chain { |all| all.select { |x| x > 6 }.map { |x| x * 0.5 }.sum }
  chain { |all| all.reject { |x| x > 600 }.filter_map { |x| x + 1 if x > 3 }.count }
  chain { |all| all.select { |x| x > 6 }.to_a }
  chain { |all| all.map { |x| x * 2 }.reject { |x| x < 4 }.min }
  chain { |all| all.map { |x| x * 2 }.reject { |x| x < 4 }.max }
  chain { |all| all.map { |x| x * 2 }.reject { |x| x < 4 }.minmax }
  chain { |all| all.map { |x| x * 2 }.with_index(3).map { |x, i| x * i }.to_a }
  chain { |all| all.select { |x| x > 6 }.each_with_index.map { |x, i| x - i }.to_a }
  chain { |all| all.select { |x| x > 6 }.map { |x| x + 1 }.first(3) }
  chain { |all| all.select { |x| x > 6 }.map { |x| x + 1 }.first }
  chain { |all| all.map { |x| x + 1 }.select { |x| x > 6 }.find { |x| x > 20 } }
  chain { |all| all.map { |x| x > 6 ? nil : x }.any? }
  chain { |all| all.map { |x| x > 6 ? nil : x }.all? }
  chain { |all| all.map { |x| x > 6 ? nil : x }.compact.to_a }
  chain { |all| all.map { |x| x + 1 }.none? { |x| x > 990 } }
  chain { |all| all.map { |x| x + 1 }.one? { |x| x > 990 } }
  chain { |all| all.map { |x| x + 1 }.select { |x| x > 90 }.inject(:+) }
  chain { |all| all.map { |x| x + 1 }.select { |x| x > 90 }.inject { |a, b| a - b } }
  chain { |all| all.map { |x| x + 1 }.sort_by { |x| -x }.first(4) }
  chain { |all| all.map { |x| x.to_i % 7 }.uniq.map { |x| x + 1 }.to_a }
  chain { |all| all.map { |x| x.to_i % 7 }.tally }
  chain { |all| all.map { |x| x + 1 }.group_by { |x| x.to_i % 7 } }
  chain { |all| all.map { |x| x + 1 }.partition { |x| x > 7 } }
  chain { |all| all.flat_map { |x| [x, x + 1] }.select { |x| x > 7 }.to_a }
  chain { |all| all.map { |x| x + 1 }.take_while { |x| x < 900 }.to_a }
  chain { |all| all.map { |x| x + 1 }.take(5).to_a }
  chain { |all| all.map { |x| x + 1 }.drop(5).to_a }
  chain { |all| all.grep(3..30).to_a }
  chain { |all| all.grep(3..30) { |x| x * 3 }.sum }
  chain { |all| all.grep_v(3..30).count }
  chain { |all| all.map { |x| [x, x + 1] }.select { |a, b| a + b > 30 }.map { |a, _| a }.to_a }
  chain { |all| all.map { |x| x + 1 }.include?(4) }
  chain { |all| all.map { |x| x + 1 }.each_slice(4).map { |slice| slice.sum }.to_a }
  chain(%i[integers]) { |all| all.map { |x| 10 / (x - 5) }.select { |x| x > 0 }.sum }
  chain(%i[integers]) { |all| all.map { |x| 10 / (x - 5) }.select { |x| x > 0 }.first }
  chain { |all| all.map { |x| x + 1 }.to_set }
  chain { |all| all.map { |x| x + 1 }.min_by { |x| -x } }

  SIZES = [0, 1, 31, 32, 33, 255, 256, 257, 1_000].freeze

  # Values of a kind, so many, by a seed.
  def self.values(kind, size, seed = size)
    random = Random.new(seed)
    integers = Array.new(size) { random.rand(-1_000..1_000) }
    case kind
    when :integers then integers
    when :floats then integers.map { |n| n / 8.0 }
    when :nils then integers.map { |n| n % 5 == 0 ? nil : n }
    when :mixed then integers.map { |n| n.even? ? n : n / 8.0 }
    when :nans then integers.map { |n| n % 9 == 0 ? Float::NAN : n / 8.0 }
    when :zeros then integers.map { |n| n.even? ? 0.0 * n : n.to_f }
    when :bignums then integers.map { |n| n % 3 == 0 ? n * (2**70) : n }
    end
  end

  Members = Struct.new(:a, :b, :c, :d)

  # Collections of these values; of a Hash the values come behind their numbers.
  COLLECTIONS = {
    array: ->(values) { values },
    set: ->(values) { Set.new(values) },
    enumerator: ->(values) { values.each },
    struct: ->(values) { Members.new(*values.first(4)) },
    range: ->(values) { (0...values.size) },
    hash: ->(values) { values.each_with_index.to_h }
  }.merge(OwnEach::COLLECTIONS).freeze

  # What happens, told so that it can be compared: classes, signs of zeros and what is no number too.
  def self.outcome
    told(yield)
  rescue StandardError => e
    [:raised, e.class, e.message.gsub(/0x\h+/, "0x").sub(/\n\n.*\n *\^+/, "")]
  end

  def self.told(value)
    case value
    when Array then value.map { |item| told(item) }
    when Hash, Set then [value.class, value.to_a.map { |item| told(item) }]
    when Members, OwnEach::Members, OwnEach::Own then value.class
    else value.inspect
    end
  end
end

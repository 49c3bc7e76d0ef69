# frozen_string_literal: true

# Methods that raise, each by another way.
class BacktracePart
  attr_accessor :size

  def initialize(size)
    @size = size
    raise ArgumentError, "too small" if size.negative?
  end

  def self.limit(size) = size / 0
  def +(other) = other.size / 0
  def <=>(other) = other.size / 0
  def pair = yield(1, 2)
  def each_part = pair { |a, b| yield a + b }
  def hand_on(&) = pair(&)
  def call_it(&block) = block.call(1)

  def call_lambda
    one = lambda do |a|
      a
    end
    call_it { one.call }
  end

  def call_arrow
    one = ->(a, # rubocop:disable Style/Lambda
             b) {
      a + b
    }
    one.call(1)
  end

  define_method(:defined) { |size| size / 0 }
  def method_missing(name, *args) = name == :absent ? args.first / 0 : super
  def respond_to_missing?(name, all = false) = name == :absent || super
end

class BacktraceError < StandardError
  def initialize(size)
    super("far")
    @share = size / 0
  end
end

class BacktraceWheel < BacktracePart
  def initialize(size)
    super(-size)
  end

  def +(other) = super.abs
end

# An Enumerable of the user's own.
class BacktraceList
  include Enumerable

  def each
    yield 1
    yield 2
  end
end

# rubocop:disable Lint/Void
# What answers to nothing.
class Touchy
  def +(_other) = raise("no +")
  def ==(_other) = raise("no ==")
  def <=>(_other) = raise("no <=>")
  def coerce(_other) = raise("no coerce")
  def inspect = raise("no inspect")
end

CASES = {
  # Blocks.
  blocks: ->(x) { [x].each { |a| [a].each { |b| [b].each { |c| c / 0 } } } },
  raises: lambda do |x|
    [x].each do |a|
      [a].map { |b| raise "far" if b == 1 }
    end
  end,
  each: ->(x) { [x].each { |a| a / 0 } },
  map: ->(x) { [x].map { |a| a / 0 } },
  collect: ->(x) { [x].collect { |a| a / 0 } },
  times: ->(x) { x.times { |a| 1 / a } },
  upto: ->(x) { x.upto(3) { |a| a / 0 } },
  downto: ->(x) { x.downto(0) { |a| a / 0 } },
  step: ->(x) { x.step(5, 2) { |a| a / 0 } },
  loop: ->(x) { loop { x / 0 } },
  tap: ->(x) { x.tap { |a| a / 0 } },
  then: ->(x) { x.then { |a| a / 0 } },
  inject: ->(x) { [x, 2].inject { |a, _| a / 0 } },
  sort_by: ->(x) { [x, 2].sort_by { |a| a / 0 } },
  sort: ->(x) { [x, 2].sort { |a, _| a / 0 } },
  min_by: ->(x) { [x, 2].min_by { |a| a / 0 } },
  sum: ->(x) { [x].sum { |a| a / 0 } },
  select: ->(x) { [x].select { |a| a / 0 } },
  any: ->(x) { [x].any? { |a| a / 0 } },
  reverse_each: ->(x) { [x].reverse_each { |a| a / 0 } },
  each_with_index: ->(x) { [x].each_with_index { |a, i| a / i } },
  each_with_object: ->(x) { [x].each_with_object([]) { |a, _| a / 0 } },
  each_cons: ->(x) { [x, 2].each_cons(2) { |a, _| a / 0 } },
  group_by: ->(x) { [x].group_by { |a| a / 0 } },
  flat_map: ->(x) { [x].flat_map { |a| [a / 0] } },
  find: ->(x) { [x].find { |a| a / 0 } },
  range: ->(x) { (x..3).each { |a| a / 0 } },
  range_map: ->(x) { (x..3).map { |a| a / 0 } },
  hash_each: ->(x) { { x => 2 }.each { |a, _| a / 0 } },
  hash_map: ->(x) { { x => 2 }.map { |a, _| a / 0 } },
  hash_values: ->(x) { { x => 2 }.transform_values { |a| a / 0 } },
  fetch: ->(x) { [x].fetch(7) { |a| a / 0 } },
  array_new: ->(x) { Array.new(x) { |a| 1 / a } },
  hash_new: ->(x) { Hash.new { |_, a| a / 0 }[x] },
  for: lambda do |x|
    for a in [x] do
      a / 0
    end
  end,
  enumerator: ->(x) { [x].each_with_index.map { |a, i| a / i } },
  with_index: ->(x) { [x].map.with_index { |a, i| a / i } },
  own_each: ->(_x) { BacktraceList.new.map { |a| a / 0 } },
  catch: ->(x) { catch(:done) { x / 0 } },
  # Methods that yield, and blocks handed on.
  yields: ->(x) { BacktracePart.new(x).pair { |a, _| a / 0 } },
  yields_twice: ->(x) { BacktracePart.new(x).each_part { |a| a / 0 } },
  hands_on: ->(x) { BacktracePart.new(x).hand_on { |a, _| a / 0 } },
  calls: ->(x) { BacktracePart.new(x).call_it { |a| a / 0 } },
  # Lambdas and procs.
  lambda: ->(x) { ->(a) { a / 0 }.call(x) },
  dot: ->(x) { ->(a) { a / 0 }.(x) }, # rubocop:disable Style/LambdaCall
  proc: ->(x) { proc { |a| a / 0 }[x] },
  lambda_block: lambda do |x|
    halve = ->(a) { a / 0 }
    [x].map(&halve)
  end,
  lambda_count: ->(x) { ->(a, b) { a + b }.call(x) },
  lambda_in_method: ->(x) { BacktracePart.new(x).call_lambda },
  arrow_in_method: ->(x) { BacktracePart.new(x).call_arrow },
  symbol: ->(x) { [x].map(&:nope) },
  # Methods.
  defined: ->(x) { BacktracePart.new(x).defined(x) },
  singleton: ->(x) { BacktracePart.limit(x) },
  operator: ->(x) { BacktracePart.new(x) + BacktracePart.new(x) },
  super: ->(x) { BacktraceWheel.new(-x) + BacktracePart.new(x) },
  initialize: ->(x) { BacktracePart.new(-x) },
  initialize_super: ->(x) { BacktraceWheel.new(x) },
  sends: ->(x) { BacktracePart.new(x).send(:defined, x) },
  public_send: ->(x) { BacktracePart.new(x).public_send(:defined, x) },
  compares: ->(x) { [BacktracePart.new(x), BacktracePart.new(2)].max },
  arguments: ->(x) { BacktracePart.new(x).pair(x) { |a, _| a } },
  missing: ->(x) { BacktracePart.new(x).size.nope },
  # Ruby's own methods.
  divide: ->(x) { x / 0 },
  modulo: ->(x) { x % 0 },
  add_nil: ->(x) { x + nil },
  compare_nil: ->(x) { x < nil },
  integer: ->(x) { Integer("x" * x) },
  float: ->(x) { Float("x" * x) },
  fetch_none: ->(x) { [x].fetch(9) },
  key_none: ->(x) { { x => 1 }.fetch(9) },
  first: ->(x) { [x].first(-x) },
  maximum: ->(x) { [x, nil].max },
  root: ->(x) { Math.sqrt(-x) },
  negative_size: ->(x) { Array.new(-x) },
  count: ->(x) { [x].fetch },
  no_method: ->(_x) { nil.nope },
  plain_raise: ->(x) { raise ArgumentError, "no #{x}" },
  raise_new: ->(x) { raise BacktraceError, x },
  raise_made: ->(x) { raise BacktraceError.new(x) }, # rubocop:disable Style/RaiseArgs
  throw: ->(x) { throw :"t#{x}" },
  # Clauses.
  rescue: lambda do |x|
    y = x
    begin
      y / 0
    rescue ZeroDivisionError
      raise "again"
    end
  end,
  rescue_block: lambda do |x|
    begin # rubocop:disable Style/RedundantBegin
      x / 0
    rescue ZeroDivisionError
      [x].each { |a| a.nope }
    end
  end,
  rescue_modifier: lambda do |x|
    y = x
    (y / 0) rescue y.nope # rubocop:disable Style/RescueModifier
  end,
  rescue_rescue: lambda do |x|
    y = x
    begin
      y / 0
    rescue ZeroDivisionError
      begin
        y % 0
      rescue ZeroDivisionError
        y.nope
      end
    end
  end,
  ensure: lambda do |x|
    y = x
    begin
      y / 0
    ensure
      y.nope
    end
  end,
  ensure_only: lambda do |x|
    y = x
    begin
      y + 1
    ensure
      y.nope
    end
  end,
  raised_again: lambda do |x|
    y = x
    begin
      [y].each { |a| a / 0 }
    rescue ZeroDivisionError
      raise
    end
  end,
  for_loop: lambda do |x|
    for i in [x, 2]
      [i].map { |a| a / 0 }
    end
  end,
  backwards: ->(x) { (x..3).reverse_each { |i| i / 0 } },
  sum_of_pairs: ->(x) { { x => 1 }.sum { |key, _| key / 0 } },
  kept_lambda: lambda do |x|
    kept = [->(a) { a / 0 }, ->(a) { a }]
    kept[x - 1].call(x)
  end,
  end_of_ensure: lambda do |x|
    x.nope
  ensure
    x += nil if x == 2
    if x == 1
      y = [x]
      y[0] / 0
    end
  end,
  added_up: ->(x) { [x, nil].sum },
  added_up_by_coerce: ->(x) { [x, Touchy.new].sum },
  added_up_in_a_range: ->(x) { (x..2).sum { nil } },
  added_up_in_a_hash: ->(x) { { x => 2 }.sum { nil } },
  added_up_to_an_array: ->(x) { [[x], 2].sum([]) },
  folded_by_name: ->(x) { [x, nil].inject(:+) },
  folded_by_a_symbol: ->(x) { [x, nil].inject(&:+) },
  folded_by_a_method_of_a_class: ->(x) { [Touchy.new, x].inject(:+) },
  folded_in_a_range: ->(x) { (x - 1..x).inject(1, :/) },
  folded_by_what_is_not_there: ->(x) { (x..2).inject(:nope) },
  symbols: ->(x) { [-x].map(&:digits) },
  symbols_of_a_range: ->(x) { (-x..0).each(&:digits) },
  symbols_that_are_not_there: ->(x) { { x => 2 }.map(&:digits) },
  sorted_by_symbols: ->(x) { [-x].sort_by(&:digits) },
  methods: ->(x) { [x - 1].map(&x.method(:/)) },
  a_method_called: ->(x) { x.method(:div).call(0) },
  by_public_send: ->(x) { (-x).public_send(:digits) },
  by_then: ->(x) { (-x).then(&:digits) },
  by_tap: ->(x) { (-x).tap(&:digits) },
  least_of_a_hash: ->(x) { { x => 2, nil => 3 }.min },
  extremes_of_a_hash: ->(x) { { x => 2, nil => 3 }.minmax },
  most_by: ->(x) { [x, 2].max_by { |y| y == 1 ? nil : y } },
  extremes_by: ->(x) { (x..2).minmax_by { |y| y == 1 ? nil : y } },
  most_of_windows: ->(x) { [x, nil].each_slice(1).max },
  order_in_arrays: ->(x) { [[x, Touchy.new], [x, Touchy.new]].sort },
  most_of_arrays: ->(x) { [[x, Touchy.new], [x, Touchy.new]].max },
  order_by_coerce: ->(x) { [x, Touchy.new].sort },
  equal_in_arrays: ->(x) { [[Touchy.new]].include?([x]) },
  equal_in_arrays_of_arrays: ->(x) { [[Touchy.new]] == [[x]] },
  equal_to_a_number: ->(x) { [x].count(Touchy.new) },
  equal_to_a_pattern: ->(x) { [x].none?(Touchy.new) },
  inspected: ->(x) { [[Touchy.new, x]].inspect },
  packed: ->(x) { [x].itself.pack("a") },
  no_match: ->(x) { "\xff" =~ /a/ || x },
  no_match_of_other: ->(x) { "\xff" !~ /a/ || x },
  no_match_of_number: ->(x) { /a/ =~ x },
  index_of_nil: ->(x) { [x][nil] },
  index_of_symbol: ->(x) { [x][:a] },
  index_of_infinity: ->(x) { [x][x / 0.0] },
  slices: ->(x) { [x].each_slice(0) { |a| a } },
  slices_of_nothing: ->(x) { [x].each_slice(0).to_a },
  windows_of_nothing: ->(x) { (x..3).each_cons(0).map { |a| a } },
  raise_of_number: ->(x) { raise x },
  raise_of_class: ->(_) { raise Integer },
  rescue_before_ensure: lambda do |x|
    y = x
    begin
      y += 1
      y / 0
    rescue ZeroDivisionError
      nil - y
    ensure
      y += 1
    end
  end
}.freeze
# rubocop:enable Lint/Void

RSpec.describe "backtraces" do
  # What was running above the block of an element, with this.
  def frames(how, work)
    [1].public_send(how) { |x| work.call(x) }
    nil
  rescue StandardError => e
    raise if e.is_a?(Ikra::Error)

    at = "#{__FILE__}:#{__LINE__ - 5}:in "
    found = e.backtrace.index { |line| line.start_with?(at) && line.include?("block") }
    [e.class, e.backtrace[..found]]
  end

  CASES.each do |name, work|
    it "are Ruby's own: #{name.to_s.tr("_", " ")}" do
      found = frames(:map, work)
      expect(found).not_to be_nil
      expect(frames(:pmap, work)).to eq(found)
    end
  end

  it "are those of the first raise where an exception is an object" do
    keep = lambda do |how|
      [1].public_send(how) do |x|
        [x].each { |a| BacktracePart.limit(a) }
      rescue ZeroDivisionError => e
        e
      end
    end
    here = ->(error) { error.backtrace.take_while { |line| line.start_with?(__FILE__) }.grep_v(/[`#]map'\z/).first(5) }
    expect(here.call(keep.call(:pmap)[0])).to eq(here.call(keep.call(:map)[0]))
  end

  it "are those of the driver for what is between parallel calls" do
    run = lambda do |ikra|
      work = -> { [1, 2].each { |x| [x].map { |y| y / 0 } } }
      ikra ? Ikra.section(&work) : work.call
    rescue ZeroDivisionError => e
      e.backtrace.first(6)
    end
    expect(run.call(true)).to eq(run.call(false))
  end

  # What raises in a block of Ikra.sync, in the section and in methods.
  class BacktraceSync
    def run(size = 2)
      Ikra.sync do
        [1, 2].each do |x|
          raise "size #{size}" if x == 2
        end
      end
    end

    def again = [3].each { |size| run(size) }
    def within = [1].each { |_| Ikra.sync { [2].map { |x| nil + x } } }
    def hand_on = Ikra.sync { helper { |_| Integer("q") } }
    def helper = yield(1)

    def ensured
      raise "never mind"
    ensure
      Ikra.sync { Float("q") }
    end
  end

  it "are not taken from what calls a section" do
    run = lambda do |how|
      2.times { [1].public_send(how) { |x| [x].map { |a| a / 0 } } }
    rescue ZeroDivisionError => e
      e.backtrace.first(3)
    end
    expect(run.call(:pmap)).to eq(run.call(:map))
  end

  %i[run again within hand_on ensured].each do |name|
    it "are Ruby's own around a block of Ikra.sync: #{name}" do
      run = lambda do |backend|
        previous = Ikra.backend
        Ikra.backend = backend
        sync = BacktraceSync.new
        Ikra.section { sync.public_send(name) }
      rescue StandardError => e
        [e.class, e.backtrace.grep(/\A(#{Regexp.escape(__FILE__)}|<internal:kernel)/)]
      ensure
        Ikra.backend = previous
      end
      expect(run.call(:cpu)).to eq(run.call(:ruby))
    end
  end
end

# frozen_string_literal: true

require_relative "support/kept_facts"

# What Ruby keeps of an exception beside its message is there when it leaves a section, too.
module LeavingExceptions
  Point = Struct.new(:x)

  class Thing
    attr_accessor :n

    def initialize(n) = @n = n
    def lost = zork
    def ask(other) = other.fetch(@n)
  end

  class Holding < StandardError
    attr_reader :held, :other

    def initialize(held, other = nil)
      @held = held
      @other = other
      super("it holds")
    end
  end

  TABLE = { a: 1, b: 2 }.freeze
  THING = Thing.new(3)
end

RSpec.describe "An exception that leaves a section" do
  include SameAsRuby

  table = { a: 1, "b" => 2 }
  thing = LeavingExceptions::THING
  point = LeavingExceptions::Point.new(1)

  def raised
    yield
    nil
  rescue StandardError => e
    e
  end

  # The message without what error_highlight says of the line.
  def told(error)
    message = error.message.lines.first.chomp.gsub(/0x\h+/, "0x")
    [error.class, message, KeptFacts.shown(error), KeptFacts.causes(error)]
  end

  def expect_same_exception(&block)
    ruby, own = %i[map pmap].map { |name| raised { [1, 2].public_send(name, &block) } }
    expect(told(own)).to eq(told(ruby))
    # The user's own objects are what Ruby has.
    KeptFacts.of(ruby).each do |name, value|
      own_value = own.public_send(name) unless value == ArgumentError
      expect(own_value).to equal(value) if [LeavingExceptions::THING, LeavingExceptions::TABLE].any? do |it|
                                             it.equal?(value)
                                           end
    end
  end

  it "has no more instance variables than in plain Ruby, and keeps the element in copies" do
    own = raised { [1, 2].pmap { |x| raise ArgumentError, "no" if x == 2 } }
    made = raised { [1, 2].pmap { |x| raise LeavingExceptions::Holding.new(x, 3) } }
    expect([own, made].map { |e| e.instance_variables.map(&:to_s).sort }).to eq([[], %w[@held @other]])
    next if Ikra.backend == :ruby

    copies = [own, own.clone, own.exception("other"), Marshal.load(Marshal.dump(own))]
    expect(copies.map { |e| [e.element_index, e.tick] }).to eq([[1, 0]] * 4)
    expect(own.dup).not_to be_a(Ikra::ElementError)
    own.element_index = nil
    expect([own.element_index, made.element_index, own.instance_variables]).to eq([nil, 0, []])
  end

  it "has what a method was called with that is not there, of which Ruby counts the arguments as it runs" do
    expect_same_exception { |x| x.nope(*(-6..-2).map { |y| y * x }) }
    expect_same_exception { |x| x.nope(0, *[x, 2].select { |y| y > 0 }, :last) }
    expect_same_exception { |x| nil.nope(*[x, 2].reject { |y| y > 0 }) }
    hashes = [{}, { a: 1 }]
    expect_same_exception { |x| x.nope(*[x].map(&:to_s), **hashes[x - 1]) }
    expect_same_exception { |x| x.nope(**hashes[x - 1]) }
    expect_same_exception { |x| x.nope(*[x].select(&:odd?), b: 2, **hashes[1]) }
    asked = proc { |x| begin; x.nope(*[x, 5].select { |y| y > 1 }); rescue NoMethodError => e; e.args; end }
    expect([1, 2].pmap(&asked)).to eq([[5], [2, 5]])
  end

  it "has the key and the Hash of a KeyError" do
    expect_same_exception { |_| LeavingExceptions::TABLE.fetch(:zz) }
    expect_same_exception { |x| table.fetch("c#{x}") }
    expect_same_exception { |x| { x => 1 }.fetch(x + 1) }
    expect_same_exception { |x| { x => 1 }.fetch_values(x, "k#{x}") }
    expect_same_exception { |x| thing.ask({ x => 5 }) }
    expect_same_exception { |x| { x => 1 }.fetch_values(point, x) }
    expect_same_exception { |x| { x => 1 }.fetch(LeavingExceptions::Point.new([x])) }
    expect_same_exception { |_| LeavingExceptions::TABLE.fetch(point) }
    arrays = [[], [1, "a"], [nil]]
    hashes = [{}, { b: [] }, { nil => 1 }]
    arrays.each { |key| expect_same_exception { |_| LeavingExceptions::TABLE.fetch(key) } }
    hashes.each { |key| expect_same_exception { |_| table.fetch(key) } }
    expect_same_exception { |_| hashes[0].fetch(hashes[0]) }
    expect_same_exception { |x| {}.fetch(x) }
    expect_same_exception { |_| table.fetch_values("b", arrays[1]) }
    expect_same_exception do |_|
      nil.zork
    rescue NoMethodError
      table.fetch(hashes[1])
    end
    expect_same_exception { |x| format("%<a>d", b: x) }
    expect_same_exception { |x| format("%{a}", b: "t#{x}") }
  end

  it "has name, arguments and receiver of a NoMethodError" do
    expect_same_exception { |x| thing.zork(x, [x]) }
    expect_same_exception { |_| nil.zork }
    expect_same_exception { |x| (x > 5 ? x : nil) + x }
    expect_same_exception { |x| "a#{x}".zork(x) }
    expect_same_exception { |x| [x, "b"].zork(:a) }
    expect_same_exception { |x| { x => [x] }.zork }
    expect_same_exception { |x| LeavingExceptions::Thing.new(x).zork(x) }
    expect_same_exception { |x| LeavingExceptions::Thing.zork(x) }
    expect_same_exception { |x| thing.send(:zork, x) }
    expect_same_exception { |x| thing.puts(x) }
    expect_same_exception { |x| thing.zork(x, a: [x], b: nil) }
    expect_same_exception { |x| nil.zork(p22: x) }
    expect_same_exception { |x| (x..9).zork(x) }
    expect_same_exception { |x| (x.to_f...).puts }
    expect_same_exception { |x| ("a#{x}".."c").zork([1..x]) }
    expect_same_exception { |_| ->(y) { y + 1 }.zork }
  end

  it "has the Ranges, and lambdas that use nothing around them, which it was given" do
    holding = LeavingExceptions::Holding
    makes = [->(x) { x..3 }, ->(x) { [x..3, nil, (x.to_f..)] }, ->(x) { { x => (1...x) } },
             ->(x) { x > 9 ? nil : (..x) }, ->(x) { [["a#{x}".."c", x]] }]
    makes.each do |make|
      ruby, own = %i[map pmap].map { |name| raised { [1].public_send(name) { |x| raise holding, make.call(x) } } }
      expect([own.class, own.held, own.held.frozen?]).to eq([ruby.class, ruby.held, ruby.held.frozen?])
    end
    own = raised { [1].pmap { raise holding, ->(y) { y + 1 } } }
    expect(own.held.call(3)).to eq(4)
  end

  it "has name and receiver of a NameError" do
    expect_same_exception { |_| Zork }
    expect_same_exception { |_| LeavingExceptions::Zork }
    expect_same_exception { |_| thing.lost }
    expect_same_exception { |x| LeavingExceptions::Point.new(x)[:zork] }
    expect_same_exception { |_| point["zork"] }
    expect_same_exception { |_| thing.instance_variable_get("zork") }
  end

  it "has the receiver of a FrozenError" do
    frozen = LeavingExceptions::Thing.new(4).freeze
    expect_same_exception { |x| frozen.n = x }
    expect_same_exception { |x| [x].freeze << x }
    expect_same_exception { |x| { x => 1 }.freeze[x] = 2 }
    expect_same_exception { |x| LeavingExceptions::TABLE[x] = 2 }
  end

  it "has key and matchee where a pattern finds no key" do
    expect_same_exception { |x| { a: x } => { b: } }
    expect_same_exception { |x| { a: { c: x } } => { a: { b: } } }
    expect_same_exception do |x|
      case { a: x }
      in { b: } then b
      end
    end
  end

  it "has them where a driver raises, and when a section is run again" do
    own = Array.new(3) { raised { Ikra.section { [1, 2].map { |x| x }.sum.then { |sum| table.fetch(sum) } } } }
    expect(own.map { |e| [e.key, e.receiver.equal?(table)] }).to eq([[3, true]] * 3)
  end

  it "has them behind an Ikra.sync, where a section cannot begin anew" do
    blocks = [-> { table.fetch("c#{thing.n}") }, -> { { 1 => 2 }.fetch(thing.n + 7) }, -> { thing.zork(thing.n, [2]) },
              -> { "a#{thing.n}".zork(:b) }, -> { [thing.n].zork }, -> { nil.zork(1, 2) }, lambda {
                                                                                             LeavingExceptions::Zork
                                                                                           },
              -> { Zork }, -> { thing.lost }, -> { LeavingExceptions::Point.new(3)[:zork] }, lambda {
                                                                                               [thing.n].freeze << 1
                                                                                             },
              -> { { a: thing.n } => { b: } }, -> { thing.ask({ 4 => 5 }) },
              -> { [1, 2].each { |x| thing.zork(x) } }]
    blocks.each do |block|
      ruby = raised(&block)
      own = raised do
        Ikra.section do
          seen = 0
          Ikra.sync { seen += 1 }
          block.call
        end
      end
      expect(told(own)).to eq(told(ruby))
    end
  end

  it "has them before an Ikra.sync that has run already" do
    own = raised do
      Ikra.section do
        count = 0
        [3, 4].each do |x|
          table.fetch("k#{x}") if count > 0
          Ikra.sync { count += 1 }
        end
      end
    end
    expect([own.class, own.key, own.receiver]).to eq([KeyError, "k4", table])
  end

  it "has them where others have left before whose objects it could not be" do
    which = 0
    block = lambda do |x|
      case which
      when 0 then "b#{x}".match(/b/).zork(x)
      when 1 then "a#{x}".zork(x)
      else [x].zork
      end
    end
    ruby, own = %i[map pmap].map do |name|
      [0, 1, 2, 1].map { |i| (which = i) && raised { [1].public_send(name, &block) } }
    end
    # A MatchData that a section has made does not leave it.
    expect(own.drop(1).map { |e| told(e) }).to eq(ruby.drop(1).map { |e| told(e) })
  end

  it "changes nothing and draws the same numbers when it is told once more" do
    things = Array.new(8) { |i| LeavingExceptions::Thing.new(i) }
    error = raised { things.peach { |one| one.n = table.fetch(:zork) if (one.n += 1) > 4 } }
    expect([error.class, error.key, things.map(&:n)]).to eq([KeyError, :zork, [*0..7]])
    expect(error.element_index).to eq(4) unless Ikra.backend == :ruby
  end

  it "holds what it was given: one array wherever it is met, and frozen as it was" do
    holding = LeavingExceptions::Holding
    twice = raised { [1].pmap { |x| [x].then { |a| raise holding.new([a, a], a) } } }
    expect([twice.held[0], twice.held[1]]).to all(be(twice.other))
    [->(x) { [x].freeze }, ->(x) { "t#{x}".freeze }, ->(x) { { x => x }.freeze }, ->(x) { ["t#{x}".freeze].freeze },
     ->(x) { [[x].freeze] }].each do |make|
      ruby, own = %i[map pmap].map { |name| raised { [1].public_send(name) { |x| raise holding, make.call(x) } } }
      facts = [ruby, own].map { |e| [e.class, e.held, e.held.frozen?, e.held.first.frozen?] if e.held.is_a?(Array) }
      expect(facts.last).to eq(facts.first)
      expect([own.held, own.held.frozen?]).to eq([ruby.held, ruby.held.frozen?])
    end
  end

  it "holds Hashes out of which pairs were taken, without these" do
    holding = LeavingExceptions::Holding
    block = lambda do |x|
      hash = (0..40).to_h { |i| [i * x, "v#{i}"] }
      hash.delete(x * 7)
      hash.delete(0)
      20.times { |i| hash.delete(x * (i + 9)) if i.odd? }
      hash[x * 7] = "again"
      raise holding.new(hash, [hash]) if x == 3

      hash.fetch(x * 10)
    end
    [[2], [3]].each do |numbers|
      ruby, own = %i[map pmap].map { |name| raised { numbers.public_send(name, &block) } }
      facts = [ruby, own].map { |e| e.is_a?(KeyError) ? [e.key, e.receiver.to_a] : [e.held.to_a, e.other] }
      expect(facts.last).to eq(facts.first)
      expect(own.held).to be(own.other[0]) if numbers == [3]
    end
  end
end

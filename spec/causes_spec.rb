# frozen_string_literal: true

require_relative "support/kept_facts"

# What was being handled when an exception was raised is its cause, also of one that leaves a section.
module Causes
  class Failed < StandardError; end

  class Code < StandardError
    attr_reader :code

    def initialize(code)
      @code = code
      super("code #{code}")
    end
  end

  class Holding < StandardError
    def initialize(held)
      @held = held
      super("it holds")
    end
  end

  class Deep
    def raising(depth) = depth == 0 ? raise(Failed, "deep") : raising(depth - 1)
    def fetching(depth) = depth == 0 ? TABLE.fetch(:zork) : fetching(depth - 1) + 1

    def each_for_the_last(depth)
      depth == 0 ? raise(Failed, "first") : each_for_the_last(depth - 1)
    rescue Failed, Code
      raise Code, depth
    end

    def handling(depth)
      depth == 0 ? 1 / depth : handling(depth - 1)
    rescue ZeroDivisionError
      fetching(depth)
    end

    def leaving
      raise Failed, "never met"
    rescue Failed
      return 1 if TABLE
    ensure
      raise Code, 3
    end
  end

  Pair = Struct.new(:a, :b)
  TABLE = { a: 1 }.freeze
  FROZEN = Pair.new(1, 2).freeze
  DEEP = Deep.new
end

RSpec.describe "The cause of an exception that leaves a section" do
  deep = Causes::DEEP

  def raised
    yield
    nil
  rescue StandardError => e
    e
  end

  def told(error) = [error.class, error.message.lines.first.chomp, KeptFacts.causes(error)]

  def expect_same_causes(items = [1, 2], &block)
    ruby, own = %i[map pmap].map { |name| raised { items.public_send(name, &block) } }
    expect(told(own)).to eq(told(ruby))
  end

  it "is what a clause handles" do
    expect_same_causes do |x|
      Causes::TABLE.fetch(x)
    rescue KeyError
      raise Causes::Failed, "no #{x}"
    end
    expect_same_causes do |x|
      Causes::TABLE.fetch(x)
    rescue KeyError => e
      raise Causes::Code, [e.key, x]
    end
    expect_same_causes do |x|
      raise "text #{x}"
    rescue StandardError
      x / 0
    end
    expect_same_causes do |x|
      x > 0 ? raise(Causes::Code, x) : Causes::TABLE.fetch(:zork)
    rescue Causes::Code, KeyError
      raise Causes::Failed
    end
    expect_same_causes do |x|
      raise "text #{x}"
    rescue StandardError => e
      raise Causes::Failed, "#{e.message}!"
    end
  end

  it "is what a clause handles where a method of Ruby's own is a function" do
    expect_same_causes do |x|
      x / 0
    rescue ZeroDivisionError
      (3/4r)**(x > 9)
    end
    expect_same_causes do |x|
      [x].each { |i| Complex(i, 1)**nil }
    ensure
      (3/4r)**(x > 9)
    end
  end

  it "is what an ensure runs for" do
    expect_same_causes do |x|
      begin
        raise Causes::Code, x
      ensure
        raise "second"
      end
    ensure
      raise "third"
    end
    expect_same_causes do |x|
      x + 1
    ensure
      raise "nothing was raised before"
    end
  end

  it "has a cause itself" do
    expect_same_causes do |x|
      begin
        x / 0
      rescue ZeroDivisionError
        raise Causes::Failed, "a#{x}"
      end
    rescue Causes::Failed
      raise Causes::Code, x
    end
    tries = [1, 2, 3]
    expect_same_causes do |x|
      tries.each do |try|
        raise "one" if try == x

        raise "other"
      rescue StandardError
        next if try < 3

        raise Causes::Failed, "last"
      end
    end
  end

  it "is that of the first time that an exception was raised" do
    expect_same_causes do |_|
      raise "first"
    rescue StandardError => e
      begin
        raise "second"
      rescue StandardError
        raise e
      end
    end
    expect_same_causes do |x|
      made = Causes::Code.new(x)
      begin
        raise "before"
      rescue StandardError
        raise made
      end
    end
    expect_same_causes do |x|
      made = Causes::Code.new(x)
      begin
        raise made
      rescue Causes::Code
        begin
          raise "second"
        rescue StandardError
          raise made
        end
      end
    end
    expect_same_causes do |_|
      raise "first"
    rescue StandardError => e
      begin
        raise e
      ensure
        raise "last"
      end
    end
  end

  it "is what Ruby's own methods raise, with what it keeps" do
    failing = [-> { Causes::FROZEN.a = 3 }, -> { nil.zork }, -> { Causes::DEEP.zork(1, [2]) }, -> { Integer("zork") },
               -> { [1] + nil }, -> { 1 + nil }, -> { [1].fetch(9) }, -> { [1].first(-1) }, -> { Math.sqrt(-1) },
               -> { [1, nil].sort }, -> { { a: 1 } => { b: } }, -> { Float("x") }, -> { Causes::Zork }]
    failing.each do |first|
      expect_same_causes do |x|
        first.call
      rescue StandardError
        raise Causes::Code, x
      end
      expect_same_causes do |x|
        raise Causes::Code, x
      rescue Causes::Code
        first.call
      end
    end
  end

  it "is known to methods that are called in a clause" do
    expect_same_causes do |x|
      raise "a"
    rescue StandardError
      deep.raising(x)
    end
    expect_same_causes do |x|
      deep.raising(x)
    rescue Causes::Failed
      deep.fetching(x)
    end
    expect_same_causes do |x|
      raise "k"
    rescue StandardError
      deep.each_for_the_last(x + 1)
    end
    expect_same_causes { |x| deep.handling(x) }
    expect_same_causes do |x|
      deep.handling(x)
    rescue KeyError
      deep.handling(x)
    end
    expect_same_causes do |x|
      raise "a"
    rescue StandardError
      [1, 2].each { |y| raise Causes::Failed, "t#{y}" if y > x }
      [x, 3].map { |y| y > 2 ? raise(Causes::Code, y) : y }
    end
  end

  it "is not what a clause has handled that has ended" do
    expect_same_causes do |x|
      begin
        raise "a"
      rescue StandardError
        x += 1
      end
      raise Causes::Failed, "b#{x}"
    end
    ruby, own = %i[map pmap].map { |name| raised { [1].public_send(name) { deep.leaving } } }
    expect([own.class, own.cause]).to eq([ruby.class, ruby.cause])
  end

  it "is at last what is handled around the section" do
    block = lambda do |x|
      Causes::TABLE.fetch(x)
    rescue KeyError
      raise Causes::Failed
    end
    ruby, own = %i[map pmap].map do |name|
      raised do
        raise "outer"
      rescue StandardError
        [1].public_send(name, &block)
      end
    end
    facts = [ruby, own].map { |error| KeptFacts.causes(error).map { |cause| cause.first(3) } }
    expect(facts.last).to eq(facts.first)
  end

  it "is there where a driver raises, before and behind an Ikra.sync" do
    block = lambda do |x|
      Causes::TABLE.fetch(:zork)
    rescue KeyError
      raise Causes::Code, x
    end
    ruby = raised { block.call(1) }
    own = raised { Ikra.section { [1, 2].map { |x| x }.sum.then { block.call(1) } } }
    expect(told(own)).to eq(told(ruby))
    own = raised do
      Ikra.section do
        seen = 0
        Ikra.sync { seen += 1 }
        block.call(seen)
      end
    end
    expect(told(own)).to eq(told(ruby))
  end

  # They keep more than a text.
  describe "that Ruby's own classes initialize" do
    def expect_same_chain(&block)
      ruby, own = [block, -> { Ikra.section(&block) }].map do |run|
        run.call
      rescue Exception => e # rubocop:disable Lint/RescueException
        kept = ->(error) { %i[status errno signo].map { |name| error.public_send(name) if error.respond_to?(name) } }
        [told(e), kept.call(e), e.cause && kept.call(e.cause)]
      end
      expect(own).to eq(ruby)
    end

    [0, 1].each do |chosen|
      it "is one or not (#{chosen})" do
        zero = 0
        expect_same_chain do
          raise SystemExit if chosen == 1

          1 / zero
        ensure
          raise Causes::Failed, "second"
        end
        expect_same_chain do
          raise SystemExit, "text #{zero}" if chosen == 1

          1 / zero
        rescue SystemExit, ZeroDivisionError
          2 / zero
        end
        expect_same_chain do
          raise Errno::ENOENT if chosen == 1

          1 / zero
        ensure
          raise Causes::Failed, "second"
        end
        expect_same_chain do
          chosen == 1 ? raise(Errno::EDOM, "text") : raise(SystemCallError, "text")
        ensure
          raise Causes::Failed, "second"
        end
        expect_same_chain do
          chosen == 1 ? raise(Errno::EDOM, "") : raise(Interrupt)
        ensure
          raise Causes::Failed, "second"
        end
      end
    end

    it "is that of one" do
      zero = 0
      expect_same_chain do
        1 / zero
      rescue ZeroDivisionError
        raise SystemExit, "text"
      end
      expect_same_chain do
        1 / zero
      rescue ZeroDivisionError
        raise Errno::EDOM, "text"
      end
      expect_same_chain do
        1 / zero
      rescue ZeroDivisionError
        raise Interrupt
      end
    end
  end

  describe "where something is thrown" do
    def throwing(thrown)
      zero = 0
      Ikra.section do
        throw :away, 5 if thrown

        1 / zero
      ensure
        raise Causes::Failed, "second"
      end
    end

    it "is there, but for what is thrown" do
      own = raised { throwing(false) }
      expect([own.class, own.cause.class]).to eq([Causes::Failed, ZeroDivisionError])
      own = raised { throwing(true) }
      # Whether a `catch` around the section waits for it is not known in it.
      expect([own.class, own.cause]).to eq([Causes::Failed, nil])
      expect(raised { catch(:away) { throwing(true) } }.cause).to be_nil
    end
  end

  # Patterns are matched on the CPU.
  describe "that cannot leave" do
    on_cpu

    it "is missing, and the exception is as it was" do
      block = lambda do |x|
        raise Causes::Holding, "a#{x}".match(/a/)
      rescue Causes::Holding
        raise Causes::Failed, "told"
      end
      own = raised { [1].pmap(&block) }
      expect([own.class, own.message]).to eq([Causes::Failed, "told"])
      expect(own.cause).to be_nil
    end
  end
end

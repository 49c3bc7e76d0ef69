# frozen_string_literal: true

# Exceptions that a section makes, and those that it rescues, as objects.
module Exceptions
  class Coded < StandardError
    attr_reader :code, :details
    attr_accessor :seen

    def initialize(code, details = nil)
      @code = code
      @details = details
      super("code #{code}")
    end

    def double = code * 2
  end

  class Named < StandardError
    attr_reader :name

    def initialize(message = "no name", name: "nobody")
      super(message)
      @name = name
    end
  end

  # Says its message itself, and never calls Exception's `initialize`.
  class Own < StandardError
    def initialize(value) # rubocop:disable Lint/MissingSuper
      @value = value
    end

    def message = "own #{@value}"
  end

  class Default < StandardError
    def initialize(message = "default")
      super
    end
  end

  class Below < Coded
    def initialize(code)
      @below = true
      super(code, [code, code + 0.5])
    end
  end

  class Plain < StandardError; end
  class Missing < KeyError; end

  Result = Struct.new(:error)

  class Checker
    attr_reader :errors

    def initialize
      @errors = []
    end

    def check(value)
      raise Coded.new(value, "in check") if value > 2

      value
    end

    def told(error) = "#{error.class}: #{error.message}"

    def retried(value, tries = 0)
      check(value)
    rescue Coded => e
      raise if tries > 1

      retried(value - e.code + 2, tries + 1)
    end
  end
end

each_backend do |backend|
  it "are all that can be raised" do
    tell = lambda do |&run|
      run.call
    rescue TypeError => e
      e.message
    end
    expect_same([1]) { |x| x == 2 ? 0 : raise(Exceptions::Checker) }
    expect_same([1]) { |x| tell.call { x == 2 ? 0 : raise(Exceptions::Checker, "x#{x}") } }
    # rubocop:disable Style/RaiseArgs
    expect_same([1]) { |x| tell.call { x == 2 ? 0 : raise(Exceptions::Checker.new) } }
    expect_same([1]) { |x| tell.call { x == 2 ? 0 : raise(Object.new) } }
    # rubocop:enable Style/RaiseArgs
    expect_same([1]) { |x| tell.call { x == 2 ? 0 : raise(Comparable) } }
  end

  it "have messages of Ruby's encodings" do
    told = lambda do |&run|
      run.call
    rescue StandardError => e
      [e.class, e.message, e.message.encoding]
    end
    [->(x) { raise "#{x}x" }, ->(x) { raise "é#{x}" }, ->(x) { raise x.to_s }, ->(x) { x / (x - 3) }, ->(x) { x + nil },
     ->(x) { [x].fetch(5) }, ->(x) { (x / 0.0).to_i }, ->(x) { { -x => 1 }.fetch("#{x}zzzz") },
     ->(x) { { -x => 1 }.fetch(:zzzz) }, ->(x) { Integer("#{x}z") }, ->(x) { Float("#{x}z") },
     ->(x) { [x].freeze << x }, ->(x) { [x].first(-1) }, ->(x) { x.to_s.center(9, "") }, ->(x) { [x, "a"].sort },
     ->(x) { { "é" => x }.fetch("è#{x}") }, ->(x) { "a" * -x }, ->(x) { [x].each_slice(0).to_a },
     ->(x) { x.clamp(3, 1) }, ->(x) { (-x).digits }, ->(x) { [x].to_h }, ->(x) { format("%d", "#{x}z") },
     ->(x) { format("%{a}", b: x) }, ->(x) { format("%<a>d%<b", a: x) }, ->(x) { [x].freeze.push("é") }].each do |block|
      expect(told.call { [3].pmap(&block) }).to eq(told.call { block.call(3) })
    end
  end

  numbers = [1, 2, 3, 4]
  checker = Exceptions::Checker.new
  on_gpu = backend.to_s.start_with?("cuda")

  it "rescues those with variables of their own" do
    expect_same(numbers) do |x|
      raise Exceptions::Coded.new(x, [x]) if x > 2

      x
    rescue Exceptions::Coded => e
      [e.code, e.details, e.message, e.double, e.class.name]
    end
    expect_same(numbers) do |x|
      checker.check(x)
    rescue StandardError => e
      e.is_a?(Exceptions::Coded) ? e.code : -1
    end
    expect_same(numbers) { |x| checker.retried(x) }
  end

  it "runs their initialize with keywords and defaults, and without super" do
    expect_same(numbers) do |x|
      raise Exceptions::Named.new("odd", name: "n#{x}") if x.odd?

      raise Exceptions::Named
    rescue Exceptions::Named => e
      [e.message, e.name]
    end
    expect_same(numbers) do |x|
      raise Exceptions::Own, x if x > 2

      raise Exceptions::Default
    rescue Exceptions::Own, Exceptions::Default => e
      [e.message, e.class.to_s]
    end
    expect_same(numbers) do |x|
      raise Exceptions::Below, x
    rescue Exceptions::Coded => e
      [e.details, e.message, e.inspect]
    end
  end

  it "has what was rescued as a value" do
    expect_same(numbers) do |x|
      error = nil
      begin
        x > 2 ? raise(Exceptions::Plain, "x#{x}") : 10 / (x - 1)
      rescue StandardError => e
        error = e
      end
      [error.nil?, error ? error.message : "none", error.is_a?(ZeroDivisionError), error == error] # rubocop:disable Lint/BinaryOperatorWithIdenticalOperands
    end
    expect_same(numbers) do |x|
      begin
        raise Exceptions::Plain, "x#{x}" if x > 2
      rescue Exceptions::Plain => e # rubocop:disable Lint/SuppressedException
      end
      e&.message
    end
    expect_same(numbers) do |x|
      x > 2 ? raise(Exceptions::Plain) : checker.check(x + 3)
    rescue StandardError => e
      case e
      when Exceptions::Coded then checker.told(e)
      when Exceptions::Plain then e.to_s
      end
    end
  end

  it "raises what was made before, and again what was rescued" do
    expect_same(numbers) do |x|
      error = Exceptions::Coded.new(x)
      begin
        raise error if x > 2
      rescue StandardError => e
        error.seen = e.equal?(error)
      end
      [error.seen, error.code]
    end
    expect_same(numbers) do |x|
      begin
        checker.check(x)
      rescue Exceptions::Coded => e
        e.seen = 1
        raise e
      end
    rescue Exceptions::Coded => e
      [e.seen, e.code]
    end
    expect_same(numbers) { |x| Exceptions::Plain.new("p#{x}").message + Exceptions::Plain.new.message }
    expect_same(numbers) do |x|
      raise Exceptions::Plain, x
    rescue Exceptions::Plain => e
      e.message
    end
  end

  it "gives them back as Ruby's own" do
    given = numbers.pmap do |x|
      raise Exceptions::Coded.new(x, [x, "text"]) if x > 2

      Exceptions::Named.new("m#{x}", name: x)
    rescue Exceptions::Coded => e
      e
    end
    expect(given.map(&:class)).to eq(([Exceptions::Named] * 2) + ([Exceptions::Coded] * 2))
    expect(given.map(&:message)).to eq(["m1", "m2", "code 3", "code 4"])
    expect(given[3].details).to eq([4, "text"])
    expect(given[3].instance_variables).to eq(%i[@code @details])
    expect(given[0].instance_variables).to eq([:@name])
    expect(given[0].backtrace).to be_nil
    expect(given[3].backtrace.first).to match(/\A#{__FILE__}:#{__LINE__ - 12}:in/)
    expect(numbers.pmap { |x| Exceptions::Result.new(Exceptions::Plain.new("r#{x}")) }.map { |r| r.error.message })
      .to eq(%w[r1 r2 r3 r4])
  end

  it "lets them leave the section" do
    raised = begin
      numbers.pmap { |x| x > 2 ? raise(Exceptions::Coded.new(x, [x, { "key" => x }])) : x }
    rescue StandardError => e
      e
    end
    # A GPU has lost it with the launch: the CPU makes it again.
    expect([raised.class, raised.message, raised.code, raised.details])
      .to eq([Exceptions::Coded, "code 3", 3, [3, { "key" => 3 }]])
    expect(raised.backtrace.first).to match(/\A#{__FILE__}:#{__LINE__ - 7}:in/)
    expect(raised.instance_variables).to include(:@code, :@details)
    expect_same(numbers) { |x| checker.check(x) }
    expect_same(numbers) { |x| raise Exceptions::Named.new(name: x) if x == 4 }
    expect_same(numbers) { |x| raise Exceptions::Own, [x] if x == 4 }
    [[1, 2], [1], [], { a: 1 }, 1..2, :a, 7].each do |message|
      told = %i[each peach].map { |each| raised { [1].public_send(each) { raise ArgumentError, message } } }
      expect(told.map { |e| [e.class, e.message, e.backtrace.first] }.uniq.size).to eq(1)
    end
    expect_same(numbers) do |x|
      checker.check(x)
    rescue ZeroDivisionError
      0
    ensure
      x + 1
    end
    # Ruby makes those that are known by a text.
    expect_same(numbers) { |x| raise Exceptions::Default if x == 3 }
    expect_same(numbers) { |x| raise Exceptions::Named, "n#{x}" if x == 3 }
  end

  it "tells what Ruby's own keep beside their message" do
    table = { 1 => :one, 2 => :two }
    expect_same(numbers) do |x|
      table.fetch(x)
    rescue KeyError => e
      [e.key, e.receiver, e.receiver.equal?(table), e.message.size]
    end
    expect_same(numbers) do |x|
      { "k#{x}" => x }.fetch("k3")
    rescue KeyError => e
      [e.key, e.receiver, e.class]
    end
    expect_same(numbers) do |x|
      format("%<a>d %<b>d", a: x)
    rescue KeyError => e
      [e.key, e.receiver]
    end
    expect_same(numbers) do |x|
      list = [x, 2].freeze
      x > 1 ? list << x : { x => 2 }.freeze.store(3, 4)
    rescue FrozenError => e
      [e.receiver, e.message]
    end
    expect_same(numbers + [nil]) do |x|
      x.nil? ? x.missing(2, "a") : x
    rescue NoMethodError => e
      [e.name, e.args, e.receiver]
    end
  end

  it "tells them of functions, of what others raise again, and behind the clause" do
    table = { 1 => :one, 2 => :two }
    deep = ->(x) { table.fetch(x) }
    expect_same(numbers) do |x|
      begin
        deep.call(x)
      rescue KeyError
        raise
      end
    rescue IndexError => e
      e.is_a?(KeyError) ? e.key : 0
    end
    expect_same(numbers) do |x|
      error = nil
      begin
        table.fetch(x)
      rescue KeyError => e
        error = e
      end
      error&.key
    end
    # One that nobody rescues leaves as Ruby's.
    raised = begin
      numbers.pmap do |x|
        begin
          table.fetch(x)
        rescue KeyError => e
          e.key > 3 ? 1 : e.key
        end + table.fetch(x - 1)
      end
    rescue KeyError => e
      e
    end
    expect([raised.class, raised.key, raised.receiver]).to eq([KeyError, 0, table])
    expect(raised.receiver).to equal(table) unless on_gpu
  end

  it "makes them with what they keep" do
    expect_same(numbers) do |x|
      raise KeyError.new("no #{x}", receiver: [x], key: x * 2) if x > 2
      raise FrozenError.new("hard", receiver: x) if x > 1

      raise Exceptions::Missing, "gone"
    rescue KeyError, FrozenError => e
      [e.message, e.is_a?(KeyError) && x > 2 ? [e.key, e.receiver] : 0]
    end
    absent = lambda do |&run|
      run.call
    rescue ArgumentError => e
      e.message
    end
    expect_same(numbers) { |x| absent.call { KeyError.new("x#{x}").key } }
    expect_same(numbers) { |x| absent.call { KeyError.new("x#{x}", key: nil).receiver } }
    expect_same(numbers) { |x| KeyError.new("x#{x}", key: nil).key }
    expect_same(numbers) { |x| NoMethodError.new("x#{x}", :name, [x], receiver: x).then { |e| [e.name, e.args] } }
    expect_same(numbers) { |x| NameError.new("x#{x}", :name).then { |e| [e.name, absent.call { e.receiver }] } }
  end

  it "gives Ruby's own back with what they keep" do
    table = { 1 => :one, 2 => :two }
    given = numbers.pmap do |x|
      table.fetch(x)
    rescue KeyError => e
      [e, e.key]
    end
    expect(given.drop(2).map { |e, key| [e.class, e.key, key, e.receiver] })
      .to eq([[KeyError, 3, 3, table], [KeyError, 4, 4, table]])
    given = [nil, 1].pmap do |x|
      x.round
    rescue NoMethodError => e
      [e, e.name]
    end
    expect([given[0][0].name, given[0][0].receiver, given[0][0].message[/.*for nil/]])
      .to eq([:round, nil, [nil].map { |x| x.round rescue $!.message[/.*for nil/] }[0]]) # rubocop:disable Style
  end

  it "collects them in the code around parallel calls" do
    given = Ikra.section do
      errors = []
      numbers.each do |x|
        checker.check(x)
      rescue Exceptions::Coded => e
        errors << e
      end
      errors.map { |e| [e.code, e.message] }
    end
    expect(given).to eq([[3, "code 3"], [4, "code 4"]])
  end

  it "raises one of several classes" do
    kinds = [KeyError, Exceptions::Coded, ArgumentError, Integer]
    expect_same([0, 2, 3]) do |i|
      raise kinds[i], "of #{i}"
    rescue KeyError, ArgumentError => e
      [e.class.name, e.message]
    rescue TypeError => e
      e.message
    end
    expect_same([0, 2]) do |i|
      raise kinds[i]
    rescue StandardError => e
      e.message
    end
    expect { [2].pmap { |i| raise kinds[i], "of #{i}" } }.to raise_error(ArgumentError, "of 2") unless on_gpu
    next if on_gpu

    expect_same([1]) do |i|
      raise kinds[i], 5
    rescue Exceptions::Coded => e
      [e.message, e.code]
    end
  end

  it "raises what is no exception as Ruby does" do
    expect_same(numbers) { |x| raise(x > 2 ? nil : Exceptions::Plain.new("y")) } unless on_gpu
    expect_same(numbers) do |x|
      raise nil if x > 2

      x
    rescue TypeError => e
      e.message
    end
  end
end

each_compiling_backend do
  it "refuses to keep them where others look" do
    holders = [Exceptions::Result.new(nil)]
    program = lambda do
      Ikra.section do
        holders.peach { |h| h.error = Exceptions::Coded.new(4) }
        holders.pmap { |h| h.error.code }
      end
    end
    expect(&program).to raise_error(Ikra::UnsupportedError, /\[unsupported-store\]/)
    expect(holders[0].error).to be_nil
    holders.peach { |h| h.error = Exceptions::Coded.new(4, [h]) }
    expect([holders[0].error.message, holders[0].error.details]).to eq(["code 4", holders])
  end

  it "says what Ruby keeps besides" do
    expect { [1].pmap { |x| raise Exceptions::Named, name: x } }
      .to raise_error(Ikra::UnsupportedError, /\[unsupported-raise\]/)
    expect do
      [1].pmap do |x|
        { 2 => x }.fetch(x)
      rescue KeyError => e
        e
      end
    end.to raise_error(Ikra::UnsupportedError, /leaves the section.*\[unsupported-rescue-variable\].*error\.message/m)
    expect { [1].pmap { |x| Exceptions::Missing.new("x#{x}", keys: x).message } }
      .to raise_error(Ikra::UnsupportedError, /\[unsupported-new\]/)
    expect do
      [1].pmap do |x|
        raise Exceptions::Plain if x == 1
      rescue Exceptions::Plain => e
        e.full_message
      end
    end.to raise_error(Ikra::UnsupportedError, /\[unsupported-method\]/)
  end
end

# frozen_string_literal: true

# `Exception#cause` in a section, and `raise …, cause: error`.
module AskedCauses
  class Code < StandardError
    attr_reader :code

    def initialize(code)
      @code = code
      super("code #{code}")
    end
  end

  def self.dive(depth) = depth == 0 ? raise("deep") : dive(depth - 1)

  def self.handled(depth)
    depth == 0 ? raise("deep") : handled(depth - 1)
  rescue RuntimeError
    raise ArgumentError, "at #{depth}" if depth == 2

    raise
  end

  def self.asked(depth)
    depth == 0 ? raise("low") : asked(depth - 1)
  rescue RuntimeError => e
    e.cause.nil? ? depth : -1
  end

  def self.chain(error)
    all = []
    while error
      all << error.message
      error = error.cause
    end
    all
  end

  # What a block raises, as an object.
  def self.raised
    yield
    nil
  rescue StandardError => e
    e
  end
end

each_backend do |backend|
  def told(error) = error && [error.class, error.message, told(error.cause)]

  # Of those that leave, with their causes.
  def expect_same_causes(items = [1, 2], &block)
    ruby, own = %i[map pmap].map { |name| AskedCauses.raised { items.public_send(name, &block) } }
    expect(told(own)).to eq(told(ruby))
  end

  it "is what was being handled" do
    expect_same([1, 2]) do |x|
      error = AskedCauses.raised do
        raise "a#{x}"
      rescue RuntimeError
        raise ArgumentError, "b"
      end
      [error.message, error.cause.message, error.cause.class, error.cause.cause]
    end
    expect_same([0, 1]) { |x| AskedCauses.raised { 1 / x }&.cause.nil? }
    expect_same([1, 2]) do |x|
      error = AskedCauses.raised do
        x / 0
      rescue ZeroDivisionError
        begin
          { a: 1 }.fetch(:b)
        rescue KeyError
          raise AskedCauses::Code, x
        end
      end
      [error.code, AskedCauses.chain(error)]
    end
    expect_same([1, 2]) do |x|
      error = AskedCauses.raised do
        raise AskedCauses::Code, x
      ensure
        raise "b" if x == 1
      end
      cause = error.cause
      cause.is_a?(AskedCauses::Code) ? cause.code : cause
    end
    expect_same([1, 2]) { |x| AskedCauses::Code.new(x).cause }
  end

  it "is the one object" do
    expect_same([1, 2]) do |x|
      first = nil
      error = AskedCauses.raised do
        raise "a#{x}"
      rescue RuntimeError => e
        first = [e]
        raise "b"
      end
      error.cause.equal?(first[0])
    end
    expect_same([1, 2]) do |x|
      x / 0
    rescue ZeroDivisionError
      all = Array.new(2) { AskedCauses.raised { raise "b" } }
      all[0].cause.equal?(all[1].cause)
    end
  end

  it "comes to one that is raised again and has none yet" do
    expect_same([1, 2]) do |x|
      error = RuntimeError.new("x")
      before = AskedCauses.raised { raise error }.cause
      again = AskedCauses.raised do
        x / 0
      rescue ZeroDivisionError
        raise error
      end
      [before, again.equal?(error), again.cause.message]
    end
    expect_same_causes do |x|
      error = RuntimeError.new("x")
      AskedCauses.raised { raise error }
      begin
        x / 0
      rescue ZeroDivisionError
        raise error
      end
    end
  end

  it "is known of what methods raise that call themselves" do
    expect_same([1, 2]) do |x|
      error = AskedCauses.raised do
        raise "a"
      rescue RuntimeError
        AskedCauses.dive(x)
      end
      [error.message, error.cause.message, AskedCauses.raised { AskedCauses.dive(x) }.cause]
    end
    expect_same([1, 2]) { |x| AskedCauses.chain(AskedCauses.raised { AskedCauses.handled(x + 1) }) }
    expect_same([1, 2]) do |x|
      raise "outer"
    rescue RuntimeError
      AskedCauses.chain(AskedCauses.raised { AskedCauses.handled(x + 1) })
    end
  end

  it "is given by name" do
    expect_same([1, 2]) do |x|
      given = AskedCauses::Code.new(x)
      error = AskedCauses.raised { raise ArgumentError, "b", cause: given }
      [error.message, error.cause.equal?(given), error.cause.code]
    end
    expect_same([1, 2]) do |x|
      given = x == 1 ? nil : RuntimeError.new("z")
      error = AskedCauses.raised do
        x / 0
      rescue ZeroDivisionError
        raise "q", cause: given
      end
      AskedCauses.chain(error)
    end
    expect_same([1, 2]) do |x|
      error, one, other = %w[e a b].map { |text| RuntimeError.new(text + x.to_s) }
      AskedCauses.raised { raise error, cause: one }
      AskedCauses.raised { raise error, cause: other }
      AskedCauses.chain(error)
    end
    expect_same_causes do |x|
      raise "a#{x}"
    rescue RuntimeError => e
      raise ArgumentError, "b", cause: e
    end
    expect_same_causes { |x| raise AskedCauses::Code.new(x), cause: nil }
    expect_same_causes { raise "q", cause: RuntimeError.new("z") }
    expect_same_causes do |x|
      given = AskedCauses::Code.new(x)
      raise AskedCauses::Code.new(3), cause: given
    end
  end

  it "is no cause of itself, and an exception" do
    expect_same([1, 2]) do |x|
      one, other = %w[e f].map { |text| RuntimeError.new(text + x.to_s) }
      AskedCauses.raised { raise other, cause: one }
      error = AskedCauses.raised { raise one, cause: other }
      [error.class, error.message, one.cause, AskedCauses.raised { raise one, cause: one }.cause]
    end
    expect_same([1, 2]) { |x| AskedCauses.raised { raise "q", cause: x }.then { |e| [e.class, e.message] } }
    expect_same([1, 2]) { AskedCauses.raised { raise cause: RuntimeError.new("q") }.then { |e| [e.class, e.message] } }
  end

  next if backend == :ruby

  it "is refused where it is not known" do
    around = proc do
      [1].pmap { AskedCauses.raised { raise "a" }.cause }
    end
    outer = begin
      raise "outer"
    rescue RuntimeError
      AskedCauses.raised(&around)
    end
    expect(outer).to be_a(Ikra::UnsupportedError)
    expect(outer.message).to match(/handled around the section.*\[unsupported-rescue-variable\]\n.*\n.*\n +hint: /m)
    expect(around.call).to eq([nil])
    expect { [2].pmap { |x| AskedCauses.asked(x) } }
      .to raise_error(Ikra::UnsupportedError, /calls itself.*\[unsupported-rescue-variable\]/m)
    error = RuntimeError.new("from before")
    expect { [1].pmap { raise "a", cause: error } }.to raise_error(Ikra::UnsupportedError, /\[unsupported-raise\]/)
  end
end

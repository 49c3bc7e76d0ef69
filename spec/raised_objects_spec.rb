# frozen_string_literal: true

# What `raise` raises, and what is left of it outside: the object as it is, its cause and its message.
module RaisedObjects
  # Raised as a class it is one; as an object it says that another one is raised.
  class Other < StandardError
    def exception(*) = ArgumentError.new("another")
  end

  # No exception, but it knows one.
  class Maker
    def exception(*given) = ArgumentError.new("made with #{given.size}")
  end

  class Wrong
    def exception(*) = 5
  end

  class Factory
    def self.exception(*given) = ArgumentError.new("made of #{given.size}")
  end

  class Text
    def to_str = "text"
  end

  class Code < StandardError
    attr_reader :code

    def initialize(code = 1)
      @code = code
      super("code #{code}")
    end
  end

  def self.told(error)
    return unless error

    message = error.message
    [error.class, message.sub(/\n\n.*/m, ""), message.encoding, message.frozen?, told(error.cause)]
  end
end

# rubocop:disable Style/RaiseArgs
each_backend do |backend|
  def raised
    yield
    nil
  rescue StandardError => e
    RaisedObjects.told(e)
  end

  # Alone, and where something is being handled around the section.
  def expect_same_error(&block)
    alone = %i[map pmap].map { |name| raised { [1].public_send(name, &block) } }
    around = %i[map pmap].map do |name|
      raise IOError, "around"
    rescue IOError
      raised { [1].public_send(name, &block) }
    end
    expect([alone[1], around[1]]).to eq([alone[0], around[0]])
  end

  it "has no cause where it says so, whatever is handled around the section" do
    expect_same_error { |_| raise "none", cause: nil }
    expect_same_error { |_| raise ArgumentError, cause: nil }
    expect_same_error { |x| raise ArgumentError, "none#{x}", cause: nil }
    expect_same_error { |_| raise ArgumentError.new("none"), cause: nil }
    expect_same_error { |x| raise RaisedObjects::Code, x, cause: nil }
    expect_same_error { |x| raise RaisedObjects::Code.new(x), cause: nil }
    expect_same_error do |x|
      x / 0
    rescue ZeroDivisionError
      raise "none", cause: nil
    end
    expect_same_error do |_|
      raise "none", cause: nil
    rescue StandardError
      raise
    end
    expect_same_error do |_|
      begin
        raise "none", cause: nil
      rescue StandardError
        raise "has one"
      end
    rescue StandardError => e
      raise e, cause: nil
    end
  end

  it "has the cause around the section where it does not" do
    expect_same_error { |_| raise "some" }
    expect_same_error { |x| x / 0 }
    expect_same_error { |x| raise RaisedObjects::Code, x }
    expect_same_error { |_| { a: 1 }.fetch(:b) }
  end

  it "is told by a literal that is frozen, and is so outside" do
    expect_same_error { |_| raise "literal" }
    expect_same_error { |_| raise ArgumentError, "literal" }
    expect_same_error { |_| raise ArgumentError.new("literal") }
    expect_same_error { |x| raise ArgumentError, "put together #{x}" }
    expect_same_error { |_| raise ArgumentError, +"not frozen" }
    expect_same_error { |_| raise StopIteration, "literal" }
  end

  it "is what an `exception` of its class makes" do
    expect_same_error { |_| raise RaisedObjects::Other }
    expect_same_error { |_| raise RaisedObjects::Other.new("a") }
    expect_same_error { |_| raise RaisedObjects::Maker.new }
    expect_same_error { |_| raise RaisedObjects::Wrong.new }
    expect_same_error { |_| raise RaisedObjects::Factory }
    expect_same_error { |_| raise RaisedObjects::Factory, "a" }
  end

  it "is in the encoding of Ruby's messages where a pattern does not match" do
    expect_same_error { |x| { a: x } => { b: } }
    expect_same_error { |x| { "ü" => x } => { b: } }
    expect_same_error { |x| { a: x, b: 2 } => { a:, **nil } }
    expect_same_error { |x| { a: x } => String }
  end

  next if backend == :ruby

  it "is not where Ruby asks what a section does not" do
    told = /asks the `exception` that RaisedObjects::Other has of its own \[unsupported-raise\]/
    expect do
      [1].pmap do |_|
        raise RaisedObjects::Other
      rescue StandardError
        raise
      end
    end.to raise_error(Ikra::UnsupportedError, told)
    told = /`raise` takes what a `to_str` gives for its message \[unsupported-raise\]/
    expect { [1].pmap { |_| raise RaisedObjects::Text.new } }.to raise_error(Ikra::UnsupportedError, told)
  end
end
# rubocop:enable Style/RaiseArgs

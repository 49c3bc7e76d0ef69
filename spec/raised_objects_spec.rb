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

  it "is a copy with another message where `raise` is given an object and a text" do
    expect_same_error { |x| raise RaisedObjects::Code.new(x), "other" }
    expect_same_error { |x| raise ArgumentError.new("first"), "other #{x}", cause: nil }
    expect_same_error { |_| raise RaisedObjects::Maker.new, "a" }
    expect_same_error { |_| raise RaisedObjects::Other.new, "a" }
    expect_same_error { |_| raise RaisedObjects::Wrong.new, "a" }
    expect_same_error { |x| raise x, "a" }
    expect_same_error { |_| raise "a", "b" }
    expect_same_error do |_|
      { a: 1 }.fetch(:b)
    rescue KeyError => e
      raise e, "no #{e.key}"
    end
    block = lambda do |x|
      first = RaisedObjects::Code.new(x)
      raise first, x.odd? ? "told" : nil
    rescue RaisedObjects::Code => e
      [e.message, e.code, e.equal?(first), first.message, e.exception.equal?(e), e.exception(e).equal?(e)]
    end
    expect([1, 2].pmap(&block)).to eq([1, 2].map(&block))
    several = lambda do |x|
      raise [KeyError, IOError.new("object"), "text", nil, 5][x]
    rescue StandardError => e
      [e.class, e.message]
    end
    expect([*0..4].pmap(&several)).to eq([*0..4].map(&several))
  end

  it "is the same when it is raised again, and has the cause that it then has" do
    told = ->(again, error) { [again.equal?(error), again.class.to_s, again.message, again.cause&.message] }
    expect_same([1, 2]) do |x|
      x == 2 ? raise("q") : Integer("a")
    rescue StandardError => e
      begin
        raise
      rescue StandardError => f
        told.call(f, e)
      end
    end
    expect_same([1, 2]) do |x|
      x == 2 ? raise("q") : raise(RaisedObjects::Code.new(x))
    rescue StandardError => e
      begin
        raise e
      rescue StandardError => f
        told.call(f, e)
      end
    end
    expect_same([1, 2]) do |x|
      known = nil
      begin
        raise "a#{x}"
      rescue StandardError => e
        known = e
        raise e
      end
    rescue StandardError => e
      begin
        raise e
      rescue StandardError => f
        [told.call(f, e), f.equal?(known)]
      end
    end
    [nil, "b"].each do |text|
      expect_same([1]) do |_|
        raise "a"
      rescue StandardError => e
        begin
          begin
            raise text || "none", cause: nil
          rescue StandardError
            raise e
          end
        rescue StandardError => f
          told.call(f, e)
        end
      end
    end
    again = proc do |_|
      raise "a"
    rescue StandardError => e
      begin
        raise IOError, "b", cause: nil
      rescue IOError
        raise e
      end
    end
    expect(raised { [1].pmap(&again) }).to eq(raised { [1].map(&again) })
    next if backend == :ruby

    told = /whether an exception that is raised again has a cause is not known/
    raise IOError, "around"
  rescue IOError
    expect { [1].pmap(&again) }.to raise_error(Ikra::UnsupportedError, told)
  end

  it "is one from before the section, as it is" do
    told = lambda do |error, known|
      [error.equal?(known), error.class, error.message, error.backtrace&.first, error.cause&.message]
    end
    handled = lambda do
      raise IOError, "a"
    rescue IOError => e
      e
    end
    [-> { IOError.new("a") }, -> { RaisedObjects::Code.new(3) }, handled, -> { IOError.new("a").freeze }].each do |make|
      results = %i[map pmap].map do |name|
        known = make.call
        begin
          [1, 2].public_send(name) { |x| x == 2 ? raise(known) : x }
        rescue StandardError => e
          told.call(e, known)
        end
      end
      expect(results[1]).to eq(results[0])
      around = %i[map pmap].map do |name|
        known = make.call
        begin
          raise "around"
        rescue RuntimeError
          begin
            [1, 2].public_send(name) { |x| x == 2 ? raise(known) : x }
          rescue StandardError => e
            told.call(e, known)
          end
        end
      end
      expect(around[1]).to eq(around[0])
    end
    all = [RaisedObjects::Code.new(3), RaisedObjects::Code.new(4)]
    expect { all.pmap { |error| error.code == 4 ? raise(error) : 1 } }.to raise_error(equal(all[1]))
  end

  it "is what is handled around the section, where `raise` is given nothing" do
    again = proc { |x| x == 2 ? raise : x }
    told = ->(name) { raised { [1, 2].public_send(name, &again) } }
    expect(told.call(:pmap)).to eq(told.call(:map))
    %i[map pmap].each do |name|
      raise IOError, "around"
    rescue IOError => e
      expect { [1, 2].public_send(name, &again) }.to raise_error(equal(e))
    end
    expect(told.call(:pmap)).to eq(told.call(:map))
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

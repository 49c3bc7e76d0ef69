# frozen_string_literal: true

# `super` that comes to Object's own `initialize`, and which methods an object responds to.
module InitializeSpec
  class Bare
    def initialize
      super
      @a = 1
    end
    attr_reader :a
  end

  class Without
    def initialize(a)
      super()
      @a = a
    end
    attr_reader :a
  end

  class Below < Without
    def initialize(a, b)
      super(a)
      @b = b
    end
    attr_reader :b
  end

  class Rest
    def initialize(*args, **options, &block)
      super(*args, **options)
      @a = block ? block.call : 5
    end
    attr_reader :a
  end

  class All
    def initialize(...)
      super
      @a = 3
    end
    attr_reader :a
  end

  class List
    def initialize(list)
      super(*list)
      @a = list.size
    end
    attr_reader :a
  end

  module Mixed
    def initialize(*)
      super
      @mixed = 1
    end
    attr_reader :mixed
  end

  class Mixing
    include Mixed

    def initialize(a)
      super()
      @a = a
    end
    attr_reader :a
  end

  class Prepended
    prepend Mixed
  end

  Nothing = Class.new

  LISTS = [[], [1, 2]].freeze

  class Asked
    def shown = 1

    def hidden = 2
    private :hidden

    def shielded = 3
    protected :shielded
  end

  class Answering
    def method_missing(name, *) = name
    def respond_to_missing?(name, all) = name == :zork || (all && name == :inner)

    def hidden = 2
    private :hidden
  end

  # It does not say which.
  class Silent
    def method_missing(name, *) = name
  end

  OBJECTS = [Asked.new, Answering.new, Silent.new].freeze
end

each_backend do
  it "comes to an initialize that does nothing" do
    expect_same([1, 2]) do |x|
      [InitializeSpec::Bare.new.a, InitializeSpec::Without.new(x).a, InitializeSpec::All.new.a]
    end
    expect_same([1, 2]) { |x| [InitializeSpec::Below.new(x, 2)].map { |b| [b.a, b.b] } }
    expect_same([1, 2]) { |x| [InitializeSpec::Rest.new.a, InitializeSpec::Rest.new { x }.a] }
    expect_same([1, 2]) { |x| [InitializeSpec::Mixing.new(x)].map { |b| [b.a, b.mixed] } }
    expect_same([1, 2]) { |_| InitializeSpec::Prepended.new.mixed }
  end

  it "takes no arguments there" do
    expect_same([1, 2]) { |x| InitializeSpec::Rest.new(x).a }
    expect_same([1, 2]) { |x| InitializeSpec::All.new(x, x).a }
    expect_same([1, 2]) { |x| InitializeSpec::Rest.new(z: x).a }
    expect_same([1, 2]) { |x| InitializeSpec::Prepended.new(x).mixed }
    expect_same([1, 2]) { |x| InitializeSpec::Nothing.new(x) }
    expect_same([0]) { |x| InitializeSpec::List.new(InitializeSpec::LISTS[x]).a }
    expect_same([0, 1]) { |x| InitializeSpec::List.new(InitializeSpec::LISTS[x]).a }
  end

  it "knows private and protected methods, and what is answered" do
    names = %i[shown hidden shielded zork inner dup none]
    expect_same(names) { |name| InitializeSpec::OBJECTS.map { |object| object.respond_to?(name) } }
    expect_same(names) { |name| InitializeSpec::OBJECTS.map { |object| object.respond_to?(name, true) } }
    expect_same([1, 2]) { |x| InitializeSpec::OBJECTS.map { |object| object.respond_to?(:hidden, x > 1) } }
    expect_same([1, 2]) { |x| [x.respond_to?(:puts), x.respond_to?(:puts, true), Math.respond_to?(:none, true)] }
    expect_same([1, 2]) { |_| InitializeSpec::Asked.new.respond_to?(:hidden, true) }
  end
end

# frozen_string_literal: true

# Methods of the user's that Ruby's own ask for: to_str, to_ary and the `exception` of a class.
# rubocop:disable Style/ParallelAssignment, Style/ArrayJoin
module AskedMethods
  # Says what its exceptions are.
  class Wrapped < StandardError
    def self.exception(message = nil) = new("wrapped #{message}")
  end

  # A list to Ruby.
  class List
    attr_reader :items

    def initialize(*items) = @items = items
    def to_ary = @items
    def to_s = "a list"
  end

  # A text to Ruby.
  class Text
    def initialize(text) = @text = text
    def to_str = "(#{@text})"
    def to_s = "a text"
  end

  # Has variables only once they are set.
  class Late
    def pair(one, other)
      @one, @other = one, other
      self
    end

    def pair_as_value(one, other) = (@one, @other = one, other)

    def three(list)
      @first, @second, @third = list
      self
    end

    def some(one)
      @one, local, @other = one, 2, 3
      @sum = local
      self
    end
  end

  def self.yielding = yield
end

each_backend do
  it "asks the class for the exception to raise" do
    expect_same([1, 2]) do |n|
      raise AskedMethods::Wrapped, "number #{n}" if n > 0
    rescue AskedMethods::Wrapped => e
      [e.message, e.class]
    end
    [-> { [1].pmap { raise AskedMethods::Wrapped } }, -> { [1].pmap { |x| raise AskedMethods::Wrapped, "q#{x}" } }]
      .zip(["wrapped ", "wrapped q1"]).each do |call, message|
        expect(&call).to raise_error(AskedMethods::Wrapped, message)
      end
  end

  it "joins what objects are to Ruby" do
    list = AskedMethods::List.new(1, [2, "c"])
    text = AskedMethods::Text.new("t")
    expect_same([list]) { |x| [[x, 3].join("-"), [3, x] * ",", [[x], 4].join(" ")] }
    expect_same([text]) { |x| [[x, 3].join("-"), [3, x] * ",", [[x], 4].join(" ")] }
    expect_same([1]) { |x| [[AskedMethods::Text.new(x), AskedMethods::List.new(x, x)].join("+"), [x, text, list].join] }
  end

  it "looks for pairs in what is a list to Ruby" do
    list = AskedMethods::List.new(1, 2)
    expect_same([1, 2]) { |x| [[list].assoc(x), [[3, x], list].rassoc(2), [[x, 1], list].assoc(1)] }
  end

  it "gives the key that a Hash is asked for, where the running Ruby does" do
    few = { [1] => 2, [2] => 3 }
    many = (0..20).to_h { |i| [[i], i] }
    expect_same([[1], [2], [9]]) do |key|
      [few, many].map { |hash| [hash.assoc(key), hash.assoc(key)&.first.equal?(key)] }
    end
  end

  it "tells why there is no block" do
    expect { [1].pmap { AskedMethods.yielding } }
      .to raise_error(LocalJumpError) { |e| expect([e.reason, e.exit_value]).to eq([:noreason, nil]) }
  end

  it "sets the variables of a multiple assignment in the order in which Ruby does" do
    calls = { pair: [1, 2], three: [[1, 2, 3]], some: [1] }
    calls.each do |name, arguments|
      expected = Class.new(AskedMethods::Late).new.send(name, *arguments).instance_variables
      late = Class.new(AskedMethods::Late).new
      [late].peach { |x| x.pair(*arguments) } if name == :pair
      [late].peach { |x| x.three(*arguments) } if name == :three
      [late].peach { |x| x.some(*arguments) } if name == :some
      expect(late.instance_variables).to eq(expected)
    end
    late = [Class.new(AskedMethods::Late).new].each { |x| x.pair_as_value(1, 2) }
    given = [Class.new(AskedMethods::Late).new].peach { |x| x.pair_as_value(1, 2) }
    expect(given[0].instance_variables).to eq(late[0].instance_variables)
  end
end
# rubocop:enable Style/ParallelAssignment, Style/ArrayJoin

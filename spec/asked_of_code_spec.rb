# frozen_string_literal: true

# What code asks of itself: `defined?`, `__method__`; and flip-flops, whose state is the method's.
module AskedOfCode
  LIMIT = 3

  class Asking
    def around = [1, 2].map { __method__ }
    def self.around(numbers) = numbers.pmap { |n| [n, __method__, [n].map { __method__ }] }
    def self.lambda_of_its_own = -> { __method__ }
    singleton_class.alias_method :other, :around
    singleton_class.define_method(:made) { |numbers| numbers.pmap { __method__ } }

    # rubocop:disable Lint/FlipFlop
    def select(list, first, last) = list.select { |i| true if (i == first)..(i == last) }
    def select_behind(list, first, last) = list.select { |i| true if (i == first)...(i == last) }
    def either(list) = list.map { |i| !((i == 2)..(i == 4)) && i > 1 ? i : -i }
    # rubocop:enable Lint/FlipFlop

    def block = defined?(yield)

    def all(given = 3)
      own = given
      # rubocop:disable Style/RedundantSelf, Style/RedundantInterpolation, Style/RedundantParentheses
      [defined?(given), defined?((own)), defined?(none), defined?(none(1)), defined?(all), defined?(self.all),
       defined?(hidden), defined?(self.hidden), defined?(LIMIT), defined?(NONE), defined?(AskedOfCode::NONE),
       defined?(::AskedOfCode::LIMIT), defined?(NONE::A), defined?(NONE.new), defined?(nil), defined?(true),
       defined?(false), defined?(1), defined?("a"), defined?("#{own}"), defined?(:a), defined?(self),
       defined?(later = 1), defined?(own += 1), defined?(@a = 1), defined?(own && given), defined?(own + 1),
       defined?(own.puts), defined?(puts), defined?(String.new), defined?(String.none), later, own]
      # rubocop:enable Style/RedundantSelf, Style/RedundantInterpolation, Style/RedundantParentheses
    end

    def method_of(object) = defined?(object.around)

    private

    def hidden = 1
  end
end

each_backend do
  let(:asking) { AskedOfCode::Asking.new }

  it "knows what is defined" do
    asking = self.asking
    expect_same([1, 2]) { asking.all }
    expect_same([1]) { |n| [defined?(n), defined?(asking), defined?(puts), defined?(String), defined?(None)] }
    expect_same([1]) { [asking.block, asking.block { 1 }, asking.block(&nil)] }
    expect_same([1, asking, nil]) { |object| asking.method_of(object) }
    text = [1].pmap { |n| defined?(n) }.first
    expect([text.encoding, text.frozen?]).to eq([Encoding::US_ASCII, true])
  end

  it "refuses what only the run would tell" do
    asked = [-> { [1].pmap { defined?($stdout) } }, -> { [1].pmap { |n| defined?(n.abs.none) } }]
    asked.each do |run|
      next run.call if Ikra.backend == :ruby

      expect(&run).to raise_error(Ikra::UnsupportedError, /unsupported-defined/)
    end
  end

  it "knows the method around a block" do
    asked = AskedOfCode::Asking
    expect(asked.around([1, 2])).to eq([[1, :around, [:around]], [2, :around, [:around]]])
    expect(asked.other([1])).to eq([[1, :around, [:around]]])
    expect(asked.made([1])).to eq([:made])
    around = asked.lambda_of_its_own
    expect([1].pmap { around.call }).to eq([:lambda_of_its_own])
    asking = self.asking
    expect_same([1]) { asking.around }
    expect_same([1]) { __method__ }
  end

  it "goes on between the two ends of a flip-flop" do
    asking = self.asking
    list = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6]
    ends = [[3, 5], [3, 3], [5, 3], [9, 1], [3, 9], [1, 2]]
    expect_same(ends) { |first, last| asking.select(list, first, last) }
    expect_same(ends) { |first, last| asking.select_behind(list, first, last) }
    expect_same([1]) { asking.either(list) }
  end
end

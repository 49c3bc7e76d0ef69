# frozen_string_literal: true

module HeldProcs
  LIMIT = 10
  OPERATIONS = {
    add: ->(a, b) { a + b },
    sub: ->(a, b) { a - b },
    limit: ->(a, b) { [a + b, LIMIT].min }
  }.freeze
  STEPS = [->(x) { x + 1 }, ->(x) { x * 2 }, ->(x) { x.fdiv(3) }].freeze

  # Has a rule.
  class Agent
    attr_accessor :rule, :value, :other, :seen

    def initialize(rule, value = 1)
      @rule = rule
      @value = value
      @seen = 0
    end

    def step = @value = @rule.call(@value)
    def self_given = @rule.call(self)
    def swap = @rule = @other.rule
    def bonus = @value + LIMIT

    # Has captured its object.
    def own_rule = ->(x) { x + @value + bonus }
  end

  # Makes rules.
  module Rules
    LIMIT = 100

    class << self
      def above(limit) = ->(x) { x > limit ? x - limit : x }
      def capped = ->(x) { [x, LIMIT].min }
      def scaled(by, offset: 0) = ->(x) { x * by + offset }
      def block(&rule) = rule
      def counting = (n = 0) && ->(x) { n += x }
      def choose(first, second) = ->(x) { x.even? ? first.call(x) : second.(x) }
      def chain(rules) = ->(x) { rules.reduce(x) { |value, rule| rule.call(value) } }
      def factorial = fact = ->(n) { n < 2 ? 1 : n * fact.call(n - 1) }
    end
  end

  # Rules that hold rules: a tree.
  Node = Struct.new(:test, :left, :right) do
    def decide(x)
      branch = test.call(x) ? left : right
      branch.is_a?(Node) ? branch.decide(x) : branch.call(x)
    end
  end

  # A machine with a table of instructions.
  class Machine
    attr_reader :stack, :a

    TABLE = {
      push: ->(m, x) { m.put(x) },
      double: ->(m, _) { m.put(m.a * 2) },
      none: proc { |m| m.put(m.a - 1) }
    }.freeze

    def initialize(program)
      @program = program
      @a = 0
    end

    def put(x) = @a = x

    def run
      @program.each { |name, x| TABLE[name].call(self, x) }
      @a
    end
  end
end

each_backend do
  let(:rules) { HeldProcs::Rules }
  let(:numbers) { [1, 2, 7, 40] }

  def agents(*rules) = rules.map { |rule| HeldProcs::Agent.new(rule) }

  describe "a lambda of an object" do
    it "is called" do
      all = agents(->(x) { x + 1 }, ->(x) { x * 2.5 }, ->(x) { [x, :a] })
      expect_same(all) { |agent| agent.rule.call(3) }
      expect_same(all) { |agent| [agent.rule.(3), agent.rule[4], agent.rule === 5, agent.rule.yield(6)] }
      expect_same(all) { |agent| agent.rule.call }
      expect_same(all) { |agent| agent.rule.call(1, 2) }
      expect_same_effects(-> { agents(->(x) { x + 1 }, ->(x) { x * 2 }) }, 3) { |agent| agent.step }
    end

    it "has what it captured" do
      all = [3, 5, 5.5].map { |limit| HeldProcs::Agent.new(rules.above(limit)) }
      all += [2, 3].map { |by| HeldProcs::Agent.new(rules.scaled(by, offset: by * 2)) }
      expect_same(all) { |agent| [agent.rule.call(4), agent.rule.call(10)] }
      some = Array.new(3000) { |i| HeldProcs::Agent.new(i.odd? ? rules.above(i) : rules.scaled(i)) }
      expect_same(some) { |agent| agent.rule.call(1500) }
    end

    it "has the self and the constants of where it stands" do
      all = [1, 2].map { |n| HeldProcs::Agent.new(nil, n) }
      all.each { |agent| agent.rule = agent.own_rule }
      all << HeldProcs::Agent.new(rules.capped) << HeldProcs::Agent.new(all[0].own_rule)
      expect_same(all) { |agent| [agent.rule.call(3), agent.rule.call(300)] }
      expect_same(all) { |agent| agent.rule.call(agent.value + 1) }
    end

    it "gets the object" do
      all = agents(->(agent) { agent.value + 1 }, ->(agent) { agent.seen += 2 }, ->(_) {})
      expect_same(all.values_at(0, 2)) { |agent| agent.self_given }
      make = -> { agents(->(agent) { agent.value += 1 }, ->(agent) { agent.seen += 2 }) }
      expect_same_effects(make, 2) { |agent| agent.self_given }
    end

    it "is a block" do
      all = agents(->(x) { x + 1 }, rules.above(2), :succ.to_proc)
      expect_same(all) { |agent| [1, 2, 3].map(&agent.rule) }
      expect_same(all) { |agent| [1, 2, 3].sum(&agent.rule) + 5.then(&agent.rule) }
      pairs = agents(->((a, b)) { a + b }, proc { |a, b| [b, a] }, proc { |a| a })
      expect_same(pairs) { |agent| [[1, 2], [3, 4]].map(&agent.rule) }
      expect_same(pairs) { |agent| { 1 => 2 }.map(&agent.rule) }
    end

    it "may be none" do
      all = [HeldProcs::Agent.new(nil), *agents(->(x) { x + 1 }), HeldProcs::Agent.new(5)]
      expect_same(all.first(2)) { |agent| agent.rule&.call(3) }
      expect_same(all.first(2)) { |agent| agent.rule ? agent.rule.call(3) : 0 }
      expect_same(all) { |agent| agent.rule.respond_to?(:call) ? 1 : 2 }
      expect_same(all) { |agent| agent.rule.is_a?(Proc) ? agent.rule.call(2) : agent.rule }
      expect_same(all) { |agent| agent.rule.call(2) }
    end

    it "raises in its place" do
      all = agents(->(x) { x + 1 }, ->(x) { x / 0 }, ->(x) { raise ArgumentError, "no #{x}" })
      expect_same(all) { |agent| agent.rule.call(3) }
      expect_same(all) do |agent|
        agent.rule.call(3)
      rescue ZeroDivisionError, ArgumentError => e
        e.message
      end
    end

    it "tells what it is" do
      all = agents(->(x) { x }, proc { |x, y| [x, y] }, ->(x, y = 1, *) { [x, y] }, proc { |x, k: 1| [x, k] })
      expect_same(all) { |agent| [agent.rule.arity, agent.rule.lambda?, agent.rule.class, agent.rule.instance_of?(Proc)] }
      expect_same(all) { |agent| [agent.rule.is_a?(Proc), Proc === agent.rule, agent.rule.frozen?, agent.rule.nil?] }
      expect_same(all) { |agent| agent.rule.equal?(all[0].rule) }
      expect_same(all) { |agent| [agent.rule == all[0].rule, agent.rule != all[1].rule, agent.rule == 3, agent.rule.eql?(nil)] }
    end

    it "is given, stored and swapped" do
      all = agents(->(x) { x + 1 }, ->(x) { x * 2 }, rules.above(3))
      all.each_with_index { |agent, i| agent.other = all[(i + 1) % 3] }
      expect(all.pmap { |agent| agent.rule }).to match(all.map { |agent| be_equal(agent.rule) })
      before = all.map(&:rule)
      all.peach { |agent| agent.seen = agent.other.rule.call(1) }
      all.first(1).peach(&:swap)
      expect(all.map(&:rule)).to match([before[1], before[1], before[2]].map { |rule| be_equal(rule) })
      expect_same(all) { |agent| agent.rule.call(7) }
    end

    it "takes the place of another, if it was there before" do
      plain = ->(x) { x - 5 }
      all = agents(->(x) { x + 1 }, plain)
      expect_same(all) { |agent| [agent.rule.equal?(plain), agent.rule == plain, plain.equal?(HeldProcs::STEPS[0])] }
      expect_same(all) { |agent| (agent.other&.rule || plain).call(3) }
      all.peach { |agent| agent.rule = agent.value > 3 ? agent.rule : plain }
      expect(all.map(&:rule)).to all(be_equal(plain))
      expect(all.pmap { |_| plain }).to all(be_equal(plain))
      lists = [[], [plain]]
      lists.peach { |list| list << HeldProcs::STEPS[0] }
      expect(lists).to eq([[HeldProcs::STEPS[0]], [plain, HeldProcs::STEPS[0]]])
      Ikra.section do
        all.peach { |agent| agent.rule = HeldProcs::STEPS[0] }
        all[0].rule = plain
      end
      expect(all.map(&:rule)).to match([be_equal(plain), be_equal(HeldProcs::STEPS[0])])
    end

    it "is read again after Ruby in the middle" do
      all = agents(->(x) { x + 1 }, ->(x) { x * 2 })
      found = Ikra.section do
        first = all.pmap { |agent| agent.rule.call(5) }
        Ikra.sync { all[0].rule = all[1].rule }
        [first, all.pmap { |agent| agent.rule.call(5) }]
      end
      expect(found).to eq([[6, 10], [10, 10]])
    end

    it "returns" do
      all = agents(lambda { |x|
        return 1 if x > 3

        [1, 2].each { |y| return y + x if y > 1 }
      }, proc { |x| next 4 if x == 2; x })
      expect_same(all) { |agent| [agent.rule.call(2), agent.rule.call(9)] }
    end
  end

  describe "procs" do
    it "take what they are given apart" do
      all = agents(proc { |a, b| [a, b] }, proc { |a| a }, proc { |a, *b| [a, b] }, proc { |a, b = 3| [a, b] })
      expect_same(all) { |agent| [agent.rule.call(1), agent.rule.call([1, 2]), agent.rule.call(1, 2, 3), agent.rule.call] }
      expect_same(all) { |agent| agent.rule.call(*[1, 2]) }
    end

    it "are what Ruby has made of others" do
      all = agents(:succ.to_proc, 5.method(:+), 5.method(:+).to_proc, ->(x) { x + 1 } >> ->(x) { x * 2 })
      expect_same(all) { |agent| agent.rule.call(3) }
      expect_same(all) { |agent| [agent.rule.class, agent.rule.arity] }
      all = agents(rules.method(:above), HeldProcs::Agent.new(nil, 8).method(:bonus), ->(a, b) { a - b }.curry[9])
      expect_same(all.last(2)) { |agent| agent.rule.arity == 0 ? agent.rule.call : agent.rule.call(3) }
    end

    it "call others" do
      all = agents(rules.choose(rules.above(4), ->(x) { -x }), rules.choose(rules.scaled(2), rules.scaled(3)))
      all += agents(rules.chain(HeldProcs::STEPS), rules.chain([rules.above(3), rules.chain(HeldProcs::STEPS)]))
      expect_same(all) { |agent| [agent.rule.call(4), agent.rule.call(9)] }
    end

    it "call themselves" do
      all = agents(rules.factorial, rules.factorial, ->(n) { n })
      expect_same(all) { |agent| [agent.rule.call(5), agent.rule.call(12)] }
      deep = rules.above(1)
      50.times { |i| deep = i.even? ? rules.choose(deep, rules.scaled(i)) : rules.chain([rules.scaled(1, offset: 1), deep]) }
      expect_same(agents(deep, rules.above(7))) { |agent| (1..20).map(&agent.rule) }
      expect_same([rules.factorial]) { |fact| fact.call(20) }
      endless = nil
      endless = ->(n) { endless.call(n + 1) + 1 }
      expect([HeldProcs::Agent.new(endless)]).to(satisfy do |all|
        all.pmap { |agent| agent.rule.call(1) }
      rescue SystemStackError
        true
      end)
    end

    it "stand in captured arrays and Hashes" do
      steps = HeldProcs::STEPS
      expect_same(numbers) { |x| steps.map { |step| step.call(x) } }
      expect_same(numbers) { |x| steps[x % 3].call(x) }
      expect_same(numbers) { |x| HeldProcs::STEPS.reduce(x) { |value, step| step.(value) } }
      expect_same(numbers) { |x| HeldProcs::OPERATIONS[x.even? ? :add : :limit].call(x, 2) }
      expect_same(numbers) { |x| HeldProcs::OPERATIONS.fetch(:sub).call(x, 2) }
      expect_same(numbers) { |x| HeldProcs::OPERATIONS.map { |name, operation| [name, operation.(x, 1)] } }
      expect_same(numbers) { |x| HeldProcs::OPERATIONS[:none]&.call(x) }
      expect_same(numbers) { |x| HeldProcs::OPERATIONS[x].call(x) }
      nested = [[->(x) { x }], { a: [rules.above(1), steps] }]
      expect_same(numbers) { |x| nested[1][:a][0].call(x) + nested[0].first.call(x) + nested[1][:a][1].sum { |s| s.call(x) } }
    end

    it "are elements" do
      expect_same(HeldProcs::STEPS) { |step| step.call(4) }
      expect(HeldProcs::STEPS.pselect { |step| step.call(4) > 4 }).to eq(HeldProcs::STEPS.select { |step| step.call(4) > 4 })
      expect_same(HeldProcs::OPERATIONS.values) { |operation| operation.call(8, 9) }
    end

    it "decide in a case" do
      tests = [->(x) { x > 10 }, rules.block { |x| x.even? }]
      expect_same(numbers) do |x|
        case x
        when tests[0] then :large
        when tests[1] then :even
        else :other
        end
      end
    end

    it "are in Structs, and lead through trees" do
      node = HeldProcs::Node
      tree = node.new(->(x) { x > 5 }, node.new(:even?.to_proc, rules.above(3), rules.scaled(7)), ->(x) { -x })
      expect_same(numbers) { |x| tree.decide(x) }
      expect_same([tree, node.new(->(_) { false }, nil, rules.capped)]) { |t| [t.decide(4), t.decide(300)] }
    end

    it "are a table of instructions" do
      programs = [[[:push, 3], [:double, nil]], [[:push, 9], [:none, 0], [:double, 0]]]
      machines = programs.map { |program| HeldProcs::Machine.new(program) }
      expect_same(machines) { |machine| machine.run }
    end

    it "see what others have changed" do
      all = [HeldProcs::Agent.new(nil, 1), HeldProcs::Agent.new(nil, 5)]
      all.each { |agent| agent.rule = agent.own_rule }
      2.times do
        expect_same(all) { |agent| agent.rule.call(1) }
        all[0].value = 70
        all[1].rule = rules.above(all[0].value)
      end
      limit = 4
      captured = [->(x) { x + limit }]
      expect_same(numbers) { |x| captured[0].call(x) }
      limit = 6.5
      expect_same(numbers) { |x| captured[0].call(x) }
    end

    it "run in a driver and in its elements" do
      make = -> { agents(rules.scaled(3), ->(x) { x + 1 }, rules.above(4)) }
      results = [Ikra.backend, :ruby].map do |other|
        previous = Ikra.chosen
        Ikra.backend = other
        all = make.call
        final = HeldProcs::STEPS
        found = Ikra.section do
          3.times { all.peach(&:step) }
          sums = all.pmap { |agent| agent.rule.call(agent.value) }
          final.sum { |step| step.call(sums.sum) }
        end
        [found, all.map(&:value)]
      ensure
        Ikra.backend = previous
      end
      expect(results[0]).to eq(results[1])
    end
  end
end

each_compiling_backend do
  def refused(message, &section) = expect(&section).to raise_error(Ikra::UnsupportedError, message)

  it "is refused where variables are shared" do
    all = [HeldProcs::Agent.new(HeldProcs::Rules.counting)]
    refused(/a lambda that an object holds assigns `n`.*captured-write/m) { all.pmap { |agent| agent.rule.call(3) } }
    total = 0
    reading = [HeldProcs::Agent.new(->(x) { x + total })]
    refused(/captured-write/) { reading.peach { |agent| total += agent.rule.call(3) } }
    refused(/captured-write/) { Ikra.section { total = 3; reading.pmap { |agent| agent.rule.call(3) } } }
  end

  it "is refused where there is no source" do
    all = [HeldProcs::Agent.new(method(:gets).to_proc)]
    refused(/gets/) { all.pmap { |agent| agent.rule.call(3) } }
    none = [HeldProcs::Agent.new(eval("->(x) { x }", binding, __FILE__, __LINE__))]
    refused(/no-source/) { none.pmap { |agent| agent.rule.call(3) } }
  end

  it "is refused to be stored by elements that make one" do
    all = [HeldProcs::Agent.new(->(x) { x })]
    refused(/unsupported-store/) { all.peach { |agent| agent.rule = ->(x) { x + 1 } } }
  end
end

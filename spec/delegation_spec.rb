# frozen_string_literal: true

require "forwardable"

# Methods that Forwardable makes, and other methods of texts that are not kept.
module Delegations
  module Settings
    LIMITS = [4, 5].freeze
  end

  class Queue
    extend Forwardable

    attr_reader :items

    def_delegators :@items, :size, :first, :[], :sum, :each_slice
    def_delegator :@items, :sum, :total
    def_delegator "self.items", :last, :final
    def_delegator :items, :map
    def_delegator :inner, :size, :inner_size
    def_delegator "Delegations::Settings::LIMITS", :first, :limit
    def_delegators :@owner, :name=, :secret, :none, :weigh
    delegate %i[level] => :@owner
    instance_delegate %i[empty?] => "items.itself"

    def initialize(items, owner = nil)
      @items = items
      @owner = owner
    end

    def owner_level = level
    def deep = [1].sum { |x| x + size }

    private

    def inner = Queue.new(@items.first(1))
  end

  class Owner
    attr_reader :level
    attr_writer :name

    def initialize(level) = @level = level
    def named = @name
    def weigh(a, b: 1, **rest) = yield(a, b: b + 1, **rest)

    private

    def secret = 5
  end

  # Has methods that are called by name.
  class Turns
    attr_reader :count, :kind

    def initialize(kind = nil)
      @kind = kind
      @count = @other = 0
    end

    def after_idle = next_state(:run)
    def after_run = next_state(:stop)
    def after_stop = next_state(:idle)

    private

    def secret = 5

    def next_state(state)
      @count += 1
      state
    end
  end

  # Has more methods that are called by name, one of which cannot run in a section.
  class Robot
    COMMANDS = %i[left right ahead report].freeze
    attr_reader :x

    def initialize = @x = 0
    def left = @x -= 1
    def right = @x += 1
    def ahead = @x *= 2
    def report = File.write("robot", @x.to_s)
    def on_bump = @x = 0
    def on_goal = @x + 100
    def on_error = File.exist?("robot")
  end

  # Delegates for itself.
  module Single
    extend SingleForwardable

    @values = [1, 2, 3]
    def_delegators :@values, :size, :sum
  end

  # Of a text that stands elsewhere.
  class Made
    class_eval <<~RUBY, __FILE__, __LINE__ + 1
      def made = 1
    RUBY
    RubyVM::InstructionSequence.compile("class ::Delegations::Made\ndef compiled = 2\nend", __FILE__, __FILE__, 3).eval
  end
end

each_backend do
  let(:queues) { [Delegations::Queue.new([3, 1, 2], Delegations::Owner.new(7)), Delegations::Queue.new([5])] }

  it "runs what def_delegators defines" do
    expect_same(queues) { |q| [q.size, q.first, q.first(2).sum, q[1], q.sum, q.sum { |x| x * 2 }, q.total, q.final] }
    expect_same(queues) { |q| [q.map { |x| x + 1 }, q.inner_size, q.limit, q.empty?, q.deep] }
    expect_same(queues.first(1)) { |q| [q.level, q.owner_level] }
    expect_same(queues.first(1)) { |q| q.weigh(1) { |a, b:| [a, b] } }
    expect_same(queues.first(1)) { |q| q.weigh(2, b: 5, c: 6) { |a, b:, c: 1| [a, b, c] } }
    expect_same([1]) { |x| [Delegations::Single.size, Delegations::Single.sum { |y| y + x }] }
    expect_same([1]) { |x| Delegations::Queue.new([x, 2]).size }
  end

  it "fails where there is nothing to delegate to" do
    # Ruby warns.
    allow(Kernel).to receive(:warn)
    expect_same(queues.last(1)) { |q| q.level }
  end

  it "changes objects through what was delegated" do
    queues.peach { |q| q.name = q.size if q.size > 1 }
    expect(queues.first.instance_variable_get(:@owner).named).to eq(3)
  end

  it "sends names that are written out" do
    expect_same(queues) { |q| [q.send(:size), q.__send__(:first), q.public_send(:sum) { |x| x + 1 }] }
    expect_same(queues) { |q| q.send(:inner).size }
    expect_same(queues) { |q| [3.send(:+, 4), 3.public_send(:clamp, 1, 2), q.items.send(:[], 0)] }
    expect_same(queues.first(1)) { |q| q.send(:weigh, 1, b: 3) { |a, b:| [a, b] } }
    expect_same(queues) { |q| q.public_send(:inner) }
    expect_same(queues) { |q| q.send(:nothing) }
  end
end

each_compiling_backend do
  it "refuses methods of texts that were not kept" do
    made = [Delegations::Made.new]
    hint = /no-source.*put the code into a file/m
    expect { made.pmap { |m| m.made } }.to raise_error(Ikra::UnsupportedError, hint)
    expect { made.pmap { |m| m.compiled } }.to raise_error(Ikra::UnsupportedError, hint)
    Ikra.fallback = :ruby
    expect { expect(made.pmap { |m| m.compiled }).to eq([2]) }.to output(/runs in plain Ruby|\A\z/).to_stderr
  ensure
    Ikra.fallback = :raise
  end

  it "calls by names that are not written out" do
    names = %i[size first]
    expect_same([0, 1]) { |x| [x, 2].send(names[x]) }
    expect_same([[:+, 3, 4], [:*, 3, 0.5], [:-, 3, 4], ["%", 7, 4]]) { |op, a, b| a.public_send(op, b) }
    expect_same(["3 4 + 2 *", "5 1 2 + 4 * + 3 -"]) do |text|
      stack = []
      text.split.each do |token|
        if %w[+ - *].include?(token)
          right = stack.pop
          stack << stack.pop.send(token, right)
        else
          stack << token.to_i
        end
      end
      stack.pop
    end
    expect_same([4]) do |n|
      turns = Delegations::Turns.new
      state = :idle
      n.times { state = turns.send("after_#{state}") }
      name = n == 4 ? :@count : :@other
      [state, turns.instance_variable_get(name), %i[count size].map { |m| turns.respond_to?(m) }]
    end
    expect_same(%i[+ *]) { |op| [[1, 2, 3].inject(op), [1, 2].reduce(10, op)] }
    expect_same([:count, :secret, :none, nil]) do |name|
      Delegations::Turns.new.public_send(name)
    rescue NoMethodError
      -1
    rescue TypeError
      -2
    end
  end

  it "learns those with a name that are as likely, and does without them where they cannot be compiled" do
    steps = [0, 1, 1, 2, 0, 2]
    expect_same([1, 2]) do |n|
      robot = Delegations::Robot.new
      steps.each { |step| robot.public_send(Delegations::Robot::COMMANDS[(step * n) % 3]) }
      robot.x
    end
    expect_same([3, 4]) do |n|
      robot = Delegations::Robot.new
      names = %w[bump goal]
      (0...n).map { |i| robot.send("on_#{names[i % 2]}") }
    end
  end

  it "compiles once for all commands" do
    # What one back-end has inferred, the next one in the process has.
    next unless Ikra.backend == Backends::COMPILING.first

    commands = %i[left right ahead]
    profile = Ikra.profile do
      [5].pmap { |n| (0...n).sum { |i| Delegations::Robot.new.public_send(commands[i % 3]) } }
    end
    expect(profile.steps["pass: reuse"][:count]).to eq(2)
  end

  it "learns names also while elements run at the same time, and refuses those that are new behind an Ikra.sync" do
    all = Array.new(40) { |i| i }
    ops = %i[+ - * / % & | ^]
    expect_same(all) { |i| 100.send(ops[i % 8], i + 1) }
    next if Ikra.backend == :ruby

    turns = Delegations::Turns.new
    told = /unsupported-send.*`case`/m
    work = lambda do
      Ikra.section do
        Ikra.sync { turns }
        turns.send(ops[0])
      end
    end
    expect(&work).to raise_error(Ikra::UnsupportedError, told)
  end

  it "takes methods as blocks by Symbols that are not written out" do
    names = %i[succ pred to_s]
    folds = %i[+ * -]
    counted = %i[count kind]
    expect_same([0, 1, 2]) { |i| [1, 2].map(&names[i]) }
    expect_same([0, 1, 2]) { |i| [1, 2, 3].inject(&folds[i]) }
    expect_same([0, 1]) { |i| { 1 => 2, 3 => 4 }.map(&%i[first sum][i]) }
    expect_same([0, 1]) { |i| names[i].to_proc.call(4) }
    expect_same([0, 1]) { |i| (m = [nil, :succ][i]) ? [1, 2].map(&m) : [i] }
    turns = Array.new(3) { |i| Delegations::Turns.new(5 - i) }
    expect(Ikra.section { counted.map { |name| turns.map(&name) } }).to eq([[0, 0, 0], [5, 4, 3]])
    expect(Ikra.section { turns.sort_by(&counted[1]).map(&:kind) }).to eq([3, 4, 5])
    expect_same([0, 1]) { |i| ["a b", "c"].map(&%i[secret size][i]) }
    next if Ikra.backend == :ruby

    expect { [7].pmap { |i| [1].map(&names[i]) && i } }.to raise_error(Ikra::UnsupportedError, /unsupported-enumerator/)
  end

  it "tells of wrong arguments of methods that define_method made, where they stand" do
    made = Class.new { define_method(:go) { |x| x } }
    calls = lambda {
      Ikra.section do
        things = [made.new]
        %i[go].map { |name| things.map(&name) }
      end
    }
    expect(&calls).to raise_error(ArgumentError, /given 0, expected 1/)
  end

  it "guesses names that begin as is written, also behind an Ikra.sync" do
    expect_same_program do
      all = Array.new(4) { |i| Delegations::Turns.new(i.even? ? "run" : "stop") }
      first = Ikra.section do
        Ikra.sync { all.size }
        all.map { |turns| turns.send("after_#{turns.kind}") }
      end
      last = Ikra.section do
        all.each { |turns| turns.send(:"after_#{turns.kind}") }
        Ikra.sync { all.size }
        all.pmap { |turns| turns.public_send("after_#{turns.kind}") }
      end
      [first, last, all.map(&:count)]
    end
  end
end

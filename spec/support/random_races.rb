# frozen_string_literal: true

require "tempfile"

# Random small programs over Nodes, and what sequential Ruby says of their races: every touch of a variable and of an
# array's place is written down, and compared with all others of its tick.
module RandomRaces
  # Writes down who touches what. A touch: element, what (object and variable), write.
  class Log
    attr_accessor :element, :tick, :race

    def initialize
      @touches = Hash.new { |all, key| all[key] = [] }
    end

    # @param base [Array] the elements, so that repeated ones are known
    def start(base, tick)
      @base = base
      @tick = tick
      @touches.clear
    end

    def touch(object, variable, write)
      return if @race || !@base

      touches = @touches[[object.object_id, variable]]
      others = touches.select { |other, wrote| (write || wrote) && !@base[other].equal?(@base[element]) }
      touches << [element, write]
      return if others.empty?

      # Any of the others may be named.
      @race = [others.map { |other, wrote| [other, wrote ? :write : :read] }, element, write ? :write : :read,
               object, variable, tick]
    end
  end

  # A Node's text is the same for both; only the accessors differ.
  module Plain
    attr_accessor :a, :b, :peer, :cells, :count, :weight, :mark
  end

  module Logged
    class << self
      attr_accessor :log
    end

    %i[a b peer cells].each do |name|
      define_method(name) do
        Logged.log.touch(self, "@#{name}", false)
        instance_variable_get("@#{name}")
      end
      define_method("#{name}=") do |value|
        Logged.log.touch(self, "@#{name}", true)
        instance_variable_set("@#{name}", value)
      end
    end
  end

  # An array that writes down which of its places are read and written, by the methods that the programs call.
  class Cells < Array
    def [](index)
      at = index.negative? ? index + size : index
      Logged.log.touch(self, at, false) if at.between?(0, size - 1)
      super
    end

    def []=(index, value)
      Logged.log.touch(self, index, true)
      super
    end

    def each
      size.times { |i| yield self[i] }
      self
    end

    def sum = inject(:+)
    def first = self[0]
    def last = self[-1]
    def inject(operator) = (1...size).inject(self[0]) { |all, i| all.public_send(operator, self[i]) }
    def include?(value) = size.times.any? { |i| self[i] == value }
  end

  # One program: two classes with a method `step`.
  class Generator
    def initialize(seed)
      @random = Random.new(seed)
      # Few programs that write to others, and more that write to themselves.
      @others = [0.0, 0.1, 0.4].sample(random: @random)
      @arrays = [0.0, 0.2].sample(random: @random)
    end

    def source
      <<~RUBY
        class Node
          def step
        #{body(4, 2)}  end

          def helper(n)
        #{body(6, 1)}    n > 0 && chance(2) ? helper(n - 1) : nil
          end

          def chance(n) = (a + n) % 3 == 0
        end

        class Leaf < Node
          def step
        #{body(4, 2)}  end
        end

        #{changes}
      RUBY
    end

    # Changes of what all nodes reach: mostly such as need no more than what is there and what the node gives.
    def changes
      first, more = Array.new(2) { Array.new(@random.rand(1..4)) { "    #{guarded(change)}\n" }.join }
      looks = Array.new(@random.rand(1..2)) { "    #{look}\n" }.join
      <<~RUBY
        CHANGES = lambda do |base, ticks, method|
          sums = [0] * 4
          floats = [0.5] * 3
          least = [40] * 3
          total = #{pick("0", "0.0", "1.5")}
          last = nil
          seen = [nil] * 4
          step = proc do |node|
        #{first}  end
          case method
          when :each then ticks.times { base.each(&step) }
          when :peach then base.peach(ticks, &step)
          when :calls then ticks.times { #{calls("each", first, looks, more)} }
          else Ikra.section { ticks.times { #{calls("peach", first, looks, more)} } }
          end
          [sums, floats, least, total, last, seen]
        rescue IndexError, NoMethodError, ArgumentError => e
          [e.class, e.message[/[^\n]*/]]
        end
      RUBY
    end

    private

    def chance(probability) = @random.rand < probability
    def pick(*choices) = choices.sample(random: @random)

    def body(indent, depth)
      Array.new(@random.rand(1..3)) { statement(indent, depth) }.join
    end

    def statement(indent, depth)
      space = " " * indent
      if depth.positive? && chance(0.4)
        inner = body(indent + 2, depth - 1)
        return "#{space}if #{expression(1)} % #{pick(2, 3)} == 0\n#{inner}#{space}end\n" if chance(0.7)

        return "#{space}#{pick(2, 3)}.times do |k|\n#{inner}#{space}end\n"
      end
      return "#{space}helper(#{@random.rand(3)})\n" if depth == 2 && chance(0.15)

      "#{space}#{assignment}\n"
    end

    def assignment
      return "cells[#{expression(1)} % cells.size] = #{expression(2)}" if chance(@arrays)
      return "self.peer = #{pick("peer.peer", "peer", "self")}" if chance(@others / 4)

      target = chance(@others) ? pick("peer", "peer", "peer.peer") : "self"
      "#{target}.#{pick("a", "b")} = #{expression(2)}"
    end

    def guarded(change)
      return "#{change} if #{given} % 3 == 0" if chance(0.2)
      return "#{pick(2, 3)}.times { |k| #{change.gsub("node.b", "(node.b + k)")} }" if chance(0.2)

      change
    end

    def change
      node = pick("node", "node.peer", "node.peer.peer")
      i = chance(0.05) ? "#{given} % 5 - 2" : "#{given} % 3"
      pick("sums[#{i}] #{pick("+=", "-=")} #{given}", "sums[#{i}] = sums[#{i}] ^ #{given}",
           "floats[#{i}] #{pick("+=", "-=", "*=")} #{given} * 0.1", "floats[#{i}] = floats[#{i}] * 0.5 + #{given}",
           "least[#{i}] = #{given} if #{given} #{pick("<", ">")} least[#{i}]",
           "least[#{i}] = [least[#{i}], #{given}].min", "#{node}.count += #{given}", "#{node}.count -= node.b",
           "#{node}.weight #{pick("+=", "-=")} 0.1 * #{given}", "#{node}.weight = #{node}.weight * 0.9 + node.b",
           "#{node}.count = #{node}.count * 3 % 101 + #{given}", "total += #{given} * #{pick("0.1", "1")}",
           "total -= node.b * 0.7", "last = node.a", "seen[#{i}] = #{pick("true", given)}",
           "#{node}.mark = #{pick("node", given, "nil")}",
           "sums[0] = sums[#{i}] + 1", "#{node}.count += node.peer.count")
    end

    # Changes in one call, another that looks at what they change, and more changes.
    def calls(method, first, looks, more)
      [first, looks, more].map { |body| "base.#{method} { |node|\n#{body}  }" }.join("; ")
    end

    def look
      pick("node.b = (sums[node.a % 4] + least[0]) % 50", "node.a = (node.peer.count + sums[1]) % 20",
           "node.weight = floats[node.a % 3] + total", "node.b = sums.sum % 20", "node.a += 1 if seen[node.b % 4]",
           "node.b = node.peer.weight.to_i % 20", "node.count = node.b")
    end

    # What no change touches.
    def given = pick("node.a", "node.b", "(node.a + node.b)", "(node.a * 3 + 1)", @random.rand(9).to_s)

    def expression(depth)
      return "((#{expression(depth - 1)} #{pick("+", "-", "*")} #{expression(depth - 1)}) % 50)" if depth.positive?

      if chance(@arrays)
        return pick("cells[#{@random.rand(-3..2)}]", "(cells[#{@random.rand(9)}] || 7)", "cells.sum", "cells.first",
                    "cells.last", "(cells.include?(3) ? 1 : 2)", "cells.size")
      end
      return pick("peer.b", "peer.peer.b", "peer.a") if chance(@others)

      pick("a", "b", @random.rand(10).to_s)
    end
  end

  # Nodes for a program, the same for each seed whatever their classes are.
  module World
    module_function

    # @param home [Module] has Node and Leaf
    # @return [Array(Array, Array)] all nodes and the base
    def build(home, cells_class, seed)
      random = Random.new(seed)
      count = random.rand(2..9)
      nodes = Array.new(count) { random.rand < 0.7 ? home::Node.new : home::Leaf.new }
      nodes.each { |node| fill(node, random) }
      connect(nodes, random)
      arrays(nodes, cells_class, random)
      [nodes, base(nodes, random)]
    end

    def fill(node, random)
      node.instance_variable_set(:@a, random.rand(20))
      node.instance_variable_set(:@b, random.rand(20))
      node.instance_variable_set(:@count, 0)
      node.instance_variable_set(:@weight, 0.25)
      node.instance_variable_set(:@mark, nil)
    end

    def connect(nodes, random)
      kind = random.rand(4)
      nodes.each_with_index do |node, i|
        peer = [nodes[i - 1], nodes[i ^ 1] || node, nodes.sample(random:), node][kind]
        node.instance_variable_set(:@peer, peer)
      end
    end

    def arrays(nodes, cells_class, random)
      lengths = Array.new(nodes.size) { random.rand(3..6) }
      own = lengths.map { |length| cells_class.new(Array.new(length) { random.rand(9) }) }
      shared = random.rand < 0.4
      nodes.each_with_index { |node, i| node.instance_variable_set(:@cells, shared ? own[i / 2] : own[i]) }
    end

    def base(nodes, random)
      case random.rand(4)
      when 0 then nodes
      when 1 then nodes.each_slice(2).map(&:first)
      when 2 then nodes.shuffle(random:)
      else Array.new(nodes.size) { nodes.sample(random:) }
      end
    end
  end

  # One program over many worlds.
  class Trial
    attr_reader :races, :quiet

    def initialize(seed)
      @seed = seed
      @source = Generator.new(seed).source
      @races = @quiet = 0
      @plain = load_with(Plain)
      @logged = load_with(Logged)
    end

    # @return [String, nil] what is wrong
    def run(worlds)
      worlds.each do |seed|
        wrong = compare(seed)
        return "program #{@seed}, world #{seed}: #{wrong}\n#{@source}" if wrong
      end
      nil
    end

    private

    def load_with(accessors)
      home = Module.new
      node = home.const_set(:Node, Class.new { include accessors })
      home.const_set(:Leaf, Class.new(node))
      file = Tempfile.new(["random_races_#{@seed}_", ".rb"])
      file.write(@source)
      file.close
      load(file.path, home)
      (@files ||= []) << file
      home
    end

    def compare(seed)
      ticks = 1 + (seed % 3)
      nodes, log = sequential(seed, ticks)
      checked, error = parallel(seed, ticks, :raise)
      wrong = log.race ? wrong_race(log.race, error, checked, nodes) : wrong_quiet(error, checked, nodes)
      return wrong if wrong

      return "another result than in order" if state(parallel(seed, ticks, :in_order).first) != state(nodes)

      plain, here = %i[each peach].map { |method| shared(seed, ticks, method) }
      return "another result with a shared variable: #{here} instead of #{plain}" if here != plain

      [%i[each peach], %i[calls section]].each do |methods|
        plain, here = methods.map { |method| changed(seed, ticks, method) }
        return "another result of changes (#{methods.last}): #{here} instead of #{plain}" if here != plain
      end
      nil
    end

    # What the nodes' changes leave.
    def changed(seed, ticks, method)
      nodes, base = World.build(@plain, Array, seed)
      left = @plain::CHANGES.call(base, ticks, method)
      [left, nodes.map { |node| [node.a, node.b, node.count, node.weight, nodes.index(node.mark) || node.mark] }]
    end

    # The nodes, and what is around the section that all of them read and write: variables of changing classes, a
    # captured array and a captured object.
    def shared(seed, ticks, method)
      nodes, base = World.build(@plain, Array, seed)
      common = seed
      before = high = 1
      low = 0
      best = found = nil
      odd = false
      tally = [0] * 4
      captured = nodes.first
      step = lambda do |node|
        node.step
        common = ((common * 7) + node.a) % 1009
        node.b += common if common.odd?
        best = node if best.nil? || node.a > best.a
        found ||= (before += node.a) if (odd = !odd)
        low, high = high, (low + node.b) % 1009
        tally[node.a % 4] += 1
        captured.a = (captured.a + tally[0]) % 50
      end
      method == :each ? ticks.times { base.each(&step) } : base.peach(ticks, &step)
      [state(nodes), common, before, nodes.index { |node| node.equal?(best) }, found, odd, low, high, tally]
    end

    def wrong_quiet(error, checked, nodes)
      return "no race, but #{error.message}" if error

      @quiet += 1
      "another result" if state(checked) != state(nodes)
    end

    def sequential(seed, ticks)
      nodes, base = World.build(@logged, Cells, seed)
      log = Logged.log = Log.new
      ticks.times do |tick|
        log.start(base, tick)
        base.each_with_index do |node, i|
          log.element = i
          node.step
        end
      end
      [nodes, log]
    end

    def parallel(seed, ticks, conflicts)
      nodes, base = World.build(@plain, Array, seed)
      before = state(nodes)
      Ikra.conflicts = conflicts
      # What is deferred is no race.
      ENV["IKRA_TEST_UNDEFERRED"] = "1" if conflicts == :raise
      base.peach(ticks) { |node| node.step }
      [nodes, nil]
    rescue Ikra::ConflictError => e
      raise "something has changed in spite of a race" unless state(nodes) == before

      [nodes, e]
    ensure
      Ikra.conflicts = :in_order
      ENV.delete("IKRA_TEST_UNDEFERRED")
    end

    def wrong_race(expected, error, plain, logged)
      @races += 1
      others, element, access, object, variable, tick = expected
      return "no error, but #{expected.inspect}" unless error

      found = [error.elements[1], error.accesses[1], error.variable, error.tick]
      return "#{error.message}\ninstead of #{expected.inspect}" if found != [element, access, variable, tick]
      return "#{error.message}\ninstead of #{others}" unless others.include?([error.elements[0], error.accesses[0]])
      return if place(plain, error.object) == place(logged, object)

      "#{error.message}\nfor another object"
    end

    # Which Node it is, or whose array.
    def place(nodes, object)
      nodes.index { |node| node.equal?(object) || node.instance_variable_get(:@cells).equal?(object) }
    end

    def state(nodes)
      nodes.map do |node|
        values = %i[@a @b @cells].map { |name| node.instance_variable_get(name) }
        peer = node.instance_variable_get(:@peer)
        [*values.map { |value| value.is_a?(Array) ? value.to_a.dup : value }, nodes.index { |n| n.equal?(peer) }]
      end
    end
  end
end

# frozen_string_literal: true

require_relative "paired"

module RandomPrograms
  # Programs of Ikra.section: what stands around parallel calls is Ruby as elements may use it, and the calls themselves
  # go over arrays of all origins. What elements assign of the variables around them is theirs and the driver's.
  module Drivers
    include Printing
    include Paired

    LAUNCHES = { peach_call: 6, pmap_call: 5, pselect_call: 2, times_call: 2.3, step_call: 1.8, put_cell: 2,
                 other_own: 1.8, made_loop: 2, kept_loop: 1.8, join_call: 1.6, sync_call: 1.9,
                 grow_cells: 1.4, mixed_call: 1 }.freeze
    CELLS = 8
    # How many of a thousand programs are such sections.
    SHARE = 350

    def section?(all) = all || Random.new(@seed + (1 << 41)).rand(1000) < SHARE

    def choose_section
      return unless @section

      @operation = :section
      @collection = :array
      @writes = @base == :objects
      @steps = []
      @deep &&= chance(0.1)
      @calling &&= chance(0.3)
      @any = Expressions::ANY unless @calling
    end

    # Is there an Ikra.sync? Beside one no global variable is assigned, and no Symbol is new.
    def syncs? = @section && (favoured?(:sync_call) || matches?(@seed + 17, 0.5))

    # Code of a driver has launches among its statements.
    def statement(depth)
      return super unless scope.driver && depth.positive? && chance(0.5)

      spend
      send(weighted(LAUNCHES), depth) || super
    end

    # Who calls a lambda, or the block of a method, may be an element.
    def within_lambda(...) = without_launches { super }
    def block_literal(...) = without_launches { super }

    # What the driver captures besides: the elements, some of them again, and arrays that all write.
    def captured_by_driver
      return [] unless @section

      texts = [Node.fixed("$seen = seen = []"), outside_array("xs", element_types, "elements")]
      texts << outside_array("ys", element_types, pick(["elements.values_at(2, 5, 2, 7, 11, 5)", "elements.first(3)",
                                                        "elements.reverse", "[elements[4]]", "elements.first(0)"]))
      texts.concat(kept_around)
      [[:int], pick([[:int], [:float], %i[int nil], %i[int float]])].each do |types|
        items = Array.new(CELLS) { |i| constant(types[i] || pick(types)) }
        name = fresh("cells")
        (@cells ||= []) << name
        @outside << [name, ArrayType.new(types)]
        texts << Node.fixed("#{name} = [", Node.list(items), "]")
      end
      texts
    end

    # Methods with parallel calls in them.
    def steps_node
      return [] unless @section && chance(0.5, :step_call)

      made = Array.new(between(1, 2)) { step_node }
      [Node.fixed("module Steps\n", *made, "end\n")]
    end

    def driver_node
      types = value_types
      own = own_class
      within(Scope.new(own: own && "t0", own_class: own, mutates: @writes)) do
        scope.driver = true
        scope.accumulators = @accumulators.dup
        @outside.each { |name, of| scope.declare(name, of, writable: false) }
        made = own ? [Node.fixed("t0 = xs[#{between(0, 5)}]")] : []
        between(2, 6).times do
          budget(55, @calling ? 6 : 3)
          made << statement(3)
        end
        made << launch_statement(3) if chance(0.5)
        made << Node.statement(value_of(types, 3))
        Node.fixed("proc do\n", Node.body(made), "\nend")
      end
    end

    private

    def element_types
      { ints: [:int], floats: [:float], mixed: %i[int float nil sym bool], objects: ["Thing"] }.fetch(@base)
    end

    def own_class = @base == :objects ? @classes["Thing"] : nil

    def value_types = chance(0.3) ? ArrayType.new(pick(Lists::ITEMS)) : pick(Statements::UNIONS)

    def outside_array(name, types, text)
      @outside << [name, ArrayType.new(types)]
      Node.fixed("#{name} = #{text}")
    end

    def without_launches
      before = scope.driver
      scope.driver = false
      yield
    ensure
      scope.driver = before
    end

    def launch_statement(depth) = send(weighted(LAUNCHES), depth) || peach_call(depth)

    def step_node
      @levels += 1
      name = fresh("step")
      recursive = chance(0.3)
      yields = chance(0.4) ? Yielded.new([pick(Statements::UNIONS)], {}, pick(Statements::UNIONS), nil, false) : nil
      step = Signature.new(name, [element_types, [:int]], pick(Statements::UNIONS), @levels, true, yields, recursive)
      budget(90, 3)
      node = within(Scope.new(level: @levels, returns: step.returns, mutates: @writes, yields:, in_method: true)) do
        scope.driver = true
        step_body(step)
      end
      @steps << step
      node
    end

    def step_body(step)
      scope.declare("on", ArrayType.new(element_types), writable: false)
      scope.declare("n", [:int])
      @cells&.clear
      @recurs = step.recursive
      made = [launch_statement(2), *statements(2, 2)]
      if step.recursive
        made.unshift(Node.fixed("return ", expression(step.returns, 1), " if count <= 0"))
        made << Node.fixed("#{step.name}(on, n, count - 1)#{" { |z| yield z }" if step.yields}") if chance(0.5)
      end
      made << Node.statement(expression(step.returns, 2))
      Node.fixed("def self.#{step.name}(on, n#{", count" if step.recursive})\n", Node.body(made), "\nend\n")
    end

    def step_call(depth)
      step = pick((@steps || []).select { |one| one.level < scope.level })
      return unless step

      base = pick(arrays.select { |_, type| type.items == element_types })
      return unless base

      block = step.yields ? block_literal(step.yields, depth) : ""
      count = step.recursive ? ", #{between(0, 3)}" : ""
      Node.statement(scope.declare(fresh("v"), step.returns).name, " = Steps.#{step.name}(", base.first, ", ",
                     expression([:int], depth - 1), count, ")", block)
    end

    # Ruby's own statements in the middle, which write down what they see.
    def sync_call(depth)
      skips = scope.skips
      return if !syncs? || (scope.in_method? && @recurs)

      list, there = scope.in_method? ? ["$seen", %w[on]] : ["seen", ["xs", "ys", *@cells]]
      plain = scope.variables.select { |v| v.plain? && (v.declared - %i[int float nil sym bool]).empty? }.map(&:name)
      seen = [*there, *plain.last(4)].join(", ")
      scope.block do
        without_launches do
          scope.skips = [["next", nil]]
          made = chance(0.5) ? statements([depth - 1, 1].max, 2) : []
          made.unshift(Node.statement("#{list} << RandomPrograms::Snapshot.of([#{seen}])"))
          Node.fixed("Ikra.sync do\n", Node.body(made), "\nend")
        end
      end
    ensure
      scope.skips = skips
    end

    # An item of a captured array is assigned.
    def put_cell(depth)
      name = pick(@cells || []) or return
      cells = scope.variables.find { |v| v.name == name } or return

      index = Node.fixed("[", chance(0.3) ? between(-2, 2).to_s : e("(", expression([:int], depth - 1), " % 8)"), "]")
      return operate_on(Node.fixed(name, index), cells.types.items, depth) if chance(0.3)

      value = expression(cells.types.items, depth)
      value = e("(", value, " % 9973)") if cells.types.items == [:int] && chance(0.6)
      Node.statement(name, index, " = ", value)
    end

    # A captured array gets longer, or shorter.
    def grow_cells(depth)
      name = pick(@cells || []) or return
      cells = scope.variables.find { |v| v.name == name } or return

      ints = cells.types.items == [:int]
      value = -> { ints ? e("(", expression([:int], depth), " % 9973)") : constant(cells.types.items[0]) }
      form = pick([[" << ", nil], [".push(", ", ", ")"], [".unshift(", ")"], [".insert(2, ", ")"], [".concat([", "])"],
                   [" << ", " if #{name}.size < 12"], [".push(", ", #{name}.shift)"], [".pop if ", " == 5"],
                   [".reject! { |cell| cell == ", " }"], [".delete(", ")"], [".delete_at(", " % 7)"],
                   ["[1, 2] = ", nil], ["[-1..] = [", ", ", "]"], ["[0...1] = [", ", ", "] if #{name}.size < 12"],
                   [".map!.with_index { |cell, i| i == 1 ? ", " : cell }"]])
      parts = form.each_cons(2).flat_map { |before, after| [before, value.call, *(after if after == form.last)] }
      Node.statement(name, *parts.compact)
    end

    # Another object is the driver's own.
    def other_own(depth)
      return unless scope.own == "t0"

      found = arrays.select { |_, type| type.items == ["Thing"] }
      index = chance(0.4) ? between(0, 2).to_s : e("(", expression([:int], depth - 1), " % 3)")
      Node.statement("t0 = (", pick(found).first, "[", index, "] || t0)") if found.any?
    end
  end
end

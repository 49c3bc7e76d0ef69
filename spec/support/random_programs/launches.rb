# frozen_string_literal: true

module RandomPrograms
  # Parallel calls in a driver: what they go over, their blocks, and the arrays that they give.
  module Launches
    RESULTS = [[:int], [:int], [:int], [:float], [:float], [:bool], [:sym], %i[int nil], %i[int float],
               %i[int float nil sym]].freeze

    private

    # What a call goes over: its text, what the items are, and whether the block gets an index.
    def launch_base(depth, indices: true)
      text, items = launch_items(depth)
      unless indices && chance(0.15)
        text = Node.fixed(text, pick([".to_set", ".each_entry"])) if items == [:int] && chance(0.1, :set_base)
        return [text, items, false]
      end

      # Of neighbours the second one is an Integer as an index is.
      return [Node.fixed(text, ".each_cons(2)"), items, true] if items == [:int] && chance(0.3)

      [Node.fixed(text, chance(0.2) ? ".each.with_index(#{between(-2, 2)})" : ".each_with_index"), items, true]
    end

    def launch_items(depth)
      case weighted(elements: @base == :objects ? 6 : 3, array: 5, range: 1, list: 1)
      when :elements
        own = arrays.select { |_, type| type.items == element_types }
        own.any? ? pick(own).then { |text, type| [text, type.items] } : launch_range(depth)
      when :array
        arrays.any? ? pick(arrays).then { |text, type| [text, type.items] } : launch_range(depth)
      when :range then launch_range(depth)
      else
        items = pick([[:int], [:int], [:float], %i[int nil]])
        [list(items, depth - 1), items]
      end
    end

    def launch_range(depth)
      [Node.fixed("(#{between(-3, 3)}#{pick(%w[.. ...])}", list_size(depth - 1), ")"), [:int]]
    end

    def peach_call(depth)
      base, items, index = launch_base(depth)
      ticks = ""
      ticks = Node.fixed("(", chance(0.5) ? between(0, 3).to_s : e("(", expression([:int], 1), " % 3)"), ")") if
        chance(0.2)
      Node.statement(base, ".peach", ticks, kernel(base, items, index, nil, depth))
    end

    def pmap_call(depth)
      base, items, index = launch_base(depth)
      types = pick(RESULTS)
      types = ["Thing"] if items == ["Thing"] && chance(0.08)
      types = [pick(records), *pick([[], [:nil]])] if records.any? && chance(0.15)
      target = made_array(types)
      call = Node.fixed(base, ".pmap", kernel(base, items, index, types, depth))
      return Node.statement(call) if chance(0.05)

      Node.statement(target.call, " = ", call)
    end

    def pselect_call(depth)
      base, items, = launch_base(depth, indices: false)
      target = made_array(items)
      Node.statement(Node.fixed("made = ", base, ".pselect", kernel(base, items, false, [:bool], depth)).then do |call|
        Node.fixed(target.call, call.parts[0].delete_prefix("made"), *call.parts.drop(1))
      end)
    end

    # What calls gave, put together, or without nil.
    def join_call(depth)
      made = scope.variables.select { |v| v.root == :made }
      return pmap_call(depth) if made.empty?

      first = pick(made)
      items = first.declared.items
      if items.include?(:nil) && chance(0.5)
        target = made_array(items - [:nil])
        return Node.statement(target.call, " = #{first.name}.compact")
      end
      second = pick(made.select { |v| v.declared.items == items })
      target = made_array(items)
      sum = "#{first.name} + #{second.name}"
      Node.statement(target.call, " = #{first.name}.size > 20 ? #{first.name} : #{sum}")
    end

    def times_call(depth)
      Node.statement(list_size(depth - 1), ".ptimes", kernel(nil, [:int], false, nil, depth))
    end

    # A new variable, or an earlier one that an array of such items may take the place of. It is there after the call.
    def made_array(types)
      old = scope.variables.select { |v| v.root == :made && v.declared.items == types }
      return -> { pick(old).name } if old.any? && chance(0.5)

      lambda do
        name = fresh("w")
        scope.declare(name, ArrayType.new(types), writable: false).root = :made
        name
      end
    end

    # The block of a call: elements see the variables around them, and may assign them; arrays they leave alone but for
    # their items.
    def kernel(base, items, index, returns, depth)
      cells = @cells
      # Elements do not change the array that they are, most often.
      @cells = cells.reject { |name| base.to_s.start_with?(name) } if cells && chance(0.95)
      own = items == ["Thing"] ? own_class : nil
      name = fresh("x")
      kept(scope.variables.select(&:list?)) do
        within(scope.of_element(own && name, own)) do
          scope.declare(name, items, writable: false)
          parameters = index ? "#{name}, #{scope.declare(fresh("at"), [:int], writable: false).name}" : name
          kernel_node(parameters, returns, depth)
        end
      end
    ensure
      @cells = cells
    end

    def kernel_node(parameters, returns, depth)
      scope.skips = [["next", returns]]
      flat = returns && chance(0.4)
      return Node.fixed(" { |#{parameters}| ", expression(returns, [depth - 1, 1].max), " }") if flat

      made = statements([depth - 1, 1].max, 3)
      made << (chance(0.3) ? grow_cells(1) : put_cell(1)) if chance(0.2)
      made << Node.statement(expression(returns, [depth - 1, 1].max)) if returns
      Node.fixed(" do |#{parameters}|\n", Node.body(made.compact), "\nend")
    end
  end
end

# frozen_string_literal: true

module RandomPrograms
  # Arrays that a program makes: literals, and what methods make of other arrays.
  module Lists # rubocop:disable Metrics/ModuleLength
    ITEMS = [[:int], [:int], [:int], [:float], %i[int float], %i[int nil], %i[int float nil sym], [:sym],
             [:bool]].freeze
    MADE = { list_literal: 3, list_repeated: 1, list_counted: 2, list_mapped: 4, list_filtered: 3, list_part: 2,
             list_ordered: 1.5, list_joined: 1.5, list_gathered: 1.5, list_chosen: 0.3, list_called: 1 }.freeze

    # What lazy Enumerators have, too.
    LAZILY = /\A\.(map|collect|each_with_index\.map|each_slice\(\d\)\.map|each_cons\(2\)\.map)\z/

    # One of a type, or an array of it.
    def value_of(type, depth)
      type.is_a?(ArrayType) ? list(type.items, depth) : expression(type, depth)
    end

    def list_items
      return [pick(records)] if records.any? && chance(0.08)

      pick(ITEMS)
    end

    # An expression that gives an array. In loops it gets no longer than what it is made of.
    def list(items, depth)
      return list_simple(items, depth) if depth <= 0 || spent?

      spend
      send(weighted(MADE), items, depth - 1) || list_simple(items, depth)
    end

    def list_simple(items, depth)
      found = arrays.select { |_, type| fits?(type.items, items) }
      return e(pick(found).first, ".dup") if found.any? && chance(0.5)

      list_literal(items, [depth, 1].min)
    end

    def list_literal(items, depth)
      return long_literal(items) if items.size == 1 && %i[int float].include?(items.first) && chance(0.15)

      e("[", Node.list(Array.new(between(chance(0.1) ? 0 : 1, 4)) { expression(items, depth) }), "]")
    end

    # Numbers that are written out, so many that they are a table.
    def long_literal(items)
      numbers = Array.new(between(31, 40)) { items == [:int] ? between(-9, 99) : between(-90, 99) / 4.0 }
      e("[#{numbers.join(", ")}]")
    end

    def list_repeated(items, depth)
      return e("Array.new(", list_size(depth), ", ", expression(items, depth), ")") if chance(0.5)

      e("([", expression(items, depth), "] * ", list_size(depth), ")")
    end

    def list_size(depth)
      chance(0.4) ? e(between(0, 4).to_s) : e("(", expression([:int], depth), " % 5)")
    end

    def list_counted(items, depth)
      name = fresh("i")
      block = list_block({ name => [:int] }, items, depth) or return
      size = list_size(depth)
      case between(0, 3)
      when 0 then e("Array.new(", size, ")", block)
      when 1 then e(size, ".times.map", block)
      when 2 then e("(#{between(-2, 2)}..", size, ").map", block)
      else e("#{between(-2, 2)}.step(", size, ", #{between(1, 3)}).map", block)
      end
    end

    # @return [(String | Node, Array), nil] an array or a range with what its items are, of certain types if wanted
    def list_source(depth, wanted = nil)
      found = arrays.select { |_, type| wanted.nil? || fits?(type.items, wanted) }
      return pick(found).then { |text, type| [text, type.items] } if found.any? && chance(0.75)
      return [Node.fixed("(#{between(-3, 2)}..", list_size(depth), ")"), [:int]] if wanted.nil? && chance(0.5)

      items = wanted || list_items
      [list(items, depth), items]
    end

    def list_mapped(items, depth)
      source, of = list_source(depth)
      a = fresh("i")
      b = fresh("i")
      paired = lambda do |names, call|
        block = list_block(names, items, depth) or next
        next e(enumerable(source), call, block) unless LAZILY.match?(call.to_s) && chance(0.1)

        e(source, ".lazy", call, block, pick(%w[.to_a .first(3) .take(2).to_a]))
      end
      through(source) do
        case between(0, 9, list_of_runs: 5, list_of_changed: 8)
        when 0..2 then paired.call({ a => of }, pick(%w[.map .collect .each_entry.map]))
        when 3
          paired.call({ a => of, b => [:int] }, pick(%w[.each_with_index.map .map.with_index .each.with_index(1).map
                                                        .map.with_index(2)]))
        when 4
          second = chance(0.5) ? { b => of | [:nil] } : { "*#{b}" => ArrayType.new(of) }
          paired.call({ a => of, **second }, ".each_slice(#{between(1, 3)}).map")
        when 8
          next list_of_changed(source, [a, b], of, items)
        when 5
          next list_of_runs(source, of, items, depth) if chance(0.4, :list_of_runs)

          paired.call({ a => of, b => of }, ".each_cons(2).map")
        when 6 then paired.call({ a => of, b => of | [:nil] }, Node.fixed(".zip(", zipped(of), ").map"))
        when 7 then list_flat(source, of, items, depth)
        else
          block = list_block({ a => of }, items | [:nil], depth)
          block && !items.include?(:nil) && !items.include?(:bool) ? e(enumerable(source), ".filter_map", block) : nil
        end
      end
    end

    # Of an endless range there are as many items as are asked for.
    def zipped(types)
      return list(types, 0) if types != [:int] || chance(0.6)

      "#{between(-3, 3)}.."
    end

    def list_flat(source, of, items, depth)
      return if scope.loops.positive?

      name = fresh("i")
      in_loop { e(source, ".flat_map { |#{name}| ", flat_items(name, of, items, depth), " }") }
    end

    def flat_items(name, of, items, depth)
      scope.declare(name, of, writable: false)
      list(items, depth)
    end

    def list_filtered(items, depth)
      source, of = list_source(depth, items)
      name = fresh("i")
      through(source) do
        block = list_block({ name => of }, [:bool], depth)
        return unless block

        call = pick(%w[.select .reject .filter .take_while .drop_while .find_all .partition])
        return e(enumerable(source), call, block, pick(["[0]", ".last"])) if call == ".partition"
        return e(enumerable(source), call, block) if chance(0.9)

        between = pick(["", "", ".drop(1)", ".compact", items.size == 1 && items != [:float] ? ".uniq" : ""])
        e(source, ".lazy", call, block, between, pick(%w[.to_a .first(3) .take(2).to_a]))
      end
    end

    def list_part(items, depth)
      source, = list_source(depth, items)
      simple = items.none? { |item| @classes.key?(item) }
      n = list_size(depth)
      case between(0, 11, list_splatted: 9)
      when 0 then e(source, ".reverse")
      when 1 then e(source, ".rotate(", expression([:int], depth), ")")
      when 2
        call = pick(%w[.take( .drop( .first( .last(])
        e(call == ".last(" ? source : enumerable(source), call, n, ")")
      when 3 then e(source, pick([".dup", ".compact", ".to_a.dup"]))
      when 4 then e("(", source, "[", n, pick(%w[.. ...]), "#{between(-2, 3)}] || ", list_literal(items, depth), ")")
      when 5 then e("(", source, "[", expression([:int], depth), " % 3, ", n, "] || ", list_literal(items, depth), ")")
      when 6 then e(source, ".uniq") if simple
      when 7 then e(source, ".values_at(", n, ", -1)") if items.include?(:nil)
      when 8 then e(source, pick([" - ", " & "]), list(items, depth)).then { |made| e("(", made, ")") } if simple
      when 9 then list_splatted(source, items, n, depth, simple)
      else e(source, ".each_slice(2).first || ", list_literal(items, depth)).then { |made| e("(", made, ")") }
      end
    end

    # Built-in methods with as many arguments as an array has items.
    def list_splatted(source, items, count, depth, simple)
      several = e("[", source, ", ", list(items, depth), "].first(", count, ")")
      case between(0, 4)
      when 0 then e("[", expression(items, depth), "].push(*", source, ")")
      when 1 then if simple
                    e(list_literal(items, depth), pick(%w[.union( .difference( .intersection(]), "*", several,
                      ")")
                  end
      when 2 then e(source, ".values_at(*", list([:int], depth), ", -1)") if items.include?(:nil)
      when 3 then e(source, ".first(*", list([:int], depth), ".first(1).map { |q| q & 3 })")
      else e("[].concat(*", several, ")")
      end
    end

    def list_ordered(items, depth)
      source, of = list_source(depth, items)
      name = fresh("i")
      return e(source, pick([".sort", ".sort.reverse", ".minmax"])) if [[:int], [:float]].include?(items) && chance(0.4)
      return list_of_equals(name, depth) if items == [:int] && scope.loops.zero? && chance(0.15, :list_of_equals)

      through(source) do
        if chance(0.25, :list_of_least)
          list_of_least(source, name, of, depth)
        elsif chance(0.7)
          block = list_block({ name => of }, pick([[:int], [:int], [:float]]), depth)
          block && e(enumerable(source), pick(%w[.sort_by .sort_by .sort_by .uniq]), block)
        else
          other = fresh("i")
          block = list_block({ name => of, other => of }, [:int], depth)
          block && e(enumerable(source), ".sort", block) if scope.loops.zero? && items == [:int]
        end
      end
    end

    # Many items, of which some have equal keys: where a sort is not stable, it shows.
    def list_of_equals(name, depth)
      block = list_block({ name => [:int] }, pick([[:int], [:float], %i[int float]]), depth) or return
      e("(#{between(-9, 9)}..#{between(20, 40)}).sort_by", block, ".first(5)")
    end

    def list_joined(items, depth)
      return if scope.loops.positive?

      a = list_source(depth, items).first
      if chance(0.4)
        x = expression(items, depth)
        return pick([e("[*", a, ", ", x, "]"), e("[", x, ", *", a, "]"), e("[*", a, ", *", list(items, depth), "]")])
      end
      operator = items.any? { |item| @classes.key?(item) } ? " + " : pick([" + ", " + ", " | "])
      e("(", a, operator, list(items, depth), ")")
    end

    # By a block that adds to an array that it is given.
    def list_gathered(items, depth)
      source, of = list_source(depth)
      a = fresh("i")
      into = fresh("m")
      through(source) do
        return if scope.loops > 1

        in_loop do
          scope.declare(a, of, writable: false)
          pushed = Node.fixed(" << ", expression(items, depth))
          test = chance(0.4) ? Node.fixed(" if ", condition(depth)) : ""
          source = enumerable(source)
          return e(source, ".each_with_object([]) { |#{a}, #{into}| #{into}", pushed, test, " }") if chance(0.6)

          e(source, ".inject([]) { |#{into}, #{a}| #{into}", pushed, " }")
        end
      end
    end

    def list_chosen(items, depth)
      e("(", condition(depth), " ? ", list(items, depth), " : ", list(items, depth), ")")
    end

    # By a lambda as block, or by one of some names.
    def list_called(items, depth)
      source, of = list_source(depth)
      if of == [:int] && items == [:int] && chance(0.3)
        return e(source, ".map(&%i[abs succ ~][", expression([:int], depth), " % 3])")
      end

      found = lambdas.select do |_, type|
        type.parameters.size == 1 && fits?(of, type.parameters[0]) && fits?(type.returns, items)
      end
      return if found.empty? || scope.loops > 1 || @calls <= 0

      @calls -= 1
      e(source, ".map(&#{pick(found).first})")
    end

    # A block over names with their types, that gives one of the types.
    def list_block(names, types, depth)
      return if scope.loops > 1

      in_loop([["next", types]]) do
        names.each { |name, of| scope.declare(name.delete_prefix("*"), of, writable: false) }
        head = names.keys.join(", ")
        if depth > 1 && chance(0.2)
          Node.fixed(" { |#{head}|\n", block_body(types, depth - 1), "\n}")
        else
          Node.fixed(" { |#{head}| ", expression(types, depth), " }")
        end
      end
    end
  end
end

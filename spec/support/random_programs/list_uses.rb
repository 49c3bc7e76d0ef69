# frozen_string_literal: true

module RandomPrograms
  # What a program does with arrays: statements that make and change them, values and tests that come of them.
  module ListUses
    def make_list(depth)
      old = scope.variables.select { |v| v.list? && v.writable }
      return make_alias(old) if old.any? && chance(0.04, :make_alias)

      if old.any? && chance(0.3)
        variable = pick(old)
        value = kept([variable]) { list(variable.declared.items, depth) }
        return Node.statement(variable.name, " = ", value)
      end
      items = list_items
      value = chance(0.1) ? e("[]") : list(items, depth)
      Node.statement(scope.declare(fresh("w"), ArrayType.new(items)).name, " = ", value)
    end

    # Two names for one array.
    def make_alias(lists)
      old = pick(lists)
      made = scope.declare(fresh("w"), old.declared)
      made.root = old.root
      Node.statement(made.name, " = ", old.name)
    end

    def change_list(depth)
      variable = pick(scope.variables.select { |v| v.list? && v.writable })
      return unless variable

      kept([variable]) { change(variable.name, variable.declared.items, depth) }
    end

    CHANGES = { append: 5, take_out: 3, put: 4, rearrange: 2, filter_in_place: 1.5, join_to: 1 }.freeze

    def change(name, items, depth) = send(weighted(CHANGES), name, items, depth)

    def append(name, items, depth)
      value = expression(items, depth)
      case between(0, 4)
      when 0 then Node.statement(name, ".push(", value, ", ", expression(items, depth), ")")
      when 1 then Node.statement(name, pick(%w[.unshift .prepend]), "(", value, ")")
      when 2 then Node.statement(name, " << ", value, " << ", expression(items, 0))
      else Node.statement(name, " << ", value)
      end
    end

    def take_out(name, items, depth)
      taken = case between(0, 4)
              when 0, 1 then Node.fixed(name, ".pop")
              when 2, 3 then Node.fixed(name, ".shift")
              else Node.fixed(name, ".delete_at(", expression([:int], depth), " % 3)")
              end
      return Node.statement(taken) if chance(0.3)

      Node.statement(scope.declare(fresh("v"), items | [:nil]).name, " = ", taken)
    end

    def put(name, items, depth)
      index = pick([e("-1"), e("(", expression([:int], depth), " % 3)"), Node.fixed(name, ".size - 1")])
      # Past the end by more than one, the section begins anew.
      index = Node.fixed("0") unless chance(0.4)
      return operate_on(Node.fixed(name, "[", index, "]"), items, depth) if chance(0.4) && plain_items?(items)

      Node.statement(name, "[", index, "] = ", expression(items, depth))
    end

    def rearrange(name, items, depth)
      case between(0, 5)
      when 0 then Node.statement(name, pick(%w[.reverse! .compact! .rotate! .clear]))
      when 1 then Node.statement(name, ".sort!") if [[:int], [:float]].include?(items)
      when 2 then Node.statement(name, ".uniq!") if plain_items?(items)
      when 3 then Node.statement(name, ".fill(", expression(items, depth), ")")
      else
        block = list_block({ fresh("i") => items }, items, depth)
        block && Node.statement(name, ".map!", block)
      end
    end

    def filter_in_place(name, items, depth)
      return filter_watching(name, "i", "#{name}.first == i") if chance(0.3, :filter_watching)

      index = chance(0.2) ? { fresh("i") => [:int] } : {}
      block = list_block({ fresh("i") => items, **index }, [:bool], depth)
      call = pick(%w[.select! .reject! .keep_if .delete_if])
      block && Node.statement(name, index.any? ? "#{call}.with_index" : call, block)
    end

    # Looks at what it filters meanwhile, and leaves it perhaps.
    def filter_watching(name, parameters, test)
      count = scope.declare(fresh("v"), [:int]).name
      stop = chance(0.5) ? "break if #{count} > #{between(2, 12)}; " : ""
      Node.statement("#{count} = 0\n", name, pick(%w[.select! .reject! .keep_if .delete_if]),
                     " { |#{parameters}| #{stop}#{count} += #{name}.size + (#{test} ? 1 : 0); #{count} % 3 == 0 }")
    end

    def join_to(name, items, depth)
      return if scope.loops > 1

      more = scope.loops.zero? && chance(0.5) ? list(items, depth) : list_literal(items, depth)
      Node.statement(name, pick([".concat(", ".push(*"]), more, ")")
    end

    # Multiple assignment from an array, with a splat perhaps.
    def take_apart(depth)
      items = list_items
      shapes = ["a, b", "a, (b, c)", "a, *b", "*a, b", "a, *b, c", "a, (b, *c), d"]
      shape = pick(shapes)
      nested = shape.include?("(")
      value = if nested
                parts = [expression(items, depth), list_literal(items, depth), expression(items, depth)]
                e("[", Node.commas(parts), "]")
              else
                shape.include?("*") && chance(0.3) ? list_literal(items, depth) : list(items, depth)
              end
      target = shape.gsub(/\*?[a-d]/) do |part|
        type = part.start_with?("*") ? ArrayType.new(items) : items | [:nil]
        part.tr("abcd", "") + scope.declare(fresh("v"), type, writable: type.is_a?(Array)).name
      end
      item = nested || target.include?("*") ? nil : item_target(items)
      return Node.statement(target, ", ", item, " = ", value) if item

      Node.statement(target, " = ", value)
    end

    # An item of an array: which one is evaluated before the values are.
    def item_target(items)
      found = scope.variables.select { |v| v.list? && v.writable && fits?(items | [:nil], v.declared.items) }
      e(pick(found).name, "[0]") if found.any?
    end

    # An item that is looked for.
    def found_in(types, type, depth)
      return if @classes.key?(type) || types.include?(:nil)

      source, of = list_source(depth, [type])
      through(source) { looked_for(types, source, of, depth) }
    end

    def looked_for(types, source, of, depth)
      default = expression(types, depth)
      name = fresh("i")
      return if types.include?(:bool)

      case between(0, 5)
      when 0, 1 then fetched(source, name, default, depth) unless range?(source)
      when 2
        block = list_block({ name => of }, [:bool], depth)
        block && e("(", enumerable(source), pick(%w[.find .detect]), block, " || ", default, ")")
      when 3
        block = list_block({ name => of }, [:int], depth)
        block && e("(", enumerable(source), pick(%w[.min_by .max_by]), block, " || ", default, ")")
      when 4 then picked(source, of, types, default, depth)
      else
        call = pick(%w[.first .to_a.last .minmax.first .max .min])
        e("(", enumerable(source), call, " || ", default, ")") if of != %i[sym]
      end
    end

    def fetched(source, name, default, depth)
      index = e("(", expression([:int], depth), " % 4)")
      return e(source, ".fetch(", index, ", ", default, ")") if chance(0.5)

      e(source, ".fetch(", index, ") { |#{name}| ", default, " }")
    end

    # Of two items at a time.
    def picked(source, of, types, default, depth)
      block = list_block({ fresh("i") => of, fresh("i") => of }, types, depth)
      block && e("(", source, pick(%w[.inject .reduce]), block, " || ", default, ")")
    end

    def range?(source) = source.to_s.start_with?("(")

    def folded(depth)
      source, of = list_source(depth, pick([[:int], nil]))
      numbers = of == [:int]
      through(source) do
        case between(0, 7, folded_pairs: 3)
        when 0, 1 then totalled(source) if numbers
        when 2 then e(source, pick(%w[.count .size .to_a.length]))
        when 3 then folded_pairs(source, of, depth)
        when 4 then e("(", source, ".each_with_index.max_by { |a, i| i }&.last || ", constant(:int), ")")
        when 5 then e(source, ".each_slice(2).sum { |a| a.size }")
        when 6
          call = range?(source) ? ".find_index(" : ".index("
          e("(", source, call, expression(of, depth), ") || -1)") if plain_items?(of)
        else e("(", source, " <=> ", list([:int], depth), ")") if numbers && !range?(source)
        end
      end
    end

    def totalled(source)
      return e(source, ".sum") if chance(0.5)

      e("(", source, pick(%w[.inject(:+) .reduce(:+) .max .min .inject(:&)]), " || ", constant(:int), ")")
    end

    def plain_items?(items) = items.any? && !items.intersect?(@classes.keys)

    def folded_pairs(source, of, depth)
      a = fresh("i")
      b = fresh("i")
      case between(0, 2, list_inner: 2)
      when 0
        block = list_block({ a => of, b => [:int] }, [:int], depth)
        block && e(source, ".each_with_index.sum", block)
      when 1
        block = list_block({ a => of, b => of }, [:int], depth)
        block && e(source, ".each_cons(2).sum", block)
      else
        e(source, ".each_slice(2).inject(0) { |s, (#{a}, #{b})| (s + ", list_inner(a, b, of, depth), ") % 10_007 }")
      end
    end

    def list_inner(a, b, of, depth)
      in_loop do
        scope.declare(a, of, writable: false)
        scope.declare(b, of | [:nil], writable: false)
        expression([:int], depth)
      end
    end

    def folded_floats(depth)
      source, = list_source(depth, [:float])
      case between(0, 2)
      when 0 then e(source, pick([".sum", ".sum(0.0)", ".sum(1e9)", ".inject(1.5, :*)"]))
      when 1 then e("(", source, pick(%w[.max .min .inject(:+) .first]), " || ", constant(:float), ")")
      else e("([", expression([:float], depth), ", ", number(depth), "].sum + 0.0)")
      end
    end

    def list_asked(depth)
      source, of = list_source(depth)
      through(source) do
        case between(0, 4)
        when 0 then e(source, pick([".none?", ".to_a.empty?", ".any?", ".all?", ".one?"]))
        when 1 then e(source, ".include?(", expression(of, depth), ")") if plain_items?(of)
        when 2 then e("(", source, pick([" == ", " != ", ".eql? "]), list(of, depth), ")") if plain_items?(of)
        when 3 then e(source, pick([".any?(", ".all?(", ".none?("]), pick(%w[Integer Float nil 1..3]), ")")
        else
          block = list_block({ fresh("i") => of }, [:bool], depth)
          block && e(source, pick(%w[.any? .all? .none? .one?]), block)
        end
      end
    end
  end
end

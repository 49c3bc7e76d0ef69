# frozen_string_literal: true

require_relative "dead_values"

module RandomPrograms
  # Statements: assignments of all kinds, branches, and writes to the own object.
  module Statements
    include DeadValues

    KINDS = { assign: 6, operate: 4, several: 2, branch: 6, tail_branch: 2, case_statement: 2, narrowing: 4,
              loop_statement: 5, write: 6, call_statement: 2, leave_early: 1.5, failure: 0.3, destructured: 0.7,
              yielding: 3, make_list: 2.5, change_list: 4, change_hash: 4, take_apart: 1, make_lambda: 1.2,
              match_statement: 1.2, match_line: 0.55, accumulate: 3, push_made: 1.5, make_record: 1.5,
              change_record: 4, make_recursive_lambda: 0.5,
              rescuing: 1.5, rescued_value: 1, kept_fact: 0.5, retrying: 0.5, write_column: 3, change_text: 3,
              unsupported: 0.5, dead_value: 1.5, framed: 1, ensured_loop: 0.3, thrown: 0.4, raised_twice: 0.4,
              default_set: 0.3, shown_object: 0.3, paired: 0.5, thrown_out: 0.1 }.freeze
    UNIONS = [[:int], [:int], [:int], [:float], [:float], [:bool], [:sym], %i[int nil], %i[int float], %i[float nil],
              %i[int float nil], %i[int sym], %i[int nil sym bool float], [:str], %i[str nil], %i[int str]].freeze

    # What fits where nothing more may be nested.
    FLAT = { assign: 6, operate: 4, several: 1, write: 5, leave_early: 1, change_list: 2, change_hash: 2, accumulate: 1,
             write_column: 2, change_text: 1 }.freeze

    def statement(depth)
      spend
      3.times do
        made = send(weighted(depth.positive? && !spent? ? KINDS : FLAT), [depth, 1].max)
        return made if made
      end
      assign(depth)
    end

    def statements(depth, most = 4)
      made = []
      between(1, most).times { made << statement(depth) unless spent? && made.any? }
      made
    end

    # A body of its own: what it declares is gone or nil afterwards.
    def arm(depth, most = 3)
      scope.path { Node.body(statements(depth, most)) }
    end

    # Statements and a value.
    def block_body(types, depth)
      Node.body(statements(depth - 1, 2) << Node.statement(expression(types, depth)))
    end

    def declared_types
      object = @captured_objects.keys
      return [pick(object)] | (chance(0.5) ? [:nil] : []) if object.any? && chance(0.12)
      return [pick(records)] | (chance(0.3) ? [:nil] : []) if records.any? && chance(0.1)

      pick(UNIONS)
    end

    def assign(depth)
      variable = pick(scope.variables.select { |v| v.writable && v.plain? } + [nil, nil])
      if variable.nil?
        types = declared_types
        value = expression(types, depth)
        variable = scope.declare(fresh("v"), types)
      else
        value = expression(variable.declared, depth)
        value = e("(", value, " % 9973)") if variable.declared == [:int] && chance(0.4)
        variable.assigned
      end
      Node.statement(variable.name, " = ", value)
    end

    # What no section can run, and no element comes to.
    def unsupported(depth)
      what = pick(["ObjectSpace.count_objects", "2r + 1i", "binding.irb", "NOT_THERE.call", "def nested = 1",
                   "File.read(\"none\")"])
      Node.statement(what, " if ", expression([:int], depth), " == 1_234_567_891")
    end

    def operate(depth)
      variable = pick(scope.variables.select { |v| v.writable && v.plain? })
      return unless variable

      operate_on(variable.name, variable.declared, depth).tap { variable.assigned }
    end

    # `target op= value`.
    def operate_on(text, types, depth)
      case types
      when [:int] then Node.statement(text, pick([" += ", " -= ", " += ", " *= ", " |= ", " ^= ", " %= "].first(6)),
                                      expression([:int], depth))
      when [:float] then Node.statement(text, pick([" += ", " -= ", " *= ", " /= "]), number(depth))
      when [:bool] then Node.statement(text, pick([" &&= ", " ||= ", " &= ", " |= ", " ^= "]),
                                       expression([:bool], depth))
      else Node.statement(text, pick([" ||= ", " &&= ", " = "]), expression(types, depth))
      end
    end

    def several(depth)
      variables = scope.variables.select { |v| v.writable && v.plain? }
      return swap(variables, depth) if variables.size > 1 && chance(0.5)

      if chance(0.4)
        a = expression([:int], depth)
        b = divisor(depth)
        names = Array.new(2) { scope.declare(fresh("v"), [:int]).name }
        return Node.statement(names.join(", "), " = ", a, ".divmod(", b, ")")
      end
      types = Array.new(2) { declared_types }
      values = types.map { |t| expression(t, depth) }
      names = types.map { |t| scope.declare(fresh("v"), t).name }
      Node.statement(names.join(", "), " = ", values[0], ", ", values[1])
    end

    def swap(variables, depth)
      a, b = variables.sample(2, random: @random)
      values = [a, b].map { |v| expression(v.declared, depth - 1) }
      values = [e(b.name), e(a.name)] if a.declared == b.declared && chance(0.7)
      [a, b].each(&:assigned)
      Node.statement("#{a.name}, #{b.name} = ", values[0], ", ", values[1])
    end

    def destructured(depth)
      types = Array.new(3) { declared_types }
      values = types.map { |t| expression(t, depth) }
      names = types.map { |t| scope.declare(fresh("v"), t).name }
      if chance(0.5)
        Node.statement("#{names[0]}, (#{names[1]}, #{names[2]}) = ", values[0], ", [", values[1], ", ", values[2], "]")
      else
        Node.statement("#{names[0]}, *, #{names[2]}, #{names[1]} = ", values[0], ", 1, 2, ", values[2], ", ", values[1])
      end
    end

    def branch(depth)
      test = condition(depth)
      case between(0, 5)
      when 0 then Node.statement("if ", test, "\n", arm(depth - 1), "\nend")
      when 1 then Node.statement("unless ", test, "\n", arm(depth - 1), "\nelse\n", arm(depth - 1), "\nend")
      when 2 then modified(test, depth)
      when 3
        Node.statement("if ", test, "\n", arm(depth - 1), "\nelsif ", condition(depth - 1), "\n", arm(depth - 1),
                       "\nelse\n", arm(depth - 1), "\nend")
      else Node.statement("if ", test, "\n", arm(depth - 1), "\nelse\n", arm(depth - 1), "\nend")
      end
    end

    def modified(test, depth)
      inner = scope.path { pick(%i[assign operate write]).then { |kind| send(kind, depth - 1) } || assign(depth - 1) }
      Node.statement(inner, pick([" if ", " unless "]), test)
    end

    # The value of a branch is assigned.
    def tail_branch(depth)
      types = declared_types
      value = case between(0, 1)
              when 0
                Node.fixed("if ", condition(depth), "\n", valued_arm(types, depth), "\nelse\n",
                           valued_arm(types, depth), "\nend")
              else
                whens = Array.new(between(1, 3)) do
                  Node.fixed("when ", patterns(depth - 1), "\n", valued_arm(types, depth), "\n")
                end
                Node.fixed("case ", expression(%i[int float], depth), "\n", Node.list(whens, ""), "else\n",
                           valued_arm(types, depth), "\nend")
              end
      Node.statement(scope.declare(fresh("v"), types).name, " = ", value)
    end

    def valued_arm(types, depth)
      scope.path { Node.body(statements(depth - 2, 2) << Node.statement(expression(types, depth - 1))) }
    end

    def case_statement(depth)
      subject = expression(pick([[:int], %i[int float], %i[int nil sym], [:sym]]), depth)
      whens = Array.new(between(1, 3)) { Node.fixed("when ", patterns(depth - 1), "\n", arm(depth - 1, 2), "\n") }
      otherwise = chance(0.6) ? Node.fixed("else\n", arm(depth - 1, 2), "\n") : ""
      Node.statement("case ", subject, "\n", Node.list(whens, ""), otherwise, "end")
    end

    def leaving_text(depth)
      return if @ensuring

      skip = scope.skips.last
      return Node.fixed(skip.first, " ", value_of(skip.last, depth)) if skip&.last
      return Node.fixed(skip.first) if skip

      Node.fixed(scope.in_method? ? "return " : "next ", value_of(scope.returns, depth)) if scope.returns
    end

    def leave_early(depth)
      return if @ensuring && scope.in_method?

      returning = chance(0.3) && scope.in_method? && scope.returns
      leaving = returning ? Node.fixed("return ", value_of(scope.returns, depth)) : leaving_text(depth)
      Node.statement(leaving, pick([" if ", " unless ", " if "]), condition(depth)) if leaving
    end

    # An instance variable of the own object, or an item of an array that it owns.
    def write(depth)
      return unless scope.own_class && @writes && scope.mutates

      written = scope.own_class.all_written
      lists = written.select { |name| scope.own_class.all_ivars.fetch(name).is_a?(ArrayType) }
      name = pick(lists.any? && favoured?(:write_item) ? lists : written)
      return unless name

      types = scope.own_class.all_ivars.fetch(name)
      text = written_text(name)
      keeps = types.is_a?(ArrayType) && @keeps && !scope.driver
      return Node.statement(text, " = ", list(types.items, depth)) if keeps && chance(0.4)
      return write_item(text, types, depth) if types.is_a?(ArrayType)
      return operate_on(text, types, depth) if chance(0.4)

      value = expression(types, depth)
      value = e("(", value, " % 9973)") if types == [:int] && chance(0.4)
      by_name = chance(0.15, :ivar_name) && !scope.own_class.member?(name)
      return Node.statement(scope.own, ".instance_variable_set(#{ivar_name(name)}, ", value, ")") if by_name

      Node.statement(text, " = ", value)
    end

    def write_item(text, type, depth)
      index = pick([e("0"), e("-1"), e("(", expression([:int], depth), " % 3)")])
      return operate_on(Node.fixed(text, "[", index, "]"), type.items, depth) if chance(0.4)

      Node.statement(text, "[", index, "] = ", expression(type.items, depth))
    end

    def call_statement(depth)
      called = call(nil, nil, depth)
      called && Node.statement(called)
    end
  end
end

# frozen_string_literal: true

module RandomPrograms
  # Expressions by the types that they may give.
  module Expressions
    ANY = { read: 10, conditional: 4, cases: 1.5, call: 4, assignment: 1, breaking: 0.7, item: 3, either: 1.5,
            multiple: 0.5, safe: 2, sequence: 0.3, matching: 1.2, lambda_call: 2.5, found_in: 1.2,
            collected: 0.4, of_column: 2.5 }.freeze

    # In programs that are about calls.
    CALLING = ANY.merge(read: 6, call: 14, lambda_call: 5, collected: 2).freeze

    def e(*parts) = Node.expression(*parts)

    # An expression whose value is of one of `types`; nothing about its size but `depth`.
    def expression(types, depth)
      type = pick(types)
      return simple(types, type) if depth <= 0 || spent?

      spend
      return record(type, depth - 1) if record?(type) && chance(0.5)

      weights = own_productions(type)
      weights = @any if weights.empty? || chance(@calling ? 0.7 : 0.45)
      choice = weighted(weights)
      send(choice, ANY.key?(choice) ? types : depth - 1, *(ANY.key?(choice) ? [type, depth - 1] : [])) ||
        simple(types, type)
    end

    def own_productions(type)
      case type
      when :int then @regexps ? Numbers::MATCHED : Numbers::INTEGER
      when :float then Numbers::FLOAT
      when :bool then @regexps ? Conditions::MATCHED : Conditions::BOOLEAN
      when :str then @regexps ? Texts::MATCHED : Texts::TEXT
      else {}
      end
    end

    def simple(types, type)
      if @classes.key?(type) || chance(0.6)
        found = readable.select { |_, t| fits?(t, types) }
        found.concat(object_texts(type).map { |text| [text, [type]] }) if @classes.key?(type)
        return e(pick(found).first, copying(type)) unless found.empty?
      end
      plain = types.reject { |t| @classes.key?(t) }
      return record(type, 0) if record?(type) && (plain.empty? || chance(0.5))

      constant(plain.find { chance(0.5) } || plain.first || type)
    end

    # Now and then another object like it.
    def copying(type) = @classes.key?(type) && chance(0.1) ? pick(%w[.dup .clone]) : ""

    # There is always one object of each kind: a captured one.
    def object_texts(type)
      texts = @captured_objects.fetch(type, [])
      texts += [scope.own] if scope.own && is?(scope.own_class, type) && !scope.own_class.equal?(nil)
      texts
    end

    def is?(klass, name)
      klass && (klass.name == name || is?(klass.parent, name))
    end

    # A variable or attribute, tested first where it can hold other things.
    def read(types, type, depth)
      found = readable
      fitting = found.select { |_, t| fits?(t, types) }
      return e(pick(fitting).first) if fitting.any? && chance(0.7)
      return e(pick(found).first) if found.any? && chance(@ill)

      partly = found.select { |_, t| t.include?(type) && t.size > 1 }
      return if partly.empty?

      text, all = pick(partly)
      default = expression(types, depth)
      return e("(", text, " || ", default, ")") if fits?(all - [:nil], types) && !all.include?(:bool) && chance(0.5)

      case between(0, 2)
      when 0 then e("(", test_text(text, type), " ? ", e(text), " : ", default, ")")
      when 1 then e("(if ", test_text(text, type), " then ", e(text), " else ", default, " end)")
      else e("(case ", text, " when ", class_pattern(type), " then ", e(text), " else ", default, " end)")
      end
    end

    def class_pattern(type)
      case type
      when :nil then pick(%w[nil NilClass])
      when :bool then "true, false"
      else class_name(type)
      end
    end

    def conditional(types, _type, depth)
      test = condition(depth)
      a = expression(some(types, 2), depth)
      b = expression(types, depth)
      return e("(", a, " if ", test, ")") if types.include?(:nil) && chance(0.4)

      case between(0, 2)
      when 0 then e("(if ", test, " then ", a, " else ", b, " end)")
      when 1 then e("(unless ", test, " then ", a, " else ", b, " end)")
      else e("(", test, " ? ", a, " : ", b, ")")
      end
    end

    def cases(types, _type, depth)
      subject = expression(chance(0.6) ? [:int] : %i[int float nil sym], depth)
      whens = Array.new(between(1, 3)) do
        Node.fixed("when ", patterns(depth - 1), " then ", expression(types, depth - 1), " ")
      end
      otherwise = types.include?(:nil) && chance(0.3) ? "" : Node.fixed("else ", expression(types, depth), " ")
      e("(case ", subject, " ", Node.list(whens, ""), otherwise, "end)")
    end

    def patterns(depth)
      Node.list(Array.new(between(1, 2)) { pattern(depth) })
    end

    def pattern(depth)
      case between(0, 7)
      when 0, 1 then constant(:int)
      when 2 then e("(#{between(-5, 3)}..#{between(2, 9)})")
      when 3 then e("(#{between(-5, 3)}...)")
      when 4 then e(pick(%w[Integer Float Symbol NilClass Numeric]))
      when 5 then constant(pick(%i[nil sym bool float]))
      when 6 then e("(..#{between(-5, 3)}.5)")
      else expression([:int], depth)
      end
    end

    # `a || b`, `a && b`, with what they leave.
    def either(types, _type, depth)
      b = expression(types, depth)
      return e("(", condition(depth), " && ", b, ")") if types.include?(:bool) && chance(0.5)
      return e("(", expression(types | [:nil], depth), " || ", b, ")") if chance(0.6)

      e("(", expression(types, depth), " && ", b, ")")
    end

    def assignment(types, type, depth)
      variable = pick(scope.variables.select do |v|
                        v.writable && fits?(v.declared, types)
                      end)
      return unless variable && type

      value = expression(variable.declared, depth)
      variable.assigned
      e("(", variable.name, " = ", value, ")")
    end

    # The value of a `break`, or what the loop gives.
    def breaking(types, _type, depth)
      return if scope.loops > 1 || !types.include?(:int) || types.include?(:nil)

      name = fresh("i")
      count = between(1, 4)
      in_loop do
        scope.declare(name, [:int], writable: false)
        e("(#{count}.times { |#{name}| break ", expression(types, depth), " if ", condition(depth), " })")
      end
    end

    def item(types, type, depth)
      found = arrays.select { |_, t| t.items.include?(type) }
      return if found.empty?

      text, array = pick(found)
      index = index_text(text, depth)
      all = array.items | [:nil]
      return e(index) if fits?(all, types)
      return unless fits?(array.items, types)

      e("(", e(index), " || ", expression(types, depth), ")") unless array.items.include?(:bool)
    end

    def index_text(text, depth)
      case between(0, 5)
      when 0 then Node.fixed(text, pick([".first", ".last"]))
      when 1 then Node.fixed(text, "[", between(-3, 4).to_s, "]")
      when 2 then Node.fixed(text, "[", expression([:int], depth), " % 5]")
      when 3 then Node.fixed(text, ".at(", expression([:int], depth), ")")
      else Node.fixed(text, "[", expression([:int], depth), "]")
      end
    end

    # Items of an array made on the spot.
    def multiple(types, type, depth)
      return if types.include?(:nil) || @classes.key?(type)

      items = Array.new(between(1, 3)) { expression([type], depth) }
      if chance(0.6)
        return e("[", Node.fixed(*items.flat_map do |i|
                                    [i, ", "]
                                  end[0...-1]), "]", pick(%w[.first .last [0] [-1]]))
      end
      return unless types == [:int]

      e("[", Node.list(items), "]", pick(%w[.max .min .sum .size]))
    end

    # `x&.m`.
    def safe(types, type, depth)
      return unless types.include?(:nil)

      found = readable.select { |_, t| t.include?(:nil) && t.include?(type) && t.size == 2 }
      return if found.empty?

      text, = pick(found)
      case type
      when :int then e(text, pick([e("&.succ"), e("&.abs"), e("&.+(", expression([:int], depth), ")")]))
      when :float then e(text, pick(%w[&.abs &.-@]))
      when :sym then e(text, "&.itself")
      end
    end

    def sequence(types, _type, depth)
      # Other parts of the expression may stand before these in the text, although they are made later.
      scope.block do
        statements = Array.new(between(1, 2)) { Node.fixed(statement(depth), "; ") }
        e("begin ", Node.list(statements, ""), expression(types, depth), " end")
      end
    end
  end
end

# frozen_string_literal: true

module RandomPrograms
  # `case` with `in`. What is matched has a shape: types, an ArrayType, several of these in a Row, or the Members of an
  # object by their names.
  module Matching
    Row = Struct.new(:shapes)
    Members = Struct.new(:types)

    def matching(types, _type, depth)
      scope.block do
        subject, shape = matched_subject(depth)
        arms = Array.new(between(1, 3)) { matching_arm(shape, types, depth) }
        otherwise = chance(0.92) ? Node.fixed("else ", expression(types, depth), " ") : ""
        e("(case ", subject, "; ", Node.list(arms, ""), otherwise, "end)")
      end
    end

    def matching_arm(shape, types, depth)
      scope.block do
        pattern = top_pattern(shape, depth)
        Node.fixed("in ", pattern, guard(depth), " then ", expression(types, depth - 1), "; ")
      end
    end

    def match_statement(depth)
      subject, shape = matched_subject(depth)
      arms = Array.new(between(1, 3)) do
        scope.path do
          pattern = top_pattern(shape, depth)
          Node.fixed("in ", pattern, guard(depth - 1), "\n", Node.body(statements(depth - 1, 2)), "\n")
        end
      end
      otherwise = chance(0.92) ? Node.fixed("else\n", arm(depth - 1, 2), "\n") : ""
      Node.statement("case ", subject, "\n", Node.list(arms, ""), otherwise, "end")
    end

    # `value => pattern`, with a pattern that mostly matches.
    def match_line(depth)
      return unless chance(0.5)

      types = Array.new(2) { declared_types }
      values = types.map { |t| expression(t, depth) }
      names = types.map { |t| scope.declare(fresh("v"), t).name }
      Node.statement("[", Node.commas(values), "] => [#{names.join(", ")}]")
    end

    # As a test.
    def matched(depth)
      subject, shape = matched_subject(depth)
      e("(", subject, " in ", value_pattern(shape, depth, names: false), ")")
    end

    def matched_subject(depth)
      found = chance(0.2, :members_pattern) ? matched_members : nil
      return found if found

      case between(0, 5)
      when 0..2
        types = pick([[:int], %i[int float], %i[int nil], %i[int float nil sym bool], [:sym]])
        [expression(types, depth), types]
      when 3, 4 then matched_row(depth)
      else
        found = arrays.select { |_, type| plain_items?(type.items) }
        found.empty? ? matched_row(depth) : pick(found)
      end
    end

    # A Struct or value object.
    def matched_members
      found = objects.select { |_, klass| %i[struct data].include?(klass.kind) }
      text, klass = pick(found)
      types = klass&.ivars&.reject { |_, of| of.is_a?(ArrayType) || !plain_items?(of) }
      [text, Members.new(types)] if types&.any?
    end

    def members_pattern(shape, depth, names)
      named = some(shape.types.keys, 3).map do |name|
        Node.fixed("#{name}: ", value_pattern(shape.types[name], depth - 1, names:))
      end
      named << pick(["nowhere: 1", "**nil"]) if chance(0.15)
      if names && named.none?(String) && chance(0.25)
        @other_members = fresh("r")
        named << "**#{@other_members}"
      end
      Node.fixed("{", Node.commas(named), "}")
    end

    def matched_row(depth)
      shapes = Array.new(between(1, 3)) do |i|
        i == 2 && chance(0.5) ? Row.new([[:int], pick(Statements::UNIONS)]) : pick(Statements::UNIONS)
      end
      [row_text(shapes, depth), Row.new(shapes)]
    end

    def row_text(shapes, depth)
      e("[", Node.commas(shapes.map { |s| s.is_a?(Row) ? row_text(s.shapes, depth) : expression(s, depth) }), "]")
    end

    def guard(depth)
      rest = @other_members
      @other_members = nil
      return Node.fixed(" if #{rest}.#{pick(["size < 2", "keys.last != :a", "any? { |k, v| k && !v }"])}") if rest

      chance(0.2) ? Node.fixed(pick([" if ", " unless "]), condition(depth)) : ""
    end

    def top_pattern(shape, depth) = value_pattern(shape, depth, names: true)

    # @param names [Boolean] whether it may give names to what it matches
    def value_pattern(shape, depth, names:)
      return chance(0.1) ? wild(shape, names) : row_pattern(shape, depth, names) if shape.is_a?(Row)
      return list_pattern(shape, depth, names) if shape.is_a?(ArrayType)
      return members_pattern(shape, depth, names) if shape.is_a?(Members)

      case between(0, 9)
      when 0 then Node.fixed(literal_pattern(shape))
      when 1 then e(pick(["#{between(-3, 2)}..#{between(2, 9)}", "(#{between(-2, 4)}..)", "(...#{between(-2, 4)})"]))
      when 2 then Node.fixed(class_alternative(shape))
      when 3 then pinned(depth)
      when 4 then alternatives(shape)
      when 5, 6 then named_class(shape, names)
      when 7 then Node.fixed("nil")
      else wild(shape, names)
      end
    end

    def wild(shape, names)
      return Node.fixed("_") if !names || shape.is_a?(Row) || chance(0.3)

      Node.fixed(scope.declare(fresh("b"), shape).name)
    end

    def pattern_class(type) = type == :bool ? "true | false" : class_name(type)
    def class_alternative(shape) = shape.map { |type| pattern_class(type) }.sample(2, random: @random).join(" | ")

    def named_class(shape, names)
      type = pick(shape)
      return Node.fixed(pattern_class(type)) unless names

      text = pattern_class(type)
      Node.fixed("#{text} => ", scope.declare(fresh("b"), [type]).name)
    end

    def alternatives(shape)
      Node.list(Array.new(between(2, 3)) { e(literal_pattern(shape)) }, " | ")
    end

    # -Float::INFINITY is no literal.
    def literal_pattern(shape) = constant_text(pick(shape)).sub(/\A-Float.*/, "^(\\0)")

    def pinned(depth)
      # Only what stands before the pattern in the text: parameters and captured variables.
      found = scope.variables.select { |v| v.name.start_with?("x", "k", "p") && v.plain? && plain_items?(v.types) }
      return Node.fixed("^", pick(found).name) if found.any? && chance(0.6)

      Node.fixed("^(", expression([:int], depth - 1), ")")
    end

    def row_pattern(row, depth, names)
      shapes = row.shapes
      parts = shapes.map { |shape| value_pattern(shape, depth - 1, names:) }
      case between(0, 6)
      when 0 then splat_pattern(parts, shapes, names)
      when 1 then Node.fixed("Array[", Node.commas(parts), "]")
      when 2 then Node.fixed("[", Node.commas(parts + (chance(0.5) ? ["_"] : ["*"])), "]")
      else Node.fixed("[", Node.commas(parts), "]")
      end
    end

    # The names of the parts that go are not known then: they are nil, and the program may find that out.
    def splat_pattern(parts, shapes, names)
      return Node.fixed("[", Node.commas([parts.first, "*"]), "]") if !names || shapes.any?(Row) || chance(0.5)

      items = shapes.size > 1 ? shapes.drop(1).flatten.uniq : [:nil]
      rest = scope.declare(fresh("b"), ArrayType.new(items), writable: false).name
      Node.fixed("[", Node.commas([parts.first, "*#{rest}"]), "]")
    end

    # The first place where some items stand; what is before and behind them.
    def find_pattern(type, depth, names)
      around = Array.new(2) do
        names && chance(0.6) ? scope.declare(fresh("b"), ArrayType.new(type.items), writable: false).name : ""
      end
      parts = Array.new(between(1, 2)) { value_pattern(type.items, depth - 1, names:) }
      Node.fixed("[", Node.commas(["*#{around[0]}", *parts, "*#{around[1]}"]), "]")
    end

    def list_pattern(type, depth, names)
      return find_pattern(type, depth, names) if chance(0.25)

      parts = Array.new(between(0, 3)) { value_pattern(type.items, depth - 1, names:) }
      rest = names && chance(0.4) ? scope.declare(fresh("b"), ArrayType.new(type.items), writable: false).name : ""
      parts.insert(between(0, parts.size), "*#{rest}") if chance(0.5)
      Node.fixed("[", Node.commas(parts), "]")
    end
  end
end

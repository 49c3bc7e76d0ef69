# frozen_string_literal: true

module RandomPrograms
  # Values that are made and that nothing looks at: whatever making them takes must be there nevertheless.
  module DeadValues
    # What of a value is asked for, and dropped.
    ASKED = { int: [".to_s", ".class", ".digits.size"], float: [".to_s", ".class", ".nan?"],
              sym: [".name", ".to_s", ".name.size", ".to_proc", ".inspect", ".class", " <=> :a"],
              bool: [".to_s", ".class"], str: [".to_sym", ".to_sym.name", ".frozen?", ".chars", ".class"] }.freeze

    def dead_value(depth)
      name = fresh("d")
      case between(0, 7, captured_only: 3)
      when 0 then Node.statement(dropped(depth))
      when 1 then Node.statement(name, " = [", dropped(depth), ", ", dropped(depth), "]")
      when 2 then Node.statement(name, " = { a: ", dropped(depth), ", \"b\" => ", dropped(depth), " }")
      when 3 then captured_only(name, depth)
      when 4 then Node.statement(name, " = ", dropped(depth), " if ", condition(depth - 1))
      when 5 then unreached(name, depth)
      else Node.statement(name, " = ", dropped(depth))
      end
    end

    # What no section has, where nobody comes to.
    def unreached(name, depth)
      Node.statement(name, " = ", pick(['ENV["HOME"]', "ENV.to_h", "ENV.fetch(:a)"]), " if \"\#{",
                     expression([:int], depth - 1), "}\".empty?")
    end

    # An expression whose value is dropped.
    def dropped(depth)
      type = pick(%i[int float sym sym bool str])
      value = expression([type], depth - 1)
      return value if chance(0.2)
      return list([type], depth - 1) if chance(0.15)

      e("(", value, pick(known_symbols(ASKED.fetch(type))), ")")
    end

    # It is used by a lambda alone, which nobody calls.
    def captured_only(name, depth)
      held = fresh("d")
      made = Node.statement(held, " = ", dropped(depth))
      taken = chance(0.5) ? held : within_lambda(:arrow, [], [:nil]) { dropped(depth) }
      Node.body([made, Node.statement("#{name} = -> { ", taken, " }")])
    end
  end
end

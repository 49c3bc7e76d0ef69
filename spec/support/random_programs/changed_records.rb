# frozen_string_literal: true

module RandomPrograms
  # Objects made in the section that change after `initialize`, refer to each other, and of which it matters which one
  # they are.
  module ChangedRecords
    def changed_records = records.select { |name| @classes.fetch(name).changes }

    # Variables that hold such an object, with its class.
    def changed_variables
      scope.variables.filter_map do |variable|
        klass = @classes[variable.types.first] if variable.types.size == 1
        [variable, klass] if klass&.changes
      end
    end

    def change_record(depth)
      variable, klass = pick(changed_variables)
      return unless variable

      text = variable.name
      case between(0, 6)
      when 0..2
        name, types = pick(klass.ivars.to_a)
        operate_on("#{text}.#{name}", types, depth - 1)
      when 3 then Node.statement(text, ".link = ", chance(0.2) ? e("nil") : record(klass.name, depth - 1))
      when 4 then Node.statement(scope.declare(fresh("v"), [klass.name]).name, " = ", text)
      else
        name, types = pick(klass.ivars.to_a)
        Node.statement(text, ".set_#{name}(", expression(types, depth - 1), ")")
      end
    end

    # How far the links of an object go.
    def reach(depth)
      name = pick(changed_records)
      e(record(name, depth), ".reach(#{between(0, 4)})") if name
    end

    def same_record(depth)
      name = pick(changed_records)
      e("(", record(name, depth), ".equal?(", record(name, depth), "))") if name
    end

    def changing_methods(klass)
      names = klass.ivars.keys
      setters = names.map { |name| Node.fixed("def set_#{name}(value)\n@#{name} = value\nself\nend\n") }
      [Node.fixed("attr_accessor #{[*names, :link].map { |name| ":#{name}" }.join(", ")}\n"), *setters,
       Node.fixed("def reach(n) = n.zero? || @link.nil? ? n : @link.reach(n - 1)\n")]
    end
  end
end

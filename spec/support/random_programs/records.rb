# frozen_string_literal: true

module RandomPrograms
  # Value objects: classes whose objects are made in the section, with `initialize`, readers and operators.
  module Records
    # So many programs with value objects take their classes out of an array or a Hash.
    HELD = Float(ENV.fetch("IKRA_FUZZ_HELD_CLASSES", 0.3))

    # None is made by `initialize` itself: that would not come to an end.
    def records = scope&.level == -1 ? [] : @classes.values.select(&:record?).map(&:name)
    def record?(type) = @classes[type]&.record?

    # Does the running Ruby have Data classes?
    DATA = defined?(::Data) && ::Data.respond_to?(:define)

    def make_records
      return unless chance(0.35, :make_records)

      between(1, 2).times do |i|
        kind = DATA && chance(0.4) ? :data : :record
        klass = add_class("Rec#{i}", nil, between(1, 3))
        klass.kind = kind
        klass.changes = kind == :record && chance(0.5)
      end
    end

    # An expression that gives a record of the class.
    def record(name, depth)
      klass = @classes.fetch(name)
      found = scope.variables.select { |v| v.types == [name] }
      if found.any? && depth.positive?
        a = e(pick(found).name)
        return a if chance(0.3)
        return e(a, pick(%w[.dup .clone])) if chance(0.1)
        return e("(", a, " + ", expression([name], depth - 1), ")") if scope.level.positive? && chance(0.4)
        return changed_copy(a, klass, depth) if klass.data? && chance(0.4)
      end
      values = klass.ivars.values.map { |types| expression(types, [depth, 0].max) }
      values = klass.ivars.keys.zip(values).map { |n, v| Node.fixed("#{n}: ", v) } if klass.data? && chance(0.3)
      of = pick([name, name, (name if scope.own_class == klass)].compact)
      e(held_class(of), ".new(", Node.commas(values), ")")
    end

    def holds_classes? = matches?(@seed + 3, HELD)

    # The class itself, or where a constant holds it.
    def held_class(name)
      return name unless holds_classes? && scope.level != -1 && chance(0.4)

      place = @classes.values.select(&:record?).index { |klass| klass.name == name }
      pick(["KINDS[#{place + 1}]", "NAMED[:#{name.downcase}]", "NAMED.fetch(:#{name.downcase})",
            "KINDS[-#{place + 2}]"])
    end

    # The constants that hold classes.
    def held_classes
      names = @classes.values.select(&:record?).map(&:name)
      return [] unless holds_classes? && names.any?

      named = names.map { |name| "#{name.downcase}: #{name}" }
      [Node.fixed("KINDS = [Integer, #{names.join(", ")}, #{names.reverse.join(", ")}, nil].freeze\n",
                  "NAMED = { #{named.join(", ")}, none: nil, whole: Integer }.freeze\n")]
    end

    def changed_copy(object, klass, depth)
      name, types = pick(klass.ivars.to_a)
      e(object, ".with(#{name}: ", expression(types, depth - 1), ")")
    end

    def make_record(depth)
      return if records.empty?

      name = pick(records)
      value = record(name, depth)
      Node.statement(scope.declare(fresh("v"), [name]).name, " = ", value)
    end

    def record_equality(depth)
      return if records.empty?

      name = pick(records)
      if holds_classes? && chance(0.3)
        ask = pick(["k === ", "KINDS.first != k && k == NAMED[:#{name.downcase}] && k === ",
                    "k && k <= #{name} && k === "])
        return e("KINDS.any? { |k| ", ask, record(name, depth), " }") if chance(0.5)

        return e("(case ", record(name, depth), " when Float, *KINDS.first(#{between(0, 4)}) then true else false end)")
      end
      e("(", record(name, depth), pick([" == ", " != "]), record(name, depth), ")")
    end

    # The methods that make a record of records.
    def record_methods(klass)
      if klass.data?
        return [(data_initializer(klass) if chance(0.4)), sum_method(klass),
                Node.fixed("def inspect = \"a #{klass.name}\"\n")].compact
      end

      names = klass.ivars.keys
      same = names.map { |n| "@#{n} == other.#{n}" }.join(" && ")
      readers = [Node.fixed("attr_reader #{names.map { |n| ":#{n}" }.join(", ")}\n")]
      readers_of_dice = dice_records? ? [Node.fixed("attr_reader :dice\n")] : []
      [*readers_of_dice, *(klass.changes ? changing_methods(klass) : readers), initializer(klass),
       Node.fixed("def ==(other) = other.is_a?(#{klass.name}) && #{same}\n"),
       sum_method(klass), Node.fixed("def deconstruct = [#{names.map { |n| "@#{n}" }.join(", ")}]\n"),
       Node.fixed("def inspect = \"a #{klass.name}\"\n")]
    end

    def initializer(klass)
      within(Scope.new(level: -1)) do
        parameters = klass.ivars.map { |name, types| scope.declare("p_#{name}", types).name }
        lines = klass.ivars.map do |name, types|
          value = chance(0.75) ? e("p_#{name}") : expression(types, 2)
          [Node.fixed("@#{name}"), value]
        end
        lines = assigned_variables(lines)
        lines << dice_line if dice_records?
        lines << e("freeze") if !klass.changes && chance(0.3)
        Node.fixed("def initialize(#{parameters.join(", ")})\n", Node.body(lines), "\nend\n")
      end
    end

    # One by one, or some of them together: the order in which they are set depends on what stands there.
    def assigned_variables(pairs)
      one_by_one = ->(rest) { rest.map { |variable, value| Node.fixed(variable, " = ", value) } }
      return one_by_one.call(pairs) if pairs.size < 2 || !chance(0.35, :together_assigned)

      together = pairs.first(between(2, pairs.size))
      [together_assigned(together), *one_by_one.call(pairs.drop(together.size))].then do |lines|
        chance(0.3) ? lines.rotate : lines
      end
    end

    def together_assigned(pairs)
      variables, values = pairs.transpose
      text = Node.fixed(Node.commas(variables), " = ", Node.commas(values))
      turned = Node.fixed(Node.commas(variables.reverse), " = ", Node.commas(values.reverse))
      case between(0, 7)
      when 0 then Node.fixed("if ", expression([:bool], 1), "\n", text, "\nelse\n", turned, "\nend")
      when 1 then Node.fixed("case ", expression([:int], 1), "\nwhen 1..5 then ", text, "\nelse ", turned, "\nend")
      when 2 then Node.fixed("begin\n", text, "\nrescue ZeroDivisionError\n", turned, "\nend")
      when 3 then Node.fixed("(", text, ")")
      when 4 then Node.fixed("[1].each { ", text, " }")
      else text
      end
    end

    def data_initializer(klass)
      within(Scope.new(level: -1)) do
        names = klass.ivars.map { |name, types| scope.declare(name.to_s, types).name }
        values = klass.ivars.map do |name, types|
          Node.fixed("#{name}: ", chance(0.6) ? e(name.to_s) : expression(types, 2))
        end
        parameters = names.map { |name| "#{name}:" }.join(", ")
        Node.fixed("def initialize(#{parameters})\nsuper(", Node.commas(values), ")\nend\n")
      end
    end

    def sum_method(klass)
      within(Scope.new(own: "self", own_class: klass, level: 0, returns: [klass.name], in_method: true)) do
        scope.declare("other", [klass.name])
        values = klass.ivars.values.map { |types| expression(types, 2) }
        Node.fixed("def +(other) = #{klass.name}.new(", Node.commas(values), ")\n")
      end
    end
  end
end

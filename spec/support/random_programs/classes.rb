# frozen_string_literal: true

module RandomPrograms
  # Classes with state and methods, and the calls of these.
  module Classes
    IVAR_TYPES = [[:int], [:int], [:float], [:float], [:sym], [:bool], %i[int float], %i[int nil], %i[int float nil],
                  %i[float sym], %i[int float nil sym bool]].freeze
    ITEM_TYPES = [[:int], [:int], [:float], %i[int float], %i[int nil]].freeze

    # Decides on all classes and signatures, then writes the bodies.
    def make_classes
      leaf = add_class("Leaf", nil, between(1, 3))
      leaf.ivars[fresh("l")] = ArrayType.new(pick(ITEM_TYPES)) if chance(0.5)
      leaf.kind = :struct if chance(0.2)
      add_class("Bud", leaf, between(0, 1)) if chance(0.6)
      make_records
      return unless @base == :objects

      thing = add_class("Thing", nil, between(2, 4))
      thing.ivars[fresh("o")] = ["Leaf"] + (chance(0.4) ? [:nil] : [])
      thing.ivars[fresh("o")] = ArrayType.new(pick(ITEM_TYPES)) if chance(0.6)
      thing.ivars[fresh("o")] = ArrayType.new(["Leaf"]) if chance(0.3)
      thing.ivars[fresh("o")] = ["Leaf", :int] if chance(0.15)
      thing.kind = :struct if chance(0.2)
      between(1, 3).times { |i| add_class("Kind#{i}", pick([thing, @classes["Kind0"] || thing]), between(0, 1)) }
      write_some(things)
    end

    # The classes that elements are of.
    def things = @classes.values.reject { |klass| klass.record? || %w[Leaf Bud].include?(klass.name) }

    def add_class(name, parent, ivars)
      @classes[name] = Klass.new(name, parent, {}, [], [], :plain).tap do |klass|
        ivars.times { klass.ivars[fresh("a")] = pick(IVAR_TYPES) }
      end
    end

    def write_some(classes)
      classes.each do |klass|
        klass.ivars.each do |name, types|
          klass.written << name if chance(0.65) && (!types.is_a?(ArrayType) || types.items.none?(String))
        end
      end
    end

    def make_signatures
      @classes.each_value do |klass|
        between(klass.parent ? 0 : 1, 3).times { klass.signatures << signature(klass) }
        # Overridden ones.
        klass.parent&.all_methods&.each do |method|
          klass.signatures << method if chance(0.5) && !klass.signatures.include?(method)
        end
      end
    end

    def signature(klass)
      @levels += 1
      recursive = chance(0.12)
      mutates = !recursive && klass.all_written.any? && chance(0.6)
      parameters = Array.new(between(0, 3)) { |i| [fresh("p"), passed_types, parameter_kind(i, recursive)] }
      parameters.unshift([fresh("r"), [:int], :required]) if recursive
      yields = !recursive && chance(0.2) ? yielded : nil
      plain = !recursive && !yields
      parameters << [fresh("p"), ArrayType.new(pick(ITEM_TYPES)), :required] if plain && chance(0.15)
      parameters = parameters.sort_by.with_index { |(_, _, kind), i| [%i[required optional keyword].index(kind), i] }
      returns = recursive ? pick(Statements::UNIONS) : returned_types
      Signature.new(method_name, parameters, returns, @levels, mutates, yields, recursive)
    end

    # The compiler has parts of its own by the names that begin with underscores.
    def method_name
      @underscored ||= %w[__item __push __list __hash __key __bits __copy __length __set __room]
      chance(0.05) && @underscored.any? ? @underscored.shift : fresh("m")
    end

    # What a block gets, what it gives, and the name that it has in the method.
    def yielded
      [Array.new(between(1, 2)) { pick(Statements::UNIONS) }, pick(Statements::UNIONS), chance(0.3) ? fresh("g") : nil]
    end

    def passed_types
      records.any? && chance(0.08) ? [pick(records)] : pick(Statements::UNIONS)
    end

    def returned_types
      return ArrayType.new(pick(Lists::ITEMS)) if chance(0.08)

      passed_types
    end

    def parameter_kind(_index, recursive)
      recursive ? :required : weighted(required: 6, optional: 2, keyword: 1.5)
    end

    def class_node(klass)
      parts = [*(klass.record? ? record_methods(klass) : [accessors(klass)]),
               *klass.signatures.map { |method| method_node(klass, method) }]
      Node.fixed("#{class_head(klass)}\n", Node.body(parts), "\nend")
    end

    def class_head(klass)
      return "class #{klass.name}#{" < #{klass.parent.name}" if klass.parent}" unless klass.kind == :struct

      made = "Struct.new(#{klass.ivars.keys.map { |name| ":#{name}" }.join(", ")})"
      chance(0.5) ? "#{klass.name} = #{made} do" : "class #{klass.name} < #{made}"
    end

    def accessors(klass)
      text = +""
      names = klass.kind == :struct ? [] : klass.ivars.keys
      text << "attr_accessor #{names.map { |n| ":#{n}" }.join(", ")}\n" if names.any?
      text << "def inspect = \"a #{klass.name}\"\n" unless klass.parent
      Node.fixed(text)
    end

    def method_node(klass, method)
      within(method_scope(klass, method)) do
        parameters = method.parameters.map { |parameter| parameter_node(*parameter) }
        parameters << "&#{method.yields.last}" if method.yields&.last
        body = Node.body([*recursion_end(method), *statements(3, 3), Node.statement(method_value(klass, method))])
        Node.fixed("def #{method.name}", parameters.empty? ? "" : Node.fixed("(", *parameters.flat_map do |p|
                                                                                     [p, ", "]
                                                                                   end[0...-1], ")"),
                   "\n", body, "\nend\n")
      end
    end

    def method_scope(klass, method)
      Scope.new(own: "self", own_class: klass, level: method.level, returns: method.returns, mutates: method.mutates,
                yields: method.yields, in_method: true)
    end

    def parameter_node(name, types, kind)
      default = value_of(types, 0)
      scope.declare(name, types, writable: !name.start_with?("r") && types.is_a?(Array))
      case kind
      when :required then Node.fixed(name)
      when :optional then Node.fixed(name, " = ", default)
      else Node.fixed(name, ": ", default)
      end
    end

    def recursion_end(method)
      return [] unless method.recursive

      [Node.fixed("return ", expression(method.returns, 1), " if #{method.parameters.first.first} <= 0")]
    end

    def method_value(klass, method)
      value = value_of(method.returns, 3)
      if method.recursive
        again = call_again(method)
        return value if again.nil?

        return method.returns == [:int] ? e("(", again, " + ", value,
                                            ") % 9973") : e("(", condition(2), " ? ", again, " : ", value, ")")
      end
      return value unless klass.parent&.all_methods&.include?(method) && chance(0.6) && method.yields.nil?

      # Bare super passes on the parameters' values now.
      chance(0.5) ? e("super") : e("(", condition(1), " ? super : ", value, ")")
    end

    def call_again(method)
      counter, *others = method.parameters
      arguments = ["#{counter.first} - #{between(1, 2)}", *others.map { |_, types,| expression(types, 1) }]
      Node.fixed(pick([method.name, "self.#{method.name}"]), "(", Node.commas(arguments), ")")
    end

    # A call of a method of the own object or of another; any return types where `types` is nil.
    def call(types, _type, depth)
      found = callable.select { |_, method| types.nil? || fits?(method.returns, types) }
      return if found.empty? || @calls <= 0 || scope.loops > 1

      @calls -= 1
      text, method = pick(found)
      receiver = text == "self" ? pick(["", "self."]) : "#{text}."
      e(receiver, method.name, arguments(method, depth), block_of(method, depth))
    end

    def callable
      own = scope.own_class ? scope.own_class.all_methods.map { |m| [scope.own, m] } : []
      own = own.reject { |_, method| method.mutates && !(scope.mutates && @writes) }
      others = objects.flat_map { |text, klass| klass.all_methods.reject(&:mutates).map { |m| [text, m] } }
      # Other things may be changing: only leaves are asked.
      others = others.select { |_, method| @pure.include?(method.name) }
      (own + others).select { |_, method| method.level < scope.level }
    end

    def arguments(method, depth)
      given = method.parameters.each_with_index.filter_map do |(name, types, kind), i|
        next if kind != :required && chance(0.4)

        value = i.zero? && method.recursive ? e("(", expression([:int], depth), " % 4)") : value_of(types, depth)
        [kind, name, value]
      end
      # An optional parameter is given only with all those before it.
      left_out = false
      given = given.reject { |kind, name,| kind == :optional && (left_out ||= skipped?(method, name, given)) }
      parts = given.map { |kind, name, value| kind == :keyword ? Node.fixed("#{name}: ", value) : value }
      parts.empty? ? "" : Node.fixed("(", Node.commas(parts), ")")
    end

    def skipped?(method, name, given)
      before = method.parameters.take_while { |n,| n != name }.select { |_, _, kind| kind == :optional }
      before.any? { |n,| given.none? { |_, other,| other == n } }
    end

    def block_of(method, depth)
      return "" unless method.yields

      parameters, types = method.yields
      passed = lambdas.select { |_, type| type.parameters == parameters && fits?(type.returns, types) }
      return Node.fixed("(&#{pick(passed).first})") if passed.any? && method.parameters.none?

      names = parameters.map { fresh("y") }
      scope.block do
        outer = scope.skips
        scope.loops += 1
        scope.skips = [["next", types]]
        parameters.zip(names) { |t, name| scope.declare(name, t) }
        if depth > 1 && chance(0.5)
          Node.fixed(" do |#{names.join(", ")}|\n", block_body(types, depth - 1), "\nend")
        else
          Node.fixed(" { |#{names.join(", ")}| ", expression(types, depth - 1), " }")
        end
      ensure
        scope.loops -= 1
        scope.skips = outer
      end
    end
  end
end

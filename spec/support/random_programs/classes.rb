# frozen_string_literal: true

module RandomPrograms
  # Classes with state and methods, and the calls of these.
  module Classes
    IVAR_TYPES = [[:int], [:int], [:float], [:float], [:sym], [:bool], %i[int float], %i[int nil], %i[int float nil],
                  %i[float sym], %i[int float nil sym bool], [:str], [:str], %i[str nil], %i[int str]].freeze
    ITEM_TYPES = [[:int], [:int], [:float], %i[int float], %i[int nil]].freeze

    # Decides on all classes and signatures, then writes the bodies.
    def make_classes
      leaf = add_class("Leaf", nil, between(1, 3))
      leaf.ivars[fresh("l")] = ArrayType.new(pick(ITEM_TYPES)) if chance(0.5)
      leaf.kind = :struct if chance(0.2, :struct)
      add_class("Bud", leaf, between(0, 1)) if chance(0.6)
      make_records
      return unless @base == :objects

      thing = add_class("Thing", nil, between(2, 4))
      thing.ivars[fresh("o")] = ["Leaf"] + (chance(0.4) ? [:nil] : [])
      thing.ivars[fresh("o")] = ArrayType.new(pick(ITEM_TYPES)) if chance(0.6, :owned_lists)
      thing.ivars[fresh("o")] = ArrayType.new(["Leaf"]) if chance(0.3)
      thing.ivars[fresh("o")] = ["Leaf", :int] if chance(0.15)
      keep_record(thing)
      thing.kind = :struct if chance(0.2, :struct)
      between(1, 3).times { |i| add_class("Kind#{i}", pick([thing, @classes["Kind0"] || thing]), between(0, 1)) }
      write_some(things)
    end

    # A variable in which elements keep an object that they make.
    def keep_record(klass)
      return unless @keeps && records.any?

      name = fresh("o")
      klass.ivars[name] = [pick(records), :nil]
      klass.written << name
    end

    # The classes that elements are of.
    def things = @classes.values.reject { |klass| klass.record? || %w[Leaf Bud].include?(klass.name) }

    def add_class(name, parent, ivars)
      @classes[name] = Klass.new(name, parent, {}, [], [], :plain, [], {}).tap do |klass|
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
      parameters = parameter_list(recursive)
      parameters.unshift(Parameter.new(fresh("r"), [:int], :required)) if recursive
      yields = chance(0.3, :passed_blocks) ? yielded : nil
      if !recursive && !yields && chance(0.15)
        parameters.unshift(Parameter.new(fresh("p"), ArrayType.new(pick(ITEM_TYPES)), :required))
      end
      returns = recursive ? pick(Statements::UNIONS) : returned_types
      Signature.new(method_name, parameters, returns, @levels, mutates, yields, recursive)
    end

    # The compiler has parts of its own by the names that begin with underscores.
    def method_name
      @underscored ||= %w[__item __push __list __hash __key __bits __copy __length __set __room]
      chance(0.05) && @underscored.any? ? @underscored.shift : fresh("m")
    end

    def passed_types
      records.any? && chance(0.08) ? [pick(records)] : pick(Statements::UNIONS)
    end

    def returned_types
      return ArrayType.new(pick(Lists::ITEMS)) if chance(0.08)

      passed_types
    end

    def class_node(klass)
      around, lines = modules(klass)
      parts = [*class_variable_line(klass), *delegation_lines(klass),
               *(klass.record? ? record_methods(klass) : [accessors(klass)]),
               *klass.signatures.map { |method| defined_node(klass, method) }, *function_nodes(klass), lines]
      Node.fixed(around, "\n#{class_head(klass)}\n", Node.body(parts), "\nend")
    end

    def defined_node(klass, method)
      klass.parent&.all_methods&.include?(method) ? override_node(klass, method) : method_node(klass, method)
    end

    def class_head(klass)
      maker = { struct: "Struct.new", data: "Data.define" }[klass.kind]
      return "class #{klass.name}#{" < #{klass.parent.name}" if klass.parent}" unless maker

      made = "#{maker}(#{klass.ivars.keys.map { |name| ":#{name}" }.join(", ")})"
      chance(0.5) ? "#{klass.name} = #{made} do" : "class #{klass.name} < #{made}"
    end

    def accessors(klass)
      text = +""
      names = klass.kind == :struct ? [] : klass.ivars.keys
      text << "attr_accessor #{names.map { |n| ":#{n}" }.join(", ")}\n" if names.any?
      text << "attr_reader :dice\n" if @dice && klass.name == "Thing"
      text << "def inspect = \"a #{klass.name}\"\n" unless klass.parent
      Node.fixed(text)
    end

    # `above`: there is a method for `super`.
    def method_node(klass, method, function: false, above: false)
      within(method_scope(klass, method, function:)) do
        declare_globals(klass)
        parameters = parameter_nodes(method.parameters)
        parameters << "&#{method.yields.name}" if method.yields&.name
        body = Node.body([*recursion_end(method), *statements(3, 3), Node.statement(method_value(method, above))])
        list = parameters.empty? ? "" : Node.fixed("(", *parameters.flat_map { |p| [p, ", "] }[0...-1], ")")
        Node.fixed("def #{method.name}", list, "\n", body, "\nend\n")
      end
    end

    # `passed_on`: the parameters and the block have no names.
    def method_scope(klass, method, function: false, passed_on: false)
      yields = passed_on ? nil : method.yields
      Scope.new(own: function ? nil : "self", own_class: function ? nil : klass, level: method.level,
                returns: method.returns, mutates: method.mutates, yields:, in_method: true)
    end

    def recursion_end(method)
      return [] unless method.recursive

      [Node.fixed("return ", expression(method.returns, 1), " if #{method.parameters.first.name} <= 0")]
    end

    def method_value(method, above)
      value = value_of(method.returns, 3)
      if method.recursive
        return e("super") if above && chance(0.4)

        again = call_again(method)
        return value if again.nil?

        return method.returns == [:int] ? e("(", again, " + ", value,
                                            ") % 9973") : e("(", condition(2), " ? ", again, " : ", value, ")")
      end
      above && chance(0.7) ? value_over(method, value) : value
    end

    def call_again(method)
      counter, *others = method.parameters
      arguments = ["#{counter.name} - #{between(1, 2)}", *positional_arguments(method, 1, others),
                   *keyword_arguments(method, 1)]
      block, given = again_block(method)
      arguments << block if block
      Node.fixed(pick([method.name, "self.#{method.name}"]), "(", Node.commas(arguments), ")", given)
    end

    # The block that a method which calls itself gives itself: its own, one that hands on what it is given, or another;
    # as an argument, or behind the call.
    def again_block(method)
      block = method.yields
      return [nil, ""] if block.nil? || (block.optional && chance(0.3))
      return ["&#{block.name}", ""] if block.name && chance(0.6)
      return [nil, block_literal(block, 1, method.returns)] if block.keywords.any? || block.optional || chance(0.25)

      names = block.parameters.map { fresh("h") }.join(", ")
      [nil, " { |#{names}| #{block.name && chance(0.5) ? "#{block.name}.call(#{names})" : "yield #{names}"} }"]
    end

    # A call of a method of the own object or of another; any return types where `types` is nil.
    def call(types, _type, depth)
      found = callable.select { |_, method| types.nil? || fits?(method.returns, types) }
      return if found.empty? || @calls <= 0 || scope.loops > 1

      @calls -= 1
      text, method = pick(found)
      given = arguments(method, depth)
      block = block_of(method, depth)
      return sent(text, method, given, block) if text != "self" && chance(0.05)

      e(text == "self" ? pick(["", "self."]) : "#{text}.", method.name, given, block)
    end

    # By `send`.
    def sent(text, method, given, block)
      name = ":#{method.name}"
      return e(text, ".send(#{name}, ", *block.to_s.delete_prefix("(")) if block.to_s.start_with?("(&")

      rest = given == "" ? [] : [", ", *given.parts[1...-1]]
      e(text, pick(%w[.send .public_send .__send__]), "(#{name}", *rest, ")", block)
    end

    def callable
      own = scope.own_class ? scope.own_class.all_methods.map { |m| [scope.own, m] } : []
      own = own.reject { |_, method| method.mutates && !(scope.mutates && @writes) }
      others = objects.flat_map { |text, klass| klass.all_methods.reject(&:mutates).map { |m| [text, m] } }
      # Other things may be changing: only leaves are asked.
      others = others.select { |_, method| @pure.include?(method.name) }
      (own + others + functions).select { |_, method| method.level < scope.level }
    end
  end
end

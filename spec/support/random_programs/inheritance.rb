# frozen_string_literal: true

module RandomPrograms
  # Methods over other methods: in subclasses, in modules that are included, prepended or that extend a class, with
  # `super` in all forms.
  module Inheritance
    # A method that is there already, defined anew in a class: with the same parameters, or with such that pass all on.
    def override_node(klass, method, function: false)
      return method_node(klass, method, function:, above: true) unless !method.recursive && chance(0.35)

      silent_node(klass, method, function:)
    end

    # `def m(...) = super` and the like. Names that it does not have cannot be used in its body.
    def silent_node(klass, method, function: false)
      within(method_scope(klass, method, function:, passed_on: true)) do
        list, explicit = passed_on(method)
        value = explicit.nil? || chance(0.6) ? e("super") : e("super(", explicit, ")")
        value = e("(", condition(1), " ? ", value, " : ", value_of(method.returns, 2), ")") if chance(0.2)
        body = Node.body([*statements(2, 2), Node.statement(value)])
        Node.fixed("def #{method.name}(#{list})\n", body, "\nend\n")
      end
    end

    # A parameter list that takes what a method takes, and how that is passed on; nil: by a bare `super` alone.
    def passed_on(method)
      return ["...", "..."] if chance(0.4)

      name = fresh("x")
      parts = [["*", "*#{name}"]]
      parts << ["**", "**#{name}k"] if takes_keywords?(method)
      parts << ["&", "&#{name}b"] if method.yields
      named = parts.map(&:last).join(", ")
      return [named, named] if chance(0.5)

      unnamed = parts.map(&:first).join(", ")
      [unnamed, RUBY_VERSION < "3.2" ? nil : unnamed]
    end

    def takes_keywords?(method) = method.parameters.any?(&:keyword?)

    # The value of a method over another one: bare super passes on the parameters' values now.
    def value_over(method, value)
      above = chance(0.6) ? e("super") : super_call(method)
      return above if chance(0.5)

      e("(", condition(1), " ? ", above, " : ", value, ")")
    end

    def super_call(method)
      given = arguments(method, 1)
      given = "()" if given == ""
      block = method.yields
      return e("super", given) if block.nil? || chance(0.4)

      e("super", given, block_literal(block, 2))
    end

    # Modules around the methods of a class: [text of the modules, lines in the class].
    def modules(klass)
      made = []
      %w[include prepend].each { |way| made << instance_module(klass, way) if chance(0.12) }
      %w[extend prepend].each { |way| made << function_module(klass, way) if chance(0.15) }
      made.compact!
      [Node.list(made.map(&:first), "\n"), Node.list(made.map(&:last), "\n")]
    end

    def instance_module(klass, way)
      found = klass.all_methods.reject(&:recursive)
      # What is included comes after the class's own methods.
      found &= klass.parent.all_methods if way == "include" && klass.parent
      return if found.empty? || (way == "include" && klass.parent.nil?)

      module_of(way, pick(found)) { |method| override_node(klass, method) }
    end

    def function_module(klass, way)
      found = klass.all_functions
      found &= klass.parent.all_functions if way == "extend" && klass.parent
      return if found.empty? || (way == "extend" && klass.parent.nil?)

      text, line = module_of(way, pick(found)) { |method| override_node(klass, method, function: true) }
      [text, way == "extend" ? line : Node.fixed("class << self\n  ", line, "\nend")]
    end

    def module_of(way, method)
      name = fresh("Mod")
      # The class variables of a class are none of the module's.
      hidden = @class_variables
      @class_variables = {}
      made = [Node.fixed("module #{name}\n", Node.body([yield(method)]), "\nend\n"), Node.fixed("#{way} #{name}")]
      @class_variables = hidden
      made
    end
  end
end

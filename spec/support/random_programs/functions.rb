# frozen_string_literal: true

module RandomPrograms
  # Methods of classes themselves, and methods that are delegated to another object.
  module Functions
    def make_functions
      @classes.each_value do |klass|
        between(0, klass.parent ? 1 : 2).times { klass.functions << function_signature }
        klass.parent&.all_functions&.each { |function| klass.functions << function if chance(0.5) }
      end
    end

    # Methods each of which calls the next twice or more: many ways lead to the last.
    def deep_nodes
      return [] unless @deep

      levels = between(3, 14)
      methods = Array.new(levels) do |level|
        Node.fixed("def self.deep#{level}(x, y)\n", deep_body(level + 1), "\nend\n")
      end
      last = pick(["x % 97 + y % 89", "x / (y % 11)", "x > 900 ? raise(ArgumentError, \"deep\") : [x, y].max",
                   "y > 3 ? x % 100 : y % 100"])
      [Node.fixed("module Deep\n", *methods, "def self.deep#{levels}(x, y) = #{last}\nend\n")]
    end

    def deep_body(level)
      call = lambda do
        x, y = %w[x y].shuffle(random: @random)
        "deep#{level}((#{x} + #{between(-5, 9)}) % 1000, #{y})"
      end
      test = pick(["x > y", "x % #{between(2, 5)} == 0", "y < #{between(-5, 500)}"])
      case between(0, 9)
      when 0
        "begin\n#{test} ? #{call[]} : #{call[]}\nrescue #{pick(%w[ArgumentError ZeroDivisionError])}\nx % 7\nend"
      when 1 then "z = #{call[]}\nz = #{call[]} if z.even?\n#{test} ? z : #{call[]}"
      when 2 then "[1, 2].sum { |k| k > 1 ? #{call[]} : #{call[]} } % 1000"
      else "#{test} ? #{call[]} : #{call[]}"
      end
    end

    def function_signature
      @levels += 1
      yields = chance(0.3) ? yielded : nil
      Signature.new(fresh("f"), parameter_list(false), returned_types, @levels, false, yields, false)
    end

    # Some in `class << self`.
    def function_nodes(klass)
      klass.functions.uniq.map do |function|
        above = klass.parent&.all_functions&.include?(function)
        node = above ? override_node(klass, function, function: true) : method_node(klass, function, function: true)
        next Node.fixed("class << self\n", node, "end\n") if chance(0.3)

        Node.fixed("def self.", node.with(0, node.parts.first.delete_prefix("def ")))
      end
    end

    # Functions that can be called here: [receiver, function].
    def functions
      @classes.each_value.flat_map do |klass|
        klass.all_functions.map { |function| [function_receiver(klass), function] }
      end
    end

    def function_receiver(klass)
      return klass.name unless scope.own_class && is?(scope.own_class, klass.name) && scope.own && chance(0.3)

      "#{scope.own}.class"
    end

    # `def_delegators` to an object that is certainly there.
    def make_delegations
      things.each do |klass|
        klass.ivars.each do |name, types|
          leaf = types.is_a?(Array) && types.size == 1 && @classes[types.first]
          next if !leaf || klass.all_written.include?(name) || chance(0.3)

          own = klass.all_methods.map(&:name)
          found = leaf.all_methods.reject { |method| method.mutates || own.include?(method.name) }
          klass.delegated[name] = some(found, 2) if found.any?
        end
      end
    end

    def delegation_lines(klass)
      return [] if klass.delegated.empty?

      lines = klass.delegated.map do |name, methods|
        accessor = klass.member?(name) || chance(0.3) ? ":#{name}" : ":@#{name}"
        Node.fixed("def_delegators #{accessor}, #{methods.map { |method| ":#{method.name}" }.join(", ")}\n")
      end
      [Node.fixed("extend Forwardable\n"), *lines]
    end
  end
end

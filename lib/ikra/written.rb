# frozen_string_literal: true

module Ikra
  using OwnMethods

  # Writes a callable out that has no literal, as a block that does the same: a Method, +f >> g+, +f.curry[1]+, +&hash+
  # and +&:name+. It is plain Ruby, in which what it is made of are local variables around it.
  #
  # @api private
  module Written
    METHOD = Kernel.instance_method(:method)
    IS_LAMBDA = Proc.instance_method(:lambda?)
    # Names of operators, too.
    SYMBOL_BLOCK = /\(&:([^)"]+)\)/
    INSPECT = Proc.instance_method(:inspect)

    class << self
      # @param callable [Proc, Method]
      # @return [Proc, nil] nothing for a literal, and for what cannot be written out
      def of(callable)
        values = []
        parameters, text = outermost(callable, values)
        return unless text

        kind = callable.is_a?(Method) || IS_LAMBDA.bind_call(callable) ? "lambda" : "proc"
        names = Array.new(values.size) { |number| "b#{number}" }
        _, maker = Composition.compiled("lambda do |#{names.join(", ")}|\n  " \
                                        "#{kind} do |#{parameters}|\n    #{text}\n  end\nend\n")
        maker.call(*values)
      end

      # The block itself, if it has a literal, or a name as in &:name.
      def block(block) = (Native.proc_parts(block) && of(block)) || block

      private

      def outermost(callable, values)
        kind, *parts = parts(callable)
        case kind
        when :method then method(parts.first, values)
        when :symbol then ["x, *rest", "x.__send__(:#{parts.first}, *rest)"]
        when :hash then ["x", call(callable, "x", values)]
        when :composed, :curried then ["*x", call(callable, "*x", values)]
        end
      end

      # With the parameters that its arity tells.
      def method(method, values)
        arity = method.arity
        count = arity.negative? ? -arity - 1 : arity
        names = Array.new(count) { |number| "x#{number}" }
        names << "*rest" if arity.negative?
        names = names.join(", ")
        [names, sent(method, names, values)]
      end

      # The text that calls it.
      def call(callable, arguments, values)
        kind, *parts = parts(callable)
        case kind
        when :method then sent(parts.first, arguments, values)
        when :symbol then "->(x, *rest) { x.__send__(:#{parts.first}, *rest) }.call(#{arguments})"
        when :hash then "#{name(parts.first, values)}[#{arguments}]"
        when :composed then composed(*parts, arguments, values)
        when :curried then curried(*parts, arguments, values)
        when :object then "#{name(callable, values)}.call(#{arguments})"
        end
      end

      def composed(first, second, arguments, values)
        given = call(first, arguments, values)
        given && call(second, given, values)
      end

      # What waits for one argument.
      def curried(callable, known, count, arguments, values)
        return unless known.size + 1 == count

        known = known.map { |value| name(value, values) }
        call(callable, [*known, arguments].join(", "), values)
      end

      def sent(method, arguments, values)
        return if method.parameters.any? { |kind,| kind == :keyreq }
        # It may be another one than its receiver has by now.
        return unless METHOD.bind_call(method.receiver, method.name) == method

        "#{name(method.receiver, values)}.__send__(#{[method.name.inspect, arguments].join(", ").delete_suffix(", ")})"
      rescue NameError
        nil
      end

      def name(value, values)
        values << value
        "b#{values.size - 1}"
      end

      # What it is, and what it is made of.
      def parts(callable)
        case callable
        when Method then [:method, callable]
        when Proc
          name = IS_LAMBDA.bind_call(callable) && INSPECT.bind_call(callable)[SYMBOL_BLOCK, 1]
          name ? [:symbol, name] : Native.proc_parts(callable) || [:object]
        else [:object]
        end
      end
    end
  end
  private_constant :Written
end

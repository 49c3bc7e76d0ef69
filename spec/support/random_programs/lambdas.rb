# frozen_string_literal: true

require_relative "outliving"

module RandomPrograms
  # Lambdas and procs that are made and called in the section.
  module Lambdas
    include Outliving

    def make_lambda(depth)
      return if depth <= 0 || scope.loops > 1

      kind = weighted(arrow: 4, lambda: 1.5, proc: 1.5)
      parameters = Array.new(between(0, 2)) { [fresh("p"), pick(Statements::UNIONS)] }
      optional = kind != :proc && parameters.any? && chance(0.25) ? 1 : 0
      returns = pick(Statements::UNIONS)
      keywords = chance(0.2) ? { fresh("k") => pick(Statements::UNIONS) } : {}
      made = chosen_lambda(Array.new(kind != :proc && scope.loops.zero? && chance(0.3) ? 2 : 1) do
        lambda_text(kind, parameters, optional, returns, depth, keywords)
      end)
      name = fresh("f")
      scope.declare(name, LambdaType.new(parameters.map(&:last), optional, returns, keywords), writable: false)
      Node.statement("#{name} = ", made)
    end

    # A Method, or a proc made of procs, from around the section.
    def captured_callable
      @captured_callables << (name = "callable#{@captured_callables.size}")
      number = between(-9, 9)
      return captured_counter(name, number) if chance(syncs? ? 0.02 : 0.5)

      Node.fixed("#{name} = ", pick(["#{number}.method(:#{pick(%w[+ - gcd <=>])})",
                                     "->(a) { a % 5 } >> #{number}.method(:-)", ":succ.to_proc << ->(a) { a % 7 }",
                                     "->(a, b) { a - b }.curry[#{number}]", ":pred.to_proc"]))
    end

    # One that assigns a variable around it, which the block, and another lambda, may use too.
    def captured_counter(name, number)
      counter = fresh("counter")
      @outside << [counter, [:int]]
      @counters << counter if chance(0.5)
      body = pick(["#{counter} += a % 9", "#{counter} = ((#{counter} * 31) + a) % 1009", "#{counter} += 1; a % 97",
                   "a.even? ? #{counter} -= 3 : #{counter}", "#{counter}, b = a % 50, #{counter}; b"])
      texts = ["#{counter} = #{number}", "#{name} = ->(a) { #{body} }"]
      if chance(0.4)
        @captured_callables << (other = "callable#{@captured_callables.size}")
        texts << "#{other} = proc { |a| #{pick(["(a % 100) + #{counter}", "#{counter} = a % 7"])} }"
      end
      Node.fixed(texts.join("\n"))
    end

    # An Integer of what Methods give, and procs made of procs.
    def by_method(depth)
      return of_callable(pick(@captured_callables), depth) if @captured_callables.any? && chance(0.8, :of_callable)

      number = expression([:int], [depth, 1].min)
      made = case between(0, 4)
             when 0 then e(number, ".method(:#{pick(%w[+ - gcd <=>])})")
             when 1 then e("(->(a) { a % 5 } >> ", number, ".method(:-))")
             when 2 then e("(", number, ".method(:+) << :abs.to_proc)")
             when 3 then e("->(a, b) { a - b }.curry[", number, "]")
             else e("(:succ.to_proc >> ->(a) { a % 7 } >> ->(a) { a - ", number, " })")
             end
      chance(0.5) ? e(made, ".(", expression([:int], depth), ")") : e(list([:int], depth), ".map(&", made, ").size")
    end

    def of_callable(name, depth)
      chance(0.7) ? e(name, ".(", expression([:int], depth), ")") : e(list([:int], depth), ".map(&", name, ").size")
    end

    # One of them, known when the program runs.
    def chosen_lambda(lambdas)
      one, other = lambdas
      return one unless other
      return e("(", condition(1), " ? ", one, " : ", other, ")") if chance(0.5)

      e("[", one, ", ", other, "][", expression([:int], 1), " % 2]")
    end

    # One that calls itself, and a call of it.
    def make_recursive_lambda(depth)
      return if depth <= 0 || scope.loops > 1 || @calls <= 0

      @calls -= 1
      name = fresh("f")
      counter = fresh("r")
      parameter = [fresh("p"), pick(Statements::UNIONS)]
      returns = pick(Statements::UNIONS)
      made = within_lambda(:arrow, [[counter, [:int]], parameter], returns) do
        lines = [Node.fixed("next ", expression(returns, 1), " if #{counter} <= 0"), *statements(depth - 1, 2)]
        lines << Node.statement(called_again(name, counter, parameter, returns))
        Node.fixed("->(#{counter}, #{parameter.first}) {\n", Node.body(lines), "\n}")
      end
      call = Node.statement("#{name}.(", e("(", expression([:int], 1), " % 4)"), ", ", expression(parameter.last, 1),
                            ")")
      Node.body([Node.statement("#{name} = ", made),
                 Node.statement(scope.declare(fresh("v"), returns).name, " = ", call)])
    end

    def called_again(name, counter, parameter, returns)
      again = e("#{name}.(#{counter} - #{between(1, 2)}, ", expression(parameter.last, 1), ")")
      return e("((", again, " + ", expression(returns, 1), ") % 9973)") if returns == [:int]

      e("(", condition(1), " ? ", again, " : ", expression(returns, 1), ")")
    end

    def lambda_text(kind, parameters, optional, returns, depth, keywords = {})
      within_lambda(kind, parameters + keywords.to_a, returns) do
        texts = parameters.each_with_index.map do |(name, types), i|
          i >= parameters.size - optional ? Node.fixed(name, " = ", constant(pick(types))) : name
        end
        texts += keywords.map { |name, types| Node.fixed("#{name}: ", constant(pick(types))) }
        texts << "&#{fresh("b")}" if chance(0.05)
        head = Node.commas(texts)
        body = lambda_body(returns, depth - 1)
        case kind
        when :arrow then Node.fixed("->", *(texts.empty? ? [] : ["(", head, ")"]), " {", body, "}")
        else Node.fixed("#{kind} {", *(texts.empty? ? [] : [" |", head, "|"]), body, "}")
        end
      end
    end

    def lambda_body(returns, depth)
      return Node.fixed(" ", expression(returns, depth), " ") if depth <= 1 || chance(0.5)

      Node.fixed("\n", block_body(returns, depth), "\n")
    end

    # It may be called while a loop goes through an array of its surroundings: those do not change in it.
    def within_lambda(kind, parameters, returns)
      outer = [scope.skips, scope.returns]
      scope.loops += 1
      scope.skips = [["next", returns], *([["return", returns]] if kind != :proc)].shuffle(random: @random)
      scope.returns = returns if kind != :proc
      accumulators = scope.accumulators
      scope.accumulators = []
      kept(scope.variables.select(&:list?)) do
        scope.block do
          parameters.each { |name, types| scope.declare(name, types) }
          yield
        end
      end
    ensure
      scope.loops -= 1
      scope.skips, scope.returns = outer
      scope.accumulators = accumulators
    end

    def lambdas
      scope.variables.select { |v| v.types.is_a?(LambdaType) }.map { |v| [v.name, v.types] }
    end

    def lambda_call(types, _type, depth)
      found = lambdas.select { |_, type| fits?(type.returns, types) }
      return lambda_here(types, depth) if found.empty? && chance(0.1) && scope.loops < 2
      return if found.empty? || @calls <= 0 || scope.loops > 1

      @calls -= 1
      name, type = pick(found)
      given = type.parameters.first(type.parameters.size - (chance(0.5) ? type.optional : 0))
      given = given.drop(1) if chance(@ill)
      given = given.map { |t| expression(t, depth) }
      named = type.keywords.filter_map { |key, types| keyword_argument(key, types, depth) if chance(0.6) }
      arguments = Node.commas(given + named)
      asked, close = pick([%w[.call( )], %w[.( )], %w([ ]), %w[.yield( )]])
      e(name, asked, arguments, close)
    end

    # One that is called where it is made.
    def lambda_here(types, depth)
      parameters = [[fresh("p"), pick(Statements::UNIONS)]]
      argument = expression(parameters[0][1], depth)
      e("(", lambda_text(:arrow, parameters, 0, types, [depth, 1].max), ").call(", argument, ")")
    end
  end
end

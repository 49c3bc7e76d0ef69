# frozen_string_literal: true

module RandomPrograms
  # Loops. They end: what counts is never assigned by the body, and is part of the loop's own text.
  module Loops
    FORMS = { while_loop: 3, until_loop: 1, post_loop: 1, for_loop: 1.5, times: 3, upto: 2, range_each: 2,
              array_each: 3, endless: 1.5, stepped: 1 }.freeze

    def loop_statement(depth)
      return if scope.loops >= (scope.in_method? ? 1 : 2) || depth <= 0

      send(weighted(FORMS), depth)
    end

    # @param skips [Array] what `next` and `break` can be, with the types of their values (nil: none)
    def in_loop(skips = [], &block)
      scope.loops += 1
      outer = scope.skips
      scope.skips = skips
      scope.block(&block)
    ensure
      scope.loops -= 1
      scope.skips = outer
    end

    # A loop's body: it may run never, so what it declares in a `while` may be nil afterwards.
    def looping_body(depth, names = {}, leave: [["next", nil], ["break", nil]], scoped: true)
      run = lambda do
        scope.loops += 1
        outer = scope.skips
        scope.skips = leave.shuffle(random: @random)
        names.each { |name, types| scope.declare(name, types, writable: false) }
        Node.body(statements(depth - 1, 3))
      ensure
        scope.loops -= 1
        scope.skips = outer
      end
      scoped ? scope.block(&run) : scope.path(&run)
    end

    # What is asked before each round: `next` in it would ask again, for ever.
    def loop_condition(depth)
      outer = [scope.skips, scope.returns]
      scope.skips = []
      scope.returns = nil
      condition(depth)
    ensure
      scope.skips, scope.returns = outer
    end

    def while_loop(depth)
      counter = fresh("n")
      scope.declare(counter, [:int], writable: false)
      more = chance(0.5) ? Node.fixed(" && ", loop_condition(depth - 1)) : ""
      body = looping_body(depth, {}, scoped: false)
      Node.statement("#{counter} = 0\nwhile #{counter} < #{between(1, 5)}", more, "\n  #{counter} += 1\n", body,
                     "\nend")
    end

    def until_loop(depth)
      counter = fresh("n")
      scope.declare(counter, [:int], writable: false)
      body = looping_body(depth, {}, scoped: false)
      Node.statement("#{counter} = #{between(1, 5)}\nuntil #{counter} <= 0 || ", loop_condition(depth - 1),
                     "\n  #{counter} -= 1\n", body, "\nend")
    end

    def post_loop(depth)
      counter = fresh("n")
      scope.declare(counter, [:int], writable: false)
      body = looping_body(depth, {}, scoped: false)
      bound = pick(["while #{counter} < 4 && ", "until #{counter} > 3 || "])
      Node.statement("#{counter} = 0\nbegin\n  #{counter} += 1\n", body, "\nend #{bound}", loop_condition(depth - 1))
    end

    def for_loop(depth)
      name = fresh("f")
      from, items = chance(0.7) ? [Node.fixed("0..(", expression([:int], depth - 1), " % 5)"),
                                   [:int]] : reducible(depth - 1)
      body = through(from) { looping_body(depth, { name => items }, scoped: false) }
      # An Enumerator, now and then.
      from = Node.fixed("(", from, ").each") if (name[/\d+/].to_i % 3).zero?
      # Its value is what it goes through.
      return Node.statement("for #{name} in ", from, "\n", body, "\nend") if chance(0.8)

      Node.statement(scope.declare(fresh("v"), [:bool]).name, " = (for #{name} in ", from, "\n", body, "\nend).nil?")
    end

    # What a call with a block is assigned: what it gives, or the value of a `break`.
    def valued(call, types, depth, names)
      value = declared_types | types if chance(0.3) && !types.include?(nil)
      body = looping_body(depth, names, leave: value ? [["break", value]] : [["next", nil], ["break", nil]])
      target = value ? "#{scope.declare(fresh("v"), value).name} = " : ""
      Node.statement(target, call, " do |#{names.keys.join(", ")}|\n", body, "\nend")
    end

    def times(depth)
      count = chance(0.5) ? e(between(1, 5).to_s) : e("(", expression([:int], depth - 1), " % 5)")
      valued(Node.fixed(count, ".times"), [:int], depth, { fresh("i") => [:int] })
    end

    def upto(depth)
      low = e(between(-3, 2).to_s)
      high = e("(", expression([:int], depth - 1), " % 4)")
      call = chance(0.6) ? Node.fixed(low, ".upto(", high, ")") : Node.fixed(high, ".downto(", low, ")")
      valued(call, [:int], depth, { fresh("i") => [:int] })
    end

    def range_each(depth)
      range = Node.fixed("(#{between(-2, 2)}#{pick(%w[.. ...])}", expression([:int], depth - 1), " % 5)")
      how = weighted(".each" => 5, ".step(2)" => 2, ".step(-1)" => 0.5, ".reverse_each" => 1)
      valued(Node.fixed(range, how), [nil], depth, { fresh("i") => [:int] })
    end

    def stepped(depth)
      if chance(0.5)
        valued(Node.fixed("#{between(-3, 2)}.step(", e(between(1, 9).to_s), ", #{between(1, 3)})"), [:int], depth,
               { fresh("i") => [:int] })
      else
        valued(Node.fixed("#{between(-3, 2)}.5.step(", e(between(1, 4).to_s), ", 0.75)"), [:float], depth,
               { fresh("i") => [:float] })
      end
    end

    def array_each(depth)
      return if arrays.empty?

      text, type = pick(arrays)
      through(text) do
        if chance(0.3)
          valued(Node.fixed(text, ".each_with_index"), [nil], depth, { fresh("t") => type.items, fresh("i") => [:int] })
        else
          valued(Node.fixed(text, pick(%w[.each .reverse_each])), [nil], depth, { fresh("t") => type.items })
        end
      end
    end

    def endless(depth)
      counter = fresh("n")
      scope.declare(counter, [:int], writable: false)
      value = chance(0.4) ? declared_types : nil
      bound = value ? Node.fixed("break ", expression(value, depth - 1)) : "break"
      body = looping_body(depth, {}, leave: [["break", value]])
      target = value ? "#{scope.declare(fresh("v"), value).name} = " : ""
      Node.statement("#{counter} = 0\n#{target}loop do\n  #{counter} += 1\n  ", bound,
                     " if #{counter} > #{between(1, 4)}\n",
                     body, "\nend")
    end
  end
end

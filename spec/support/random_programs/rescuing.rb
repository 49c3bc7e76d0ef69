# frozen_string_literal: true

require_relative "jumps"

module RandomPrograms
  # `begin … rescue … else … ensure … end`, and values with a `rescue` behind them.
  module Rescuing
    include Jumps

    RESCUED = ["", "", " ZeroDivisionError", " ArgumentError", " IndexError, NoMethodError", " TypeError",
               " RangeError", " Exception", " RuntimeError, ZeroDivisionError",
               " *[ZeroDivisionError, IndexError]", " TypeError, *[ArgumentError]"].freeze
    # Those whose messages sections know.
    TOLD = [" ZeroDivisionError", " ArgumentError", " TypeError", " RuntimeError, ZeroDivisionError"].freeze

    def rescuing(depth)
      clauses = between(0, 2)
      return ensuring { Node.statement(*guarded(depth, clauses), "\nensure\n", arm(depth - 1, 2), "\nend") } if
        clauses.zero? || chance(0.3)

      Node.statement(*guarded(depth, clauses), "\nend")
    end

    # The value of the way that was taken.
    def rescued_value(depth)
      types = declared_types
      value = case between(0, 1)
              when 0 then Node.fixed("(", risk(types, depth), " rescue ", expression(types, depth - 1), ")")
              else
                Node.fixed("begin\n", valued_arm(types, depth), "\n", risk(types, depth), "\nrescue#{pick(RESCUED)}\n",
                           valued_arm(types, depth), "\nend")
              end
      Node.statement(scope.declare(fresh("v"), types).name, " = ", value)
    end

    # What an error of Ruby's own keeps beside its message.
    def kept_fact(depth)
      error = fresh("e")
      pairs = Array.new(between(1, 3)) { |key| "#{key} => #{between(0, 9)}" }.join(", ")
      asked = pick(["#{error}.key", "#{error}.receiver.size", "(#{error}.key + #{error}.receiver.sum { |_, v| v })"])
      value = Node.fixed("begin\n{ #{pairs} }.fetch(", expression([:int], depth - 1),
                         ")\nrescue KeyError => #{error}\n", asked, "\nend")
      Node.statement(scope.declare(fresh("v"), [:int]).name, " = ", value)
    end

    # One that is raised again: it is the same, with the cause that it then has.
    def raised_twice(depth)
      first, other, last = Array.new(3) { fresh("e") }
      again = pick(["raise", "raise #{first}", "y = #{first}\nraise y", "raise #{first}, \"told\"",
                    "begin\nraise \"n\"#{pick(["", ", cause: nil"])}\nrescue => #{other}\nraise #{first}\nend"])
      asked = pick(["(#{last}.equal?(#{first}) ? 1 : 2)", "(#{last}.cause.nil? ? 1 : 2)",
                    "(#{last}.cause.equal?(#{first}) ? 3 : 4)", "(#{last}.is_a?(ZeroDivisionError) ? 5 : 6)"])
      value = Node.fixed("begin\nbegin\n", risk([:int], depth), "\nrescue => #{first}\n#{again}\nend\n",
                         "rescue => #{last}\n", asked, "\nend")
      Node.statement(scope.declare(fresh("v"), [:int]).name, " = ", value)
    end

    # As often as a counter says.
    def retrying(depth)
      name = fresh("t")
      scope.declare(name, [:int], writable: false)
      # Like a loop, all of it runs several times.
      scope.loops += 1
      body = scope.path { Node.body([Node.statement("#{name} += 1")] + failing(depth)) }
      handler = arm(depth - 1, 2)
      scope.loops -= 1
      Node.statement("#{name} = 0\nbegin\n", body, "\nrescue#{pick(RESCUED)}\n", handler,
                     "\nretry if #{name} < #{between(1, 4)}\nend")
    end

    private

    # Ruby 3.1 loses its stack, or runs for ever, over some jumps out of what has an `ensure`.
    def ensuring
      outer = @ensuring
      @ensuring = true
      yield
    ensure
      @ensuring = outer
    end

    def guarded(depth, clauses)
      parts = ["begin\n", scope.path { Node.body(failing(depth)) }]
      clauses.times do
        next parts.push(*coded_clause(depth)) if chance(0.15)

        # `$!` is it in a clause without a name, too.
        error = chance(0.3) ? pick([fresh("e"), fresh("e"), "$!"]) : nil
        named = error == "$!" ? pick(TOLD) : "#{pick(TOLD)} => #{error}" if error
        parts.push("\nrescue#{named || pick(RESCUED)}\n", handling(depth, error))
      end
      parts.push("\nelse\n", arm(depth - 1, 2)) if clauses.positive? && chance(0.3)
      parts
    end

    # What has variables of its own is asked for them, in other variables too.
    def coded_clause(depth)
      error = fresh("e")
      kept = chance(0.4) ? fresh("e") : nil
      handler = scope.path do
        asked = Node.statement(scope.declare(fresh("v"), [:int]).name, " = #{kept || error}.more")
        said = Node.statement(scope.declare(fresh("v"), [:str]).name, " = #{kept || error}.message")
        made = [*(kept && Node.statement("#{kept} = #{error}")), asked, *(said if chance(0.5))]
        made << Node.statement("raise #{error} if ", condition(depth - 1)) if chance(0.2)
        made << failure(depth - 1) if chance(0.3, :raised_for_another)
        Node.body(made + statements(depth - 1, 2))
      end
      ["\nrescue CodedError => #{error}\n", handler]
    end

    def failing(depth)
      made = statements(depth - 1, 2)
      made << division(depth) if chance(0.6)
      made << failure(depth - 1) if chance(0.5)
      made + statements(depth - 1, 2)
    end

    def division(depth)
      Node.statement(pick(["10 / ", "7 % ", "3.divmod"]), "(", expression([:int], depth - 1), ")")
    end

    def handling(depth, error)
      scope.path do
        made = error ? [asked_of(error)] : []
        made.concat(statements(depth - 1, 2))
        made << Node.statement("raise if ", condition(depth - 1)) if chance(0.2)
        # What is handled is the cause of this one.
        made << failure(depth - 1) if chance(0.3, :raised_for_another)
        Node.body(made)
      end
    end

    # What is known of an exception.
    def asked_of(error)
      return Node.statement(scope.declare(fresh("v"), [:str]).name, " = ", cause_of(error)) if chance(0.15, :cause_of)

      error = "$!" if chance(0.2)
      value = pick(["#{error}.message", "\"<\#{#{error}}>\"", "\"<\#{#{error}.message}>\""])
      Node.statement(scope.declare(fresh("v"), [:str]).name, " = ", value)
    end

    # What was being handled when it was raised.
    def cause_of(error)
      pick(["(#{error}.cause&.message || \"no cause\")", "\"<\#{#{error}.cause.class}>\"",
            "(#{error}.cause.equal?(#{error}) ? \"itself\" : #{error}.cause.to_s)"])
    end

    def risk(types, depth)
      test = Node.fixed(number(depth), " == ", expression([:int], depth - 1))
      error = pick(["raise", "nil + 1", "1 / 0"])
      Node.fixed("((", test, ") ? #{error} : ", expression(types, depth - 1), ")")
    end
  end
end

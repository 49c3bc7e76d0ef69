# frozen_string_literal: true

module RandomPrograms
  # Lambdas and procs that arrays, Hashes and objects around the block hold.
  module HeldProcs
    # So many programs have some.
    SHARE = Float(ENV.fetch("IKRA_FUZZ_HELD_PROCS", 0.25))
    OWN_CLASSES = <<~RUBY
      class Holder
        attr_reader :rule, :rules
        attr_accessor :other

        def initialize(*rules)
          @rule = rules.last
          @rules = rules
        end

        def [](number) = @rules[number % @rules.size]
        def swapped = self.class.new(*@rules.rotate)
        def self.given(seen, &rule) = seen ? rule : lambda(&rule)
      end
    RUBY

    # What stands before the block: such a collection, whose procs take and give the same.
    def captured_procs
      lambda = chance(0.7)
      parameters = Array.new(between(lambda ? 0 : 1, 2)) { [fresh("p"), pick(Statements::UNIONS)] }
      optional = lambda && parameters.any? && chance(0.2) ? 1 : 0
      keywords = lambda && chance(0.15) ? { fresh("k") => pick(Statements::UNIONS) } : {}
      returns = pick(Statements::UNIONS)
      type = LambdaType.new(parameters.map(&:last), optional, returns, keywords)
      made = Array.new(between(1, 3)) { held_proc(lambda, parameters, optional, returns, keywords) }
      name = fresh("held")
      text, places = held_form(name, made)
      places.each { |place| @outside << [place, type] }
      Node.fixed("#{name} = ", text)
    end

    private

    # Where code of the kind is said to stand: around the block.
    def held_proc(lambda, parameters, optional, returns, keywords)
      budget(20, 3)
      within(Scope.new(returns:)) do
        @outside.each { |name, types| scope.declare(name, types, writable: false) }
        declare_globals(nil)
        kind = lambda ? pick(%i[arrow lambda]) : :proc
        text = lambda_text(kind, parameters, optional, returns, 2, keywords)
        next text if kind != :proc || chance(0.6)

        Node.fixed("Holder.given(true) ", text.with(0, text.parts.first.delete_prefix("proc ")))
      end
    end

    def held_form(name, made)
      last = made.size - 1
      case between(0, 2, chosen: 0)
      when 0 then [Node.fixed("[", Node.list(made), "]"), ["#{name}[#{between(0, last)}]", chosen(name, made.size)]]
      when 1
        pairs = made.each_with_index.map { |text, i| Node.fixed("k#{i}: ", text) }
        [Node.fixed("{ ", Node.list(pairs), " }"), ["#{name}[:k#{between(0, last)}]", "#{name}.fetch(:k#{last})"]]
      else
        places = ["#{name}.rule", "#{name}.rules[0]", "#{name}[#{between(0, 5)}]", "#{name}.swapped.rules.first"]
        [Node.fixed("Holder.new(", Node.list(made), ")"), some(places, 2)]
      end
    end

    # One of an array, known when the program runs.
    def chosen(name, count)
      numbers = @outside.select { |_, types| types == [:int] }.map(&:first)
      numbers.any? ? "#{name}[#{pick(numbers)} % #{count}]" : "#{name}.last"
    end
  end
end

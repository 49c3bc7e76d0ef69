# frozen_string_literal: true

module RandomPrograms
  # Tests, as conditions and as values.
  module Conditions
    BOOLEAN = { comparison: 8, equality: 4, asked: 4, negation: 2, conjunction: 3, kind_test: 3, included: 1.5,
                searched: 1, list_asked: 1.2, matched: 0.8, record_equality: 0.5,
                same_record: 0.7, frozen_test: 0.3, text_test: 0.7, presence_test: 0.7,
                large_test: 0.4 }.freeze
    MATCHED = BOOLEAN.merge(regexp_test: 8).freeze

    # True, false, or anything else that has a truth.
    def condition(depth)
      return expression(%i[int nil], depth) if chance(0.08)
      return expression([:bool], depth) if depth <= 0 || chance(0.9)

      found = readable
      found.empty? ? expression([:bool], depth) : e(pick(found).first)
    end

    def comparison(depth)
      e("(", number(depth), pick([" < ", " <= ", " > ", " >= "]), number(depth), ")")
    end

    def equality(depth)
      operator = pick([" == ", " != ", " == ", " === "])
      types = pick([[:int], [:sym], %i[int float], %i[int nil], [:bool], [:str], %i[int float nil sym bool]])
      e("(", expression(types, depth), operator, expression(types, depth), ")")
    end

    def asked(depth)
      case between(0, 6)
      when 5 then e("(", expression([:int], depth), "[", expression(%i[float int], depth), "] == 1)")
      when 6 then e("!!defined?(#{pick(%w[none none(1) puts Integer None self self.puts Integer.none 3.abs nil])})")
      when 0 then e(expression([:int], depth), pick(%w[.even? .odd? .zero? .positive? .negative?]))
      when 1 then e(expression([:float], depth), pick(%w[.nan? .finite? .zero? .positive? .negative?]))
      when 2 then e("!!", expression([:float], depth), ".infinite?")
      when 3 then e(expression([:int], depth), ".between?(#{between(-5, 2)}, ", e(between(1, 9).to_s), ")")
      else e(expression([:int], depth), pick([".eql?(", ".equal?("]), expression(%i[int], depth), ")")
      end
    end

    # Is an instance variable set? Some are not, of objects that hold nil there.
    def presence_test(_depth)
      mine = scope.own_class ? [[scope.own, scope.own_class]] : []
      names = (mine + objects).flat_map do |text, klass|
        all = text == scope.own ? klass.all_ivars : klass.all_ivars.except(*klass.all_written)
        all.keys.reject { |name| klass.member?(name) }.map { |name| [text, name] }
      end
      return if names.empty?

      text, name = pick(names)
      return e("!!defined?(@#{name})") if text == "self" && chance(0.6)

      e(text, ".instance_variable_defined?(#{ivar_name(name)})")
    end

    # Is an array frozen, whether it was there before or the program has made it?
    def frozen_test(depth)
      return e(pick(arrays).first, ".frozen?") if arrays.any? && chance(0.7)

      e(list([:int], depth - 1), pick(%w[.frozen? .freeze.frozen? .dup.frozen?]))
    end

    def negation(depth) = e("!", condition(depth))

    def conjunction(depth)
      e("(", condition(depth), pick([" && ", " || ", " and ", " or ", " && "]), condition(depth), ")")
    end

    def kind_test(depth)
      found = readable.select { |_, types| types.size > 1 }
      if found.empty? || chance(0.2)
        return e(expression(%i[int float nil sym], depth), pick([".nil?", ".is_a?(Integer)", ".is_a?(Numeric)",
                                                                 ".instance_of?(Float)"]))
      end

      text, types = pick(found)
      e(test_text(text, pick(types)))
    end

    def included(depth)
      case between(0, 2)
      when 0 then e("((#{between(-5, 2)}..#{between(1, 9)})", pick([".include?(", ".cover?(", " === ("]),
                    number(depth), "))")
      when 1 then e("(#{between(-5, 2)}.5...", number(0), ")", ".include?(", number(depth), ")")
      else
        found = arrays.reject { |_, t| t.items.any? { |i| @classes.key?(i) } }
        return if found.empty?

        text, type = pick(found)
        e(text, ".include?(", expression(type.items, depth), ")")
      end
    end

    def searched(depth)
      return if scope.loops > 1

      from, items = reducible(depth)
      name = fresh("i")
      going_through(from, name => items) do
        e(from, pick(%w[.any? .all? .none?]), " { |#{name}| ", condition(depth), " }")
      end
    end
  end
end

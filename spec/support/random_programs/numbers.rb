# frozen_string_literal: true

require_relative "bignums"
require_relative "dates"
require_relative "fractions"
require_relative "held_ranges"

module RandomPrograms
  # Arithmetic.
  module Numbers
    include Bignums
    include Dates
    include Fractions
    include HeldRanges

    INTEGER = { integer_arithmetic: 8, wrapped: 5, low_bits: 1.5, integer_division: 3, bits: 2, integer_unary: 2,
                integer_pair: 2, rounded: 2, compared: 1, reduced: 2, measured: 1.5, folded: 2.5, hashed: 1.5,
                drawn: 0.3, by_method: 1.2, texted: 0.6, keyed: 0.6, identity: 0.5, identity_of_procs: 0.4, cycle: 0.5,
                outlived: 0.5, reach: 0.4, deep: 0.7, fraction_number: 0.6,
                large_integer: 0.6, date_number: 0.6, held_range: 0.8 }.freeze
    MATCHED = INTEGER.merge(regexp_number: 8).freeze
    FLOAT = { float_arithmetic: 8, float_division: 2, float_unary: 2, converted: 3, float_sum: 1, root: 0.5,
              float_power: 0.5, mathematics: 0.5, folded_floats: 1, drawn_float: 0.3, complex_part: 0.6 }.freeze

    def integer_arithmetic(depth)
      operator = weighted("+" => 5, "-" => 4, "*" => 2)
      e("(", expression([:int], depth), " #{operator} ", expression([:int], depth), ")")
    end

    def wrapped(depth)
      e("(", expression([:int], depth), " % #{pick([2, 3, 7, 8, 10, 97, 1000, 65_536, -5])})")
    end

    # Of what may have more than 64 bits only low bits, or a remainder, are wanted.
    def low_bits(depth)
      factor = pick([31, 16_777_619, -7, 2_862_933_555_777_941_757, 6_364_136_223_846_793_005])
      sum = ["((", expression([:int], depth), " * #{factor}) #{pick(%w[+ - ^])} ", expression([:int], depth), ")"]
      case between(0, 3)
      when 0 then e("((", *sum, " & 0x7fffffffffffffff) % 1000)")
      when 1 then e("(", *sum, " & #{pick(%w[255 0xffff 1023 0xffffffff])})")
      when 2 then e("(((", expression([:int], depth), " << #{between(1, 62)}) & 0xffffff) + 1)")
      else e("(", *sum, " % #{pick([1_000_000_007, 998_244_353, 65_536, -97, 2_305_843_009_213_693_951])})")
      end
    end

    def integer_division(depth)
      operator = pick(%w[/ % .div .modulo .remainder])
      a = expression([:int], depth)
      b = divisor(depth)
      operator.start_with?(".") ? e(a, operator, "(", b, ")") : e("(", a, " #{operator} ", b, ")")
    end

    # A call of the first of methods that call each other twice and more.
    def deep(depth)
      return wrapped(depth) unless @deep

      e("Deep.deep0(", expression([:int], depth), ", ", expression([:int], depth), ")")
    end

    def divisor(depth)
      case between(0, 9)
      when 0 then expression([:int], depth)
      when 1..4 then e("(", expression([:int], depth), ".abs + 1)")
      else e(pick(%w[1 2 3 5 7 8 -1 -2 -3 10 64 1000]))
      end
    end

    def bits(depth)
      a = expression([:int], depth)
      return called_by_name(a, depth) if (favoured?(:called_by_name) || matches?(@seed + 5, 0.15)) && chance(0.5)

      case between(0, 7)
      when 0..2 then e("(", a, pick([" & ", " | ", " ^ "]), expression([:int], depth), ")")
      when 3 then e("(", a, " >> (", expression([:int], depth), " % 70))")
      when 4 then e("((", a, " % 100) << (", expression([:int], depth), " % 5))")
      when 5 then e(a, "[", expression([:int], depth), "]")
      when 6 then bits_of_range(a, depth)
      else e("(~", a, ")")
      end
    end

    def bits_of_range(number, depth)
      low, high = Array.new(2) { e("(", expression([:int], [depth - 1, 0].max), " % 40)") }
      range = case between(0, 5)
              when 0..2 then [low, pick(%w[.. ...]), high]
              when 3 then [low, ".."]
              else [low, ", ", high]
              end
      e(number, "[", *range, "]")
    end

    # By a Symbol or a String out of an array.
    def called_by_name(receiver, depth)
      names = pick(["%i[& | ^ + -]", '["&", "|", "^", :+, :-]'])
      e(receiver, pick([".send(", ".public_send("]), names, "[(", expression([:int], 0), ") % 5], ",
        expression([:int], depth), ")")
    end

    def integer_unary(depth)
      a = expression([:int], depth)
      chance(0.3) ? e("(-", a,
                      ")") : e(a, pick(%w[.abs .succ .pred .bit_length .to_i .floor .round .itself .magnitude .+@]))
    end

    def integer_pair(depth)
      a = expression([:int], depth)
      b = expression([:int], depth)
      case between(0, 1.respond_to?(:ceildiv) ? 7 : 6)
      when 7 then e(a, ".ceildiv(", divisor(depth), ")")
      when 0 then e("[", a, ", ", b, "]", pick(%w[.max .min]))
      when 1 then e(a, ".clamp(#{between(-9, 0)}, ", e(between(1, 20).to_s), ")")
      when 2 then e(a, ".gcd(", b, ")")
      when 3 then e("((", a, " % 10)**", pick([e("2"), e("3"), e("(", b, " % 4)")]), ")")
      when 4 then e("(", a, ".divmod(", divisor(depth), ")", pick(%w[[0] .first [1] .last]), ")")
      when 5 then e("(", a, " % 50).lcm(", b, " % 50)")
      else e("(", a, " % 30).pow(", b, " % 6, ",
             pick([e("(", a, ".abs + 1)"), *[7, -9, -2**62, (2**62) + 1, -2**63].map { |m| e(m.to_s) }]), ")")
      end
    end

    def rounded(depth)
      x = expression([:float], depth)
      x = e("(", x, " % 1000.5)") if chance(0.5)
      x = e(x, ".clamp(-1e6, 1e6)") if chance(0.5)
      halves = ".then { |f| o = { half: #{pick(%w[:even :down :up nil])} }; f.round(**o) }"
      e(x, pick(%w[.to_i .floor .ceil .round .truncate] + [".round(half: :even)", halves]))
    end

    def compared(depth)
      e("(", expression([:int], depth), " <=> ", expression([:int], depth), ")")
    end

    # Over a range or an array.
    def reduced(depth)
      return if scope.loops > 1

      from, items = reducible(depth)
      name = fresh("i")
      going_through(from, name => items) do
        case between(0, 6)
        when 6 then bsearched(from, name, depth)
        when 0, 1 then e(from, ".sum { |#{name}| ", expression([:int], depth), " }")
        when 2 then e(from, ".count { |#{name}| ", condition(depth), " }")
        when 3 then if from.is_a?(String)
                      e("(", from, ".find_index { |#{name}| ", condition(depth), " } || ", constant(:int),
                        ")")
                    end
        when 4
          sum = fresh("s")
          scope.declare(sum, [:int], writable: false)
          e(from, ".inject(", constant(:int), ") { |#{sum}, #{name}| ", expression([:int], depth), " % 1000 }")
        when 5
          accumulated(from, name, depth)
        end
      end
    end

    # Also where what the block gives is in no order.
    def bsearched(from, name, depth)
      answer = chance(0.5) ? condition(depth) : expression(pick([[:int], [:int], [:float]]), depth)
      e("((", from, ".bsearch { |#{name}| ", answer, " }).is_a?(Integer) ? 1 : ", constant(:int), ")")
    end

    # With a block of several statements.
    def accumulated(from, name, depth)
      body = block_body([:int], depth)
      e(from, ".sum do |#{name}|\n", body, "\nend")
    end

    # [text, types of the items]
    def reducible(depth)
      found = arrays
      return pick(found).then { |text, type| [text, type.items] } if found.any? && chance(0.5)

      [Node.fixed("(", between(-4, 4).to_s, "..", expression([:int], depth), " % 6)"), [:int]]
    end

    def measured(depth)
      found = arrays
      return if found.empty?

      text, type = pick(found)
      case between(0, 3)
      when 0 then e(text, pick(%w[.size .length .count]))
      when 1 then e(text, ".sum") if type.items == [:int]
      when 2 then e("(", text, pick(%w[.max .min]), " || ", constant(:int), ")") if type.items == [:int]
      else e(text, ".count(", expression(type.items.reject { |t| @classes.key?(t) } + [:int], depth), ")")
      end
    end

    def number(depth) = expression([pick(%i[int float])], depth)

    def float_arithmetic(depth)
      a, b = [number(depth), expression([:float], depth)].shuffle(random: @random)
      e("(", a, pick([" + ", " - ", " * "]), b, ")")
    end

    def float_division(depth)
      a = number(depth)
      case between(0, 5)
      when 0 then e(expression([:int], depth), ".fdiv(", number(depth), ")")
      when 1 then e("(", a, " / ", expression([:float], depth), ")")
      when 2 then e("(", a, " % ", pick([e("2.5"), e("-1.5"), e("0.1"), expression([:float], depth)]), ")")
      when 3 then e("(", expression([:float], depth), ".divmod(", pick([e("2.5"), e("-3"), number(depth)]), ")[1])")
      when 4 then e("(", expression([:float], depth), " / ", divisor(depth), ")")
      else e("(", a, ".remainder(2.5))")
      end
    end

    def float_unary(depth)
      a = expression([:float], depth)
      chance(0.3) ? e("(-", a, ")") : e(a, pick(%w[.abs .to_f .magnitude .itself .+@]))
    end

    def converted(depth)
      e(expression([:int], depth), ".to_f")
    end

    def float_sum(depth)
      return if scope.loops > 1

      from, items = reducible(depth)
      name = fresh("i")
      going_through(from, name => items) do
        start = pick(%w[0.0 0.0 0.3 -0.0 1e16 2])
        item = expression(chance(0.7) ? [:float] : %i[int float], depth)
        e(from, ".sum(#{start}) { |#{name}| ", item, " }")
      end
    end

    def root(depth)
      e("Math.sqrt(", number(depth), pick([".abs", ".abs", ""]), ")")
    end

    def mathematics(depth)
      case between(0, 4)
      when 4 then e("Math.log(", number(depth), ".abs, ", number(depth), ".abs)")
      when 0 then e("Math.#{pick(%w[sin cos atan exp cbrt tanh asinh])}(", number(depth), ")")
      when 1 then e("Math.#{pick(%w[hypot atan2])}(", number(depth), ", ", number(depth), ")")
      when 2
        e("Math.#{pick(%w[log log2 log10 asin acosh gamma])}(", number(depth), pick([".abs + 1", ".abs", ""]), ")")
      else e("(", number(depth), " * Math::PI)")
      end
    end

    def float_power(depth)
      e("(", expression([:float], depth), "**#{pick([2, 3, -1, 0])})")
    end
  end
end

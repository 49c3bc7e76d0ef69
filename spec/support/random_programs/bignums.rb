# frozen_string_literal: true

module RandomPrograms
  # Integers beyond 64 bits, and what becomes of them. As values of Integers they come to variables, attributes, lists
  # and keys as all others do.
  module Bignums
    LITERALS = %w[0xffff_ffff_ffff_ffff 18446744073709551616 9223372036854775808 -9223372036854775809
                  0xcbf29ce484222325 0x9e3779b97f4a7c15 -340282366920938463463374607431768211456
                  1000000000000000000000000000057].freeze
    # The same as constants.
    CONSTANTS = "module Large\n#{LITERALS.each_with_index.map { |text, i| "  L#{i} = #{text}\n" }.join}end\n".freeze
    MULTIPLIERS = %w[0x100000001b3 6364136223846793005 0xbf58476d1ce4e5b9 31 -7].freeze
    MASKS = %w[0xffff_ffff_ffff_ffff 0x7fff_ffff_ffff_ffff 0xffff_ffff 0xffff_ffff_ffff_ffff_ffff].freeze
    MODULI = %w[1_000_000_007 18446744073709551557 97 -10 9223372036854775808 2305843009213693951].freeze

    # One itself, or an Integer out of some.
    def large_integer(depth)
      x = large(depth)
      case between(0, 11)
      when 0 then e("(", x, " & #{pick(MASKS)})")
      when 1 then e("(", x, " % #{pick(MODULI)})")
      when 2 then e("(", x, " <=> ", number_or_large(depth), ")")
      when 3 then e(x, pick(%w[.to_s.size .bit_length .size .to_s(36).size .hash.size]))
      when 4 then e("{ ", x, " => 1, ", number_or_large(depth), " => 2 }.fetch(", large(depth), ", 7)")
      when 5 then e("[", x, ", ", large(depth), ", ", number_or_large(depth), "]",
                    pick([".max", ".min", ".sum", ".uniq.size", ".sort[1]", ".inject(:gcd)", ".tally.size",
                          ".inject { |a, b| a ^ b }", ".group_by(&:even?).size", ".map { |a| a % 1000 }.sum"]))
      when 6 then e("(", x, ".divmod(", large_divisor(depth), ")", pick(%w[[0] .first [1] .last]), ")")
      when 7 then e("(", x, ".pow(", small_exponent(depth), ", #{pick(MODULI)}))")
      when 8 then e("(", x, ".abs.digits", pick(["(1000)", "", "(2**70)"]), pick([".sum", ".size", ".last"]), ")")
      else x
      end
    end

    # What two of them come to.
    def large_test(depth)
      x = large(depth)
      case between(0, 3)
      when 0 then e(x, pick(%w[.even? .odd? .positive? .negative? .zero? .integer?]))
      when 1 then e(x, ".between?(", number_or_large(depth), ", ", large(depth), ")")
      when 2 then e("(", x, pick([" == ", " != ", " < ", " > "]), expression([:float], [depth - 1, 0].max), ")")
      else e("(", x, pick([" == ", " != ", " < ", " > ", " <= ", " >= ", " === "]), number_or_large(depth), ")")
      end
    end

    # A text of one.
    def large_text(depth)
      x = large(depth)
      case between(0, 2)
      when 0 then e("\"\#{", x, "}\"")
      when 1 then e(x, pick(%w[.to_s .inspect .to_s(2) .to_s(7) .to_s(16) .to_s(36)]))
      else e("format(\"%#{pick(["", "+", "40", "-40", "045", "#"])}#{pick(%w[d x X o b s])}\", ", x, ")")
      end
    end

    # What a call gives, with some.
    def large_result(value)
      e("[", value, ", ", large(2), ", { ", large(1), " => ", large(1), " }, [", number_or_large(1), "]]")
    end

    private

    # As hashes have it.
    def hashed_bits(number)
      bits = pick([63, 64, 64, 65, 100])
      e("[7, ", number,
        ", -1].inject(0xcbf29ce484222325) { |a, b| ((a ^ b) * #{pick(MULTIPLIERS)}) & #{(1 << bits) - 1} }")
    end

    # As generators of random numbers have it.
    def stepped_generator(number)
      mask = "0xffffffffffffffff"
      step = case between(0, 1)
             when 0 then "a ^= (a << #{between(1, 40)}) & #{mask}; a ^ (a >> #{between(1, 40)})"
             else "((a * #{pick(MULTIPLIERS)}) + b) & #{mask}"
             end
      e("(1..4).inject(", number, ") { |a, b| #{step} }")
    end

    def large_literal = chance(0.5) ? pick(LITERALS) : "Large::L#{between(0, LITERALS.size - 1)}"

    def number_or_large(depth)
      chance(0.5) ? large(depth) : expression([:int], [depth - 1, 0].max)
    end

    def small_exponent(depth) = e("(", expression([:int], [depth - 1, 0].max), " % 70)")

    def large_divisor(depth)
      chance(0.5) ? e("(", large(depth), " | 1)") : divisor([depth - 1, 0].max)
    end

    def large(depth)
      number = expression([:int], [depth - 1, 0].max)
      case between(0, 11)
      when 0, 1 then e(large_literal)
      when 10 then hashed_bits(number)
      when 11 then stepped_generator(number)
      when 2 then e("((", number, " % 100)**", small_exponent(depth), ")")
      when 3 then e("((", number, " % 1000) << ", small_exponent(depth), ")")
      when 4 then e("((", number, " ^ ", large_literal, ") * 0x100000001b3)")
      when 5 then e("(", large_literal, pick([" >> ", " << "]), "(", number, " % 90))")
      when 6 then e("(", large_literal, pick([" / ", " % "]), large_divisor(0), ")")
      when 7 then e("(", pick(["-", "~"]), pick(LITERALS.grep_v(/\A-/)), ")")
      else e("(", number, pick([" + ", " - ", " * ", " | ", " & ", " ^ "]), large_literal, ")")
      end
    end
  end
end

# frozen_string_literal: true

module RandomPrograms
  # Rational and Complex numbers, small enough that their parts fit.
  module Fractions
    # An Integer out of some.
    def fraction_number(depth)
      x = fraction(depth)
      case between(0, 6)
      when 6 then e("(", x, ".then { |f| f",
                    pick(%w[.abs .magnitude .to_r .rationalize **1 .itself]), ".equal?(f) ? 1 : 2 })")
      when 0 then e(x, pick(%w[.floor .ceil .round .to_i .truncate .numerator .denominator]))
      when 1 then e("(", x, " <=> ", pick([fraction(depth), small(depth)]), ")")
      when 2 then e(x, ".divmod(", fraction_literal, ")[0]")
      when 3 then e("{ ", fraction(depth), " => 1, ", fraction(depth), " => 2 }.fetch(", x, ", 7)")
      when 4 then e("[", x, ", ", pick([fraction(depth), small(depth), complex(depth)]), "].uniq.size")
      else e("((", pick([x, complex(depth)]), " == ", pick([fraction(depth), small(depth), complex(depth)]),
             ") ? 1 : 2)")
      end
    end

    # A Float out of a Complex.
    def complex_part(depth)
      e(complex(depth), pick(%w[.real .imaginary .abs .abs2 .arg]), ".to_f")
    end

    # A text of one.
    def fraction_text(depth)
      number = pick([fraction(depth), complex(depth)])
      chance(0.5) ? e("\"\#{", number, "}\"") : e(number, pick(%w[.to_s .inspect]))
    end

    # What a call gives, with some.
    def fraction_result(value)
      e("[", value, ", ", fraction(2), ", ", complex(2), ", [", pick([fraction(1), complex(1), small(1)]), "]]")
    end

    private

    def small(depth) = e("(", expression([:int], [depth - 1, 0].max), " % 60)")

    def fraction_literal = e(pick(%w[1/2r 2/3r 3/4r 5r 0.25r 7/5r]))

    def fraction(depth)
      number = small(depth)
      made = case between(0, 6)
             when 0 then e("Rational(", number, ", #{between(1, 9)})")
             when 1 then e(number, ".to_r")
             when 4 then e("Rational(\"\#{", number, "}#{pick(["", ".5", "e-1"])}/#{between(1, 9)}\")")
             when 5 then e("((", number, ".abs + 1)**-#{between(1, 2)}).to_r")
             when 6 then e("\"\#{", number, "}.25 of it\".to_r")
             when 2 then e("(", number, pick([" + ", " - ", " * "]), fraction_literal, ")")
             else e(number, ".quo(#{between(1, 7)})")
             end
      return made if chance(0.6)

      chance(0.2) ? e("(", made, "**2)") : e("(", made, pick([" + ", " - ", " * ", " / "]), fraction_literal, ")")
    end

    def complex(depth)
      parts = Array.new(2) { pick([small(depth), expression([:float], [depth - 1, 0].max), fraction_literal]) }
      parts[between(0, 1)] = e("Float::NAN") if chance(0.05)
      made = chance(0.7) ? e("Complex(", Node.commas(parts), ")") : e("(", parts.first, " + #{between(1, 5)}i)")
      case between(0, 7)
      when 6 then e("Complex.polar(", small(depth), ", ", pick(%w[0.5 -2.0 Math::PI 1 0]), ")")
      when 7 then e(made, ".fdiv(", pick(%w[2 0.5 1/3r Complex(1,2) Complex(0.5,-1.5)]), ")")
      when 0 then e("(", made, pick([" + ", " - ", " * ", " / "]), pick(%w[2i 1.5i Complex(1,-2) Complex(0.5,2)]), ")")
      when 1 then e("(", made, "**#{pick([2, 3, -1])})")
      when 2 then e(made, pick(%w[.conj .-@ .to_c]))
      when 3 then e("(", small(depth), pick([" + ", " - ", " * "]), made, ")")
      else made
      end
    end
  end
end

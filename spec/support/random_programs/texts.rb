# frozen_string_literal: true

module RandomPrograms
  # Strings: literals, and those made of others and of what else there is.
  module Texts
    TEXT = { joined: 4, written: 4, named: 2, appended: 2, literal_text: 3, chosen_text: 1 }.freeze
    TEXTS = ["", "a", "b", "abc", "left", "é", "abcdefgh", "12", "-5 km", "日本", "a text of more than a word"].freeze

    def joined(depth) = e("(", expression([:str], depth), " + ", expression([:str], depth), ")")

    def written(depth)
      types = pick([[:str], [:str], [:int], [:sym], %i[int nil], [:bool]])
      rest = pick(["", ">", "\#{#{between(0, 9)}}"])
      e("\"", pick(["", "<", "é "]), "\#{", expression(types, depth), "}", rest, "\"")
    end

    def named(depth) = e(expression([pick(%i[int sym])], depth), ".to_s")

    def appended(depth)
      e("(+", constant(:str), " << ", expression([:str], depth), " << ", expression([:str], depth), ")")
    end

    def literal_text(_depth) = constant(:str)

    def chosen_text(depth)
      chosen = pick([".min", ".max", ".first", ".uniq.last"])
      e("[", expression([:str], depth), ", ", expression([:str], depth), "]", chosen)
    end

    # An Integer that comes of a String.
    def texted(depth)
      text = expression([:str], depth)
      case between(0, 2)
      when 0 then e(text, ".bytesize")
      when 1 then e("(", text, " <=> ", expression([:str], depth), ")")
      else e("(", text, ".getbyte(", expression([:int], depth), " % 5) || ", expression([:int], depth), ")")
      end
    end

    def text_test(depth)
      text = expression([:str], depth)
      case between(0, 2)
      when 0 then e("(", text, pick([" == ", " != ", " < ", " >= "]), expression([:str], depth), ")")
      when 1 then e(text, pick(%w[.empty? .ascii_only?]))
      else e(text, ".start_with?(", expression([:str], depth), ")")
      end
    end
  end
end

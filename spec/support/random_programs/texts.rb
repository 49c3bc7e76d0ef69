# frozen_string_literal: true

module RandomPrograms
  # Strings: literals, and those made of others and of what else there is.
  module Texts
    TEXT = { joined: 4, written: 4, named: 2, appended: 2, literal_text: 3, chosen_text: 1.3, called_text: 4,
             put_together: 0.5, frozen_text: 0.6, fraction_text: 0.4, large_text: 0.4, date_text: 0.4 }.freeze
    # In programs with regular expressions.
    MATCHED = TEXT.merge(regexp_text: 12).freeze
    TEXTS = [
      "", "a", "b", "abc", "left", "é", "abcdefgh", "12", "-5 km", "日本", "a text of more than a word", "ǆ Straße", "Σ ﬃ"
    ].freeze

    # What methods of a String give that is a String again, and what gives Integers.
    CALLS = [
      ".upcase", ".downcase", ".capitalize", ".swapcase",
      ".reverse", ".strip", ".chop", ".chomp(\"c\")", ".upcase(:ascii)",
      ".swapcase(:ascii)", ".squeeze", ".tr(\"a-y\", \"b-z\")",
      ".tr(\"^a-e\", \"*\")", ".delete(\"a-c\")", ".sub(\"a\", \"<\\\\0>\")", ".gsub(\"e\") { |found| found * 2 }",
      ".ljust(6, \"é\")",
      ".center(7)", ".split.last || \"-\"", ".split(\"e\", 2).last || \"-\"", ".lines.first || \"-\"",
      ".chars.min || \"-\"", ".inspect", " * 2", "[1..] || \"-\"", "[-2, 2] || \"-\"", ".delete_prefix(\"a\")",
      ".each_char.to_a.last || \"-\"", ".to_sym.to_s",
      ".dup.insert(0, \"ü\")", ".bytes.pack(\"C*\").unpack1(\"H*\")", ".unpack(\"CB9\").last",
      ".to_sym.upcase.to_s", ".to_sym.swapcase.name", ".dump", ".encode(\"UTF-8\")", ".encoding.name",
      ".size.then { |n| format(\"%a|%9.1A\", n, n * 0.3) }"
    ].freeze
    NUMBERS = [
      ".size", ".to_sym.size", ".count(\"a-e\")", ".to_i", ".sum", ".bytes.size", ".each_line.count", ".each_byte.sum",
      ".size.then { |n| [n, -n].pack(\"s>l\").unpack(\"s>l\").sum }",
      ".unpack(\"c*\").sum", ".unpack(\"nC2\").compact.sum", ".unpack(\"nC*\").compact.sum", ".unpack1(\"nC\") || -1",
      ".bytes.pack(\"w*\").unpack(\"w*\").sum", ".to_sym.capitalize.size", ".to_sym.match(/./)&.end(0) || -1",
      ".b.then { |s| (\"\\xfe\\xff\".b + s).sum }", ".b.index(\"\\xa9\".b) || -1", ".inspect.+(\"\\xe9\").bytes.sum"
    ].freeze

    # Around the borders of words, which texts are compared by.
    LONG = ["abcdefg", "abcdefghi", "12345678é", "äöüß", "abcdefghijklmnop", "abcdefghijklmnopq", "y" * 31, "y" * 32,
            "y" * 33].freeze

    def called_text(depth)
      text = expression([:str], depth)
      case between(0, 6, named_format: 2, written_format: 6)
      when 6 then written_format(text, depth)
      when 0 then e("(", text, "[", expression([:int], depth), " % 9] || \"-\")")
      when 1 then e(text, ".partition(", expression([:str], depth), ")[", pick(%w[0 1 2]), "]")
      when 2
        return named_format(text, depth) if chance(0.4, :named_format)

        e("format(\"%s|%5.3s|%+d\", ", text, ", ", expression([:str], depth), ", ", expression([:int], depth), ")")
      else e("(", text, pick(known_symbols(CALLS)), ")")
      end
    end

    # Directives by the values that they are for.
    DIRECTIVES = { %w[d i u x X o b B] => [:int], %w[f e g G E] => [:float], %w[s p] => nil, %w[c] => [:str] }.freeze
    BETWEEN = ["", " ", "%%", "é", "a text of more than a word ", "|"].freeze

    # A format that is written out, with values that fit, and now and then with one that does not or too few.
    def written_format(text, depth)
      letters = Array.new(between(1, 4)) { pick(DIRECTIVES.keys) }
      format = letters.map { |some| "#{pick(BETWEEN)}%#{directive_form}#{pick(some)}" }.join + pick(BETWEEN)
      values = letters.map { |some| format_value(DIRECTIVES.fetch(some), text, depth - 1) }
      values.pop if chance(0.02)
      return e("(", format.inspect, " % [", Node.list(values), "])") if chance(0.4)

      e(pick(%w[format sprintf]), "(", Node.list([format.inspect, *values]), ")")
    end

    def directive_form
      flags = Array.new(between(0, 2)) { pick(["-", "+", " ", "0", "#"]) }.join
      "#{flags}#{pick(["", "", between(1, 12)])}#{pick(["", "", ".", ".#{between(0, 9)}"])}"
    end

    def format_value(types, text, depth)
      return e(pick(["\"x\"", "\"é\"", "65"])) if types == [:str]
      return expression([:int], depth) if types == [:float] && chance(0.2)
      return text if types.nil? && chance(0.3)

      types = pick([[:str], [:int], [:sym], %i[int nil], [:bool], [:float]]) if types.nil? || chance(0.03)
      expression(types, depth)
    end

    def named_format(text, depth)
      number = expression([:int], depth)
      if chance(0.3)
        return e("format(\"%<a>4s|%{b}\", **{ a: ", text, " }.merge({ b: ", number, " }))") if chance(0.5)

        key = pick(%w[a b])
        return e("\"\#{[3, ", number, "].push(**{ a: 1 }.reject { |k, _| k == :#{key} })}\"")
      end
      e("format(\"%<a>5s|%-4{b}|%<b>+d\", a: ", text, ", b: ", number, ")")
    end

    # By what makes Strings of other things.
    def put_together(depth)
      case between(0, 5)
      when 5
        e("(((", expression([:str], depth), " + \"", pick(%w[é \\x80 \\xe3a 漢]), "\") * 30)",
          pick(["[-1]", "[-3, 2]", "[-#{between(1, 9)}, #{between(0, 9)}]", "[-4..]", ".slice(-5)"]), " || \"\")")
      when 3
        e("[Texty.new(", expression([:int], depth), "), ", expression([:int], depth), "].join(",
          expression([:str], depth), ")")
      when 4
        e("[Pairs.new(1, ", expression([:int], depth), ")]",
          pick([".join(\"-\")", ".assoc(1).join", ".rassoc(2).to_s"]))
      when 0 then e("(", list([:int], depth), " * ", expression([:str], depth), ")")
      when 1 then e("(String.new << ", expression([:str], depth), ")")
      else e("[*", pick(["\"a\"..\"e\"", "(\"x\"...\"ab\")"]), "].join(", expression([:str], depth), ")")
      end
    end

    def joined(depth) = e("(", expression([:str], depth), " + ", expression([:str], depth), ")")

    def written(depth)
      types = pick([[:str], [:str], [:int], [:sym], %i[int nil], [:bool], [:float], %i[int sym nil], %i[int str]])
      rest = pick(["", ">", "\#{#{between(0, 9)}}"])
      e("\"", pick(["", "<", "é "]), "\#{", expression(types, depth), "}", rest, "\"")
    end

    def named(depth)
      return e(tie(depth), ".to_s") if chance(0.25, :tie)

      type = pick(%i[int sym])
      e(expression([type], depth), type == :sym && chance(0.5) ? ".name" : ".to_s")
    end

    # Two texts of so many digits are as near to many of these.
    def tie(depth)
      case between(0, 2)
      when 0 then e("(", expression([:int], depth), ".fdiv(8) + #{pick([2**49, 2**50, -(2**49), 9 * (10**14)])})")
      when 1 then e("((", expression([:int], depth), " % 1000 + #{between(2**52, 2**53)}) * 2.0**#{between(-12, 12)})")
      else e("(", expression([:int], depth), " * 2.0**#{pick([-1074, -1070, -1022, -60, 60, 900])})")
      end
    end

    def appended(depth)
      e("(+", constant(:str), " << ", expression([:str], depth), " << ", expression([:str], depth), ")")
    end

    def literal_text(_depth) = constant(:str)

    def chosen_text(depth)
      chosen = pick([".min", ".max", ".first", ".uniq.last"])
      e("[", expression([:str], depth), ", ", expression([:str], depth), "]", chosen)
    end

    # Changes to a String, which do not make it longer without end.
    CHANGES = [
      "upcase!", "swapcase!", "reverse!", "squeeze!", "clear", "chop!", "insert(0, \"ü\")", "sub!(\"a\", \"<\\\\0>\")",
      "tr!(\"a-y\", \"b-z\")", "setbyte(0, 65)", "delete!(\"e\")", "concat(\"x\", \"é\")"
    ].freeze

    # Changes a String that a variable or the own object holds, and that others may hold, too.
    def change_text(depth)
      texts = scope.variables.select { |v| v.plain? && v.types == [:str] }.map(&:name)
      own = scope.own_class && @writes && scope.mutates ? scope.own_class.all_written : []
      own = own.select { |name| scope.own_class.all_ivars.fetch(name) == [:str] }
      texts = own.map { |name| written_text(name) } if own.any? && (texts.empty? || chance(0.7))
      text = pick(texts) or return
      return Node.statement(text, ".", pick(CHANGES), " if ", text, ".size.between?(1, 60)") if chance(0.4)

      change = pick([" << ", ".replace(", ".prepend("])
      other = e(expression([:str], depth), change.end_with?("(") ? ")" : "")
      Node.statement(text, change, other, " if ", text, ".size < 60")
    end

    # An Integer that comes of a String.
    def texted(depth)
      text = expression([:str], depth)
      case between(0, 5, text_case: 5)
      when 5 then text_case(text)
      when 0 then e(text, ".bytesize")
      when 3 then e(text, pick(known_symbols(NUMBERS)))
      when 4 then e("(", text, pick([".index(", ".rindex("]), expression([:str], depth), ") || 0)")
      when 1 then e("(", text, " <=> ", expression([:str], depth), ")")
      else e("(", text, ".getbyte(", expression([:int], depth), " % 5) || ", expression([:int], depth), ")")
      end
    end

    # Those that make no Symbols, where these have to be there before.
    def known_symbols(texts) = syncs? && chance(0.99) ? texts.grep_v(/to_sym/) : texts

    # Which of a few texts, or of many, or of so many that they are a table, is it?
    def text_case(text)
      texts = some(TEXTS + LONG, pick([1, 4, 20]))
      texts += Array.new(between(28, 60)) { |i| "#{pick(TEXTS)}#{i % 40}" } if chance(0.2)
      clauses = texts.each_slice(between(1, 2)).map do |these|
        e("when ", these.map(&:inspect).join(", "), " then ", expression([:int], 0), " ")
      end
      changed = pick(["", "", " * 2", " + \"i\"", "[0, 8]"])
      e("(case ", text, changed, " ", Node.list(clauses, ""), "else ", expression([:int], 0), " end)")
    end

    # Is a character the same as another, or a text?
    def character_test(text, depth)
      other = expression([:str], depth)
      other = e(other, "[", expression([:int], 0), " % 4]") if chance(0.4)
      other = e(pick(['"a"', '"-"', '"é"', "nil"])) if chance(0.3)
      e("(", text, "[", expression([:int], 0), " % 5]", pick([" == ", " != "]), other, ")")
    end

    def text_test(depth)
      text = expression([:str], depth)
      case between(0, 5, character_test: 4)
      when 4 then character_test(text, depth)
      when 3 then e(text, pick(%w[.include?( .end_with?(]), expression([:str], depth), ")")
      when 0 then e("(", text, pick([" == ", " != ", " < ", " >= "]), expression([:str], depth), ")")
      when 5 then e("(", text, pick([" == ", " != "]), pick(TEXTS + LONG).inspect, ")")
      when 1 then e(text, pick(%w[.empty? .ascii_only?]))
      else e(text, ".start_with?(", expression([:str], depth), ")")
      end
    end
  end
end

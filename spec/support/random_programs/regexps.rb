# frozen_string_literal: true

module RandomPrograms
  # Matches of regular expressions and what they leave in `$~`.
  module Regexps
    # Those with a first group, which holds text where all matches.
    GROUPED = ["/([a-c]+)/", "/(b)(c)?/", "/(\\w)(\\d)/", "/(\\d+)/", "/([^a-e])/", "/\\A(.*?)(?:f|t)/", "/(é|ü|日)./",
               "/(a|ab)(c|bcd)?/", "/(l.*t)/m", "/(A+)/i", "/((e)|f)+/", "/( ?)\#{Regexp.escape(\"k\")}/",
               "/(-?\\d+) (km)?/x", "/(.)\\z/", "/(\\w)(?!\\1)/", "/(?<=[a-c])(\\S)/", "/((?>a+))(?=b|c|\\z)/"].freeze
    PLAIN = ["/[a-c]+/", "/e|é/", "/\\A-?\\d+/", "/b*/", "/^/", "/$/", "/[^\\d\\s]/", "/\#{\"a\"}.?b/",
             "Regexp.new(\"(?:ab)?\")", "/\\s+/", "/[[:alpha:]]{2}/",
             "Regexp.union(\"x\", /y/, \"z\")", "/l(?<rest>.*)t/", "/(?<!a)[a-c]++/", "/ss|k/i",
             "Regexp.new(\"(?=b).\")", "/(?<c>\\w)\\k<c>/"].freeze
    # Where %s is a pattern.
    REPLACED = [".sub(%s, \"<\\\\0>\")", ".gsub(%s, \"\\\\1-\")", ".gsub(%s, \"\")", ".sub(%s) { |found| found * 2 }",
                ".gsub(%s) { \"\#{$~.begin(0)}.\" }", ".gsub(%s) { |found| \"\#{found.size}\#{$`.size}\" }",
                ".gsub(%s, \"a\" => \"1\", \"b\" => \"22\")", "[%s] || \"-\"", ".scan(%s).flatten.join(\"|\")",
                ".split(%s).join(\"/\")", ".split(%s, 2).last || \"-\"", ".partition(%s).last", ".rpartition(%s).first",
                ".each_line.grep(%s).first || \"-\"", ".slice(%s).to_s", ".match(%s)&.pre_match || \"-\"",
                ".match(%s)&.to_a&.compact&.last || \"-\"", ".sub(%s, \"\\\\`|\\\\'\")",
                ".match(\"b.\")&.pre_match || \"-\"", ".dup.tap { |s| s[%s] = \"é\" if s =~ /[a-c]/ && s.match?(%s) }",
                # What was matched MRI may change with the text.
                ".dup.then { |s| [s.slice!(%s), s].join(\"/\").tap { \"\" =~ /a/ } }"].freeze
    COUNTED = [".scan(%s).size", ".index(%s) || -1", ".rindex(%s) || -1", ".split(%s).size", ".gsub(%s, \"ab\").size",
               ".match(%s)&.end(0) || -1", ".match(%s)&.captures&.size || -1", " =~ %s || -1"].freeze
    ASKED = [".match?(%s)", ".match?(\"a|e\")", ".then { |s| (s.match?(Regexp.new(s[0, 3])) rescue s == \"[\") }",
             ".then { |s| s =~ /(a|\#{s.size < 3 ? \"b\" : \"(\"}|é)/ rescue nil }",
             " =~ %s", " !~ %s", ".start_with?(%s)", ".match(%s)"].freeze
    LAST = ["$1", "$2", "$&", "$~ && $~[0]", "$~&.pre_match", "$'", "$+", "Regexp.last_match(1)",
            "$~ && $~.to_a.inspect", "$~ && $~.named_captures.to_a.inspect", "$~ && $~.offset(0).join(\"-\")"].freeze

    # Does this program match? Asked of the seed, so that the others stay as they are.
    def matches?(seed, share) = Random.new(seed ^ 0x5ca1ab1e).rand < share

    # One that the block captures.
    def captured_regexp
      name = fresh("r")
      @regexps << name
      Node.fixed("#{name} = ", pick(GROUPED))
    end

    def regexp(list = GROUPED + PLAIN) = pick(chance(0.25) && @regexps.any? ? @regexps : list)

    def regexp_text(depth)
      return unless @regexps

      # What was matched before, in this method.
      return e(last_group) if chance(favoured?(:last_group) ? 0.03 : 0.006)

      text = expression([:str], depth)
      return e("(", text, " =~ ", regexp, "; ", last_group, ")") if favoured?(:last_group) && chance(0.2)

      case between(0, 7, grouped_part: 2, substituted: 5)
      when 0 then e("(", regexp, " =~ ", text, " ? ", last_group, " : ", expression([:str], depth), ")")
      when 1
        e("(case ", text, " when ", regexp, " then ", last_group, " when ", regexp, " then ", last_group,
          " else ", expression([:str], depth), " end)")
      when 2 then grouped_part(text, depth)
      when 3
        name = fresh("n")
        name = "ñ#{name}" if chance(0.3)
        e("(/(?<#{name}>", pick(["[a-e]+", "\\d*", "..?", "e|f"]), ")/ =~ ", text, " ? #{name} : \"-\")")
      when 4
        e("(", text, ".gsub(", regexp(GROUPED), ") { \"\#{$1}<\#{", expression(%i[int sym], depth), "}>\" })")
      when 5 then substituted(text)
      else e("(", text, filled(REPLACED), ")")
      end
    end

    # A text instead of a pattern, and matches in a block, which are not the last one behind the call.
    def substituted(text)
      found = "\"#{pick(%w[a - 5 日 zz])}\""
      case between(0, 8)
      when 0 then e("(", text, ".", pick(%w[sub gsub]), "(#{found}) { \"\#{$&}<\#{$~.begin(0)}\" } + ", last_group, ")")
      when 1 then e("(", text, ".gsub(", regexp, ") { \"b5\" =~ /\\d/; \"y\" } + ", last_group, ")")
      when 2 then e("(", text, ".split(", regexp, pick(["", ", 2", ", -1"]), ").size.to_s + ", last_group, ")")
      when 3
        e("([", text, ", \"b5\"]", pick(["", ".lazy"]), ".", pick(%w[grep grep_v]), "(", regexp,
          pick([")", ") { |s| s }", ") { |s| $~ ? s : \"-\" }"]), ".to_a.size.to_s + ", last_group, ")")
      when 4
        e("([\"a\", ", text, ", \"b5\"].", pick(%w[slice_before slice_after]), "(", regexp, ").",
          pick(%w[to_a first(1) map(&:size)]), ".size.to_s + ", last_group, ")")
      when 5 then e("(", text, ".", pick(%w[sub gsub]), "(", regexp, ") { ", last_group, " } + ", last_group, ")")
      when 6 then scanned(text)
      when 7
        e("(case ", text, " when ", regexp, " then ", text, ".gsub(", regexp, ") { ", last_group,
          " } else \"-\" end + ", last_group, ")")
      else e("(", text, ".scan(#{found}).size.to_s + ", last_group, ")")
      end
    end

    # What each match leaves in the block, and the last one behind it.
    def scanned(text)
      all = fresh("a")
      e("([].then { |#{all}| ", text, ".scan(", regexp, ") { #{all} << ", last_group, " }; #{all}.join(\"|\") + ",
        last_group, " })")
    end

    def regexp_number(depth) = @regexps && e("(", expression([:str], depth), filled(COUNTED), ")")

    def regexp_test(depth)
      return unless @regexps
      return e("!!(", expression([:str], depth), filled(ASKED), ")") if chance(0.7)

      e("(", regexp, " === ", expression([:str], depth), ")")
    end

    private

    # The part that a group is, or the text without it or with another one.
    def grouped_part(text, depth)
      pattern = regexp(GROUPED)
      case between(0, 3)
      when 0
        e("(", text, ".dup.tap { |s| s[", pattern, ", 1] = ", expression([:str], depth), " if s[", pattern, ", 1] })")
      when 1 then e("(", text, ".dup.tap { |s| s.slice!(", pattern, ", 1); \"\" =~ /a/ })")
      else e("(", text, "[", pattern, ", 1] || \"-\")")
      end
    end

    def filled(list)
      pattern = nil
      pick(list).gsub("%s") { pattern ||= regexp }
    end

    # As a text.
    def last_group = "(#{pick(LAST)} || \"-\")"
  end
end

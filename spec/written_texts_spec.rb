# frozen_string_literal: true

# What is known of texts that are written out: Strings that are compared with them.
each_compiling_backend do
  describe "texts that Strings are compared with" do
    def words
      ["", "a", "b", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghijklmnop", "abcdefghijklmnopq", "ä", "äöüßäöüß",
       "y" * 31, "y" * 32, "y" * 33, "no", "nope", "\0", "a\0", "ä".b, "\xE4".b, "a".encode("US-ASCII")]
    end

    it "are equal where Ruby has them equal" do
      expect_same(words) { |w| [w == "", w == "a", w == "abcdefg", w == "abcdefgh", w == "abcdefghi", w == "\0"] }
      expect_same(words) { |w| [w == "abcdefghijklmnop", w == "abcdefghijklmnopq", w == "ä", w != "äöüßäöüß"] }
      expect_same(words) do |w|
        [w == "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy", w == "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
         w == "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"]
      end
      expect_same(words) { |w| ["#{w}a" == "aa", w + w == "abcdefgabcdefg", w * 2 != "abcdefghabcdefgh", w.b == "ä"] }
    end

    it "are never like values of other classes" do
      expect_same([*words, nil, true, 1, 1.5, :a]) { |x| [x == "a", x != "a", (x == "ä" ? 1 : 2)] }
      expect_same([*words, nil, :a, [1]]) { |x| x == "a" }
    end

    it "are clauses of a short case" do
      expect_same([*words, nil, 3]) do |w|
        case w
        when "a", "b" then 1
        when "ä" then w.size
        when "abcdefghi" then w
        when nil then :none
        else -1
        end
      end
    end

    # rubocop:disable Lint/DuplicateCaseCondition -- which of them counts is what this is about
    it "are clauses of a long case, the first of which counts" do
      expect_same([*words, nil, :a, 2.5]) do |w|
        case w
        when "" then 0
        when "a", "b", "a" then 1
        when "abcdefgh" then w.upcase
        when "abcdefghi", "abcdefghijklmnop" then 3.5
        when "abcdefghijklmnopq" then nil
        when "ä" then w.size
        when "äöüßäöüß" then [w]
        when "no" then :first
        when "no" then :second
        when "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy" then 9
        when "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy" then 10
        when nil then 11
        else -1
        end
      end
    end

    # rubocop:enable Lint/DuplicateCaseCondition

    it "are clauses of a case without else, whose value nobody uses and that assigns" do
      expect_same(words.map { |w| [w, w.size] }) do |w, n|
        text = "#{w}-"
        case text
        when "-", "a-", "b-", "abcdefg-", "abcdefgh-" then n += 10
        when "ä-", "no-", "nope-", "\0-", "a\0-"
          n = -n
          text << "!"
        end
        [n, text]
      end
    end

    it "are looked for in methods, by next and in loops" do
      expect_same(words) do |w|
        next :out if w == "no"

        [w, "b", "zz"].map do |text|
          case text
          when "k0" then next 0
          when "k1", "k2", "k3", "k4", "k5", "b" then 1
          when "k6", "k7", "nope" then break 7
          when "zz" then text == "zz" && w != "a"
          else text
          end
        end
      end
    end
  end
end

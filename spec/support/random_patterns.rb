# frozen_string_literal: true

require_relative "warnings"

# Regular expressions at random, of what sections can match, and texts that they may match.
class RandomPatterns
  LETTERS = (%w[a b c d s é ß 1 2 _ - = "] << " ").freeze
  TEXTS = [*LETTERS, "\n", "\r\n", "A", "B", "É", "aa", "ab", "S", "ﬁ"].freeze
  SETS = %w([^b] [^b] [^"] [^c=] [ab] [^a] [a-c1] [[:alpha:]] [a-d&&[^b]] \d \w \s \h \D \W \S .).freeze
  LOOKS = ["^", "$", "\\A", "\\z", "\\b", "\\B"].freeze
  REPEATS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{,2}", "{2,}"].freeze

  def initialize(seed)
    @random = Random.new(seed)
  end

  def text
    Array.new(@random.rand(12)) { pick(TEXTS) }.join
  end

  # One that Ruby knows, too. Where groups have names, others are none, and are not matched again by their numbers.
  def regexp
    loop do
      @named = @random.rand(3).zero?
      options = pick([0, 0, 0, Regexp::IGNORECASE, Regexp::MULTILINE])
      return Warnings.without { Regexp.new(alternatives(3), options) }
    rescue RegexpError
      next
    end
  end

  private

  def pick(list) = list[@random.rand(list.size)]

  def alternatives(depth)
    Array.new(pick([1, 1, 1, 2, 3])) { sequence(depth) }.join("|")
  end

  def sequence(depth)
    Array.new(1 + @random.rand(3)) { part(depth) }.join
  end

  def part(depth)
    case @random.rand(10)
    when 0 then pick(LOOKS)
    when 1, 2 then atom(depth) + pick(REPEATS)
    else atom(depth)
    end
  end

  # What no automaton can do: it is matched by backtracking, or Ruby is asked.
  def backtracking(depth)
    case @random.rand(6)
    when 0 then pick([again(1), again(2), "\\R", "\\R"])
    when 1 then pick(["\\X", "\\G", "\\K", "\\g<0>?"])
    when 2 then "#{@random.rand(2).zero? ? pick(LETTERS) : "(?:#{alternatives(depth)})"}#{pick(["*+", "++", "?+"])}"
    else "(#{pick(["?=", "?!", "?<=", "?<!", "?>"])}#{alternatives(depth)})"
    end
  end

  def again(number) = @named ? "\\k<#{name}>" : "\\#{number}"

  # Several groups may have one.
  def name = pick(%w[a b ñ])

  def atom(depth)
    case @random.rand(depth.positive? ? 10 : 6)
    when 0, 1, 2 then pick(LETTERS)
    when 3, 4, 5 then pick(SETS)
    when 6, 7 then "(#{"?<#{name}>" if @named}#{alternatives(depth - 1)})"
    when 8 then "(?:#{alternatives(depth - 1)})"
    else backtracking(depth - 1)
    end
  end
end

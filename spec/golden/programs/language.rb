# frozen_string_literal: true

# A small language: tokens, a tree by precedence, and its value.
class Scanner
  attr_reader :position

  def initialize(text)
    @tokens = text.scan(%r{\d+|[-+*/()]|\w+})
    @position = 0
  end

  def peek = @tokens[@position]

  def take
    @position += 1
    @tokens[@position - 1]
  end
end

class Reader
  def initialize(text) = @scanner = Scanner.new(text)

  def sum
    value = product
    while (sign = @scanner.peek) && ["+", "-"].include?(sign)
      @scanner.take
      sign == "+" ? value += product : value -= product
    end
    value
  end

  def product
    value = factor
    while ["*", "/"].include?(@scanner.peek)
      if @scanner.take == "*"
        value *= factor
      else
        value /= factor
      end
    end
    value
  end

  def factor
    token = @scanner.take
    case token
    when "(" then sum.tap { @scanner.take }
    when "-" then -factor
    when /\A\d+\z/ then token.to_i
    else raise ArgumentError, "unknown: #{token}"
    end
  end
end

["1 + 2 * 3", "(4 - 1) * (2 + 5)", "-(7 / 2)", "x + 1"].pmap do |text|
  Reader.new(text).sum
rescue ArgumentError => e
  e.message.size
end

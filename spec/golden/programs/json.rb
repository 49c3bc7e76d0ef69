# frozen_string_literal: true

# Values that hold values, written as text.
class Writer
  def initialize = @out = +""

  def write(value)
    case value
    when nil then @out << "null"
    when true, false, Integer, Float then @out << value.to_s
    when String then quote(value)
    when Array then list(value)
    end
    @out
  end

  def quote(text)
    @out << '"'
    text.each_char do |char|
      case char
      when '"', "\\" then @out << "\\" << char
      when "\n" then @out << "\\n"
      else @out << char
      end
    end
    @out << '"'
  end

  def list(items)
    @out << "["
    items.each_with_index do |item, i|
      @out << "," if i.positive?
      write(item)
    end
    @out << "]"
  end
end

values = Array.new(10) { |i| [i, i * 0.5, "say \"#{i}\"\n", nil, i.even?] }
values.pmap { |value| Writer.new.write(value) }

# Output. What is printed is kept until the section ends: see `output.rs`, which has the numbers of streams and ways.

module Kernel
  def puts(*values)
    __out_lines(0, values)
    nil
  end

  def print(*values)
    __out_texts(0, values)
    nil
  end

  def p(*values)
    values.each { |value| __out(0, value.inspect, 2) }
    return nil if values.size == 0

    values.size == 1 ? values[0] : values
  end

  def pp(*values)
    values.each do |value|
      __out_pretty(value)
      text = value.inspect
      __refuse_pretty if text.size > 79 || text.include?("\\n")
      __out(3, text, 2)
    end
    return nil if values.size == 0

    values.size == 1 ? values[0] : values
  end

  def putc(character)
    __c_int(character) if character.is_a?(Integer)
    __out_character(0, character)
    character
  end

  def warn(*messages, uplevel: nil, category: nil)
    __refuse_warning unless uplevel.__nil? && category.__nil?
    __out_lines(2, messages) if messages.size > 0
    nil
  end

  def display
    __out(0, self, 0)
    nil
  end

  def __out_lines(stream, values)
    __out_newline(stream) if values.size == 0
    values.each { |value| __out_line(stream, value) }
  end

  def __out_items(stream, items)
    items.each { |item| __out_line(stream, item) }
    nil
  end

  def __out_texts(stream, values)
    __refuse_last_line if values.size == 0
    values.each { |value| __out(stream, value, 0) }
  end

  def __out_pretty_items(items)
    items.each { |item| __out_pretty(item) }
    nil
  end

  def __out_pretty_pairs(pairs)
    pairs.each do |key, value|
      __out_pretty(key)
      __out_pretty(value)
    end
    nil
  end

  def __out_newline(stream)
    __out(stream, "", 2)
  end

  def __out_character(stream, character)
    __out(stream, __out_first(character), 0)
  end
end

module IO
  def puts(*values)
    __out_lines(__out_stream, values)
    nil
  end

  def print(*values)
    __out_texts(__out_stream, values)
    nil
  end

  def putc(character)
    __c_int(character) if character.is_a?(Integer)
    __out_character(__out_stream, character)
    character
  end

  def write(*values)
    sum = 0
    stream = __out_stream
    values.each do |value|
      text = "#{value}"
      __out(stream, text, 0)
      sum += text.bytesize
    end
    sum
  end

  def <<(value)
    __out(__out_stream, value, 0)
    self
  end

  def flush
    __out(__out_stream, "", 3)
    self
  end
end

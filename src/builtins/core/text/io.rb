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

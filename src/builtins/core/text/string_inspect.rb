# Strings as they are written.

module String
  # ---- as it is written

  def inspect
    __refuse_inspect unless __ruby?(:inspects_in_utf8)
    n = __bytesize
    out = "\"".__build(n + 2).__push(0x22)
    i = 0
    while i < n
      byte = __byte(i)
      width = __encoding == 0 ? __valid_width(i) : byte < 0x80 ? 1 : 0
      if width == 0
        out.__any_code(0x78, byte, 2)
        width = 1
      elsif width > 1
        code = __code(i, width)
        if __printable?(code)
          out.__append(self, i, width)
        else
          out.__any_code(0x75, code, code > 0xf_ffff ? 6 : code > 0xffff ? 5 : 4)
        end
      else
        letter = __escape(byte)
        if byte == 0x22 || byte == 0x5c || (byte == 0x23 && i + 1 < n && __interpolates?(__byte(i + 1)))
          out.__any_word(byte << 8 | 0x5c, 2)
        elsif letter > 0
          out.__any_word(letter << 8 | 0x5c, 2)
        elsif byte >= 0x20 && byte < 0x7f
          out.__push(byte)
        elsif __encoding > 0 || (byte == 0x7f && __ruby?(:delete_inspects_as_byte))
          out.__any_code(0x78, byte, 2)
        else
          out.__any_code(0x75, byte, 4)
        end
      end
      i += width
    end
    out.__push(0x22)
  end

  # As messages of errors show what a method was given: escaped if it is not all printable text in UTF-8.
  def __quoted
    __refuse_inspect unless __ruby?(:inspects_in_utf8)
    shown = __all_printable?
    n = __bytesize
    out = __build(n)
    i = 0
    while i < n
      byte = __byte(i)
      width = __encoding == 0 && byte > 0x7f ? __valid_width(i) : 1
      letter = __escape(byte)
      if shown || (width == 1 && byte >= 0x20 && byte < 0x7f)
        out.__append(self, i, width)
      elsif width > 1
        code = __code(i, width)
        out.__any_code(0x75, code, code > 0xf_ffff ? 6 : code > 0xffff ? 5 : 4)
      elsif letter > 0 || byte == 0
        out.__any_word((letter > 0 ? letter : 0x30) << 8 | 0x5c, 2)
      elsif byte == 0x7f
        out.__any_word(0x3f_635c, 3)
      elsif __encoding == 0 && byte < 0x80
        out.__any_code(0x75, byte, 4)
      else
        out.__any_code(0x78, byte, 2)
      end
      i += width == 0 ? 1 : width
    end
    out
  end

  def __all_printable?
    n = __bytesize
    i = 0
    while i < n
      byte = __byte(i)
      width = byte < 0x80 ? 1 : __encoding == 0 ? __valid_width(i) : 0
      return false if width == 0 || byte < 0x20 || byte == 0x7f || width > 1 && !__printable?(__code(i, width))

      i += width
    end
    true
  end

  # In ASCII alone, as a literal.
  def dump
    n = __bytesize
    out = __build(n + 2).__push(0x22)
    i = 0
    while i < n
      byte = __byte(i)
      width = __encoding == 0 && byte > 0x7f ? __valid_width(i) : 1
      letter = __escape(byte)
      if width > 1
        code = __code(i, width)
        out.__any_code(0x75, code, code > 0xf_ffff ? 6 : code > 0xffff ? 5 : 4)
      elsif byte == 0x22 || byte == 0x5c || (byte == 0x23 && i + 1 < n && __interpolates?(__byte(i + 1)))
        out.__push(0x5c).__push(byte)
      elsif letter > 0
        out.__push(0x5c).__push(letter)
      elsif byte >= 0x20 && byte < 0x7f
        out.__push(byte)
      else
        out.__any_code(0x78, byte, 2)
      end
      i += width == 0 ? 1 : width
    end
    out.__push(0x22)
  end

  # The letter that stands for it behind a backslash, or 0.
  def __escape(byte)
    case byte
    when 7 then 0x61
    when 8 then 0x62
    when 9 then 0x74
    when 10 then 0x6e
    when 11 then 0x76
    when 12 then 0x66
    when 13 then 0x72
    when 27 then 0x65
    else 0
    end
  end

  def __interpolates?(byte)
    byte == 0x24 || byte == 0x40 || byte == 0x7b
  end

  # Is a character beyond ASCII printed? A table has the places where those that are begin and end by turns.
  def __printable?(code)
    __character_table(:printable).__rows_up_to(code, 1) & 1 == 1
  end

  # Is it the name of a variable, a constant or a method?
  def __plain_name?
    size = __bytesize
    start = 0
    start += 1 while start < size && start < 2 && __byte(start) == 64
    if size > 0 && __byte(0) == 36
      return true if __special_variable?

      start = 1
    end
    last = size
    if start == 0 && size > 1
      byte = __byte(size - 1)
      last -= 1 if byte == 33 || byte == 61 || byte == 63
    end
    return false if start >= last

    i = start
    while i < last
      byte = __byte(i)
      letter = byte >= 128 || byte == 95 || byte >= 65 && byte <= 90 || byte >= 97 && byte <= 122
      return false unless letter || i > start && byte >= 48 && byte <= 57

      i += 1
    end
    true
  end

  # Is it `$1`, `$!`, `$-w` or the like?
  def __special_variable?
    size = __bytesize
    return false if size < 2

    first = __byte(1)
    if first == 45
      return false if size != 3

      byte = __byte(2)
      return byte == 95 || byte >= 48 && byte <= 57 || byte >= 65 && byte <= 90 || byte >= 97 && byte <= 122
    end
    if size == 2
      case first
      when 33, 34, 36, 38, 39, 42, 43, 44, 46, 47, 58, 59, 60, 61, 62, 63, 64, 92, 96, 126 then return true
      end
    end
    i = 1
    i += 1 while i < size && __byte(i) >= 48 && __byte(i) <= 57
    i == size
  end

  # Can it stand before a colon as the key of a Hash?
  def __simple_key?
    size = __bytesize
    return false if size == 0

    i = 0
    while i < size
      byte = __byte(i)
      letter = byte >= 128 || byte == 95 || byte >= 65 && byte <= 90 || byte >= 97 && byte <= 122
      digit = byte >= 48 && byte <= 57
      last = i == size - 1 && i > 0 && (byte == 33 || byte == 63)
      return false unless letter || digit && i > 0 || last

      i += 1
    end
    true
  end
end

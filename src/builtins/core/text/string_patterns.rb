# Strings and regular expressions.

module String
  # The Regexp that has this source. The groups are those of a literal: are any written?
  def __as_pattern(options, groups)
    address = __compile(options)
    if address < 0
      message = __refusal_of_pattern(-1 - address)
      raise RegexpError, message
    end
    # The section begins again with what Ruby says of it.
    __copy_string.__new_pattern(options) if address == 0
    __regexp(address, groups)
  end

  # What Ruby says of a source that is none.
  def __refusal_of_pattern(number)
    size = __ask_patterns(number, 13, 0)
    text = "".__build(size)
    i = 0
    while i < size
      text.__push(__ask_patterns(number, 15, i))
      i += 1
    end
    text.__force(__ask_patterns(number, 14, 0))
  end

  # What finds this text.
  def __as_text_pattern
    __escaped.__as_pattern(0, nil)
  end

  # With a backslash before all that means something in a pattern.
  def __escaped
    n = __bytesize
    out = __build(n + 8)
    i = 0
    while i < n
      byte = __byte(i)
      letter = __escape_of(byte)
      if letter != 0
        out.__push(92)
        out.__push(letter)
      else
        out.__push(byte)
      end
      i += 1
    end
    out.__as_name
  end

  # What stands behind the backslash: t n v f r for white space, or the byte itself; 0: there is none.
  def __escape_of(byte)
    case byte
    when 9 then 116
    when 10 then 110
    when 11 then 118
    when 12 then 102
    when 13 then 114
    when 32, 35, 36, 40, 41, 42, 43, 45, 46, 63, 91, 92, 93, 94, 123, 124, 125 then byte
    else 0
    end
  end

  # As it stays, whatever is done with this one.
  def __kept
    self
  end

  def =~(pattern)
    raise TypeError, "type mismatch: String given" if pattern.is_a?(String)

    pattern =~ self
  end

  def match?(pattern, from = 0)
    __pattern_of(pattern).match?(self, from)
  end

  def __match(pattern, from)
    __pattern_of(pattern).__match(self, from)
  end

  # A String is the source of one.
  def __pattern_of(pattern)
    return pattern if pattern.is_a?(Regexp)

    __no_pattern(pattern) unless pattern.is_a?(String)
    pattern.__as_pattern(0, nil)
  end

  def __match_block(pattern, from)
    found = __match(pattern, from)
    found.__nil? ? nil : yield(found)
  end

  # `text[/pattern/, group]`
  def __matched_part(pattern, group)
    return nil if pattern.__search(self, 0, 2) < 0

    number = pattern.__group_number(group)
    number < 0 ? nil : pattern.__part(self, number)
  end

  def __index_match(pattern, from)
    return nil if from < 0

    at = pattern.__search(self, from, 1)
    at < 0 ? nil : __characters(0, at)
  end

  def __partition_match(pattern)
    from = pattern.__search(self, 0, 1)
    return [__copy_string, __build(0), __build(0)] if from < 0

    to = pattern.__group(1)
    [__piece(0, from), __piece(from, to - from), __piece(to, __bytesize - to)]
  end

  def __rpartition_match(pattern)
    from = pattern.__look(self, __bytesize, 3, 1)
    return [__build(0), __build(0), __copy_string] if from < 0

    to = pattern.__group(1)
    [__piece(0, from), __piece(from, to - from), __piece(to, __bytesize - to)]
  end

  # ---- split

  def __split_matches(pattern, limit)
    prepared = pattern.__prepared(self)
    n = __bytesize
    tells = __keeps_match? && pattern.__splits_by_matches?
    if n == 0
      __set_match(nil) if tells
      return
    end

    first = 0
    from = 0
    pieces = 1
    empty = false
    groups = pattern.__count
    while from <= n
      at = __ask_next(pattern, from, prepared)
      __set_match(at < 0 ? nil : pattern.__found(self)) if tells
      break if at < 0

      to = pattern.__group(1)
      if from == at && at == to
        if empty
          yield __piece(first, __width_at(first))
          first = from
        else
          from += from == n ? 1 : __width_at(from)
          empty = true
          next
        end
      else
        yield __piece(first, at - first)
        first = to
        from = to
      end
      empty = false
      i = 1
      while i < groups
        yield pattern.__part(self, i) if pattern.__group(2 * i) >= 0
        i += 1
      end
      pieces += 1
      break if limit > 0 && limit <= pieces
    end
    __set_match(nil) if tells && from > n
    yield __piece(first, n - first) if limit != 0 || n > first
  end

  def __ask_next(pattern, from, prepared)
    pattern.__ask(self, from, 1, prepared, 2)
  end

  # ---- scan

  # Each match of a pattern or String, from where to where.
  def __each_place(pattern)
    text = __still
    if pattern.is_a?(Regexp)
      prepared = pattern.__prepared(text)
      __set_match(nil)
      n = text.__bytesize
      from = 0
      while from <= n
        at = pattern.__next(text, from, prepared, 2)
        break if at < 0

        to = pattern.__group(1)
        found = __kept_match
        yield text, at, to
        __set_match(found)
        raise "string modified" if __bytesize != n

        from = to > at ? to : to + (to < n ? text.__width_at(to) : 1)
      end
    else
      __no_pattern(pattern) unless pattern.is_a?(String)
      __check_whole(text)
      pattern = __whole_pattern(pattern)
      count = pattern.__bytesize
      from = 0
      while from <= text.__bytesize
        at = text.__find(pattern, from)
        break if at < 0

        yield text, at, at + count
        raise "string modified" if __bytesize != text.__bytesize

        from = at + count
        from += from < text.__bytesize ? text.__width_at(from) : 1 if count == 0
      end
    end
    self
  end

  def __scan_texts(pattern)
    __each_place(pattern) { |text, from, to| yield text.__piece(from, to - from) }
  end

  def __scan_groups(pattern)
    __each_place(pattern) { |text, _from, _to| yield pattern.__groups_in(text) }
  end

  def __scanned_texts(pattern)
    out = __list(8)
    __each_place(pattern) { |text, from, to| out.__push(text.__piece(from, to - from)) }
    out
  end

  def __scanned_groups(pattern)
    out = __list(8)
    __each_place(pattern) { |text, _from, _to| out.__push(pattern.__groups_in(text)) }
    out
  end

  # ---- sub and gsub

  def __sub_match(pattern, replacement)
    replacement = __string_argument(replacement)
    from = pattern.__search(self, 0, 2)
    return __copy_string if from < 0

    to = pattern.__group(1)
    value = __build(0).__force(replacement.__encoding)
    value.__append_expanded(self, from, to, replacement, pattern)
    __sub_part(from, to - from, value)
  end

  def __sub_match_plain(pattern, replacement)
    from = pattern.__search(self, 0, 2)
    from < 0 ? __copy_string : __sub_part(from, pattern.__group(1) - from, replacement)
  end

  def __sub_match_block(pattern)
    from = pattern.__search(self, 0, 1)
    return __copy_string if from < 0

    to = pattern.__group(1)
    text = __still
    text.__sub_part(from, to - from, yield(text.__piece(from, to - from)).to_s)
  end

  # What is between the matches, with what the block puts behind instead of them.
  def __each_match(pattern)
    text = __still
    prepared = pattern.__prepared(text)
    __set_match(nil)
    at = pattern.__next(text, 0, prepared, 2)
    return __copy_string if at < 0

    n = text.__bytesize
    out = __build(n)
    from = 0
    while at >= 0
      to = pattern.__group(1)
      out.__concat_part(text, from, at - from)
      found = __kept_match
      yield out, text, at, to
      __set_match(found)
      raise "string modified" if __bytesize != n

      from = to
      if to == at
        break if from >= n

        width = text.__width_at(from)
        out.__concat_part(text, from, width)
        from += width
      end
      at = pattern.__next(text, from, prepared, 2)
    end
    out.__concat_part(text, from, n - from)
  end

  def __gsub_match(pattern, replacement)
    replacement = __string_argument(replacement)
    __each_match(pattern) do |out, text, from, to|
      value = __build(0).__force(replacement.__encoding)
      out.__concat(value.__append_expanded(text, from, to, replacement, pattern))
    end
  end

  def __gsub_match_plain(pattern, replacement)
    __each_match(pattern) { |out, _text, _from, _to| out.__concat(replacement) }
  end

  def __gsub_match_block(pattern)
    __each_match(pattern) { |out, text, from, to| out.__concat(yield(text.__piece(from, to - from)).to_s) }
  end
end

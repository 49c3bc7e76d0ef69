# Regular expressions, over `__ask(string, place, request, prepared, wanted)` (see `Request` in `regexp/mod.rs`). What is
# wanted is 0 nothing, 1 the whole match, 2 its groups; `__group(n)` tells where the last match of the thread has the start
# (2 * i) or the end (2 * i + 1) of group i.

module Regexp
  # How a String is to be matched, or what Ruby raises of one that cannot be.
  def __prepared(string)
    prepared = __ask(string, string.__encoding, 0, 0, 0)
    __cannot(string, prepared) if prepared > 1 && prepared < 5
    prepared
  end

  def __cannot(string, prepared)
    name = string.__encoding == 1 ? "US-ASCII" : "UTF-8"
    raise ArgumentError, "invalid byte sequence in #{name}" if prepared == 2

    if prepared == 3
      binary = __ruby?(:binary_has_two_names) ? "BINARY (ASCII-8BIT)" : "ASCII-8BIT"
      raise Encoding::CompatibilityError, "incompatible encoding regexp match (UTF-8 regexp with #{binary} string)"
    end
    __refuse_characters
  end

  # Where a match begins, from a byte on, or -1. It is the last match then, also where there is none.
  def __search(string, from, wanted)
    __look(string, from, 1, wanted)
  end

  # The same of another request: 2 for a match at the byte itself, 3 for the last one that begins there or before.
  def __look(string, from, request, wanted)
    wanted = 2 if __keeps_match?
    at = __ask(string, from, request, __prepared(string), wanted)
    __refuse_search if at == -2
    __set_match(at < 0 ? nil : __found(string)) if __keeps_match?
    at
  end

  # The next match of several in a prepared String. Where there is none, the last one stays.
  def __next(string, from, prepared, wanted)
    wanted = 2 if __keeps_match?
    at = __ask(string, from, 1, prepared, wanted)
    __refuse_search if at == -2
    __set_match(__found(string)) if __keeps_match? && at >= 0
    at
  end

  # One that is empty or a space Ruby takes as a String where it splits.
  def __splits_by_matches?
    text = source
    text.__bytesize > 1 || (text.__bytesize == 1 && text.__byte(0) != 0x20)
  end

  # 0 is its source, 1 what it is within another pattern, 2 the literal.
  def __telling(number)
    size = __ask("", number, 10, 0, 0)
    __refuse_characters if size < 0
    out = "".__build(size)
    i = 0
    while i < size
      out.__push(__ask("", number, 11, i, 0))
      i += 1
    end
    fixed_encoding? ? out : out.__as_name
  end

  def source
    __telling(0)
  end

  def to_s
    __telling(1)
  end

  def inspect
    __telling(2)
  end

  def options
    __ask("", 0, 9, 0, 0)
  end

  def casefold?
    options & 1 != 0
  end

  def fixed_encoding?
    options & 16 != 0
  end

  def __copy
    "".__regexp(__address, nil)
  end

  # Has it groups, as the code says that made it?
  def __check_groups(groups)
    __refuse_groups if (__count > 1) != groups
  end

  def ==(other)
    other.is_a?(Regexp) && __address == other.__address
  end

  def eql?(other)
    self == other
  end

  # With the whole match.
  def __count
    __ask("", 0, 4, 0, 0)
  end

  # What the last match of the thread was, in a String.
  def __found(string)
    count = 2 * __count
    places = __list(count)
    i = 0
    while i < count
      places.__push(__group(i))
      i += 1
    end
    __match_data(self, string.__kept, places)
  end

  # What a group of the last match was, or nil.
  def __part(string, number)
    from = __group(2 * number)
    from < 0 ? nil : string.__piece(from, __group(2 * number + 1) - from)
  end

  # The number of a named group. A name beyond ASCII has to have the encoding that names have.
  def __number_of(name)
    number = __ask(name, 0, 5, 0, 0)
    __no_such_group(name) if number < 0 || (name.__encoding > 0 && !name.ascii_only?)
    number
  end

  # That of a name which MRI takes for a text of C.
  def __number_of_text(name)
    raise ArgumentError, "string contains null byte" if name.__null?

    number = __ask(name, 0, 5, 0, 0)
    __no_such_group(name) if number < 0
    number
  end

  def __no_such_group(name)
    raise IndexError, "undefined group name reference: #{name.__quoted}"
  end

  # What stands for a group of a match.
  def __group_asked_for(group)
    return __number_of(group) if group.is_a?(String)

    group.is_a?(Symbol) ? __number_of(group.name) : __group_from_end(group)
  end

  # The same in `text[pattern, group]` and for a place.
  def __group_number(group)
    return __number_of_text(group) if group.is_a?(String)

    group.is_a?(Symbol) ? __number_of_text(group.name) : __group_from_end(group)
  end

  def __group_from_end(group)
    group = __c_int(group)
    return group if group >= 0

    group += __count
    group > 0 ? group : -1
  end

  def names
    __names(fixed_encoding?)
  end

  # In UTF-8, or in US-ASCII.
  def __names(wide)
    out = __list(4)
    count = __ask("", 0, 6, 0, 0)
    i = 0
    while i < count
      name = "".__build(8)
      n = __ask("", i, 7, 0, 0)
      j = 0
      while j < n
        name.__push(__ask("", i, 8, j, 0))
        j += 1
      end
      out.__push(wide ? name : name.__as_name)
      i += 1
    end
    out
  end

  def __subject(string)
    string.is_a?(Symbol) ? string.name : "".__string_argument(string)
  end

  def match?(string, from = 0)
    from = __to_long(from)
    return false if string.__nil?

    string = __subject(string)
    from += string.size if from < 0
    return false if from < 0

    place = string.__offset(from)
    place >= 0 && __ask(string, place, 1, __prepared(string), 0) >= 0
  end

  def __match(string, from)
    from = __to_long(from)
    if string.__nil?
      __set_match(nil)
      return nil
    end
    string = __subject(string)
    from += string.size if from < 0
    place = from < 0 ? -1 : string.__offset(from)
    found = place >= 0 && __ask(string, place, 1, __prepared(string), 2) >= 0 ? __found(string) : nil
    __set_match(found)
    found
  end

  def __match_block(string, from)
    found = __match(string, from)
    found.__nil? ? nil : yield(found)
  end

  def =~(string)
    if string.__nil?
      __set_match(nil)
      return nil
    end
    string = __subject(string)
    at = __search(string, 0, 1)
    at < 0 ? nil : string.__characters(0, at)
  end

  def ===(string)
    return __search(string, 0, 0) >= 0 if string.is_a?(String)
    return __search(string.name, 0, 0) >= 0 if string.is_a?(Symbol)

    "".__text_or_nil(string)
    __set_match(nil)
    false
  end

  # ---- groups in texts

  # The groups of the last match, as scan gives them.
  def __groups_in(text)
    count = __count
    out = __list(count)
    i = 1
    while i < count
      out.__push(__part(text, i))
      i += 1
    end
    out
  end

  # What `\1` stands for in a replacement: nothing where groups have names.
  def __append_numbered(out, text, number)
    __append_group(out, text, number) if __ask("", 0, 6, 0, 0) == 0
  end

  # Puts a group behind a String.
  def __append_group(out, text, number)
    from = __group(2 * number)
    out.__concat_part(text, from, __group(2 * number + 1) - from) if from >= 0
  end
end

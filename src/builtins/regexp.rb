# Regular expressions, over `__ask(string, place, request, prepared, wanted)` (see `Request` in `regexp/mod.rs`). What is
# wanted is 0 nothing, 1 the whole match, 2 its groups; `__group(n)` tells where the last match of the thread has the start
# (2 * i) or the end (2 * i + 1) of group i.

module Regexp
  # How a String is to be matched, or what Ruby raises of one that cannot be.
  def __prepared(string)
    prepared = __ask(string, string.__encoding, 0, 0, 0)
    __cannot(string, prepared) if prepared > 1
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
    __refuse_backwards if at == -2
    __set_match(at < 0 ? nil : __found(string)) if __keeps_match?
    at
  end

  # The next match of several in a prepared String. Where there is none, the last one stays.
  def __next(string, from, prepared, wanted)
    wanted = 2 if __keeps_match?
    at = __ask(string, from, 1, prepared, wanted)
    __set_match(__found(string)) if __keeps_match? && at >= 0
    at
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

  # The number of a named group.
  def __number_of(name)
    number = __ask(name, 0, 5, 0, 0)
    raise IndexError, "undefined group name reference: #{name}" if number < 0

    number
  end

  # That of what stands for a group.
  def __group_number(group)
    return __number_of(group) if group.is_a?(String)
    return __number_of(group.name) if group.is_a?(Symbol)

    group = __c_int(group)
    return group if group >= 0

    group += __count
    group > 0 ? group : -1
  end

  def names
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
      out.__push(name.__as_name)
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
end

# Methods of the class.
module RegexpClass
  def __new(pattern, options = nil, encoding = nil)
    __refuse_options unless encoding.__nil?
    return pattern.__copy if pattern.is_a?(Regexp)

    "".__string_argument(pattern).__as_pattern(__options(options), nil)
  end

  def __options(options)
    return 0 unless options

    if options.is_a?(Integer)
      __refuse_options if options & 7 != options
      options
    else
      __refuse_options unless options == true
      1
    end
  end

  def compile(pattern, options = nil)
    __new(pattern, options)
  end

  def escape(text)
    __source(text).__escaped
  end

  def quote(text)
    escape(text)
  end

  def __source(text)
    text.is_a?(Symbol) ? text.name : "".__string_argument(text)
  end

  def union(*patterns)
    if patterns.size == 1
      only = patterns.__item(0)
      return only.is_a?(Array) ? __union(only) : __alone(only)
    end
    __union(patterns)
  end

  def __alone(pattern)
    pattern.is_a?(Regexp) ? "".__regexp(pattern.__address, false) : __source(pattern).__escaped.__as_pattern(0, nil)
  end

  def __union(patterns)
    return "(?!)".__as_pattern(0, nil) if patterns.size == 0
    return __alone(patterns.__item(0)) if patterns.size == 1

    source = "".__build(16)
    patterns.each_with_index do |pattern, i|
      source.__concat("|") if i > 0
      source.__concat(pattern.is_a?(Regexp) ? pattern.to_s : "".__string_argument(pattern).__escaped)
    end
    source.__as_pattern(0, nil)
  end
end

module MatchData
  def size
    @__places.size / 2
  end

  def __last
    self
  end

  def __nth(number)
    return nil if number < 0 || number >= size

    from = @__places.__item(2 * number)
    from < 0 ? nil : @__text.__piece(from, @__places.__item(2 * number + 1) - from)
  end

  # 0 is all, -1 what is before it, -2 what is behind it, -3 the last group that matched.
  def __back_reference(part)
    if part == 0
      __nth(0)
    elsif part == -1
      __before
    else
      part == -2 ? __behind : __last_group
    end
  end

  def __named(name)
    __nth(@__regexp.__number_of(name))
  end

  def __before
    @__text.__piece(0, @__places.__item(0))
  end

  def __behind
    from = @__places.__item(1)
    @__text.__piece(from, @__text.__bytesize - from)
  end

  def __last_group
    number = size - 1
    number -= 1 while number > 0 && @__places.__item(2 * number) < 0
    number == 0 ? nil : __nth(number)
  end

  def [](group, count = :__none)
    if !count.equal?(:__none)
      to_a[group, count]
    elsif group.is_a?(Range)
      to_a[group]
    else
      __nth(@__regexp.__group_number(group))
    end
  end

  def to_a
    out = __list(size)
    i = 0
    while i < size
      out.__push(__nth(i))
      i += 1
    end
    out
  end

  def captures
    out = __list(size)
    i = 1
    while i < size
      out.__push(__nth(i))
      i += 1
    end
    out
  end

  def deconstruct
    captures
  end

  def values_at(*groups)
    groups.flat_map do |group|
      found = self[group]
      __refuse_part if group.is_a?(Range) && found.__nil?

      found
    end
  end

  def names
    @__regexp.names
  end

  def named_captures
    found = {}
    names.each { |name| found[name] = __named(name) }
    found
  end

  def pre_match
    __before
  end

  def post_match
    __behind
  end

  def to_s
    __nth(0)
  end

  def string
    @__text.__frozen_copy
  end

  def regexp
    @__regexp
  end

  def __group_at(group)
    number = group.is_a?(String) || group.is_a?(Symbol) ? @__regexp.__group_number(group) : __c_int(group)
    raise IndexError, "index #{number} out of matches" if number < 0 || number >= size

    number
  end

  # A place in characters.
  def __character(place)
    place < 0 ? nil : @__text.__characters(0, place)
  end

  def begin(group)
    __character(@__places.__item(2 * __group_at(group)))
  end

  def end(group)
    __character(@__places.__item(2 * __group_at(group) + 1))
  end

  def offset(group)
    number = __group_at(group)
    [__character(@__places.__item(2 * number)), __character(@__places.__item(2 * number + 1))]
  end

  def byteoffset(group)
    number = __group_at(group)
    from = @__places.__item(2 * number)
    from < 0 ? [nil, nil] : [from, @__places.__item(2 * number + 1)]
  end

  def __places
    @__places
  end

  def ==(other)
    return false unless other.is_a?(MatchData)

    other.string == @__text && other.regexp == @__regexp && other.__places == @__places
  end

  def eql?(other)
    self == other
  end
end

module NilClass
  # Nothing was matched.
  def __last
    nil
  end

  def =~(_other)
    nil
  end
end

module FalseClass
  # It is not known what was.
  def __last
    __refuse_earlier_match
  end
end

module Symbol
  def =~(pattern)
    name =~ pattern
  end

  def match?(pattern, from = 0)
    name.match?(pattern, from)
  end

  def __match(pattern, from)
    name.__match(pattern, from)
  end

  def __match_block(pattern, from)
    name.__match_block(pattern, from) { |found| yield found }
  end
end

module Kernel
  def !~(other)
    !(self =~ other)
  end
end

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
    return if n == 0

    first = 0
    from = 0
    pieces = 1
    empty = false
    groups = pattern.__count
    while from <= n
      at = __ask_next(pattern, from, prepared)
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
        yield text, at, to
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
      yield out, text, at, to
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

module Regexp
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

module ChangedString
  def __kept
    frozen? ? self : __copy_string
  end

  # `text[/pattern/, group] = value`
  def __set_match_part(pattern, group, value)
    raise IndexError, "regexp not matched" if pattern.__search(self, 0, 2) < 0

    number = pattern.__group_number(group)
    raise IndexError, "index #{__c_int(group)} out of regexp" if number < 0 || number >= pattern.__count

    from = pattern.__group(2 * number)
    raise IndexError, "regexp group #{number} not matched" if from < 0

    to = pattern.__group(2 * number + 1)
    value = __string_argument(value)
    __common_encoding(value)
    __check_frozen
    __replace_part(from, to, value)
  end

  # `text.slice!(/pattern/, group)`
  def __cut_match(pattern, group)
    return nil if pattern.__search(self, 0, 2) < 0

    number = pattern.__group_number(group)
    return nil if number < 0 || number >= pattern.__count

    from = pattern.__group(2 * number)
    return __build(0) if from < 0

    to = pattern.__group(2 * number + 1)
    part = __piece(from, to - from)
    __remove(from, to)
    part
  end
end

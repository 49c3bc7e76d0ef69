# Strings taken apart, translated and written anew.

module String
  # ---- case

  # Does only ASCII change its case?
  def __ascii_case?(option)
    __refuse_option unless option.equal?(:ascii) || option.equal?(:full)
    option.equal?(:ascii) || __single?
  end

  # These go through characters, also where only ASCII changes.
  def __check_input(option)
    raise ArgumentError, "input string invalid" if option.equal?(:ascii) && !valid_encoding?
  end

  # `capital`: the first character goes up only, all others down only.
  def __recase(up, down, capital)
    n = __bytesize
    if __intrinsics?
      out = __build(n)
      out.__put_recased(self, up ? 1 : 0, down ? 1 : 0, capital ? 1 : 0)
      return out
    end
    out = __copy_string
    i = 0
    while i < n
      byte = __byte(i)
      if byte >= 0x61 && byte <= 0x7a
        out.__set_byte(i, byte - 32) if up || (capital && i == 0)
      elsif byte >= 0x41 && byte <= 0x5a
        out.__set_byte(i, byte + 32) if down && !(capital && i == 0)
      end
      i += 1
    end
    out
  end

  # The first character as one table of `lib/ikra/characters.rb` has it, the others as another one.
  def __map_case(table, others)
    n = __bytesize
    out = __build(n)
    i = 0
    while i < n
      width = __valid_width(i)
      raise ArgumentError, "input string invalid" if width == 0

      # Of several characters the first one is lowest.
      codes = table.__mapped(__code(i, width))
      while codes > 0x1f_ffff
        out.__push_code(codes & 0x1f_ffff)
        codes >>= 21
      end
      out.__push_code(codes)
      i += width
      table = others
    end
    out
  end

  # What a character becomes by a table of ranges: their ends, what is added to the first and to all an even number behind
  # it, and what is added to the others.
  def __mapped(code)
    row = __rows_up_to(code, 4) * 4 - 4
    return code if row < 0 || code > __word(row + 1)

    code + __word(row + 2 + ((code - __word(row)) & 1))
  end

  # How many rows of a table, which have so many words each, begin with this number or a lower one.
  def __rows_up_to(number, words)
    low = 0
    high = (__bytesize >> 3) / words
    while low < high
      middle = (low + high) >> 1
      if __word(middle * words) > number
        high = middle
      else
        low = middle + 1
      end
    end
    low
  end

  def upcase(option = :full)
    return __recase(true, false, false) if __ascii_case?(option)

    __map_case(__character_table(:upcase), __character_table(:upcase))
  end

  def downcase(option = :full)
    return __fold if option.equal?(:fold)
    return __recase(false, true, false) if __ascii_case?(option)

    __map_case(__character_table(:downcase), __character_table(:downcase))
  end

  def __fold
    return __recase(false, true, false) if __single?

    __map_case(__character_table(:fold), __character_table(:fold))
  end

  def swapcase(option = :full)
    __check_input(option)
    return __recase(true, true, false) if __ascii_case?(option)

    __map_case(__character_table(:swapcase), __character_table(:swapcase))
  end

  def capitalize(option = :full)
    __check_input(option)
    return __recase(false, true, true) if __ascii_case?(option)

    __map_case(__character_table(:capitalize), __character_table(:downcase))
  end

  # ---- Symbols

  def to_sym
    unless valid_encoding?
      __refuse_encoding if __encoding != 0
      raise EncodingError, "invalid symbol in encoding UTF-8 :#{inspect}"
    end
    count = __symbols_at(0)
    slot = __hash & (count - 1)
    while true
      number = __symbols_at(slot + 1)
      # The section begins again with that Symbol.
      __copy_string.__new_symbol if number == 0
      symbol = __symbol(number - 1)
      return symbol if symbol.__name == self

      slot = (slot + 1) & (count - 1)
    end
  end

  def intern
    to_sym
  end

  # ---- sets of characters, as `tr`, `delete`, `squeeze` and `count` write them

  # Puts what a set says behind a list: whether all others are meant, how many ranges follow, their ends.
  def __add_set(sets, encoding)
    n = __bytesize
    i = 0
    negated = n > 1 && __byte(0) == 0x5e
    i = 1 if negated
    sets.__push(negated ? 1 : 0)
    sets.__push(0)
    head = sets.size - 1
    while i < n
      i += 1 if __byte(i) == 0x5c && i + 1 < n
      width = __sure_width(i, encoding)
      low = __code(i, width)
      i += width
      high = low
      if i + 1 < n && __byte(i) == 0x2d
        i += 1
        width = __sure_width(i, encoding)
        high = __code(i, width)
        i += width
        __bad_range(low, high) if low > high
        if low == high && __ruby?(:ranges_of_one_count_twice)
          sets.__push(low).__push(high)
          sets.__set(head, sets.__item(head) + 1)
        end
      end
      sets.__push(low)
      sets.__push(high)
      sets.__set(head, sets.__item(head) + 1)
    end
  end

  def __bad_range(low, high)
    raise ArgumentError, "invalid range in string transliteration" if low >= 0x80 || high >= 0x80

    __refuse_range
  end

  # Is a character in all the sets?
  def __in_sets?(sets, code)
    i = 0
    n = sets.size
    while i < n
      negated = sets.__item(i) == 1
      last = i + 2 + sets.__item(i + 1) * 2
      i += 2
      found = false
      while i < last
        found = true if code >= sets.__item(i) && code <= sets.__item(i + 1)
        i += 2
      end
      return false if found == negated
    end
    true
  end

  # Whether each of the first characters is in all the sets (1 or 0), so that a long text does not go through the sets for
  # each of its characters. Nothing where there are fewer characters than that.
  def __set_table(sets, size, encoding)
    count = __table_size(size, encoding)
    table = __list(count)
    code = 0
    while code < count
      table.__push(__in_sets?(sets, code) ? 1 : 0)
      code += 1
    end
    table
  end

  # Characters that are one byte.
  def __table_size(size, encoding)
    count = encoding == 2 ? 256 : 128
    size < count ? 0 : count
  end

  # MRI does not always find what is in all of several sets where there are characters beyond 255 in them.
  def __check_sets(sets)
    i = 0
    while i < sets.size
      last = i + 2 + sets.__item(i + 1) * 2
      i += 2
      while i < last
        __refuse_mixture if sets.__item(i + 1) > 255
        i += 2
      end
    end
  end

  def count(first, *others)
    first = __string_argument(first)
    if others.size == 0 && __intrinsics?
      encoding = __common_encoding(first)
      return __set_done(__count_set(first, encoding), encoding)
    end
    if others.size == 0 && first.__bytesize == 1 && first.__ascii?
      __common_encoding(first)
      return __count_byte(first.__byte(0)) if valid_encoding?
    end
    sets = __list(8)
    encoding = __common_encoding(first)
    first.__add_set(sets, encoding)
    others.each do |other|
      other = __string_argument(other)
      encoding = __common_encoding(other)
      other.__add_set(sets, encoding)
    end
    __check_sets(sets) if others.size > 0
    n = __bytesize
    table = __set_table(sets, n, encoding)
    known = table.size
    found = 0
    i = 0
    while i < n
      byte = __byte(i)
      if byte < known
        found += table.__item(byte)
        i += 1
      else
        width = __sure_width(i, encoding)
        found += 1 if __in_sets?(sets, __code(i, width))
        i += width
      end
    end
    found
  end

  # What a function in Rust gives of sets, where nothing is wrong with them.
  def __set_done(given, encoding)
    return given if given >= 0

    __broken_in(encoding) if given == -2
    __refuse_range if given == -3
    raise ArgumentError, "invalid range in string transliteration" if given == -4

    __refuse_mixture
  end

  def __count_byte(byte)
    found = 0
    i = 0
    while i < __bytesize
      found += 1 if __byte(i) == byte
      i += 1
    end
    found
  end

  def delete(first, *others)
    return __copy_string if __bytesize == 0

    first = __string_argument(first)
    if others.size == 0 && __intrinsics?
      encoding = __common_encoding(first)
      out = __build(__bytesize)
      __set_done(out.__put_without(self, first, encoding), encoding)
      return out
    end
    sets = __list(8)
    encoding = __common_encoding(first)
    first.__add_set(sets, encoding)
    others.each do |other|
      other = __string_argument(other)
      encoding = __common_encoding(other)
      other.__add_set(sets, encoding)
    end
    __check_sets(sets) if others.size > 0
    n = __bytesize
    table = __set_table(sets, n, encoding)
    known = table.size
    out = __build(n)
    from = 0
    i = 0
    while i < n
      byte = __byte(i)
      width = byte < known ? 1 : __sure_width(i, encoding)
      if byte < known ? table.__item(byte) == 1 : __in_sets?(sets, __code(i, width))
        out.__append(self, from, i - from)
        from = i + width
      end
      i += width
    end
    out.__append(self, from, n - from)
  end

  def squeeze(*others)
    return __squeeze_all if others.size == 0 && __intrinsics?
    return __squeeze_one(__string_argument(others[0])) if others.size == 1 && __intrinsics?

    sets = __list(8)
    encoding = __encoding
    single = __single?
    others.each do |other|
      other = __string_argument(other)
      encoding = __common_encoding(other)
      single = false unless other.__single?
      other.__add_set(sets, encoding)
    end
    __check_sets(sets) if others.size > 1
    encoding = 2 if single
    n = __bytesize
    table = __set_table(sets, n, encoding)
    known = table.size
    out = __build(n)
    save = -1
    from = 0
    i = 0
    while i < n
      code = __byte(i)
      width = 1
      if code >= known
        width = __sure_width(i, encoding)
        code = __code(i, width)
      end
      if code == save && (code < known ? table.__item(code) == 1 : __in_sets?(sets, code))
        out.__append(self, from, i - from)
        from = i + width
      end
      save = code
      i += width
    end
    out.__append(self, from, n - from)
  end

  def __squeeze_all
    out = __build(__bytesize)
    encoding = __single? ? 2 : __encoding
    __set_done(out.__put_squeezed(self, self, encoding, encoding, 1), encoding)
    out
  end

  def __squeeze_one(set)
    encoding = __common_encoding(set)
    mine = __single? && set.__single? ? 2 : encoding
    out = __build(__bytesize)
    __set_done(out.__put_squeezed(self, set, encoding, mine, 0), encoding)
    out
  end

  def __set_size(sets)
    size = 0
    i = 2
    while i < sets.size
      size += sets.__item(i + 1) - sets.__item(i) + 1
      i += 2
    end
    size
  end

  # What of a set's ranges has this number, or the last one.
  def __nth_of(sets, index)
    i = 2
    n = sets.size
    last = 0
    while i < n
      low = sets.__item(i)
      last = sets.__item(i + 1)
      return low + index if index <= last - low

      index -= last - low + 1
      i += 2
    end
    last
  end

  # The number of a character in a set; of several places the last. -1 if there is none.
  def __place_in(sets, code)
    i = 2
    n = sets.size
    before = 0
    place = -1
    while i < n
      low = sets.__item(i)
      high = sets.__item(i + 1)
      place = before + code - low if code >= low && code <= high
      before += high - low + 1
      i += 2
    end
    place
  end

  def tr(from, to)
    out = __translate(__string_argument(from), __string_argument(to), false)
    out.__nil? ? __copy_string : out
  end

  def tr_s(from, to)
    out = __translate(__string_argument(from), __string_argument(to), true)
    out.__nil? ? __copy_string : out
  end

  # nil where no character is of the set.
  def __translate(from, to, squeeze)
    n = __bytesize
    return nil if n == 0

    if to.__bytesize == 0
      out = delete(from)
      return out.__bytesize == n ? nil : out
    end
    mine = __common_encoding(from)
    encoding = __common_encoding(to)
    encoding = from.__common_encoding(to) if mine != encoding
    # MRI compares with what is behind the characters.
    __refuse_mixture if squeeze && mine != encoding
    return __translate_at_once(from, to, encoding, mine, squeeze) if __intrinsics?

    sources = __list(8)
    from.__add_set(sources, encoding)
    negated = sources.__item(0) == 1
    # There MRI leaves out what is no ASCII.
    __refuse_mixture if squeeze && negated && !__single?
    targets = __list(8)
    to.__add_targets(targets, encoding, negated ? -1 : __set_size(sources))
    out = __build(n).__force(encoding)
    last = targets.__item(targets.size - 1)
    __refuse_mixture if negated && __single? && last > 127
    mine = 2 if __single? && !squeeze && encoding != 2
    table = __translation_table(sources, targets, n, mine)
    known = table.size
    changed = false
    save = -1
    from = 0
    i = 0
    while i < n
      code = __byte(i)
      width = 1
      if code < known
        code = table.__item(code)
      else
        width = __sure_width(i, mine)
        code = __translated(sources, targets, __code(i, width))
      end
      if code < 0
        save = -1
      else
        out.__append(self, from, i - from) if from < i
        from = i + width
        out.__push_code(code) unless squeeze && save == code
        save = code
        changed = true
      end
      i += width
    end
    changed ? out.__append(self, from, n - from) : nil
  end

  def __translate_at_once(from, to, encoding, mine, squeeze)
    negated = from.__bytesize > 1 && from.__byte(0) == 0x5e
    __refuse_mixture if squeeze && negated && !__single?
    out = __build(to.__ascii? ? __bytesize : __bytesize * 4).__force(encoding)
    done = out.__put_translated(self, from, to, encoding, mine, squeeze ? 1 : 0,
                               __ruby?(:ranges_of_one_count_twice) ? 1 : 0)
    __set_done(done, mine) == 1 ? out : nil
  end

  # What a character becomes; -1 where it stays.
  def __translated(sources, targets, code)
    place = __place_in(sources, code)
    negated = sources.__item(0) == 1
    return -1 if (place < 0) != negated

    negated ? targets.__item(targets.size - 1) : __nth_of(targets, place)
  end

  # That of each of the first characters, as `__set_table`.
  def __translation_table(sources, targets, size, encoding)
    count = __table_size(size, encoding)
    table = __list(count)
    code = 0
    while code < count
      table.__push(__translated(sources, targets, code))
      code += 1
    end
    table
  end

  # As a set, but that `^` is a character like others, and that no more are looked at than there have to be; -1: all.
  def __add_targets(sets, encoding, count)
    sets.__push(0)
    sets.__push(0)
    n = __bytesize
    twice = false
    i = 0
    while i < n && count != 0
      i += 1 if __byte(i) == 0x5c && i + 1 < n
      width = __sure_width(i, encoding)
      low = __code(i, width)
      i += width
      high = low
      if i + 1 < n && __byte(i) == 0x2d
        i += 1
        width = __sure_width(i, encoding)
        high = __code(i, width)
        i += width
        __bad_range(low, high) if low > high
        twice = low == high && __ruby?(:ranges_of_one_count_twice)
        if twice
          sets.__push(low).__push(high)
          count -= 1 if count > 0
        end
      else
        twice = false
      end
      count = count > high - low ? count - high + low - 1 : 0 if count > 0
      sets.__push(low)
      sets.__push(high)
    end
    # What goes on behind the last one.
    sets.__set(sets.size - 1, sets.__item(sets.size - 1) + 1) if twice
  end

  # ---- lines

  def each_line(separator = :__none, chomp: false)
    text = __still
    return self if text.__bytesize == 0 && !separator.__nil?

    if separator.equal?(:__none)
      text.__each_line("\n", chomp) { |line| yield line }
    elsif separator.__nil?
      yield self
    else
      separator = __string_argument(separator)
      __common_encoding(separator)
      __refuse_separator if separator.__bytesize == 0 || !separator.valid_encoding?
      text.__each_line(separator, chomp) { |line| yield line }
    end
    self
  end

  def __each_line(separator, chomp)
    n = __bytesize
    count = separator.__bytesize
    newline = count == 1 && separator.__byte(0) == 10
    from = 0
    while from < n
      place = __index_bytes(separator, from)
      last = place < 0 ? n : place + count
      to = last
      if chomp
        if newline
          if __byte(to - 1) == 10
            to -= 1
            to -= 1 if to > from && __byte(to - 1) == 13
          end
        elsif place >= 0
          to -= count
        elsif to - from >= count && __same_bytes?(separator, to - count, 0, count)
          to -= count
        end
      end
      yield __piece(from, to - from)
      from = last
    end
  end

  # What `each_line(separator, chomp: chomp)` is without a block.
  def __each_chomped(chomp, separator = :__none)
    each_line(separator, chomp: chomp) { |line| yield line }
  end

  def __lines_to_block(separator = :__none, chomp: false)
    each_line(separator, chomp: chomp) { |line| yield line }
  end

  def __lines(separator = :__none, chomp: false)
    out = __list(8)
    each_line(separator, chomp: chomp) { |line| out.__push(line) }
    out
  end

  # ---- split

  def __check_whole(other)
    other.__broken unless other.valid_encoding?
  end

  # Pieces from `first` to `last`, of which empty ones wait until there is one behind them that is not.
  def __split_spaces(limit)
    n = __bytesize
    from = 0
    i = 0
    pieces = 1
    inside = false
    single = __ascii? || __encoding == 2
    while i < n
      width = single ? 1 : __sure_width(i, __encoding)
      space = __split_space?(__byte(i))
      if inside
        if space
          yield __piece(from, i - from)
          inside = false
          pieces += 1
          from = i + 1
        end
      elsif space
        from = i + 1
      else
        break if limit > 0 && limit <= pieces

        inside = true
        from = i
      end
      i += width
    end
    yield __piece(from, n - from) if n > 0 && (limit != 0 || n > from)
  end

  def __split_space?(byte)
    __space?(byte) || (byte == 0 && __ruby?(:split_at_null))
  end

  def __split_by(other, limit)
    __check_whole(self)
    __common_encoding(other)
    n = __bytesize
    count = other.__bytesize
    from = 0
    pieces = 1
    while true
      place = __index_bytes(other, from)
      break if place < 0 || from >= n

      yield __piece(from, place - from)
      from = place + count
      pieces += 1
      break if limit > 0 && limit <= pieces
    end
    yield __piece(from, n - from) if n > 0 && (limit != 0 || n > from)
  end

  def __split_characters(limit)
    __check_whole(self)
    n = __bytesize
    single = __single?
    from = 0
    pieces = 1
    while from < n
      width = single ? 1 : __width(from)
      yield __piece(from, width)
      from += width
      pieces += 1
      break if limit > 0 && limit <= pieces
    end
    yield __piece(from, n - from) if n > 0 && (limit != 0 || n > from)
  end

  def __split(separator, limit)
    limit = __c_int(limit)
    text = __still
    if limit == 1
      yield text.__copy_string if text.__bytesize > 0
    elsif separator.__nil?
      text.__split_spaces(limit) { |piece| yield piece }
    elsif separator.is_a?(Regexp)
      text.__split_matches(separator, limit) { |piece| yield piece }
    else
      separator = __pattern_argument(separator)
      __check_whole(separator)
      if separator.__bytesize == 0
        text.__split_characters(limit) { |piece| yield piece }
      elsif separator.__bytesize == 1 && separator.__byte(0) == 0x20
        text.__split_spaces(limit) { |piece| yield piece }
      else
        text.__split_by(separator, limit) { |piece| yield piece }
      end
    end
  end

  def __pattern_argument(other)
    return other if other.is_a?(String)

    __no_pattern(other)
  end

  def __split_all(separator, limit)
    out = __list(8)
    __split(separator, limit) { |piece| out.__push(piece) }
    if limit == 0
      count = out.size
      count -= 1 while count > 0 && out.__item(count - 1).__bytesize == 0
      out.__resize(count) if count < out.size
    end
    out
  end

  # Empty pieces at the end are left out where there is no limit, so they wait.
  def __split_each(separator, limit)
    empty = 0
    __split(separator, limit) do |piece|
      if limit == 0 && piece.__bytesize == 0
        empty += 1
      else
        while empty > 0
          empty -= 1
          yield __build(0)
        end
        yield piece
      end
    end
    self
  end

  def partition(separator)
    return __partition_match(separator) if separator.is_a?(Regexp)

    separator = __pattern_argument(separator)
    place = __find(separator, 0)
    return [__copy_string, __build(0), __build(0)] if place < 0

    after = place + separator.__bytesize
    [__piece(0, place), separator, __piece(after, __bytesize - after)]
  end

  def rpartition(separator)
    return __rpartition_match(separator) if separator.is_a?(Regexp)

    separator = __pattern_argument(separator)
    place = __find_last(separator, __bytesize)
    return [__build(0), __build(0), __copy_string] if place < 0

    after = place + separator.__bytesize
    [__piece(0, place), separator, __piece(after, __bytesize - after)]
  end

  # ---- sub and gsub, of a String

  def __sub_part(place, count, value)
    encoding = __compatible(value)
    behind = place + count
    if encoding < 0
      __incompatible(value) unless __piece(0, place).__ascii? && __piece(behind, __bytesize - behind).__ascii?
      encoding = value.__encoding
    end
    out = __build(__bytesize - count + value.__bytesize).__force(encoding).__append(self, 0, place)
    out.__append(value, 0, value.__bytesize).__append(self, behind, __bytesize - behind)
  end

  def __whole_pattern(pattern)
    pattern = __pattern_argument(pattern)
    __refuse_pattern unless pattern.valid_encoding?
    pattern
  end

  def __sub(pattern, replacement)
    return __sub_match(pattern, replacement) if pattern.is_a?(Regexp)

    pattern = __whole_pattern(pattern)
    replacement = __string_argument(replacement)
    place = __find(pattern, 0)
    return __copy_string if place < 0

    value = __build(0).__force(replacement.__encoding)
    value.__append_expanded(self, place, place + pattern.__bytesize, replacement, pattern)
    __sub_part(place, pattern.__bytesize, value)
  end

  # With a replacement in which nothing stands for a part of the String.
  def __sub_plain(pattern, replacement)
    return __sub_match_plain(pattern, replacement) if pattern.is_a?(Regexp)

    pattern = __whole_pattern(pattern)
    place = __find(pattern, 0)
    place < 0 ? __copy_string : __sub_part(place, pattern.__bytesize, replacement)
  end

  def __gsub_plain(pattern, replacement)
    return __gsub_match_plain(pattern, replacement) if pattern.is_a?(Regexp)

    __each_found(pattern) { |out, _from, _to| out.__concat(replacement) }
  end

  def __sub_block(pattern)
    return __sub_match_block(pattern) { |found| yield found } if pattern.is_a?(Regexp)

    pattern = __whole_pattern(pattern)
    text = __still
    place = text.__find(pattern, 0)
    return __copy_string if place < 0

    text.__sub_part(place, pattern.__bytesize, yield(pattern.__copy_string).to_s)
  end

  def __gsub(pattern, replacement)
    return __gsub_match(pattern, replacement) if pattern.is_a?(Regexp)

    replacement = __string_argument(replacement)
    text = __still
    __each_found(pattern) do |out, from, to|
      value = __build(0).__force(replacement.__encoding)
      out.__concat(value.__append_expanded(text, from, to, replacement, pattern))
    end
  end

  def __gsub_block(pattern)
    return __gsub_match_block(pattern) { |found| yield found } if pattern.is_a?(Regexp)

    __each_found(pattern) { |out, _from, _to| out.__concat(yield(pattern.__copy_string).to_s) }
  end

  def __sub_hash(pattern, hash)
    __sub_block(pattern) { |found| hash[found] }
  end

  def __gsub_hash(pattern, hash)
    __gsub_block(pattern) { |found| hash[found] }
  end

  # Puts a group of what was found behind a String; another String has none.
  def __append_group(_out, _text, _number)
  end

  def __append_numbered(_out, _text, _number)
  end

  def __number_of(_name)
    __refuse_group
  end

  # What is between the places of another String, with what the block puts behind instead of them.
  def __each_found(pattern)
    pattern = __whole_pattern(pattern)
    text = __still
    place = text.__find(pattern, 0)
    return __copy_string if place < 0

    n = text.__bytesize
    count = pattern.__bytesize
    # There MRI reads what is behind the end.
    __refuse_pattern if count == 0 && !text.valid_encoding?
    out = __build(n)
    from = 0
    while place >= 0
      out.__concat_part(text, from, place - from)
      yield out, place, place + count
      raise "string modified" if __bytesize != n

      from = place + count
      if count == 0
        break if from >= n

        width = text.__width_at(from)
        out.__concat_part(text, from, width)
        from += width
      end
      place = text.__index_bytes(pattern, from)
    end
    out.__concat_part(text, from, n - from)
  end

  # ---- the next one

  def __digit?(byte)
    byte >= 0x30 && byte <= 0x39
  end

  def __letter?(byte)
    (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
  end

  def succ
    __refuse_succ unless __single?
    n = __bytesize
    out = __copy_string
    return out if n == 0

    most = __encoding == 2 ? 0xff : 0x7f
    carry = 1
    at = -1
    other = false
    i = n - 1
    while i >= 0
      byte = out.__byte(i)
      if other && at >= 0
        last = out.__byte(at)
        break if __letter?(last) ? __digit?(byte) : __digit?(last) && __letter?(byte)
      end
      if __digit?(byte) || __letter?(byte)
        unless byte == 0x39 || byte == 0x5a || byte == 0x7a
          out.__set_byte(i, byte + 1)
          return out
        end
        first = byte == 0x39 ? 0x30 : byte - 25
        out.__set_byte(i, first)
        carry = byte == 0x39 ? 0x31 : first
        at = i
        other = false
      elsif byte <= most
        other = true
      end
      i -= 1
    end
    if at < 0
      at = 0
      i = n - 1
      while i >= 0
        byte = out.__byte(i)
        if byte <= most
          out.__set_byte(i, byte == most ? 0 : byte + 1)
          return out if byte < most

          at = i
        end
        i -= 1
      end
    end
    __build(n + 1).__append(out, 0, at).__push(carry).__append(out, at, n - at)
  end

  def __all_digits?
    i = 0
    i += 1 while i < __bytesize && __digit?(__byte(i))
    i == __bytesize && i > 0
  end

  def upto(last, exclusive = false)
    last = __string_argument(last)
    encoding = __common_encoding(last)
    ascii = __ascii? && last.__ascii?
    if ascii && __bytesize == 1 && last.__bytesize == 1
      byte = __byte(0)
      to = exclusive ? last.__byte(0) - 1 : last.__byte(0)
      while byte <= to
        yield __build(1).__force(encoding).__push(byte)
        byte += 1
      end
    elsif ascii && __all_digits? && last.__all_digits?
      number = to_i
      to = exclusive ? last.to_i - 1 : last.to_i
      while number <= to
        digits = number.__digits(10)
        more = __bytesize - digits.__bytesize
        out = __build(__bytesize).__force(1)
        while more > 0
          out.__push(0x30)
          more -= 1
        end
        yield out.__append(digits, 0, digits.__bytesize)
        number += 1
      end
    else
      order = __compare(last)
      return self if order > 0 || (exclusive && order == 0)

      behind = last.succ
      text = __copy_string
      until text.__equal(behind)
        at_end = !exclusive && text.__equal(last)
        following = at_end ? text : text.succ
        yield text
        break if at_end

        text = following
        break if (exclusive && text.__equal(last)) || text.__bytesize > last.__bytesize || text.__bytesize == 0
      end
    end
    self
  end
end

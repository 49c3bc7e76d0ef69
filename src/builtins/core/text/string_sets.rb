# Characters of Strings by sets of them.

module String
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

    raise ArgumentError, "invalid range \"#{(low & 0x7f).chr}-#{(high & 0x7f).chr}\" in string transliteration"
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
    __bad_range(((-256 - given) >> 7) & 0x7f, (-256 - given) & 0x7f) if given <= -256
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
end

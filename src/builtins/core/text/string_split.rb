# Strings taken apart: lines, pieces, and parts put in for others.

module String
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
end

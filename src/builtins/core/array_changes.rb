# Array: what changes one.

module Array
  def __refuse_frozen
    raise FrozenError.new("can't modify frozen Array: #{inspect}", receiver: self)
  end

  def __insert_all(all)
    raise ArgumentError, "wrong number of arguments (given 0, expected 1+)" if all.size == 0

    items = __list(all.size)
    i = 1
    while i < all.size
      items.__push(all.__item(i))
      i += 1
    end
    __insert_items(__to_long(all.__item(0)), items)
  end

  def __insert_items(index, items)
    return self if items.size == 0

    at = __place(index)
    __leave_gap(at)
    i = items.size - 1
    while i >= 0
      __insert(at, items.__item(i))
      i -= 1
    end
    self
  end

  def __prepend_all(items)
    i = items.size - 1
    while i >= 0
      __push_front(items.__item(i))
      i -= 1
    end
  end

  # What is behind the last item counts as nil.
  def __append_range(out, range)
    i = __beginning(range)
    stop = range.end.__nil? ? size : range.end
    stop = __to_long(stop)
    stop += size if stop < 0
    stop += 1 unless range.end.__nil? || range.exclude_end?
    while i < stop
      out.__push(at(i))
      i += 1
    end
    out
  end

  # The index that a range begins with; RangeError before the first item.
  def __beginning(range)
    return 0 if range.begin.__nil?

    i = __to_long(range.begin)
    return i if i >= 0

    i += size
    if i < 0
      low = range.begin
      high = range.end
      if range.exclude_end?
        high.__nil? ? raise(RangeError, "#{low}... out of range") : raise(RangeError, "#{low}...#{high} out of range")
      else
        high.__nil? ? raise(RangeError, "#{low}.. out of range") : raise(RangeError, "#{low}..#{high} out of range")
      end
    end
    i
  end

  # ---- changes to arrays made in the section

  def __pop
    n = size
    return nil if n == 0
    x = __item(n - 1)
    __resize(n - 1)
    x
  end

  def __shift
    n = size
    return nil if n == 0
    x = __item(0)
    __drop_front(1)
    x
  end

  # So many items at most, of which the first has this index.
  def __cut(index, count)
    n = size
    index += n if index < 0
    return nil if index < 0 || index > n || count < 0
    # MRI adds them.
    raise ArgumentError, "array size too big" if count > 0x7fff_ffff_ffff_ffff - index

    count = n - index if count > n - index
    out = __part(index, count)
    if index == 0
      __drop_front(count)
    else
      __move(index, index + count, n - index - count)
      __resize(n - count)
    end
    out
  end

  def __pop_many(n)
    n = __to_long(n)
    raise ArgumentError, "negative array size" if n < 0

    n = size if n > size
    __cut(size - n, n)
  end

  def __shift_many(n)
    n = __to_long(n)
    raise ArgumentError, "negative array size" if n < 0

    __cut(0, n)
  end

  def __fill(value, start, count)
    i = start.__nil? ? 0 : __to_long(start)
    i += size if i < 0
    i = 0 if i < 0
    stop = __fill_end(i, count)
    while i < stop
      self[i] = value
      i += 1
    end
    self
  end

  # Where filling ends. The array reaches to there before anything is filled, also where that is nothing.
  def __fill_end(start, count)
    count = count.__nil? ? size - start : __to_long(count)
    __check_unfrozen
    return start if count < 0

    most = 1_152_921_504_606_846_975
    raise ArgumentError, "argument too big" if start >= most || count > most - start

    __leave_gap(start) if start > size
    start + count
  end

  def __fill_block(start, count)
    i = start.__nil? ? 0 : __to_long(start)
    i += size if i < 0
    i = 0 if i < 0
    stop = __fill_end(i, count)
    while i < stop
      self[i] = yield(i)
      i += 1
    end
    self
  end

  # What is equal goes; the last such item, or what the block gives where there is none.
  def __delete(value)
    found = nil
    to = 0
    i = 0
    while i < size
      x = __item(i)
      if x.__equals(value)
        found = x
      else
        __set(to, x) if to < i
        to += 1
      end
      i += 1
    end
    if to < size
      __check_unfrozen
      __resize(to)
      found
    elsif block_given?
      yield value
    end
  end

  # The index that the first of the new items gets.
  def __place(index)
    return size if index == -1

    minimum = -size - 1
    raise IndexError, "index #{index} too small for array; minimum: #{minimum}" if index < minimum

    raise IndexError, "index #{index} too big" if index >= 1_152_921_504_606_846_975

    index < 0 ? index + size + 1 : index
  end

  def __delete_at(index)
    n = size
    at = index < 0 ? index + n : index
    return nil if at < 0 || at >= n

    __check_unfrozen
    return __shift if at == 0

    x = __item(at)
    __move(at, at + 1, n - at - 1)
    __resize(n - 1)
    x
  end

  # So many items come to an index from another one.
  def __move(to, from, count)
    return __move_words(to, from, count) if __moves_words?

    if to < from
      count.times { |i| __set(to + i, __item(from + i)) }
    else
      i = count
      while i > 0
        i -= 1
        __set(to + i, __item(from + i))
      end
    end
  end

  def __insert(index, value)
    return __push_front(value) if index == 0
    __push(value)
    __move(index + 1, index, size - 1 - index)
    __set(index, value)
    self
  end

  # The items of another array, which is as long or shorter, instead of the own ones.
  # Keeps the items for which the block is true. While it runs those kept so far are the first, and behind them nothing
  # has moved; the gap closes however the block ends.
  def __keep
    kept = 0
    i = 0
    begin
      while i < size
        x = __item(i)
        if yield x
          __set(kept, x) if kept < i
          kept += 1
        end
        i += 1
      end
    ensure
      __close_gap(kept, i)
    end
    kept < i
  end

  def __keep_if
    __keep { |x| yield x }
    self
  end

  def __delete_if
    __keep { |x| !yield(x) }
    self
  end

  def __select!
    __keep { |x| yield x } ? self : nil
  end

  def __reject!
    __keep { |x| !yield(x) } ? self : nil
  end

  def __close_gap(from, to)
    return if from == to || from >= size

    n = size
    while to < n
      __set(from, __item(to))
      from += 1
      to += 1
    end
    __resize(from)
  end

  def __fill_up(index)
    raise IndexError, "index #{index} too big" if index >= 1_152_921_504_606_846_975

    __push(nil) while size < index
  end

  # `array[start, count] = items`, which are those of another array.
  def __splice(start, count, items)
    raise IndexError, "negative length (#{count})" if count < 0

    n = size
    at = start < 0 ? start + n : start
    raise IndexError, "index #{start} too small for array; minimum: #{-n}" if at < 0

    __leave_gap(at)
    n = size
    count = n - at if count > n - at
    m = items.size
    more = m - count
    if more > 0
      # What comes to stand behind the items that are there: of them, or of the others.
      i = n
      while i < n + more
        __push(i - more >= at + count ? __item(i - more) : items.__item(i - at))
        i += 1
      end
      __move(at + m, at + count, n - at - m) if n > at + m
    elsif more < 0
      __move(at + m, at + count, n - at - count)
      __resize(n + more)
      n += more
    end
    stop = at + m < n ? at + m : n
    i = at
    while i < stop
      __set(i, items.__item(i - at))
      i += 1
    end
    nil
  end

  # The same where a range says which.
  def __splice_range(range, items)
    at = __beginning(range)
    __splice(at, __count_from(at, range), items)
  end

  # How many items are in a range from an index on, also such as are not there.
  def __count_from(at, range)
    stop = range.end.__nil? ? size : __to_long(range.end)
    stop += size if stop < 0
    stop += 1 unless range.end.__nil? || range.exclude_end?
    stop > at ? stop - at : 0
  end

  def __replace(other)
    n = other.size
    if __takes_words?(other)
      __resize(0)
      return __push_words(other, 0, n)
    end
    i = 0
    while i < n
      __set(i, other.__item(i))
      i += 1
    end
    __resize(n)
    self
  end

  def map!
    __check_unfrozen
    i = 0
    while i < size
      self[i] = yield(__item(i))
      i += 1
    end
    self
  end
end

# Pairs of a key and an item, in the order of the keys: the quicksort of MRI's `sort_by`, step for step, since it decides
# on the order of items with equal keys, and on which keys are compared first where one is NaN.

module Array
  def __introsort
    return self if __ordered?

    starts = __list(64)
    stops = __list(64)
    depths = __list(64)
    starts.__push(0)
    stops.__push(size)
    depths.__push((size.bit_length - 1) * 2)
    while starts.size > 0
      top = starts.size - 1
      start = starts.__item(top)
      stop = stops.__item(top)
      depth = depths.__item(top)
      starts.__resize(top)
      stops.__resize(top)
      depths.__resize(top)
      if stop - start <= 16
        __insertion_sort(start, stop)
      elsif depth == 0
        __heapsort(start, stop - start)
      else
        pivot = __median(__key(start), __key(start + ((stop - start) >> 1)), __key(stop - 1))
        i = start
        j = stop - 1
        while i <= j
          i += 1 while __key_below?(__key(i), pivot)
          j -= 1 while __key_below?(pivot, __key(j))
          if i <= j
            __swap(i, j)
            i += 1
            j -= 1
          end
        end
        # The right part is sorted first. They may share an item.
        j += 1
        if i - start > 1
          starts.__push(start)
          stops.__push(i)
          depths.__push(depth - 1)
        end
        if stop - j > 1
          starts.__push(j)
          stops.__push(stop)
          depths.__push(depth - 1)
        end
      end
    end
    self
  end

  def __key(index)
    __item(index)[0]
  end

  # A Float is asked, not the Integer that it is compared with.
  def __key_below?(a, b)
    a.is_a?(Integer) && b.is_a?(Float) ? __compare(b, a) > 0 : __compare(a, b) < 0
  end

  def __key_above?(a, b)
    a.is_a?(Integer) && b.is_a?(Float) ? __compare(b, a) < 0 : __compare(a, b) > 0
  end

  def __ordered?
    i = 1
    while i < size
      return false if __key_above?(__key(i - 1), __key(i))

      i += 1
    end
    true
  end

  def __median(a, b, c)
    if __key_below?(a, b)
      __key_below?(b, c) ? b : __key_below?(c, a) ? a : c
    else
      __key_below?(c, b) ? b : __key_below?(a, c) ? a : c
    end
  end

  def __swap(i, j)
    x = __item(i)
    __set(i, __item(j))
    __set(j, x)
  end

  # Leaves the first `n` in order, in some order, and in `limit` the last pivot.
  def __select(n, sign, limit)
    return if size <= n

    left = 0
    right = size - 1
    store = 0
    while true
      pivots = 1
      __swap(left + (right - left) / 2, right)
      store = left
      i = left
      while i <= right - pivots
        order = __signed(yield(__item(i), __item(right)), sign)
        if order == 0
          __swap(i, right - pivots)
          pivots += 1
        else
          if order < 0
            __swap(i, store)
            store += 1
          end
          i += 1
        end
      end
      i = right
      j = store
      while i > right - pivots && i > j
        __swap(j, i)
        j += 1
        i -= 1
      end
      break if store <= n && n <= store + pivots

      if n < store
        right = store - 1
      else
        left = store + pivots
      end
    end
    limit.__resize(0)
    limit.__push(__item(store))
    __resize(n)
  end

  def __insertion_sort(start, stop)
    i = start + 1
    while i < stop
      pair = __item(i)
      to = i
      if __key_below?(pair[0], __key(start))
        to = start
      else
        to -= 1 while __key_below?(pair[0], __key(to - 1))
      end
      from = i
      while from > to
        __set(from, __item(from - 1))
        from -= 1
      end
      __set(to, pair)
      i += 1
    end
  end

  def __heapsort(start, count)
    offset = count >> 1
    while offset > 0
      offset -= 1
      __sift_down(start, offset, count - 1)
    end
    offset = count - 1
    while offset > 0
      __swap(start, start + offset)
      offset -= 1
      __sift_down(start, 0, offset)
    end
  end

  def __sift_down(start, offset, last)
    pair = __item(start + offset)
    while true
      child = offset * 2 + 1
      break if child > last

      child += 1 if child < last && __key_below?(__key(start + child), __key(start + child + 1))
      break unless __key_below?(pair[0], __key(start + child))

      __set(start + offset, __item(start + child))
      offset = child
    end
    __set(start + offset, pair)
  end
end

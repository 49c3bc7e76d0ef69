# Enumerable: the smallest and the largest, folding, and sorting.

module Enumerable
  # ---- the smallest and the largest

  def __min_by
    return nil if __empty?
    best = __item(0)
    least = yield best
    i = 1
    while i < size
      x = __item(i)
      key = yield x
      if __compare(key, least) < 0
        least = key
        best = x
      end
      i += 1
    end
    best
  end

  def __max_by
    return nil if __empty?
    best = __item(0)
    most = yield best
    i = 1
    while i < size
      x = __item(i)
      key = yield x
      if __compare(key, most) > 0
        most = key
        best = x
      end
      i += 1
    end
    best
  end

  # In pairs, as MRI: the lesser of two is asked against the least so far, the greater against the greatest.
  def __minmax_by
    return [nil, nil] if __empty?
    low = __item(0)
    high = low
    least = yield low
    most = least
    first = low
    first_key = least
    i = 1
    while i < size
      x = __item(i)
      key = yield x
      if i.odd?
        order = __compare(first_key, key)
        if order == 0
          x = first
          key = first_key
        elsif order > 0
          first, x = x, first
          first_key, key = key, first_key
        end
        if i == 1
          low = first
          least = first_key
          high = x
          most = key
        else
          if __compare(first_key, least) < 0
            low = first
            least = first_key
          end
          if __compare(key, most) > 0
            high = x
            most = key
          end
        end
      else
        first = x
        first_key = key
      end
      i += 1
    end
    if i > 1 && i.odd?
      low = first if __compare(first_key, least) < 0
      high = first if __compare(first_key, most) > 0
    end
    [low, high]
  end

  def __minmax_block
    __minmax_pairs { |a, b| __order(yield(a, b), a, b) }
  end

  def __minmax_each
    __minmax_pairs { |a, b| __compare(a, b) }
  end

  def __minmax_pairs
    return [nil, nil] if __empty?
    low = __item(0)
    high = low
    i = 1
    while i < size
      first = __item(i - 1)
      x = __item(i)
      order = yield(first, x)
      if order == 0
        x = first
      elsif order > 0
        first, x = x, first
      end
      low = first if i == 1 || yield(first, low) < 0
      high = x if i == 1 || yield(x, high) > 0
      i += 2
    end
    if i > 1 && i == size
      first = __item(i - 1)
      low = first if yield(first, low) < 0
      high = first if yield(first, high) > 0
    end
    [low, high]
  end

  # Array's own ask the best item so far instead.
  def __min_each
    return nil if __empty?
    best = __item(0)
    i = 1
    while i < size
      x = __item(i)
      best = x if __compare(x, best) < 0
      i += 1
    end
    best
  end

  def __max_each
    return nil if __empty?
    best = __item(0)
    i = 1
    while i < size
      x = __item(i)
      best = x if __compare(x, best) > 0
      i += 1
    end
    best
  end

  def __min_block
    return nil if __empty?
    best = __item(0)
    i = 1
    while i < size
      x = __item(i)
      best = x if __order(yield(x, best), x, best) < 0
      i += 1
    end
    best
  end

  def __max_block
    return nil if __empty?
    best = __item(0)
    i = 1
    while i < size
      x = __item(i)
      best = x if __order(yield(x, best), x, best) > 0
      i += 1
    end
    best
  end

  # ---- so many of the smallest and the largest

  # As MRI: what could be among them is kept in four times as much room as they take, and quickselect makes place. The
  # largest (`sign` is -1) are ordered as the smallest, and turned round.
  def __least(n, sign)
    __least_of(n, sign) { |a, b| __compare(a, b) }
  end

  def __least_block(n, sign)
    __least_of(n, sign) { |a, b| __order(yield(a, b), a, b) }
  end

  def __least_of(n, sign)
    n = __to_long(n)
    raise ArgumentError, "negative size (#{n})" if n < 0
    raise ArgumentError, "too big size" if n > 2_305_843_009_213_693_951

    out = __list(4)
    return out if n == 0

    limit = __list(1)
    each do |x|
      next if limit.size > 0 && __signed(yield(x, limit.__item(0)), sign) >= 0

      out.__push(x)
      out.__select(n, sign, limit) { |a, b| yield(a, b) } if out.size == n * 4
      nil
    end
    out.__select(n, sign, limit) { |a, b| yield(a, b) }
    out.__merge_sort { |a, b| yield(a, b) }
    sign < 0 ? out.__reverse : out
  end

  # Pairs of key and item.
  def __least_by(n, sign)
    n = __to_long(n)
    raise ArgumentError, "negative size (#{n})" if n < 0
    raise ArgumentError, "too big size" if n > 1_152_921_504_606_846_975

    out = __list(4)
    return out if n == 0

    limit = __list(1)
    each do |x|
      key = yield x
      next if limit.size > 0 && __signed(__compare(key, limit.__item(0)[0]), sign) >= 0

      out.__push([key, x])
      out.__select(n, sign, limit) { |a, b| __compare(a[0], b[0]) } if out.size == n * 4
      nil
    end
    out.__select(n, sign, limit) { |a, b| __compare(a[0], b[0]) }
    out.__merge_sort { |a, b| __compare(a[0], b[0]) }
    items = out.__map { |pair| pair[1] }
    sign < 0 ? items.__reverse : items
  end

  def __signed(order, sign)
    order == 0 ? 0 : (order < 0) == (sign > 0) ? -1 : 1
  end

  # ---- folding

  # Without a block or the name of a method, which nothing asks for until there are two.
  def __inject_nothing
    found = nil
    count = 0
    each do |item|
      raise LocalJumpError, "no block given" if count > 0

      found = item
      count += 1
      nil
    end
    found
  end

  def __inject_from(initial)
    acc = initial
    each do |x|
      acc = yield(acc, x)
      nil
    end
    acc
  end

  def __inject
    return nil if __empty?
    acc = __item(0)
    i = 1
    while i < size
      acc = yield(acc, __item(i))
      i += 1
    end
    acc
  end

  # Integers and Rationals exactly; from the first Float on compensated, until a value of another class comes. What that
  # gives may be a Float: the exact numbers behind it wait for the next Float. Some versions add all numbers behind it to a
  # sum that they lose, or only add another such value to.
  def __sum(initial)
    total = initial
    compensation = 0.0
    integers = 0
    fractions = 0
    waiting = false
    loses = __ruby?(:enumerable_sum_loses_numbers)
    lost_sum = 0.0
    each do |item|
      x = block_given? ? yield(item) : item
      exact = x.is_a?(Integer) || x.is_a?(Rational)
      if exact && (total.is_a?(Integer) || total.is_a?(Rational))
        total = total + x
      elsif loses && (exact || x.is_a?(Float)) && waiting
        lost_sum = lost_sum.__plus(x.to_f)[0]
      elsif x.is_a?(Integer) && waiting
        integers += x
      elsif x.is_a?(Rational) && waiting
        fractions = x + fractions
      elsif (exact || x.is_a?(Float)) && (total.is_a?(Integer) || total.is_a?(Float) || total.is_a?(Rational))
        total = __with_waiting(total, integers, fractions) if waiting
        waiting = false
        integers = 0
        fractions = 0
        total, lost = total.to_f.__plus(x.to_f)
        compensation += lost
      else
        if loses
          lost_sum = total if total.is_a?(Float) && !waiting
          total = lost_sum if waiting
        elsif waiting
          total = __with_waiting(total, integers, fractions)
          integers = 0
          fractions = 0
        end
        total = total.__asked_plus(x)
        waiting = total.is_a?(Float)
        compensation = 0.0
      end
      nil
    end
    return integers == 0 && fractions == 0 ? total : __with_waiting(total, integers, fractions) if waiting

    total.is_a?(Float) ? total + compensation : total
  end

  def __with_waiting(total, integers, fractions)
    total = integers + total
    fractions.is_a?(Rational) ? fractions + total : total
  end

  # ---- order. A stable merge sort, which is what the C library's qsort_r under MRI's is.

  def __sort
    __copy.__merge_sort { |a, b| __compare(a, b) }
  end

  def __sort_block
    __copy.__merge_sort { |a, b| __order(yield(a, b), a, b) }
  end

  # Where all keys are numbers of one word, newer Rubies sort in another way, which swaps items with equal keys.
  def sort_by
    pairs = __list(__room)
    words = __ruby?(:sort_by_is_unstable)
    key = nil
    each do |x|
      key = yield(x)
      words = false unless key.__word?
      pairs.__push([key, x])
      nil
    end
    sorted = if words && (key.is_a?(Integer) || key.is_a?(Float))
               pairs.__introsort
             else
               pairs.__merge_sort { |a, b| __compare(a[0], b[0]) }
             end
    sorted.__map { |pair| pair[1] }
  end

  # Stacks instead of calls: the parts that are being sorted, and how far each is: its first half, its second, merging.
  def __merge_sort
    n = size
    return self if n < 2

    spare = __list(n)
    spare.__resize(n)
    starts = __list(64)
    stops = __list(64)
    states = __list(64)
    starts.__push(0)
    stops.__push(n)
    states.__push(0)
    while states.size > 0
      top = states.size - 1
      start = starts.__item(top)
      stop = stops.__item(top)
      state = states.__item(top)
      middle = start + (stop - start) / 2
      states.__set(top, state + 1)
      if state == 0 && middle - start > 1
        starts.__push(start)
        stops.__push(middle)
        states.__push(0)
      elsif state == 1 && stop - middle > 1
        starts.__push(middle)
        stops.__push(stop)
        states.__push(0)
      elsif state == 2
        i = start
        j = middle
        k = start
        while i < middle && j < stop
          x = __item(i)
          y = __item(j)
          if yield(x, y) <= 0
            spare.__set(k, x)
            i += 1
          else
            spare.__set(k, y)
            j += 1
          end
          k += 1
        end
        while i < middle
          spare.__set(k, __item(i))
          i += 1
          k += 1
        end
        # What is left of the second half is in its place.
        i = start
        while i < k
          __set(i, spare.__item(i))
          i += 1
        end
        starts.__resize(top)
        stops.__resize(top)
        states.__resize(top)
      end
    end
    self
  end
end

# An Enumerator's `each` is the method it came from, with the block. What it yields is one array where there are several;
# some of Enumerable's methods hand several on as they are.

module Enumerator
  # ---- What lazy ones go through

  def __lazy
    each { |x| yield x }
  end

  def __lazy_own
    __each_values do |*values|
      __refuse_several if values.size != 1
      yield values.__item(0)
    end
  end

  def __lazy_map(by)
    each { |x| yield by.call(x) }
  end

  def __lazy_select(by)
    each { |x| yield x if by.call(x) }
  end

  def __lazy_reject(by)
    each { |x| yield x unless by.call(x) }
  end

  def __lazy_filter_map(by)
    each do |x|
      y = by.call(x)
      yield y if y
    end
  end

  def __lazy_flat_map(by)
    each do |x|
      y = by.call(x)
      if y.is_a?(Array)
        y.each { |z| yield z }
      else
        yield y
      end
    end
  end

  def __lazy_take_while(by)
    each do |x|
      break unless by.call(x)

      yield x
    end
  end

  def __lazy_drop_while(by)
    drops = true
    each do |x|
      drops = false if drops && !by.call(x)
      yield x unless drops
    end
  end

  def __lazy_take(count)
    return if count == 0

    i = 0
    each do |x|
      yield x
      i += 1
      break if i >= count
    end
  end

  def __lazy_drop(count)
    i = 0
    each do |x|
      if i < count
        i += 1
      else
        yield x
      end
    end
  end

  def __lazy_each_slice(size)
    raise ArgumentError, "invalid slice size" if size <= 0

    part = __list(4)
    each do |x|
      part.__push(x)
      if part.size == size
        yield part
        part = __list(4)
      end
    end
    yield part if part.size > 0
  end

  def __lazy_each_cons(size)
    raise ArgumentError, "invalid size" if size <= 0

    part = __list(4)
    each do |x|
      part.__push(x)
      part = part.drop(1) if part.size > size
      yield part.dup if part.size == size
    end
  end

  def __lazy_with_index(first)
    i = first
    each do |x|
      yield [x, i]
      i += 1
    end
  end

  def __lazy_each_index(first, by)
    i = first
    each do |x|
      by.call(x, i)
      i += 1
      yield x
    end
  end

  def __lazy_uniq
    seen = {}
    each do |x|
      next if seen.key?(x)

      seen[x] = true
      yield x
    end
  end

  def __lazy_uniq_block(by)
    seen = {}
    each do |x|
      key = by.call(x)
      next if seen.key?(key)

      seen[key] = true
      yield x
    end
  end

  def __lazy_compact
    each { |x| yield x unless x.__nil? }
  end

  def __lazy_grep(pattern)
    each { |x| yield x if pattern === x }
  end

  def __lazy_grep_v(pattern)
    each { |x| yield x unless pattern === x }
  end

  def __lazy_grep_block(pattern, by)
    each { |x| yield by.call(x) if pattern === x }
  end

  def __lazy_grep_v_block(pattern, by)
    each { |x| yield by.call(x) unless pattern === x }
  end

  # Of a method of the user's.
  def __packed_each
    __each_values do |*values|
      if values.__empty?
        yield nil
      else
        yield(values.size == 1 ? values.__item(0) : values)
      end
    end
  end

  # In a driver: what it yields, one value at a time, and what its method gives.
  def __yielded
    out = []
    given = __each_values do |*values|
      __refuse_yielded if values.size != 1
      out << values[0]
      nil
    end
    [out, given]
  end

  def map
    out = __list(__room)
    __each_values do |*values|
      out.__push(yield(*values))
      nil
    end
    out
  end

  def flat_map
    out = __list(__room)
    __each_values do |*values|
      out.__append(yield(*values))
      nil
    end
    out
  end

  def filter_map
    out = __list(__room)
    __each_values do |*values|
      y = yield(*values)
      out.__push(y) if y
      nil
    end
    out
  end

  def __any_block
    __each_values { |*values| return true if yield(*values) }
    false
  end

  def __all_block
    __each_values { |*values| return false unless yield(*values) }
    true
  end

  def __one_block
    n = 0
    __each_values do |*values|
      n += 1 if yield(*values)
      return false if n > 1
    end
    n == 1
  end

  def __count_block
    n = 0
    __each_values do |*values|
      n += 1 if yield(*values)
      nil
    end
    n
  end

  def __index_block
    i = 0
    __each_values do |*values|
      return i if yield(*values)

      i += 1
      nil
    end
    nil
  end

  def take_while
    out = __list(__room)
    __each_pair do |x, values|
      yield(*values) ? out.__push(x) : break
      nil
    end
    out
  end

  def __uniq_block
    __uniq_keyed { |*values| yield(*values) }
  end

  def __to_h_block
    out = {}
    __each_values do |*values|
      out.__put_pair(yield(*values))
      nil
    end
    out
  end

  def __uniq_keyed
    out = __list(__room)
    keys = __list(__room)
    slots = __list(0)
    __each_pair do |x, values|
      out.__push(x) if keys.__add(yield(*values), slots)
      nil
    end
    out
  end

  # What is yielded as one value, and as it is.
  def __each_pair
    __each_values do |*values|
      if values.__empty?
        yield nil, values
      else
        yield (values.size == 1 ? values.__item(0) : values), values
      end
    end
  end

  def __first
    each { |x| return x }
    nil
  end

  def __each_entry
    each do |x|
      yield x
      nil
    end
    self
  end

  def each_slice(n)
    __slices(n) { |slice| yield slice }
  end

  def each_cons(n)
    __windows(n) { |window| yield window }
  end

  # The items of the first time are kept for the others.
  def cycle(n = nil)
    times = n.__nil? ? -1 : __to_long(n)
    return nil if times == 0 || (times < 0 && !n.__nil?)

    items = __list(__room)
    __each_pair do |x, values|
      items.__push(x)
      case values.size
      when 0 then yield
      when 1 then yield(values.__item(0))
      else yield(x)
      end
      nil
    end
    return nil if items.size == 0

    while times != 1
      items.each { |x| yield x }
      times -= 1
    end
    nil
  end

  def reverse_each
    items = __copy
    i = items.size - 1
    while i >= 0
      yield items.__item(i)
      i -= 1
    end
    self
  end

  def with_index(offset = 0)
    i = offset
    each do |x|
      yield(x, (i += 1) - 1)
    end
  end

  def each_with_index
    i = 0
    each do |x|
      yield(x, (i += 1) - 1)
    end
  end

  def with_object(memo)
    each { |x| yield(x, memo) }
    memo
  end

  def __min_by
    best = nil
    least = nil
    some = false
    each do |x|
      key = yield x
      if !some || __compare(key, least) < 0
        some = true
        least = key
        best = x
      end
      nil
    end
    best
  end

  def __max_by
    best = nil
    most = nil
    some = false
    each do |x|
      key = yield x
      if !some || __compare(key, most) > 0
        some = true
        most = key
        best = x
      end
      nil
    end
    best
  end

  # In pairs, as of arrays.
  def __minmax_by
    low = nil
    high = nil
    least = nil
    most = nil
    first = nil
    first_key = nil
    waits = false
    some = false
    each do |x|
      key = yield x
      if waits
        waits = false
        order = __compare(first_key, key)
        if order == 0
          x = first
          key = first_key
        elsif order > 0
          first, x = x, first
          first_key, key = key, first_key
        end
        if !some || __compare(first_key, least) < 0
          low = first
          least = first_key
        end
        if !some || __compare(key, most) > 0
          high = x
          most = key
        end
        some = true
      else
        waits = true
        first = x
        first_key = key
      end
      nil
    end
    if waits
      low = first if !some || __compare(first_key, least) < 0
      high = first if !some || __compare(first_key, most) > 0
    end
    [low, high]
  end

  def __minmax_pairs
    low = nil
    high = nil
    first = nil
    waits = false
    some = false
    each do |x|
      if waits
        waits = false
        order = yield(first, x)
        if order == 0
          x = first
        elsif order > 0
          first, x = x, first
        end
        low = first if !some || yield(first, low) < 0
        high = x if !some || yield(x, high) > 0
        some = true
      else
        waits = true
        first = x
      end
      nil
    end
    if waits
      low = first if !some || yield(first, low) < 0
      high = first if !some || yield(first, high) > 0
    end
    [low, high]
  end

  def __min_each
    __extreme { |x, best| __compare(x, best) < 0 }
  end

  def __max_each
    __extreme { |x, best| __compare(x, best) > 0 }
  end

  def __min_block
    __extreme { |x, best| __order(yield(x, best), x, best) < 0 }
  end

  def __max_block
    __extreme { |x, best| __order(yield(x, best), x, best) > 0 }
  end

  def __extreme
    best = nil
    some = false
    each do |x|
      if !some || yield(x, best)
        some = true
        best = x
      end
      nil
    end
    best
  end

  def __inject
    acc = nil
    some = false
    each do |x|
      if some
        acc = yield(acc, x)
      else
        some = true
        acc = x
      end
      nil
    end
    acc
  end

  def __packed_each_with_index
    i = 0
    each do |x|
      yield [x, (i += 1) - 1]
    end
  end

  def __packed_with_index(offset = 0)
    i = offset
    each do |x|
      yield [x, (i += 1) - 1]
    end
  end
end

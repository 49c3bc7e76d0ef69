# Ruby's own methods written in Ruby, over the few that are rules in Rust. They are compiled with the section that
# calls them and inlined there; errors in them are reported at the caller's line. Semantics are those of MRI's C.

module Comparable
  def clamp(low, high = nil)
    if low > high
      raise ArgumentError, "min argument must be smaller than max argument"
    end
    if self < low
      low
    elsif self > high
      high
    else
      self
    end
  end

  def between?(low, high)
    self >= low && self <= high
  end
end

module Numeric
  def step(limit, by = 1)
    if by == 0
      raise ArgumentError, "step can't be 0"
    end
    if is_a?(Float) || limit.is_a?(Float) || by.is_a?(Float)
      # MRI counts the steps first so that errors do not add up (ruby_float_step).
      first = to_f
      unit = by.to_f
      span = (limit.to_f - first) / unit
      slack = (first.abs + limit.to_f.abs + (limit.to_f - first).abs) / unit.abs * 2.220446049250313e-16
      slack = 0.5 if slack > 0.5
      if span + slack >= 0.0
        n = (span + slack).floor
        i = 0
        while i <= n
          x = i * unit + first
          x = limit.to_f if (unit >= 0.0 && limit.to_f < x) || (unit < 0.0 && limit.to_f > x)
          yield x
          i += 1
        end
      end
    else
      i = self
      if by > 0
        while i <= limit
          yield i
          i += by
        end
      else
        while i >= limit
          yield i
          i += by
        end
      end
    end
    self
  end
end

module Integer
  def pow(exponent, modulus = nil)
    if modulus.nil?
      self**exponent
    else
      raise ZeroDivisionError, "divided by 0" if modulus == 0
      raise RangeError, "Integer#pow() 2nd argument cannot be negative when 3rd argument specified" if exponent < 0
      result = 1 % modulus
      base = self % modulus
      n = exponent
      while n > 0
        result = result * base % modulus if n.odd?
        base = base * base % modulus if n > 1
        n >>= 1
      end
      result
    end
  end

  def gcd(other)
    a = abs
    b = other.abs
    while b != 0
      t = a % b
      a = b
      b = t
    end
    a
  end

  def lcm(other)
    if self == 0 || other == 0
      0
    else
      (self / gcd(other) * other).abs
    end
  end

  # MRI divides by the greatest common divisor first, so that large Integers round once.
  def fdiv(other)
    if other.is_a?(Integer) && other != 0 && self != 0
      divisor = gcd(other)
      (self / divisor).to_f / (other / divisor).to_f
    else
      to_f / other.to_f
    end
  end

  def ceildiv(other)
    -(-self / other)
  end
end

module Enumerable
  def __each_with_index
    i = 0
    each do |x|
      yield x, i
      i += 1
    end
    self
  end

  def each_with_object(memo)
    each { |x| yield x, memo }
    memo
  end

  def each_index
    size.times { |i| yield i }
    self
  end

  def reverse_each
    i = size - 1
    while i >= 0
      yield __item(i)
      i -= 1
      i = size - 1 if i >= size
    end
    self
  end

  # Whole slices are arrays of known length; the last may be shorter.
  def each_slice(n)
    raise ArgumentError, "invalid slice size" if n <= 0
    i = 0
    while i + n <= size
      yield __window(i, n)
      i += n
    end
    yield __part(i, size - i) if i < size
    self
  end

  def each_cons(n)
    raise ArgumentError, "invalid size" if n <= 0
    i = 0
    while i + n <= size
      yield __window(i, n)
      i += 1
    end
    self
  end

  # ---- questions

  def __any_block
    each { |x| return true if yield(x) }
    false
  end

  def __any_pattern(pattern)
    each { |x| return true if pattern === x }
    false
  end

  def __any
    each { |x| return true if x }
    false
  end

  def __all_block
    each { |x| return false unless yield(x) }
    true
  end

  def __all_pattern(pattern)
    each { |x| return false unless pattern === x }
    true
  end

  def __all
    each { |x| return false unless x }
    true
  end

  def __one_block
    n = 0
    each do |x|
      n += 1 if yield(x)
      return false if n > 1
    end
    n == 1
  end

  def __one_pattern(pattern)
    n = 0
    each do |x|
      n += 1 if pattern === x
      return false if n > 1
    end
    n == 1
  end

  def __one
    n = 0
    each do |x|
      n += 1 if x
      return false if n > 1
    end
    n == 1
  end

  def find
    each { |x| return x if yield(x) }
    nil
  end

  def detect
    each { |x| return x if yield(x) }
    nil
  end

  def __index_block
    i = 0
    each do |x|
      return i if yield(x)
      i += 1
    end
    nil
  end

  def __index_value(value)
    i = 0
    each do |x|
      return i if x == value
      i += 1
    end
    nil
  end

  def __rindex_block
    i = size - 1
    while i >= 0
      return i if yield(__item(i))
      i -= 1
    end
    nil
  end

  def __rindex_value(value)
    i = size - 1
    while i >= 0
      return i if __item(i) == value
      i -= 1
    end
    nil
  end

  def include?(value)
    each { |x| return true if x == value }
    false
  end

  def member?(value)
    each { |x| return true if x == value }
    false
  end

  def __count_block
    n = 0
    each { |x| n += 1 if yield(x) }
    n
  end

  def __count_value(value)
    n = 0
    each { |x| n += 1 if x == value }
    n
  end

  def __count
    n = 0
    each { |x| n += 1 }
    n
  end

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

  def __minmax_by
    return [nil, nil] if __empty?
    low = __item(0)
    high = low
    least = yield low
    most = least
    i = 1
    while i < size
      x = __item(i)
      key = yield x
      if __compare(key, least) < 0
        least = key
        low = x
      end
      if __compare(key, most) > 0
        most = key
        high = x
      end
      i += 1
    end
    [low, high]
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

  # ---- folding

  def __inject_from(initial)
    acc = initial
    each { |x| acc = yield(acc, x) }
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

  # Sums as Array#sum does: Integers exactly; from the first Float on, Kahan-Babuska compensated.
  def __sum(initial)
    total = initial
    compensation = 0.0
    floating = total.is_a?(Float)
    each do |item|
      x = block_given? ? yield(item) : item
      if x.is_a?(Float) && (floating || total.is_a?(Integer))
        total = total.to_f
        floating = true
        if total.nan?
          # stays NaN
        elsif x.nan?
          total = x
        elsif x.infinite?
          if total.infinite? && (x < 0.0) != (total < 0.0)
            total = 0.0 / 0.0
          else
            total = x
          end
        elsif !total.infinite?
          t = total + x
          if total.abs >= x.abs
            compensation += ((total - t) + x)
          else
            compensation += ((x - t) + total)
          end
          total = t
        end
      elsif x.is_a?(Integer) && floating
        t = total + x
        if total.abs >= x.abs
          compensation += ((total - t) + x)
        else
          compensation += ((x - t) + total)
        end
        total = t
      else
        total = total + x
      end
    end
    floating ? total + compensation : total
  end

  # ---- new arrays

  def __copy
    out = __list(__room)
    each { |x| out.__push(x) }
    out
  end

  def __map
    out = __list(__room)
    each { |x| out.__push(yield(x)) }
    out
  end

  def select
    out = __list(__room)
    each { |x| out.__push(x) if yield(x) }
    out
  end

  def filter
    out = __list(__room)
    each { |x| out.__push(x) if yield(x) }
    out
  end

  def find_all
    out = __list(__room)
    each { |x| out.__push(x) if yield(x) }
    out
  end

  def reject
    out = __list(__room)
    each { |x| out.__push(x) unless yield(x) }
    out
  end

  def filter_map
    out = __list(__room)
    each do |x|
      y = yield(x)
      out.__push(y) if y
    end
    out
  end

  def __grep(pattern)
    out = __list(__room)
    each do |x|
      if pattern === x
        out.__push(block_given? ? yield(x) : x)
      end
    end
    out
  end

  def __grep_v(pattern)
    out = __list(__room)
    each do |x|
      unless pattern === x
        out.__push(block_given? ? yield(x) : x)
      end
    end
    out
  end

  def flat_map
    out = __list(__room)
    each { |x| out.__append(yield(x)) }
    out
  end

  def collect_concat
    out = __list(__room)
    each { |x| out.__append(yield(x)) }
    out
  end

  def partition
    yes = __list(__room)
    no = __list(__room)
    each do |x|
      if yield(x)
        yes.__push(x)
      else
        no.__push(x)
      end
    end
    [yes, no]
  end

  def __take(n)
    raise ArgumentError, "attempt to take negative size" if n < 0
    out = __list(n < __room ? n : __room)
    return out if n == 0
    each do |x|
      out.__push(x)
      break if out.size >= n
    end
    out
  end

  def __drop(n)
    raise ArgumentError, "attempt to drop negative size" if n < 0
    out = __list(__room)
    i = 0
    each do |x|
      out.__push(x) if i >= n
      i += 1
    end
    out
  end

  def take_while
    out = __list(__room)
    each do |x|
      break unless yield(x)
      out.__push(x)
    end
    out
  end

  def drop_while
    out = __list(__room)
    dropping = true
    each do |x|
      dropping = false if dropping && !yield(x)
      out.__push(x) unless dropping
    end
    out
  end

  def __zip(*others)
    out = __list(__room)
    i = 0
    each do |x|
      out.__push([x, *others.map { |other| other.__at(i) }])
      i += 1
    end
    out
  end

  def __zip_block(*others)
    i = 0
    each do |x|
      yield [x, *others.map { |other| other.__at(i) }]
      i += 1
    end
    nil
  end

  def __uniq
    out = __list(__room)
    each { |x| out.__push(x) unless out.__has(x) }
    out
  end

  def __uniq_block
    out = __list(__room)
    keys = __list(__room)
    each do |x|
      key = yield(x)
      unless keys.__has(key)
        keys.__push(key)
        out.__push(x)
      end
    end
    out
  end

  def __has(value)
    each { |x| return true if x.eql?(value) }
    false
  end

  def compact
    out = __list(__room)
    each { |x| out.__push(x) unless x.nil? }
    out
  end

  # ---- order. A stable merge sort, which is what the C library's qsort_r under MRI's is.

  def __sort
    __copy.__merge_sort { |a, b| __compare(a, b) }
  end

  def __sort_block
    __copy.__merge_sort { |a, b| __order(yield(a, b), a, b) }
  end

  def sort_by
    pairs = __list(__room)
    each { |x| pairs.__push([yield(x), x]) }
    pairs.__merge_sort { |a, b| __compare(a[0], b[0]) }.__map { |pair| pair[1] }
  end

  def __merge_sort
    n = size
    from = self
    to = __list(n)
    to.__resize(n)
    width = 1
    while width < n
      start = 0
      while start < n
        middle = start + width
        middle = n if middle > n
        stop = middle + width
        stop = n if stop > n
        i = start
        j = middle
        k = start
        while k < stop
          if j >= stop || (i < middle && yield(from.__item(i), from.__item(j)) <= 0)
            to.__set(k, from.__item(i))
            i += 1
          else
            to.__set(k, from.__item(j))
            j += 1
          end
          k += 1
        end
        start = stop
      end
      from, to = to, from
      width *= 2
    end
    from
  end
end

module Array
  def __reverse
    n = size
    out = __list(n)
    i = n - 1
    while i >= 0
      out.__push(__item(i))
      i -= 1
    end
    out
  end

  def __rotate(count)
    n = size
    out = __list(n)
    if n > 0
      i = count % n
      n.times do
        out.__push(__item(i))
        i += 1
        i = 0 if i >= n
      end
    end
    out
  end

  def __last(n)
    raise ArgumentError, "negative array size" if n < 0
    n = size if n > size
    __part(size - n, n)
  end

  # Items start, start + 1 …: known to be there.
  def __part(start, count)
    out = __list(count)
    count.times { |i| out.__push(__item(start + i)) }
    out
  end

  def __slice(start, count)
    n = size
    start += n if start < 0
    return nil if start < 0 || start > n || count < 0
    count = n - start if count > n - start
    __part(start, count)
  end

  def __fetch_block(index)
    at = index < 0 ? index + size : index
    if at >= 0 && at < size
      __item(at)
    else
      yield index
    end
  end

  def __plus(other)
    out = __list(size + other.size)
    each { |x| out.__push(x) }
    other.each { |x| out.__push(x) }
    out
  end

  def __minus(other)
    out = __list(size)
    each { |x| out.__push(x) unless other.__has(x) }
    out
  end

  def __and(other)
    out = __list(size)
    each { |x| out.__push(x) if other.__has(x) && !out.__has(x) }
    out
  end

  def __or(other)
    out = __list(size + other.size)
    each { |x| out.__push(x) unless out.__has(x) }
    other.each { |x| out.__push(x) unless out.__has(x) }
    out
  end

  def __times(n)
    raise ArgumentError, "argument must be non-negative" if n < 0
    out = __list(size * n)
    n.times { each { |x| out.__push(x) } }
    out
  end

  def __product(other)
    out = __list(size * other.size)
    each { |x| other.each { |y| out.__push([x, y]) } }
    out
  end

  def __equal(other)
    return false unless size == other.size
    i = 0
    n = size
    while i < n
      return false unless __item(i) == other.__item(i)
      i += 1
    end
    true
  end

  def __spaceship(other)
    i = 0
    while i < size && i < other.size
      order = __item(i) <=> other.__item(i)
      return order unless order == 0
      i += 1
    end
    size <=> other.size
  end

  def __flatten
    out = __list(size)
    each { |x| out.__append(x) }
    out
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
    i = 1
    while i < n
      __set(i - 1, __item(i))
      i += 1
    end
    __resize(n - 1)
    x
  end

  def __unshift(x)
    __push(x)
    i = size - 1
    while i > 0
      __set(i, __item(i - 1))
      i -= 1
    end
    __set(0, x)
    self
  end

  def __fill(x)
    i = 0
    while i < size
      __set(i, x)
      i += 1
    end
    self
  end

  def __fill_block
    i = 0
    while i < size
      self[i] = yield(i)
      i += 1
    end
    self
  end

  def map!
    i = 0
    while i < size
      self[i] = yield(__item(i))
      i += 1
    end
    self
  end

  def collect!
    i = 0
    while i < size
      self[i] = yield(__item(i))
      i += 1
    end
    self
  end
end

# An Enumerator's `each` is the method it came from, with the block. What it yields is one array where there are several.
module Enumerator
  def map
    out = __list(__room)
    __each_values { |*values| out.__push(yield(*values)) }
    out
  end

  def collect
    out = __list(__room)
    __each_values { |*values| out.__push(yield(*values)) }
    out
  end

  def with_index(offset = 0)
    i = offset
    each do |x|
      value = yield(x, i)
      i += 1
      value
    end
  end

  def each_with_index
    i = 0
    each do |x|
      value = yield(x, i)
      i += 1
      value
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
    end
    acc
  end

  def __packed_each_with_index
    i = 0
    each do |x|
      value = yield [x, i]
      i += 1
      value
    end
  end

  def __packed_with_index(offset = 0)
    i = offset
    each do |x|
      value = yield [x, i]
      i += 1
      value
    end
  end
end

module Packed
  def __packed_each_with_index
    i = 0
    each do |x|
      yield [x, i]
      i += 1
    end
    self
  end
end

module Range
  def __float_step(by)
    first = self.begin.to_f
    unit = by.to_f
    raise ArgumentError, "step can't be negative" if unit < 0.0
    raise ArgumentError, "step can't be 0" if unit == 0.0
    limit = self.end.to_f
    n = (limit - first) / unit
    slack = (first.abs + limit.abs + (limit - first).abs) / unit.abs * 2.220446049250313e-16
    slack = 0.5 if slack > 0.5
    count = 0
    if exclude_end?
      if n > 0.0
        steps = n < 1.0 ? 0.0 : (n - slack).floor.to_f
        d = (steps + 1.0) * unit + first
        steps += 1.0 if first < limit && d < limit
        count = steps.to_i + 1
      end
    elsif n >= 0.0
      count = (n + slack).floor + 1
    end
    i = 0
    while i < count
      x = i * unit + first
      x = limit if limit < x
      yield x
      i += 1
    end
    self
  end
end

module Kernel
  def tap
    yield self
    self
  end

  def then
    yield self
  end

  def yield_self
    yield self
  end

  def loop
    while true
      yield
    end
  end
end

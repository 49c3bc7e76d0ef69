module Array
  # In a driver: made of arrays that parallel calls gave.
  def __concatenated(other)
    count = size
    (0...count + other.size).pmap { |i| i < count ? __item(i) : other.__item(i - count) }
  end

  def __present
    pselect { |x| x }
  end

  # From an exact number on as Enumerable#sum, but that nothing is compensated after a value of another class. From something
  # else on MRI has had three ways.
  def __array_sum(initial)
    return initial if __empty?

    total = initial
    kept = __ruby?(:array_sum_compensates_the_start)
    exact = initial.is_a?(Integer) || initial.is_a?(Rational)
    if !exact && (__ruby?(:array_sum_adds_up) || (kept && !initial.is_a?(Float)))
      each do |item|
        total = total.__asked_plus(block_given? ? yield(item) : item)
      end
      return total
    end
    compensation = 0.0
    # The Integers before the first other value are added apart: all of them, or those of one word.
    leading = !exact
    apart = leading && kept
    integers = 0
    some = false
    fractions = 0
    plain = false
    each do |item|
      x = block_given? ? yield(item) : item
      if x.is_a?(Integer) && leading
        some = true
        if !apart && x.__large?
          total = x + total
        else
          integers += x
          if !apart && integers.__large?
            total = integers + total
            integers = 0
          end
        end
      elsif x.is_a?(Rational) && leading
        fractions = x + fractions
      else
        if leading
          leading = false
          if apart
            total, compensation = integers.to_f.__plus(initial.to_f)
            x = yield(item) if block_given? && __ruby?(:array_sum_asks_twice)
          else
            total = integers + total if some
            total = fractions + total if fractions.is_a?(Rational)
            total = Math.__double(total) if x.is_a?(Float)
          end
        end
        number = x.is_a?(Integer) || x.is_a?(Float) || x.is_a?(Rational)
        if !plain && number && (total.is_a?(Integer) || total.is_a?(Float) || total.is_a?(Rational))
          if x.is_a?(Float) || total.is_a?(Float)
            total, lost = total.to_f.__plus(x.to_f)
            compensation += lost
          else
            total = total + x
          end
        else
          total = total.__asked_plus(x)
          plain = true
          compensation = 0.0
        end
      end
    end
    total = integers + total if leading && some
    total = fractions + total if leading && fractions.is_a?(Rational)
    total.is_a?(Float) && !plain ? total + compensation : total
  end

  # As in MRI, which asks nothing about fewer than two items.
  def __uniq_block
    size <= 1 ? __copy : __uniq_keyed { |x| yield(x) }
  end

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
    return out if n == 0

    first = count % n
    if out.__takes_words?(self)
      out.__push_words(self, first, n - first)
      return out.__push_words(self, 0, first)
    end
    i = first
    n.times do
      out.__push(__item(i))
      i += 1
      i = 0 if i >= n
    end
    out
  end

  def __last(n)
    raise ArgumentError, "negative array size" if n < 0
    n = size if n > size
    __part(size - n, n)
  end

  def __slice(start, count)
    n = size
    start += n if start < 0
    return nil if start < 0 || start > n || count < 0
    count = n - start if count > n - start
    __part(start, count)
  end

  # The block gets the index as it was given.
  def __fetch_block(index, given)
    at = index < 0 ? index + size : index
    if at >= 0 && at < size
      __item(at)
    else
      yield given
    end
  end

  def __plus(other)
    out = __list(size + other.size)
    __push_to(out)
    other.__push_to(out)
    out
  end

  def __copy
    out = __list(size)
    __push_to(out)
    out
  end

  # Of the pairs of a Hash, as Enumerable's `take`.
  def __take_pairs(n)
    n = __to_long(n)
    raise ArgumentError, "array size too big" if n > 1_152_921_504_606_846_975

    __take(n)
  end

  def __take(n)
    n = __to_long(n)
    raise ArgumentError, "attempt to take negative size" if n < 0

    __part(0, n < size ? n : size)
  end

  def __drop(n)
    n = __to_long(n)
    raise ArgumentError, "attempt to drop negative size" if n < 0

    n = size if n > size
    __part(n, size - n)
  end

  # Puts all items behind those of an array made in the section.
  def __push_to(out)
    return out.__push_words(self, 0, size) if out.__takes_words?(self)

    each { |x| out.__push(x) }
  end

  def __minus(other)
    out = __list(size)
    others = other.__slots(size)
    by_eql = __own_eql?(other) && (size <= 16 || other.size <= 16)
    each { |x| out.__push(x) unless by_eql ? other.__has_eql(x) : other.__holds(x, others) }
    out
  end

  def __and(other)
    out = __list(size)
    others = other.__slots(size)
    slots = __list(0)
    if __own_eql?(other) && size <= 16 && other.size <= 16
      each { |x| out.__push(x) if other.__has_eql(x) && !out.__has_eql(x) }
    else
      each { |x| out.__add(x, slots) if other.__holds(x, others) }
    end
    out
  end

  def __or(other)
    return __plus(other).__uniq unless __own_eql?(other) && size + other.size <= 16

    out = __list(size + other.size)
    __plus(other).each { |x| out.__push(x) unless out.__has_eql(x) }
    out
  end

  # Of few items MRI asks `eql?` alone, whatever their `hash` is.
  def __has_eql(value)
    each { |x| return true if value.__same(x) || value.eql?(x) }
    false
  end

  def __hash
    hash = size.__hash
    each { |x| hash = (hash ^ x.__hash).__hash }
    hash
  end

  def __times(n)
    raise ArgumentError, "negative argument" if n < 0
    raise ArgumentError, "argument too big" if n > 0 && size > 1_152_921_504_606_846_975 / n

    out = __list(size * n)
    n.times { each { |x| out.__push(x) } }
    out
  end

  def __transpose
    return [] if __empty?

    width = __array(__item(0)).size
    rows = __list(size)
    each do |x|
      row = __array(x)
      found = row.size
      raise IndexError, "element size differs (#{found} should be #{width})" if found != width

      rows.__push(row)
    end
    out = __list(width)
    width.times do |i|
      column = __list(size)
      rows.each { |row| column.__push(row.__item(i)) }
      out.__push(column)
    end
    out
  end

  def __values_at(*indices)
    __values_of(indices, [])
  end

  def __values_of(indices, others)
    out = __list(indices.size + others.size)
    indices.each { |index| index.is_a?(Range) ? __append_range(out, index) : out.__push(at(index)) }
    others.each { |index| index.is_a?(Range) ? __append_range(out, index) : out.__push(at(index)) }
    out
  end

  def rfind
    i = size - 1
    while i >= 0
      x = __item(i)
      return x if yield(x)

      i -= 1
      i = size - 1 if i >= size
    end
    nil
  end

  def __fetch_values(*indices)
    indices.map do |index|
      block_given? ? fetch(index) { |missing| yield missing } : fetch(index)
    end
  end

  # What a block selects of items that it may change: MRI reads them once more.
  def __select_changing
    out = __list(size)
    i = 0
    while i < size
      x = __item(i)
      out.__push(i < size ? __item(i) : x) if yield(x)
      i += 1
    end
    out
  end

  # The index of the first item for which the block is true; how many there are if it is for none.
  def __first_changing
    i = 0
    i += 1 while i < size && !yield(__item(i))
    i
  end

  def __joined_items
    out = __list(size)
    each { |x| x.__as_array.each { |y| out.__push(y) } }
    out
  end

  def __minus_all(others)
    out = __listed
    others.each { |other| out = out.__minus(other.__as_array) }
    out
  end

  def __and_all(others)
    out = __listed
    others.each { |other| out = out.__and(other.__as_array) }
    out
  end

  def __or_all(others)
    out = __uniq
    others.each { |other| out = out.__or(other.__as_array) }
    out
  end

  def __listed
    out = __list(size)
    each { |x| out.__push(x) }
    out
  end

  def __zip_all(others)
    out = __list(__room)
    __each_zipped(others) { |row| out.__push(row) }
    out
  end

  def __zip_all_block(others)
    __each_zipped(others) { |row| yield row }
    nil
  end

  def __each_zipped(others)
    lists = __list(others.size)
    others.each { |other| lists.__push(other.__as_zipped) }
    i = 0
    each do |x|
      row = __list(lists.size + 1)
      row.__push(x)
      lists.each { |list| row.__push(list.__at(i)) }
      yield row
      i += 1
    end
  end

  # ---- searching in what is ordered

  def bsearch
    low = 0
    high = size
    found = nil
    while low < high
      middle = low + ((high - low) / 2)
      side = __turned(yield(at(middle)))
      return at(middle) if side == 0

      if side < 0
        high = middle
      else
        low = middle + 1
      end
      found = true if side == -1
    end
    found.__nil? ? nil : at(low)
  end

  def bsearch_index
    low = 0
    high = size
    found = nil
    while low < high
      middle = low + ((high - low) / 2)
      side = __turned(yield(at(middle)))
      return middle if side == 0

      if side < 0
        high = middle
      else
        low = middle + 1
      end
      found = true if side == -1
    end
    found.__nil? ? nil : low
  end

  # Where the block says to look. Some versions go the wrong way after numbers that are no Integers of one word.
  def __turned(answer)
    side = __side(answer)
    turns = __ruby?(:array_bsearch_turns_from_floats) && answer.is_a?(Numeric) && side != 0
    turns && !(answer.is_a?(Integer) && answer.__word?) ? -1 - side : side
  end

  def intersect?(other)
    found = __array(other)
    slots = found.__slots(size)
    by_eql = __own_eql?(found) && size <= 16 && found.size <= 16
    each { |x| return true if by_eql ? found.__has_eql(x) : found.__holds(x, slots) }
    false
  end

  # ---- comparison

  def __equal(other)
    return false unless size == other.size
    i = 0
    n = size
    while i < n
      return false unless __item(i).__equals(other.__item(i))
      i += 1
    end
    true
  end

  def __eql(other)
    return false unless size == other.size
    i = 0
    n = size
    while i < n
      return false unless __item(i).__eqls(other.__item(i))
      i += 1
    end
    true
  end

  def __equal_within(other, trail)
    return false unless size == other.size
    return true if trail.__met?(__identity, other.__identity)

    trail.__push(__identity).__push(other.__identity)
    i = 0
    n = size
    while i < n
      return false unless __item(i).__equals_within(other.__item(i), trail)
      i += 1
    end
    trail.__resize(trail.size - 2)
    true
  end

  def __eql_within(other, trail)
    return false unless size == other.size
    return true if trail.__met?(__identity, other.__identity)

    trail.__push(__identity).__push(other.__identity)
    i = 0
    n = size
    while i < n
      return false unless __item(i).__eqls_within(other.__item(i), trail)
      i += 1
    end
    trail.__resize(trail.size - 2)
    true
  end

  # Are these being compared? That something is not equal ends all, so a trail keeps what was compared before.
  def __met?(one, other)
    return false if one == 0 || other == 0

    i = size - 2
    while i >= 0
      return true if __item(i) == one && __item(i + 1) == other
      i -= 2
    end
    false
  end

  def __spaceship(other)
    i = 0
    while i < size && i < other.size
      order = __item(i).__asked_order(other.__item(i))
      return order unless order.__is(0)
      i += 1
    end
    size <=> other.size
  end

  # Where the items are being ordered already, the sizes are all that is left.
  def __spaceship_within(other, trail)
    unless trail.__met?(__identity, other.__identity)
      trail.__push(__identity).__push(other.__identity)
      i = 0
      while i < size && i < other.size
        order = __item(i).__ordered_within(other.__item(i), trail)
        return order unless order.__is(0)
        i += 1
      end
      trail.__resize(trail.size - 2)
    end
    size <=> other.size
  end

  def __nests?
    each { |x| return true if x.is_a?(Array) }
    false
  end
end

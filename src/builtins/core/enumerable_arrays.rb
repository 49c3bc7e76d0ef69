module Enumerable
  # What the block gives matters to the methods of some Enumerators, such as that of `take_while`.
  def __copy
    out = __list(__room)
    each do |x|
      out.__push(x)
      nil
    end
    out
  end

  def __map
    out = __list(__room)
    each do |x|
      out.__push(yield(x))
      nil
    end
    out
  end

  def select
    return __select_changing { |x| yield x } if __items_change?

    out = __list(__room)
    each do |x|
      out.__push(x) if yield(x)
      nil
    end
    out
  end

  def reject
    out = __list(__room)
    each do |x|
      out.__push(x) unless yield(x)
      nil
    end
    out
  end

  def filter_map
    out = __list(__room)
    each do |x|
      y = yield(x)
      out.__push(y) if y
      nil
    end
    out
  end

  def __grep(pattern)
    out = __list(__room)
    each do |x|
      if block_given?
        out.__push(yield(x)) if pattern === x
      elsif __equals_unseen?(pattern, x)
        out.__push(x)
      end
      nil
    end
    out
  end

  def __grep_v(pattern)
    out = __list(__room)
    each do |x|
      if block_given?
        out.__push(yield(x)) unless pattern === x
      elsif !__equals_unseen?(pattern, x)
        out.__push(x)
      end
      nil
    end
    out
  end

  # Without a block Ruby asks a Regexp as `match?` does.
  def __equals_unseen?(pattern, value)
    return pattern === value unless __keeps_match? && pattern.is_a?(Regexp)

    found = __kept_match
    equals = pattern === value
    __set_match(found)
    equals
  end

  def flat_map
    out = __list(__room)
    each do |x|
      out.__append(yield(x))
      nil
    end
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
      nil
    end
    [yes, no]
  end

  # As often as `n` says, or until the block breaks.
  def cycle(n = nil)
    if n.__nil?
      each { |x| yield x } until __empty?
    else
      n = __to_long(n)
      while n > 0 && !__empty?
        each { |x| yield x }
        n -= 1
      end
    end
    nil
  end

  def __take(n)
    n = __to_long(n)
    raise ArgumentError, "attempt to take negative size" if n < 0
    raise ArgumentError, "array size too big" if n > 1_152_921_504_606_846_975 && !is_a?(Array)

    out = __list(n < __room ? n : __room)
    return out if n == 0
    each do |x|
      out.__push(x)
      break if out.size >= n
    end
    out
  end

  def __drop(n)
    n = __to_long(n)
    raise ArgumentError, "attempt to drop negative size" if n < 0
    out = __list(__room)
    i = 0
    each do |x|
      out.__push(x) if i >= n
      i += 1
      nil
    end
    out
  end

  def take_while
    return __part(0, __first_changing { |x| !yield(x) }) if __items_change?

    out = __list(__room)
    each do |x|
      break unless yield(x)
      out.__push(x)
      nil
    end
    out
  end

  def drop_while
    if __items_change?
      from = __first_changing { |x| !yield(x) }
      return __part(from, size > from ? size - from : 0)
    end

    out = __list(__room)
    dropping = true
    each do |x|
      dropping = false if dropping && !yield(x)
      out.__push(x) unless dropping
      nil
    end
    out
  end

  def __zip(*others)
    out = __list(__room)
    i = 0
    each do |x|
      out.__push([x, *others.map { |other| other.__at(i) }])
      i += 1
      nil
    end
    out
  end

  def __zip_block(*others)
    i = 0
    each do |x|
      yield [x, *others.map { |other| other.__at(i) }]
      i += 1
      nil
    end
    nil
  end

  def __uniq
    out = __list(__room)
    slots = __list(0)
    each do |x|
      out.__add(x, slots)
      nil
    end
    out
  end

  def __uniq_block
    __uniq_keyed { |x| yield(x) }
  end

  def __uniq_keyed
    out = __list(__room)
    keys = __list(__room)
    slots = __list(0)
    each do |x|
      out.__push(x) if keys.__add(yield(x), slots)
      nil
    end
    out
  end

  def assoc(key)
    each do |x|
      pair = x.__through_to_ary
      return pair if pair.is_a?(Array) && pair.size > 0 && pair[0].__equals(key)
    end
    nil
  end

  def rassoc(value)
    each do |x|
      pair = __ruby?(:rassoc_takes_lists) ? x.__through_to_ary : x
      return pair if pair.is_a?(Array) && pair.size > 1 && pair[1].__equals(value)
    end
    nil
  end

  # The index of what is the same, or -1.
  def __place_of(value)
    i = 0
    while i < size
      return i if value.__alike(__item(i))

      i += 1
    end
    -1
  end

  # The same of keys: Ruby asks those alone for `eql?` that have the same hash.
  def __place_of_key(value)
    return __place_of(value) unless __asks_hash?(value)

    hash = value.__raw_hash
    i = 0
    while i < size
      item = __item(i)
      return i if item.__raw_hash == hash && value.__alike(item)

      i += 1
    end
    -1
  end

  def __has(value)
    each { |x| return true if value.__alike(x) }
    false
  end

  def compact
    __compact
  end

  def __compact
    out = __list(__room)
    each do |x|
      out.__push(x) unless x.__nil?
      nil
    end
    out
  end
end

module Enumerable
  # `peach` in an element: its elements run one after the other.
  def __peach(ticks = 1, progress: nil)
    raise TypeError, "ticks must be an Integer, not #{ticks.class}" unless ticks.is_a?(Integer)
    raise ArgumentError, "ticks must not be negative: #{ticks}" if ticks < 0
    return self if ticks == 0

    given = __each_values { |*x| yield(*x) }
    (ticks - 1).times { __each_values { |*x| yield(*x) } }
    given
  end

  # With several values where `each` yields several: Enumerators have one of their own.
  def __each_values
    each { |*x| yield(*x) }
  end

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

  # Items start, start + 1 …: known to be there.
  def __part(start, count)
    out = __list(count)
    return out.__push_words(self, start, count) if out.__takes_words?(self)

    count.times { |i| out.__push(__item(start + i)) }
    out
  end

  # Whole slices are arrays of known length; the last may be shorter.
  def each_slice(n)
    return __slices(n) { |slice| yield slice } unless size.is_a?(Integer)

    n = __to_long(n)
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
    return __windows(n) { |window| yield window } unless size.is_a?(Integer)

    n = __to_long(n)
    raise ArgumentError, "invalid size" if n <= 0
    i = 0
    while i + n <= size
      yield __window(i, n)
      i += 1
    end
    self
  end

  # The same of what is gone through only once.
  def __slices(n)
    n = __to_long(n)
    raise ArgumentError, "invalid slice size" if n <= 0

    slice = __list(n < 1024 ? n : 1024)
    each do |x|
      slice.__push(x)
      if slice.size == n
        yield slice
        slice = __list(n < 1024 ? n : 1024)
      end
    end
    yield slice if slice.size > 0
    self
  end

  def __windows(n)
    n = __to_long(n)
    raise ArgumentError, "invalid size" if n <= 0

    items = __list(n < 1024 ? n : 1024)
    each do |x|
      items.__push(x)
      items.__drop_front(1) if items.size > n
      yield items.__part(0, n) if items.size == n
    end
    self
  end

  # ---- runs of items: lists, each of which is yielded when it is complete

  # `question` is asked of two neighbours: a run ends between them if the answer is `last`.
  def __runs(question, last)
    run = __list(4)
    each do |x|
      if run.size > 0 && (question.call(run.__item(run.size - 1), x) ? true : false) == last
        yield run
        run = __list(4)
      end
      run.__push(x)
    end
    yield run if run.size > 0
    self
  end

  # `begins` and `ends` are procs or patterns.
  def __slice_before(begins)
    run = __list(4)
    each do |x|
      is_first = begins === x
      if is_first && run.size > 0
        yield run
        run = __list(4)
      end
      run.__push(x)
    end
    yield run if run.size > 0
    self
  end

  def __slice_after(ends)
    run = __list(4)
    each do |x|
      run.__push(x)
      if ends === x
        yield run
        run = __list(4)
      end
    end
    yield run if run.size > 0
    self
  end

  # Runs with what they have in common. Ruby's own Symbols drop an item, or keep it alone.
  def __chunk(by)
    run = __list(4)
    before = nil
    each do |x|
      key = by.call(x)
      alone = :_alone.equal?(key)
      dropped = key.__nil? || :_separator.equal?(key)
      if run.size > 0 && (alone || dropped || !before.__equals(key))
        yield [before, run]
        run = __list(4)
      end
      before = key
      run.__push(x) unless dropped
      if alone
        yield [key, run]
        run = __list(4)
      end
    end
    yield [before, run] if run.size > 0
    self
  end

  # ---- Hashes of the items

  def group_by
    groups = {}
    each do |x|
      key = yield x
      place = groups.__find(key)
      if place < 0
        list = __list(4)
        list.__push(x)
        groups.__insert(key, list)
      else
        groups.__values.__item(place).__push(x)
      end
    end
    groups
  end

  def tally
    counts = {}
    each do |x|
      place = counts.__find(x)
      if place < 0
        counts.__insert(x, 1)
      else
        counts.__values.__set(place, counts.__values.__item(place) + 1)
      end
    end
    counts
  end

  def __to_h
    out = {}
    each { |pair| out.__put_pair(pair) }
    out
  end

  def __to_h_block
    out = {}
    each { |x| out.__put_pair(yield(x)) }
    out
  end

  def __array_to_h
    out = {}
    i = 0
    each do |pair|
      out.__put_pair_at(pair, i)
      i += 1
    end
    out
  end

  def __array_to_h_block
    out = {}
    i = 0
    each do |x|
      out.__put_pair_at(yield(x), i)
      i += 1
    end
    out
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
      return i if x.__equals(value)
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
      return i if __item(i).__equals(value)
      i -= 1
    end
    nil
  end

  def include?(value)
    each { |x| return true if x.__equals(value) }
    false
  end

  def __count_block
    n = 0
    each { |x| n += 1 if yield(x) }
    n
  end

  def __count_value(value)
    n = 0
    each { |x| n += 1 if x.__equals(value) }
    n
  end

  def __count
    n = 0
    each do |x|
      n += 1
      nil
    end
    n
  end

  # ---- new arrays

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
    each { |x| out.__push(yield(x)) }
    out
  end

  def select
    return __select_changing { |x| yield x } if __items_change?

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
      if block_given?
        out.__push(yield(x)) if pattern === x
      elsif __equals_unseen?(pattern, x)
        out.__push(x)
      end
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
    end
    out
  end

  def take_while
    return __part(0, __first_changing { |x| !yield(x) }) if __items_change?

    out = __list(__room)
    each do |x|
      break unless yield(x)
      out.__push(x)
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
    slots = __list(0)
    each { |x| out.__add(x, slots) }
    out
  end

  def __uniq_block
    __uniq_keyed { |x| yield(x) }
  end

  def __uniq_keyed
    out = __list(__room)
    keys = __list(__room)
    slots = __list(0)
    each { |x| out.__push(x) if keys.__add(yield(x), slots) }
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
    each { |x| out.__push(x) unless x.__nil? }
    out
  end
end

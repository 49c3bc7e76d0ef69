# An `each` of the user's is given nil by the blocks of most of these, as by Ruby's, and what the user's block gives by
# `each_with_index`, `each_with_object`, `each_slice` and `each_cons`.

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
      given = yield x, i
      i += 1
      given
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
        given = yield slice
        slice = __list(n < 1024 ? n : 1024)
        given
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
      nil
    end
    yield run if run.size > 0
    nil
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
      nil
    end
    yield run if run.size > 0
    nil
  end

  def __slice_after(ends)
    run = __list(4)
    each do |x|
      run.__push(x)
      if ends === x
        yield run
        run = __list(4)
      end
      nil
    end
    yield run if run.size > 0
    nil
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
      nil
    end
    yield [before, run] if run.size > 0
    nil
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
      nil
    end
    groups
  end

  def tally
    counts = {}
    each do |x|
      place = counts.__find(x)
      if place < 0
        counts.__insert_itself(x, 1)
      else
        counts.__values.__set(place, counts.__values.__item(place) + 1)
      end
      nil
    end
    counts
  end

  def __to_h
    out = {}
    each do |pair|
      out.__put_pair(pair)
      nil
    end
    out
  end

  def __to_h_block
    out = {}
    each do |x|
      out.__put_pair(yield(x))
      nil
    end
    out
  end

  def __array_to_h
    out = {}
    i = 0
    each do |pair|
      out.__put_pair_at(pair, i)
      i += 1
      nil
    end
    out
  end

  def __array_to_h_block
    out = {}
    i = 0
    each do |x|
      out.__put_pair_at(yield(x), i)
      i += 1
      nil
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
      nil
    end
    nil
  end

  def __index_value(value)
    i = 0
    each do |x|
      return i if x.__equals(value)
      i += 1
      nil
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
    each do |x|
      n += 1 if yield(x)
      nil
    end
    n
  end

  def __count_value(value)
    n = 0
    each do |x|
      n += 1 if x.__equals(value)
      nil
    end
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
end

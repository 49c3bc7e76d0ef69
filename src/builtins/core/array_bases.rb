# What parallel calls in drivers go over that is made of arrays: slices, windows, pairs, items with an index.

module Array
  # Elements that are parts of an array are taken from it where they are computed on.
  def __pmap_slices(n)
    n = __slice_size(n)
    (0...(size + n - 1) / n).pmap { |i| yield self[i * n, n] }
  end

  def __peach_slices(n)
    n = __slice_size(n)
    (0...(size + n - 1) / n).peach { |i| yield self[i * n, n] }
    self
  end

  def __pmap_windows(n)
    n = __window_size(n)
    (0..size - n).pmap { |i| yield self[i, n] }
  end

  def __peach_windows(n)
    n = __window_size(n)
    (0..size - n).peach { |i| yield self[i, n] }
    self
  end

  def __slice_size(n)
    n = __to_long(n)
    raise ArgumentError, "invalid slice size" if n <= 0

    n
  end

  def __window_size(n)
    n = __to_long(n)
    raise ArgumentError, "invalid size" if n <= 0

    n
  end

  # The keys of a Hash, with its values beside them.
  def __pmap_pairs(values)
    count = size
    (0...count).pmap do |i|
      value = yield [__item(i), values.__item(i)]
      __refuse_other_keys if size != count
      value
    end
  end

  def __pmap_split_pairs(values)
    count = size
    (0...count).pmap do |i|
      value = yield __item(i), values.__item(i)
      __refuse_other_keys if size != count
      value
    end
  end

  def __peach_pairs(values)
    count = size
    (0...count).peach do |i|
      yield [__item(i), values.__item(i)]
      __refuse_other_keys if size != count
    end
  end

  # Puts those pairs into a Hash of which the block gives what is true or, of `reject`, what is not.
  def __pselect_pairs(values, out, wanted)
    count = size
    chosen = (0...count).pmap do |i|
      value = yield(__item(i), values.__item(i))
      __refuse_other_keys if size != count
      value ? true : false
    end
    count.times { |i| out.__insert(__item(i), values.__item(i)) if chosen.__item(i) == wanted }
    out
  end

  # The same with a number beside each.
  def __pmap_slices_indexed(n, offset)
    n = __slice_size(n)
    offset = __first_index(offset)
    (0...(size + n - 1) / n).pmap { |i| yield self[i * n, n], i + offset }
  end

  def __peach_slices_indexed(n, offset)
    n = __slice_size(n)
    offset = __first_index(offset)
    (0...(size + n - 1) / n).peach { |i| yield self[i * n, n], i + offset }
  end

  def __pmap_windows_indexed(n, offset)
    n = __window_size(n)
    offset = __first_index(offset)
    (0..size - n).pmap { |i| yield self[i, n], i + offset }
  end

  def __peach_windows_indexed(n, offset)
    n = __window_size(n)
    offset = __first_index(offset)
    (0..size - n).peach { |i| yield self[i, n], i + offset }
  end

  def __pmap_pairs_indexed(values, offset)
    count = size
    offset = __first_index(offset)
    (0...count).pmap do |i|
      value = yield [__item(i), values.__item(i)], i + offset
      __refuse_other_keys if size != count
      value
    end
  end

  def __peach_pairs_indexed(values, offset)
    count = size
    offset = __first_index(offset)
    (0...count).peach do |i|
      yield [__item(i), values.__item(i)], i + offset
      __refuse_other_keys if size != count
    end
  end

  def __pmap_indexed(offset)
    offset = __first_index(offset)
    (0...size).pmap { |i| yield __item(i), i + offset }
  end

  def __peach_indexed(offset)
    offset = __first_index(offset)
    (0...size).peach { |i| yield __item(i), i + offset }
  end

  def __first_index(offset)
    offset.__nil? ? 0 : __to_long(offset)
  end

  def __pmap_with_object(memo)
    (0...size).pmap { |i| yield __item(i), memo }
  end

  def __peach_with_object(memo)
    (0...size).peach { |i| yield __item(i), memo }
  end
end

module Hash
  # The index of a key, or -1.
  def __find_outside(key)
    return -1 unless __lookup?(key)

    if __asks_keys?(key)
      __refuse_keys if __keys.size > 256
      return __keys.__place_of_key(key)
    end
    count = __keys.size * 2
    return -1 if count == 0

    slot = __slot(__hash_of(key), count)
    while true
      place = __place(slot) - 1
      return place if place < 0 || __same_key(key, __keys.__item(place))

      slot += 1
      slot = 0 if slot == count
    end
  end

  # The same where the section changes the Hash: it has slots as one that the section makes.
  def __find_changing(key)
    __lookup?(key) ? __find_made(key) : -1
  end

  def __find_changing_dense(key)
    __lookup?(key) ? __find_dense(key) : -1
  end

  # In no order, as that of the pairs counts for nothing.
  def __hash
    number = size.__hash
    each { |key, value| number ^= (key.__hash ^ (value.__hash >> 1)).__hash }
    number
  end

  def [](key)
    place = __find_raw(key)
    place < 0 ? __missing(key) : __raw_values.__item(place)
  end

  def __first_pair
    size == 0 ? nil : __item(0)
  end

  def __fetch(key)
    place = __find_raw(key)
    place < 0 ? __no_key(key) : __raw_values.__item(place)
  end

  def __fetch_default(key, default)
    place = __find_raw(key)
    place < 0 ? default : __raw_values.__item(place)
  end

  def __fetch_block(key)
    place = __find_raw(key)
    place < 0 ? yield(key) : __raw_values.__item(place)
  end

  # ---- those that make another one

  def __put(key, value)
    __change
    place = __find_raw(key)
    place < 0 ? __insert(key, value) : __raw_values.__set(place, value)
    value
  end

  def __put_each(keys, values)
    i = 0
    while i < keys.size
      __put(keys.__item(i), values.__item(i))
      i += 1
    end
  end

  def __put_all(other)
    other.__each_pair { |k, v| __put(k, v) }
  end

  def __map_pairs
    out = __list(size)
    __each_pair { |k, v| out.__push(yield(k, v)) }
    out
  end

  def __each_pair
    i = 0
    while i < size
      yield __keys.__item(i), __values.__item(i)
      i += 1
    end
  end

  # Windows that overlap have the same pairs, and a cycle goes round through the same.
  def each_cons(n)
    count = size
    to_a.each_cons(n) do |pairs|
      yield pairs
      __refuse_other_keys if size != count
    end
    self
  end

  def cycle(n = nil)
    count = size
    seen = 0
    to_a.cycle(n) do |pair|
      yield pair
      seen += 1
      __refuse_other_keys if seen <= count && size != count
    end
  end

  def __copy_hash
    out = __fresh_alike.__push_pairs(self)
    out.__give_default(__given.__item(0)) if __given? && __given.size > 0
    out
  end

  # Those of which the section has given one another default.
  def __missing_given(key)
    __given.size == 0 ? __missing_own(key) : __given.__item(0)
  end

  def __default_given
    __given.size == 0 ? __default_own : __given.__item(0)
  end

  def select
    out = __fresh
    n = size
    each do |k, v|
      out.__insert(k, v) if yield(k, v)
      __refuse_fewer(n)
    end
    out
  end

  def reject
    out = __fresh
    n = size
    each do |k, v|
      out.__insert(k, v) unless yield(k, v)
      __refuse_fewer(n)
    end
    out
  end

  def compact
    out = __fresh
    __each_pair { |k, v| out.__insert(k, v) unless v.__nil? }
    out
  end

  def slice(*keys)
    out = __fresh
    keys.each do |key|
      place = __find(key)
      out.__put(key, __values.__item(place)) if place >= 0
    end
    out
  end

  def except(*keys)
    out = __fresh.__push_pairs(self)
    keys.each { |key| out.__delete(key) }
    out
  end

  def transform_values
    out = __fresh
    n = size
    each do |k, v|
      out.__insert(k, yield(v))
      __refuse_fewer(n)
    end
    out
  end

  def __transform_keys
    out = __fresh
    each { |k, v| out.__put(yield(k), v) }
    out
  end

  # By the keys of another Hash, whose default does not count.
  def __rename_keys(names)
    __rename_keys_block(names) { |k| k }
  end

  def __rename_keys_block(names)
    names = __hash_argument(names)
    out = __fresh
    each do |k, v|
      place = names.__find_raw(k)
      out.__put(place < 0 ? yield(k) : names.__raw_values.__item(place), v)
    end
    out
  end

  def invert
    out = __fresh
    __each_pair { |k, v| out.__put(v, k) }
    out
  end

  def __to_h_block
    out = __fresh
    each { |k, v| out.__put_pair(yield(k, v)) }
    out
  end

  def __merge(*others)
    out = __copy_hash
    others.each { |other| out.__put_all(__hash_argument(other)) }
    out
  end

  def __merge_block(*others)
    out = __copy_hash
    others.each { |other| out.__merge_one(other) { |k, a, b| yield k, a, b } }
    out
  end

  def __merge_one(other)
    __change
    __hash_argument(other).__each_pair do |k, v|
      place = __find(k)
      if place < 0
        __insert(k, v)
      else
        __values.__set(place, yield(k, __values.__item(place), v))
      end
    end
  end

  def __within?(other)
    __each_pair do |k, v|
      place = other.__find(k)
      return false if place < 0 || !v.__equals(other.__values.__item(place))
    end
    true
  end

  def <=(other)
    size <= __hash_argument(other).size && __within?(other)
  end

  def <(other)
    size < __hash_argument(other).size && __within?(other)
  end

  def >=(other)
    size >= __hash_argument(other).size && other.__within?(self)
  end

  def >(other)
    size > __hash_argument(other).size && other.__within?(self)
  end

  def __equal(other)
    size == other.size && __within?(other)
  end

  def __eql(other)
    return false if size != other.size

    __each_pair do |k, v|
      place = other.__find(k)
      return false if place < 0 || !v.eql?(other.__values.__item(place))
    end
    true
  end

  def __equal_within(other, trail)
    return false if size != other.size
    return true if trail.__met?(__identity, other.__identity)

    trail.__push(__identity).__push(other.__identity)
    __each_pair do |k, v|
      place = other.__find(k)
      return false if place < 0 || !v.__equals_within(other.__values.__item(place), trail)
    end
    trail.__resize(trail.size - 2)
    true
  end

  def __eql_within(other, trail)
    return false if size != other.size
    return true if trail.__met?(__identity, other.__identity)

    trail.__push(__identity).__push(other.__identity)
    __each_pair do |k, v|
      place = other.__find(k)
      return false if place < 0 || !v.__eqls_within(other.__values.__item(place), trail)
    end
    trail.__resize(trail.size - 2)
    true
  end

  def key?(key)
    __find_raw(key) >= 0
  end

  def values_at(*keys)
    keys.map { |key| self[key] }
  end

  def __fetch_values(*keys)
    keys.map { |key| __fetch(key) }
  end

  def __fetch_values_block(*keys)
    keys.map { |key| __fetch_block(key) { |missing| yield missing } }
  end

  # MRI looks by the hash first, in large ones or in all, and then through all by `==`.
  def assoc(key)
    if size > 8 || __ruby?(:hash_assoc_gives_argument)
      place = __find(key)
      return [key, __values.__item(place)] if place >= 0
    end
    each { |k, v| return [k, v] if key.__equals(k) }
    nil
  end

  def rassoc(value)
    each { |pair| return pair if value.__equals(pair[1]) }
    nil
  end

  def key(value)
    each { |k, v| return k if v.__equals(value) }
    nil
  end

  def value?(value)
    each_value { |v| return true if v.__equals(value) }
    false
  end

  def keys
    __keys.__copy
  end

  def values
    __values.__copy
  end

  def each_key
    each { |key, _| yield key }
    self
  end

  def each_value
    each { |_, value| yield value }
    self
  end

  # What `format` finds by a name.
  def __format_value(name, shown)
    found = false
    result = nil
    each do |key, value|
      if key.is_a?(Symbol) && key.to_s == name
        found = true
        result = value
      end
    end
    result = default unless found
    return result if found || !result.nil?

    # In the encoding of the format, as a text that is given is.
    message = "key#{shown} not found"
    raise KeyError.new(message, receiver: self, key: name.to_sym)
  end
end

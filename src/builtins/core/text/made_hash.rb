# A Hash that a section makes, or changes: lists of keys and values, and one of slots, where there are enough pairs. Each
# pair has a number, and the slot that its key names, or the next that is free, holds it. Behind the slots stand how many
# pairs are dead, and the number before that of the first pair. A pair that is deleted is dead, which the sign of its
# number says, until a method goes through the pairs (`__dense`) or there are no slots left: so deletion takes constant
# time in the long run. Those of Hashes of the heap are dropped before Ruby sees them (`dead_pairs.rs`).

module MadeHash
  # The index of a key, or -1.
  def __find_made(key)
    __raw_keys.__place_in(key, __slots)
  end

  def __find_dense(key)
    __dense
    __find_made(key)
  end

  def __dead
    slots = __slots
    slots.size == 0 ? 0 : slots.__item(slots.size - 2)
  end

  def __before
    slots = __slots
    slots.__item(slots.size - 1)
  end

  def __live
    __raw_keys.size - __dead
  end

  def __dead?(place)
    __raw_keys.__dead_in?(place, __slots)
  end

  # Leaves no dead pairs.
  def __dense
    __compact if __deletes? && __dead > 0
  end

  # Where Ruby goes through a copy.
  def __refuse_fewer(count)
    __refuse_other_keys if __deletes_within? && size != count
  end

  # Before all pairs are gone through. What blocks delete meanwhile is to be dead, not to go, as what is behind it would move.
  def __begin_each
    __compact if __dead * 4 > __raw_keys.size && !__within_loops?
    return unless __deletes_within?

    keys = __raw_keys
    keys.__index_in(__slots) if __slots.size == 0 && keys.size > 0 && keys.__hashes?
  end

  # Pairs have numbers, which stay theirs until the Hash is made dense or gets a new index: that before the first one's, and
  # the last.
  def __numbered_from
    __slots.size == 0 ? 0 : __before
  end

  def __numbered_to
    __raw_keys.size + __numbered_from
  end

  # The place of the next pair that is not dead, after the one of a number. `done` were gone through, of as many as were
  # `live` when that began.
  def __next_pair(last, done, to, live)
    n = __raw_keys.size
    return 0 if n == 0

    if __numbered_to != to
      # It is dense since, which is no harm if nothing was deleted or added.
      __refuse_other_keys if size != live
      return done
    end
    place = last - __numbered_from + 1
    place = 0 if place < 0
    if __dead > 0
      place += 1 while place < n && __dead?(place)
    end
    place
  end

  def __compact
    keys = __raw_keys
    values = __raw_values
    i = 0
    count = 0
    while i < keys.size
      unless __dead?(i)
        keys.__set(count, keys.__item(i))
        values.__set(count, values.__item(i))
        count += 1
      end
      i += 1
    end
    keys.__resize(count)
    values.__resize(count)
    __slots.__resize(0)
  end

  # Drops dead pairs at the beginning.
  def __trim
    return unless __deletes?

    slots = __slots
    while __dead > 0 && __dead?(0)
      __raw_keys.__drop_front(1)
      __raw_values.__drop_front(1)
      slots.__set(slots.size - 1, __before + 1)
      slots.__set(slots.size - 2, __dead - 1)
    end
  end

  # Behind the others: none has the key.
  def __insert(key, value)
    __insert_itself(key.__as_key, value)
  end

  # The same, of a String itself, not of a frozen copy.
  def __insert_itself(key, value)
    __change
    key = __check_key(key)
    __take_slot(key) if __raw_keys.__hashes?(key)
    __raw_keys.__push(key)
    __raw_values.__push(value)
  end

  # A pair of a literal whose keys are literals, Strings of which are frozen, and all different. If there are many, `__index`
  # comes behind them.
  def __put_other(key, value)
    __change
    __raw_keys.__push(__check_key(key))
    __raw_values.__push(value)
  end

  def __put_others(keys, values)
    __change
    i = 0
    while i < keys.size
      __raw_keys.__push(__check_key(keys.__item(i)))
      __raw_values.__push(values.__item(i))
      i += 1
    end
  end

  def __index
    __raw_keys.__index_in(__slots) if __raw_keys.__hashes?
  end

  # Takes those of another Hash, where there are none yet. Slots that are words say of both where a key is.
  def __push_pairs(other)
    other.__keys.__push_to(__raw_keys)
    other.__values.__push_to(__raw_values)
    slots = other.__slots
    slots.__push_to(__slots) if __slots.__takes_words?(slots)
    self
  end

  # The slot of a key is that of the pair which comes next.
  def __take_slot(key)
    keys = __raw_keys
    __dense if __deletes? && keys.__fills?(__slots)
    keys.__take_slot(key, __slots)
  end

  def []=(key, value)
    __put(key, value)
  end

  def __give_default(value)
    __change_default
    given = __given
    given.__resize(0)
    given.__push(value)
    nil
  end

  def __delete(key)
    __change
    place = __find_raw(key)
    return nil if place < 0

    value = __raw_values.__item(place)
    __remove(place)
    value
  end

  def __delete_block(key)
    __change
    place = __find_raw(key)
    return yield(key) if place < 0

    value = __raw_values.__item(place)
    __remove(place)
    value
  end

  def __remove(place)
    keys = __raw_keys
    slots = __slots
    if __lazy? && slots.size > 0 && keys.__hashes?
      slot = keys.__slot_of(keys.__item(place), slots)
      slots.__set(slot, -slots.__item(slot))
      slots.__set(slots.size - 2, __dead + 1)
      __trim if place == 0
    else
      keys.__delete_at(place)
      __raw_values.__delete_at(place)
      slots.__resize(0)
    end
  end

  def __first_pair
    __trim
    size == 0 ? nil : [__raw_keys.__item(0), __raw_values.__item(0)]
  end

  def shift
    __change
    __trim
    return __ruby?(:empty_shift_gives_default) ? __missing(nil) : nil if size == 0

    pair = [__raw_keys.__item(0), __raw_values.__item(0)]
    __remove(0)
    pair
  end

  def clear
    __cut_to(0)
    self
  end

  def __cut_to(count)
    __change
    __raw_keys.__resize(count)
    __raw_values.__resize(count)
    __slots.__resize(0)
  end

  # Keeps the pairs for which the block is true. A pair that goes is gone when the block runs for the next: it may look at
  # the Hash, and it may not come back. Dead pairs are all before the next one, and none may be left after a block.
  def __keep
    __change
    __dense
    __raw_keys.__index_in(__slots) if __slots.size == 0 && __raw_keys.size >= 16 && __raw_keys.__hashes?
    all = size
    kept = 0
    gone = 0
    while kept + gone < all
      place = kept + __dead
      keeps = yield __raw_keys.__item(place), __raw_values.__item(place)
      __refuse_other_keys if size != all - gone
      if keeps
        kept += 1
      else
        __remove(kept + __dead)
        gone += 1
      end
    end
    gone > 0
  end

  def keep_if
    __keep { |k, v| yield k, v }
    self
  end

  def delete_if
    __keep { |k, v| !yield(k, v) }
    self
  end

  def select!
    __keep { |k, v| yield k, v } ? self : nil
  end

  def reject!
    __keep { |k, v| !yield(k, v) } ? self : nil
  end

  def compact!
    __keep { |_, v| !v.__nil? } ? self : nil
  end

  def transform_values!
    __change
    i = 0
    while i < size
      __values.__set(i, yield(__values.__item(i)))
      i += 1
    end
    self
  end

  # One pair after the other: what has become a key of another pair stays.
  def __transform_keys!
    __change
    given = __fresh
    to_a.each do |pair|
      key = pair.__item(0)
      name = yield key
      __delete(key) if given.__find_raw(key) < 0
      self[name] = pair.__item(1)
      given.__put(name, nil)
    end
    self
  end

  def __rename_keys!(names)
    __rename_keys_block!(names) { |k| k }
  end

  def __rename_keys_block!(names)
    names = __hash_argument(names)
    __transform_keys! do |k|
      place = names.__find_raw(k)
      place < 0 ? yield(k) : names.__raw_values.__item(place)
    end
  end

  def __replace(other)
    __change
    other = __hash_argument(other)
    return self if equal?(other)

    pairs = other.to_a
    __cut_to(0)
    pairs.each { |pair| __put(pair.__item(0), pair.__item(1)) }
    self
  end

  def __merge!(*others)
    __change
    others.each { |other| __put_all(__hash_argument(other)) }
    self
  end

  def __merge_block!(*others)
    __change
    others.each { |other| __merge_one(other) { |k, a, b| yield k, a, b } }
    self
  end

  # A pair that is given as an array.
  def __put_pair(value)
    pair = __pair(value)
    raise ArgumentError, "element has wrong array length (expected 2, was #{pair.size})" if pair.size != 2

    __put(pair.__item(0), pair.__item(1))
  end

  # The same of the item of an array at an index.
  def __put_pair_at(value, i)
    pair = __pair(value, i)
    raise ArgumentError, "wrong array length at #{i} (expected 2, was #{pair.size})" if pair.size != 2

    __put(pair.__item(0), pair.__item(1))
  end
end

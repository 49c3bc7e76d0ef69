# Arrays as the keys of Hashes that a section makes, and as sets: what only keys and slots have to do with, whatever the
# values and the default of a Hash are. Slots say where a key is: the slot that its hash names, or the next that is free,
# holds its number, from 1 on. Few keys are gone through instead, and those that only their own `eql?` can tell apart. From
# sets nothing is deleted.

module Array
  # The index of a key, or -1.
  def __place_in(key, slots)
    return __place_of_key(key) unless __hashes?(key)

    __index_in(slots) if slots.size == 0 && size >= 16
    return __place_of_key(key) if slots.size == 0

    number = slots.__item(__slot_of(key, slots))
    number == 0 ? -1 : number - slots.__item(slots.size - 1) - 1
  end

  # The slot that has the key, or where it belongs.
  def __slot_of(key, slots)
    last = slots.size - 3
    before = slots.__item(slots.size - 1)
    slot = key.__hash & last
    while true
      number = slots.__item(slot)
      return slot if number == 0 || (number > before && key.__alike(__item(number - before - 1)))

      slot = (slot + 1) & last
    end
  end

  # Would one key more be too many for the slots?
  def __fills?(slots)
    slots.size > 0 && (size + slots.__item(slots.size - 1) + 1) * 2 > slots.size - 2
  end

  # The slot of a key that comes next, where there are enough.
  def __take_slot(key, slots)
    return if slots.size == 0 && size < 16

    __index_in(slots) if slots.size == 0 || __fills?(slots)
    slots.__set(__slot_of(key, slots), size + 1 + slots.__item(slots.size - 1))
  end

  # New slots for all keys, none of which is dead.
  def __index_in(slots)
    slots.__free(size * 8)
    last = slots.size - 3
    i = 0
    while i < size
      slot = __item(i).__hash & last
      slot = (slot + 1) & last while slots.__item(slot) > 0
      i += 1
      slots.__set(slot, i)
    end
  end

  # So many slots or more, all of which are free.
  def __free(least)
    count = 64
    count *= 2 while count < least
    __resize(0)
    __push(0)
    while size < count + 2
      n = count + 2 - size
      n = size if size < n
      __takes_words?(self) ? __push_words(self, 0, n) : __push(0)
    end
  end

  def __dead_in?(place, slots)
    last = slots.size - 3
    number = place + 1 + slots.__item(slots.size - 1)
    slot = __item(place).__hash & last
    while true
      there = slots.__item(slot)
      return there < 0 if there == number || there == -number

      slot = (slot + 1) & last
    end
  end

  # Puts the value behind the items of a set unless it is among them: did it? The slots begin empty, and serve only this.
  def __add(value, slots)
    if __hashes?(value) && size >= 16
      __index_in(slots) if slots.size == 0 || __fills?(slots)
      slot = __slot_of(value, slots)
      return false if slots.__item(slot) > 0

      slots.__set(slot, size + 1)
    elsif __has(value)
      return false
    end
    __push(value)
    true
  end

  # The slots of all items, of which several may be alike, to ask `__holds` so many times.
  def __slots(times)
    slots = __list(0)
    if __hashes? && times > 16 && size > 16
      slots.__free(size * 2)
      i = 0
      while i < size
        slot = __slot_of(__item(i), slots)
        i += 1
        slots.__set(slot, i) if slots.__item(slot) == 0
      end
    end
    slots
  end

  def __holds(value, slots)
    __hashes?(value) && slots.size > 0 ? slots.__item(__slot_of(value, slots)) > 0 : __has(value)
  end
end

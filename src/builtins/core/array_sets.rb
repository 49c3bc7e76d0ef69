# Array: sets of items.

module Array
  # ---- sets. Slots say where an item is: the slot that its hash names, or the next that is free, holds the number of
  # the item from 1 on. Few items are gone through instead, and those that only their own `eql?` can tell apart.

  # Puts the value behind the items unless it is among them: did it? The slots begin empty, and serve only this.
  def __add(value, slots)
    if __hashes?(value) && size > 16
      __refill(slots) if size * 2 > slots.size
      slot = __slot(value, slots)
      return false if slots.__item(slot) > 0

      slots.__set(slot, size + 1)
    elsif __has(value)
      return false
    end
    __push(value)
    true
  end

  # More slots for the items, no two of which are alike: four times as many, or more where there are none.
  def __refill(slots)
    count = slots.size == 0 ? 64 : slots.size * 4
    count *= 2 while count < size * 2
    slots.__resize(0)
    count.times { slots.__push(0) }
    last = count - 1
    i = 0
    while i < size
      slot = __item(i).__hash & last
      slot = (slot + 1) & last while slots.__item(slot) > 0
      i += 1
      slots.__set(slot, i)
    end
  end

  # The slots of all items, to ask `__holds` so many times.
  def __slots(times)
    slots = __list(0)
    if __hashes? && times > 16 && size > 16
      count = 64
      count *= 2 while count < size * 2
      count.times { slots.__push(0) }
      i = 0
      while i < size
        slot = __slot(__item(i), slots)
        i += 1
        slots.__set(slot, i) if slots.__item(slot) == 0
      end
    end
    slots
  end

  def __holds(value, slots)
    __hashes?(value) && slots.size > 0 ? slots.__item(__slot(value, slots)) > 0 : __has(value)
  end

  # The slot that has the value, or where it belongs.
  def __slot(value, slots)
    last = slots.size - 1
    slot = value.__hash & last
    while true
      number = slots.__item(slot)
      return slot if number == 0 || value.__alike(__item(number - 1))

      slot = (slot + 1) & last
    end
  end
end

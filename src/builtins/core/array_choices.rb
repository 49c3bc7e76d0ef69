# Array: choices of items, in order and by chance.

module Array
  # ---- products

  def __product_all(others)
    out = __list(__room)
    __each_choice(others) { |row| out.__push(row) }
    out
  end

  def __product_all_block(others)
    # MRI goes through copies.
    __listed.__each_choice(others.map { |other| other.__as_array.__listed }) { |row| yield row }
    self
  end

  # An item of the array and of each of the others, those of the last one changing first.
  def __each_choice(others)
    lists = __list(others.size)
    places = __list(others.size)
    none = false
    others.each do |other|
      list = other.__as_array
      lists.__push(list)
      places.__push(0)
      none = true if list.size == 0
    end
    return if none

    each do |x|
      more = true
      while more
        row = __list(lists.size + 1)
        row.__push(x)
        i = 0
        while i < lists.size
          row.__push(lists.__item(i).__item(places.__item(i)))
          i += 1
        end
        yield row
        more = __next_choice?(lists, places)
      end
    end
  end

  def __next_choice?(lists, places)
    i = lists.size - 1
    while i >= 0
      place = places.__item(i) + 1
      places.__set(i, place < lists.__item(i).size ? place : 0)
      return true if places.__item(i) > 0

      i -= 1
    end
    false
  end

  # ---- choices of items. The order is that of the indices; an item alone is looked up as it comes, as in MRI.

  def combination(n)
    items = __copy
    count = __to_long(n)
    if count == 1
      each { |x| yield [x] }
    elsif count >= 0 && count <= items.size
      size = items.size
      at = __list(count)
      count.times { |i| at.__push(i) }
      i = 0
      while i >= 0
        yield items.__chosen(at, count)
        i = count - 1
        i -= 1 while i >= 0 && at.__item(i) == size - count + i
        at.__count_up(i, count, at.__item(i) + 1, 1) if i >= 0
      end
    end
    self
  end

  def repeated_combination(n)
    items = __copy
    count = __to_long(n)
    if count == 1
      each { |x| yield [x] }
    elsif count == 0 || (count > 0 && items.size > 0)
      last = items.size - 1
      at = __list(count)
      count.times { at.__push(0) }
      i = 0
      while i >= 0
        yield items.__chosen(at, count)
        i = count - 1
        i -= 1 while i >= 0 && at.__item(i) == last
        at.__count_up(i, count, at.__item(i) + 1, 0) if i >= 0
      end
    end
    self
  end

  def repeated_permutation(n)
    items = __copy
    count = __to_long(n)
    raise ArgumentError, "malloc: possible integer overflow (#{count}*8)" if count >= 2_305_843_009_213_693_952

    if count == 1
      each { |x| yield [x] }
    elsif count == 0 || (count > 0 && items.size > 0)
      last = items.size - 1
      at = __list(count)
      count.times { at.__push(0) }
      i = 0
      while i >= 0
        yield items.__chosen(at, count)
        i = count - 1
        i -= 1 while i >= 0 && at.__item(i) == last
        if i >= 0
          at.__set(i, at.__item(i) + 1)
          at.__count_up(i + 1, count, 0, 0)
        end
      end
    end
    self
  end

  def permutation(n = nil)
    items = __copy
    count = n.__nil? ? items.size : __to_long(n)
    if count == 1
      each { |x| yield [x] }
    elsif count >= 0 && count <= items.size
      size = items.size
      at = __list(count)
      count.times { |i| at.__push(i) }
      i = 0
      while i >= 0
        yield items.__chosen(at, count)
        # The last index that has a larger one which none before it has.
        i = count - 1
        following = 0
        while i >= 0
          following = at.__unused(at.__item(i) + 1, i)
          break if following < size

          i -= 1
        end
        if i >= 0
          at.__set(i, following)
          i += 1
          while i < count
            at.__set(i, at.__unused(0, i))
            i += 1
          end
        end
      end
    end
    self
  end

  # Items from index i on: value, value + step …
  def __count_up(i, count, value, step)
    while i < count
      __set(i, value)
      value += step
      i += 1
    end
    self
  end

  # The first number from `number` on that is none of the first `count` items.
  def __unused(number, count)
    i = 0
    while i < count
      if __item(i) == number
        number += 1
        i = 0
      else
        i += 1
      end
    end
    number
  end

  # The items at so many indices.
  def __gathered(at, count)
    out = __list(count)
    count.times { |i| out.__push(__item(at.__item(i))) }
    out
  end

  # ---- by chance

  def __shuffle(random)
    __copy.__shuffle!(random)
  end

  def __shuffle!(random)
    i = size
    while i > 1
      j = __draw(random, i)
      i -= 1
      x = __item(i)
      __set(i, __item(j))
      __set(j, x)
    end
    self
  end

  def __sample(random)
    if size < 2
      __empty? ? nil : __item(0)
    else
      __item(__draw(random, size))
    end
  end

  def __samples(random, n)
    n = __to_long(n)
    raise ArgumentError, "negative sample number" if n < 0

    n = size if n > size
    n > 10 ? __many_samples(random, n) : __few_samples(random, n)
  end

  # Each is one of the items that are left. The indices of those taken ascend in `taken`.
  def __few_samples(random, n)
    out = __list(n)
    taken = __list(n)
    i = 0
    while i < n
      index = size - i < 2 ? 0 : __draw(random, size - i)
      at = 0
      while at < i && index >= taken.__item(at)
        index += 1
        at += 1
      end
      taken.__push(index)
      j = i
      while j > at
        taken.__set(j, taken.__item(j - 1))
        j -= 1
      end
      taken.__set(at, index)
      out.__push(__item(index))
      i += 1
    end
    out
  end

  # The beginning of what a shuffle from the front gives.
  def __many_samples(random, n)
    out = __copy
    i = 0
    while i < n
      left = out.size - i
      j = i + (left < 2 ? 0 : __draw(random, left))
      x = out.__item(i)
      out.__set(i, out.__item(j))
      out.__set(j, x)
      i += 1
    end
    out.__resize(n)
  end
end

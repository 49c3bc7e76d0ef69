module MatchData
  def size
    @__places.size / 2
  end

  def __last
    self
  end

  def __nth(number)
    return nil if number < 0 || number >= size

    from = @__places.__item(2 * number)
    from < 0 ? nil : @__text.__piece(from, @__places.__item(2 * number + 1) - from)
  end

  # 0 is all, -1 what is before it, -2 what is behind it, -3 the last group that matched.
  def __back_reference(part)
    if part == 0
      __nth(0)
    elsif part == -1
      __before
    else
      part == -2 ? __behind : __last_group
    end
  end

  def __named(name)
    __nth(@__regexp.__number_of(name))
  end

  def __before
    @__text.__piece(0, @__places.__item(0))
  end

  def __behind
    from = @__places.__item(1)
    @__text.__piece(from, @__text.__bytesize - from)
  end

  def __last_group
    number = size - 1
    number -= 1 while number > 0 && @__places.__item(2 * number) < 0
    number == 0 ? nil : __nth(number)
  end

  def [](group, count = :__none)
    if !count.equal?(:__none)
      __parts(group, count)
    elsif group.is_a?(Range)
      to_a[group]
    else
      __nth(@__regexp.__group_asked_for(group))
    end
  end

  # From the end on, some versions give as many as are asked for.
  def __parts(first, count)
    parts = to_a[first, count]
    if __ruby?(:match_parts_are_filled) && first.is_a?(Integer) && count.is_a?(Integer) && first < 0 && !parts.__nil?
      parts.__push(nil) while parts.size < count
    end
    parts
  end

  def to_a
    out = __list(size)
    i = 0
    while i < size
      out.__push(__nth(i))
      i += 1
    end
    out
  end

  def captures
    out = __list(size)
    i = 1
    while i < size
      out.__push(__nth(i))
      i += 1
    end
    out
  end

  def deconstruct
    captures
  end

  def values_at(*groups)
    groups.flat_map do |group|
      found = self[group]
      __refuse_part if group.is_a?(Range) && found.__nil?

      found
    end
  end

  # In the encoding that the pattern is prepared for with such a text. In MRI one beyond ASCII leaves it so for later ones.
  def names
    wide = @__text.__encoding == 0 && !@__text.__ascii?
    @__regexp.__names(wide || @__regexp.fixed_encoding?)
  end

  def named_captures
    found = {}
    names.each { |name| found[name] = __named(name) }
    found
  end

  def pre_match
    __before
  end

  def post_match
    __behind
  end

  def to_s
    __nth(0)
  end

  def string
    @__text.__frozen_copy
  end

  def regexp
    @__regexp
  end

  def __group_at(group)
    number = group.is_a?(String) || group.is_a?(Symbol) ? @__regexp.__group_number(group) : __c_int(group)
    raise IndexError, "index #{number} out of matches" if number < 0 || number >= size

    number
  end

  # A place in characters.
  def __character(place)
    place < 0 ? nil : @__text.__characters(0, place)
  end

  def begin(group)
    __character(@__places.__item(2 * __group_at(group)))
  end

  def end(group)
    __character(@__places.__item(2 * __group_at(group) + 1))
  end

  def offset(group)
    number = __group_at(group)
    [__character(@__places.__item(2 * number)), __character(@__places.__item(2 * number + 1))]
  end

  def byteoffset(group)
    number = __group_at(group)
    from = @__places.__item(2 * number)
    from < 0 ? [nil, nil] : [from, @__places.__item(2 * number + 1)]
  end

  def __places
    @__places
  end

  def ==(other)
    return false unless other.is_a?(MatchData)

    other.string == @__text && other.regexp == @__regexp && other.__places == @__places
  end

  def eql?(other)
    self == other
  end
end

# What `to_s`, `inspect` and `join` give of what is no String: the methods that put Strings together.

module Float
  def to_s
    return __shortest_digits if __intrinsics?
    return "NaN".__force(1) if nan?

    text = self < 0.0 || self == 0.0 && 1.0 / self < 0.0 ? "-".__force(1) : "".__force(1)
    return text.__put("Infinity") if infinite?
    return text.__put("0.0") if self == 0.0

    digits, point = abs.__shortest
    all = digits.to_s
    size = all.__bytesize
    if point > 0 && (point < size || point <= 15)
      text.__append(all, 0, size < point ? size : point)
      (point - size).times { text.__push(48) } if size < point
      text.__push(46)
      size <= point ? text.__push(48) : text.__append(all, point, size - point)
    elsif point > -4 && point <= 0
      text.__put("0.")
      (-point).times { text.__push(48) }
      text.__append(all, 0, size)
    else
      text.__append(all, 0, 1).__push(46)
      size == 1 ? text.__push(48) : text.__append(all, 1, size - 1)
      power = point - 1
      text.__put(power < 0 ? "e-" : "e+")
      power = power.abs
      text.__push(48) if power < 10
      text.__put(power.to_s)
    end
    text
  end

  def inspect
    to_s
  end

  # The fewest digits that are read as this number, which is greater than 0, and of those the nearest: as an Integer
  # that does not end in 0, and where the point is, from its beginning.
  def __shortest
    if self >= 0.00001 && self < 9_007_199_254_740_992.0
      # A quotient of such numbers is rounded once, so it is what is read.
      unit = 1.0
      k = 0
      while k <= 20 && (scaled = self * unit) < (k == 0 ? 9_007_199_254_740_992.0 : 1e15)
        whole = scaled.round
        return whole.__digits_and_point(k) if whole > 0 && whole.to_f / unit == self

        unit *= 10.0
        k += 1
      end
      __nearest(15)
    else
      __nearest(0)
    end
  end

  # The same, where it takes more digits than so many.
  def __nearest(count)
    text, behind = __decimal
    size = text.__bytesize
    point = size - behind
    prefix = 0
    i = 0
    while i < count && i < size
      prefix = prefix * 10 + text.__byte(i) - 48
      i += 1
    end
    while i < 17 && i < size
      prefix = prefix * 10 + text.__byte(i) - 48
      i += 1
      rest = i < size ? text.__byte(i) - 48 : 0
      up = rest > 5 || rest == 5 && (i + 1 < size || prefix.odd?)
      near = up ? prefix + 1 : prefix
      far = up ? prefix : prefix + 1
      return near.__digits_and_point(i - point) if near.__times_ten_to(point - i) == self
      return far.__digits_and_point(i - point) if i < 17 && far.__times_ten_to(point - i) == self
    end
    prefix.__digits_and_point(i - point)
  end
end

module Integer
  # Without the zeros at the end; so many digits are behind the point.
  def __digits_and_point(behind)
    digits = self
    while digits % 10 == 0
      digits /= 10
      behind -= 1
    end
    [digits, digits.to_s.__bytesize - behind]
  end
end

module NilClass
  def inspect
    "nil".__force(1)
  end
end

module TrueClass
  def inspect
    "true".__force(1)
  end
end

module FalseClass
  def inspect
    "false".__force(1)
  end
end

module Symbol
  def inspect
    name = __name
    size = name.__bytesize
    return name.__build(size + 1).__push(58).__append(name, 0, size) if __operator?

    shown = name.inspect
    if shown.__bytesize == size + 2 && name.__plain_name?
      name.__build(size + 1).__push(58).__append(name, 0, size)
    else
      shown.__build(size + 3).__push(58).__append(shown, 0, shown.__bytesize)
    end
  end

  def __operator?
    case self
    when :+, :-, :*, :/, :%, :**, :==, :!=, :===, :=~, :!~, :<, :>, :<=, :>=, :<=>, :<<, :>>, :!, :~, :&, :|, :^,
         :+@, :-@, :[], :[]=, :`
      true
    else
      false
    end
  end
end

module ChangedString
  # Puts a String behind this one.
  def __put(other)
    encoding = __encoding_with(other)
    __append(other, 0, other.__bytesize).__force(encoding)
  end
end

module ChangedString
  # The message of an error with what tells a value: of ASCII only it is in no encoding.
  def __tell(inspected)
    __put(inspected)
    ascii_only? ? __force(2) : self
  end

  def __in_ascii
    ascii_only? ? __force(1) : self
  end
end

module Kernel
  # Of what `fetch` has not found in a Hash: 65 characters of it at most.
  def __is_no_key(hash)
    shown = inspect
    shown = shown[0, 62] + "..." if shown.size > 65
    raise KeyError.new("key not found: #{shown}", receiver: hash, key: self)
  end
end

module Integer
  # As messages tell it: those of more than one word are not.
  def __shown
    __large? ? "Integer" : to_s
  end
end

module Array
  def join(separator = nil)
    return "".__build(0).__force(1) if size == 0
    return __join_within(separator, __trail(:join)) if __cyclic?(:join)

    between = separator.__nil? ? "".__force(1) : "".__string_argument(separator)
    text = "".__build(32).__force(1)
    each_with_index do |item, i|
      text.__put(between) if i > 0
      part = item.__joined(separator)
      text.__force(part.__encoding) if i == 0 && !item.is_a?(Array)
      text.__put(part)
    end
    text
  end

  def __join_within(separator, trail)
    raise ArgumentError, "recursive array join" if trail.__shows?(__identity)

    trail.__push(__identity)
    between = separator.__nil? ? "".__force(1) : "".__string_argument(separator)
    text = "".__build(32).__force(1)
    each_with_index do |item, i|
      text.__put(between) if i > 0
      part = item.__joined_within(separator, trail)
      text.__force(part.__encoding) if i == 0 && !item.is_a?(Array)
      text.__put(part)
    end
    trail.__resize(trail.size - 1)
    text
  end

  def inspect
    return __inspect_within(__trail(:inspect)) if __cyclic?(:inspect)

    text = "".__build(32).__force(1)
    text.__push(91)
    each_with_index do |item, i|
      text.__put(", ") if i > 0
      part = item.inspect
      text.__force(part.__encoding) if i == 0
      text.__put(part)
    end
    text.__push(93)
  end

  # The same, where the trail has the identities of what is being shown.
  def __inspect_within(trail)
    return "[...]".__force(1) if trail.__shows?(__identity)

    trail.__push(__identity)
    text = "".__build(32).__force(1)
    text.__push(91)
    each_with_index do |item, i|
      text.__put(", ") if i > 0
      part = item.__shown_within(trail)
      text.__force(part.__encoding) if i == 0
      text.__put(part)
    end
    trail.__resize(trail.size - 1)
    text.__push(93)
  end

  def __shows?(identity)
    return false if identity == 0

    i = size - 1
    i -= 1 while i >= 0 && __item(i) != identity
    i >= 0
  end

  def to_s
    inspect
  end
end

module Range
  def to_s
    low = self.begin
    high = self.end
    text = low.__nil? ? "".__force(1) : low.to_s
    text.__between(high.__nil? ? "".__force(1) : high.to_s, exclude_end?)
  end

  # What has no end is written as nil where it has neither.
  def inspect
    low = self.begin
    high = self.end
    text = low.__nil? && !high.__nil? ? "".__force(2) : low.inspect
    text.__between(high.__nil? && !low.__nil? ? "".__force(1) : high.inspect, exclude_end?)
  end
end

module TextRange
  def to_s
    "".__force(__from.__encoding).__put(__from).__between(__to, exclude_end?)
  end

  def inspect
    __from.inspect.__between(__to.inspect, exclude_end?)
  end
end

module ChangedString
  # The end of a range behind its beginning, which nobody else has.
  def __between(other, exclusive)
    __push(46).__push(46)
    __push(46) if exclusive
    __put(other)
  end
end

# A member may hold one of the same class: then it calls itself.
module Struct
  def inspect
    __cyclic?(:inspect) ? __inspect_within(__trail(:inspect)) : __inspect
  end

  def __inspect_within(trail)
    return __inspect_again if trail.__shows?(__identity)

    trail.__push(__identity)
    text = __inspect(trail)
    trail.__resize(trail.size - 1)
    text
  end

  def to_s
    inspect
  end
end

module Hash
  def inspect
    return "{}".__force(1) if empty?
    return __inspect_within(__trail(:inspect)) if __cyclic?(:inspect)

    text = "".__build(64).__force(1)
    text.__push(123)
    first = true
    each_pair do |key, value|
      text.__put(", ") unless first
      text.__put_key(key, first)
      first = false
      text.__put(value.inspect)
    end
    text.__push(125)
  end

  def __inspect_within(trail)
    return "{}".__force(1) if empty?
    return "{...}".__force(1) if trail.__shows?(__identity)

    trail.__push(__identity)
    text = "".__build(64).__force(1)
    text.__push(123)
    first = true
    each_pair do |key, value|
      text.__put(", ") unless first
      if key.is_a?(Symbol)
        text.__put_key(key, first)
      else
        shown = key.__shown_within(trail)
        text.__force(shown.__encoding) if first
        text.__put(shown).__put(__ruby?(:hashes_inspect_with_spaces) ? " => " : "=>")
      end
      first = false
      text.__put(value.__shown_within(trail))
    end
    trail.__resize(trail.size - 1)
    text.__push(125)
  end

  def to_s
    inspect
  end
end

module ChangedString
  # A key and what stands behind it; the first tells the encoding.
  def __put_key(key, first)
    if __ruby?(:hashes_inspect_with_spaces)
      if key.is_a?(Symbol)
        __force(key.__name.__encoding) if first
        shown = key.inspect
        if key.__name.__simple_key?
          __put(key.__name)
        else
          shown.__byte(1) == 34 ? __append(shown, 1, shown.__bytesize - 1) : __put(key.__name.inspect)
        end
        __put(": ")
      else
        shown = key.inspect
        __force(shown.__encoding) if first
        __put(shown)
        __put(" => ")
      end
    else
      shown = key.inspect
      __force(shown.__encoding) if first
      __put(shown)
      __put("=>")
    end
  end
end

module String
  # Is it the name of a variable, a constant or a method?
  def __plain_name?
    size = __bytesize
    start = 0
    start += 1 while start < size && start < 2 && __byte(start) == 64
    if size > 0 && __byte(0) == 36
      return true if __special_variable?

      start = 1
    end
    last = size
    if start == 0 && size > 1
      byte = __byte(size - 1)
      last -= 1 if byte == 33 || byte == 61 || byte == 63
    end
    return false if start >= last

    i = start
    while i < last
      byte = __byte(i)
      letter = byte >= 128 || byte == 95 || byte >= 65 && byte <= 90 || byte >= 97 && byte <= 122
      return false unless letter || i > start && byte >= 48 && byte <= 57

      i += 1
    end
    true
  end

  # Is it `$1`, `$!`, `$-w` or the like?
  def __special_variable?
    size = __bytesize
    return false if size < 2

    first = __byte(1)
    if first == 45
      return false if size != 3

      byte = __byte(2)
      return byte == 95 || byte >= 48 && byte <= 57 || byte >= 65 && byte <= 90 || byte >= 97 && byte <= 122
    end
    if size == 2
      case first
      when 33, 34, 36, 38, 39, 42, 43, 44, 46, 47, 58, 59, 60, 61, 62, 63, 64, 92, 96, 126 then return true
      end
    end
    i = 1
    i += 1 while i < size && __byte(i) >= 48 && __byte(i) <= 57
    i == size
  end

  # Can it stand before a colon as the key of a Hash?
  def __simple_key?
    size = __bytesize
    return false if size == 0

    i = 0
    while i < size
      byte = __byte(i)
      letter = byte >= 128 || byte == 95 || byte >= 65 && byte <= 90 || byte >= 97 && byte <= 122
      digit = byte >= 48 && byte <= 57
      last = i == size - 1 && i > 0 && (byte == 33 || byte == 63)
      return false unless letter || digit && i > 0 || last

      i += 1
    end
    true
  end
end

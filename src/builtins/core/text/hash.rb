# Hashes as text.

module Hash
  # As `__out_pretty_pairs`, of what may hold itself.
  def __out_pretty_within(trail)
    return nil if trail.__shows?(__identity)

    trail.__push(__identity)
    __each_pair do |key, value|
      __out_pretty_part(key, trail)
      __out_pretty_part(value, trail)
    end
    trail.__resize(trail.size - 1)
    nil
  end

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

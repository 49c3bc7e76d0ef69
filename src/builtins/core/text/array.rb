# Arrays as text.

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

  # As `__out_pretty_items`, of what may hold itself.
  def __out_pretty_within(trail)
    return nil if trail.__shows?(__identity)

    trail.__push(__identity)
    each { |item| __out_pretty_part(item, trail) }
    trail.__resize(trail.size - 1)
    nil
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

module Struct
  def ==(other)
    return true if __is(other)

    peer = __peer(other)
    return false if peer.__nil?

    __cyclic?(:==) ? __equal_within(peer, __trail(:==)) : __items == peer.__items
  end

  def eql?(other)
    return true if __is(other)

    peer = __peer(other)
    return false if peer.__nil?

    __cyclic?(:eql?) ? __eql_within(peer, __trail(:eql?)) : __items.__eql(peer.__items)
  end

  def __equal_within(other, trail)
    return true if trail.__met?(__identity, other.__identity)

    trail.__push(__identity).__push(other.__identity)
    return false unless __items.__equals_within(other.__items, trail)

    trail.__resize(trail.size - 2)
    true
  end

  def __eql_within(other, trail)
    return true if trail.__met?(__identity, other.__identity)

    trail.__push(__identity).__push(other.__identity)
    return false unless __items.__eqls_within(other.__items, trail)

    trail.__resize(trail.size - 2)
    true
  end

  def values_at(*indices)
    all = to_a
    indices.each { |index| index.is_a?(Range) ? all.values_at(index) : __check_offset(index, size) }
    all.values_at(*indices)
  end

  def __check_offset(index, size)
    i = __to_long(index)
    __no_member(i, size) if i >= size || i < -size
  end

  # MRI makes a Fixnum of the number, which loses its highest bit, and of that an `int` (`invalid_struct_pos`).
  def __no_member(number, size)
    i = number
    i = number - 4_611_686_018_427_387_904 - 4_611_686_018_427_387_904 if number >= 4_611_686_018_427_387_904
    i = number + 4_611_686_018_427_387_904 + 4_611_686_018_427_387_904 if number < -4_611_686_018_427_387_904
    __c_int(i)
    raise IndexError, "offset #{i} too small for struct(size:#{size})" if i < 0

    raise IndexError, "offset #{i} too large for struct(size:#{size})"
  end
end

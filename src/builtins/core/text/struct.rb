# A member may hold one of the same class: then it calls itself.

module Struct
  def inspect
    __cyclic?(:inspect) ? __inspect_within(__trail(:inspect)) : __inspect
  end

  # Of what all objects have.
  def __show
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

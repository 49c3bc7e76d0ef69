# Array: `pack`.

module Array
  # By a format that is put together.
  def __pack_by(format)
    if format == "U*"
      __pack_characters("".__force(0), 0)
    elsif format == "U"
      "".__force(0).__pack_character(__pack_item(0))
    elsif format == "C*" || format == "c*"
      __pack_integers("".__force(2), 0, 1, false)
    else
      format.__refuse_directive unless format == "C" || format == "c"
      "".__force(2).__pack_integer(__pack_item(0), 1, false)
    end
  end

  def __pack_item(i)
    raise ArgumentError, "too few arguments" if i >= size

    self[i]
  end

  def __each_from(i)
    while i < size
      yield self[i]
      i += 1
    end
  end

  def __pack_integers(out, i, width, big)
    __each_from(i) { |item| out.__pack_integer(item, width, big) }
    out
  end

  def __pack_floats(out, i, width, big)
    __each_from(i) { |item| out.__pack_float(item, width, big) }
    out
  end

  def __pack_compressed_all(out, i)
    __each_from(i) { |item| out.__pack_compressed(item) }
    out
  end

  def __pack_characters(out, i)
    __each_from(i) { |item| out.__pack_character(item) }
    out
  end
end

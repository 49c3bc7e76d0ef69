module NilClass
  def to_s
    "".__force(1).__intern
  end

  # Nothing was matched.
  def __last
    nil
  end

  def =~(_other)
    nil
  end

  def inspect
    "nil".__force(1)
  end

  def to_r
    __rational(0, 1)
  end

  def to_c
    __complex(0, 0)
  end

  def rationalize(_range = :__none)
    __rational(0, 1)
  end
end

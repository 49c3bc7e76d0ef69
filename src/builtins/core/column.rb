module Column
  def reverse_each
    i = size - 1
    while i >= 0
      yield __item(i)
      i -= 1
    end
    self
  end

  def __fetch_block(index, given)
    index += size if index < 0
    index >= 0 && index < size ? __item(index) : yield(given)
  end

  def __equal(other)
    return false if size != other.size
    i = 0
    while i < size
      return false unless __item(i).__equals(other.__item(i))
      i += 1
    end
    true
  end
end

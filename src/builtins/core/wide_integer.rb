# Integers of 128 bits in registers (`infer/wide_integers.rs`): what fits 64 bits may be one. `__narrow` gives an Integer
# of 64 bits, or one of any size. What is not here and is named in `METHODS` there, BigInteger has for both.

module WideInteger
  def [](index, size = :__none)
    return __narrow[index, size] unless size.equal?(:__none)
    return __narrow[index] unless index.is_a?(Integer)
    return index < 0 || self >= 0 ? 0 : 1 if index.__big?

    index < 0 ? 0 : (self >> index) & 1
  end

  def div(other)
    other.is_a?(Integer) ? self / other : __narrow.div(other)
  end

  def even?
    __low & 1 == 0
  end

  def odd?
    __low & 1 == 1
  end

  def zero?
    __low | __high == 0
  end

  def nonzero?
    zero? ? nil : self
  end

  def to_f
    __high == 0 ? __float_of_low : __narrow.to_f
  end
end

# Ruby's own methods written in Ruby, over the few that are rules in Rust. They are compiled with the section that
# calls them and inlined there; errors in them are reported at the caller's line. Semantics are those of MRI's C.

module Comparable
  def clamp(low, high = nil)
    if low > high
      raise ArgumentError, "min argument must be smaller than max argument"
    end
    if self < low
      low
    elsif self > high
      high
    else
      self
    end
  end

  def between?(low, high)
    self >= low && self <= high
  end
end

module Numeric
  def step(limit, by = 1)
    if by == 0
      raise ArgumentError, "step can't be 0"
    end
    if is_a?(Float) || limit.is_a?(Float) || by.is_a?(Float)
      # MRI counts the steps first so that errors do not add up (ruby_float_step).
      first = to_f
      unit = by.to_f
      span = (limit.to_f - first) / unit
      slack = (first.abs + limit.to_f.abs + (limit.to_f - first).abs) / unit.abs * 2.220446049250313e-16
      slack = 0.5 if slack > 0.5
      if span + slack >= 0.0
        n = (span + slack).floor
        i = 0
        while i <= n
          x = i * unit + first
          x = limit.to_f if (unit >= 0.0 && limit.to_f < x) || (unit < 0.0 && limit.to_f > x)
          yield x
          i += 1
        end
      end
    else
      i = self
      if by > 0
        while i <= limit
          yield i
          i += by
        end
      else
        while i >= limit
          yield i
          i += by
        end
      end
    end
    self
  end
end

module Integer
  def pow(exponent, modulus = nil)
    if modulus.nil?
      self**exponent
    else
      raise ZeroDivisionError, "divided by 0" if modulus == 0
      raise RangeError, "Integer#pow() 2nd argument cannot be negative when 3rd argument specified" if exponent < 0
      result = 1 % modulus
      base = self % modulus
      n = exponent
      while n > 0
        result = result * base % modulus if n.odd?
        base = base * base % modulus if n > 1
        n >>= 1
      end
      result
    end
  end

  def gcd(other)
    a = abs
    b = other.abs
    while b != 0
      t = a % b
      a = b
      b = t
    end
    a
  end

  def lcm(other)
    if self == 0 || other == 0
      0
    else
      (self / gcd(other) * other).abs
    end
  end

  # MRI divides by the greatest common divisor first, so that large Integers round once.
  def fdiv(other)
    if other.is_a?(Integer) && other != 0 && self != 0
      divisor = gcd(other)
      (self / divisor).to_f / (other / divisor).to_f
    else
      to_f / other.to_f
    end
  end

  def ceildiv(other)
    -(-self / other)
  end
end

module Enumerable
  def each_with_index
    i = 0
    each do |x|
      yield x, i
      i += 1
    end
    self
  end

  def each_index
    size.times { |i| yield i }
    self
  end

  def reverse_each
    i = size - 1
    while i >= 0
      yield __item(i)
      i -= 1
    end
    self
  end

  def any?
    each { |x| return true if yield(x) }
    false
  end

  def all?
    each { |x| return false unless yield(x) }
    true
  end

  def none?
    each { |x| return false if yield(x) }
    true
  end

  def one?
    n = 0
    each { |x| n += 1 if yield(x) }
    n == 1
  end

  def find
    each { |x| return x if yield(x) }
    nil
  end

  def detect
    each { |x| return x if yield(x) }
    nil
  end

  def find_index
    i = 0
    each do |x|
      return i if yield(x)
      i += 1
    end
    nil
  end

  def include?(value)
    each { |x| return true if x == value }
    false
  end

  def member?(value)
    each { |x| return true if x == value }
    false
  end

  def min_by
    return nil if __empty?
    best = __item(0)
    least = yield best
    i = 1
    n = size
    while i < n
      x = __item(i)
      key = yield x
      if (key <=> least) < 0
        least = key
        best = x
      end
      i += 1
    end
    best
  end

  def max_by
    return nil if __empty?
    best = __item(0)
    most = yield best
    i = 1
    n = size
    while i < n
      x = __item(i)
      key = yield x
      if (key <=> most) > 0
        most = key
        best = x
      end
      i += 1
    end
    best
  end

  def __count_block
    n = 0
    each { |x| n += 1 if yield(x) }
    n
  end

  def __count_value(value)
    n = 0
    each { |x| n += 1 if x == value }
    n
  end

  def __inject_from(initial)
    acc = initial
    each { |x| acc = yield(acc, x) }
    acc
  end

  def __inject
    return nil if __empty?
    acc = __item(0)
    i = 1
    n = size
    while i < n
      acc = yield(acc, __item(i))
      i += 1
    end
    acc
  end

  # Sums as Array#sum does: Integers exactly; from the first Float on, Kahan-Babuska compensated.
  def __sum(initial)
    total = initial
    compensation = 0.0
    floating = total.is_a?(Float)
    each do |item|
      x = block_given? ? yield(item) : item
      if x.is_a?(Float) && (floating || total.is_a?(Integer))
        total = total.to_f
        floating = true
        if total.nan?
          # stays NaN
        elsif x.nan?
          total = x
        elsif x.infinite?
          if total.infinite? && (x < 0.0) != (total < 0.0)
            total = 0.0 / 0.0
          else
            total = x
          end
        elsif !total.infinite?
          t = total + x
          if total.abs >= x.abs
            compensation += ((total - t) + x)
          else
            compensation += ((x - t) + total)
          end
          total = t
        end
      elsif x.is_a?(Integer) && floating
        t = total + x
        if total.abs >= x.abs
          compensation += ((total - t) + x)
        else
          compensation += ((x - t) + total)
        end
        total = t
      else
        total = total + x
      end
    end
    floating ? total + compensation : total
  end

end

module Kernel
  def tap
    yield self
    self
  end

  def then
    yield self
  end

  def yield_self
    yield self
  end

  def loop
    while true
      yield
    end
  end
end

# The Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998) as Ruby has it. Behind the 624 words of the state stands
# how many of them are left before all are made anew.

module Random
  def initialize(seed = Random.rand(0x4000000000000000))
    __refuse_big(seed)
    seed = __to_int(seed)
    @__seed = seed
    @__state = __state_of(seed == -9_223_372_036_854_775_808 ? seed : seed.abs)
  end

  def seed
    @__seed
  end

  def ==(other)
    return true if __same(other)
    return false unless other.is_a?(Random) && other.class == self.class

    other.seed == seed && other.__state == __state
  end

  def initialize_copy(other)
    @__seed = other.__seed
    @__state = __copy_of(other.__state)
    self
  end

  def __copy_of(state)
    copy = __list(625)
    i = 0
    while i < 625
      copy.__push(state.__item(i))
      i += 1
    end
    copy
  end

  def __seed
    @__seed
  end

  def __state
    @__state
  end

  # A number of one or two words. Ruby takes the 1 in front of others for a guard.
  def __state_of(key)
    high = (key >> 32) & 0xffffffff
    state = __list(625)
    low = key & 0xffffffff
    if high == 0 || high == 1 && __ruby?(:guarded_seeds_are_one_word)
      __spread(state, low)
    else
      __spread(state, 19_650_218)
      __mix(state, low, high == 1 ? low : high + 1)
    end
    state.__push(1)
  end

  def __spread(state, word)
    i = 1
    state.__push(word)
    while i < 624
      word = (1_812_433_253 * (word ^ (word >> 30)) + i) & 0xffffffff
      state.__push(word)
      i += 1
    end
  end

  def __mix(state, even, odd)
    before = state.__item(0)
    i = 1
    n = 0
    while n < 624
      before = ((state.__item(i) ^ ((before ^ (before >> 30)) * 1_664_525)) + (n & 1 == 0 ? even : odd)) & 0xffffffff
      state.__set(i, before)
      i = i == 623 ? 1 : i + 1
      n += 1
    end
    n = 0
    while n < 623
      before = ((state.__item(i) ^ ((before ^ (before >> 30)) * 1_566_083_941)) - i) & 0xffffffff
      state.__set(i, before)
      i = i == 623 ? 1 : i + 1
      n += 1
    end
    state.__set(0, 0x80000000)
  end

  def __word
    state = @__state
    left = state.__item(624) - 1
    if left == 0
      __twist(state)
      left = 624
    end
    state.__set(624, left)
    word = state.__item(624 - left)
    word ^= word >> 11
    word ^= (word << 7) & 0x9d2c5680
    word ^= (word << 15) & 0xefc60000
    word ^ (word >> 18)
  end

  def __twist(state)
    i = 0
    word = state.__item(0)
    while i < 624
      following = state.__item(i == 623 ? 0 : i + 1)
      mixed = (word & 0x80000000) | (following & 0x7fffffff)
      far = state.__item(i < 227 ? i + 397 : i - 227)
      state.__set(i, far ^ (mixed >> 1) ^ ((following & 1) * 0x9908b0df))
      word = following
      i += 1
    end
  end

  # A Float in 0.0...1.0, with all its 53 bits.
  def __real
    high = 0
    low = 0
    n = 0
    while n < 2
      high = low
      low = __word
      n += 1
    end
    ((high >> 5) * 0x4000000 + (low >> 6)).to_f * (1.0 / 0x20000000000000)
  end

  # One in 0.0..1.0: the 64 bits times 2**53 + 1, without the lower 64.
  def __real_with_end
    high = 0
    low = 0
    n = 0
    while n < 2
      high = low
      low = __word
      n += 1
    end
    carry = (((low & 0x7ff) << 21) + high) >> 32
    ((high << 21) + (low >> 11) + carry).to_f * (1.0 / 0x20000000000000)
  end

  def __below(limit)
    __at_most(limit - 1)
  end

  # Words with as many bits as the limit has, the upper one first, until they are not above it.
  def __at_most(limit)
    return 0 if limit == 0

    mask = limit
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    mask |= mask >> 16
    mask |= mask >> 32
    first = mask > 0xffffffff ? 32 : 0
    shift = first
    value = 0
    while true
      value |= (__word & (mask >> shift)) << shift
      if value > limit
        value = 0
        shift = first
      elsif shift == 0
        return value
      else
        shift = 0
      end
    end
  end

  def __rand(limit)
    if limit.is_a?(Float)
      __check_finite(limit)
      raise ArgumentError, "invalid argument - #{limit}" if limit < 0.0

      number = __real
      limit == 0.0 ? number : number * limit
    elsif limit.is_a?(Range)
      number = __in(limit)
      __nothing_in(limit) if number.__nil?

      number
    elsif limit.__nil?
      raise ArgumentError, "invalid argument - "
    else
      __refuse_big(limit)
      count = __to_long(limit)
      raise ArgumentError, "invalid argument - #{limit}" if count < 1

      __at_most(count - 1)
    end
  end

  def __random_number(limit)
    if limit.is_a?(Float)
      __check_finite(limit)
      number = __real
      limit > 0.0 ? number * limit : number
    elsif limit.is_a?(Range)
      number = __in(limit)
      number.__nil? ? __real : number
    elsif limit.__nil?
      __real
    else
      __refuse_big(limit)
      count = __to_long(limit)
      count < 1 ? __real : __at_most(count - 1)
    end
  end

  def __nothing_in(range)
    raise ArgumentError, "invalid argument - #{range.begin}...#{range.end}" if range.exclude_end?

    raise ArgumentError, "invalid argument - #{range.begin}..#{range.end}"
  end

  # Nil where nothing is in the range.
  def __in(range)
    low = range.begin
    high = range.end
    __out_of_domain if low.__nil? || high.__nil?
    if low.is_a?(Integer) && high.is_a?(Integer)
      most = high - low - (range.exclude_end? ? 1 : 0)
      most < 0 ? nil : low + __at_most(most)
    else
      __in_floats(low.to_f, high.to_f, range.exclude_end?)
    end
  end

  def __in_floats(low, high, exclusive)
    __check_finite(low)
    __check_finite(high)
    span = high - low
    if span.infinite?
      half = low / 2.0
      span = high / 2.0
      middle = span + half
      span -= half
      ((exclusive ? __real : __real_with_end) - 0.5) * span * 2 + middle
    elsif span > 0.0
      (exclusive ? __real : __real_with_end) * span + low
    else
      span == 0.0 && !exclusive ? 0.0 + low : nil
    end
  end

  def __check_finite(number)
    __out_of_domain unless number.finite?
  end
end

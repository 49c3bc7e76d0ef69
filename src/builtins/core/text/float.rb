# Floats as text.

module Float
  # ---- packing

  # Those of the nearest Float of single precision; what is larger than all of these is infinite.
  def __single_bits
    bits = __bits
    sign = bits < 0 ? 0x8000_0000 : 0
    exponent = (bits >> 52 & 0x7ff) - 896
    fraction = bits & 0xf_ffff_ffff_ffff
    size = bits & 0x7fff_ffff_ffff_ffff
    return 0x7fc0_0000 if size > 0x7ff0_0000_0000_0000
    return sign | 0x7f80_0000 if size > 0x47ef_ffff_e000_0000
    return sign if exponent < -24

    if exponent <= 0
      fraction |= 0x10_0000_0000_0000
      dropped = 30 - exponent
      size = fraction >> dropped
    else
      dropped = 29
      size = exponent << 23 | fraction >> 29
    end
    rest = fraction & (1 << dropped) - 1
    half = 1 << dropped - 1
    size += 1 if rest > half || rest == half && size & 1 == 1
    sign | size
  end

  # ---- format

  def __format_integer
    to_i
  end

  # All digits of the number without its sign, which ends in so many behind the point: [digits, how many].
  def __decimal
    bits = __bits & 0x7fff_ffff_ffff_ffff
    mantissa = bits & 0xf_ffff_ffff_ffff
    power = bits >> 52
    if power == 0
      power = 1
    else
      mantissa |= 0x10_0000_0000_0000
    end
    power -= 1075
    while power < 0 && mantissa.even? && mantissa > 0
      mantissa >>= 1
      power += 1
    end
    power = 0 if mantissa == 0
    limbs = __list(4)
    limbs.__push(mantissa % 1_000_000_000)
    __scale_limbs(limbs, 0, 0, 1_000_000_000) if mantissa == 0
    rest = mantissa / 1_000_000_000
    while rest > 0
      limbs.__push(rest % 1_000_000_000)
      rest /= 1_000_000_000
    end
    left = power < 0 ? -power : power
    while left > 0
      step = left > 12 ? 12 : left
      __scale_limbs(limbs, power < 0 ? 5**step : 1 << step, 0, 1_000_000_000)
      left -= step
    end
    text = "".__force(1)
    i = limbs.size
    while i > 0
      i -= 1
      unit = 100_000_000
      limb = limbs.__item(i)
      unit /= 10 while text.__bytesize == 0 && unit > limb && unit > 1
      while unit > 0
        text.__push(limb / unit % 10 + 0x30)
        unit /= 10
      end
    end
    [text, power < 0 ? -power : 0]
  end

  # Where MRI rounds to so many digits (`fixed`: behind the point) it tries with Floats first, and takes what may be a
  # half for one.
  def __like_half?(count, fixed)
    bits = __bits & 0x7fff_ffff_ffff_ffff
    power = (bits >> 52) - 1023
    mantissa = bits & 0xf_ffff_ffff_ffff
    if power == -1023
      return false if mantissa == 0

      length = mantissa.bit_length
      top = length > 32 ? mantissa >> (length - 32) : mantissa << (32 - length)
      unit = top.to_f / 2_147_483_648.0
      power = length - 1075
    else
      unit = (mantissa | 0x3ff0_0000_0000_0000).__float_of_bits
    end
    k = ((unit - 1.5) * 0.289529654602168 + 0.1760912590558 + power * 0.301029995663981).floor
    x = abs
    unsure = k < 0 || k > 22
    k -= 1 if !unsure && x < 10.0**k
    limit = fixed ? count + k + 1 : count
    return false if limit < 1 || limit > 14

    inexact = 2
    if k > 0
      unit = 10.0**(k & 15)
      rest = k >> 4
      if rest >= 16
        rest -= 16
        x /= 1e256
        inexact += 1
      end
      step = 0
      while rest > 0
        if rest.odd?
          inexact += 1
          unit *= step.__large_power
        end
        rest >>= 1
        step += 1
      end
      x /= unit
    elsif k < 0
      x *= 10.0**(-k & 15)
      rest = -k >> 4
      step = 0
      while rest > 0
        if rest.odd?
          inexact += 1
          x *= step.__large_power
        end
        rest >>= 1
        step += 1
      end
    end
    if unsure && x < 1.0
      limit -= 1 if fixed
      return false if limit < 1

      x *= 10.0
      inexact += 1
    end
    unsharp = (inexact * x + 7.0) * 2.220446049250313e-16 * 10.0**(limit - 1)
    i = 1
    while true
      x -= x.to_i
      limit = i if x == 0.0
      return x <= 0.5 + unsharp && x >= 0.5 - unsharp if i == limit

      x *= 10.0
      i += 1
    end
  end

  # What `%a` writes, without a sign. Zeros behind the prefix make it so wide.
  def __hexadecimal_digits(sharp, precision, width)
    return "NaN".__force(1) if nan?
    return "Inf".__force(1) if infinite?

    bits = __bits & 0x7fff_ffff_ffff_ffff
    exponent = (bits >> 52) - 1023
    digits = bits & 0xf_ffff_ffff_ffff
    if exponent > -1023
      digits |= 0x10_0000_0000_0000
    elsif digits > 0
      more = 53 - digits.bit_length
      digits <<= more
      exponent -= more - 1
    else
      exponent = 0
    end
    if precision >= 0 && precision < 13
      dropped = 4 * (13 - precision)
      rest = digits & (1 << dropped) - 1
      half = 1 << dropped - 1
      digits >>= dropped
      digits += 1 if rest > half || rest == half && digits.odd?
      digits <<= dropped
      if digits >> 53 == 1
        digits >>= 1
        exponent += 1
      end
    end
    count = precision
    if precision < 0
      count = 13
      count -= 1 while count > 0 && digits >> 4 * (13 - count) & 15 == 0
    end
    tail = "".__force(1).__push(0x30 + (digits >> 52))
    tail.__push(0x2e) if sharp || count > 0
    i = 0
    while i < count
      digit = i < 13 ? digits >> 4 * (12 - i) & 15 : 0
      tail.__push(digit < 10 ? digit + 0x30 : digit + 0x57)
      i += 1
    end
    tail.__push(0x70).__push(exponent < 0 ? 0x2d : 0x2b)
    power = exponent.abs.__digits(10)
    tail.__append(power, 0, power.__bytesize)
    text = "".__force(1).__push(0x30).__push(0x78).__push_zeros(width - 2 - tail.__bytesize)
    text.__append(tail, 0, tail.__bytesize)
  end

  # By a function in Rust: the directive, whether it has a `#`, and the precision.
  def __written(byte, sharp, precision)
    room = (precision < 0 ? 6 : precision) + (abs < 1e30 ? 40 : 320)
    __formatted_digits(room, byte, sharp ? 1 : 0, precision)
  end

  def __fixed_digits(sharp, precision)
    return __written(0x66, sharp, precision) if __intrinsics?
    return "NaN".__force(1) if nan?
    return "Inf".__force(1) if infinite?

    precision = 6 if precision < 0
    digits, scale = __decimal
    half = scale > precision && __like_half?(precision, true)
    digits.__fixed(scale, precision, sharp, half)
  end

  def __exponent_digits(byte, sharp, precision)
    return __written(byte, sharp, precision) if __intrinsics?
    return "NaN".__force(1) if nan?
    return "Inf".__force(1) if infinite?

    precision = 6 if precision < 0
    digits, scale = __decimal
    small = byte | 0x20
    precision = precision == 0 ? 0 : precision - 1 if small == 0x67
    exponent = self == 0 ? 0 : digits.__bytesize - 1 - scale
    cut = digits.__bytesize - precision - 1
    zeros = false
    if cut > 0
      exact = digits.__round_digits(cut, false)
      if __like_half?(precision + 1, false)
        # Of small Integers MRI asks again. Zeros at the end stay where it does not go up.
        small_integer = scale == 0 && digits.__bytesize <= 15
        even = digits.__byte(precision).even?
        half = digits.__round_digits(cut, true)
        zeros = even && half.__equal(exact) == small_integer
        digits = even && small_integer ? exact : half
      else
        digits = exact
      end
      if digits.__bytesize > precision + 1
        exponent += 1
        digits.__truncate(precision + 1)
      end
    else
      digits.__push_zeros(-cut)
    end
    if small == 0x67
      digits.__drop_zeros unless sharp || zeros
      return digits.__pointed(exponent, sharp) if exponent >= -4 && exponent <= precision
    end
    text = "".__force(1).__push(digits.__byte(0))
    text.__push(0x2e) if sharp || digits.__bytesize > 1
    text.__append(digits, 1, digits.__bytesize - 1).__push(small == 0x67 ? byte - 2 : byte)
    text.__push(exponent < 0 ? 0x2d : 0x2b)
    exponent = -exponent if exponent < 0
    text.__push(0x30) if exponent < 10
    tail = exponent.__digits(10)
    text.__append(tail, 0, tail.__bytesize)
  end

  # ---- inspect

  def to_s
    return __shortest_digits if __intrinsics?
    return "NaN".__force(1) if nan?

    text = self < 0.0 || self == 0.0 && 1.0 / self < 0.0 ? "-".__force(1) : "".__force(1)
    return text.__put("Infinity") if infinite?
    return text.__put("0.0") if self == 0.0

    digits, point = abs.__shortest
    all = digits.to_s
    size = all.__bytesize
    if point > 0 && (point < size || point <= 15)
      text.__append(all, 0, size < point ? size : point)
      (point - size).times { text.__push(48) } if size < point
      text.__push(46)
      size <= point ? text.__push(48) : text.__append(all, point, size - point)
    elsif point > -4 && point <= 0
      text.__put("0.")
      (-point).times { text.__push(48) }
      text.__append(all, 0, size)
    else
      text.__append(all, 0, 1).__push(46)
      size == 1 ? text.__push(48) : text.__append(all, 1, size - 1)
      power = point - 1
      text.__put(power < 0 ? "e-" : "e+")
      power = power.abs
      text.__push(48) if power < 10
      text.__put(power.to_s)
    end
    text
  end

  def inspect
    to_s
  end

  # The fewest digits that are read as this number, which is greater than 0, and of those the nearest: as an Integer
  # that does not end in 0, and where the point is, from its beginning.
  def __shortest
    if self >= 0.00001 && self < 9_007_199_254_740_992.0
      # A quotient of such numbers is rounded once, so it is what is read.
      unit = 1.0
      k = 0
      while k <= 20 && (scaled = self * unit) < (k == 0 ? 9_007_199_254_740_992.0 : 1e15)
        whole = scaled.round
        return whole.__digits_and_point(k) if whole > 0 && whole.to_f / unit == self

        unit *= 10.0
        k += 1
      end
      __nearest(15)
    else
      __nearest(0)
    end
  end

  # The same, where it takes more digits than so many.
  def __nearest(count)
    text, behind = __decimal
    size = text.__bytesize
    point = size - behind
    prefix = 0
    i = 0
    while i < count && i < size
      prefix = prefix * 10 + text.__byte(i) - 48
      i += 1
    end
    while i < 17 && i < size
      prefix = prefix * 10 + text.__byte(i) - 48
      i += 1
      rest = i < size ? text.__byte(i) - 48 : 0
      up = rest > 5 || rest == 5 && (i + 1 < size || prefix.odd?)
      near = up ? prefix + 1 : prefix
      far = up ? prefix : prefix + 1
      return near.__digits_and_point(i - point) if near.__times_ten_to(point - i) == self
      return far.__digits_and_point(i - point) if i < 17 && far.__times_ten_to(point - i) == self
    end
    prefix.__digits_and_point(i - point)
  end
end

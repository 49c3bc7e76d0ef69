# `format`: what Ruby's sprintf.c makes of numbers and texts.

module String
  # The number at a byte.
  def __format_number(i)
    value = 0
    while i < __bytesize && __digit?(__byte(i))
      value = value * 10 + __byte(i) - 0x30 if value <= 0x7fff_ffff
      i += 1
    end
    value
  end

  # `kinds`: of which directives there can be any, see `string.rs`. Where they name values, `args` is the Hash of these.
  def __format(args, kinds)
    n = __bytesize
    out = __build(n)
    used = 0
    numbered = false
    i = 0
    while i < n
      from = i
      i += 1 while i < n && __byte(i) != 0x25
      out.__append(self, from, i - from)
      break if i == n

      i += 1
      raise ArgumentError, "incomplete format specifier; use %% (double %) instead" if i == n

      flags = 0
      width = -1
      precision = -1
      dotted = false
      place = -1
      named = false
      name = nil
      value = nil
      while true
        byte = i < n ? __byte(i) : 0
        if byte == 0x20 || byte == 0x23 || byte == 0x2b || byte == 0x2d || byte == 0x30
          raise ArgumentError, "flag after width" if width >= 0
          raise ArgumentError, "flag after precision" if dotted

          flags |= byte == 0x2d ? 1 : byte == 0x2b ? 2 : byte == 0x20 ? 4 : byte == 0x30 ? 8 : 16
          i += 1
        elsif byte >= 0x31 && byte <= 0x39
          number = __format_number(i)
          raise ArgumentError, "width too big" if number > 0x7fff_ffff

          i += 1 while i < n && __digit?(__byte(i))
          raise ArgumentError, "malformed format string - %*[0-9]" if i >= n
          if __byte(i) == 0x24
            raise ArgumentError, "value given twice - #{number}$" if place >= 0
            raise ArgumentError, "numbered(#{number}) after unnumbered(#{used})" if used > 0

            __refuse_names if kinds & 128 != 0
            place = number - 1
            numbered = true
            __check_place(args, place) if kinds & 128 == 0
            i += 1
          else
            raise ArgumentError, "width given twice" if width >= 0
            raise ArgumentError, "width after precision" if dotted

            width = number
          end
        elsif byte == 0x2a && kinds & 64 != 0
          raise ArgumentError, "width given twice" if width >= 0
          raise ArgumentError, "width after precision" if dotted

          __check_star(i + 1)
          __check_unnumbered(numbered, used)
          width = __to_long(__format_argument(args, used))
          used += 1
          __refuse_names if width.abs > 0x7fff_ffff
          flags |= 1 if width < 0
          width = -width if width < 0
          i += 1
        elsif byte == 0x2e
          raise ArgumentError, "precision given twice" if dotted

          dotted = true
          i += 1
          if kinds & 64 != 0 && i < n && __byte(i) == 0x2a
            __check_star(i + 1)
            __check_unnumbered(numbered, used)
            precision = __to_long(__format_argument(args, used))
            used += 1
            __refuse_names if precision.abs > 0x7fff_ffff
            precision = -1 if precision < 0
            i += 1
          else
            precision = __format_number(i)
            raise ArgumentError, "precision too big" if precision > 0x7fff_ffff

            i += 1 while i < n && __digit?(__byte(i))
            raise ArgumentError, "malformed format string - %*[0-9]" if i >= n
          end
        elsif kinds & 128 != 0 && (byte == 0x3c || byte == 0x7b)
          start = i
          last = byte == 0x3c ? 0x3e : 0x7d
          i += 1 while i < n && __byte(i) != last
          raise ArgumentError, "malformed name - unmatched parenthesis" if i >= n

          shown = __build(8).__append(self, start, i + 1 - start)
          if named
            message = "named#{shown} after <#{name}>"
            raise ArgumentError, message
          end

          named = true
          name = __build(8).__append(self, start + 1, i - start - 1)
          value = args.__format_value(name, shown)
          if last == 0x7d
            byte = 0x73
            break
          end
          i += 1
        else
          break
        end
      end
      flagged = flags > 0 || width >= 0 || dotted
      # Rubies differ here.
      __refuse_names if kinds & 128 != 0 && named && i >= n
      if byte == 0x25 || byte == 0x0a || byte == 0
        raise ArgumentError, "invalid format character - %" if flagged

        out.__push(0x25)
        i += 1 if byte == 0x25
        next
      end
      __refuse_names if byte == 0x3c || byte == 0x7b
      __refuse_directive unless __directive?(byte)
      if kinds & 128 != 0
        __refuse_names unless named
      else
        if place < 0
          __check_unnumbered(numbered, used)
          place = used
          used += 1
        end
        value = __format_argument(args, place)
      end
      i += 1
      case byte
      when 0x73
        __refuse_directive if kinds & 1 == 0
        out.__put_s(value, flags, width, precision)
      when 0x70
        __refuse_directive if kinds & 2 == 0
        out.__put_p(value, flags, width, precision)
      when 0x63
        __refuse_directive if kinds & 4 == 0
        out.__put_c(value, flags, width, precision)
      when 0x64, 0x69, 0x75
        __refuse_directive if kinds & 8 == 0
        out.__put_d(value, flags, width, precision)
      when 0x78, 0x58, 0x6f, 0x62, 0x42
        __refuse_directive if kinds & 8 == 0
        out.__put_based(value, byte, flags, width, precision)
      when 0x61, 0x41
        __refuse_directive if kinds & 256 == 0
        out.__put_a(value, byte, flags, width, precision)
      else
        __refuse_directive if kinds & 48 == 0
        if byte == 0x66
          out.__put_f(value, flags, width, precision)
        else
          out.__put_e(value, byte, flags, width, precision)
        end
      end
    end
    out
  end

  def __check_unnumbered(numbered, used)
    raise ArgumentError, "unnumbered(#{used + 1}) mixed with numbered" if numbered
  end

  def __directive?(byte)
    case byte
    when 0x73, 0x70, 0x63, 0x64, 0x69, 0x75, 0x78, 0x58, 0x6f, 0x62, 0x42, 0x66, 0x67, 0x47, 0x65, 0x45, 0x61, 0x41
      true
    else
      false
    end
  end

  def __check_place(args, place)
    raise ArgumentError, "invalid index - #{place + 1}$" if place < 0
    raise ArgumentError, "too few arguments" if place >= args.size
  end

  def __check_star(i)
    raise ArgumentError, "malformed format string - %*[0-9]" if i >= __bytesize

    __refuse_names if __digit?(__byte(i))
  end

  def __format_argument(args, index)
    __check_place(args, index)
    __argument_at(args, index)
  end

  # The digits without the last ones, rounded: half to even. `half`: what is behind them is taken for a half.
  def __round_digits(cut, half)
    n = __bytesize
    keep = n - cut
    out = __build(n + 1)
    return out.__push(0x30) if keep < 0

    keep == 0 ? out.__push(0x30) : out.__append(self, 0, keep)
    return out if cut == 0

    i = keep + 1
    i += 1 while i < n && __byte(i) == 0x30
    last = out.__bytesize - 1
    side = __byte(keep) - 0x35
    odd = out.__byte(last).odd?
    up = half ? odd : side > 0 || (side == 0 && (i < n || odd))
    if up
      while last >= 0 && out.__byte(last) == 0x39
        out.__set_byte(last, 0x30)
        last -= 1
      end
      return __build(n + 1).__push(0x31).__append(out, 0, out.__bytesize) if last < 0

      out.__set_byte(last, out.__byte(last) + 1)
    end
    out
  end
end

module ChangedString
  def __push_zeros(count)
    while count > 0
      __push(0x30)
      count -= 1
    end
    self
  end

  def __push_spaces(count)
    while count > 0
      __push(0x20)
      count -= 1
    end
    self
  end

  def __format_character(value)
    if value.is_a?(String)
      unless __ruby?(:formats_first_character)
        raise ArgumentError, "%c requires a character" if value.size != 1
      end
      value.chr
    else
      code = __to_long(value)
      __refuse_code if code < 0 || code > 127 && __encoding > 0 || code > 0x10_ffff || (code >= 0xd800 && code < 0xe000)
      __build(4).__push_code(code)
    end
  end

  # ---- a directive each. `flags`: 1 minus, 2 plus, 4 space, 8 zero, 16 sharp; a width or precision that is not there is -1.

  def __put_s(value, flags, width, precision)
    __any_padded(value.to_s, flags, width, precision)
  end

  def __put_p(value, flags, width, precision)
    __any_padded(value.inspect, flags, width, precision)
  end

  def __put_c(value, flags, width, _precision)
    __any_padded(__format_character(value), flags, width, -1)
  end

  def __put_d(value, flags, width, precision)
    __any_integer(value.__format_integer, flags, width, precision)
  end

  def __put_based(value, byte, flags, width, precision)
    __any_based(value.__format_integer, byte, flags, width, precision)
  end

  def __put_f(value, flags, width, precision)
    if value.is_a?(Integer)
      __any_integer_fixed(value, flags, width, precision)
    else
      __any_fixed(Float(value), flags, width, precision)
    end
  end

  def __put_e(value, byte, flags, width, precision)
    __any_exponent(Float(value), byte, flags, width, precision)
  end

  def __put_a(value, byte, flags, width, precision)
    float = Float(value)
    finite = float.finite?
    negative = !float.nan? && (float < 0 || 1 / float < 0)
    sign = __format_sign(negative, flags)
    # Zeros are behind the prefix.
    filled = flags & 9 == 8 ? sign > 0 ? width - 1 : width : 0
    digits = float.__hexadecimal_digits(flags & 16 > 0, precision, filled)
    digits = digits.__recase(true, false, false) if byte == 0x41 && finite
    __put_number(digits, sign, flags & 1 > 0, false, width)
    nil
  end

  # The same of a directive with neither flags nor a width.

  def __put_plain_s(value)
    __any_text(value.to_s)
  end

  def __put_plain_p(value)
    __any_text(value.inspect)
  end

  def __put_plain_d(value)
    __any_decimal(value.__format_integer)
  end

  # ---- what directives put behind

  def __any_text(text)
    __force(__common_encoding(text))
    __append(text, 0, text.__bytesize)
    nil
  end

  def __any_padded(text, flags, width, precision)
    __force(__common_encoding(text))
    text = text.__piece(0, text.__slice_end(0, precision)) if precision >= 0
    more = width - (width < 0 ? 0 : text.size)
    __push_spaces(more) if flags & 1 == 0
    __append(text, 0, text.__bytesize)
    __push_spaces(more) if flags & 1 > 0
    nil
  end

  def __any_integer(number, flags, width, precision)
    sign = __format_sign(number < 0, flags)
    digits = number.__magnitude_digits(10)
    __put_integer(digits, sign, 0x30, 0, flags & 1 > 0, flags & 8 > 0, width, precision)
    nil
  end

  # In hexadecimal, octal or binary digits: of a negative number without a sign those of two's complement.
  def __any_based(number, byte, flags, width, precision)
    base = byte == 0x6f ? 8 : byte | 0x20 == 0x62 ? 2 : 16
    sign = 0
    filler = 0x30
    if flags & 6 > 0
      sign = __format_sign(number < 0, flags)
      digits = number.__magnitude_digits(base)
    else
      digits = number.__complement_digits(base)
      filler = base == 16 ? 0x66 : base == 8 ? 0x37 : 0x31 if number < 0
    end
    if byte == 0x58
      digits = digits.__recase(true, false, false)
      filler = 0x46 if filler == 0x66
    end
    prefix = flags & 16 > 0 ? byte : 0
    __put_integer(digits, sign, filler, prefix, flags & 1 > 0, flags & 8 > 0, width, precision)
    nil
  end

  def __any_integer_fixed(number, flags, width, precision)
    twice = number == -4_611_686_018_427_387_904 && __ruby?(:format_doubles_a_sign)
    digits = twice ? number.__digits(10) : number.__magnitude_digits(10)
    decimals = precision < 0 ? 6 : precision
    digits.__push(0x2e) if decimals > 0
    digits.__push_zeros(decimals)
    __put_number(digits, __format_sign(number < 0, flags), flags & 1 > 0, flags & 8 > 0, width)
    nil
  end

  def __any_fixed(float, flags, width, precision)
    __put_float(float.__fixed_digits(flags & 16 > 0, precision), float, flags, width)
    nil
  end

  def __any_exponent(float, byte, flags, width, precision)
    __put_float(float.__exponent_digits(byte, flags & 16 > 0, precision), float, flags, width)
    nil
  end

  def __put_float(digits, float, flags, width)
    negative = !float.nan? && (float < 0 || 1 / float < 0)
    __put_number(digits, __format_sign(negative, flags), flags & 1 > 0, flags & 8 > 0 && float.finite?, width)
  end

  def __format_sign(negative, flags)
    negative ? 0x2d : flags & 2 > 0 ? 0x2b : flags & 4 > 0 ? 0x20 : 0
  end

  # `prefix`: the directive whose prefix goes before the digits, or 0. Digits of a negative number without a sign go on
  # with the filler to the left.
  def __put_integer(digits, sign, filler, prefix, minus, zero, width, precision)
    count = digits.__bytesize
    dots = filler != 0x30
    null = count == 1 && digits.__byte(0) == 0x30
    width -= 1 if sign > 0
    given = precision >= 0
    if dots
      precision -= 2
      width -= 2
    end
    if prefix == 0x6f
      if dots
        prefix = 0
      elsif null
        count = 0
        precision -= 1 if given
      elsif given && precision > count
        prefix = 0
      end
    elsif null
      prefix = 0
    end
    width -= prefix == 0x6f ? 1 : 2 if prefix > 0
    if zero && !minus && !given
      precision = width
      width = 0
    else
      if precision < count
        count = 0 if prefix == 0 && precision == 0 && null
        precision = count
      end
      width -= precision
    end
    __push_spaces(width) unless minus
    __push(sign) if sign > 0
    __push(0x30) if prefix > 0
    __push(prefix) if prefix > 0 && prefix != 0x6f
    __push(0x2e).__push(0x2e) if dots
    more = precision - count
    if dots || !minus || given
      while more > 0
        __push(filler)
        more -= 1
      end
    end
    __append(digits, 0, count)
    __push_spaces(width) if minus
  end

  def __put_number(digits, sign, minus, zero, width)
    more = width - digits.__bytesize
    more -= 1 if sign > 0
    __push_spaces(more) unless minus || zero
    __push(sign) if sign > 0
    __push_zeros(more) if zero && !minus
    __append(digits, 0, digits.__bytesize)
    __push_spaces(more) if minus
  end
end

module Kernel
  def __format_integer
    Integer(self)
  end
end

module Integer
  def __format_integer
    self
  end

  # 10**(16 * 2**self) as a Float.
  def __large_power
    case self
    when 0 then 1e16
    when 1 then 1e32
    when 2 then 1e64
    when 3 then 1e128
    else 1e256
    end
  end

  def __magnitude_digits(base)
    digits = base == 10 ? __decimal_text : __digits(base)
    self < 0 ? digits.__piece(1, digits.__bytesize - 1) : digits
  end

  # The digits of two's complement, of which the first of a negative number goes on to the left for ever.
  def __complement_digits(base)
    return __digits(base) if self >= 0

    bits = base == 16 ? 4 : base == 8 ? 3 : 1
    rest = self
    text = "".__force(1)
    most = base - 1
    digit = 0
    while rest < -1 || text.__bytesize == 0
      digit = rest & most
      rest >>= bits
      text.__push(digit < 10 ? digit + 0x30 : digit + 0x57)
    end
    text.__push(most < 10 ? most + 0x30 : most + 0x57) if digit != most
    text.reverse
  end
end

module Float
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
end

module ChangedString
  # Digits of which so many are behind the point, as a number with another number of them.
  def __fixed(scale, precision, sharp, half)
    digits = scale > precision ? __round_digits(scale - precision, half) : __push_zeros(precision - scale)
    digits.__with_point(digits.__bytesize - precision, sharp)
  end

  # With a point behind so many digits.
  def __with_point(place, sharp)
    out = __build(__bytesize + 2)
    if place <= 0
      out.__push(0x30).__push(0x2e).__push_zeros(-place)
      return out.__append(self, 0, __bytesize)
    end
    out.__append(self, 0, place)
    out.__push(0x2e) if sharp || place < __bytesize
    out.__append(self, place, __bytesize - place)
  end

  def __drop_zeros
    n = __bytesize
    n -= 1 while n > 1 && __byte(n - 1) == 0x30
    __truncate(n)
  end

  # Digits of which the first stands for a power of ten.
  def __pointed(exponent, sharp)
    more = exponent + 1 - __bytesize
    __push_zeros(more)
    __with_point(exponent + 1, sharp)
  end
end

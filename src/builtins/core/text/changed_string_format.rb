# `format`: what Ruby's sprintf.c makes of numbers and texts.

module ChangedString
  # A byte so many times.
  def __any_bytes(byte, count)
    while count > 0
      __push(byte)
      count -= 1
    end
    self
  end

  def __push_zeros(count)
    __any_bytes(0x30, count)
  end

  def __push_spaces(count)
    __any_bytes(0x20, count)
  end

  def __format_character(value)
    if value.is_a?(String)
      # Its bytes are what they are in the encoding of the format.
      character = value.__copy_string.__force(__encoding)
      raise ArgumentError, "%c requires a character" if character.size != 1

      character.valid_encoding? ? character : character.__broken
    else
      code = __to_long(value)
      __refuse_code if code < 0 || code > 127 && __encoding > 0 || code > 0x10_ffff || (code >= 0xd800 && code < 0xe000)
      __build(4).__push_code(code)
    end
  end

  # ---- a directive each. `flags`: 1 minus, 2 plus, 4 space, 8 zero, 16 sharp; a width or precision that is not there is -1.

  def __put_s(value, flags, width, precision)
    if value.is_a?(Integer)
      __any_digits(value.to_s, flags, width, precision)
    else
      __any_padded(value.to_s, flags, width, precision)
    end
  end

  def __put_p(value, flags, width, precision)
    __any_padded(value.inspect, flags, width, precision)
  end

  def __put_c(value, flags, width, _precision)
    # It is cut then as `%s` cuts it.
    return __any_padded(value, flags, width, 1) if value.is_a?(String) && __ruby?(:formats_first_character)

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
    elsif value.is_a?(Rational)
      __any_rational_fixed(value, flags, width, precision)
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
    text = text.__piece(0, text.__slice_end(0, 0, precision)) if precision >= 0
    more = width - (width < 0 ? 0 : text.size)
    __push_spaces(more) if flags & 1 == 0
    __append(text, 0, text.__bytesize)
    __push_spaces(more) if flags & 1 > 0
    nil
  end

  # The same of what has a byte a character.
  def __any_digits(text, flags, width, precision)
    count = text.__bytesize
    count = precision if precision >= 0 && precision < count
    more = width - count
    __push_spaces(more) if flags & 1 == 0
    __append(text, 0, count)
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
    letters = byte == 0x58 ? 0x37 : 0x57
    sign = 0
    filler = 0x30
    if flags & 6 > 0
      sign = __format_sign(number < 0, flags)
      shown = number < 0 && number != -9_223_372_036_854_775_808 ? -number : number
    else
      shown = number
      filler = base == 16 ? letters + 15 : base + 0x2f if number < 0
    end
    digits = shown.__based_digits(base, letters, flags & 6 == 0)
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

  # Exactly, with halves away from 0.
  def __any_rational_fixed(number, flags, width, precision)
    decimals = precision < 0 ? 6 : precision
    size = number.numerator.abs * 10.__to_power(decimals)
    digits = ((size + (number.denominator / 2)) / number.denominator).__magnitude_digits(10)
    if decimals > 0
      missing = decimals + 1 - digits.__bytesize
      digits = missing > 0 ? digits.__build(decimals + 2).__push_zeros(missing).__append(digits, 0, digits.__bytesize) : digits
      whole = digits.__bytesize - decimals
      text = digits.__build(digits.__bytesize + 1)
      digits = text.__append(digits, 0, whole).__push(0x2e).__append(digits, whole, decimals)
    end
    __put_number(digits, __format_sign(number.numerator < 0, flags), flags & 1 > 0, flags & 8 > 0, width)
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
    __any_bytes(0x2e, 2) if dots
    __any_bytes(filler, precision - count) if dots || !minus || given
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

  # ---- numbers

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

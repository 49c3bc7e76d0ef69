# Output. What is printed is kept until the section ends: see `output.rs`, which has the numbers of streams and ways.

module Kernel
  def puts(*values)
    __out_lines(0, values)
    nil
  end

  def print(*values)
    __out_texts(0, values)
    nil
  end

  def p(*values)
    values.each { |value| __out(0, value.inspect, 2) }
    return nil if values.size == 0

    values.size == 1 ? values[0] : values
  end

  def pp(*values)
    values.each do |value|
      __out_pretty(value)
      text = value.inspect
      __refuse_pretty if text.size > 79 || text.include?("\\n")
      __out(3, text, 2)
    end
    return nil if values.size == 0

    values.size == 1 ? values[0] : values
  end

  def putc(character)
    __c_int(character) if character.is_a?(Integer)
    __out_character(0, character)
    character
  end

  def warn(*messages, uplevel: nil, category: nil)
    __refuse_warning unless uplevel.__nil? && category.__nil?
    __out_lines(2, messages) if messages.size > 0
    nil
  end

  def display
    __out(0, self, 0)
    nil
  end

  def __out_lines(stream, values)
    __out_newline(stream) if values.size == 0
    values.each { |value| __out_line(stream, value) }
  end

  def __out_items(stream, items)
    return __out_items_within(stream, items, items.__trail(:inspect)) if items.__cyclic?(:inspect)

    items.each { |item| __out_line(stream, item) }
    nil
  end

  def __out_items_within(stream, items, trail)
    return __out_line(stream, "[...]") if trail.__shows?(items.__identity)

    trail.__push(items.__identity)
    items.each do |item|
      item.is_a?(Array) ? __out_items_within(stream, item, trail) : __out_line(stream, item)
    end
    trail.__resize(trail.size - 1)
    nil
  end

  def __out_texts(stream, values)
    __refuse_last_line if values.size == 0
    values.each { |value| __out(stream, value, 0) }
  end

  def __out_pretty_items(items)
    return items.__out_pretty_within(items.__trail(:inspect)) if items.__cyclic?(:inspect)

    items.each { |item| __out_pretty(item) }
    nil
  end

  def __out_pretty_pairs(pairs)
    return pairs.__out_pretty_within(pairs.__trail(:inspect)) if pairs.__cyclic?(:inspect)

    pairs.each do |key, value|
      __out_pretty(key)
      __out_pretty(value)
    end
    nil
  end

  def __out_pretty_part(value, trail)
    value.is_a?(Array) || value.is_a?(Hash) ? value.__out_pretty_within(trail) : __out_pretty(value)
  end

  def __out_newline(stream)
    __out(stream, "", 2)
  end

  def __out_character(stream, character)
    __out(stream, __out_first(character), 0)
  end

  # ---- large numbers, as lists of digits to a base, the lowest first

  def __scale_limbs(limbs, factor, more, base)
    i = 0
    while i < limbs.size
      more += limbs.__item(i) * factor
      limbs.__set(i, more % base)
      more /= base
      i += 1
    end
    while more > 0
      limbs.__push(more % base)
      more /= base
    end
  end

  def __limbs_length(limbs)
    i = limbs.size
    i -= 1 while i > 0 && limbs.__item(i - 1) == 0
    i == 0 ? 0 : (i - 1) * 24 + limbs.__item(i - 1).bit_length
  end

  def __shift_limbs(limbs, count)
    while count > 0
      step = count > 20 ? 20 : count
      __scale_limbs(limbs, 1 << step, 0, 0x100_0000)
      count -= step
    end
  end

  # Are there fewer than in the other, which is as long?
  def __fewer_limbs?(limbs, other)
    i = limbs.size - 1
    i -= 1 while i > 0 && limbs.__item(i) == other.__item(i)
    limbs.__item(i) < other.__item(i)
  end

  def __subtract_limbs(limbs, other)
    borrow = 0
    i = 0
    while i < limbs.size
      rest = limbs.__item(i) - other.__item(i) - borrow
      borrow = rest < 0 ? 1 : 0
      limbs.__set(i, rest & 0xff_ffff)
      i += 1
    end
  end

  # A number * 10**exponent as a Float, rounded once.
  def __float_of_limbs(limbs, exponent)
    length = __limbs_length(limbs)
    return 1.0 / 0.0 if length + exponent * 3 > 1100
    return 0.0 if length / 3 + exponent < -330

    divisor = __list(8)
    divisor.__push(1)
    i = exponent < 0 ? -exponent : exponent
    scaled = exponent < 0 ? divisor : limbs
    while i > 0
      step = i > 10 ? 10 : i
      __scale_limbs(scaled, 5**step, 0, 0x100_0000)
      i -= step
    end
    apart = __limbs_length(limbs) - __limbs_length(divisor)
    apart > 0 ? __shift_limbs(divisor, apart) : __shift_limbs(limbs, -apart)
    limbs.__push(0)
    limbs.__push(0) while limbs.size < divisor.size
    divisor.__push(0) while divisor.size < limbs.size
    if __fewer_limbs?(limbs, divisor)
      __shift_limbs(limbs, 1)
      apart -= 1
    end
    quotient = 0
    bits = 62
    while bits > 0
      quotient <<= 1
      unless __fewer_limbs?(limbs, divisor)
        __subtract_limbs(limbs, divisor)
        quotient |= 1
      end
      __shift_limbs(limbs, 1)
      bits -= 1
    end
    quotient |= 1 if __limbs_length(limbs) > 0
    quotient.__scaled(apart - 61 + exponent)
  end

  # ---- regular expressions

  # Where Ruby has it for all objects.
  def =~(_other)
    nil
  end

  def !~(other)
    !(self =~ other)
  end

  # ---- format

  def __format_integer
    Integer(self)
  end

  # ---- inspect

  # Of what `fetch` has not found in a Hash: 65 characters of it at most.
  def __is_no_key(hash)
    shown = inspect
    shown = shown[0, 62] + "..." if shown.size > 65
    raise KeyError.new("key not found: #{shown}", receiver: hash, key: self)
  end

  # ---- numbers

  def Rational(number, below = :__none, exception: true)
    __refuse_quiet_number unless exception
    raise TypeError, "can't convert nil into Rational" if number.__nil? || below.__nil?

    return number.__exact_number(:Rational).to_r if below.equal?(:__none)

    number = number.__dividend
    below = below.__exact_number(:ratio)
    return number.__over(below) if number.is_a?(Integer) && below.is_a?(Integer)
    return number if !number.is_a?(Integer) && below.is_a?(Integer) && below == 1

    number.is_a?(Integer) ? number.to_r / below : number / below
  end

  def Complex(real, imaginary = :__none, exception: true)
    __refuse_quiet_number unless exception
    raise TypeError, "can't convert nil into Complex" if real.__nil? || imaginary.__nil?
    return real.__number_alone if imaginary.equal?(:__none)

    real.__number_part
    imaginary.__number_part
    return __complex(real, imaginary) if real.__real_number? && imaginary.__real_number?

    __complex_of(real.__without_exact_zero, imaginary.__without_exact_zero)
  end

  def __complex_of(real, imaginary)
    return real if real.is_a?(Complex) && !imaginary.is_a?(Float) && imaginary == 0
    return __complex_of_reals(real, imaginary) if real.__flat? && imaginary.__flat?

    turned = imaginary.is_a?(Complex) ? imaginary * __complex(0, 1) : imaginary.__part_times(__complex(0, 1))
    real.is_a?(Complex) ? real + turned : real.__part_plus(turned)
  end

  # Of two numbers on the line, which may be Complex themselves.
  def __complex_of_reals(real, imaginary)
    re = __real_part(real)
    im = __real_part(imaginary)
    return __complex(re, im) if re.__real_number? && im.__real_number?

    re.is_a?(Complex) ? re.__with_imaginary(im) : __complex(re.__part_minus(im.imaginary), 0.__part_plus(im.real))
  end

  def __real_part(number)
    return number if number.__real_number?
    if number.is_a?(Complex) && number.imaginary == 0
      return __ruby?(:complex_parts_are_real) ? number.real : number
    end

    raise TypeError, "not a real"
  end

  def __complex_polar(size, angle)
    return __complex(size, 0.0) if size == 0 || angle == 0

    if angle.is_a?(Float)
      return __complex(-size, 0.0) if angle == 3.141592653589793
      return __complex(0.0, size) if angle == 1.5707963267948966
      return __complex(0.0, -size) if angle == 4.71238898038469 && __ruby?(:polar_knows_three_quarters)
    end
    __complex(size.__part_times(Math.cos(angle)), size.__part_times(Math.sin(angle)))
  end
end

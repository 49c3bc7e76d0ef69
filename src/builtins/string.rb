# String's methods, over what `string.rs` has: bytes, and made Strings that bytes are appended to. Those of `MadeString`
# are of Strings that the section makes.

module String
  def +(other)
    text = __string_argument(other)
    encoding = __common_encoding(text)
    __build(__bytesize + text.__bytesize).__append(self, 0, __bytesize).__append(text, 0, text.__bytesize).__force(encoding)
  end

  def <=>(other)
    return nil unless other.is_a?(String)

    __compare(other)
  end

  def start_with?(*prefixes)
    prefixes.each { |prefix| return true if __starts_with?(__string_argument(prefix)) }
    false
  end

  def getbyte(index)
    index = __to_int(index)
    index += __bytesize if index < 0
    index < 0 || index >= __bytesize ? nil : __byte(index)
  end

  def __starts_with?(prefix)
    size = prefix.__bytesize
    size <= __bytesize && __same_bytes?(prefix, 0, 0, size)
  end

  def __string_argument(other)
    return other if other.is_a?(String)

    __no_string(other)
  end

  def __incompatible(other)
    name = __encoding.__encoding_name
    others = other.__encoding.__encoding_name
    raise Encoding::CompatibilityError, "incompatible character encodings: #{name} and #{others}"
  end

  # That of this one when the other is put behind it.
  def __encoding_with(other)
    encoding = __encoding
    others = other.__encoding
    return encoding if encoding == others || other.__ascii?
    return others if __ascii?

    __incompatible(other)
  end

  # That of both together.
  def __common_encoding(other)
    encoding = __encoding
    others = other.__encoding
    return encoding if encoding == others || other.__bytesize == 0
    return others if __bytesize == 0
    return encoding if other.__ascii?
    return others if __ascii?

    __incompatible(other)
  end

  def __compare(other)
    size = __bytesize
    others = other.__bytesize
    least = size < others ? size : others
    i = 0
    while i < least
      a = __byte(i)
      b = other.__byte(i)
      return a < b ? -1 : 1 if a != b

      i += 1
    end
    return size <=> others if size != others || self == other

    # The same bytes mean something else: the order is that in which Ruby numbers encodings.
    (__encoding + 1) % 3 <=> (other.__encoding + 1) % 3
  end

  def __copy_string
    __build(__bytesize).__append(self, 0, __bytesize)
  end
end

module MadeString
  def __frozen_copy
    frozen? ? self : __copy_string.__intern
  end

  def __interpolate(text)
    encoding = __encoding_with(text)
    others = text.__encoding
    encoding = others if encoding == 1
    __append(text, 0, text.__bytesize).__force(encoding)
  end

  def <<(other)
    __check_frozen
    text = __string_argument(other)
    encoding = __encoding_with(text)
    __append(text, 0, text.__bytesize).__force(encoding)
  end
end

module NilClass
  def to_s
    "".__force(1).__freeze
  end
end

module TrueClass
  def to_s
    "true".__force(1).__freeze
  end
end

module FalseClass
  def to_s
    "false".__force(1).__freeze
  end
end

module Symbol
  def to_s
    __name.__copy_string
  end

  def name
    __name
  end
end

module Integer
  def __encoding_name
    case self
    when 0 then :"UTF-8"
    when 1 then :"US-ASCII"
    else
      __ruby?(:binary_has_two_names) ? :"BINARY (ASCII-8BIT)" : :"ASCII-8BIT"
    end
  end

  def to_s
    return "0".__force(1) if self == 0

    size = self < 0 ? 1 : 0
    rest = self
    while rest != 0
      size += 1
      rest = (rest - rest.remainder(10)) / 10
    end
    text = "".__build(size).__append("                    ", 0, size).__force(1)
    at = size
    rest = self
    while rest != 0
      at -= 1
      digit = rest.remainder(10)
      text.__set_byte(at, 48 + (digit < 0 ? -digit : digit))
      rest = (rest - digit) / 10
    end
    text.__set_byte(0, 45) if self < 0
    text
  end
end

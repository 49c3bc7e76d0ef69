# Complex numbers as text.

module Complex
  def to_s
    "#{real}#{__signed(imaginary.abs.to_s)}"
  end

  def inspect
    "(#{real.inspect}#{__signed(imaginary.abs.inspect)})"
  end

  # What is no digit at its end has a `*` before the i.
  def __signed(text)
    digit = text.__byte(text.__bytesize - 1)
    "#{imaginary.__minus? ? "-" : "+"}#{text}#{"*" unless digit >= 48 && digit <= 57}i"
  end
end

# Ranges of Strings as text.

module TextRange
  def to_s
    "".__force(__from.__encoding).__put(__from).__between(__to, exclude_end?)
  end

  def inspect
    __from.inspect.__between(__to.inspect, exclude_end?)
  end
end

module Encoding
  # As Strings have it here.
  def __number
    "".__encoding_number(self)
  end

  def name
    case __number
    when 0 then :"UTF-8".name
    when 1 then :"US-ASCII".name
    else :"ASCII-8BIT".name
    end
  end

  def to_s
    name
  end

  def inspect
    "#<Encoding:".__force(1).__put(__number.__encoding_name.name).__put(">")
  end

  def ascii_compatible?
    __number >= 0
  end

  def dummy?
    __number < 0
  end
end

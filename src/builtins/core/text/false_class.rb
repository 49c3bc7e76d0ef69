module FalseClass
  def to_s
    "false".__force(1).__intern
  end

  # It is not known what was.
  def __last
    __refuse_earlier_match
  end

  def inspect
    "false".__force(1)
  end
end

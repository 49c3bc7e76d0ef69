module TrueClass
  def to_s
    "true".__force(1).__intern
  end

  def inspect
    "true".__force(1)
  end
end

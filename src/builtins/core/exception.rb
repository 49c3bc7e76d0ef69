module Exception
  def message
    to_s
  end

  def to_s
    told = __told
    return self.class.name.dup if told.__nil?

    told.is_a?(String) ? told : told.to_s
  end

  def inspect
    text = to_s
    return self.class.name.dup if text.empty?

    __refuse_lines if text.include?("\n")
    "#<".__force(2).__put(self.class.name).__put(": ").__put(text).__put(">")
  end

  def exception
    self
  end
end

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

  # The last one of those that were raised for each other was raised in a method that is called where another is handled.
  def __complete_cause(cause)
    last = self
    known = __known_cause
    while known
      last = known
      known = last.__known_cause
    end
    last.__write_cause(cause) if known == false
  end

  # It has none yet. One that was raised for it is no cause of it.
  def __first_cause(cause)
    last = cause
    while last
      return if last.equal?(self)

      last = last.__known_cause
    end
    __write_cause(cause)
  end

  # What `cause:` says.
  def __give_cause(cause)
    return if cause.equal?(self)

    last = cause.__known_cause
    while last
      raise ArgumentError, "circular causes" if last.equal?(self)

      last = last.__known_cause
    end
    __write_cause(cause)
  end

  def exception(*given)
    return self if given.size == 0

    raise ArgumentError, "wrong number of arguments (given #{given.size}, expected 0..1)" if given.size > 1

    equal?(given.__item(0)) ? self : __with_message(given.__item(0))
  end
end

# What takes the place of invalid bytes. Only a text that has some needs to be one that may change.

module ChangedString
  def __scrub!
    return self if valid_encoding?

    now = __scrub
    __check_frozen
    __take(now)
    self
  end

  def __scrub_with!(text)
    return self if valid_encoding?

    now = __scrub_with(text)
    __check_frozen
    __take(now)
    self
  end

  def __scrub_block!
    return self if valid_encoding?

    now = __scrub_block { |part| yield part }
    __check_frozen
    __take(now)
    self
  end
end

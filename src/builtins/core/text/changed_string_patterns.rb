# What changes a String where a regular expression says.

module ChangedString
  def __kept
    frozen? ? self : __copy_string
  end

  # `text[/pattern/, group] = value`
  def __set_match_part(pattern, group, value)
    raise IndexError, "regexp not matched" if pattern.__search(self, 0, 2) < 0

    number = pattern.__group_number(group)
    raise IndexError, "index #{__c_int(group)} out of regexp" if number < 0 || number >= pattern.__count

    from = pattern.__group(2 * number)
    raise IndexError, "regexp group #{number} not matched" if from < 0

    to = pattern.__group(2 * number + 1)
    value = __string_argument(value)
    __common_encoding(value)
    __check_frozen
    __replace_part(from, to, value)
  end

  # `text.slice!(/pattern/, group)`
  def __cut_match(pattern, group)
    return nil if pattern.__search(self, 0, 2) < 0

    number = pattern.__group_number(group)
    return nil if number < 0 || number >= pattern.__count

    from = pattern.__group(2 * number)
    return __build(0) if from < 0

    to = pattern.__group(2 * number + 1)
    part = __piece(from, to - from)
    __remove(from, to)
    part
  end

  def __has?(pattern)
    (pattern.is_a?(Regexp) ? pattern.__search(self, 0, 0) : __find(__whole_pattern(pattern), 0)) >= 0
  end
end

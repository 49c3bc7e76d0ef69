module Symbol
  def to_s
    __name.__copy_string
  end

  def name
    __name
  end

  def size
    __name.size
  end

  def empty?
    __name.__bytesize == 0
  end

  def [](index, count = :__none)
    count.equal?(:__none) ? __name[index] : __name[index, count]
  end

  def start_with?(*others)
    __name.start_with?(*others)
  end

  def end_with?(*others)
    __name.end_with?(*others)
  end

  def casecmp(other)
    other.is_a?(Symbol) ? __name.casecmp(other.__name) : nil
  end

  def casecmp?(other)
    other.is_a?(Symbol) ? __name.casecmp?(other.__name) : nil
  end

  def upcase(option = :full)
    __name.upcase(option).to_sym
  end

  def downcase(option = :full)
    __name.downcase(option).to_sym
  end

  def swapcase(option = :full)
    __name.swapcase(option).to_sym
  end

  def capitalize(option = :full)
    __name.capitalize(option).to_sym
  end

  def succ
    __name.succ.to_sym
  end

  def encoding
    __name.encoding
  end

  # ---- regular expressions

  def =~(pattern)
    name =~ pattern
  end

  def match?(pattern, from = 0)
    name.match?(pattern, from)
  end

  def __match(pattern, from)
    name.__match(pattern, from)
  end

  def __match_block(pattern, from)
    name.__match_block(pattern, from) { |found| yield found }
  end

  # ---- inspect

  def inspect
    name = __name
    size = name.__bytesize
    return name.__build(size + 1).__push(58).__append(name, 0, size) if __operator?

    shown = name.inspect
    if shown.__bytesize == size + 2 && name.__plain_name?
      name.__build(size + 1).__push(58).__append(name, 0, size)
    else
      shown.__build(size + 3).__push(58).__append(shown, 0, shown.__bytesize)
    end
  end

  def __operator?
    case self
    when :+, :-, :*, :/, :%, :**, :==, :!=, :===, :=~, :!~, :<, :>, :<=, :>=, :<=>, :<<, :>>, :!, :~, :&, :|, :^,
         :+@, :-@, :[], :[]=, :`
      true
    else
      false
    end
  end
end

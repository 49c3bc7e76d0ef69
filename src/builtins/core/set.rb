# Ruby's Set is written in Ruby, around a Hash, and runs from its source. These are the methods whose source has what a
# section has not.

module Set
  def inspect
    "#<Set: {#{to_a.inspect[1..-2]}}>"
  end

  def each
    @hash.each_key { |x| yield x }
    self
  end

  def merge(others)
    raise ArgumentError, "value must be enumerable" unless others.respond_to?(:each)

    others.each { |x| add(x) }
    self
  end

  # In no order, as that of the items counts for nothing.
  def hash
    number = size
    each { |x| number ^= x.__hash }
    number
  end

  def eql?(other)
    other.is_a?(Set) && size == other.size && other.all? { |x| include?(x) }
  end

  def subtract(others)
    raise ArgumentError, "value must be enumerable" unless others.respond_to?(:each)

    others.each { |x| delete(x) }
    self
  end

  def |(others)
    self.class.new.merge(self).merge(others)
  end

  def -(others)
    self.class.new.merge(self).subtract(others)
  end

  def ^(others)
    out = self.class.new
    out.merge(others) unless others.nil?
    each { |x| out.add(x) unless out.delete?(x) }
    out
  end

  # In `set.rb`, all that goes does so in the end.
  def keep_if
    gone = []
    each { |x| gone << x unless yield x }
    gone.each { |x| @hash.__delete(x) }
    self
  end

  def delete_if
    keep_if { |x| !yield(x) }
  end

  def select!
    n = size
    keep_if { |x| yield x }
    size == n ? nil : self
  end

  def reject!
    select! { |x| !yield(x) }
  end
end

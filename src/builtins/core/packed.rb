module Packed
  def __packed_each_with_index
    i = 0
    each do |x|
      yield [x, i]
      i += 1
    end
    self
  end
end

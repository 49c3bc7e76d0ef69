# Ranges as text.

module Range
  def to_s
    low = self.begin
    high = self.end
    text = low.__nil? ? "".__force(1) : low.to_s
    text.__between(high.__nil? ? "".__force(1) : high.to_s, exclude_end?)
  end

  # What has no end is written as nil where it has neither.
  def inspect
    low = self.begin
    high = self.end
    text = low.__nil? && !high.__nil? ? "".__force(2) : low.inspect
    text.__between(high.__nil? && !low.__nil? ? "".__force(1) : high.inspect, exclude_end?)
  end
end

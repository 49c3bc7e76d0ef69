# frozen_string_literal: true

# What happens in order of time: a heap of events of several kinds.
Event = Struct.new(:time, :kind, :who) do
  include Comparable
  def <=>(other) = time <=> other.time
end

class Timeline
  def initialize = @items = []
  def empty? = @items.empty?

  def push(event)
    @items << event
    i = @items.size - 1
    while i.positive? && @items[i] < @items[(i - 1) / 2]
      @items[i], @items[(i - 1) / 2] = @items[(i - 1) / 2], @items[i]
      i = (i - 1) / 2
    end
  end

  def pop
    first = @items.first
    last = @items.pop
    return first if @items.empty?

    @items[0] = last
    sink(0)
    first
  end

  def sink(i)
    loop do
      child = (2 * i) + 1
      return if child >= @items.size

      child += 1 if child + 1 < @items.size && @items[child + 1] < @items[child]
      return unless @items[child] < @items[i]

      @items[i], @items[child] = @items[child], @items[i]
      i = child
    end
  end
end

(1..4).to_a.pmap do |seed|
  timeline = Timeline.new
  10.times { |i| timeline.push(Event.new((i * seed * 7) % 13, :arrive, i)) }
  served = 0
  until timeline.empty?
    event = timeline.pop
    case event.kind
    when :arrive then timeline.push(Event.new(event.time + 3, :leave, event.who))
    when :leave then served += event.who
    end
  end
  served
end

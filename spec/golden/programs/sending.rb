# frozen_string_literal: true

# An interpreter whose words are methods.
class Stack
  def initialize = @items = []
  def push(x) = @items.push(x)
  def top = @items.last
  def do_add = push(@items.pop + @items.pop)
  def do_mul = push(@items.pop * @items.pop)
  def do_dup = push(@items.last)
  def do_drop = @items.pop
  def do_over = push(@items[-2])
  def do_neg = push(-@items.pop)

  def do_swap
    a = @items.pop
    b = @items.pop
    push(a)
    push(b)
  end

  def run(words)
    words.each { |word| word.match?(/\A\d+\z/) ? push(word.to_i) : send(:"do_#{word}") }
    top
  end
end

["1 2 add", "3 dup mul", "1 2 swap over add neg", "5 6 drop"].pmap { |text| Stack.new.run(text.split) }

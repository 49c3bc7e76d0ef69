# frozen_string_literal: true

# Trees that grow, are walked and asked.
class Tree
  attr_reader :key, :left, :right

  def initialize(key)
    @key = key
    @left = @right = nil
  end

  def insert(key)
    if key < @key
      @left ? @left.insert(key) : @left = Tree.new(key)
    elsif key > @key
      @right ? @right.insert(key) : @right = Tree.new(key)
    end
  end

  def each(&block)
    @left&.each(&block)
    yield @key
    @right&.each(&block)
  end

  def depth = 1 + [@left ? @left.depth : 0, @right ? @right.depth : 0].max
end

(1..5).to_a.pmap do |seed|
  tree = Tree.new(50)
  20.times { |i| tree.insert((i * 37 * seed) % 101) }
  sum = 0
  tree.each { |key| sum += key }
  [sum, tree.depth]
end

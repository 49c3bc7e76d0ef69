# frozen_string_literal: true

# Loops of a graph, its components, and the ways through it.
edges = Array.new(24) { |i| [i % 12, ((i * 5) + 3) % 12] }
Ikra.section do
  out = Hash.new { |hash, node| hash[node] = [] }
  edges.each { |from, to| out[from] << to }
  number = {}
  low = {}
  stack = []
  components = []
  visit = lambda do |node|
    number[node] = low[node] = number.size
    stack.push(node)
    out[node].each do |other|
      if !number.key?(other)
        visit.call(other)
        low[node] = [low[node], low[other]].min
      elsif stack.include?(other)
        low[node] = [low[node], number[other]].min
      end
    end
    if low[node] == number[node]
      component = []
      component << stack.pop until component.last == node
      components << component.sort
    end
  end
  12.times { |node| visit.call(node) unless number.key?(node) }
  components.sort
end

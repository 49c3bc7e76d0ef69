# frozen_string_literal: true

# Evolution of bit strings, with random numbers of its own.
Ikra.section do
  random = Random.new(7)
  people = Array.new(12) { Array.new(16) { random.rand(2) } }
  10.times do
    people = people.sort_by { |genes| -genes.sum }.first(6)
    people += people.map do |genes|
      other = people[random.rand(people.size)]
      cut = random.rand(genes.size)
      child = genes[0...cut] + other[cut..]
      child[random.rand(child.size)] ^= 1
      child
    end
  end
  people.map(&:sum).max
end

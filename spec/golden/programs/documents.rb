# frozen_string_literal: true

# An index of words, and what finds documents by it.
texts = Array.new(30) { |i| "word#{i % 5} and word#{i % 7}, then word#{i % 11}!" }
Ikra.section do
  index = Hash.new { |hash, word| hash[word] = [] }
  texts.each_with_index { |text, i| text.downcase.scan(/\w+/) { |word| index[word] << i unless index[word].last == i } }
  queries = ["word1 word2", "and then", "nothing"]
  queries.map do |query|
    found = query.split.map { |word| index.fetch(word, []) }.reduce { |a, b| a & b }
    found.map { |i| texts[i][0, 12] }
  end
end

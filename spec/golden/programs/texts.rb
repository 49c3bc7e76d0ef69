# frozen_string_literal: true

# Texts changed in many ways.
words = %w[Apple banana Cherry damson elder fig Grape]
words.pmap do |word|
  turned = word.reverse.tr("a-y", "b-z").sub("b", "<b>")
  parts = word.gsub(/[aeiou]/) { |vowel| vowel.upcase }.chars.each_slice(2).map(&:join)
  [turned, parts.join("-"), word.center(12, "*"), word[1..3], word.start_with?("A"), word.squeeze.delete("e"),
   word.swapcase, word.index("a"), word.bytes.sum, word * 2, word =~ /[bd]/]
end

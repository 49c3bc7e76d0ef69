# frozen_string_literal: true

# Ranges from before the section: where all are alike, nothing asks which ends they have.
alike = Array.new(20) { |i| (i * 7)..((i * 7) + 3) }
mixed = alike.each_with_index.map { |range, i| i.odd? ? range : range.begin...range.end }
xs = (0...200).to_a
xs.pmap { |x| alike.any? { |range| range.cover?(x) } }
xs.pmap { |x| mixed.any? { |range| range.cover?(x) } }

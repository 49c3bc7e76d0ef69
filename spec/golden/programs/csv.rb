# frozen_string_literal: true

# Rows of text: split, counted, sorted, told.
rows = Array.new(40) { |i| "#{%w[north south east][i % 3]},item #{i % 7},#{i * 3},#{i * 0.25}" }
Ikra.section do
  totals = Hash.new(0.0)
  rows.each do |row|
    region, _, count, price = row.split(",")
    totals[region] += count.to_i * price.to_f
  end
  sorted = totals.sort_by { |region, total| [-total, region] }
  sorted.map { |region, total| format("%-8s %10.2f", region, total) }.join("\n")
end

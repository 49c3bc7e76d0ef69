# frozen_string_literal: true

# A program that prints.
Ikra.section do
  puts "squares"
  (1..10).each { |x| print x * x, " " }
  puts
  printf("%d of %s\n", 3, "four")
  p [1, nil, :two, "three"]
  $stdout.puts([1, [2, 3]])
end

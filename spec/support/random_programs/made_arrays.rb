# frozen_string_literal: true

module RandomPrograms
  # Loops in drivers that make arrays of arrays that they have made, and keep some: what is needed no more gives its
  # place to a later one.
  module MadeArrays
    MADE = ["%<a>s = %<b>s.pmap { |x| (x * 3 + %<c>s.size) %% 97 }",
            "%<a>s = %<b>s.each_with_index.pmap { |x, i| (x + (%<c>s[i] || i)) %% 89 }",
            "%<a>s = %<b>s.pselect { |x| x %% 3 != %<n>d }", "%<a>s = (0..%<n>d).pmap { |i| i + (%<b>s[i] || 7) }",
            "%<a>s = %<b>s.pmap { |x| x + 1 } if i %% 2 == 0",
            "%<a>s = (%<b>s + %<c>s).pselect { |x| x %% 3 == %<n>d }",
            "%<a>s = [i] + %<b>s.pmap { |x| x > %<n>d ? x : nil }.compact"].freeze
    MOVED = ["%<a>s, %<b>s = %<b>s, %<a>s", "%<a>s = %<b>s", "%<a>s = %<b>s if i == %<n>d",
             "%<a>s = %<b>s.size > %<c>s.size ? %<b>s : %<c>s", "%<a>s = [%<b>s, %<c>s][i %% 2]",
             "sum += %<a>s.sum", "sum = (sum * 31 + (%<a>s[i] || 5)) %% 9973",
             "%<a>s.each { |x| sum += x; %<b>s = %<c>s.pmap { |y| (x + y) %% 83 } if x == %<n>d }",
             "next if sum %% 5 == %<n>d", "break if sum %% 31 == %<n>d", "%<a>s = (-> { %<b>s }).call",
             "%<a>s = MORE.call(%<b>s)", "%<a>s = (%<b>s.fetch(%<n>d) && %<c>s rescue %<a>s)"].freeze

    def made_loop(_depth)
      names = Array.new(between(2, 4)) { fresh("made") }
      sum = fresh("v")
      more = fresh("more")
      first = names.map { |name| "#{name} = (#{between(-3, 2)}..#{between(0, 9)}).pmap { |x| x + #{between(0, 9)} }" }
      first = names.map { |name| "#{name} = #{fresh("made")} = [4, 7, 1].pmap { |x| x }" } if chance(0.2)
      lines = Array.new(between(2, 7)) { made_line(names).gsub(/(?<!\.)sum/, sum).gsub("MORE", more) }
      told = names.map { |name| "#{name}.sum + #{name}.size * 7" }.join(") * 31 + (")
      scope.declare(sum, [:int])
      Node.statement("#{sum} = 0\n#{more} = ->(a) { a.size > 2 ? a : a.dup }\n#{first.join("\n")}\n",
                     "#{between(2, 6)}.times do |i|\n", Node.body(lines.map { |line| Node.fixed(line) }), "\nend\n",
                     "#{sum} = (#{sum} + (#{told})) % 99991")
    end

    private

    def made_line(names)
      a, b, c = Array.new(3) { pick(names) }
      format(pick(chance(0.5) ? MADE : MOVED), a:, b:, c:, n: between(0, 4))
    end
  end
end

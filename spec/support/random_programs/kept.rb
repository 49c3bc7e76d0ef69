# frozen_string_literal: true

module RandomPrograms
  # Loops in drivers that put Strings, arrays and Hashes which they make, or which calls give, into arrays and Hashes
  # around the section, look at them there, change them, and have elements use them.
  module Kept
    AROUND = ['texts = ["a", "b"]', "rows = [[1, 2], []]", "tables = [{ 1 => 2 }]", "counts = Hash.new(0)",
              "groups = {}", "nested = {}", "lists = Hash.new { |h, k| h[k] = [k] }",
              "trees = Hash.new { |h, k| h[k] = Hash.new { |g, j| g[j] = [] } }", "branches = []",
              "kinds = []", "kinded = []"].freeze
    FIRST = ['word = "w"', "row = [3]", "table = { 4 => 5 }", "made = [7]", "kind = Integer"].freeze
    TEXTS = ["texts << \"t\#{i}\"", "texts << word", "word = \"w\#{i %% N}\"", 'word += "!"',
             "texts[i %% 3] = word.dup",
             "sum += texts.last.to_s.size", 'texts << (word.dup << "x")', "sum += texts.count(word)",
             'word = texts.last + "y"', "texts.reverse!", "sum += (0..N).psum { |x| \"\#{x}\#{word}\".size }",
             "made = (0..N).pmap { |x| \"e\#{x}\#{word}\" }; texts.concat(made)", "word = texts[N] || word",
             "counts[\"c\#{i %% 2}\"] += 1", "counts[word] += N", "sum += counts[word]", "counts.delete(word)",
             "counts[texts[i %% 3]] += 1", "sum += counts.count { |k, v| k.frozen? }",
             "word = counts.keys.last || word",
             "sum += 1 if counts.keys.any? { |k| k.equal?(word) }", "texts << (word.frozen? ? \"f\" : \"u\")",
             "Ikra.sync { counts.size + texts.size }", "Ikra.sync { texts.reverse! }", "sum += texts[0].to_s.size",
             "Ikra.sync { texts << word }", "sum += 1 if texts.last.equal?(word)"].freeze
    ROWS = ["rows << [i, N]", "rows << row", "row << i", "row = [i]", "rows.last << i", "row = rows[i %% 2] || row",
            "rows << (0..N).pmap { |x| x + i }", "rows[0] = row.map { |x| x + 1 }", "rows.last[0] = N", "row.sort!",
            "sum += rows.sum { |r| r.size }", "rows.last.pop", "row.unshift(N)", "row = row.dup", "row = row + [N]",
            "sum += (0..N).psum { |x| row[x] || 3 }", "rows.peach { |r| r << N }", "sum += row.sum",
            "(0..N).peach { |x| row[x] = x if x < row.size }", "rows.concat((0..N).pmap { |x| [x, i] })",
            "row = (0..N).pmap { |x| x * 2 }", "row = (0..N).pselect { |x| x != i }", "row.concat(rows.first)",
            "(groups[i %% 3] ||= []) << i", "groups[N] = row", "row = groups[i %% 3] || row", "rows.shift if i == N",
            "groups[[i, N]] ||= [i]", "Ikra.sync { rows.size + groups.size }",
            "Ikra.sync { rows.reverse! }", "sum += rows[0].size + rows.last.sum", "rows[0] << N",
            "rows << [i, N].freeze", "row = rows.find(&:frozen?) || row", "rows.unshift((0..N).pmap { |x| x }.freeze)",
            "rows.concat((0..N).pmap { |x| x > 1 ? [x].freeze : [i] })", "sum += rows.count(&:frozen?)",
            "sum += groups.size"].freeze
    TABLES = ["tables << { i => N }", "tables << table", "table[i %% 3] = N", "table = {}", "table = Hash.new(i)",
              "tables.last[N] = i", "sum += tables.last.size + table.size", "table.delete(N)", "table = tables[0]",
              "sum += tables.last[i] || 7", "sum += (0..N).psum { |x| table[x] || 2 }", "table = table.dup",
              "(nested[i %% 2] ||= Hash.new(0))[N] += 1", "sum += (nested[N] || table).sum { |k, v| k + v }",
              "tables.peach { |t| t[N] = 1 }", "table = tables.last.merge(table)", "tables[0] = table",
              "table = Hash.new { |h, k| h[k] = k + 1 }", "tables << Hash.new { |_, k| k * 2 }",
              "trees[i %% 2][N] << i", "sum += trees[N].size", "nested[N] = Hash.new { |h, k| h[k] = h.size }",
              "lists[i] << N", "Ikra.sync { tables.size + nested.size }", "sum += lists[N].sum",
              "sum += nested[N] ? nested[N][i] || 1 : 2",
              "nested[i] = table", "(0..N).peach { |x| table[x] = i }", "table.clear", "nested.delete(N)",
              "tables << { i => N }.freeze", "sum += tables.count(&:frozen?)", "tables.last.freeze if i == N",
              "tables.concat((0..N).pmap { |x| { x => i }.freeze })"].freeze

    # Objects whose `initialize` puts them into what was made before.
    BRANCHES = ["branches << Branch.new([Branch.new])", "branches << Branch.new(branches.last(N))",
                "branches << Branch.new(Array.new(N) { Branch.new })", "branches << Branch.new",
                "branches << (branches.last || Branch.new).above", "sum += branches.count { |b| b.parent }",
                "sum += branches.sum { |b| b.children.count { |c| c.parent.equal?(b) } }",
                "sum += branches.psum { |b| b.children.size }", "branches.peach { |b| b.children.size }",
                "branches.shift if i == N", "Ikra.sync { branches.reverse! }",
                "sum += (branches.last || Branch.new).instance_variables.size"].freeze
    # Classes as values, one or one of several.
    KINDS = ["kinds << kind", "kinds << Integer", "kind = kinds[i %% 2] || kind", "kind = i == N ? Float : kind",
             "kinds.concat((0..N).pmap { |x| Integer })", "kinds.concat((0..N).pmap { |x| x.class })",
             "kinds.concat((0..N).pmap { |x| [Integer, Float][x %% 2] })", "(0..N).peach { |x| kinds << String }",
             "made = (0..N).pmap { |x| kinds << kind; x }", "kind = (0..N).pmap { |x| Float }.last",
             "kinded << Kinded.new(kind)", "kinded.concat((0..N).pmap { |x| Kinded.new(Integer) })",
             "kinded.concat((0..N).pmap { |x| Kinded.new([Integer, Float][x %% 2]) })", "kinded << Kinded.new([kind])",
             "kinded.peach { |k| k.what = Float }", "kinded.peach { |k| k.what = k.what.class }", "kinds.reverse!",
             "kinded.peach { |k| k.what = [Integer] }", "kinded.concat((0..N).pmap { |x| Kinded.new([Float, x]) })",
             "sum += kinds.count(Integer)", "sum += kinds.psum { |k| k.name.size }",
             "sum += kinded.count { |k| k.what == kind }",
             "sum += (kinds + [Float]).psum { |k| k == kind ? 2 : 1 }", "sum += kinds.uniq.size",
             "sum += kinded.psum { |k| k.what == Float ? 3 : 1 }", "kinds.shift if i == N",
             "sum += (0..N).pmap { |x| kind }.tally.size",
             "Ikra.sync { kinds.reverse! }",
             "sum += (0..N).pmap { |x| { x => kind } }.sum { |h| h.values[0].name.size }"].freeze
    OWN_CLASSES = <<~RUBY
      class Kinded
        attr_accessor :what

        def initialize(what)
          @what = what
        end
      end

      class Branch
        attr_accessor :parent, :children

        def initialize(children = [])
          @children = children
          children.each { |child| child.parent = self }
        end

        def above = Branch.new([self])
      end
    RUBY

    def kept_around = chance(0.5, :kept_loop) ? (@keeps = true) && AROUND.map { |text| Node.fixed(text) } : []

    def kept_loop(_depth)
      return if !@keeps || scope.in_method?

      sum = fresh("v")
      names = %w[word row table made kind].to_h { |name| [name, fresh(name)] }
      all = pick([TEXTS, ROWS, TABLES, TEXTS + ROWS, ROWS + TABLES, TEXTS + TABLES, BRANCHES, ROWS + BRANCHES, KINDS])
      all = all.grep_v(/Ikra.sync/) unless syncs?
      named = lambda do |line|
        line = format(line.gsub("N") { between(0, 3).to_s })
        line.gsub(/\b(word|row|table|made|kind)\b/) { |name| names[name] }.gsub(/(?<!\.)\bsum\b/, sum)
      end
      lines = Array.new(between(2, 8)) { Node.fixed(named.call(pick(all)), "\n") }
      scope.declare(sum, [:int])
      Node.statement("#{sum} = 0\n#{FIRST.map(&named).join("\n")}\n",
                     "#{between(1, 5)}.times do |i|\n", Node.body(lines), "\nend\n#{sum} = #{sum} % 99991")
    end
  end
end

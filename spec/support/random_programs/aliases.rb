# frozen_string_literal: true

module RandomPrograms
  # Results in which one array or Hash stands in several places, or may do so, and some of them are frozen.
  module Aliases
    # So many programs with `pmap` give such.
    SHARE = Float(ENV.fetch("IKRA_FUZZ_ALIASES", 0.34))
    FIRST = ["row = [n, N]", "other = [N, n]", "all = []", "pairs = []", "table = {}", "held = { a: [N, n] }",
             "same = 0"].freeze
    LINES = ["row = [n, N]", "other = row", "row = row.dup", "row = other.clone", "all << row", "all << other << row",
             "all << [n, N]", "pairs << [row, N]", "pairs << [row, other]", "pairs << [[n, N], row]",
             "row = n > N ? other : [N, N]", "N.times { all << row }", "N.times { |i| all << [i, n] }",
             "N.times { |i| pairs << [row, [i, N]] }", "all.concat([row] * 2)", "all.concat(Array.new(N, other))",
             "table[N] = row", "table[N] = other", "table[n] = [n, N]", "row = table[N] || row",
             "row = all.last || row", "row = all.find { |a, b| a == n } || [n, n]", "all = all.reverse",
             "all = all.dup",
             "all = all.select { |a, b| a >= b }", "all = all.sort", "pairs << all.first(2)",
             "same += 1 if row.equal?(other)", "same += 10 if all.any? { |a| a.equal?(row) }", "row = row.to_a",
             "held = { a: row }", "held[:b] = held[:a]", "held[:a] = other", "pairs << held.values",
             "row, other = other, row", "row = other = [N, n]", "all << row.map { |a| a + 1 }",
             "row = [row[0], other[1]]", "row = all.min_by { |a, b| a } || row", "all.each { |a| row = a }",
             "all.each_with_index { |a, i| table[i] = a }", "all = all.map { |a| a }",
             "all = all.map { |a, b| [a, b] }", "row = n.divmod(3)", "all.concat(row.zip(other))",
             "all << all.first if all.any?", "pairs = pairs.first(3)",
             "tell = ->(a) { [a, a] }; pairs << tell.call(row)"]
            .freeze
    FREEZING = ["row = [n, N].freeze", "row.freeze", "other = row.freeze", "same += 100 if row.frozen?",
                "all << [N, n].freeze", "row = row.clone", "all << row.clone(freeze: false)",
                "held = { a: row }.freeze", "held = { a: [N, n] }.freeze", "held = held.clone", "held = held.dup",
                "held.freeze", "same += 1000 if held.frozen?", "held = held.merge({ c: row }).freeze",
                "table = table.dup.freeze", "pairs << held.clone(freeze: false).values"].freeze
    RESULTS = ["all", "pairs", "table", "held", "row", "other", "same", "[row, other]", "[all, row]",
               "{ 1 => row }"].freeze

    # The value, and at times with it an array that has it twice.
    def result_of(returns)
      return aliased_result if given_lists? && matches?(@seed + 11, SHARE)

      value = value_of(returns, 4)
      return Node.statement(fraction_result(value)) if given_lists? && chance(0.06, :fraction_result)
      return Node.statement(date_result(value)) if given_lists? && chance(0.06, :date_result)
      return Node.statement(large_result(value)) if given_lists? && chance(0.04, :large_result)
      return hash_result(value, returns) if given_lists? && chance(0.2, :hash_result)
      return Node.statement(value) unless returns.is_a?(Array) && returns.any? { |type| record?(type) } && chance(0.3)

      name = fresh("v")
      Node.statement("#{name} = ", value, "\n[#{name}, ", value_of(returns, 2), ", #{name}]")
    end

    # Is there a place for arrays and Hashes in what a call gives? A Column has none.
    def holds_lists? = @collection != :column
    def given_lists? = @operation == :pmap && (holds_lists? || chance(0.02))

    def aliased_result
      lines = chance(0.4) ? LINES + FREEZING : LINES
      names = %w[n row other all pairs table held same tell].to_h { |name| [name, fresh(name)] }
      named = lambda do |line|
        line.gsub(/\bN\b/) { between(0, 3).to_s }.gsub(/\b(#{names.keys.join("|")})\b(?!:)/) { |name| names[name] }
      end
      made = [*FIRST, *Array.new(between(2, 9)) { pick(lines) }].map { |line| Node.fixed(named.call(line), "\n") }
      given = Array.new(between(1, 4)) { Node.fixed(named.call(pick(RESULTS))) }
      Node.statement("#{names["n"]} = x.is_a?(Integer) ? x % 5 : 2\n", Node.body(made), "\n[", Node.list(given), "]")
    end
  end
end

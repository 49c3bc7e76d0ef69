# frozen_string_literal: true

require_relative "framed_texts"

module RandomPrograms
  # Enumerators that hand on several values at once, with blocks that take them apart or as one; arrays of objects
  # beside other values; and values that leave the whole program by `throw`.
  module Paired
    # Where it stands: among an element's statements, or a driver's with parallel methods.
    SOURCES = ["LIST.each_with_index", "LIST.each.with_index(M)", "LIST.each_with_index.with_index",
               "LIST.each_slice(2)", "LIST.each_slice(2).with_index(1)", "LIST.each_cons(2).with_index",
               "LIST.each_slice(3).each_with_index", "LIST.each_with_index.each_slice(2)",
               "LIST.each_with_index.each_cons(2)", "LIST.zip([N, 2.5, nil]).each_with_index",
               "{ 3 => N, N => 2.5 }.each_with_index", "{ a: N, b: [N, 1] }.each_with_index",
               "{ 1 => N, 2 => 5 }.each.with_index(2)", "{ N => 1, 8 => nil }.each_slice(2)",
               "{ a: 1, b: N, c: 2 }.each_cons(2)", "{ a: 1, b: N, c: 2 }.each_slice(2).with_index",
               "(1..4).each_with_index", "(N..N + 3).each_slice(2)", "(1..3).each_entry.with_index(N)",
               "[[N, 1], [2, [N]], [3]].each_with_index", "[[N, 1], [2, 3]].each.with_index(1)",
               "[[N, 1], 2, [3]].each_with_index", "3.times.with_index(N)", "N.abs.times.each_slice(2)",
               "1.step(9, 3).with_index", "\"a\#{N}\".each_char.with_index", "\"x\ny \#{N}\".each_line.with_index(1)",
               "LIST.reverse_each.with_index", "LIST.map.with_index", "LIST.select.with_index",
               "LIST.each_entry.each_with_index", "LIST.each_with_object([N])",
               "{ a: N, b: 2 }.each_with_object([])", "LIST.each_index.with_index(3)"].freeze
    # What is asked of them: P stands for a p, or nothing; what they come to is an Integer.
    ASKED = ["map { |a, i| [a, i] }", "map { |a| a }", "map { |*a| a.size }", "map { |(a, b), i| [b, i, a] }",
             "map { |a, (b, c)| [c, b, a] }", "map { |a, b = 7| [b, a] }", "map { |a, *b| [b, a] }",
             "map { [_1, _2] }", "map { _1 }", "select { |a, i| i }", "select { |a| a }", "reject { |(a, _b), _i| a }",
             "flat_map { |a, i| [i, a] }", "each_with_index.to_a", "sort_by { |a, i| [i.to_s, a.to_s] }",
             "min_by { |a, i| i.to_s }", "max_by { |a| a.to_s }", "group_by { |a, i| i.class }", "to_a.flatten",
             "partition { |a, i| i.to_s > a.to_s }", "find { |a, i| i && a }", "count { |a, i| i }",
             "sum { |a, i| i.to_s.size }", "any? { |a, i| i.nil? }", "all? { |(a, b), i| b }",
             "each_with_object([]) { |(a, i), all| all << [i, a] }", "inject { |a, b| [b, a] }", "to_a", "first(2)",
             "zip([1, N])", "filter_map { |a, i| [i, a] if i }", "tally.to_a", "each_slice(2).to_a",
             "take_while { |a, i| i }", "uniq { |a, i| i.class }", "each_entry.to_a", "first", "include?([N, 0])",
             "to_h { |a, i| [a.to_s, i] }"].freeze
    PARALLEL = /\A(map|select|reject|flat_map|sort_by|min_by|max_by|group_by|partition|find|count|sum|any\?|all\?|
                   filter_map|uniq|to_h|inject)\b/x

    USES = ["V = SHOWN.inspect.sum % 9973", "J = SHOWN\nV = J.to_s.size",
            "J = [SHOWN]\nV = J == [J[0], N] ? 1 : J.flatten.size"].freeze

    # Of what the array's items are, in a driver.
    MIXED = ["[*ON, N, nil]", "[2.5, *ON]", "[*ON.first(2), :a, *ON.last(2)]", "ON + [N, \"n\#{N}\"]",
             "[ON[0], [N, 1], ON[1]]", "ON.flat_map { |o| [o, N] }", "[nil, *ON, *ON.first(1)]",
             "ON.zip([N, nil, 3]).flatten"].freeze

    def paired(depth)
      return if depth <= 0

      asked = pick(ASKED)
      asked = "p#{asked}" if scope.driver && asked.match?(PARALLEL) && chance(0.7)
      use = pick(USES)
      framed_by([[nil, [use.sub("SHOWN") { "#{pick(SOURCES)}.#{asked}" }]]], depth)
    end

    # Elements of which some are objects.
    def mixed_call(depth)
      own = own_class or return
      name = fresh("mixed")
      number = fresh("n")
      things = pick(%w[xs ys])
      made = pick(MIXED).gsub("ON", things).gsub(/\bN\b/, number)
      Node.body([Node.statement(number, " = (", expression([:int], depth - 1), " % 9)"),
                 Node.statement(name, " = ", made), mixed_kernel(name, own, depth)])
    end

    # What leaves the program.
    def thrown_out(depth)
      made = pick(["[N, [N]]", "\"t\#{N}\"", "{ a: N, b: [N, 1] }", "[[N], \"q\#{N}\", nil]", "N", "nil", "N..9",
                   "[J = [N], J]", ":\"s\#{N}\""])
      test = chance(0.6) ? "N > M" : "N == 1_234_567"
      framed_by([[nil, ["V = 3\nthrow :trial, #{made} if #{test}"]]], depth)
    end

    private

    def mixed_kernel(name, own, depth)
      item = fresh("x")
      bare = nil
      inner = scope.of_element(item, own)
      object = within(inner) do
        scope.declare(item, [own.name], writable: false)
        statements([depth - 1, 1].max, 2) << Node.statement(expression([:int], 1))
      end
      within(scope.of_element(nil, nil)) { bare = expression([:int], 1) }
      call = pick(["#{name}.pmap", "#{name}.psum", "#{name}.pmax_by", "#{name}.peach", "#{name}.each_with_index.pmap"])
      index = call.include?("index") ? ", _at" : ""
      result = scope.declare(fresh("v"), [:int]).name
      Node.statement("#{result} = #{call} do |#{item}#{index}|\n",
                     pick(["if #{item}.is_a?(#{own.name})\n", "case #{item}\nwhen #{own.name}\n",
                           "if #{own.name} === #{item}\n"]),
                     Node.body(object), "\nelse\n", bare, "\nend\nend.to_s.size")
    end
  end
end

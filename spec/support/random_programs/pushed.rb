# frozen_string_literal: true

module RandomPrograms
  # Arrays, Hashes and objects around the block into which its elements put what methods make: pairs, lists and Strings.
  module Pushed
    FIRST = ["[]", "[]", "[5]", "[[1, 2]]", '["a"]'].freeze
    HOLDER = "Cell.new([])"
    # What is put there, of one number and another.
    MADE = ["A.divmod(3)", "[A, B].minmax", "[A, B].sort", "{ A => B }.first", "{ A => B }.to_a[0]",
            "[A, 2].partition(&:odd?)",
            "[A, B].zip([1, 2])[0]", "[1, A, 3].each_slice(2).to_a[0]", "[A, B].product([3])[1]", "[A, B].tally.max",
            "[A, B].each_with_index.to_a[1]", '"a-b".partition("-")', "(A.to_f).divmod(2)", "[[A, 1], [B, 2]].max",
            "[A, B].rotate", "[A, B] + [A]", "[A, B]", "[A]", "\"t\#{A}\"", "[[A, B].minmax, B]", "[A, nil]", "A",
            "[A, B].each_cons(2).first", "[A, B, 1].combination(2).to_a[1]", "[A, B].group_by(&:even?)",
            "Cell.new(A, nil).to_a", "[A, :b].reverse", "[[A, B]].to_h.to_a[0]", "A.digits",
            "[A, B].freeze", "{ a: A }.freeze", "[[A].freeze, B]", "\"t\#{A}\".freeze",
            "[A, B].tap { |m| m.freeze if A > 50 }", "{ A => [B] }.flatten", "[A, 1].map(&{ 1 => B })",
            "{ a: A, b: B }.transform_keys({ b: 1 }).to_a", "Enumerator.produce(A, &:succ).first(2)",
            "Enumerator.new { |y| y << A << B }.to_a", "Cell.new(A, B).to_h { |k, v| [v, k] }.to_a"].freeze
    PLACES = ["NAME << MADE", "NAME << MADE", "NAME.push(MADE)", "NAME.unshift(MADE)", "NAME.concat([MADE])",
              "(NAME[KEY] ||= []) << MADE", "NAME[KEY] = MADE", "NAME.value << MADE",
              "made = MADE; NAME << made", "made = [MADE]; NAME.concat(made)"].freeze

    # @return [Array<Node>] the variables' first values
    def make_pushed
      @pushed = []
      return [] unless chance(0.3)

      Array.new(between(1, 2)) do
        place = pick(PLACES)
        name = fresh("pushed")
        @pushed << [name, place, Array.new(between(1, 2)) { pick(MADE) }]
        first = { "[KEY]" => "{}", ".value" => HOLDER }[place[/\[KEY\]|\.value/]]
        Node.fixed("#{name} = ", first || pick(FIRST))
      end
    end

    def push_made(depth)
      name, place, made = pick(@pushed || [])
      return unless name

      numbers = Array.new(2) { e("((", expression([:int], [depth - 1, 0].max), ").to_i % 100)") }
      texts = place.sub("NAME", name).gsub(/\bmade\b/, fresh("m")).sub("MADE", pick(made)).split(/\b(A|B|KEY)\b/)
      parts = { "A" => numbers[0], "B" => numbers[1], "KEY" => e(numbers[1], " % 3") }
      Node.statement(*texts.map { |text| parts.fetch(text, text) })
    end
  end
end

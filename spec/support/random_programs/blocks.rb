# frozen_string_literal: true

module RandomPrograms
  # Methods that yield, and the blocks that they are given: with fewer parameters than arguments, or more, or of other
  # forms.
  module Blocks
    FORMS = { exact: 6, fewer: 1, more: 0.7, rest: 0.7, optional: 0.8, whole: 0.5, numbered: 1 }.freeze

    # What a block gets and gives, and its name in the method.
    def yielded
      parameters = Array.new(between(1, 2)) do
        chance(0.12) ? PairType.new([pick(Statements::UNIONS), pick(Statements::UNIONS)]) : pick(Statements::UNIONS)
      end
      keywords = chance(0.4) ? Array.new(between(1, 2)) { [fresh("k"), pick(Statements::UNIONS)] }.to_h : {}
      Yielded.new(parameters, keywords, pick(Statements::UNIONS), chance(0.3) ? fresh("g") : nil, chance(0.15))
    end

    # `name = yield(arguments)`, or by the block's name.
    def yielding(depth)
      return unless (block = scope.yields)

      value = yield_call(block, depth)
      value = e("(block_given? ? ", value, " : ", expression(block.returns, depth - 1), ")") if block.optional
      Node.statement("#{scope.declare(fresh("v"), block.returns).name} = ", value)
    end

    def yield_call(block, depth)
      given = block.parameters.map { |types| yielded_value(types, depth) }
      given = given.drop(1) if chance(@ill)
      named = block.keywords.map { |name, types| keyword_argument(name, types, depth) }
      asked = block.name ? pick(["#{block.name}.call(", "#{block.name}.(", "yield(", "#{block.name}["]) : "yield("
      e(asked, Node.commas(given + named), asked.end_with?("[") ? "]" : ")")
    end

    def yielded_value(types, depth)
      return expression(types, depth) unless types.is_a?(PairType)

      Node.fixed("[", Node.commas(types.items.map { |item| expression(item, depth) }), "]")
    end

    # The block of a call, or nothing where the method takes none.
    def block_of(method, depth)
      block = method.yields
      return "" if block.nil? || (block.optional && chance(0.4))
      return Node.fixed("(&#{pick(passed_blocks(block))})") if method.parameters.none? && passed_blocks(block).any?

      block_literal(block, depth, method.returns)
    end

    # Lambdas, and the block that the method itself has been given.
    def passed_blocks(block)
      return [] if block.keywords.any?

      found = lambdas.select { |_, type| type.parameters == block.parameters && fits?(type.returns, block.returns) }
      own = scope.yields
      handed = own&.name && !own.optional && own.parameters == block.parameters && own.keywords.empty? &&
               fits?(own.returns, block.returns)
      found.map(&:first) + (handed ? [own.name] : [])
    end

    # @param breaks what the call gives after a `break`
    def block_literal(block, depth, breaks = nil)
      scope.block do
        outer = scope.skips
        scope.loops += 1
        scope.skips = [["next", block.returns], *([["break", breaks]] if breaks)].shuffle(random: @random)
        list, flat = block_list(block)
        if flat || depth <= 1 || chance(0.5)
          Node.fixed(" {", list, " ", expression(block.returns, flat ? 0 : depth - 1), " }")
        else
          Node.fixed(" do", list, "\n", block_body(block.returns, depth - 1), "\nend")
        end
      ensure
        scope.loops -= 1
        scope.skips = outer
      end
    end

    # The parameters between bars; and is there room for a plain expression only?
    def block_list(block)
      form = weighted(FORMS)
      return [numbered(block), true] if form == :numbered && block.keywords.empty? && block.parameters.none?(PairType)

      keywords = block_keywords(block)
      # Keywords that no parameter takes would be a Hash, which is an argument more.
      form = :exact if keywords.empty? && block.keywords.any?
      parameters = block.parameters
      # A single array is taken apart by several parameters as well.
      alone = parameters.size == 1 && block.keywords.empty? && parameters.first.is_a?(PairType)
      parameters = parameters.first.items if alone && form != :whole && chance(0.7)
      form = :exact if alone && parameters.size == 1 && form != :whole
      parts = block_parameters(parameters, form) + keywords
      [parts.empty? ? "" : Node.fixed(" |#{parts.join(", ")}|"), false]
    end

    def numbered(block)
      block.parameters.each_with_index { |types, i| scope.declare("_#{i + 1}", types, writable: false) }
      ""
    end

    def block_parameters(parameters, form)
      parameters = parameters.first(parameters.size - 1) if form == :fewer
      texts = parameters.map { |types| block_parameter(types, form) }
      case form
      when :more then texts + [block_local([:nil])]
      when :rest then texts + ["*"]
      when :optional
        type = pick(%i[int float nil])
        texts + ["#{block_local([type])} = #{constant_text(type)}"]
      else texts
      end
    end

    def block_parameter(types, form)
      return block_local(types) unless types.is_a?(PairType)
      return block_local(ArrayType.new(types.items.inject(:|)), writable: false) if form == :whole

      "(#{types.items.map { |item| block_local(item) }.join(", ")})"
    end

    def block_local(types, **options) = scope.declare(fresh("y"), types, **options).name

    def block_keywords(block)
      return [] if block.keywords.empty? || chance(0.15)

      left_out, taken = block.keywords.partition { chance(0.2) }
      texts = taken.map do |name, types|
        scope.declare(name, types)
        chance(0.4) ? "#{name}: #{constant_text(pick(types))}" : "#{name}:"
      end
      left_out.any? || chance(0.1) ? texts + ["**"] : texts
    end
  end
end

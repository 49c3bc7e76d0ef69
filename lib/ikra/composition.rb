# frozen_string_literal: true

module Ikra
  using OwnMethods

  # What a composed block gives for an element that a chain drops.
  Dropped = Class.new

  # Puts the blocks of a chain together, into one that the compiler gets. Such a block is plain Ruby: a text for each
  # sequence of stages, in which the user's blocks are local variables around it.
  #
  #   orders.plazy.select { … }.map(&:total).sum      proc do |x|
  #                                                     next Dropped unless b0.call(x)
  #                                                     x = x.total
  #                                                     x
  #                                                   end
  #
  # For each sequence of stages there is one text; inference takes the user's blocks as the roots that they are and
  # inlines them. +&:name+ becomes a call in the text. The alternative, stages as a concept of the compiler, would need
  # variables, constants and nesting of several blocks in one section, which roots within roots have already. Lambdas
  # that call each other, one for each stage, would be one literal that calls itself. One block alone is compiled as
  # that of +pmap+ or +pselect+ is: with accumulators, conflicts and all.
  #
  # Versions hang on the last literal of the user's, not on the text, of which there is one for all chains of that
  # shape; a version knows the number of its shape, and its roots say which blocks it is for. Places in the text are
  # left out of backtraces, diagnostics and +explain+.
  #
  # @api private
  module Composition
    # The path of such a text.
    PATH = "(ikra chain %d)"
    OWN_FRAME = "(ikra chain "
    OWN_PATH = /\A\(ikra chain \d+\)\z/
    # Names that can stand behind a dot.
    PLAIN_NAME = /\A[[:alpha:]_][[:alnum:]_]*[?!]?\z/
    SYMBOL_BLOCK = /\(&:([^)"]+)\)/
    INSPECT = Proc.instance_method(:inspect)
    # What diagnostics say of the places in such a text.
    CALLED_AT = /^ *called at \(ikra chain \d+\):\d+:\n.*\n.*\^\n?/
    OWN_PLACE = /\(ikra chain \d+\):\d+: (.*)\n +\d+ \| .*\n +\| .*\^\n?/

    # A block, and what the extension wants to know of it.
    Composed = Struct.new(:block, :owner, :blocks, :shape, :drops, :numbered, keyword_init: true)

    # The lines of each kind of stage; +%s+ is the user's block, called. +judged+ gives the value, and what the block
    # says of it.
    LINES = {
      map: ["x = %s"],
      matched: ["x = %s"],
      select: ["next Dropped unless %s"],
      reject: ["next Dropped if %s"],
      filter_map: ["x = %s", "next Dropped unless x"],
      compact: ["next Dropped if x.nil?"],
      truths: ["next Dropped unless x"],
      falsities: ["next Dropped if x"],
      grep: ["next Dropped unless b%d === x"],
      grep_v: ["next Dropped if b%d === x"],
      numbered: ["x = [x, i + b%d]"],
      each_numbered: ["%s"],
      judged: ["x = [x, %s]"]
    }.freeze
    # By a text that names it the compiler knows that what was matched is looked at.
    READS_MATCH = "# $~"
    DROPPING = %i[select reject filter_map compact truths falsities grep grep_v].freeze
    CALLING = %i[map matched select reject filter_map each_numbered judged].freeze
    NUMBERED = %i[numbered each_numbered].freeze
    # How the blocks of stages get elements that are several values: see {Base::PASSING}.
    PASSING = { map: :values, filter_map: :values }.freeze
    # How many values stand for an element behind a stage, where others leave that as it was.
    WIDTHS = { map: 1, matched: 1, filter_map: 1, numbered: 2, each_numbered: 1, judged: 1 }.freeze
    # When a loop ends that goes through elements in order, other than by the number of its hits.
    ENDS = { judged_true: "x[1]", judged_false: "!x[1]" }.freeze

    # So many ways to write chains are kept.
    MOST = 1_000

    @written = {}
    @texts = {}
    @shapes = 0

    class << self
      # @param stages [Array<Array(Symbol, Object, ...)>] kind and arguments of each stage
      # @param width [Integer] how many values are yielded for each element: several are an array
      # @param passing [Symbol] how the last block gets them
      # @return [Composed]
      def of(stages, width, passing)
        arguments = []
        lines = lines_of(stages, arguments, width, passing)
        inner = stages.first.first == :in_order ? stages.first[1] : stages
        lines << READS_MATCH if keeps_match?(inner)
        numbered = stages.any? { |kind,| NUMBERED.include?(kind) }
        shape, maker = maker(lines, arguments.size, numbered)
        users = inner.select { |kind,| [*CALLING, :space, :compared].include?(kind) }
        blocks = users.map { |_, block| block }.reject { |block| symbol(block) }
        Composed.new(block: maker.call(*arguments), owner: blocks.last, blocks:, shape:, numbered:,
                     drops: stages.any? { |kind,| DROPPING.include?(kind) })
      end

      # @return [Integer] how many values stand for an element behind the stages
      def width(stages, width) = stages.inject(width) { |before, stage| WIDTHS.fetch(stage.first, before) }

      # @return [String, nil] the text at a path of ours
      def text(path) = @texts[path]

      def own?(path) = path.match?(OWN_PATH)

      # Does a block look at what the pattern right before it has matched, and none at what others have?
      def keeps_match?(stages)
        matched = false
        reading = stages.filter_map do |kind, given|
          matched = given.is_a?(Regexp) if kind == :grep
          next unless CALLING.include?(kind) && !symbol(given)

          own = matched
          matched = false
          own if RubyVM::InstructionSequence.of(given)&.disasm&.match?(/getspecial|\$~|last_match/)
        end
        reading.any? && reading.all?
      end

      # A diagnostic that names lines of the user's only.
      def without_own_places(message, place)
        message.gsub(CALLED_AT, "").gsub(OWN_PLACE) { "#{place}: #{Regexp.last_match(1)}\n" }
      end

      # What the text gives, which is kept.
      def compiled(text)
        @written[text] ||= begin
          @texts.delete(format(PATH, @written.shift.last.first)) if @written.size >= MOST
          shape = @shapes += 1
          path = format(PATH, shape)
          @texts[path] = text
          [shape, eval(text, SCOPE, path, 1)] # rubocop:disable Security/Eval
        end
      end

      private

      def lines_of(stages, arguments, width, passing)
        stages.each_with_index.flat_map do |stage, at|
          kind = stage.first
          all = (at == stages.size - 1 ? passing : PASSING[kind]) == :values
          lines(stage, arguments, all ? width : 1).tap { width = WIDTHS.fetch(kind, width) }
        end
      end

      def lines((kind, *given), arguments, width)
        return space(*given, arguments) if kind == :space
        return compared(*given, arguments) if kind == :compared
        return in_order(*given, arguments) if kind == :in_order

        call = call(kind, given, arguments, width) if CALLING.include?(kind)
        at = arguments.size
        arguments.concat(given) unless call
        LINES.fetch(kind).map { |line| line.include?("%d") ? format(line, at) : format(line, call) }
      end

      def space(block, space, arguments)
        first = arguments.size
        arguments.push(block, *space.arguments)
        space.lines("b#{first}", first + 1)
      end

      # Of the only element, an array, what a method gives whose block compares two items.
      def compared(block, name, others, arguments)
        first = arguments.size
        arguments.push(block, *others)
        given = others.each_index.map { |i| "b#{first + 1 + i}" }
        ["x = x.#{name}(#{given.join(", ")}) { |one, other| b#{first}.call(one, other) }"]
      end

      # Of the only element, an array, the first items that come out of stages, or the numbers of the elements that
      # these are. A series is three numbers.
      def in_order(stages, how, arguments)
        items = ["i = -1", "x.each do |x|", "i += 1"]
        numbers = ["from, by, many = x", "many.times do |i|", "x = from + (i * by)"]
        each = how[:series] ? numbers : items
        inner = lines_of(stages, arguments, how[:width], how[:passing])
        inner.map! { |line| line.sub("next Dropped", "next") }
        ends = ENDS.fetch(how[:most]) { "hits.size == b#{arguments.push(how[:most]).size - 1}" }
        ["hits = []", *each, *inner, "hits << #{how[:rows] ? "i" : "x"}", "break if #{ends}", "end", "x = hits"]
      end

      def call(kind, (block, offset), arguments, width)
        values = width == 1 ? %w[x] : Array.new(width) { |value| "x[#{value}]" }
        name = symbol(block)
        return "#{values.first}.#{name}(#{values.drop(1).join(", ")})" if name && kind != :each_numbered

        arguments << block
        return "b#{arguments.size - 1}.call(#{values.join(", ")})" unless kind == :each_numbered

        arguments << offset
        "b#{arguments.size - 2}.call(x, i + b#{arguments.size - 1})"
      end

      # The name in a block such as &:name.
      def symbol(block)
        return unless block.lambda?

        name = INSPECT.bind_call(block)[SYMBOL_BLOCK, 1]
        name if name&.match?(PLAIN_NAME)
      end

      def maker(lines, count, numbered)
        compiled(text_of(lines, count, numbered))
      end

      def text_of(lines, count, numbered)
        names = Array.new(count) { |number| "b#{number}" }
        parameters = numbered ? "x, i" : "x"
        "lambda do |#{names.join(", ")}|\n  proc do |#{parameters}|\n    #{lines.join("\n    ")}\n    x\n  end\nend\n"
      end
    end
  end
  private_constant :Dropped, :Composition
end

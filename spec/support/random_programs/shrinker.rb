# frozen_string_literal: true

module RandomPrograms
  # Makes a failing program small: takes statements, methods and elements away and puts parts of expressions, or
  # constants, in their place, as long as it fails in the same way.
  class Shrinker
    CONSTANTS = %w[nil 0 1 0.5 :a true].freeze

    # Candidates that are tried in one go.
    BATCH = 40

    # @yield [Array<Program>] candidates; gives the first that still fails, or nil
    def initialize(program, seconds: 60, &fails)
      @program = program
      @fails = fails
      @end = now + seconds
    end

    # @return [Program]
    def run
      loop do
        smaller = step
        break unless smaller

        @program = smaller
      end
      @program
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def step
      Enumerator.new { |out| each_candidate { |candidate| out << candidate } }.each_slice(BATCH) do |candidates|
        return nil if now > @end

        found = @fails.call(candidates)
        return found if found
      end
      nil
    end

    def each_candidate(&block)
      yield @program.with_ticks(1) if @program.ticks > 1
      Program::PARTS.reverse.each do |part|
        variants(@program.public_send(part)) { |node| block.call(@program.with(part, node)) }
      end
    end

    # The node with one thing changed, large changes first.
    def variants(node, &block)
      removals(node, &block)
      replacements(node, &block)
      node.parts.each_with_index do |part, i|
        variants(part) { |smaller| block.call(node.with(i, smaller)) } if part.is_a?(Node)
      end
    end

    def removals(node)
      return unless %i[body list].include?(node.sort)

      count = node.parts.size
      size = count
      while size >= 1
        (0...count).step(size) { |from| yield node.without(from...(from + size)) }
        size /= 2
      end
    end

    def replacements(node, &block)
      case node.sort
      when :expression
        expressions_in(node).sort_by(&:size).each(&block)
        CONSTANTS.each { |text| yield Node.expression(text) if simpler?(text, node) }
      when :statement, :body
        bodies_in(node).each(&block)
      end
    end

    def simpler?(text, node)
      at = CONSTANTS.index(node.to_s)
      at.nil? || CONSTANTS.index(text) < at
    end

    def expressions_in(node)
      node.parts.grep(Node).flat_map { |part| part.sort == :expression ? [part] : expressions_in(part) }
    end

    def bodies_in(node)
      node.parts.grep(Node).flat_map { |part| part.sort == :body ? [part] : bodies_in(part) }
    end
  end
end

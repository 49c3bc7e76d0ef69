# frozen_string_literal: true

module RandomPrograms
  # Output, of elements and drivers: what Ruby prints, in its order and up to the same point.
  module Printing
    # So many programs print, which elements do on a CPU only.
    SHARE = Float(ENV.fetch("IKRA_FUZZ_OUTPUT", 0.3))
    # Ikra warns of conflicts, too: lines of the programs' own begin so.
    WARNED = "w:"
    FORMS = { puts_values: 4, puts_nested: 2, puts_text: 3, print_values: 2, shown: 3, streamed: 2, warned: 2,
              formatted: 2, empty_line: 1.5 }.freeze

    def statement(depth)
      return super unless prints? && chance(0.18)

      spend
      Node.statement(send(weighted(FORMS), [depth, 1].max))
    end

    def prints? = matches?(@seed + 13, SHARE)

    private

    def printed_value(depth) = expression(pick(Statements::UNIONS), depth)
    def several_values(depth) = Node.list(Array.new(between(1, 3)) { printed_value(depth - 1) })
    def puts_values(depth) = e("puts(", several_values(depth), ")")
    def puts_nested(depth) = e("puts([", several_values(depth), ", [", printed_value(depth - 1), "], []])")
    def puts_text(depth) = e("puts \"#{fresh("out")} \#{", printed_value(depth), "}\"")
    def print_values(depth) = e("print(", several_values(depth), pick([", \"\\n\"", ""]), ")")
    def shown(depth) = pick([%w[p( )], ["p([7, ", "])"], %w[pp( )]]).then { |a, b| e(a, printed_value(depth), b) }
    def streamed(depth) = e("$stdout << (", printed_value(depth), ") << \"|\"")
    def warned(depth) = e(pick(["warn \"", "$stderr.puts \""]), WARNED, "\#{", printed_value(depth), "}\"")
    def formatted(depth) = e("printf(\"%s %05d\\n\", ", printed_value(depth), ", ", expression([:int], depth - 1), ")")
    def empty_line(_depth) = e("puts")
  end
end

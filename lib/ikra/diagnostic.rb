# frozen_string_literal: true

module Ikra
  using OwnMethods

  # One reason why a block is unsupported, as data: {UnsupportedError#diagnostics} returns all of them. It is made of
  # the text of the message, and its {#to_s} is that text again.
  #
  #   rescue Ikra::UnsupportedError => e
  #     e.diagnostics.each { |reason| puts "#{reason.path}:#{reason.line}: #{reason.code}" }
  class Diagnostic
    # A place in the source: of the construct, or of a call that led to it.
    #
    # @!attribute path
    #   @return [String, nil] the file; nil where the block has none
    # @!attribute line
    #   @return [Integer, nil] from 1 on
    # @!attribute columns
    #   @return [Range<Integer>, nil] the characters of the line, from 1 on; nil where no line is shown, or a block such
    #     as +&:name+, which is a part of one
    # @!attribute text
    #   @return [String, nil] the line, or such a block
    Place = Struct.new(:path, :line, :columns, :text, keyword_init: true) do
      # @return [Hash{Symbol => Object}] what JSON has
      def to_h = { path:, line:, columns: columns && [columns.begin, columns.end], text: }

      # @api private
      # @return [Array<String>] the line as a message shows it, with carets under the columns
      def quote(gutter)
        return [] unless text

        # Tabs stay, so that carets stand where they should.
        shown = columns || (1..text.size)
        pad = text[0, shown.begin - 1].gsub(/[^\t]/, " ")
        ["  #{gutter} | #{text}", "  #{" " * gutter.size} | #{pad}#{"^" * shown.size}"]
      end
    end

    PLACED = /\A(\S.*?):(\d+): (.*)\z/m
    CODE = / ?\[([[:lower:]]+(?:-[[:lower:]]+)+)\]\z/
    QUOTE = /\A {2}(\d*) *\| ?(.*)\z/
    CARETS = /\A {2} *\| (\s*)(\^+)\z/
    CALLED = /\A {2}called at (.+):(\d+):\z/
    HINT = /\A {2}hint: (.*)\z/
    CONTINUED = /\A {8}/
    private_constant :PLACED, :CODE, :QUOTE, :CARETS, :CALLED, :HINT, :CONTINUED

    # @return [String, nil] the stable name of the kind, which docs/errors.md lists
    attr_reader :code
    # @return [String] what is unsupported
    attr_reader :message
    # @return [String, nil] what to write instead
    attr_reader :hint
    # @return [Place] where the construct stands
    attr_reader :place
    # @return [Array<Place>] the calls that led there, the innermost first
    attr_reader :calls

    # @return [Integer, nil] the line of the construct's last character, where {Ikra.check} has found it
    attr_reader :end_line
    # @return [Integer, nil] the column of that
    attr_reader :end_column
    # @return [Hash{Symbol => Object}, nil] the parallel call that it belongs to, where {Ikra.check} has found it: its
    #   +:name+, and the +:path+, +:line+, +:columns+ and +:text+ where that stands
    attr_reader :parallel_call

    # @api private
    # @param text [String] the message of an {UnsupportedError}
    # @return [Array<Diagnostic>]
    def self.all(text)
      # A reason has lines of its own behind its first, which are indented; empty ones stand between reasons.
      text.split(/\n\n(?! )/).map { |part| new(part) }
    end

    # @api private
    # @param text [String] one reason of such a message
    # @param found [Hash] what {Ikra.check} knows besides
    def initialize(text, **found)
      @end_line, @end_column, @parallel_call = found.values_at(:end_line, :end_column, :parallel_call)
      @found = found
      first, *@rest = text.lines(chomp: true)
      # A message may itself have several lines.
      first += "\n#{@rest.shift}" until @rest.empty? || detail?(@rest.first)
      path, line, message = first.match(PLACED)&.captures
      @code = first[CODE, 1]
      @message = (message || first).sub(CODE, "")
      @place = Place.new(path:, line: line&.to_i, **quoted)
      @calls = []
      @calls << called while @rest.first&.match?(CALLED)
      @hint = hinted
    end

    # @return [String, nil] the file of the construct
    def path = place.path

    # @return [Integer, nil] its line
    def line = place.line

    # @return [Range<Integer>, nil] its characters in that line, from 1 on
    def columns = place.columns

    # Is it known only that some element may come there? It is unsupported where it is reached then. That is asked of
    # what {Ikra.check} has found; an error has been reached.
    def if_reached? = @found.fetch(:if_reached, false)

    # @return [Hash{Symbol => Object}] all of it, as JSON has it
    def to_h
      found = @found.empty? ? {} : { column: columns&.begin, **@found }
      { code:, **place.to_h, message:, hint:, calls: calls.map(&:to_h), **found }
    end

    # @return [String] as the error's message shows it
    def to_s
      head = "#{"#{path}:#{line}: " if path}#{message}#{" [#{code}]" if code}"
      told = calls.flat_map { |call| ["  called at #{call.path}:#{call.line}:", *call.quote(call.line.to_s)] }
      [head, *place.quote(@gutter.to_s), *told, *("  hint: #{hint.gsub("\n", "\n        ")}" if hint)].join("\n")
    end

    # @return [String] a line
    def inspect = "#<#{self.class} #{code || "no code"} at #{path ? "#{path}:#{line}" : "no place"}: #{message}>"

    private

    def detail?(line) = [QUOTE, CALLED, HINT].any? { |kind| line.match?(kind) }

    # A line that is shown, and the carets under it. The block `&:name` is shown without a number, as it is no line.
    def quoted
      shown = @rest.first&.match(QUOTE)
      carets = @rest[1]&.match(CARETS)
      return { columns: nil, text: nil } unless shown && carets

      @rest.shift(2)
      @gutter = shown[1].empty? ? " " : shown[1]
      first = carets[1].size + 1
      { columns: shown[1].empty? ? nil : first..(first + carets[2].size - 1), text: shown[2] }
    end

    def called
      path, line = @rest.shift.match(CALLED).captures
      gutter = @gutter
      Place.new(path:, line: line.to_i, **quoted).tap { @gutter = gutter }
    end

    def hinted
      first = @rest.shift&.[](HINT, 1) or return
      lines = [first]
      lines << @rest.shift.sub(CONTINUED, "") while @rest.first&.match?(CONTINUED)
      lines.join("\n")
    end
  end
end

# frozen_string_literal: true

module Ikra
  # Writes what sections have printed. Called by the extension, when a section has ended or comes to an +Ikra.sync+.
  #
  # It is written before copy-back: where that raises, nothing has changed. Streams whose methods are not Ruby's own are
  # unsupported then, when nothing is written yet. What Ruby would not raise writes nothing, as the section may run in
  # plain Ruby instead.
  #
  # @api private
  module Output
    # Streams that are what Ruby's variables hold when the text is written.
    OUT = 0
    ERRORS = 1
    WARNINGS = 2
    PRETTY = 3
    # What sections have put together themselves, as Ruby's streams do.
    METHODS = %i[write puts print printf putc << flush].freeze
    # Where Ruby has these methods.
    OWNERS = ["IO", "StringIO", "IO::generic_writable"].freeze
    # Texts in these encodings go to them as they are.
    ENCODINGS = [Encoding::UTF_8, Encoding::US_ASCII, Encoding::BINARY].freeze
    # Characters of a line, with its end, where +pp+ does not know better.
    LINE = 80

    class << self
      # @param parts [Array<Array(Object, String)>] streams and texts, in their order; a stream without one is flushed
      def write(parts)
        parts.map(&:first).uniq.each { |number| check(number) }
        parts.each do |number, text|
          next if number == WARNINGS && $VERBOSE.nil?

          text ? stream(number).write(text) : stream(number).flush
        end
      end

      private

      def stream(number)
        case number
        when OUT, PRETTY then $stdout
        when ERRORS, WARNINGS then $stderr
        else number
        end
      end

      # Nothing has been written yet, so that plain Ruby can print it all where a section cannot.
      def check(number)
        io = stream(number)
        refuse("#{io.class} has a `#{redefined(io)}` of its own") if redefined(io)
        refuse("a stream with an encoding of its own") unless plain_encoding?(io)
        refuse("`$,` or `$\\` is set") unless $,.nil? && $\.nil? # rubocop:disable Style/SpecialGlobalVars
        refuse("`Warning.warn` is the program's own") if number == WARNINGS && own_warnings?
        refuse("lines are short") if number == PRETTY && width(io) < LINE
      end

      # A method that is not Ruby's own.
      def redefined(io)
        METHODS.find do |name|
          method = Kernel.instance_method(:method).bind_call(io, name)
          method.source_location || !OWNERS.include?(method.owner.name)
        rescue NameError
          true
        end
      end

      def plain_encoding?(io)
        encoding = io.external_encoding
        encoding.nil? || (!io.is_a?(IO) && ENCODINGS.include?(encoding))
      end

      def own_warnings?
        method = Warning.method(:warn)
        method.owner != Warning || !method.source_location.nil?
      end

      def width(io)
        columns = io.winsize.last if io.respond_to?(:winsize) && io.tty?
        [columns, ENV["COLUMNS"]&.to_i].compact.find(&:positive?) || LINE
      end

      def refuse(why)
        raise UnsupportedError, "a section cannot print where #{why} [unsupported-stream]\n  hint: print in the " \
                                "block of an Ikra.sync, or collect the text, as pmap does, and print it afterwards"
      end
    end
  end
  private_constant :Output
end

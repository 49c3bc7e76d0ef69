# frozen_string_literal: true

module Ikra
  # What sections ask Ruby for in the middle of their runs: matches that they cannot find themselves.
  #
  # @private
  module Asked
    # Of so many patterns the Regexps are kept.
    MOST = 500
    # What {search} looks for: numbers of +Request+ in +src/regexp/mod.rs+.
    HERE = 2
    BACK = 3
    # Nobody's own methods are called.
    INDEX, RINDEX, BYTESLICE, BYTESIZE = %i[index rindex byteslice bytesize].map { |name| String.instance_method(name) }
    FIRST, LAST, COUNT = %i[begin end size].map { |name| MatchData.instance_method(name) }

    # A pattern with a `\K`.
    KEEPS = /(?<!\\)(?:\\\\)*\\K/
    private_constant :KEEPS

    @regexps = {}
    @here = {}

    class << self
      # @param text [String] of UTF-8 or of bytes
      # @param from [Integer] a byte
      # @return [Array<Integer, nil>, nil] the bytes at which the groups of a match begin and end
      def search(source, options, text, from, request)
        one_byte = text.ascii_only? || text.encoding == Encoding::BINARY
        from = BYTESLICE.bind_call(text, 0, from).size unless one_byte
        regexp = regexp(source, options, request == HERE)
        return nil unless (request == BACK ? RINDEX : INDEX).bind_call(text, regexp, from)

        places = places(Regexp.last_match)
        one_byte ? places : places.map { |place| place && BYTESIZE.bind_call(text[0, place]) }
      end

      # @return [Array(Integer, Array), nil] how many groups a pattern has, and their names with their numbers; nil if
      #   several have one name
      def described(source, options)
        # What `=~` gives of a match that begins later than where it was found is no place of the match.
        return nil if KEEPS.match?(source)

        regexp = regexp(source, options, false)
        names = regexp.named_captures
        return nil if names.values.any? { |numbers| numbers.size > 1 }

        # Whatever it matches, the empty text is matched with its groups.
        [COUNT.bind_call(Regexp.union(regexp, //).match("")) - 1, names.map { |name, numbers| [name, numbers[0]] }]
      rescue RegexpError, ArgumentError
        nil
      end

      private

      def places(match)
        places = []
        group = 0
        count = COUNT.bind_call(match)
        while group < count
          places << FIRST.bind_call(match, group) << LAST.bind_call(match, group)
          group += 1
        end
        places
      end

      # `here`: it begins to match where the search begins.
      def regexp(source, options, here)
        known = here ? @here : @regexps
        known.clear if known.size >= MOST
        known = known[options] ||= {}
        known.clear if known.size >= MOST
        known[source] ||= if here
                            Regexp.new("\\G(?:#{source}#{"\n" if options & Regexp::EXTENDED != 0})",
                                       options)
                          else
                            Regexp.new(source, options)
                          end
      end
    end
  end
  private_constant :Asked
end

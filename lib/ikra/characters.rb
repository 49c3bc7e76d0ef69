# frozen_string_literal: true

module Ikra
  # What the running Ruby says of characters, for sections to look up: versions of Ruby have different versions of
  # Unicode. A table is a binary String of 64-bit words: sections read Strings as plain memory and cannot change them.
  #
  # The tables are made when a section is compiled that calls +upcase+, +casecmp?+, +inspect+ or the like, which takes
  # 35 ms, and kept on disk for other processes. Case mapping looks at one character at a time, so that is all of it. A
  # table is frozen, and a root (+RootKey::Characters+): 5 to 11 KB that are copied at each call as other Strings are,
  # and in which compiled code searches ranges by halves (+__mapped+, +__printable?+).
  #
  # @api private
  module Characters
    # By the names of the tables.
    METHODS = {
      upcase: [:upcase], downcase: [:downcase], swapcase: [:swapcase], capitalize: [:capitalize],
      fold: %i[downcase fold]
    }.freeze
    # A code point has so many bits; a character becomes up to three others, the first of them lowest.
    BITS = 21
    # There are letters with case in these planes only: the next ones are for ideographs.
    CASED = [0..0xd7ff, 0xe000..0x1_ffff].freeze
    # Some versions of Ruby print one of these.
    CONTROLS = (0x80..0x9f)
    # What is behind the controls, up to what is not assigned, and in plane 14.
    ASSIGNED = [0xa0..0xd7ff, 0xe000..0x3_ffff, 0xe_0000..0xe_0fff].freeze
    # For private use, all printable.
    PRIVATE = [0xf_0000..0xf_fffd, 0x10_0000..0x10_fffd].freeze

    @tables = {}

    class << self
      # Called by the extension when a section is compiled that needs the table; it stays.
      #
      # @param name [Symbol] one of METHODS, or :printable
      # @return [String]
      def table(name)
        @tables[name] ||= Native.kept_table(name.to_s) { numbers(name).pack("q<*") }.freeze
      end

      private

      def numbers(name) = name == :printable ? printable : ranges(distances(*METHODS.fetch(name)))

      # What has to be added to each character that becomes others.
      def distances(...)
        all = cased.to_h { |char| [char.ord, packed(char.public_send(...)) - char.ord] }
        all.reject { |_, distance| distance.zero? }
      end

      def packed(text) = text.codepoints.each_with_index.sum { |code, i| code << (i * BITS) }

      # All whose case can change: by the names that Ruby's patterns have for these.
      def cased = @cased ||= text(CASED).scan(/\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/)

      # Ranges of characters, each as its ends and the distances of every other one from the first on, and of those
      # between: in many alphabets capitals and small letters alternate.
      def ranges(distances)
        found = []
        distances.each_key do |first|
          next if found.any? && found[-3] >= first

          pair = [first, first + 1].map { |code| distances.fetch(code, 0) }
          last = first
          last += 1 while distances.fetch(last + 1, 0) == pair[(last + 1 - first) % 2]
          found.push(first, last, *pair)
        end
        found
      end

      # Where printable characters begin and end by turns.
      def printable
        controls = text([CONTROLS]).each_char.select { |char| char.inspect.include?(char) }
        runs = (controls + text(ASSIGNED).scan(/[[:print:]]+/)).map { |run| run[0].ord..run[-1].ord }
        (runs + PRIVATE).flat_map { |run| [run.begin, run.end + 1] }
      end

      def text(ranges) = ranges.flat_map(&:to_a).pack("U*")
    end
  end

  private_constant :Characters
end

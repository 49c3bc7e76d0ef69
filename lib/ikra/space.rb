# frozen_string_literal: true

module Ikra
  # Places in a grid of some dimensions, which are the elements of a section: the block gets what belongs to a place,
  # and what it gives is put into arrays of arrays. The block is called by a text that computes the coordinates from
  # the element's number (see {Composition}).
  #
  # @api private
  class Space
    MOST_DIMENSIONS = 4

    # @param sizes [Array<Integer>] the dimensions, the outermost first
    def initialize(sizes)
      @sizes = sizes
    end

    # What the texts of a stage are: those of the block's variable, and of the first of ours.
    def lines(block, first)
      ["#{coordinates(first).join("; ")}; x = #{block}.call(#{names.join(", ")})"]
    end

    # What they take from outside.
    def arguments = @sizes

    # @yieldparam coordinates [Array<Integer>]
    # @return [Array] nested
    def plain(block, before = [])
      return block.call(*before) if before.size == @sizes.size

      Array.new(@sizes[before.size]) { |at| plain(block, [*before, at]) }
    end

    # @return [Array] nested
    def run(title, block)
      Section.carry_out(title, block) do |plainly|
        count = @sizes.inject(:*)
        next plain(block) if plainly || count.zero?

        values = Flow.new(title, Collections.series(0, 1, count, nil), [[:space, block, self]]).values.to_a
        @sizes.drop(1).reverse.inject(values) { |all, size| all.each_slice(size).to_a }
      end
    end

    private

    def names = Array.new(@sizes.size) { |dimension| "c#{dimension}" }

    # c0 = x / (size of all further in), …
    def coordinates(first)
      names.each_with_index.map do |name, dimension|
        inner = (dimension + 1...@sizes.size).map { |further| "b#{first + further}" }
        quotient = inner.empty? ? "x" : "x / (#{inner.join(" * ")})"
        dimension.zero? ? "#{name} = #{quotient}" : "#{name} = (#{quotient}) % b#{first + dimension}"
      end
    end

    # The same where the block gets what stands beside a place.
    class Stencil < Space
      # @param values [Array] nested
      # @param offsets [Array<Array<Integer>>]
      def initialize(sizes, values, offsets, outside)
        super(sizes)
        @values = values
        @offsets = offsets
        @outside = outside
      end

      def lines(block, first)
        values = "b#{first + @sizes.size}"
        outside = "b#{first + @sizes.size + 1}"
        found = @offsets.each_with_index.map do |offset, number|
          places = offset.each_with_index.map { |by, dimension| place("c#{dimension}", by) }
          inside = places.each_with_index.flat_map do |(text, by), dimension|
            [("#{text} >= 0" if by.negative?), ("#{text} < b#{first + dimension}" if by.positive?)].compact
          end
          item = "#{values}#{places.map { |text,| "[#{text}]" }.join}"
          "v#{number} = #{inside.empty? ? item : "#{inside.join(" && ")} ? #{item} : #{outside}"}"
        end
        [*coordinates(first), *found, "x = #{block}.call(#{Array.new(@offsets.size) { |k| "v#{k}" }.join(", ")})"]
      end

      def arguments = [*@sizes, @values, @outside]

      def plain(block, before = [])
        return super if before.size < @sizes.size

        block.call(*@offsets.map { |offset| item(before.zip(offset).map(&:sum)) })
      end

      private

      def place(coordinate, by) = [by.zero? ? coordinate : "#{coordinate} + #{by}".sub("+ -", "- "), by]

      def item(places)
        return @outside unless places.zip(@sizes).all? { |place, size| place.between?(0, size - 1) }

        places.inject(@values) { |values, place| values[place] }
      end
    end

    class << self
      # @return [Array] nested
      def grid(sizes, block)
        check(sizes)
        Section.refuse(ArgumentError, "grid needs a block") unless block
        new(sizes).run(:grid, block)
      end

      # @return [Array] nested as the values are
      def stencil(values, offsets, outside, block)
        Section.refuse(ArgumentError, "pstencil needs a block") unless block
        offsets = offsets.map { |offset| Array(offset) }
        dimensions = offsets.map(&:size).uniq
        whole = offsets.flatten.all?(Integer)
        unless dimensions.size == 1 && dimensions.first.between?(1, MOST_DIMENSIONS) && whole
          Section.refuse(ArgumentError, "offsets are Integers, or arrays of as many as there are dimensions")
        end
        sizes = sizes(values, dimensions.first)
        Stencil.new(sizes, values, offsets, outside).run(:pstencil, block)
      end

      private

      def check(sizes)
        unless sizes.size.between?(1, MOST_DIMENSIONS)
          Section.refuse(ArgumentError, "a grid has 1 to #{MOST_DIMENSIONS} dimensions, not #{sizes.size}")
        end
        wrong = sizes.find { |size| !size.is_a?(Integer) || size.negative? }
        Section.refuse(ArgumentError, "a dimension is an Integer of at least 0, not #{wrong.inspect}") if wrong
      end

      def sizes(values, dimensions)
        sizes = []
        level = values
        dimensions.times do
          sizes << level.size
          level = level.first || []
        end
        unless even?(values, sizes)
          Section.refuse(ArgumentError, "the arrays that pstencil goes through must be of one length in each dimension")
        end
        sizes
      end

      def even?(values, (size, *further))
        values.is_a?(Array) && values.size == size && (further.empty? || values.all? { |inner| even?(inner, further) })
      end
    end
  end
  private_constant :Space

  # Calls the block with all coordinates, in parallel.
  #
  #   Ikra.grid(480, 640) { |y, x| shade(x / 640.0, y / 480.0) }
  #
  # @param sizes [Array<Integer>] one to four dimensions, the outermost first
  # @yield [coordinate, ...] as many as there are dimensions
  # @return [Array] of the block's values, in arrays of arrays
  # @raise [ArgumentError] without a block, for more dimensions, and for sizes that are none
  # @raise (see ParallelMethods#pmap)
  def self.grid(*sizes, &block) = Space.grid(sizes, block)

  # The parallel method of the class Array.
  module ParallelArrays
    # Calls the block with each index, in parallel.
    #
    #   squares = Array.pnew(1_000) { |i| i * i }
    #
    # @param size [Integer]
    # @yield [index]
    # @return [Array] of the block's values; what Array.new gives where there is no block
    # @raise (see ParallelMethods#pmap)
    def pnew(size = 0, *value, &block)
      return new(size, *value) unless block
      return new(size, *value, &block) unless value.empty? && size.is_a?(Integer) && size >= 0

      made = Terminal.run(0...size, [], :map, :pnew, [], block)
      instance_of?(Class) && equal?(::Array) ? made : new(made)
    end
  end
end

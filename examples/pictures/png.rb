# frozen_string_literal: true

require "fileutils"

# Pixels as a PNG file, by the gem chunky_png (Debian's package ruby-chunky-png).
module PNG
  # Colours that follow each other, as 0xRRGGBB.
  DUSK = [0x0b1d4a, 0x1f6f9f, 0x8fd3c1, 0xffe9a8, 0xf08a3c, 0x7a1f2b].freeze

  class << self
    # @param colours [Array<Integer>] of all pixels, row by row, as 0xRRGGBB
    def save(path, width, colours)
      require "chunky_png"
      image = ChunkyPNG::Image.new(width, colours.size / width)
      image.pixels.replace(colours.map { |colour| (colour << 8) | 0xff })
      FileUtils.mkdir_p(File.dirname(path))
      image.save(path, :best_compression)
    rescue LoadError
      abort "A PNG takes the gem chunky_png: gem install chunky_png, or apt-get install ruby-chunky-png"
    end

    # @param share [Float] 0 for the first of the colours, 1 for the last
    # @return [Integer]
    def mixed(colours, share)
      at = share.clamp(0.0, 1.0) * (colours.size - 1)
      first = [at.floor, colours.size - 2].min
      one, other = colours[first, 2]
      [16, 8, 0].sum { |bits| part(one, bits, other, at - first) << bits }
    end

    private

    def part(one, bits, other, share)
      a, b = [one, other].map { |colour| (colour >> bits) & 0xff }
      (a + ((b - a) * share)).round
    end
  end
end

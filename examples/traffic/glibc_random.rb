# frozen_string_literal: true

# The random numbers of the GNU C library's srand and rand, so that programs in C and in Ruby can build the very same
# scenario from the same seed. It is an additive feedback generator: each number is the sum, modulo 2**32, of the
# numbers 3 and 31 places before it; the lowest bit is dropped.
class GlibcRandom
  DEGREE = 31
  SEPARATION = 3
  DISCARDED = 310

  def initialize(seed)
    @state = [seed]
    (DEGREE - 1).times { @state << (16_807 * @state.last % 0x7fff_ffff) }
    SEPARATION.times { |i| @state << @state[i] }
    @state.shift(SEPARATION)
    DISCARDED.times { step }
  end

  # @return [Integer] the next number, from 0 to 2**31 - 1
  def rand
    step >> 1
  end

  private

  def step
    @state << ((@state[-SEPARATION] + @state[-DEGREE]) & 0xffff_ffff)
    @state.shift
    @state.last
  end
end

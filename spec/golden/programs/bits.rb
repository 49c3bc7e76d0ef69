# frozen_string_literal: true

# Integers taken apart: counting, Gray codes, a checksum.
def ones(x)
  count = 0
  while x.positive?
    x &= x - 1
    count += 1
  end
  count
end

def gray(x) = x ^ (x >> 1)
def checksum(bytes) = bytes.reduce(1) { |sum, byte| ((sum * 31) + byte) % 65_521 }

(0...50).to_a.pmap { |x| [ones(x), gray(x), x.bit_length, x.digits.sum, x.to_s(2).count("1"), checksum([x, x + 1])] }

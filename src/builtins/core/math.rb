module Math
  def frexp(x)
    x = __float(x)
    if x == 0.0 || x.nan? || x.infinite?
      [x, 0]
    else
      exponent = x.__exponent
      x *= 18_014_398_509_481_984.0 if exponent < -1021
      [(x.__bits & -9_218_868_437_227_405_313 | 4_602_678_819_172_646_912).__float_of_bits, exponent]
    end
  end

  # In steps, of which only the last one rounds.
  def ldexp(fraction, exponent)
    n = __c_int(exponent).clamp(-4000, 4000)
    x = __float(fraction)
    while n > 1023
      x *= 8.98846567431158e307
      n -= 1023
    end
    while n < -969
      x *= 2.004168360008973e-292
      n += 969
    end
    x * ((n + 1023) << 52).__float_of_bits
  end

  # Factorials are exact as long as they can be.
  def __gamma(x)
    if x >= 1.0 && x <= 23.0 && x == x.__floor
      product = 1.0
      factor = 2.0
      while factor < x
        product *= factor
        factor += 1.0
      end
      product
    else
      __tgamma(x)
    end
  end
end

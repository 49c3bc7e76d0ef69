module Numeric
  def step(limit = nil, step = 1, by: nil, to: nil)
    limit = to unless to.__nil?
    step = by unless by.__nil?
    __known_step(step)
    raise ArgumentError, "step can't be 0" if step == 0

    if is_a?(Float) || limit.is_a?(Float) || step.is_a?(Float)
      unit = step.to_f
      last = limit.__nil? ? unit / 0.0 : Math.__double(limit)
      to_f.__each_step(last, unit, false) { |x| yield x }
    else
      i = self
      if step > 0
        while limit.__nil? || i <= limit
          yield i
          i += step
        end
      else
        while limit.__nil? || i >= limit
          yield i
          i += step
        end
      end
    end
    self
  end

  def abs2
    self * self
  end

  def real
    self
  end

  def imaginary
    0
  end

  def rectangular
    [self, 0]
  end

  def polar
    [abs, arg]
  end

  def to_c
    __complex(self, 0)
  end

  def i
    __complex(0, self)
  end

  def __minus?
    self < 0
  end

  # Is it a number on the line?
  def __real_number?
    true
  end

  def __number_alone
    __complex(self, 0)
  end

  def __number_part
    self
  end

  def __exact_number(_wanted)
    self
  end
end

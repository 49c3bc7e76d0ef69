# Methods of the class Complex.

module ComplexClass
  def rectangular(real, imaginary = 0)
    __complex(__real_part(real), __real_part(imaginary))
  end

  def polar(size, angle = nil)
    size = __real_part(size)
    return __complex_polar(size, __real_part(angle)) unless angle.__nil?

    __complex(size, __ruby?(:polar_angle_is_float) ? 0.0 : 0)
  end

  def __real_part(number)
    return number if number.__real_number?
    return number.real if number.is_a?(Complex) && number.imaginary == 0

    raise TypeError, "not a real"
  end
end

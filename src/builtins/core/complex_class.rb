# Methods of the class Complex.

module ComplexClass
  def rectangular(real, imaginary = 0)
    __complex_of_reals(real, imaginary)
  end

  def polar(size, angle = :__none)
    size = __real_part(size)
    turn = angle.equal?(:__none) ? 0 : __real_part(angle)
    __refuse_part unless size.__real_number? && turn.__real_number?
    return __complex_polar(size, turn) unless angle.equal?(:__none)

    __complex(size, __ruby?(:polar_angle_is_float) ? 0.0 : 0)
  end
end

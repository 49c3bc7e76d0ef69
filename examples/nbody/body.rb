# frozen_string_literal: true

# A star. Units are such that the constant of gravity is 1.
class Body
  # Close encounters are softened, or they would need smaller and smaller steps.
  SOFTENING = 1e-3

  attr_reader :x, :y, :z, :mass

  def initialize(position, velocity, mass)
    @x, @y, @z = position
    @vx, @vy, @vz = velocity
    @mass = mass
  end

  # Changes the velocity as the pull of all bodies does within a step. The body's own pull on itself is zero.
  def attract(bodies, step)
    ax = ay = az = 0.0
    bodies.each do |other|
      dx = other.x - @x
      dy = other.y - @y
      dz = other.z - @z
      squared = (dx * dx) + (dy * dy) + (dz * dz) + SOFTENING
      pull = other.mass / (squared * Math.sqrt(squared))
      ax += dx * pull
      ay += dy * pull
      az += dz * pull
    end
    @vx += ax * step
    @vy += ay * step
    @vz += az * step
  end

  # Goes on for a step.
  def drift(step)
    @x += @vx * step
    @y += @vy * step
    @z += @vz * step
  end

  # The energy of motion.
  def kinetic
    0.5 * @mass * ((@vx * @vx) + (@vy * @vy) + (@vz * @vz))
  end

  # The energy, below zero, of being bound to the others.
  def potential(bodies)
    sum = @mass / Math.sqrt(SOFTENING) # takes back the body's own part of the sum
    bodies.each do |other|
      dx = other.x - @x
      dy = other.y - @y
      dz = other.z - @z
      sum -= other.mass / Math.sqrt((dx * dx) + (dy * dy) + (dz * dz) + SOFTENING)
    end
    sum * @mass
  end
end

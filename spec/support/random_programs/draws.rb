# frozen_string_literal: true

module RandomPrograms
  # Generators of random numbers: those that elements hold, and those that a section makes.
  module Draws
    # A number of the element's own generator, or of a new one.
    def drawn(depth)
      limit = pick(%w[3 100 4294967297 1..6 -5...5])
      return e(dice, ".rand(#{limit})") if dice && chance(0.7)

      random = Node.fixed("Random.new(", expression([:int], [depth, 1].min), ")")
      case between(0, 4)
      when 0 then e(random, ".tap { |a| a.rand }.rand(#{limit})")
      when 1 then e("(", list([:int], depth), ".shuffle(random: ", random, ").first || 0)")
      when 2 then e("(", list([:int], depth), ".sample(random: ", random, ") || 0)")
      when 3 then e("(#{between(0, 30)}..40).to_a.sample(#{between(0, 14)}, random: ", random, ").sum")
      else e(random, ".rand(#{limit})")
      end
    end

    def drawn_float(depth)
      limit = pick(["", "(2.5)", "(0.5..1.5)", "(1...2.5)"])
      return e(dice, ".rand#{limit}") if dice && chance(0.7)

      e("Random.new(", expression([:int], [depth, 1].min), ").rand#{limit}")
    end

    # The generator of the own object, where that may change.
    def dice
      return unless @dice && scope.mutates && scope.own_class && things.include?(scope.own_class)

      scope.own == "self" ? pick(%w[@dice dice self.dice]) : "#{scope.own}.dice"
    end

    def dice_value = Node.fixed("dice: Random.new(#{between(0, 99)})")
  end
end

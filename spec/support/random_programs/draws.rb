# frozen_string_literal: true

module RandomPrograms
  # A generator of a class of its own.
  class Dice < Random
    def roll = rand(1..6)
    def twice = [self, dup, clone].map(&:roll)
  end

  # Generators of random numbers: those that elements hold, and those that a section makes.
  module Draws
    # So many programs have value objects that make generators of their own, and keep them.
    KEPT = Float(ENV.fetch("IKRA_FUZZ_KEPT_RANDOMS", 0.3))

    def dice_records? = matches?(@seed + 17, KEPT)

    # In `initialize` of a value object: a generator that may have been drawn from, and may be another object's, too.
    def dice_line
      made = Node.fixed("@dice = Random.new(", expression([:int], 1), ")")
      chance(0.5) ? made : Node.fixed(made, "\n#{"@dice.rand\n" * between(1, 3)}")
    end

    # That of a value object at hand.
    def kept_dice
      return unless dice_records?

      found = scope.variables.select { |v| v.types.is_a?(Array) && v.types.size == 1 && record?(v.types.first) }
      found = found.reject { |v| @classes[v.types.first].data? }
      "#{pick(found).name}.dice" if found.any?
    end

    # A number of the element's own generator, of that of a value object, or of a new one.
    def drawn(depth)
      limit = pick(%w[3 100 4294967297 1..6 -5...5])
      kept = kept_dice
      return e(kept, ".rand(#{limit})") if kept && chance(0.7)
      return e(dice, pick(["", "", ".dup", ".clone"]), ".rand(#{limit})") if dice && chance(0.7)

      random = Node.fixed("Random.new(", expression([:int], [depth, 1].min), ")")
      case between(0, 6, rolled: 6)
      when 6 then rolled(depth, limit)
      when 0 then e(random, ".tap { |a| a.rand }.rand(#{limit})")
      when 1 then e("(", list([:int], depth), ".shuffle(random: ", random, ").first || 0)")
      when 2 then e("(", list([:int], depth), ".sample(random: ", random, ") || 0)")
      when 3 then e("(#{between(0, 30)}..40).to_a.sample(#{between(0, 14)}, random: ", random, ").sum")
      when 4 then e(random, ".then { |a| n = a.rand(#{limit}); [a, a.dup, a.clone].sum { |b| b.rand(9) } + n }")
      else e(random, ".rand(#{limit})")
      end
    end

    # Of a generator of a class of its own, and its copies.
    def rolled(depth, limit)
      made = Node.fixed("RandomPrograms::Dice.new(", expression([:int], [depth, 1].min), ")")
      case between(0, 3)
      when 0 then e(made, ".twice.sum")
      when 1 then e(made, ".dup.then { |a| a.roll + a.clone.rand(#{limit}) }")
      when 2 then e(made, ".then { |a| n = a.roll; (a == a.dup ? n : 0) + (a.clone.instance_of?(",
                    pick(%w[Random RandomPrograms::Dice]), ") ? 1 : 0) }")
      else e("([1, 2, 3, 4].shuffle(random: ", made, ")[#{between(-4, 3)}] || 0)")
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

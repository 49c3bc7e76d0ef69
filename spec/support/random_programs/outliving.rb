# frozen_string_literal: true

module RandomPrograms
  # Lambdas, blocks that are kept, and default blocks that are called after the method that made them has ended.
  module Outliving
    OWN_CLASSES = <<~RUBY
      class Kept
        def initialize(&block) = @block = block
        def call(x) = @block ? @block.call(x) : x
        def then_it(&other) = (own = @block) && Kept.new { |x| other.call(own.call(x) % 1000) }
      end

      class Maker
        def initialize(step)
          @step = step
        end

        def adder(number) = ->(x) { ((x % 1000) * @step) + number }

        def sum_of(first, second)
          both = first - second
          lambda do |x, factor = 2|
            next second if x == first

            (x % 1000) + (both * factor)
          end
        end

        def self.scaled(factor) = ->(x) { (x % 1000) * factor }
        def self.composed(one, other) = ->(x) { other.(one.(x)) }
        def self.twice(&block) = ->(x) { block.call(block.call(x) % 1000) }
        def kept(first) = Kept.new { |x| ((x % 1000) * @step) + first }
        def self.each_down(number, made, &block) = number < 1 ? 0 : block.(made.(number)) + each_down(number - 1, made, &block)
      end

      # One whose Hashes have default blocks.
      class Listing
        def initialize(step)
          @step = step
          @made = 0
          @lists = Hash.new do |hash, key|
            @made += 1
            hash[key] = Array.new(1, start(key))
          end
          @plain = Hash.new { |hash, key| hash[key] = key * 2 }
        end

        def start(key) = (key + @step) % 50

        def add(key, item)
          @lists[key] << item
          self
        end

        def plain(key) = @plain[key] + @plain.size
        def total = @lists.sum { |key, list| key + list.sum + list.size } + @made
      end
    RUBY

    # An Integer that they give.
    def outlived(depth)
      case between(0, 7, kept_lists: 4, kept_block: 5)
      when 0 then e(made_lambda(depth), ".(", expression([:int], depth), ")")
      when 1 then e(list([:int], depth), ".map(&", made_lambda(depth), ").size")
      when 2 then e("[", made_lambda(depth), ", ", made_lambda(depth), "].sum { |f| f.(", small(depth), ") }")
      when 3 then e("Maker.composed(", made_lambda(depth), ", ", made_lambda(depth), ").(", small(depth), ")")
      when 4 then lists_once? ? kept_lists(depth) : kept_block(depth)
      when 5 then kept_block(depth)
      when 6 then e("Maker.twice { |x| (x % 100) + 3 }.(", small(depth), ")")
      else e("Maker.each_down(", small(depth), " % 4, ", made_lambda(depth), ") { |x| x % 9 }")
      end
    end

    private

    # Where several places make a Listing, no section knows whose default blocks its Hashes have.
    def lists_once?
      return chance(0.01) if @listing || (scope.in_method? && chance(0.6))

      @listing = true
    end

    def small(depth) = e("(", expression([:int], depth), " % 100)")

    def made_lambda(depth)
      maker = e("Maker.new(", small(depth), ")")
      case between(0, 2)
      when 0 then e(maker, ".adder(", small(depth), ")")
      when 1 then e(maker, ".sum_of(", small(depth), ", ", small(depth), ")")
      else e("Maker.scaled(", small(depth), ")")
      end
    end

    def kept_block(depth)
      kept = pick(["Kept.new { |x| x % 77 }", "Kept.new(&:succ)", "Kept.new"])
      kept = e("Maker.new(", small(depth), ").kept(", small(depth), ")") if chance(0.6)
      kept = e(kept, ".then_it { |x| (x * 3) + 1 }") if kept != "Kept.new" && chance(0.4)
      e(kept, ".call(", small(depth), ")")
    end

    def kept_lists(depth)
      maker = e("Listing.new(", small(depth), ")")
      return e(maker, ".plain(", small(depth), ")") if chance(0.3)

      adds = Array.new(between(1, 3)) { e(".add(", small(depth), " % 3, ", small(depth), ")") }
      e(maker, *adds, ".total")
    end
  end
end

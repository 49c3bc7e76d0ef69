# frozen_string_literal: true

module RandomPrograms
  # Objects as keys, and in sets of items: such as have an `eql?` and a `hash` of their own, or one of these. What is
  # eql? has one hash: Ruby's small Hashes look at one byte of it, and find others in one of 256 runs.
  module ValueKeys
    OWN_CLASSES = <<~RUBY
      class Amount
        attr_reader :value

        def initialize(value) = @value = value
        def ==(other) = other.is_a?(Amount) && value.eql?(other.value)
        alias eql? ==
        def hash = value.hash
      end

      class Special < Amount; end

      class Exact
        attr_reader :value

        def initialize(value) = @value = value
        def eql?(other) = other.instance_of?(self.class) && value.eql?(other.value)
        def hash = [self.class, value].hash
      end

      class OnlyEql
        attr_reader :value

        def initialize(value) = @value = value
        def eql?(other) = equal?(other) && value == other.value
      end

      class OnlyHash
        attr_reader :value

        def initialize(value) = @value = value
        # Ruby's numbers times 31 need more than 64 bits, those of sections do not.
        def hash = (31 * (value.hash % 1_000_003)) + 7
      end

      AMOUNTS = { Amount.new(0) => 3, Exact.new("a") => 4, Special.new(1.0) => 5 }.freeze
    RUBY
    KEYED = %w[Amount Amount Special Exact OnlyEql OnlyHash Set Hash Hash Range].freeze

    # An Integer that hangs on which of them are the same.
    def keyed(depth)
      name = pick(KEYED)
      case between(0, 7, changed_keys: 6, counted_keys: 7)
      when 0 then e(keyed_list(name, depth), pick([".uniq.size", ".tally.values.sum { |n| n * n }", ".to_set.size"]))
      when 1 then e("(", keyed_list(name, depth), pick([" - ", " & ", " | "]), keyed_list(name, depth), ").size")
      when 2 then e("(", keyed_list(name, depth), ".intersect?(", keyed_list(name, depth), ") ? 1 : 0)")
      when 3 then e(keyed_list(name, depth), ".group_by(&:itself).sum { |key, all| all.size * all.size }")
      when 4 then e("{ ", keyed_object(name, depth), " => 2 }.fetch(", keyed_object(name, depth), ", 7)")
      when 5 then e("AMOUNTS.fetch(", keyed_object(pick(%w[Amount Special Exact]), depth), ", 0)")
      when 6 then changed_keys(depth)
      else counted_keys(name, depth)
      end
    end

    private

    # Arrays and Hashes that change until they become keys.
    def changed_keys(depth)
      return changed_hash_keys(depth) if chance(0.3)

      modulus = between(2, 9)
      at = fresh("at")
      change = pick(["#{at}[0] += 1", "#{at} << i % 2", "#{at}[1] = nil", "#{at}.unshift(i % 3)",
                     "#{at}.map! { |q| q * 2 }"])
      frozen = pick(["", ".freeze", ".dup.freeze"])
      e("(0...(", expression([:int], depth), " % 40)).each_with_object({}) { |i, h| #{at} = [i % #{modulus}, ",
        expression([:int], 0), "]; #{at} = #{at}.dup; #{change}; h[#{at}#{frozen}] = i }.sum { |key, n| key.size + n }")
    end

    def changed_hash_keys(depth)
      at = fresh("at")
      change = pick(["#{at}[:b] = i % 3", "#{at}.delete(:a)", "#{at}[i % 2] = nil", "#{at}[:a] += 1", "#{at}.clear"])
      behind = chance(0.1) ? "; #{at}[:c] = 1" : ""
      e("(0...(", expression([:int], depth), " % 40)).each_with_object({}) { |i, h| ",
        "#{at} = { a: i % #{between(2, 9)}, b: ", expression([:int], 0),
        " }; #{change}; h[#{at}] = i#{behind} }.sum { |key, n| key.size + n }")
    end

    def keyed_object(name, depth)
      number = e("(", expression([:int], depth), " % 4)")
      value = pick([number, number, e(number, ".to_f"), pick(["\"a\"", "\"b\"", ":a", "nil"]), e("[", number, ", :a]")])
      more = pick(["", ", b: 1", ", \"b\" => [#{between(0, 1)}]"])
      return e("{ ", value, " => ", number, more, " }") if name == "Hash"
      return e("(", number, "..", pick([number.to_s, "7"]), ")") if name == "Range"
      return e("Set[", value, ", ", pick(["1", ":a", number.to_s]), "]") if name == "Set"

      e(name, ".new(", value, ")")
    end

    def keyed_list(name, depth)
      shared = keyed_object(name, depth)
      items = Array.new(between(1, 3)) { keyed_object(name, depth) }
      return e("[", Node.commas(items), "]") if chance(0.6)

      e("[", Node.commas(items), "].then { |all| all + [", shared, "] + all }")
    end

    # So many that they are found by their hash.
    def counted_keys(name, depth)
      modulus = between(2, 30)
      made = name == "Set" ? "Set[i % #{modulus}, 1]" : "#{name}.new(i % #{modulus})"
      e("(0...(", expression([:int], depth), " % 60)).each_with_object(Hash.new(0)) { |i, h| ",
        "h[#{made}] += i }.sum { |key, n| (n * 3) + 1 }")
    end
  end
end

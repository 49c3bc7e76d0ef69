# frozen_string_literal: true

require_relative "value_keys"

module RandomPrograms
  # Hashes: those around the block, which it looks into, and those that it makes.
  module HashUses
    include ValueKeys

    # NaN is no key: which one it is, a section does not know.
    KEYS = [[:int], [:int], [:sym], [:str], %i[int nil sym bool], [:pair]].freeze
    VALUES = [[:int], [:int], [:float], %i[int nil], %i[int float sym]].freeze

    def captured_hash
      keys = pick(KEYS)
      values = pick(VALUES)
      name = fresh("k")
      @outside << [name, HashType.new(keys, values)]
      pairs = Array.new(between(0, chance(0.2) ? 40 : 5)) do
        Node.fixed(captured_key(pick(keys)), " => ", constant(pick(values)))
      end
      text = Node.fixed("{ ", Node.list(pairs), " }")
      return Node.fixed("#{name} = ", text) if chance(0.8)

      Node.fixed("#{name} = Hash.new(", constant(pick(values)), ").merge(", text, ")")
    end

    def captured_key(type) = type == :pair ? "[#{between(-2, 3)}, #{between(-2, 3)}]" : constant(type)

    def hash_key(keys, depth)
      type = pick(keys)
      return e("[", expression([:int], 0), " % 4, ", expression([:int], depth), " % 3]") if type == :pair

      type == :int && chance(0.5) ? e("(", expression([:int], depth), " % 5)") : expression([type], depth)
    end

    # An Integer that comes of a Hash.
    def hashed(depth)
      found = scope.variables.select { |variable| variable.declared.is_a?(HashType) }
      return looked_up(pick(found), depth) if found.any? && chance(0.6, :looked_up)
      return of_collected(pick(scope.collected), depth) if scope.collected.any? && chance(0.6, :of_collected)

      case between(0, 5)
      when 0 then e(hash_literal(depth), pick(%w[.size .values.size .keys.size .length]))
      when 1 then from_literal(depth)
      else from_list(depth)
      end
    end

    # A Hash that is made, changed and given, with the value in it, in an array or by itself.
    def hash_result(value, returns)
      name = fresh("h")
      keys = pick(KEYS)
      first = case between(0, 5)
              when 0, 1 then e("Hash.new(", expression([:int], 0), ")")
              when 2 then Node.fixed("Hash.new { |all, key| all[key] = ", pick(%w[all.size 2.5 -(all.size+3)]), " }")
              else hash_literal(2, keys)
              end
      changes = Array.new(between(1, 4)) { hash_change(name, keys) }
      given = pick([name, "[#{name}, 1]", "[[#{name}], nil]", "{ #{name}.size => #{name} }"])
      held = case between(0, 3)
             when 0 then ["#{name}[", hash_key(keys, 1), "] = ", value, "\n"]
             when 1 then ["#{name}[", hash_key(keys, 1), "] = [", value, ", ", value_of(returns, 2), "]\n"]
             when 2 then ["#{name}.merge!({ ", hash_key(keys, 1), " => ", value, " })\n"]
             else [fresh("v"), " = ", value, "\n"]
             end
      Node.statement("#{name} = ", first, "\n", Node.list(changes, ""), *held, given)
    end

    def hash_change(name, keys)
      key = hash_key(keys, 1)
      number = expression([:int], 1)
      case between(0, 7)
      when 7 then Node.fixed(name, ".default = ", expression(pick(VALUES), 1), "\n")
      when 0 then Node.fixed(name, "[", key, "] = ", expression(pick(VALUES), 1), "\n")
      when 1 then Node.fixed(name, "[", key, "] ||= ", number, "\n")
      when 2 then Node.fixed(name, ".delete(", key, ")\n")
      when 3
        return Node.fixed(filter_watching(name, "a, b", "#{name}.first == [a, b]"), "\n") if chance(0.3)

        Node.fixed(name, ".delete_if { |a, b| a == ", key, " }\n")
      when 4 then Node.fixed(name, " = ", name, ".transform_values { |b| b ? [b, ", number, "] : b }\n")
      when 5 then Node.fixed(name, ".store(", key, ", ", number, ")\n")
      else Node.fixed(name, " = ", name, ".select { |a, b| b }\n")
      end
    end

    # Of what `**` has collected.
    def of_collected(name, depth)
      default = expression([:int], depth)
      case between(0, 4)
      when 0 then e(name, pick(%w[.size .keys.size .to_a.size]))
      when 1 then e("(#{name}.key?(:q2) ? 1 : ", default, ")")
      when 2 then e("#{name}.count { |a, b| b.is_a?(Integer) }")
      when 3 then e("#{name}.merge({ q1: ", default, " }).size")
      else e("(#{name}[:q1].is_a?(Integer) ? 2 : ", default, ")")
      end
    end

    def looked_up(variable, depth)
      name = variable.name
      key = hash_key(variable.declared.key_types, depth)
      default = expression([:int], depth)
      number = variable.declared.value_types == [:int]
      case between(0, 6)
      when 0 then e("(#{name}.key?(", key, ") ? 1 : ", default, ")")
      when 1 then e(name, pick(%w[.size .count .to_a.size]))
      when 2 then e("#{name}.sum { |a, b| b.is_a?(Integer) ? b % 100 : 1 }")
      when 3 then e("(#{name}.find { |a, b| a == ", key, " } ? 2 : ", default, ")")
      when 4 then number ? e("#{name}.fetch(", key, ") { |a| ", default, " }") : e("#{name}.keys.size")
      else
        number ? e("(#{name}[", key, "] || ", default, ")") : e("(#{name}[", key, "].nil? ? ", default, " : 3)")
      end
    end

    def hash_literal(depth, keys = pick(KEYS))
      e("{ ", Node.list(pairs_of(between(0, 4), keys, depth) { pick(VALUES) }), " }")
    end

    # A key that is written twice no section has.
    def pairs_of(count, keys, depth)
      pairs = Array.new(count) { [hash_key(keys, depth), yield] }
      pairs = pairs.uniq { |key, _| key.to_s } unless chance(0.02)
      pairs.map { |key, types| Node.fixed(key, " => ", expression(types, depth)) }
    end

    def from_literal(depth)
      keys = pick(KEYS)
      literal = e("{ ", Node.list(pairs_of(between(1, 4), keys, depth) { [:int] }), " }")
      case between(0, 3)
      when 0 then e("(", literal, "[", hash_key(keys, depth), "] || ", expression([:int], depth), ")")
      when 1 then e("(", literal, ".min_by { |a, b| b }.last)")
      when 2 then e(literal, ".transform_values.with_index { |b, i| (b + i) % 7 }.select { |a, b| b > 2 }.size")
      else e(literal, ".merge({ ", hash_key(keys, depth), " => 1 }) { |a, b, c| b }.size")
      end
    end

    def from_list(depth)
      source, of = list_source(depth, pick([[:int], [:sym], [:str], %i[int nil]]))
      name = fresh("i")
      through(source) do
        block = list_block({ name => of }, pick([[:int], [:bool], [:sym]]), depth)
        next unless block

        case between(0, 5)
        when 5 then e(source, ".tally.keys.count { |a| a.frozen? }")
        when 0 then e(source, ".tally.sum { |a, n| n * n }")
        when 1 then e(source, ".group_by", block, ".sum { |a, l| l.size * l.size }")
        when 2 then e("(", source, ".group_by", block, ".map { |a, l| l.size }.max || 0)")
        when 3 then counted_up(source, depth)
        else e(source, ".to_h { |a| [a, 1] }.size")
        end
      end
    end

    def counted_up(source, depth)
      first = e("Hash.new(", expression([:int], 0), " % 100)")
      by = expression([:int], depth)
      e(source, ".each_with_object(", first, ") { |a, h| h[a] += (", by, " % 100) }.values.size")
    end
  end
end

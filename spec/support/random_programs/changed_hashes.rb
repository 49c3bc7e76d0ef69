# frozen_string_literal: true

module RandomPrograms
  # Hashes around the block that it changes: counts, groups and memos, by keys that exist or are made.
  module ChangedHashes
    # What is in one: its keys, and which of these it is.
    Tally = Struct.new(:name, :keys, :use)
    TALLY_KEYS = [[:int], [:int], [:sym], [:str], [:pair], [:text], %i[int pair nil], %i[text int]].freeze
    USES = { change_counts: 1.5, change_groups: 1.5, change_memos: 1.5, change_texts: 2, change_tables: 1.8 }.freeze
    FIRST = { change_counts: "1", change_groups: "[1]", change_memos: "[0, 1]", change_texts: '"a"',
              change_tables: "{ 1 => 2 }" }.freeze
    BLOCKS = { change_groups: "{ |hash, key| hash[key] = [] }", change_tables: "{ |hash, key| hash[key] = {} }",
               change_counts: "{ |_, _| 3 }" }.freeze

    # In a program: each is a lot of code, and of more the section is too large.
    MOST = 14

    def captured_tally
      tally = Tally.new(fresh("t"), pick(TALLY_KEYS), weighted(USES))
      @tallies << tally
      return Node.fixed("#{tally.name} = Hash.new(0)") if tally.use == :change_counts && chance(0.5)

      block = BLOCKS[tally.use]
      return Node.fixed("#{tally.name} = Hash.new #{block}") if block && chance(0.3)

      # Of many pairs there are slots.
      pairs = Array.new(chance(0.15) ? between(16, 24) : between(0, 3)) do
        Node.fixed(tally_constant(pick(tally.keys)), " => ", FIRST[tally.use])
      end
      Node.fixed("#{tally.name} = { ", Node.list(pairs), " }")
    end

    def tally_constant(type) = type == :text ? "\"#{between(0, 3)}\"" : captured_key(type)

    def tally_key(tally)
      case type = pick(tally.keys)
      when :text then e('"#{', expression([:int], 1), ' % 4}"')
      when :pair then e("[", expression([:int], 1), " % 4, ", pick(%w[1 nil :a]), "]")
      when :int then e("(", expression([:int], 1), " % 7)")
      else expression([type], 1)
      end
    end

    def change_hash(depth)
      count = [between(1, 3), MOST - (@tally_changes || 0)].min
      return if @tallies.none? || count < 1

      @tally_changes = (@tally_changes || 0) + count
      Node.body(Array.new(count) { tally_change(pick(@tallies), depth) })
    end

    def tally_change(tally, depth)
      key = tally_key(tally)
      return default_given(tally, depth) if chance(0.06, :default_given)

      case between(0, 9, **(chance(0.3) ? { delete_within: 0 } : {}))
      when 0
        return delete_within(tally.name, key) if chance(0.3, :delete_within)
        return filter_watching(tally.name, "a, b", "#{tally.name}.key?(a)") if chance(0.3)

        Node.statement(tally.name, ".delete(", key, ")")
      when 1 then Node.statement(scope.declare(fresh("v"), [:int]).name, " = ", tally.name, ".size")
      else send(tally.use, tally.name, key, depth)
      end
    end

    # What it gives for other keys from then on is what it holds.
    DEFAULTS = { change_counts: %w[0 2 nil], change_groups: ["nil", "[]", "[3]"], change_memos: ["nil", "[0, 1]"],
                 change_texts: ["nil", '"b"'], change_tables: ["nil", "{ 3 => 4 }"] }.freeze

    def default_given(tally, depth)
      test = e("(", expression([:int], depth - 1), " % 7) == ", between(0, 2).to_s)
      Node.statement(tally.name, ".default = ", pick(DEFAULTS[tally.use]), *(chance(0.5) ? [" if ", test] : []))
    end

    # Pairs go while others are gone through.
    def delete_within(name, key)
      which = pick(["a", "a", key])
      block = [" if a == ", key, " || b.nil?"]
      seen = scope.declare(fresh("v"), [:int]).name
      walk = pick(["each { |a, b|", "each_key { |a| b = 1;", "sum { |a, b| #{seen} += 2;", "count { |a, b|"])
      Node.statement("#{seen} = 0\n#{name}.#{walk} #{seen} += 1; ", name, ".delete(", which, ")", *block, "; 1 }")
    end

    def change_counts(name, key, depth)
      number = e("(", expression([:int], depth - 1), " % 100)")
      case between(0, 3)
      when 0 then Node.statement(name, "[", key, "] = ", number)
      when 1 then Node.statement(scope.declare(fresh("v"), [:int]).name, " = ", name, "[", key, "] || ", number)
      else Node.statement(name, "[", key, "] = (", name, "[", key, "] || 0) + ", number)
      end
    end

    def change_groups(name, key, depth)
      number = expression([:int], depth - 1)
      case between(0, 5)
      when 0 then Node.statement(name, "[", key, "] = [", number, ", 2]")
      when 1 then Node.statement(name, "[", key, "]&.pop")
      when 2 then Node.statement(scope.declare(fresh("v"), [:int]).name, " = ", name, "[", key, "]&.size || 0")
      when 3 then Node.statement(name, "[", key, "] ||= []\n", name, "[", key, "]&.push(", number, ")")
      else Node.statement("(", name, "[", key, "] ||= []) << ", number)
      end
    end

    def change_memos(name, key, depth)
      number = expression([:int], depth - 1)
      variable = scope.declare(fresh("v"), [:int]).name
      case between(0, 2)
      when 0 then Node.statement(variable, " = (", name, "[", key, "] ||= [", number, ", 3]).size")
      when 1 then Node.statement(variable, " = ", name, "[", key, "]&.first || ", number)
      else Node.statement(variable, " = ", number, "\n", name, "[", key, "] = [", variable, ", nil]")
      end
    end

    def change_tables(name, key, depth)
      number = e("(", expression([:int], depth - 1), " % 9)")
      case between(0, 3)
      when 0 then Node.statement(name, "[", key, "] = { ", number, " => 1, 2 => ", number, " }")
      when 1 then Node.statement(scope.declare(fresh("v"), [:int]).name, " = ", name, "[", key, "]&.size || 0")
      when 2 then Node.statement("(", name, "[", key, "] ||= {})[", number, "] = 1")
      else Node.statement("table = ", name, "[", key, "] || {}\ntable[", number, "] = (table[", number, "] || 0) + 1")
      end
    end

    def change_texts(name, key, depth)
      text = e('"#{', expression([:int], depth - 1), '}"')
      case between(0, 2)
      when 0 then Node.statement(name, "[", key, "] ||= ", text)
      when 1 then Node.statement(name, "[", key, "] = ", text)
      else Node.statement(scope.declare(fresh("v"), [:int]).name, " = ", name, "[", key, "].to_s.size")
      end
    end
  end
end

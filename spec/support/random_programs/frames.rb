# frozen_string_literal: true

require_relative "framed_blocks"
require_relative "framed_calls"

module RandomPrograms
  # Exceptions that come from some calls below: out of blocks, lambdas, clauses and methods of all kinds. They are
  # rescued there, in another method, or leave the section.
  #
  # Texts have V for the variable that the Integer goes to, N for an Integer, LIST for an array of them, M for a small
  # number, J for another variable, R( for a call of a method that may raise, S for its name, F and G for methods that
  # are defined for it, and C, D for such classes.
  module Frames
    include FramedBlocks
    include FramedCalls

    FORMS = { raised_in_each: 1, raised_in_map: 1, raised_in_fold: 1, raised_in_count: 1, raised_in_pairs: 1,
              raised_in_lambda: 1, raised_in_yield: 1, raised_in_clause: 1, raised_in_recursion: 1,
              raised_by_defined: 1, raised_by_missing: 1, raised_by_send: 1, raised_in_struct: 1,
              raised_through_super: 1, raised_in_new: 1 }.freeze

    # What raises for one of B numbers, which is K.
    RISKS = FramedTexts::FOLDS + FramedTexts.list(<<~'RUBY')
      raise "no #{n}" if n % B == K
      ---
      raise ArgumentError if n % B == K
      ---
      raise ArgumentError, "bad #{n}" if n % B == K
      ---
      fail IndexError.new("odd") unless n % B != K
      ---
      throw :away, [n, { n => "x" }] if n % B == K
      ---
      raise CodedError.new(n, 3) if n % B == K
      ---
      raise TaggedError, "bad" if n % B == K
      ---
      m = 9 / ((n % B) - K)
      ---
      m = [4, 5, 6].fetch(n % B == K ? 3 : 1)
      ---
      m = { 0 => 1 }.fetch(n % B == K ? n : 0)
      ---
      m = { n => 1 }.merge({ 2 => n }, n % B == K ? nil : {}).size
      ---
      m = { n => 1, **(n % B == K ? n : { a: 2 }) }.update({ 2 => n }) { 3 }.size
      ---
      m = Integer(n % B == K ? "x#{n}" : "7")
      ---
      m = (n % B == K ? nil : n) + 1
      ---
      m = 1 + (n % B == K ? nil : 2)
      ---
      m = Float(n % B == K ? "" : "2.5")
      ---
      case n % B
      in K then raise RangeError
      in Integer then nil
      end
      ---
      case n % B == K ? 3 : 2
      in 0..2 then nil
      end
      ---
      m = Math.sqrt(n % B == K ? -1 : 4)
      ---
      m = n.clamp(5, n % B == K ? 1 : 9)
      ---
      m = [1, n % B == K ? :a : 2].max
      ---
      if n % B == K
        raise ZeroDivisionError,
              "far"
      end
      ---
      m = [
        n,
        n % B == K ? Integer("z") : 2
      ]
      ---
      [1, 2].each { |i| raise "in" if (n + i) % B == K }
      ---
      raise KeyError, "none" unless [n].none? { |i| i % B == K }
    RUBY

    RESCUES = ["", "", " StandardError", " Exception", " ArgumentError", " IndexError, RuntimeError",
               " ArgumentError, IndexError, ZeroDivisionError, TypeError, NoMethodError, StandardError"].freeze

    # What calls its block and rescues, or lets go, what that raises.
    RESCUING = FramedTexts.list(<<~'RUBY')
      def self.F
        yield
      rescue StandardError
        M
      end
      ---
      def self.F
        yield
      rescue ArgumentError, RangeError, RuntimeError, ZeroDivisionError => e
        e.message.size
      rescue StandardError
        M
      end
      ---
      def self.F
        yield
      rescue ZeroDivisionError
        M
      rescue ArgumentError, RuntimeError => e
        e.message.size > 6 ? M : 3
      rescue StandardError
        4
      else
        5
      end
    RUBY
    PASSING = FramedTexts.list(<<~'RUBY')
      def self.F
        yield
      ensure
        M
      end
      ---
      def self.F
        yield
      rescue RuntimeError
        raise
      end
      ---
      def self.F(&block)
        block.call
      rescue NoMatchingPatternError
        M
      end
      ---
      def self.F
        yield
      rescue ArgumentError, RuntimeError, ZeroDivisionError => e
        raise e
      end
      ---
      def self.F
        yield
      rescue ArgumentError, RuntimeError
        raise IndexError, "after"
      end
    RUBY

    def framed(depth)
      return if depth <= 0 || scope.loops > 1

      send(weighted(FORMS), depth)
    end

    # The methods and classes that the texts call.
    def frames_node
      @frames ? [Node.fixed("module Frames\n", Node.list(@frames, "\n"), "\nend\n")] : []
    end

    private

    # @param pairs [Array] definitions, or nil, and texts that use them
    def framed_by(pairs, depth)
      definition, uses = pick(pairs)
      names = Hash.new { |all, name| all[name] = fresh("CD".include?(name) ? "Frame" : name.downcase) }
      # In a section one exception is the end of it.
      leaves = chance(@section ? 0.25 : 0.45)
      (@frames ||= []) << Node.fixed(framed_text(definition, names, leaves), "\n") if definition
      made = framed_text(pick(uses), names, leaves)
      before = framed_values(made, names, depth)
      scope.declare(names["V"], [:int])
      Node.body([*before, Node.statement("#{names["V"]} = 0"), framed_end(made, names, leaves)])
    end

    # What is computed before.
    def framed_values(text, names, depth)
      lines = []
      lines << Node.statement(names["N"], " = (", expression([:int], depth - 1), " % 25)") if text.include?(names["N"])
      lines << Node.statement(names["L"], " = ", list([:int], depth - 1)) if text.include?(names["L"])
      lines
    end

    def framed_text(text, names, leaves)
      text.gsub(/\b(?:LIST|[VNJFGCD]|M|R(?=\()|S)\b/) do |place|
        case place
        when "LIST" then names["L"]
        when "M" then between(1, 6).to_s
        when "R" then "Frames.#{risky(leaves)}"
        when "S" then risky(leaves)
        else names[place]
        end
      end
    end

    # Around what may raise: somewhere else, or here, or nothing.
    def framed_end(made, names, leaves)
      how = between(0, 3)
      return Node.statement(made) if leaves && how < 2
      return Node.statement("begin\n", made, "\nensure\n#{names["V"]} += 1\nend") if leaves && how == 2
      return framed_within(made, names, leaves ? PASSING : RESCUING) if how == 3

      value = names["V"]
      handler = pick(["#{value} = #{between(2, 9)}", "#{value} += 5", "#{value} = #{value} * 3"])
      last = how == 2 ? "\nensure\n#{value} -= 1" : ""
      Node.statement("begin\n", made, "\nrescue#{pick(RESCUES)}\n#{handler}#{last}\nend")
    end

    def framed_within(made, names, definitions)
      name = fresh("f")
      (@frames ||= []) << Node.fixed(framed_text(pick(definitions).gsub(/\bF\b/, name), names, true), "\n")
      return Node.statement("Frames.#{name} do\n", made, "\nend") if chance(0.5)

      Node.statement("#{names["V"]} += Frames.#{name} {\n", made, "\n#{names["V"]} }")
    end

    # A method that may raise, or one that calls it.
    def risky(leaves)
      known = ((@risks ||= {})[leaves] ||= [])
      return pick(known) if known.size > 2 || (known.any? && chance(0.5))

      name = fresh("risk")
      (@frames ||= []) << Node.fixed(risky_text(name, leaves, known), "\n")
      known << name
      name
    end

    def risky_text(name, leaves, known)
      if known.any? && chance(0.4)
        above = pick(known)
        return pick(["def self.#{name}(n) = #{above}(n + #{between(1, 5)})",
                     "def self.#{name}(n)\n  m = #{above}(n)\n  m + 1\nend",
                     "def self.#{name}(n)\n  [n, 2].sum { |i| #{above}(i) } % 50\nend"])
      end
      of = leaves ? between(15, 40) : between(3, 9)
      line = pick(RISKS).gsub(/\bB\b/, of.to_s).gsub(/\bK\b/, between(0, of - 1).to_s)
      more = "  # a line more\n" if chance(0.3)
      "def self.#{name}(n)\n#{more}#{line.gsub(/^/, "  ")}\n  (n % 40) + #{between(1, 5)}\nend"
    end
  end
end

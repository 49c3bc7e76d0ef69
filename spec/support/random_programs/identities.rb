# frozen_string_literal: true

module RandomPrograms
  # Objects whose `==` says no of the object itself, always or at times, where Ruby compares by itself: it asks whether
  # it is the same object before. Also Structs that hold themselves. Their
  # `equal?`, which Ruby itself asks nowhere, lies.
  module Identities
    OWN_CLASSES = <<~RUBY
      class Unequal
        attr_reader :value

        def initialize(value) = @value = value
        def ==(_other) = false
        def equal?(_other) = value == 1
      end

      class Partial
        attr_reader :value

        def initialize(value) = @value = value
        def ==(other) = other.is_a?(Partial) && value != 1 && value == other.value
        def equal?(_other) = raise("Ruby compares by itself")
      end

      Cell = Struct.new(:value, :peer)

      UNEQUALS = [Unequal.new(0), Partial.new(1), Partial.new(2)].freeze
    RUBY

    # An Integer that hangs on which of them are the same.
    def identity(depth)
      name = pick(%w[Unequal Partial Partial Object])
      one = fresh("i")
      other = fresh("i")
      value = -> { e("(", expression([:int], [depth - 1, 0].max), " % 3)") }
      made = -> { name == "Object" ? e("Object.new") : e("#{name}.new(", value.call, ")") }
      second = pick([e("(", condition([depth - 1, 0].max), " ? #{one} : ", made.call, ")"),
                     made.call, e(one), e("UNEQUALS[", value.call, "]")])
      e(made.call, ".then { |#{one}| ", second, ".then { |#{other}| ",
        identity_question(one, other), " } }")
    end

    # The same of lambdas and procs of one literal.
    def identity_of_procs(depth)
      all = fresh("i")
      body = pick(["9", "y", "->(z) { z }", expression([:int], [depth - 1, 0].max)])
      made = e("[1, 2, 3].map { |i| ", pick(["->(y) { ", "proc { |y| ", "lambda { |y| "]), body, " } }")
      question = pick(["#{all}.uniq.size", "#{all}.index(#{all}[1])", "(#{all}[0] == #{all}[2] ? 1 : 0)",
                       "(#{all}[0].equal?(#{all}[0]) ? 1 : 0)", "#{all}.to_h { |f| [f, 1] }.size",
                       "(#{all} - [#{all}[2]]).size", "#{all}.count(#{all}[1])",
                       "(#{all}.include?(->(y) { y }) ? 1 : 0)", "(#{all} & #{all}.reverse).size",
                       "#{all}.rindex(#{all}[0])"])
      e("(", made, ".then { |#{all}| #{question} })")
    end

    private

    def identity_question(one, other)
      list = "[#{Array.new(between(1, 3)) { pick([one, other, "3", "nil"]) }.join(", ")}]"
      pick(["(#{list}.include?(#{one}) ? 1 : 0)", "(#{list}.index(#{one}) || 5)", "(#{list}.rindex(#{other}) || 5)",
            "#{list}.count(#{one})", "(#{list} - [#{other}]).size", "#{list}.uniq.size",
            "(#{list}.member?(#{other}) ? 1 : 0)", "([#{one}, 1] == [#{other}, 1] ? 1 : 0)",
            "(([#{one}] <=> [#{other}]) || 5)", "((#{one} <=> #{other}) || 5)",
            "({ 1 => #{one} } == { 1 => #{other} } ? 1 : 0)", "({ a: #{one} }.value?(#{other}) ? 1 : 0)",
            "(Cell.new(#{one}, 2) == Cell.new(#{other}, 2) ? 1 : 0)", "(#{one} === #{other} ? 1 : 0)",
            "(case #{other} when #{one} then 1 else 0 end)", "(([#{other}] in [^#{one}]) ? 1 : 0)",
            "{ #{one} => 1, #{other} => 2 }.size", "(#{list} | [#{other}]).size", "(#{list} & [#{one}]).size",
            "({ #{one} => 1 }[#{other}] || 0)", "#{list}.tally.size", "Set[#{one}, #{other}].size",
            "(#{one} == #{other} ? 1 : 0)", "(#{list}.any?(#{one}) ? 1 : 0)", "([#{one}].eql?([#{other}]) ? 1 : 0)",
            "Cell.new(#{one}, 1).then { |cell| cell.peer = cell; [cell].include?(cell) ? cell.peer.size : 9 }"])
        .then { |text| e(text) }
    end
  end
end

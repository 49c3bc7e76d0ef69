# frozen_string_literal: true

module MethodFuzzer
  # A call of one of Ruby's own methods, as the text of an expression over what it is given.
  Call = Struct.new(:heading, :name, :receiver, :arguments, :block, :made, :behind) do
    # What stands around the block, each time anew: what the call works on and is given.
    def outside(number) = made ? [] : given.each_with_index.map { |value, i| "v#{number}_#{i} = #{value}" }

    # In the block.
    def inside(number)
      names = given.each_index.map { |i| "v#{number}_#{i}" }
      [*(made ? given.zip(names).map { |value, name| "#{name} = #{value}" } : []), expression(names)].join("; ")
    end

    # With the values written out.
    def to_s = "#{expression(given)}#{made ? "" : " (of values from outside)"}"

    # The names of the values that the call may have changed.
    def changed(number) = made ? [] : given.each_index.map { |i| "v#{number}_#{i}" }

    private

    def function? = receiver.empty?
    def literal? = receiver.match?(/\A(Math|Integer)\z/)
    def given = function? || literal? ? arguments : [receiver, *arguments]

    def expression(values)
      return "#{name}(#{values.join(", ")})#{with_block}" if function?
      return "#{receiver}.#{name}(#{values.join(", ")})" if literal?

      target, *rest = values
      called(target, rest).then { |text| behind ? "(#{text})#{behind}" : text }
    end

    def called(target, rest)
      case name
      when /\A[+\-~!]@\z/ then rest.empty? ? "#{name[0]}#{target}" : dotted(target, rest)
      when "[]" then block ? dotted(target, rest) : "#{target}[#{rest.join(", ")}]"
      when "[]=" then rest.size < 2 || block ? dotted(target, rest) : assigned(target, rest)
      when /\A[^\w~!]+\z/ then rest.size == 1 && !block ? "#{target} #{name} #{rest[0]}" : dotted(target, rest)
      else dotted(target, rest)
      end
    end

    def assigned(target, rest) = "#{target}[#{rest[0..-2].join(", ")}] = #{rest.last}"

    def dotted(target, rest) = "#{target}.#{name}#{"(#{rest.join(", ")})" if rest.any?}#{with_block}"
    def with_block = block ? " #{block}" : ""
  end

  # Chooses calls at random.
  class Calls
    PAGE = File.expand_path("../../../docs/ruby.md", __dir__)

    # The methods that run, by heading.
    def self.methods
      heading = nil
      File.foreach(PAGE).with_object(Hash.new { |hash, key| hash[key] = [] }) do |line, all|
        heading = Regexp.last_match(1) if line =~ /\A## (.*)/
        next unless Values::RECEIVERS.key?(heading) && line =~ /\A\| `(.+?)` \| runs \|/

        name = Regexp.last_match(1).gsub("\\|", "|")
        all[heading] << name unless Values::OMITTED.include?(name)
      end
    end

    def initialize(seed)
      @random = Random.new(seed)
      @pairs = self.class.methods.flat_map { |heading, names| names.map { |name| [heading, name] } }
    end

    def next
      heading, name = pick(@pairs)
      receiver = pick(Values::RECEIVERS.fetch(heading))
      arguments = Array.new(count_of(heading, name)) { argument }
      block = pick(Values::BLOCKS) if chance(heading == "Math." || name.match?(/\A\W+\z/) ? 0 : 0.25)
      Call.new(heading, name, receiver, arguments, block, chance(0.5))
    end

    private

    def pick(list) = list[@random.rand(list.size)]
    def chance(share) = @random.rand < share

    # Mostly as many as the method takes; now and then one too many.
    def count_of(heading, name)
      binary = name.match?(/\A\W+\z/) && !name.end_with?("@") && !%w[! ~ []].include?(name)
      return name == "[]=" ? 2 : 1 if binary && chance(0.9)

      most, least = arity(heading, name)
      chance(0.04) ? most + 1 : @random.rand(least..most)
    end

    # Of those that tell no more than that there may be some, up to three.
    def arity(heading, name)
      @arities ||= {}
      @arities[[heading, name]] ||= begin
        receiver = Values::RECEIVERS.fetch(heading).first
        object = receiver.empty? ? self : Values.module_eval(receiver)
        count = object.method(name).arity
        count.negative? ? [[-count, 3].max.clamp(1, 3), -count - 1] : [count, count]
      rescue NameError
        [2, 0]
      end
    end

    def argument = pick(chance(0.3) ? Values::SMALL : Values::HOSTILE)
  end
end

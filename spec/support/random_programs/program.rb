# frozen_string_literal: true

require "forwardable"
require_relative "../redefined"
require_relative "operations"

module RandomPrograms
  # A program: classes, what its block captures, the block, and the objects it runs over.
  class Program
    PARTS = %i[classes captures block leaves elements].freeze
    attr_reader :seed, :operation, :ticks, :collection, *PARTS

    def initialize(seed:, calling:, classes:, captures:, block:, world:)
      @seed = seed
      @operation, @ticks, @collection = calling
      @classes = classes
      @captures = captures
      @block = block
      @leaves, @elements = world
    end

    # @return [Program] with one part replaced
    def with(part, node)
      copy = dup
      copy.instance_variable_set(:"@#{part}", node)
      copy
    end

    def with_ticks(ticks)
      copy = dup
      copy.instance_variable_set(:@ticks, ticks)
      copy
    end

    def size = PARTS.sum { |part| public_send(part).size }

    # What Redefined has others for, as a comment.
    def redefined
      names = Redefined.chosen(seed).map { |of, name,| "#{of}##{name}" }
      ", with #{names.join(" and ")} redefined" if names.any?
    end

    # The text of a file.
    def source
      <<~RUBY
        # Seed #{seed}: #{operation}#{"(#{ticks})" if operation == :peach} of #{collection}#{redefined}
        module RandomPrograms::Home
        def self.make(klass, values = {})
          made = klass.allocate
          values.each do |name, value|
            member = made.is_a?(Struct) && made.members.include?(name)
            member ? made[name] = value : made.instance_variable_set(:"@\#{name}", value)
          end
          made
        end

        #{Bignums::CONSTANTS}
        #{Parameters::KEYWORDS}
        #{Enumerables::OWN_CLASSES}
        #{HeldProcs::OWN_CLASSES}
        #{Outliving::OWN_CLASSES}
        #{ValueKeys::OWN_CLASSES}
        #{Identities::OWN_CLASSES}
        #{Cycles::OWN_CLASSES}
        #{Kept::OWN_CLASSES}
        #{HeldRanges::OWN_CLASSES}
        #{classes}

        def self.world
          leaves = [
            #{leaves}
          ]
          elements = [
            #{elements}
          ]
          [elements, leaves]
        end

        def self.block(leaves, elements)
          #{captures}
          #{Operations.nested(block.to_s, seed)}
        end
        end
      RUBY
    end
  end
end

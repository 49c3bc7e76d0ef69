# frozen_string_literal: true

module RandomPrograms
  # Lists of texts that Frames fills in.
  module FramedTexts
    # Between two of them.
    ANOTHER = /^---\n/
    # Between two definitions, each with the texts that use it; some have none.
    DEFINITION = /^===\n/

    def self.list(text) = text.split(ANOTHER).map(&:chomp).freeze

    # @param uses [Array, nil] what uses those that stand alone
    def self.pairs(text, uses = nil)
      text.split(DEFINITION).map do |one|
        definition, *own = list(one)
        [definition.empty? ? nil : definition, own.empty? ? uses : own]
      end.freeze
    end
  end
end

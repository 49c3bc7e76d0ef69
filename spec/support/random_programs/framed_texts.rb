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

    # Methods of Ruby's own that call others, which raise.
    FOLDS = list(<<~'RUBY')
      m = [1, n % B == K ? nil : 2].sum
      ---
      m = [n % 5, 2, n % B == K ? nil : 2].inject(:+)
      ---
      m = (1..2).inject(n % B == K ? nil : 3, :*)
      ---
      m = [3, n % B == K ? -1 : 3].map(&:digits).size
      ---
      m = { 1 => 2, (n % B == K ? nil : 3) => 4 }.min[1]
      ---
      m = [n, 2].max_by { |x| n % B == K && x == 2 ? nil : x }.to_i % 7
      ---
      m = [[1, n % B == K ? nil : 2], [1, 3]].max[1]
    RUBY
  end
end

# frozen_string_literal: true

module Ikra
  # Where a section goes to the program's methods as the program has made them. This is a file without {OwnMethods}:
  # what Ruby calls, and the reflection of what is called, go by the refinements of the nearest Ruby code.
  module Section
    class << self
      private

      # Has the extension run the block, or compile it first.
      def compiled(base, call, block)
        how = Ikra.meanwhile == :ruby && Meanwhile.suits?(base, block) ? call.told(true, 0) : call.how
        given = Native.run(base.columns, base.form, how, Written.block(block), Ikra.chosen, Ikra.conflicts)
        Native::InTheMaking === given ? Meanwhile.new(base, call, block).run(given, &block) : given # rubocop:disable Style/CaseEquality
      end

      # Runs the block in plain Ruby.
      def sequential(collection, name, ticks, bar, block)
        $~ = LastMatch::BEFORE
        result = collection.public_send(name, &block)
        (ticks - 1).times do |tick|
          bar&.tell(tick + 1, ticks)
          collection.each(&block)
        end
        LastMatch.leave($~) # rubocop:disable Style/SpecialGlobalVars
        result
      end
    end
  end

  module Composition
    # Where the texts of chains are evaluated, which call the user's methods.
    SCOPE = binding
    private_constant :SCOPE
  end
end

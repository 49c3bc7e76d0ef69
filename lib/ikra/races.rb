# frozen_string_literal: true

module Ikra
  # What is said of two elements that are not independent.
  #
  # @api private
  module Races
    ALONE = "let every element write its own objects only, and variables that no other element reads in the same " \
            "tick;\n        a second section, or the next tick, can take the new values over"
    CHANGED = "what is changed only\n        (sums[i] += …) or written only, and read in no other way by the same " \
              "call, is no conflict"
    # A sum may be changed by all elements, where nobody looks at it.
    SUM = /\s*(?:\+|-|\*|\||&|\^)=|\s*=\s*\[.*\.(?:min|max)\b/
    ITEM_SUM = /\]#{SUM}/
    USED = "what a sum comes to in between is used here, as\n        what the block gives or by other code in it: " \
           "end the block with something else (nil, or call peach),\n        or give back what each element adds, " \
           "and put that together after the section, as with sum or join"

    # What has an order that elements make together.
    IN_ORDER = {
      Hash => "give the pair of each element back with pmap, and put the Hash together after the section, as with " \
              "to_h,\n        tally or group_by; or let every element write a Hash of its own",
      String => "give the text of each element back with pmap, and put it together after the section: parts.join; or " \
                "let\n        every element write a String of its own"
    }.freeze

    # In what a generator of random numbers holds its state: no variable that Ruby has.
    RANDOM_STATE = "#state"
    OWN_GENERATORS = "give each element a Random of its own, or call rand, shuffle and sample without one, which has " \
                     "every\n        element draw numbers of its own"

    KEPT = "ask for it once before the section, so that NAME is set when elements read it"

    # A class may define a method of this name.
    CLASS = Kernel.instance_method(:class)

    class << self
      # Called with what the extension found; a touch is [element, writes, path, line].
      #
      # @param object [Object, nil] what both touch
      # @param variable [String, Integer] its instance variable or member, the index of an array, or a local variable
      # @param holder [Array(String, String), Symbol, nil] a class and the variable in which its objects hold the array;
      #   +:variable+ for a local variable around the section
      # @return [ConflictError]
      def error(tick, object, variable, holder, *touches)
        elements = touches.map(&:first)
        accesses = touches.map { |touch| touch[1] ? :write : :read }
        lines = touches.map { |touch| touch[2, 2].join(":") }
        over = what(object, variable, holder)
        message = "#{lines.last}: elements #{elements.join(" and ")} conflict over #{over} in tick #{tick}: " \
                  "#{clauses(elements, accesses, lines)}\n  hint: #{hint(object, variable, holder, touches)}"
        object = nil if of_random?(holder)
        ConflictError.new(message, elements:, object:, variable:, accesses:, lines:)
      end

      private

      def what(object, variable, holder)
        return "the variable `#{variable}`" if holder == :variable
        return "the state of a #{holder.first}" if of_random?(holder)

        of = CLASS.bind_call(object)
        # What is known of a String is no variable of it, and its bytes are no items.
        return "the same #{of}" if object.is_a?(String)

        return "#{variable} of the same #{of}" unless variable.is_a?(Integer)

        "item #{variable} of the same #{of}#{" (in #{holder.last} of #{holder.first})" if holder}"
      end

      def hint(object, name, holder, touches)
        return OWN_GENERATORS if of_random?(holder)
        return KEPT.sub("NAME", name) if kept?(name, touches)
        return of_objects(object, touches) unless holder == :variable
        return "#{own(name)}#{USED}" if sum?(/#{Regexp.escape(name)}#{SUM}/, touches)

        "#{own(name)}for a sum write `#{name} += …`,\n        for the best `#{name} = [#{name}, …].min` (or max), " \
          "and nothing else with it"
      end

      def of_objects(object, touches)
        class_of = CLASS.bind_call(object)
        return IN_ORDER.fetch(class_of) if IN_ORDER.key?(class_of)

        sum?(ITEM_SUM, touches) ? "#{ALONE};\n        #{USED}" : "#{ALONE}; #{CHANGED}"
      end

      # Is it a value that is computed when it is asked for first, as in `@root ||= …`?
      def kept?(name, touches)
        return false unless name.is_a?(String) && name.start_with?("@")

        touches.any? do |_, writes, path, line|
          writes && FileTexts.line(path, line)&.match?(/#{Regexp.escape(name)}\s*\|\|=/)
        end
      end

      # Is it written there as a sum already?
      def sum?(pattern, touches)
        touches.any? { |_, _, path, line| FileTexts.line(path, line)&.match?(pattern) }
      end

      # Local variables alone can be an element's own.
      def own(name)
        return if name.start_with?("@", "$")

        "give what is the element's own another name, or declare it so: `|…; #{name}|`; "
      end

      def of_random?(holder) = holder.is_a?(Array) && holder.last == RANDOM_STATE

      def clauses(elements, accesses, lines)
        elements.zip(accesses, lines).map { |element, access, line| "#{element} #{access}s it (#{line})" }.join(", ")
      end
    end
  end
  private_constant :Races
end

# frozen_string_literal: true

module Ikra
  # What Ruby's own methods match is the last match (<tt>$~</tt>) of the method that calls them: that of Ikra's which
  # goes through an Enumerator such as <tt>lines.slice_after(/;/)</tt>. Left here, it is that of the user's method.
  #
  # @api private
  module LastMatch
    # What a method of Ikra's begins with: going through a collection may also end with no match.
    BEFORE = //.match("")

    # @param match [MatchData, nil] what there is behind it
    def self.leave(match)
      return if match.equal?(BEFORE)

      Native.binding_of_caller(Section::OWN)&.eval(Meanwhile::LAST_MATCH)&.last&.call(match)
    end
  end
  private_constant :LastMatch
end

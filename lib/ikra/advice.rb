# frozen_string_literal: true

module Ikra
  using OwnMethods

  # Says what Ikra does not make faster. The extension decides when (ext/ikra/src/running/advice.rs).
  #
  # @api private
  module Advice
    # So many classes are named.
    MOST_NAMED = 3

    # Called with what many calls have cost: how many they were, the seconds around their kernels and within, and the
    # classes whose objects they have read.
    def costs_more((calls, around, computed, classes), operation)
      return unless Ikra.advise?

      what = classes.empty? ? "what it is called on" : "objects of #{classes.first(MOST_NAMED).join(", ")}"
      warn_once("#{operation} has spent #{format("%.2f", around)} s in #{calls} calls on reading and writing " \
                "#{what}, and #{format("%.2f", computed)} s on computing: a loop of Ruby may be faster " \
                "(Ikra.advise = false leaves this out)\n  hint: take the loop around the calls into Ikra.section, " \
                "which reads and writes once; let the call do more; or leave the p away here")
    end

    # Called with the seconds that code took to make, and the line that most of it was for.
    def was_made_long((seconds, line), operation)
      return unless Ikra.advise?

      most = line && ", most of it for #{line}"
      kept = Ikra.cache? ? "the next process finds it" : "Ikra.cache = true keeps it for the next process"
      warn_once("#{operation} has taken #{format("%.1f", seconds)} s to compile#{most}: #{kept} " \
                "(Ikra.advise = false leaves this out; Ikra.profile tells more)")
    end
  end
  private_constant :Advice
end

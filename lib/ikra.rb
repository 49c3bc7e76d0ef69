# frozen_string_literal: true

# Parallel operations over arrays of ordinary objects: Array#peach, #pmap and #pselect.
require_relative "ikra/base"
require_relative "ikra/core_ext"

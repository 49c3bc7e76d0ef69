# frozen_string_literal: true

# Parallel operations over collections of ordinary objects: peach, pmap and pselect of whatever is Enumerable, and
# Integer#ptimes.
require_relative "ikra/base"
require_relative "ikra/core_ext"

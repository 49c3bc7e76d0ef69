# frozen_string_literal: true

# What the sky has in store: it slows cars down and leaves pedestrians alone.
module Weather
  GOOD = :good
  BAD = :bad
  ALL = [GOOD, BAD].freeze
end

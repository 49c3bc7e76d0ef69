# frozen_string_literal: true

module Ikra
  # The version of the gem, also that in Cargo.toml.
  VERSION = "0.1.0"
end

# frozen_string_literal: true

module Ikra
  VERSION = "0.1.0"
end

# frozen_string_literal: true

require "rbconfig"

# Loads the extension that was compiled for the running Ruby. One checkout, or one installed gem, can hold several.
begin
  require_relative "#{RbConfig::CONFIG["ruby_version"]}/native"
rescue LoadError => e
  message = "#{e.message}\nThe extension of Ikra is not there for Ruby #{RUBY_VERSION}, or cannot be loaded: install " \
            "the gem again with this Ruby, or run `rake compile` with it in a checkout"
  raise LoadError, message, cause: nil
end

require_relative "probe"
Ikra.const_get(:Native).probe(Ikra.const_get(:Probe).groups)

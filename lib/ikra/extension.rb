# frozen_string_literal: true

require "rbconfig"

# Loads the extension that was compiled for the running Ruby. One checkout, or one installed gem, can hold several.
native = File.join(__dir__, RbConfig::CONFIG["ruby_version"], "native")
# It finds out what the running Ruby does, in ways that `ruby -w` would warn of.
verbose = $VERBOSE
begin
  $VERBOSE &&= false
  # What other threads raise meanwhile would be taken for what this Ruby cannot do.
  Thread.handle_interrupt(Object => :never) { require native }
rescue LoadError => e
  message = "#{e.message}\nThe extension of Ikra is not there for Ruby #{RUBY_VERSION}, or cannot be loaded: run " \
            "`gem install ikra --platform ruby` with this Ruby, which builds it, or `rake compile` in a checkout"
  raise LoadError, message, cause: nil
ensure
  $VERBOSE = verbose
end

# NVIDIA's compiler runs in a process of its own, which needs nothing of Ruby but the extension.
Ikra.const_get(:Native).compile_cuda_with(
  [RbConfig.ruby, "--disable=all", "-e", "require ARGV[0]; Ikra::Native.compile_cuda(ARGV[1], ARGV[2])",
   native]
)

require_relative "probe"
Thread.handle_interrupt(Object => :never) do
  Ikra.const_get(:Native).probe(Ikra.const_get(:Probe).groups, Ikra.const_get(:Probe).hashes)
end

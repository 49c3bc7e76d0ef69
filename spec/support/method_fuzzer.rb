# frozen_string_literal: true

require "set"

# Ruby's own methods with arguments that nobody would give them: every method that docs/ruby.md says runs, on receivers
# that the section makes and on such that exist, compared with Ruby in value, class, exception and message. Calls go
# into sections in batches, as compiling takes most of the time. `rake fuzz:methods[20000,1]` runs them.
module MethodFuzzer
  BATCH = 16
end

require_relative "method_fuzzer/values"
require_relative "method_fuzzer/call"
require_relative "method_fuzzer/trial"
require_relative "method_fuzzer/campaign"

# frozen_string_literal: true

require_relative "array"

# Array gets the parallel methods as its own, so that they win over those that the gem pmap includes with threads. A
# definition that was there before is replaced, and that is said.
Ikra::ParallelMethods.instance_methods(false).each do |name|
  if Array.method_defined?(name)
    other = Array.instance_method(name)
    place = other.source_location&.join(":") || other.owner.inspect
    warn "ikra: Array##{name} was defined before (#{place}) and is replaced; " \
         "require \"ikra/refinements\" instead to keep both"
  end
  Array.define_method(name, Ikra::ParallelMethods.instance_method(name))
end

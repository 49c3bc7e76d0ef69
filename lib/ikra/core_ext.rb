# frozen_string_literal: true

require_relative "parallel_methods"

# Array has the parallel methods as its own, so that they win over those that the gem pmap includes with threads; all
# else has them of Enumerable. A definition that was there before is replaced, and that is said.
told = []
[*Ikra.const_get(:PARALLEL), [Enumerable, Ikra::ParallelMethods]].each do |owner, methods|
  methods.instance_methods(false).each do |name|
    other = owner.instance_method(name) if owner.method_defined?(name)
    if other && !told.include?([other.owner, name])
      told << [other.owner, name]
      place = other.source_location&.join(":") || other.owner.inspect
      warn "ikra: #{owner}##{name} was defined before (#{place}) and is replaced; " \
           "require \"ikra/refinements\" instead to keep both"
    end
    owner.define_method(name, methods.instance_method(name))
  end
end

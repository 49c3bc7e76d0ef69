# frozen_string_literal: true

# Everything that can be reached from some objects: which variables are set, and to which objects. Two snapshots are
# equal if nothing has changed at all, not even one object for an equal one.
module DeepSnapshot
  def deep_snapshot(*objects)
    seen = {}.compare_by_identity
    work = objects
    until work.empty?
      object = work.pop
      next if seen.key?(object)

      inside = parts(object)
      seen[object] = inside.transform_values(&:__id__)
      work.concat(inside.values)
    end
    seen.transform_keys(&:__id__)
  end

  private

  def parts(object)
    inside = object.instance_variables.to_h { |name| [name, object.instance_variable_get(name)] }
    inside = inside.merge(object.to_h) if object.is_a?(Struct)
    object.each_with_index { |item, index| inside[index] = item } if object.is_a?(Array)
    inside
  end
end

RSpec.configure { |config| config.include DeepSnapshot }

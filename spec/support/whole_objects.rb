# frozen_string_literal: true

require "set"

# All that can be seen of some objects, as a value: classes, variables in their order, what is frozen, and which object
# stands where. It goes through them in breadth, so that a long list is no deep recursion.
module WholeObjects
  def self.of(root)
    numbers = {}.compare_by_identity
    work = []
    mark = lambda do |value|
      case value
      when Float then value.nan? ? :nan : [value].pack("G")
      when Integer, Symbol, nil, true, false, Module then value
      else
        work << value unless numbers.key?(value)
        [:object, numbers[value] ||= numbers.size]
      end
    end
    all = [mark.call(root)]
    while (value = work.shift)
      all << [value.class, value.frozen?, parts(value).map { |name, part| [name, mark.call(part)] }]
    end
    all
  end

  def self.parts(value)
    items = case value
            when Array, Set then value.to_a
            when Hash then [value.default, *value.to_a.flatten(1)]
            when String then [value.encoding, value.b.to_sym]
            else []
            end
    items = items.each_with_index.map { |item, i| [i, item] }
    members = value.respond_to?(:members) ? value.members.map { |name| [name, value.public_send(name)] } : []
    items + members + value.instance_variables.map { |name| [name, value.instance_variable_get(name)] }
  end

  # Runs the block over the base with Ruby's own `map` and with `pmap`, and compares all that can be seen of what they
  # give.
  def expect_same_objects(base = [1, 2, 3], &block)
    expected = base.map(&block)
    actual = base.pmap(&block)
    expect(WholeObjects.of(actual)).to eq(WholeObjects.of(expected))
    actual
  end

  # The same of a program, which makes what it works on.
  def expect_same_objects_of
    chosen = Ikra.chosen
    Ikra.backend = :ruby
    expected = yield
    Ikra.backend = chosen
    expect(WholeObjects.of(yield)).to eq(WholeObjects.of(expected))
  ensure
    Ikra.backend = chosen
  end
end

RSpec.configure { |config| config.include WholeObjects }

# frozen_string_literal: true

# Where the objects of a class have a variable is found once and then looked at directly. Random classes, whose objects
# set random variables in random orders, say that this reads and writes what Ruby itself does.
RSpec.describe "Instance variables" do
  random = Random.new(7)

  # Objects of a new class: some of its variables, set in another order by each, some removed again, some objects with
  # a singleton class, some copies.
  define_method(:objects_of_a_new_class) do
    parent = random.rand(3).zero? ? Class.new { def initialize = @first = 1 } : Object
    type = Class.new(parent)
    names = Array.new(random.rand(1..12)) { |i| :"@v#{i}" }
    Array.new(40) do |i|
      object = type.new
      names.sample(random.rand(0..names.size), random:).each { |name| object.instance_variable_set(name, value(i)) }
      object.singleton_class if random.rand(20).zero?
      gone = object.instance_variables.sample(random:)
      object.remove_instance_variable(gone) if gone && random.rand(10).zero?
      random.rand(10).zero? ? object.dup : object
    end
  end

  define_method(:value) do |i|
    [i, i + 0.5, nil, true, :symbol, -(2**62) - i, 1e300 * i, "text", [i]].sample(random:)
  end

  def plain(objects, name)
    objects.map { |object| object.instance_variable_get(name) }
  end

  def all_but(name, objects)
    objects.map { |object| (object.instance_variables - [name]).to_h { |v| [v, object.instance_variable_get(v)] } }
  end

  it "are read as Ruby reads them, in thousands of random classes" do
    3_000.times do
      objects = objects_of_a_new_class
      name = :"@v#{random.rand(12)}"
      expect(Ikra.const_get(:Native).read_variable(objects, name)).to match_array_identically(plain(objects, name))
    end
  end

  it "are written as Ruby writes them, in thousands of random classes" do
    3_000.times do
      objects = objects_of_a_new_class
      name = :"@v#{random.rand(14)}"
      values = Array.new(objects.size) { |i| value(i) }
      others = all_but(name, objects)
      Ikra.const_get(:Native).write_variable(objects, name, values)
      expect(plain(objects, name)).to match_array_identically(values)
      expect(all_but(name, objects)).to eq(others)
      GC.start if random.rand(100).zero?
    end
  end

  it "of Structs are read and written as Ruby does it, in Structs of one to eight members" do
    500.times do
      members = Array.new(random.rand(1..8)) { |i| :"m#{i}" }
      type = Struct.new(*members)
      objects = Array.new(40) { |i| type.new(*Array.new(random.rand(0..members.size)) { value(i) }) }
      objects.map! { |object| random.rand(10).zero? ? object.dup : object }
      name = members.sample(random:)
      native = Ikra.const_get(:Native)
      expect(native.read_variable(objects, name)).to match_array_identically(objects.map { |object| object[name] })
      others = objects.map { |object| object.to_h.except(name) }
      values = Array.new(objects.size) { |i| value(i) }
      native.write_variable(objects, name, values)
      GC.start if random.rand(100).zero?
      expect(native.read_variable(objects, name)).to match_array_identically(values)
      expect(objects.map { |object| object[name] }).to match_array_identically(values)
      expect(objects.map { |object| object.to_h.except(name) }).to eq(others)
    end
  end

  RSpec::Matchers.define :match_array_identically do |expected|
    match { |actual| actual.size == expected.size && actual.zip(expected).all? { |a, b| a.equal?(b) } }
  end
end

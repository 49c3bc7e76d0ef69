# frozen_string_literal: true

# Where the objects of a shape have a variable is found once and then looked at directly. Random classes, whose objects
# set random variables in random orders, say that this reads and writes what Ruby itself does.
RSpec.describe "Instance variables" do
  random = Random.new(7)
  native = Ikra.const_get(:Native)
  # What makes objects whose variables Ruby does not keep with them: each gives what makes objects of one new class.
  generic = [
    *[String, Array, Hash, StandardError].map { |parent| -> { Class.new(parent).method(:new) } },
    *[Class, Module, Mutex].map { |type| -> { type.method(:new) } },
    -> { Struct.new(:a, :b).method(:new) }, -> { -> { proc {} } }
  ]

  # Objects of a new class: some of its variables, set in one of a few orders (or in another by each, until Ruby keeps
  # them in hash tables), some removed again, some with a singleton class or an id, some copies.
  define_method(:objects_of_a_new_class) do
    parent = random.rand(3).zero? ? Class.new { def initialize = @first = 1 } : Object
    type = Class.new(parent)
    names = Array.new(random.rand(1..12)) { |i| :"@v#{i}" }
    orders = Array.new([1, 2, 4, 40].sample(random:)) { names.shuffle(random:) }
    fill(Array.new(40) { type.new }, orders)
  end

  # The same of a class whose objects are not plain.
  define_method(:objects_of_a_generic_class) do
    make = generic.sample(random:).call
    names = Array.new(6) { |i| :"@v#{i}" }
    fill(Array.new(40) { make.call }, Array.new(3) { names.shuffle(random:) })
  end

  define_method(:fill) do |objects, orders|
    objects.each_with_index.map do |object, i|
      next object if object.frozen?

      object.object_id if random.rand(20).zero?
      orders.sample(random:).first(random.rand(0..12)).each { |name| object.instance_variable_set(name, value(i)) }
      befall(object)
    end
  end

  define_method(:befall) do |object|
    object.object_id if random.rand(20).zero?
    object.singleton_class if random.rand(20).zero?
    gone = object.instance_variables.sample(random:)
    object.remove_instance_variable(gone) if gone && random.rand(10).zero?
    random.rand(10).zero? ? object.dup : object
  end

  define_method(:value) do |i|
    [i, i + 0.5, nil, true, :symbol, -(2**62) - i, 1e300 * i, "text", [i]].sample(random:)
  end

  define_method(:collect_now_and_then) do
    GC.start if random.rand(100).zero?
    GC.compact if random.rand(300).zero? && GC.respond_to?(:compact)
  end

  def plain(objects, name)
    objects.map { |object| object.instance_variable_get(name) }
  end

  def all_but(name, objects)
    objects.map { |object| (object.instance_variables - [name]).to_h { |v| [v, object.instance_variable_get(v)] } }
  end

  define_method(:expect_read) do |objects|
    name = :"@v#{random.rand(12)}"
    collect_now_and_then
    expect(native.read_variable(objects, name)).to match_array_identically(plain(objects, name))
  end

  define_method(:expect_written) do |objects|
    objects = objects.reject(&:frozen?)
    name = :"@v#{random.rand(14)}"
    values = Array.new(objects.size) { |i| value(i) }
    others = all_but(name, objects)
    native.write_variable(objects, name, values)
    expect(plain(objects, name)).to match_array_identically(values)
    expect(native.read_variable(objects, name)).to match_array_identically(values)
    expect(all_but(name, objects)).to eq(others)
    collect_now_and_then
  end

  it "are read as Ruby reads them, in thousands of random classes" do
    3_000.times do
      objects = objects_of_a_new_class
      objects.each { |object| object.freeze if random.rand(10).zero? }
      expect_read(objects)
    end
  end

  it "are written as Ruby writes them, in thousands of random classes" do
    3_000.times { expect_written(objects_of_a_new_class) }
  end

  it "of objects that are not plain are read and written as Ruby does it" do
    300.times do
      objects = objects_of_a_generic_class
      expect_read(objects)
      expect_written(objects)
    end
  end

  it "are read and written where they are after the objects moved" do
    50.times do
      objects = objects_of_a_new_class
      expect_read(objects)
      GC.compact
      expect_read(objects)
      expect_written(objects)
    end
  end

  it "are found in plain objects, embedded and not" do
    first, second = Array.new(2) { Class.new }.map(&:new)
    names = Array.new(12) { |i| :"@v#{i}" }
    names.each { |name| first.instance_variable_set(name, name) }
    second.instance_variable_set(:@v0, 1)
    expect(native.slot_of_variable(first, :@v7)).to eq("external")
    expect(native.slot_of_variable(second, :@v0)).to eq("embedded")
    %i[freeze object_id singleton_class dup].each do |change|
      other = first.dup
      object = change == :dup ? other : other.tap(&change)
      expect(native.slot_of_variable(object, :@v7)).not_to be_nil
    end
    late = second.class.new.tap(&:object_id)
    late.instance_variable_set(:@v0, 1)
    expect(native.slot_of_variable(late, :@v0)).to eq("embedded")
  end

  it "are found although the id of the object stands between them and equals one" do
    objects = Array.new(40) { Class.new }.map(&:new)
    objects.each do |object|
      object.instance_variable_set(:@v0, 1)
      object.instance_variable_set(:@v1, object.object_id)
      object.instance_variable_set(:@v2, object.object_id)
      %i[@v0 @v1 @v2].each { |name| expect_all_to_be_read([object] * 20, name) }
    end
  end

  it "of Structs are read and written as Ruby does it, in Structs of one to a hundred members" do
    500.times do
      members = Array.new(random.rand(10).zero? ? 100 : random.rand(1..8)) { |i| :"m#{i}" }
      type = Struct.new(*members)
      objects = Array.new(40) { |i| type.new(*Array.new(random.rand(0..members.size)) { value(i) }) }
      objects.map! { |object| random.rand(10).zero? ? object.dup : object }
      objects.sample(3, random:).each { |object| object.instance_variable_set(:@v, object.object_id) }
      name = members.sample(random:)
      expect(native.read_variable(objects, name)).to match_array_identically(objects.map { |object| object[name] })
      others = objects.map { |object| object.to_h.except(name) }
      values = Array.new(objects.size) { |i| value(i) }
      native.write_variable(objects, name, values)
      collect_now_and_then
      expect(native.read_variable(objects, name)).to match_array_identically(values)
      expect(objects.map { |object| object[name] }).to match_array_identically(values)
      expect(objects.map { |object| object.to_h.except(name) }).to eq(others)
    end
  end

  def expect_all_to_be_read(objects, name)
    expect(Ikra.const_get(:Native).read_variable(objects, name)).to match_array_identically(plain(objects, name))
  end

  RSpec::Matchers.define :match_array_identically do |expected|
    match { |actual| actual.size == expected.size && actual.zip(expected).all? { |a, b| a.equal?(b) } }
  end
end

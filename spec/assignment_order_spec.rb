# frozen_string_literal: true

require "tempfile"

# In which order `@a, @b = 1, 2` gives an object its variables hangs, in some Rubies, on whether its value is used.
module AssignmentOrder
  FORMS = <<~RUBY.split("---\n").freeze
    @a, @b = 1, 2
    nil
    ---
    @a, @b = 1, 2
    ---
    @a, @b = [1, 2]
    nil
    ---
    @a, @b, @c = 1, 2
    nil
    ---
    @a, y, @b = 1, 2, 3
    nil
    ---
    @a, self.z, @b = 1, 2, 3
    nil
    ---
    @a, *@b = 1, 2
    nil
    ---
    @a, (@b, @c) = 1, [2, 3]
    nil
    ---
    y = [1, 2]
    @a, @b = *y
    nil
    ---
    @a, @b, @a = 1, 2, 3
    nil
    ---
    if x
    @a, @b = 1, 2
    end
    nil
    ---
    (@a, @b = 1, 2) unless !x
    nil
    ---
    x ? (@a, @b = 1, 2) : nil
    nil
    ---
    x && (@a, @b = 1, 2)
    nil
    ---
    !x or (@a, @b = 1, 2)
    nil
    ---
    x and (@a, @b = 1, 2)
    ---
    !(@a, @b = 1, 2)
    nil
    ---
    case x
    when true then @a, @b = 1, 2
    end
    nil
    ---
    case x
    when true then @a, @b = 1, 2
    end
    ---
    case x
    when false then 1
    else @a, @b = 1, 2
    end
    nil
    ---
    case x
    in true then @a, @b = 1, 2
    end
    nil
    ---
    begin
    @a, @b = 1, 2
    rescue
    1
    end
    nil
    ---
    begin
    raise
    rescue
    @a, @b = 1, 2
    end
    nil
    ---
    begin
    1
    ensure
    @a, @b = 1, 2
    end
    ---
    begin
    @a, @b = 1, 2
    ensure
    1
    end
    nil
    ---
    begin
    1
    @a, @b = 1, 2
    end
    nil
    ---
    while x
    x = false
    @a, @b = 1, 2
    end
    ---
    begin
    x = false
    @a, @b = 1, 2
    end while x
    ---
    until !x
    x = false
    @a, @b = 1, 2
    end
    nil
    ---
    for j in [1] do @a, @b = 1, j end
    nil
    ---
    [1].each { @a, @b = 1, 2 }
    nil
  RUBY

  # @return [Array<Class>] one for each form, in a file that is there to be read
  def self.classes(path)
    made = Module.new
    const_set(:"Made#{made.object_id}", made)
    text = FORMS.map.with_index do |form, i|
      "class #{made}::C#{i}\nattr_writer :z\ndef initialize(x)\n#{form}\nend\nend\n"
    end
    File.write(path, text.join)
    load(path)
    FORMS.each_index.map { |i| made.const_get(:"C#{i}") }
  end
end

RSpec.describe "What several variables are assigned at once" do
  around do |example|
    Tempfile.create(["assignment_order", ".rb"]) do |file|
      @path = file.path
      verbose = $VERBOSE
      $VERBOSE = nil
      example.run
    ensure
      $VERBOSE = verbose
    end
  end

  it "comes in Ruby's order" do
    here, there = Array.new(2) { AssignmentOrder.classes(@path) }
    expected = here.map { |klass| klass.new(true).instance_variables }
    given = there.map { |klass| [true].pmap { |x| klass.new(x) }.first.instance_variables }
    expect(AssignmentOrder::FORMS.zip(given)).to eq(AssignmentOrder::FORMS.zip(expected))
  end
end

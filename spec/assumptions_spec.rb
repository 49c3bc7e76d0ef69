# frozen_string_literal: true

require "timeout"

# Classes whose methods of reflection are the user's.
module Hostile
  # Who was asked for what.
  CALLS = [] # rubocop:disable Style/MutableConstant
  OF_MODULES = (Module.public_instance_methods + Module.private_instance_methods(false) -
                %i[__send__ __id__ initialize method_added const_added inherited include attr_accessor attr_reader
                   define_singleton_method singleton_method_added private public method_missing
                   initialize_copy initialize_dup initialize_clone new allocate class_eval]).uniq
  OF_OBJECTS = (Object.public_instance_methods - %i[__send__ __id__ object_id extend] + %i[respond_to_missing?]).uniq

  def self.overriding(methods)
    Module.new do
      methods.each do |name|
        define_method(name) do |*|
          CALLS << name
          Kernel.raise NotImplementedError, "#{name} was called"
        end
      end
    end
  end

  # The overriding is switched on once the classes are there.
  def self.arm(*classes)
    [*classes].each do |klass|
      of_modules = overriding(OF_MODULES)
      of_objects = overriding(OF_OBJECTS - [:initialize])
      Class.instance_method(:prepend).bind_call(klass, of_objects)
      Object.instance_method(:singleton_class).bind_call(klass).prepend(of_modules)
    end
  end

  class Base
    attr_accessor :value

    def initialize(value) = @value = value
    def double = @value * 2
    def scaled(by) = @value * by * LIMIT
    def self.unit = 3
    LIMIT = 10
  end

  class Special < Base
    def double = super + class_unit
    def class_unit = Base.unit
  end

  Pair = Struct.new(:left, :right)
  Named = Struct.new(:left, :right, keyword_init: true)

  module Shelf
    HEIGHT = 5
  end

  objects = [Base.new(1), Special.new(2), Base.new(3)]
  OBJECTS = objects
  PAIRS = [Pair.new(1, 2), Pair.new(3, 4)].freeze
  arm(Base, Special, Pair, Named)
  Object.instance_method(:singleton_class).bind_call(Shelf).prepend(overriding(OF_MODULES))

  # A block with methods of its own.
  class Callable < Proc
    (Proc.public_instance_methods - %i[__send__ __id__ object_id]).each do |name|
      define_method(name) do |*|
        CALLS << name
        raise NotImplementedError
      end
    end
  end

  # An array with methods of its own, but for those of which a parallel one is called.
  class List < Array
    (Array.public_instance_methods - %i[__send__ __id__ object_id peach pmap pselect push << map select]).each do |name|
      define_method(name) do |*|
        CALLS << name
        raise NotImplementedError
      end
    end
  end
end

# What a compiled section takes for granted (these methods are these methods, this class has this ancestor) is looked at
# again at each call, by Ruby's own means: no code of the user runs for that, and whatever changes is noticed.
each_compiling_backend do |backend|
  before { Hostile::CALLS.clear }

  describe "reflection" do
    after { expect(Hostile::CALLS).to eq([]) }

    it "runs no code of the user's classes" do
      3.times do
        expect(Hostile::OBJECTS.pmap { |o| o.double }).to eq([2, 7, 6])
        expect(Hostile::OBJECTS.pmap { |o| o.scaled(2) }).to eq([20, 40, 60])
        Hostile::OBJECTS.peach { |o| o.value += 0 }
        expect(Hostile::OBJECTS.pselect { |o| o.value > 2 }.size).to eq(1)
      end
    end

    it "runs none of Structs" do
      expect(Hostile::PAIRS.pmap { |pair| pair.left + pair.right }).to eq([3, 7])
      expect([1].pmap { |n| Hostile::Pair.new(n, 2).right + Hostile::Named.new(left: n, right: 3).right }).to eq([5])
    end

    it "runs none of modules, for their constants" do
      2.times { expect([1, 2].pmap { |n| n + Hostile::Shelf::HEIGHT + Hostile::Base::LIMIT }).to eq([16, 17]) }
      expect { [1].pmap { |n| n + Hostile::Shelf::NOWHERE } }
        .to raise_error(Ikra::UnsupportedError, /uninitialized-constant/)
    end

    it "runs none of blocks and arrays" do
      by = 2
      block = Hostile::Callable.new { |n| n + by }
      2.times { expect([1, 2].pmap(&block)).to eq([3, 4]) }
      list = Hostile::List.new
      list.push(1, 2, 3)
      2.times { expect(list.pselect { |n| n.odd? }).to eq([1, 3]) }
      2.times { expect(list.pmap { |n| n * 2 }).to eq([2, 4, 6]) }
    end

    it "runs none of lambdas that are captured" do
      lamb = ->(n) { n + 1 }
      %i[binding lambda? parameters inspect source_location hash ==].each do |name|
        lamb.define_singleton_method(name) { |*| Hostile::CALLS << name }
      end
      expect([1].pmap { |n| lamb.call(n) }).to eq([2])
    end

    it "runs none for the message of a missing method, but what Ruby runs" do
      section = proc { |o| o.nothing_like_that }
      # Without what did_you_mean adds.
      message = Exception.instance_method(:to_s)
      in_ruby = message.bind_call(raised { Hostile::OBJECTS.map(&section) })
      calls = Hostile::CALLS.uniq
      Hostile::CALLS.clear
      error = raised { Hostile::OBJECTS.pmap(&section) }
      expect(error).to be_a(NoMethodError)
      expect(error.name).to eq(:nothing_like_that)
      expect(message.bind_call(error)).to eq(in_ruby)
      Hostile::CALLS.reject! { |name| calls.include?(name) }
    end
  end

  # One class for each example, whose section is compiled and then called again after each change.
  describe "a change" do
    let(:parent) do
      Class.new do
        def self.name = "Parent"
        def go = 1
        def up = 10
        def self.made = 100
      end
    end
    let(:child) do
      Class.new(parent) do
        def up = super + 1
      end
    end
    let(:extra) do
      Module.new do
        def go = 2
        def up = super + 1000
      end
    end

    # Calls the section before and after the change, which is done by a text that is kept, so that it compiles.
    def expect_noticed(object, section, change = nil, &by)
      expect_same([object], &section)
      expect_same([object], &section)
      before = outcome { [object].map(&section) }
      change ? define(*change) : by.call
      expect(outcome { [object].map(&section) }).not_to eq(before)
      expect_same([object], &section)
      expect_same([object], &section)
    end

    def define(klass, text)
      kept = RubyVM.keep_script_lines
      RubyVM.keep_script_lines = true
      verbose = $VERBOSE
      $VERBOSE = nil
      klass.class_eval(text, "defined", 1)
    ensure
      $VERBOSE = verbose
      RubyVM.keep_script_lines = kept
    end

    going = proc { |object| object.go }
    upping = proc { |object| object.up }

    it "of the method is noticed" do
      expect_noticed(child.new, going, [parent, "def go = 5"])
    end

    it "of the method below, or above in super, is noticed" do
      expect_noticed(child.new, going, [child, "def go = 6"])
      expect_noticed(child.new, upping, [parent, "def up = 7"])
    end

    it "by a module is noticed, wherever it comes in" do
      define(extra, "def go = 2")
      define(extra, "def up = super + 1000")
      expect_noticed(child.new, going) { child.include(extra) }
      expect_noticed(child.new, going, [extra, "def go = 3"])
      again = Module.new
      define(again, "def up = super + 1000")
      expect_noticed(child.new, upping) { parent.prepend(again) }
    end

    it "that puts a module twice among the ancestors is refused where super cannot tell where it is" do
      define(extra, "def up = super + 1000")
      child.include(extra)
      define(child, "def up = super + 1")
      expect_same([child.new], &upping)
      parent.prepend(extra)
      expect { [child.new].pmap(&upping) }.to raise_error(Ikra::UnsupportedError, /stands twice.*repeated-module/)
    end

    it "that takes a method away is noticed" do
      expect_noticed(child.new, upping) { child.remove_method(:up) }
      expect_noticed(child.new, going) { child.undef_method(:go) }
    end

    it "of who may call it is noticed" do
      expect_noticed(child.new, going) { parent.send(:private, :go) }
      expect_noticed(child.new, going) { parent.send(:public, :go) }
      expect_noticed(child.new, upping) { child.send(:protected, :up) }
    end

    it "of what is missing is noticed" do
      lost = proc { |object| object.lost }
      expect_noticed(child.new, lost, [parent, "def lost = 1"])
      expect_noticed(child.new, lost) { parent.remove_method(:lost) }
      object = child.new
      expect(raised { [object].pmap(&lost) }).to be_a(NoMethodError)
      define(parent, "def method_missing(name) = name")
      expect(raised { [object].pmap(&lost) }).to be_a(Ikra::UnsupportedError)
    end

    it "of a method of the class itself is noticed" do
      klass = parent
      made = proc { klass.made }
      expect_noticed(1, made, [parent.singleton_class, "def made = 5"])
      define(extra, "def made = 9")
      expect_noticed(1, made) { klass.singleton_class.prepend(extra) }
    end

    it "by alias_method is noticed" do
      expect_noticed(child.new, going) { child.alias_method(:go, :up) }
    end

    it "of the ancestors is noticed" do
      comparing = proc { |object| object.is_a?(Comparable) }
      expect_noticed(child.new, comparing) { parent.include(Comparable) }
    end

    it "of what is Ruby's own is noticed" do
      name = :"only_here_#{backend.to_s.tr("-", "_")}"
      asking = eval("proc { |n| n.#{name} }", binding, "asking", 1) if RubyVM.keep_script_lines = true # rubocop:disable all
      expect_noticed(1, asking, [Kernel, "def #{name} = 4"])
      expect_noticed(1, asking, [Comparable, "def #{name} = 5"])
      expect_noticed(1, asking, [Integer, "def #{name} = 6"])
    ensure
      RubyVM.keep_script_lines = false
      [Kernel, Comparable, Integer].each { |owner| owner.remove_method(name) if owner.method_defined?(name, false) }
    end

    it "is noticed while another Ractor runs" do
      verbose = $VERBOSE
      $VERBOSE = nil
      ractor = Ractor.new { Ractor.receive }
      $VERBOSE = verbose
      expect_noticed(child.new, going, [parent, "def go = 5"])
    ensure
      ractor.send(1)
      ractor.respond_to?(:value) ? ractor.value : ractor.take
    end

    it "of something else is not taken for one" do
      object = child.new
      expect_same([object], &going)
      phases = lambda do
        profile = Ikra.profile { [object].pmap(&going) }
        profile[:infer]
      end
      expect(phases.call).to eq(0)
      define(parent, (0..40).map { |i| "def other#{i} = #{i}" }.join("; "))
      define(Kernel, "def only_here_other = 1")
      expect(phases.call).to eq(0)
      Kernel.remove_method(:only_here_other)
    end
  end

  def raised
    yield
    nil
  rescue StandardError => e
    e
  end
end

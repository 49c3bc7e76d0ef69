# frozen_string_literal: true

module Ikra
  # Has Ikra's own Ruby mean the methods that Ruby's core had when Ikra was loaded, whatever the program makes of
  # +Array#each+ or <tt>Hash#[]</tt> later. A file that says <tt>using OwnMethods</tt> means those.
  #
  # The refinements are empty, and so cost nothing, until {look} finds that a method is another one by now: then it gets
  # Ruby's own in its refinement. (To refine all of them at once would take Ruby's fast paths from the whole program.)
  # What the elements and the collections of the user are asked stays out of such files, as that is to be what the
  # program has made of it.
  #
  # @api private
  module OwnMethods
    # Classes alone: Ruby 3.4 crashes where a method of a module is defined again that has an empty refinement.
    REFINED = [
      BasicObject, Object, Module, Class, NilClass, Integer, Float, String, Symbol, Array, Hash, Range, Struct, Regexp,
      MatchData, Proc, Time, Thread
    ].freeze
    METHOD = Module.instance_method(:instance_method)
    DEFINE = Module.instance_method(:define_method)
    EACH = Array.instance_method(:each)
    private_constant :REFINED, :METHOD, :DEFINE, :EACH

    # A method as it was, and whether its refinement has it.
    Known = Struct.new(:core, :refinement, :name, :body, :refined)
    private_constant :Known

    @known = REFINED.flat_map do |core|
      refinement = refine(core) { nil }
      core.instance_methods(false).map { |name| Known.new(core, refinement, name, core.instance_method(name)) }
    end
    # A class may be given a `new` of all classes.
    refine(Object.singleton_class) { nil }.then do |refinement|
      made = Object.singleton_class
      @known << Known.new(made, refinement, :new, made.instance_method(:new))
    end

    # Enumerable's methods in C ask the `each` of what they are called on, and <tt>Hash#[]</tt> asks `default`. Where
    # these are others, they are called on something with Ruby's own.
    class Through
      include Enumerable

      def initialize(collection, each)
        @collection = collection
        @each = each
      end

      def each(&) = @each.bind_call(@collection, &)
    end
    private_constant :Through

    NEW = Class.instance_method(:new)
    DEFAULT = Hash.instance_method(:default)
    HAS = Hash.instance_method(:key?)
    FETCH = Hash.instance_method(:fetch)
    ITEM = proc { |key| HAS.bind_call(self, key) ? FETCH.bind_call(self, key) : DEFAULT.bind_call(self, key) }
    OF_ENUMERABLE = [Array, Hash, Range, Struct].to_h do |core|
      names = Enumerable.instance_methods(false).select { |name| core.instance_method(name).owner == Enumerable }
      [core, names.map { |name| [name, Enumerable.instance_method(name)] }]
    end.compare_by_identity
    private_constant :NEW, :DEFAULT, :HAS, :FETCH, :ITEM, :OF_ENUMERABLE

    class << self
      # Looks for methods that have become others. Called where code is made, which takes ten times as long.
      #
      # @param section [Integer] the number of the section that it is made for: one looks once
      def look(section)
        return if section.equal?(@looked)

        @looked = section
        EACH.bind_call(@known) do |known|
          refine_again(known) unless known.refined || same?(known)
        end
      end

      # Has classes of Ikra's make their objects by Ruby's own `new`, before anything is looked for.
      def keep_new(*classes) = classes.each { |type| type.define_singleton_method(:new, NEW) }

      private

      # Nothing is allocated for what is Ruby's own, as most is.
      def same?(known)
        return true if Native.basic_in?(known.core, known.name)

        METHOD.bind_call(known.core, known.name) == known.body
      rescue NameError
        # It was removed.
        false
      end

      def refine_again(known)
        known.refined = true
        core = known.core
        refinement = known.refinement
        name = known.name
        DEFINE.bind_call(refinement, name, known.body)
        DEFINE.bind_call(refinement, :[], &ITEM) if Hash.equal?(core) && (name.equal?(:default) || name.equal?(:[]))
        go_through(core, refinement, known.body) if name.equal?(:each)
      end

      def go_through(core, refinement, each)
        return unless HAS.bind_call(OF_ENUMERABLE, core)

        EACH.bind_call(FETCH.bind_call(OF_ENUMERABLE, core)) do |known|
          name, method = known
          make = NEW
          DEFINE.bind_call(refinement, name) do |*arguments, &block|
            method.bind_call(make.bind_call(Through, self, each), *arguments, &block)
          end
        end
      end
    end
  end
  private_constant :OwnMethods
end

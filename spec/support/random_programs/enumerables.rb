# frozen_string_literal: true

module RandomPrograms
  # Going through arrays, and objects that have an `each` of their own.
  module Enumerables
    # An exception with variables of its own, and classes that include Enumerable over an array.
    OWN_CLASSES = <<~RUBY
      class CodedError < StandardError
        attr_reader :code, :more

        def initialize(code, more = 7)
          @code = code
          super("coded \#{code.inspect}")
          @more = more
        end
      end

      class TaggedError < StandardError
        def self.exception(message = nil) = new("tagged \#{message}")
      end

      class Texty
        def initialize(value) = @value = value
        def to_str = "(\#{@value})"
        def to_s = "a text"
      end

      class Pairs
        def initialize(*items) = @items = items
        def to_ary = @items
        def to_s = "a list"
      end

      class Bag
        include Enumerable
        def initialize(items) = @items = items
        def each(&) = @items.each(&)
      end

      class Shelf
        include Enumerable
        def initialize(items) = @items = items

        def each
          return to_enum(__method__) unless block_given?

          i = 0
          while i < @items.size
            yield @items[i]
            i += 1
          end
          self
        end
      end
    RUBY

    # An array or range, or an object that goes through it.
    def enumerable(source)
      chance(0.07) ? Node.fixed(pick(%w[Bag Shelf]), ".new(", source, ".to_a)") : source
    end

    # So many of the smallest or largest.
    def list_of_least(source, name, of, depth)
      n = list_size(depth)
      if of == [:int] && chance(0.4)
        return e(enumerable(source), pick(%w[.min .max]), "(", n, ")", pick(["", " { |a, b| b <=> a }"]))
      end

      block = list_block({ name => of }, pick([[:int], [:float]]), depth)
      block && e(enumerable(source), pick(%w[.min_by .max_by]), "(", n, ")", block)
    end

    # What runs of items give, that end where two neighbours, or an item, say so.
    def list_of_runs(source, of, items, depth)
      names = [fresh("i"), fresh("i")]
      call = pick(%w[chunk_while slice_when slice_before slice_after])
      names.pop if %w[slice_before slice_after].include?(call)
      test = list_block(names.to_h { |name| [name, of] }, [:bool], depth) or return
      run = fresh("i")
      value = list_block({ run => ArrayType.new(of) }, items, depth)
      value && e(enumerable(source), ".#{call}", test, ".map", value)
    end

    # Arrays of fixed length that Ruby's own methods make, which change.
    def list_of_changed(source, (pair, all), of, items)
      return unless of == [:int] && items.include?(:int)

      change = pick(["#{pair} << 3", "#{pair}.push(2, 1)", "#{pair}.unshift(2)", "#{pair}[0] = 4"])
      made = pick(%w[.each_slice(2) .each_cons(2) .combination(2) .each_with_index .zip([1]) .minmax.each_slice(1)])
      used = pick([".map { |#{pair}| (#{change}); #{pair}.compact.sum }",
                   ".each_with_object([]) { |#{pair}, #{all}| #{change}; #{all} << #{pair}.size }",
                   ".to_a.tap { |#{all}| #{all}[0]&.push(5) }.map(&:size)",
                   ".select { |#{pair}| #{change} }.map(&:size)"])
      e(enumerable(source), made, used)
    end

    # While code goes through an array, it does not change it.
    def through(text, &)
      name = text.to_s
      root = scope.variables.find { |v| v.name == name }&.root
      kept(scope.variables.select { |v| v.list? && v.root == root }, &)
    end

    # The same, in a loop with names for the items.
    def going_through(text, names)
      through(text) do
        in_loop do
          names.each { |name, types| scope.declare(name, types, writable: false) }
          yield
        end
      end
    end

    def kept(variables)
      variables = variables.select(&:writable)
      variables.each { |v| v.writable = false }
      yield
    ensure
      variables.each { |v| v.writable = true }
    end
  end
end

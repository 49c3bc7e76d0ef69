# frozen_string_literal: true

module Ikra
  # Objects whose variables and members lie in all the ways that Ruby has for them. When the extension is loaded it
  # compares with these where it believes that they are. Each group is of one class, and large enough for places to be
  # looked for in it.
  #
  # @api private
  module Probe
    NAMES = %i[@a @b @c @d @e @f @g @h @i @j @k @l].freeze
    # What can befall an object that has its variables; each gives the object.
    CHANGES = [
      ->(object) { object.tap { object.remove_instance_variable(:@b) } },
      ->(object) { object.tap { object.object_id && object.instance_variable_set(:@z, 1) } },
      ->(object) { object.tap(&:object_id) },
      ->(object) { object.tap(&:singleton_class) },
      :freeze.to_proc, :dup.to_proc
    ].freeze
    # What can befall a Hash; each gives one.
    HASH_CHANGES = [
      ->(hash) { hash.tap { hash.delete(0) } },
      ->(hash) { hash.tap { hash.delete(hash.size / 2) } },
      ->(hash) { hash.tap { hash.delete(hash.size - 1) } },
      ->(hash) { hash.tap { 3.times { |i| hash.delete(i) && hash[i * 1000] = i } } },
      ->(hash) { hash.tap { hash.clear[5] = 6 } },
      ->(hash) { hash.tap { hash.delete_if { |key,| key > 2 } } },
      ->(hash) { hash.tap { hash.default = 5 } },
      ->(hash) { hash.tap { hash.default_proc = ->(_, key) { key } } },
      ->(hash) { hash.tap { hash.default_proc = ->(_, key) { key } }.tap { hash.default = nil } },
      ->(hash) { hash.transform_keys(&:to_s).compare_by_identity },
      ->(hash) { hash.compare_by_identity.dup },
      ->(hash) { hash.to_h { |key, value| [key.to_s, [value]] } },
      ->(hash) { hash.tap(&:object_id).tap(&:rehash) },
      ->(hash) { hash.to_a.reverse.to_h }, :freeze.to_proc, :dup.to_proc
    ].freeze
    MEMBERS = [1, 3, 4, 20, 100].freeze

    class << self
      # @return [Array<Array>] pairs: objects of one class, and their variables or the positions of their members
      def groups
        [grown, ordered, complex, *changed].map { |objects| [objects, NAMES] } + records
      end

      # @return [Array<Hash>] with pairs in all the ways that Ruby has for them; the first compares by identity
      def hashes
        made = [0, 1, 8, 9, 20].product([:itself.to_proc, *HASH_CHANGES]).map do |size, change|
          change.call((0...size).to_h { |i| [i, -i] })
        end
        [{ "a" => 1 }.compare_by_identity, *made]
      end

      private

      # Some get more variables than there is room for inside of them.
      def grown
        several(26) { |i| NAMES.first(i % 13) }
      end

      # In several orders, and with gaps.
      def ordered
        several(24) { |i| NAMES.rotate(i % 4 * 3).first(i % 7) }
      end

      # In so many orders that the last ones are kept in hash tables.
      def complex
        without_warning do
          several(48) { |i| (i.odd? ? NAMES : NAMES.reverse).rotate(i / 2).first(3) }
        end
      end

      # Ruby warns of such classes, where it is asked to.
      def without_warning
        warns = RUBY_VERSION >= "3.3" && Warning[:performance]
        Warning[:performance] = false if warns
        yield
      ensure
        Warning[:performance] = true if warns
      end

      def changed
        [2, 12].product(CHANGES).map do |count, change|
          objects = several(17) { NAMES.first(count) }
          objects.each_with_index.map { |object, i| i.odd? ? change.call(object) : object }
        end
      end

      def several(count)
        type = Class.new
        Array.new(count) do |i|
          object = type.new
          yield(i).each_with_index { |name, k| object.instance_variable_set(name, (100 * i) + k) }
          object
        end
      end

      def records
        structs = MEMBERS.map do |count|
          type = Struct.new(*(1..count).map { |i| :"m#{i}" })
          [Array.new(17) { |i| type.new(*(i...(i + count))) }, [*0...count]]
        end
        numbers = [->(i) { Complex(i, i + 1) }, lambda { |i|
                                                  Rational(i, i + 1)
                                                }].map { |make| [Array.new(17, &make), [0, 1]] }
        structs + numbers
      end
    end
  end
  private_constant :Probe
end

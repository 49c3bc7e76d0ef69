# frozen_string_literal: true

module RandomPrograms
  # Trials of programs whose call is made again, on the same objects and on changed ones: a version remembers what its
  # last call has found.
  module CalledAgain
    CALLS = 5

    private

    # Every third program, but for those whose elements raise.
    def called_again? = (@program.seed % 3).zero?

    # Makes more calls, with changes between some of them; keeps what each has given, to the first that raises.
    #
    # @yield makes the call
    def call_again(who, base, around, &call)
      return unless called_again?

      random = Random.new(@program.seed + (1 << 43))
      @later ||= {}
      @later[who] = []
      CALLS.times do |round|
        change(random, base) if round > 1 && !base.empty?
        given = outcome(&call)
        @later[who] << (given.first == :raised ? given : [:given, Snapshot.of([given, base, *around])])
        break if given.first == :raised
      end
    end

    # Changes the base or one of its objects; which one it is, and how, hangs on nothing else than their order.
    def change(random, base)
      way, at, from = random.rand(9), *Array.new(2) { random.rand(base.size) }
      object = base[at]
      case way
      when 0 then base.rotate!
      when 1 then base[at] = base[from]
      when 2 then base[at] = copy(object)
      when 3 then base.pop if base.size > 2
      when 4 then variables(object) { |name, value| object.instance_variable_set(name, other(value)) }
      when 5 then take_over(object, base[from])
      when 6 then object.instance_variable_set(:@later, 1) unless object.frozen? || plain?(object)
      when 7 then base.map! { |item| copy(item) }
      end
    end

    def plain?(object)
      case object
      when Numeric, Symbol, String, Array, Hash, Range, Struct, Proc, Module, nil, true, false then true
      else object.frozen?
      end
    end

    def copy(object) = plain?(object) ? object : object.dup

    def variables(object)
      return if plain?(object)

      object.instance_variables.each { |name| yield name, object.instance_variable_get(name) }
    end

    def other(value)
      case value
      when Integer then (value % 97) + 1
      when Float then value.finite? ? (value / 2) + 0.25 : value
      when true, false then !value
      else value
      end
    end

    # One gets a variable's value of another of its class.
    def take_over(object, from)
      return if plain?(object) || from.class != object.class

      name = object.instance_variables.first
      return unless name && from.instance_variable_defined?(name)

      object.instance_variable_set(name, from.instance_variable_get(name))
    end

    # A failure, where a later call was another one in Ruby.
    def other_later(kept)
      return unless @later&.key?(:ikra)

      ruby, ikra = @later.values_at(:ruby, :ikra)
      expected, actual = ruby.zip(ikra).find { |one, other| one != other }
      return if actual.nil? || (actual.first == :raised && (told?(actual[1]) || expected.first == :raised))

      comparable(kept, expected) do
        shown = [expected, actual].map { |given| given.first == :raised ? text(given[1]).inspect : "no error" }
        verdict(:different, "In a later call. #{shown.join(", ")}\n#{difference(expected, actual)}")
      end
    end

    # Is it an error that only Ikra has?
    def told?(error) = error.is_a?(Ikra::Error) || error.is_a?(Ikra::OverflowError) || refused_late?(error)
  end
end

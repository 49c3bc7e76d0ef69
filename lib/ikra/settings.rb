# frozen_string_literal: true

# What a program can set: back-end, fallback, check, seed.
module Ikra
  # Back-ends that can be chosen. +:"cuda-emulated"+ is one more in tests.
  BACKENDS = %i[auto cuda cpu ruby].freeze

  @chosen = :auto
  @fallback = :raise
  @check = nil

  class << self
    # @return [Symbol] +:raise+, or +:ruby+ when sections that are not supported run in plain Ruby
    attr_reader :fallback

    # @return [Symbol, nil] +:races+ when sections are checked for elements that are not independent
    attr_reader :check

    # The back-end that runs sections: with +:auto+ (the default) +:cuda+ where there is a GPU and +:cpu+ elsewhere.
    # Small sections run on the CPU even then.
    #
    # @return [Symbol] +:cuda+, +:cpu+ or +:ruby+ (+:"cuda-emulated"+ where that was chosen)
    def backend
      return @chosen unless @chosen == :auto

      Native.missing(:cuda) ? :cpu : :cuda
    end

    # Chooses the back-end. The environment variable IKRA_BACKEND does so for a whole program.
    #
    #   Ikra.backend = :cpu
    #
    # @param name [Symbol, String] one of {BACKENDS}
    # @raise [ArgumentError] when there is no back-end of that name
    # @raise [Ikra::DeviceError] when it cannot run here; the message says what is missing
    def backend=(name)
      name = name.to_sym
      unless known_backends.include?(name)
        raise ArgumentError, "unknown back-end #{name.inspect}: " \
                             "choose one of #{known_backends.map(&:inspect).join(", ")}"
      end

      missing = %i[auto ruby].include?(name) ? nil : Native.missing(name)
      raise DeviceError, "the back-end #{name.inspect} cannot run here\n#{missing}" if missing

      @chosen = name
    end

    # What to do with a section that is not supported: +:raise+ an {UnsupportedError} (the default), or run it in plain
    # +:ruby+ and warn, once for each place, why.
    #
    #   Ikra.fallback = :ruby
    #
    # @param mode [Symbol] +:raise+ or +:ruby+
    # @raise [ArgumentError] for anything else
    def fallback=(mode)
      raise ArgumentError, "fallback is :raise or :ruby, not #{mode.inspect}" unless %i[raise ruby].include?(mode)

      @fallback = mode
    end

    # Has sections checked, for finding mistakes: with +:races+, one whose elements are not independent raises a
    # {RaceError} and changes nothing. Two elements race when they touch one instance variable of one object, one member
    # of one Struct or one place of one array in the same tick, and one of them at least writes it; it does not matter
    # which comes first, nor whether the value that is written is the one that was there. An object that stands in the
    # array several times does not race with itself, since it is handled in order.
    #
    # A checked section finds the races of the objects that it is called with, not those that others could have. It
    # compiles apart from the unchecked one, and where elements could race at all, it runs them one after the other on
    # the CPU, whatever the back-end is. What runs in plain Ruby is not checked.
    #
    #   Ikra.check = :races
    #
    # @param what [Symbol, nil] +:races+, or +nil+ for no check (the default)
    # @raise [ArgumentError] for anything else
    def check=(what)
      raise ArgumentError, "check is :races or nil, not #{what.inspect}" unless [:races, nil].include?(what)

      @check = what
    end

    # Sets the seed of +rand+ in parallel sections, so that a run can be repeated exactly on every back-end but +:ruby+,
    # which has Ruby's own generator.
    #
    #   Ikra.srand(42)
    #
    # A forked child begins with a random one of its own, as with Ruby's +srand+.
    #
    # @param seed [Integer] its lowest 64 bits count; a random one without it
    # @return [Integer] the seed until now
    def srand(seed = Random.new_seed)
      Native.seed(Integer(seed) & 0xffff_ffff_ffff_ffff)
    end

    # @api private
    # @return [Symbol] the back-end as chosen, +:auto+ included
    attr_reader :chosen

    private

    def known_backends
      Native::TESTING && ENV["IKRA_CUDA_EMULATOR"] ? [*BACKENDS, :"cuda-emulated"] : BACKENDS
    end
  end
end

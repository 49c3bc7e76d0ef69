# frozen_string_literal: true

# What a program can set: back-end, cache, fallback, conflicts, what runs meanwhile, advice, threads, memory, seed. Each
# setting has a variable of the environment, which sets it for a whole program.
module Ikra
  # Back-ends that can be chosen. +:"cuda-emulated"+ is one more in tests.
  BACKENDS = %i[auto cuda cpu ruby].freeze

  # What can be done with elements that conflict.
  CONFLICTS = %i[in_order raise].freeze

  # What can be done with what is not supported.
  FALLBACKS = %i[raise ruby].freeze

  # What can be done while a section is compiled.
  MEANWHILE = %i[ruby wait].freeze

  @chosen = :auto
  @fallback = :raise
  @conflicts = :in_order
  @meanwhile = :wait
  @advise = true

  class << self
    # @return [Symbol] +:raise+, or +:ruby+ when sections that are not supported run in plain Ruby
    attr_reader :fallback

    # @return [Symbol] what is done with elements that conflict: +:in_order+ or +:raise+
    attr_reader :conflicts

    # The back-end that runs sections: with +:auto+ (the default) +:cuda+ where there is a GPU and +:cpu+ elsewhere.
    # Each section then runs where it was faster before. It begins on the CPU; if a GPU promises to be worth it, code
    # for that is compiled beside, and nobody waits for it.
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

      Fallbacks.clear
      @chosen = name
    end

    # What to do with a section that is not supported, or has no Integers as large as it takes: +:raise+ an
    # {UnsupportedError} or an {OverflowError} (the default), or run it in plain +:ruby+ and warn, once for each place,
    # why. What was refused is
    # tried ever more rarely. Behind an {Ikra.sync} it is raised all the same, as no block of one may run twice. The
    # environment variable IKRA_FALLBACK sets it for a whole program.
    #
    #   Ikra.fallback = :ruby
    #
    # @param mode [Symbol, String] one of {FALLBACKS}
    # @raise [ArgumentError] for anything else
    def fallback=(mode)
      known = FALLBACKS.find { |name| name.to_s == mode.to_s }
      raise ArgumentError, "fallback is :raise or :ruby, not #{mode.inspect}" unless known

      Fallbacks.clear
      @fallback = known
    end

    # What to do with elements that conflict. Two elements do so when they touch one instance variable of one object,
    # one member of one Struct or one place of one array in the same tick, and one of them at least writes it; it does
    # not matter which comes first, nor whether the value that is written is the one that was there. An object that
    # stands in the array several times does not conflict with itself, since it is handled in order.
    #
    # With +:in_order+ (the default) such a section runs again, its elements one after the other, so that it does what
    # sequential Ruby does; that is compiled too, but uses one core. It warns, once for each place, what conflicts. With
    # +:raise+ it raises a {ConflictError} that says so, and changes nothing. The environment variable IKRA_CONFLICTS
    # sets it for a whole program, such as a test suite.
    #
    #   Ikra.conflicts = :raise
    #
    # @param what [Symbol, String] one of {CONFLICTS}
    # @raise [ArgumentError] for anything else
    def conflicts=(what)
      known = CONFLICTS.find { |name| name.to_s == what.to_s }
      raise ArgumentError, "conflicts is :in_order or :raise, not #{what.inspect}" unless known

      @conflicts = known
    end

    # @return [Symbol] what is done while a section is compiled, see {#meanwhile=}
    attr_reader :meanwhile

    # What is done while a section is compiled for the CPU whose block changes nothing, prints nothing and draws no
    # random numbers. With +:wait+ (the default) all elements wait for the code. With +:ruby+ they begin in plain Ruby,
    # and compiled code goes on from the element that is reached; so its first call takes no longer than Ruby and to
    # look at the code. But what compiled code refuses only when an element comes to it, as the +pack+ of an Integer
    # beyond 64 bits, is no error as long as Ruby runs: it hangs on time which calls raise it. The environment variable
    # IKRA_MEANWHILE sets it for a whole program.
    #
    #   Ikra.meanwhile = :ruby
    #
    # @param what [Symbol, String] one of {MEANWHILE}
    # @raise [ArgumentError] for anything else
    def meanwhile=(what)
      known = MEANWHILE.find { |name| name.to_s == what.to_s }
      raise ArgumentError, "meanwhile is :ruby or :wait, not #{what.inspect}" unless known

      @meanwhile = known
    end

    # Does Ikra say what it does not make faster? It warns, once for each place: where calls have for a while spent
    # their time on reading and writing objects and next to none on computing, and where a section took more than a
    # second to compile. Ruby's time for the same is not known: a loop of Ruby may be faster, or not.
    #
    # @return [Boolean] as {#advise=} says; true at first
    def advise? = @advise

    # Whether Ikra says what it does not make faster, see {#advise?}. The environment variable IKRA_ADVISE sets it for a
    # whole program.
    #
    #   Ikra.advise = false
    #
    # @param wanted [Boolean]
    # @raise [ArgumentError] for anything else
    def advise=(wanted)
      raise ArgumentError, "advise is true or false, not #{wanted.inspect}" unless [true, false].include?(wanted)

      @advise = wanted
    end

    # The number of threads that run sections on the CPU, and that read and write objects for all back-ends.
    #
    # @return [Integer] as many as the process may use cores, if nothing else was set; quotas of a cgroup count
    def threads = Native.threads

    # Sets how many threads there are. Results do not depend on it. The environment variable IKRA_THREADS sets it for a
    # whole program.
    #
    #   Ikra.threads = 4
    #
    # @param count [Integer, nil] from 1 to 512, or +nil+: as many as the process may use cores
    # @raise [ArgumentError] for anything else
    def threads=(count)
      unless count.nil? || (count.is_a?(Integer) && count.between?(1, 512))
        raise ArgumentError, "threads is an Integer from 1 to 512 or nil, not #{count.inspect}"
      end

      Native.use_threads(count || 0)
    end

    # The most memory that is kept between sections, for the next ones: fresh memory takes longer than what is done with
    # it.
    #
    # @return [Integer] bytes
    def kept_memory = Native.most_kept

    # Sets how much memory is kept between sections at most. What was kept goes back to the system after ten seconds
    # without a section, or with {#release_memory}. The environment variable IKRA_KEPT_MEMORY sets it for a whole
    # program.
    #
    #   Ikra.kept_memory = 256 * 1024 * 1024
    #
    # @param bytes [Integer, nil] 0: none; +nil+: an eighth of the memory of the machine, or of the cgroup
    # @raise [ArgumentError] for anything else
    def kept_memory=(bytes)
      unless bytes.nil? || (bytes.is_a?(Integer) && bytes.between?(0, (1 << 62) - 1))
        raise ArgumentError, "kept_memory is a number of bytes or nil, not #{bytes.inspect}"
      end

      Native.keep(bytes)
    end

    # Gives the memory that is kept between sections back to the system, and brings columns home from a GPU.
    #
    #   Ikra.release_memory # => 50397184
    #
    # @return [Integer] how many bytes that were
    def release_memory = Native.release

    # Is what was compiled kept on disk, so that another process need not compile it again?
    #
    # @return [Boolean]
    def cache? = Native.cache?

    # Has what is compiled be kept on disk and looked for there, or not. It is in the folder IKRA_CACHE_DIR, or else in
    # +ikra+ of the user's cache folder: XDG_CACHE_HOME, or +.cache+ at home. Nothing but time depends on it. With
    # IKRA_CACHE=0 in the environment nothing is kept from the start.
    #
    #   Ikra.cache = false
    #
    # @param kept [Boolean]
    # @raise [ArgumentError] for anything else
    def cache=(kept)
      raise ArgumentError, "cache is true or false, not #{kept.inspect}" unless [true, false].include?(kept)

      Native.keep_compiled(kept)
    end

    # Sets the seed of +rand+ in parallel sections, so that a run can be repeated exactly on every back-end but +:ruby+,
    # which has Ruby's own generator.
    #
    #   Ikra.srand(42)
    #
    # A forked child begins with a random one of its own, as with Ruby's +srand+. The environment variable IKRA_SEED
    # sets it for a whole program.
    #
    # @param seed [Integer] its lowest 64 bits count; a random one without it
    # @return [Integer] the seed until now
    def srand(seed = Random.new_seed)
      Native.seed(Integer(seed) & 0xffff_ffff_ffff_ffff)
    end

    # All settings but the seed, by the names of their methods.
    #
    #   Ikra.settings # => {:backend=>:auto, :fallback=>:raise, :conflicts=>:in_order, :threads=>8, …}
    #
    # @return [Hash{Symbol => Symbol, Integer, Boolean}]
    def settings
      { backend: chosen, cache: cache?, fallback:, conflicts:, meanwhile:, advise: advise?, threads:, kept_memory: }
    end

    # @api private
    # @return [Symbol] the back-end as chosen, +:auto+ included
    attr_reader :chosen

    private

    def known_backends
      Native::TESTING && ENV["IKRA_CUDA_EMULATOR"] ? [*BACKENDS, :"cuda-emulated"] : BACKENDS
    end
  end

  # The settings that the environment holds when Ikra is loaded.
  #
  # @api private
  module Environment
    SWITCH = { "0" => false, "false" => false, "1" => true, "true" => true }.freeze
    SETTERS = {
      "IKRA_BACKEND" => ->(text) { Ikra.backend = text },
      "IKRA_CACHE" => ->(text) { Ikra.cache = switch(text) },
      "IKRA_FALLBACK" => ->(text) { Ikra.fallback = text },
      "IKRA_CONFLICTS" => ->(text) { Ikra.conflicts = text },
      "IKRA_MEANWHILE" => ->(text) { Ikra.meanwhile = text },
      "IKRA_ADVISE" => ->(text) { Ikra.advise = switch(text) },
      "IKRA_THREADS" => ->(text) { Ikra.threads = Integer(text) },
      "IKRA_KEPT_MEMORY" => ->(text) { Ikra.kept_memory = Integer(text) },
      "IKRA_SEED" => ->(text) { Ikra.srand(Integer(text)) }
    }.freeze

    def self.switch(text) = SWITCH.fetch(text) { raise ArgumentError, "0 or 1, not #{text}" }

    # @param environment [ENV, Hash] an empty value is none
    # @raise [ArgumentError, DeviceError] with the variable's name in front
    def self.apply(environment)
      SETTERS.each do |name, setter|
        text = environment[name]
        next if text.nil? || text.empty?

        setter.call(text)
      rescue ArgumentError, DeviceError => e
        raise e.class, "#{name}: #{e.message}", cause: nil
      end
    end
  end
  private_constant :Environment
end

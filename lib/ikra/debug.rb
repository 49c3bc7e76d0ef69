# frozen_string_literal: true

module Ikra
  class << self
    # Looks at one element, or some, in plain Ruby: a section has no +binding.irb+ and no debugger. The block runs there
    # once, on deep copies, so that objects stay as they are; parallel calls in it are sequential Ruby meanwhile. What
    # has no copy (classes, procs, streams, threads …) is what it is.
    #
    #   Ikra.debug(cars[17]) { |car| binding.irb; car.move }
    #
    # @param elements [Array<Object>] what the block is to be given
    # @yield the block of a section
    # @return [Object] what the block gives
    # @raise [ArgumentError] without a block
    def debug(*elements, &block)
      raise ArgumentError, "debug needs the block of a section" unless block

      before = @chosen
      @chosen = :ruby
      begin
        yield(*DeepCopy.new.of(elements))
      ensure
        @chosen = before
      end
    end
  end

  # A copy of objects with all that they hold. What is one object stays one.
  #
  # @api private
  class DeepCopy
    # Ruby's own methods: a class may have others of these names.
    CLONE = Kernel.instance_method(:clone)
    FREEZE = Kernel.instance_method(:freeze)
    FROZEN = Kernel.instance_method(:frozen?)
    VARIABLES = Kernel.instance_method(:instance_variables)
    GET = Kernel.instance_method(:instance_variable_get)
    SET = Kernel.instance_method(:instance_variable_set)
    # What there is but once, and what hangs on the system.
    ITSELF = [Module, Proc, Method, UnboundMethod, IO, Thread, Mutex, Queue, Binding, Symbol, Numeric, Range, Regexp,
              NilClass, TrueClass, FalseClass].freeze
    private_constant :CLONE, :FREEZE, :FROZEN, :VARIABLES, :GET, :SET, :ITSELF

    def initialize
      @copies = {}.compare_by_identity
      # Of structures as deep as they like.
      @waiting = []
    end

    # @return [Object] the copy
    def of(object)
      copy = known(object)
      until @waiting.empty?
        original, empty = @waiting.pop
        fill(original, empty)
        FREEZE.bind_call(empty) if FROZEN.bind_call(original)
      end
      copy
    end

    private

    def known(object)
      # BasicObjects are asked, too.
      return object if ITSELF.any? { |type| type === object } # rubocop:disable Style/CaseEquality

      @copies.fetch(object) do
        copy = CLONE.bind_call(object, freeze: false)
        @waiting << [object, copy] unless FROZEN.bind_call(copy)
        @copies[object] = copy
      rescue StandardError
        # It has no copies.
        @copies[object] = object
      end
    end

    def fill(original, copy)
      case copy
      when Array then copy.map! { |item| known(item) }
      when Hash then fill_hash(original, copy)
      when Struct then original.each_pair { |name, value| copy[name] = known(value) }
      end
      VARIABLES.bind_call(original).each do |name|
        SET.bind_call(copy, name, known(GET.bind_call(original, name)))
      end
    end

    # Keys may be found by what they hold, so these are whole before.
    def fill_hash(original, copy)
      copy.clear
      original.each do |key, value|
        waiting = @waiting
        @waiting = []
        key = of(key)
        @waiting = waiting
        copy[key] = known(value)
      end
    end
  end
  private_constant :DeepCopy
end

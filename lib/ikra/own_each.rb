# frozen_string_literal: true

module Ikra
  # A method of the user's by which something is gone through before a section runs: its `each`, or what an Enumerator
  # of it calls. Its code, where it has some, tells what it does with what its block gives, and which variables it reads
  # (+answers.rs+ of the compiler).
  #
  # @api private
  class OwnEach
    METHOD = Kernel.instance_method(:method)
    VARIABLE = Kernel.instance_method(:instance_variable_get)
    HOLDING = [::Array, ::Hash, ::Struct].freeze
    private_constant :METHOD, :VARIABLE, :HOLDING

    # What was found of methods' codes.
    @known = ObjectSpace::WeakMap.new

    class << self
      # @return [OwnEach] one that tells nothing, where it is none of the user's
      def of(collection)
        object = collection
        receiver, name, = Native.enumerator(collection) if Enumerator === collection # rubocop:disable Style/CaseEquality
        object = receiver if name
        [name, :each].compact.each do |one|
          code = code(object, one)
          told = code && (@known[code] ||= Native.answers(code))
          return new(object, *told) if told
        end
        name && Enumerator === object ? of(object) : new(object, nil, []) # rubocop:disable Style/CaseEquality
      end

      private

      def code(object, name)
        RubyVM::InstructionSequence.of(METHOD.bind_call(object, name))
      rescue NameError
        nil
      end
    end

    # @return [Symbol, nil] what it does with what its block gives: +:ignored+, +:given+ where it can be what it gives
    #   itself, +:used+; nil where the block is handed on to what is not known
    attr_reader :answers

    def initialize(object, answers, names)
      @object = object
      @answers = answers
      @names = names
    end

    # The object, with the variables that it reads.
    #
    # @return [Array(Object, Array<String>), nil]
    def read = @names.empty? ? nil : [@object, @names]

    # Itself, and the arrays, Hashes and Structs that these variables hold.
    #
    # @return [Array]
    def looked_at
      held = @names.filter_map { |name| VARIABLE.bind_call(@object, name) if name.match?(/\A@[[:alpha:]_]\w*\z/) }
      [*(self unless @names.empty?), *held.select { |value| HOLDING.any? { |type| type === value } }] # rubocop:disable Style/CaseEquality
    end
  end
  private_constant :OwnEach
end

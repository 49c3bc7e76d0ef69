# frozen_string_literal: true

module Ikra
  using OwnMethods

  # Forwardable compiles the methods of +def_delegators+ from a text that it does not keep. What such a method does is
  # read from its instructions; then Forwardable is asked for a method that does this, and the two are compared.
  #
  # @api private
  module Delegation
    # Positions in InstructionSequence#to_a.
    TYPE = 9
    # The flag of a call whose name stands alone, as a variable's does.
    VARIABLE_CALL = 8
    # How Ruby 3.1 reads a constant, but for its name.
    AROUND_CONSTANT = %w[opt_getinlinecache opt_setinlinecache putnil putobject pop].freeze

    class << self
      # @param iseq [RubyVM::InstructionSequence]
      # @return [String, nil] a text of what Forwardable has defined; nil for all other code
      def text(iseq)
        return unless of_forwardable?(iseq)

        code = Capture.instructions(iseq.to_a)
        receiver = receiver(code)
        method = delegated(code)
        return unless receiver && method && instructions_of(receiver, method, iseq.base_label) == texts_left_out(code)

        "def #{iseq.base_label}(...)\n  (#{receiver}).__send__(#{method.inspect}, ...)\nend\n"
      end

      private

      def of_forwardable?(iseq)
        return false unless defined?(::Forwardable) && ::Forwardable.respond_to?(:_delegator_method)

        iseq.path == ::Forwardable.method(:_delegator_method).source_location.first
      end

      # What the call goes to, as in the first argument of +def_delegator+: a variable, a constant, calls without
      # arguments. A wrong guess is found out by the comparison.
      def receiver(code)
        computed = code.take_while { |name, operand| !name.start_with?("setlocal") && !symbol?(name, operand) }
        computed.inject(nil) do |text, (name, *operands)|
          next text if AROUND_CONSTANT.include?(name)

          read(name, operands.first, text) || called(operands, text) || (return nil)
        end
      end

      def symbol?(name, operand) = name == "putobject" && operand.is_a?(Symbol)

      def read(name, operand, before)
        case name
        when "putself" then "self"
        when "getinstancevariable", "getclassvariable" then operand.to_s
        when "opt_getconstant_path" then operand.join("::")
        when "getconstant" then [before, operand].compact.join("::")
        end
      end

      def called(operands, before)
        name, flag = operands.grep(Hash).first&.values_at(:mid, :flag)
        return unless name && flag
        return "#{before}.#{name}" unless before == "self"

        flag.anybits?(VARIABLE_CALL) ? name.to_s : "#{name}()"
      end

      # The name in <tt>__send__(:name, …)</tt>.
      def delegated(code)
        at = code.index { |_, *operands| operands.grep(Hash).any? { |call| call[:mid] == :__send__ } }
        at && code.first(at).reverse.find { |name, operand| symbol?(name, operand) }&.last
      end

      # The instructions of a method that Forwardable makes.
      def instructions_of(receiver, method, name)
        block = ::Forwardable._delegator_method(Module.new, receiver, method, name)
        Capture.nested(RubyVM::InstructionSequence.of(block).to_a) do |inner|
          return texts_left_out(Capture.instructions(inner)) if inner[TYPE] == :method
        end
        nil
      rescue SyntaxError
        nil
      end

      # The texts are of a warning that names the place of the definition.
      def texts_left_out(code)
        code.map { |instruction| instruction.map { |part| part.is_a?(String) && part.match?(/\W/) ? "" : part } }
      end
    end
  end
  private_constant :Delegation
end

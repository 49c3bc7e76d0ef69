# frozen_string_literal: true

module Ikra
  # Blocks of +Ikra.sync+ in sections. Called by the extension, which has their text: the code around them is compiled,
  # so that they are no procs.
  #
  # @api private
  module Syncs
    # The block, with its variables of the section as parameters. What is around the section it sees as the section
    # does.
    #
    # @param binding [Binding] of the section's block
    # @param text [String] the block without its braces
    # @param frozen [Boolean] are String literals frozen?
    # @param names [Array<String>] the variables, in the order of the values that it is called with
    # @param written [Array<String>] those that it assigns
    # @return [Proc] takes an Array of values, gives one of what was assigned
    def self.block(binding, text, frozen, names, written, path, line)
      parameters = "(#{[*names, "*"].join(", ")})"
      code = "->(#{parameters}) { -> { #{text}\n}.call; [#{written.join(", ")}] }"
      return evaluate(binding, code, path, line) unless frozen

      evaluate(binding, "# frozen_string_literal: true\n#{code}", path, line - 1)
    end

    # So many literals are kept.
    MOST = 1_000

    @literals = {}

    # What makes a lambda or proc that uses nothing around it but constants; or self and variables, if a binding is
    # given. Without, all are of one literal, as other sections know them by their code.
    #
    # @param place [Array<Module>, Binding] the modules around it, the innermost first
    # @param text [String] the literal, from +->+, or from the brace or +do+ on
    # @return [Proc] gives another one each time
    def self.literal(place, text, lambda, frozen, path, line)
      code = text
      code = "#{lambda ? :lambda : :proc} #{text}" unless text.start_with?("->")
      code = "-> {\n#{code}\n}"
      line -= 1
      if frozen
        code = "# frozen_string_literal: true\n#{code}"
        line -= 1
      end
      return evaluate(place, code, path, line) if place.is_a?(Binding)

      @literals[[place, code, path, line]] ||= begin
        @literals.shift if @literals.size >= MOST
        evaluate(within(place), code, path, line)
      end
    end

    # A place in a method of the innermost of these modules, which sees their constants. No variables are there.
    #
    # @param modules [Array<Module>] the innermost first
    # @return [Binding]
    def self.within(modules)
      modules.reverse.inject(nowhere) do |around, inner|
        around.local_variable_set(:__ikra_module, inner)
        around.eval("__ikra_module.module_eval('binding', __FILE__, __LINE__)", __FILE__, __LINE__)
      end
    end

    # Sections in the block need its text.
    def self.evaluate(binding, code, path, line)
      kept = RubyVM.keep_script_lines
      RubyVM.keep_script_lines = true
      binding.eval(code, path, line)
    ensure
      RubyVM.keep_script_lines = kept
    end
    private_class_method :evaluate
  end
  private_constant :Syncs
end

# Outside of all modules, so that it sees the constants of none.
def (Ikra.const_get(:Syncs)).nowhere = binding

# frozen_string_literal: true

require "rbconfig"

module Ikra
  # What of a file's parallel calls is unsupported, from its source alone: {Ikra.check} and the command +ikra check+.
  # The compiler looks through the code (src/check); here is what it is given: the texts of the file and of what that
  # requires, and names.
  #
  # @api private
  module Check
    # Parallel methods, and methods of a chain, whose block Ruby calls.
    IN_RUBY = %i[pinject preduce paccumulate].freeze
    IN_RUBY_OF_CHAINS = %i[inject reduce each_slice each_cons each_with_object zip].freeze
    # What ends a chain, or tells of it.
    NO_STAGES = [*Chain::ENDS, :to_a, :first, :each, :each_with_object, :inspect, :explained, :plazy].freeze
    # Parts of the standard library which are loaded where the file requires them, to know their methods: to load them
    # changes nothing.
    LIBRARIES = %w[date digest erb etc fileutils json monitor open3 pathname psych securerandom socket stringio strscan
                   tempfile time yaml zlib].freeze
    # Where what is not the program's own lies.
    FOREIGN = [*RbConfig::CONFIG.values_at("rubylibdir", "rubyarchdir", "sitedir", "vendordir"),
               *(Gem.path if defined?(Gem))].compact.freeze
    # Methods in C of these leave self in their block what it is, and these functions do.
    COLLECTIONS = [::Array, ::Hash, ::Range, ::Enumerable, ::Enumerator, ::Integer, ::Float, ::String, ::Struct].freeze
    FUNCTIONS = %i[loop catch lambda proc tap then yield_self].freeze

    # Ruby's own methods of modules: a class may have others by these names, which are not called.
    ASKED = %i[singleton_class? public_instance_methods instance_method autoload? const_defined?
               const_source_location const_get].to_h { |name| [name, ::Module.instance_method(name)] }.freeze

    class << self
      # @param path [String]
      # @param source [String, nil] the text; nil: that of the file
      # @return [Array<Diagnostic>]
      # @raise [UnsupportedError] where it has a syntax error
      # @raise [SystemCallError] where there is no such file
      def call(path, source = nil)
        text = source ? FileTexts.checked(source, path) : FileTexts.read(path)
        others, misses_some = required(path, text)
        found = Native.check([[path, text], *others], misses_some, names)
        raise UnsupportedError, found if found.is_a?(String)

        found.map { |one| diagnostic(*one) }
      rescue UnsupportedError => e
        raise if text

        # It is not in UTF-8: no block of it runs, if there is one.
        (source || File.binread(path)).b.match?(PARALLEL_NAMES) ? e.diagnostics : []
      end

      # @return [Module, nil] the class or module of that path, if it is Ruby's own or of a library
      def module(path)
        found = path.split("::").inject(::Object) do |around, name|
          ask(around, :const_get, name, false) if module?(around) && foreign?(around, name)
        end
        found if module?(found)
      rescue ::NameError
        nil
      end

      # @return [Array<Symbol>] the parallel methods with a block that is compiled
      def methods_with_sections
        owners = [ParallelMethods, *Ikra.const_get(:PARALLEL).map(&:last)]
        owners.flat_map { |owner| owner.instance_methods(false) }.uniq - IN_RUBY
      end

      private

      # Is the constant there, and none of the program's own? Nothing is loaded for it.
      def foreign?(around, name)
        return false if ask(around, :autoload?, name, false) || !ask(around, :const_defined?, name, false)

        file, line = ask(around, :const_source_location, name, false)
        # Ruby names no file for some of its own, and no line for others.
        file.nil? || line.zero? || FOREIGN.any? { |folder| file.start_with?(folder) }
      end

      def module?(value) = (value in ::Module)

      def ask(owner, name, *arguments) = ASKED.fetch(name).bind_call(owner, *arguments)

      # What the file requires by its place, with what that requires: paths and texts; is there more that is not read?
      def required(path, text)
        seen = { File.expand_path(path) => text }
        todo = [[path, text]]
        misses = false
        while (path, text = todo.shift)
          Native.required(path, text).each do |feature, relative|
            next load_library(feature) unless relative

            other = File.expand_path(feature, File.dirname(File.expand_path(path)))
            other += ".rb" unless other.end_with?(".rb")
            next if seen.key?(other) || other.start_with?(__dir__)

            seen[other] = readable(other)
            seen[other] ? todo << [other, seen[other]] : misses = true
          end
        end
        [seen.drop(1).select(&:last), misses]
      end

      def readable(path)
        FileTexts.read(path)
      rescue SystemCallError, UnsupportedError
        nil
      end

      def load_library(feature)
        require feature if LIBRARIES.include?(feature)
      rescue LoadError
        nil
      end

      # In the order that the extension takes.
      def names
        @names ||= begin
          of_chains = Chain.public_instance_methods(false)
          stages = of_chains.reject { |name| NO_STAGES.include?(Chain.instance_method(name).original_name) }
          keeping = COLLECTIONS.flat_map { |owner| in_c(owner) } + FUNCTIONS
          modules = ObjectSpace.each_object(::Module).reject { |one| ask(one, :singleton_class?) }
          of_c = modules.flat_map { |owner| in_c(owner) }
          without_block = WithoutBlock.public_instance_methods(false) - %i[inspect to_s]
          of_chains -= [*IN_RUBY_OF_CHAINS, :inspect, :explained, :plazy]
          [methods_with_sections, without_block, stages, of_chains, keeping, of_c.uniq].map { |list| list.map(&:name) }
        end
      end

      # The public methods of a class that are not written in Ruby.
      def in_c(owner)
        ask(owner, :public_instance_methods, false).select do |name|
          place = ask(owner, :instance_method, name).source_location
          place.nil? || place.first.start_with?("<internal:")
        rescue ::NameError
          false
        end
      end

      def diagnostic(message, (end_line, end_column), if_reached, (name, path, line, first, last, text))
        place = Diagnostic::Place.new(path:, line:, columns: first..last, text:)
        parallel_call = { name: name.to_sym, **place.to_h }
        Diagnostic.new(message, end_line:, end_column:, if_reached:, parallel_call:)
      end
    end

    PARALLEL_NAMES = Regexp.union(*methods_with_sections.map(&:name), "Ikra.section").freeze
  end
end

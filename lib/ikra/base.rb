# frozen_string_literal: true

# Everything of Ikra but the parallel methods in the core classes.
require "etc"
require_relative "version"
require_relative "own_methods"
require_relative "errors"
require_relative "races"
require_relative "completion"
require_relative "failures"
require_relative "messages"
require_relative "asked"
require_relative "capture"
require_relative "file_texts"
require_relative "last_match"
require_relative "characters"
require_relative "delegation"
require_relative "method_blocks"
require_relative "accumulators"
require_relative "profile"
require_relative "recording"
require_relative "extension"
require_relative "command_line"
require_relative "settings"
require_relative "cache"
require_relative "column"
require_relative "arrow"
require_relative "bases"
require_relative "composition"
require_relative "written"
require_relative "progress_bar"
require_relative "fallbacks"
require_relative "meanwhile"
require_relative "advice"
require_relative "section"
require_relative "unrefined"
require_relative "output"
require_relative "debug"
require_relative "syncs"
require_relative "flow"
require_relative "terminals"
require_relative "chain"
require_relative "space"
require_relative "parallel_methods"
require_relative "operations"
require_relative "changes"

# Runs the blocks of array operations in parallel, on a GPU or on all CPU cores, over ordinary objects.
module Ikra
  # Most programs ask for neither.
  autoload :Check, File.join(__dir__, "check")
  private_constant :Check
  autoload :Explanation, File.join(__dir__, "explanation")

  # What the extension defines.
  #
  # @api private
  module Native; end
  private_constant :Native

  class << self
    # Measures the sections that run inside the block, of all threads.
    #
    #   puts Ikra.profile { actors.peach(1_000) { |actor| actor.move(weather) } }
    #
    # @yield runs what is to be measured
    # @return [Profile]
    def profile(&)
      raise ArgumentError, "profile needs a block with sections in it" unless block_given?

      number = Native.open_profile
      begin
        events = Recording.during(&)
      ensure
        facts = Native.close_profile(number)
      end
      Profile.new(facts, events)
    end

    # Runs a block as one section, with the parallel calls in it: objects are read once before it and written once after
    # it, and stay where they are computed on in between. It is compiled as a whole; the code around the parallel calls
    # runs once, on the calling thread, and is Ruby as the elements may use it. If something is raised, nothing has
    # changed.
    #
    #   Ikra.section do
    #     steps.times do
    #       bodies.peach { |body| body.attract(bodies, dt) }
    #       bodies.peach { |body| body.drift(dt) }
    #     end
    #   end
    #
    # @param progress [Boolean, String, nil] whether a bar on the terminal shows how far it is, or under which title: by
    #   iterations of the outermost loop around parallel calls, if it counts, else by parallel calls
    # @yield what is to run; it takes no arguments
    # @return [Object] what the block gives; variables around the block that it assigns are assigned at the end
    # @raise [ArgumentError] without a block
    # @raise (see ParallelMethods#peach)
    def section(progress: nil, &block)
      raise ArgumentError, "section needs a block" unless block

      Section.program(progress, block)
    end

    # In the block of {section}: what was done so far is written back, the block runs as ordinary Ruby (it prints,
    # draws, saves, asks for input), and objects are read again as it has left them. Elsewhere the block just runs.
    #
    #   Ikra.section do
    #     1_000.times do |step|
    #       cars.peach { |car| car.move }
    #       Ikra.sync { puts "#{step}: #{cars.first.position}" } if step % 100 == 0
    #     end
    #   end
    #
    # It may stand in a method that the section calls: its +self+ is that of the method. The block sees the variables of
    # the section, or of that method, also to assign numbers, true, false and nil to those that hold such.
    # It may change what numbers, Symbols and references objects and Arrays hold, but not add objects. Lengths it may
    # change of those Arrays that the section makes longer or shorter, too.
    # When the section fails later, objects are as the last such block has left them.
    #
    # @yield []
    # @return [nil]
    # @raise [ArgumentError] without a block
    # @raise [UnsupportedError] in an element, in a method that calls itself, or when objects were added
    def sync
      raise ArgumentError, "sync needs a block" unless block_given?

      yield
      nil
    end

    # Whether sections run here, on what, and what is missing: `ikra doctor` prints it. A small section runs for that.
    #
    #   puts Ikra.doctor
    #
    # @return [Doctor] text by +to_s+, data by +to_h+
    def doctor
      require_relative "doctor"
      Doctor.examine
    end

    # What of a file's parallel calls is unsupported, from its source alone: nothing of it runs. That is what is so
    # whatever the classes are: syntax, and methods of Ruby's own such as +File.read+ and +gets+, in the block and in
    # methods that it calls as far as the file, or one that it requires with +require_relative+, defines them. What may
    # run is not told; so what is not told may yet be unsupported.
    #
    # Parts of the standard library that the file requires are loaded.
    #
    #   Ikra.check("cars.rb").each { |found| puts "#{found.path}:#{found.line}: #{found.code}" }
    #
    # @param path [String]
    # @param source [String, nil] the text, such as an editor has it; without it that of the file
    # @return [Array<Diagnostic>] in the order of the parallel calls
    # @raise [Ikra::UnsupportedError] for a syntax error
    # @raise [SystemCallError] where there is no such file
    def check(path, source: nil) = Check.call(path, source)

    # What Ikra makes of a section: its lines with the inferred types, the columns read and written, the intermediate
    # program and the generated code. Nothing runs.
    #
    #   puts Ikra.explain(actors) { |actor| actor.move(weather) }
    #
    #   puts Ikra.explain { steps.times { bodies.peach { |body| body.drift(dt) } } }        # of Ikra.section
    #
    #   puts Ikra.explain(orders.plazy.select { |order| order.paid? }.map { |order| order.total })
    #
    # @param base [Enumerable, Integer, Chain, nil] what it would be called on, or stages, which need no block; without
    #   one the block is that of {section}
    # @param operation [Symbol] a parallel method with a block for each element
    # @yield the section's block
    # @return [Explanation] a page, where it is printed
    # @raise [ArgumentError] without a block or without elements
    # @raise [Ikra::UnsupportedError] when the section cannot be compiled
    def explain(base = nil, operation = :peach, &block)
      chain = base.is_a?(Chain)
      raise ArgumentError, "explain needs the block of a section" unless block || chain
      raise ArgumentError, "unknown operation #{operation.inspect}" unless chain || Terminal.block?(operation)

      begin
        found, call, block = explained(base, operation, block)
        raise ArgumentError, "explain needs elements to look at" if found.empty?

        block = Written.block(block)
        chosen = backend == :ruby ? :cpu : backend
        Explanation.new(Native.explain(found.columns, found.form, call.how, block, chosen, conflicts))
      rescue UnsupportedError => e
        raise Section.located(e), cause: e.cause
      end
    end

    private

    # What is called on which base, with which block.
    def explained(base, operation, block)
      case base
      when nil then [ProgramBase.new, Call.new(:section, output: :program), block]
      when Chain then base.explained
      else Terminal.explained(base, operation, block)
      end
    end
  end

  Environment.apply(ENV)
end

# frozen_string_literal: true

module Ikra
  using OwnMethods

  # How the extension runs a block.
  #
  # @api private
  class Call
    attr_reader :operation, :output, :form, :ticks, :part, :ending, :progress
    # @return [Array] what the extension is told
    attr_reader :how
    # @return [Integer, nil] how many elements have run, where that has ended it
    attr_accessor :ended

    # @param operation [Symbol] the method, as the user has called it
    # @param output [:nothing, :values, :selection, :kept] what the block gives, or which elements it selects; +:kept+:
    #   what it gives, but not {Dropped}
    # @param form [:arrays, :column, :rows, :flat] Ruby Arrays, a +Native::Values+ if it can be one, the rows selected,
    #   or an Array of the items of arrays
    # @param part [Integer, nil] the number of the first element where these are a part of all; then
    #   nothing may be changed
    # @param composed [Composition::Composed, nil] how the block is put together
    # @param ending [Proc, nil] given what the block gives, where Ruby runs it: true where no element behind need run
    # @param progress [Proc, nil] called now and then with how much is done, and of how much, where that is known
    def initialize(operation, output:, form: :arrays, ticks: 1, part: nil, composed: nil, ending: nil, progress: nil) # rubocop:disable Metrics/ParameterLists
      @operation = operation
      @output = output
      @form = form
      @ticks = ticks
      @part = part
      @composed = composed
      @ending = ending
      @progress = progress
      @how = told(false, 0).freeze
    end

    # The blocks of the user's that the block is put together of, if it is.
    def blocks = @composed&.blocks

    # One of which nothing else is asked: the names are those of methods of ours.
    #
    # @return [Call]
    def self.plain(operation, output, form)
      ((@plain[output] ||= {})[form] ||= {})[operation] ||= new(operation, output:, form:)
    end
    @plain = {}

    # What it is told besides that.
    #
    # @param meanwhile [Boolean] may Ruby run elements while code is made?
    # @param done [Integer] how many it has run before these
    # @return [Array]
    def told(meanwhile, done)
      # The literal that keeps what is compiled, and a number for how it was composed.
      shape = @composed ? @composed.shape : 0
      [@operation, @output, @form, @ticks, @part, @composed&.owner, shape, @progress, meanwhile, done]
    end
  end

  # Runs one call of a parallel method on the chosen back-end.
  #
  # @api private
  module Section
    # Frames that are Ikra's own.
    OWN = "#{__dir__}/".freeze
    # An exception may have methods of its own by these names.
    BACKTRACE = Exception.instance_method(:backtrace)
    SET_BACKTRACE = Exception.instance_method(:set_backtrace)
    # A message that begins with a place.
    PLACED = /\A\S.*?:\d+: /
    # The number of the only line of a block such as &:move, which is no line of the program.
    SYMBOL_QUOTE = /^  1 \|(?= &:)/
    # What each operation is in sequential Ruby.
    SEQUENTIAL = { peach: :each, pmap: :map, pselect: :select, ptimes: :times }.freeze
    # What the extension is asked for; see {Call}.
    OUTPUTS = { peach: :nothing, pmap: :values, pselect: :selection, ptimes: :nothing }.freeze
    # Those calls that nothing else is asked of.
    PEACH, PMAP, PSELECT, PTIMES = OUTPUTS.map { |operation, output| Call.plain(operation, output, :arrays) }
    # What a thread is in the middle of: +:fallback+, or what an element that Ruby runs throws to wait for the code.
    WITHIN = :ikra_within
    # An element and its tick are numbered with 64 bits.
    MAXIMUM_TICKS = (2**63) - 1

    # The places that were warned of, the latest of them.
    @warned = {}
    MOST_WARNED = 1_000
    # Has Ruby a category for such warnings?
    PERFORMANCE = RUBY_VERSION >= "3.3"

    extend Advice

    class << self
      # @param collection [Array, Enumerable, Integer]
      # @param operation [Symbol] one of {SEQUENTIAL}
      # @param progress [Boolean, String, nil] whether a bar is to be shown, or under which title
      # @param name [Symbol] Ruby's method, by the name that the user has called
      # @return [Object] what the sequential method gives
      def run(collection, operation, ticks, progress, block, name)
        unless block && ticks.equal?(1)
          check(operation, ticks, block)
          return collection if ticks.zero?
        end
        return parallel(collection, operation, ticks, nil, block, name) unless progress

        ProgressBar.show(progress, operation) { |bar| parallel(collection, operation, ticks, bar, block, name) }
      end

      # Does what the block does. It is told to do it in plain Ruby where that was chosen, and where it has raised that
      # something is not supported and there is a fallback.
      #
      # @param operation [Symbol] the method, as the user has called it
      # @param block [Proc, nil] the user's, by which it is known what was refused before
      # @yieldparam plainly [Boolean]
      def carry_out(operation, block)
        return in_ruby(operation, block) { yield(true) } if Ikra.chosen == :ruby

        within = Thread.current[WITHIN]
        falls_back = within == :fallback || Ikra.fallback == :ruby
        # Where Ruby runs an element on this thread, that waits for the code, which knows of parallel calls in elements.
        throw within if within && within != :fallback

        begin
          return in_ruby(operation, block) { yield(true) } if falls_back && Fallbacks.skip?(block)

          # What it gives is the user's, and may have any method of its own.
          given = yield(false)
          Fallbacks.ran(block) if falls_back
          given
        rescue UnsupportedError, OverflowError => e
          falls_back_from(e, operation, block, falls_back)
          in_ruby(operation, block) { yield(true) }
        rescue ThrownWithChanges => e
          thrown_with_changes(from_caller(e), operation)
          falling_back { in_ruby(operation, block) { yield(true) } }
        rescue Ractor::UnsafeError, Ractor::IsolationError => e
          raise_of_ractors(e)
        rescue StandardError, ElementError => e
          Failures.raise_as_it_is(located(e), Failures.cause(e))
        end
      end

      # Runs a block as one section, with the parallel calls in it.
      #
      # @return [Object] what the block gives
      def program(progress, block)
        ProgressBar.show(progress, :section) do |bar|
          carry_out(:section, block) do |plainly|
            next block.call if plainly

            call = Call.new(:section, output: :program, progress: bar&.method(:tell)&.to_proc)
            native(ProgramBase.new, call, block).first
          end
        end
      end

      # Runs the block over a base that has elements.
      #
      # @param call [Call]
      def native(base, call, block)
        return compiled(base, call, block) unless Recording.section

        Recording.of(call.operation, block, base.size, base.size && call.ticks) { compiled(base, call, block) }
      end

      # Called with what two elements of a section conflict over.
      def runs_in_order(error, operation)
        Recording.count(:conflicts)
        warn_once("#{operation} runs its elements in order, one after the other, as they conflict (Ikra.conflicts):\n" \
                  "#{error.message}")
      end

      # Called with what most of a run's time went to.
      def asks_ruby(told, operation)
        warn_once("#{operation} spends most of its time on asking Ruby, one element after the other, for matches " \
                  "that sections cannot do themselves:\n#{told}\n  hint: write the patterns without what " \
                  "only Ruby can match, or leave the p away here (docs/regular-expressions.md)")
      end

      # Called with why a GPU that +:auto+ has chosen cannot run a section.
      def gives_the_gpu_up(why, operation)
        Recording.count(:given_up)
        warn_once("#{operation} runs on the CPU from now on, as the GPU cannot run it (Ikra.backend = :auto):\n#{why}")
      end

      # Runs methods of Ruby's own: what they raise begins at the user's line, as where the user has called them.
      #
      # @yield to do so
      def natively
        yield
      rescue StandardError => e
        Failures.raise_as_it_is(from_caller(e), Failures.cause(e))
      end

      # An exception of a section as the user meets it.
      def located(error) = placed(from_caller(error))

      def refuse(type, message)
        raise type, message, (caller.reject { |frame| frame.start_with?(OWN) })
      end

      # Refuses the block of a method that takes none, where Ruby's would ignore it.
      #
      # @raise [ArgumentError]
      def takes_no_block(name, block)
        refuse(ArgumentError, "#{name} takes no block") if block
      end

      private

      def parallel(collection, operation, ticks, bar, block, name)
        base = nil
        carry_out(operation, block) do |plainly|
          next sequential(base ? base.again : collection, name, ticks, bar, block) if plainly

          base = Base.of(collection, operation, block, name)
          # There is nothing to run where there are no elements.
          given = native(base, call(base, base.asked(operation, ticks), ticks, bar), block) unless base.empty?
          base.result(operation, given)
        end
      end

      def call(base, operation, ticks, bar)
        return ordinary(operation) if ticks == 1 && bar.nil?

        Call.new(operation, output: OUTPUTS[operation], ticks:, progress: bar&.of_elements(base.size, ticks))
      end

      # No code has been made yet, so this is done without a method that the program may have made another one.
      def ordinary(operation)
        case operation
        when :peach then PEACH
        when :pmap then PMAP
        when :pselect then PSELECT
        else PTIMES
        end
      end

      def check(operation, ticks, block)
        unless block
          told = "; for one with the index, write each_with_index.#{operation} { |item, index| … }"
          refuse(ArgumentError, "#{operation} needs a block#{told unless operation == :ptimes}")
        end
        refuse(TypeError, "ticks must be an Integer, not #{ticks.class}") unless ticks.is_a?(Integer)
        refuse(ArgumentError, "ticks must not be negative: #{ticks}") if ticks.negative?
        refuse(ArgumentError, "so many ticks would never end: #{ticks}") if ticks > MAXIMUM_TICKS
      end

      def in_ruby(operation, block, &) = natively { timed(operation, block, &) }

      # Profiles and counts are of the main Ractor.
      def timed(operation, block)
        return yield if Ractor.current != Ractor.main

        Recording.count(:plain)
        Recording.of(operation, block, nil, nil) do
          start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          yield
        ensure
          Native.profile_ruby(Process.clock_gettime(Process::CLOCK_MONOTONIC) - start)
        end
      end

      # Notes that Ruby does what is not supported, or raises that it is not.
      def falls_back_from(error, operation, block, falls_back)
        told = located(error)
        raise told, cause: error.cause if !falls_back || behind_sync?(error)

        warn_once("#{operation} runs in plain Ruby:\n#{told.message}")
        Fallbacks.refused(block)
        Recording.count(:unsupported)
      end

      def raise_of_ractors(error)
        raise located(error), cause: error.cause if Ractor.current == Ractor.main

        raise Error, "parallel sections run in the main Ractor only: send it what they need, and back what they give"
      end

      # Runs what was supported as parts of a section, and may not be where these parts are sections of their own.
      def falling_back
        before = Thread.current[WITHIN]
        Thread.current[WITHIN] = :fallback
        yield
      ensure
        Thread.current[WITHIN] = before
      end

      # Says that Ruby does again what has changed something and then thrown what a +catch+ around it waits for.
      #
      # @raise [UnsupportedError] where a block of +Ikra.sync+ would run twice by that
      def thrown_with_changes(error, operation)
        place = error.backtrace&.first&.[](/\A.+?:\d+/)
        hint = if error.element_index
                 "hint: have the block return it, and throw what it returned after the call (pfind ends at the first)"
               else
                 "hint: put the `catch` into the section, with all that it is around"
               end
        if behind_sync?(error)
          refuse(UnsupportedError, "#{place}: what is thrown behind an Ikra.sync leaves the section, which has " \
                                   "changed something [unsupported-catch]\n  #{hint}")
        end
        warn_once("#{operation} runs in plain Ruby, from its beginning, as what it throws leaves it after it has " \
                  "changed something, which Ruby keeps: #{place}\n  #{hint}")
      end

      # Has a block of +Ikra.sync+ run before? It is not to run twice.
      def behind_sync?(error) = Native.noted(error, :behind_sync)

      # The user's lines are what the backtrace is read for.
      def from_caller(error)
        frames = BACKTRACE.bind_call(error)
        own = frames&.any? { |frame| frame.start_with?(OWN, Composition::OWN_FRAME) }
        return error if error.frozen? || !own

        SET_BACKTRACE.bind_call(error, frames.reject { |frame| frame.start_with?(OWN, Composition::OWN_FRAME) })
        error
      end

      # What Ikra says, with the place where it does not name one.
      def placed(error)
        ours = error.instance_of?(Error) || error.instance_of?(UnsupportedError)
        place = error.backtrace&.first&.[](/\A.+?:\d+(?=:|\z)/)
        return error if !ours || !place

        message = error.message.gsub("#{Failures::SYMBOL_PATH}:1:", "#{place}:").gsub(SYMBOL_QUOTE, "    |")
        message = Composition.without_own_places(message, place)
        message = with_line(place, message) unless message.match?(PLACED)
        error.exception(message).tap { |told| told.set_backtrace(error.backtrace) }
      end

      # A reason that is found as the section runs, with the line as those have it that are found before.
      def with_line(place, message)
        path, line = place.match(/\A(.+):(\d+)\z/).captures
        text = FileTexts.line(path, line.to_i)
        quote = text && Diagnostic::Place.new(path:, line:, columns: FileTexts.code(text), text:).quote(line)
        first, hint = message.split("\n  hint: ", 2)
        ["#{place}: #{first}", *quote, *("  hint: #{hint}" if hint)].join("\n")
      end

      def warn_once(message)
        place = caller.find { |frame| !frame.start_with?(OWN) }
        return if @warned[place]

        @warned.shift if @warned.size >= MOST_WARNED
        @warned[place] = true
        # A category that is off is silent, and off is what Ruby has it at first; Ikra is never slow without a word.
        told = PERFORMANCE && Warning[:performance] ? { category: :performance } : {}
        warn("#{place}: #{message}", **told)
      end
    end
  end
  private_constant :Call, :Section
end

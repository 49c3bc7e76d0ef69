# frozen_string_literal: true

module Ikra
  using OwnMethods

  # The exception that sequential Ruby would have raised, made from the facts that a failed element left.
  #
  # @api private
  module Failures
    # Frames of Ikra itself are no more use in a backtrace than those of Array#each.
    OWN = "#{__dir__}/".freeze
    # Of what leaves 64 bits where the section cannot begin again. What masks the product of a hash or of a generator of
    # random numbers has a larger product first.
    NO_LARGER = "behind an Ikra.sync no Integer gets larger than 64 bits: end the section there, and begin another one"
    LARGER = {
      "*" => "where only its low bits or a remainder are wanted, take them of each product, as in (a * b) & 0xffff " \
             "or a * b % m; #{NO_LARGER}",
      "<<" => "a result has 2**28 bits at most; #{NO_LARGER}", "**" => "a result has 2**28 bits at most; #{NO_LARGER}",
      "+" => NO_LARGER, "-" => NO_LARGER, "-@" => NO_LARGER
    }.freeze
    # The path of a block such as &:move, which has no frame of its own in Ruby.
    SYMBOL_PATH = "(symbol)"

    # Builds one exception; called by the extension.
    #
    # @param kind [Symbol] a method of Messages
    # @param details [Array] its arguments
    # @param frames [Array<Array(String, Integer, String, Boolean)>] path, line and label, innermost first, and whether
    #   it is a method of Ruby's own
    # @param guarding [String, nil] the clause of the code around a parallel call that would handle it
    # @param leaves [Boolean] does what is thrown leave the section, where a +catch+ waits for it?
    # @return [Exception]
    def self.build(kind, details, frames, element, tick, guarding, leaves)
      exception = case kind
                  when :overflow then overflow(element, *details)
                  when :race then Races.error(tick, *details)
                  when :uncaught_throw then Messages.uncaught_throw(*details, leaves: leaves && !guarding)
                  else Messages.public_send(kind, *details)
                  end
      is_kept = kind == :existing && (exception.frozen? || BACKTRACE.bind_call(exception))
      exception.set_backtrace(backtrace(frames)) unless is_kept
      exception = unhandled(exception, guarding) if guarding
      placed(exception, element, tick)
    end

    ENCODINGS = [Encoding::UTF_8, Encoding::US_ASCII, Encoding::BINARY].freeze

    # What Ruby says of a source that is no regular expression, with the number of the message's encoding; nil where it
    # is one, and where Ruby finds something wrong with a part of one that is put together: parts are not known.
    def self.of_pattern(source, options, interpolated)
      begin
        /#{source}/ if interpolated
      rescue RegexpError
        # It says where, without the options.
      end
      Regexp.new(source, options)
      nil
    rescue RegexpError => e
      encoding = ENCODINGS.index(e.message.encoding)
      encoding && [e.message, encoding]
    rescue ArgumentError
      nil
    end

    # An exception that the section has made, which Completion has gone over.
    def self.told(exception, element, tick, guarding, leaves)
      thrown(exception) if leaves && exception.instance_of?(UncaughtThrowError) && !guarding
      placed(guarding ? unhandled(exception, guarding) : exception, element, tick)
    end

    # Leaves the section where a +catch+ waits for what it has made: no section raises such exceptions but by +throw+.
    def self.thrown(exception)
      throw exception.tag, exception.value
    rescue UncaughtThrowError
      exception
    end
    private_class_method :thrown

    # What is thrown out of a section that has changed something.
    #
    # @param uncaught [Exception]
    # @return [ThrownWithChanges, nil] nil where no +catch+ waits for it, or where it is told as something else
    def self.thrown_with_changes(uncaught)
      return unless uncaught.instance_of?(UncaughtThrowError) && waits?(uncaught.tag)

      told = ThrownWithChanges.new(uncaught.message)
      told.set_backtrace(uncaught.backtrace)
      placed(told, uncaught.element_index, uncaught.tick)
    end

    # Does a +catch+ wait for it? What is thrown to find out stops here.
    def self.waits?(tag)
      waits = true
      throw tag
    rescue UncaughtThrowError
      waits = false
    ensure
      return waits # rubocop:disable Lint/EnsureReturn
    end
    private_class_method :waits?

    BACKTRACE = Exception.instance_method(:backtrace)
    SET_BACKTRACE = Exception.instance_method(:set_backtrace)

    METHOD = Kernel.instance_method(:method)
    SINGLETON_CLASS = Kernel.instance_method(:singleton_class)

    # Raises one with a cause, without the `exception` that its class may have, which says what `raise` raises.
    #
    # @param cause [Exception, nil]
    def self.raise_as_it_is(exception, cause)
      own = keep_as_it_is(exception)
      raise exception, cause:
    ensure
      SINGLETON_CLASS.bind_call(exception).remove_method(:exception) if own
    end

    # Has the extension, and +raise+, not ask an `exception` of its class, until {raise_as_it_is} has raised it.
    #
    # @return [Boolean] has it one?
    def self.keep_as_it_is(exception)
      return false if exception.frozen? || METHOD.bind_call(exception, :exception).owner == Exception

      SINGLETON_CLASS.bind_call(exception).define_method(:exception) { |*| self }
      true
    end

    CAUSE = Exception.instance_method(:cause)

    # What one has as its cause. That of one that was to have none is what was handled around the section, when the
    # extension raised it: it is forgotten.
    def self.cause(exception)
      Native.note(exception, :cause, nil) if Native.noted(exception, :without_cause) && !exception.frozen?
      CAUSE.bind_call(exception)
    end

    # The backtrace of one that was raised there.
    def self.backtrace(frames) = frames(frames) + outer_frames

    # Marks one with the element that has raised it.
    def self.placed(exception, element, tick)
      return exception if exception.frozen?

      keep_as_it_is(exception)
      exception.extend(ElementError)
      exception.element_index = element
      exception.tick = tick
      exception
    end

    # What elements have done before one fails is not known, so that nobody can go on from there.
    def self.unhandled(exception, guarding)
      hint = "#{guarding} it in the block, or around the section"
      case guarding
      when "rescue"
        unsupported(exception, "what an element raises cannot be rescued by the code around its parallel call: " \
                               "%s [unsupported-rescue]", hint)
      else
        unsupported(exception, "what an element raises ends the section before the `ensure` around its parallel " \
                               "call: %s [unsupported-ensure]", hint)
      end
    end

    # An `ensure` that Ruby would have run when a block of Ikra.sync raised; called by the extension.
    def self.before_ensure(exception)
      unsupported(exception, "what the block of Ikra.sync raises ends the section before the `ensure` around it: " \
                             "%s [unsupported-ensure]", "ensure it in the block, or around the section")
    end

    # Tells why a section ends with an exception, which is the cause.
    def self.unsupported(exception, form, hint)
      text = format(form, "#{exception.message} (#{exception.class})")
      raise UnsupportedError, "#{text}\n  hint: #{hint}", cause: exception
    rescue UnsupportedError => e
      e.set_backtrace(exception.backtrace)
      e
    end

    def self.overflow(element, operator)
      hint = "\n  hint: #{LARGER[operator]}" if LARGER.key?(operator)
      place = " (element #{element})" if element
      OverflowError.new("integer overflow in `#{operator}'#{place}: the result needs more than 64 bits#{hint}")
    end

    # A method of Ruby's own is told at the line that calls it, as far as that is one of the user's, or of Ruby's own.
    def self.frames(frames)
      at = within = nil
      lines = frames.reverse.filter_map do |path, line, label, native|
        own = path == SYMBOL_PATH || Composition.own?(path)
        next if own && !(native && at)

        at = "#{path}:#{line}" unless own
        within, frame = native ? native_frame(label, at, within) : [nil, frame_at(at, block_label(path, label))]
        frame
      end
      lines.reverse
    end

    # With where what it calls is called, if that is a line of Ruby's own.
    def self.native_frame(label, at, within)
      frame = InternalFrames.of(label) or return [within, frame_at(within || at, label)]
      [frame[/\A<internal:[^>]+>:\d+/], frame]
    end

    def self.frame_at(place, label) = "#{place}:in #{Messages.quoted(label)}"

    # One that an operator has raised that Ikra calls, as if the element had called it, at the place that `frames` tell.
    def self.as_raised_at(error, frames, element, tick)
      return error if error.frozen?

      own, others = (error.backtrace || []).partition { |frame| frame.start_with?(OWN) }
      inner = (error.backtrace || []).take_while { |frame| !own.include?(frame) }
      # A method in C has no frame but that of Ikra's line, which error_highlight would tell.
      error = Messages.without_line(error) if inner.empty?
      SET_BACKTRACE.bind_call(error, inner + frames(frames) + others.drop(inner.size))
      placed(error, element, tick)
    end

    # One of a block of Ikra.sync, which is evaluated apart from the code around it: in a lambda, in another one. Its
    # backtrace goes on with that code.
    def self.of_sync(exception, frames)
      (path, _, label), *around = frames
      below = caller
      backtrace = BACKTRACE.bind_call(exception) || []
      return exception if exception.frozen? || backtrace.last(below.size) != below

      lines = backtrace[0, backtrace.size - below.size]
      outer = lines.rindex { |line| line.start_with?("#{path}:") } or return exception
      lines = relabeled(lines.take(outer), path, block_label(path, label))
      SET_BACKTRACE.bind_call(exception, lines + frames(around) + outer_frames)
      exception
    end

    BLOCK = /\Ablock (?:\((?<levels>\d+) levels\) )?in (?<home>.+)\z/
    FRAME = /(?<=:in [`']).+(?='\z)/

    # Lines of a block and of what it calls, with the label that the block should have.
    def self.relabeled(lines, path, label)
      evaluated, real = [lines.last.to_s[FRAME], label].map { |of| BLOCK.match(of) }
      return lines unless evaluated && real

      lines.map do |line|
        block = BLOCK.match(line[FRAME]) if line.start_with?("#{path}:")
        next line unless block && block[:home] == evaluated[:home]

        levels = [block, real].sum { |of| levels(of) } - levels(evaluated)
        line.sub(FRAME) { "block #{"(#{levels} levels) " if levels > 1}in #{real[:home]}" }
      end
    end

    def self.levels(block) = (block[:levels] || 1).to_i

    # A block is told with the method around it as that is told itself, with its class in newer versions.
    def self.block_label(path, label)
      home = label[/\Ablock (?:\(\d+ levels\) )?in (\w+[?!=]?)\z/, 1] or return label
      location = caller_locations.find { |l| l.path == path && l.base_label == home }
      location ? label.delete_suffix(home) + location.label[/\S+\z/] : label
    end

    def self.outer_frames
      caller.reject { |frame| frame.start_with?(OWN) }
    end
    private_class_method :keep_as_it_is, :unhandled, :unsupported, :overflow, :frames, :native_frame, :frame_at,
                         :block_label, :relabeled, :levels, :outer_frames
  end
  private_constant :Failures
end

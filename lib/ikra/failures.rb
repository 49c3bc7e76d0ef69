# frozen_string_literal: true

module Ikra
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

    # Methods of Ruby's own that are written in Ruby are told by some versions where they stand: `<internal:kernel>:90`.
    # Ruby is asked for that.
    module InternalFrames
      FAILING = proc { raise KeyError }
      CALLS = {
        "Kernel#tap" => -> { 1.tap(&FAILING) },
        "Kernel#then" => -> { 1.then(&FAILING) },
        "Kernel#yield_self" => -> { 1.yield_self(&FAILING) }, # rubocop:disable Style/ObjectThen
        "Kernel#loop" => -> { loop(&FAILING) },
        "Kernel#Integer" => -> { Integer("") },
        "Kernel#Float" => -> { Float("") },
        "Integer#times" => -> { 1.times(&FAILING) },
        "Integer#ceildiv" => -> { 1.ceildiv(0) },
        "Array#each" => -> { [1].each(&FAILING) },
        "Array#map" => -> { [1].map(&FAILING) },
        "Array#select" => -> { [1].select(&FAILING) },
        "Array#first" => -> { [1].first(-1) },
        "Array#last" => -> { [1].last(-1) },
        "Array#sample" => -> { [1].sample(-1) },
        "Array#pack" => -> { [1].pack("a") },
        "String#unpack" => -> { "".unpack("@9C") },
        "String#unpack1" => -> { "".unpack1("@9C") }
      }.freeze
      @frames = {}

      # @return [String, nil] the frame of a method with this label, where it has one of its own
      def self.of(label)
        return @frames[label] if @frames.key?(label)

        call = CALLS[label] || CALLS.find { |name, _| name.end_with?("##{label}") }&.last
        @frames[label] = call && asked(call)
      end

      def self.asked(call)
        call.call
        nil
      rescue StandardError => e
        # Not those that this was called through.
        own = e.backtrace[0, e.backtrace.size - caller.size]
        own.find { |frame| frame.start_with?("<internal:") && !frame.include?("require") }
      end
      private_class_method :asked
    end
    private_constant :InternalFrames

    # Ruby's own messages. Where Ruby can be made to say them, it is: they differ between versions.
    module Messages
      PLAIN = Kernel.instance_method(:to_s)
      PLAIN_MESSAGE = Exception.instance_method(:to_s)

      # What Ruby says where the block raises.
      def self.said
        yield
      rescue StandardError => e
        PLAIN_MESSAGE.bind_call(e)
      end

      # A class may define methods of these names.
      CLASS = Kernel.instance_method(:class)
      SINGLETON_CLASS = Kernel.instance_method(:singleton_class)
      PUBLIC_SEND = Kernel.instance_method(:public_send)
      INSTANCE_EVAL = BasicObject.instance_method(:instance_eval)
      PUBLIC = Module.instance_method(:public_method_defined?)
      PROTECTED = Module.instance_method(:protected_method_defined?)
      PRIVATE = Module.instance_method(:private_method_defined?)

      # Names are quoted in another way since 3.4, and receivers told by their class since 3.3.
      UNDEFINED = said { 1.public_send(:"no method of any Integer") }
      QUOTE = UNDEFINED[/['`]/]
      TELLS_CLASSES = UNDEFINED.end_with?("an instance of Integer")
      # Some versions put the function's name in quotes.
      DOMAIN = said { Math.sqrt(-1.0) }
      # What versions say in other words, and how the running one says it.
      ARGUMENTS = { "min argument must be smaller than max argument" => said { 1.clamp(2, 1) } }.freeze
      # Names that can be written down as a variable.
      PLAIN_NAME = /\A[[:lower:]_][[:alnum:]_]*\z/

      module_function

      def zero_division
        ZeroDivisionError.new(native("divided by 0"))
      end

      # @param missing [String] why: +"undefined"+, +"private"+, +"protected"+ or +"super"+
      def no_method(name, receiver, text, missing)
        if missing != "super"
          asked = ask(receiver, text, name, missing != "undefined") { PUBLIC_SEND.bind_call(receiver, name) }
          return asked if asked
        end
        what = missing == "super" ? "super: no superclass method" : "#{missing} method"
        called = %w[private protected].include?(missing) ? " called" : ""
        said = "#{what} #{quoted(name)}#{called} for #{text || described(receiver)}"
        NoMethodError.new(said, name.to_sym, [], **known(receiver, text))
      end

      def name_error(name, receiver, text)
        asked = PLAIN_NAME.match?(name) && ask(receiver, text, name, false) { INSTANCE_EVAL.bind_call(receiver, name) }
        return asked if asked

        NameError.new("undefined local variable or method #{quoted(name)} for #{text || described(receiver)}",
                      name.to_sym, **known(receiver, text))
      end

      # A receiver that is known by its text alone is not kept, rather than another one.
      def known(receiver, text) = text ? {} : { receiver: }

      # Ruby raises it as it is.
      def existing(exception) = exception

      # Leaves the section where a +catch+ waits.
      def uncaught_throw(tag, _text, value, _value_text, leaves: false)
        return UncaughtThrowError.new(tag, value, "uncaught throw %p") unless leaves

        throw tag, value
      rescue UncaughtThrowError => e
        e
      end

      def type_error(message) = TypeError.new(native(message))
      def argument_error(message) = ArgumentError.new(native(ARGUMENTS.fetch(message, message)))
      def type_error_about(before, operand, text, after) = TypeError.new(native(about(before, operand, text, after)))

      def argument_error_about(before, operand, text, after)
        ArgumentError.new(native(about(before, operand, text, after)))
      end

      # What Ruby's own methods say is in no encoding as long as it is ASCII.
      def native(text) = text.ascii_only? ? text.b : text

      # As MRI, which tells Integers of more than one word by their class.
      def about(before, operand, text, after)
        case operand
        when Integer then text ||= "Integer" if operand.bit_length > 62
        end
        "#{before}#{text || operand.inspect}#{after}"
      end

      def float_domain(float) = FloatDomainError.new(native(float.to_s))

      def float_index(float)
        [].at(float)
      rescue RangeError => e
        RangeError.new(e.message)
      end

      def math_domain(name)
        Integer.sqrt(-1) if name == "isqrt"
        Math::DomainError.new(DOMAIN.sub("sqrt", name))
      rescue Math::DomainError => e
        Math::DomainError.new(e.message)
      end

      def range(message) = OverflowError.new(message)
      def unsupported(message) = UnsupportedError.new(message)
      def stack_too_deep = SystemStackError.new("stack level too deep")

      def frozen(receiver)
        FrozenError.new(native("can't modify frozen #{CLASS.bind_call(receiver)}: #{receiver.inspect}"), receiver:)
      end

      # What the section has made is no object of Ruby's, so there is nothing to show.
      def frozen_made(klass)
        UnsupportedError.new("a #{klass} that the section has made and frozen is changed [changed-record]\n  " \
                             "hint: change a copy: dup")
      end

      def index_too_small(index, length)
        IndexError.new(native("index #{index} too small for array; minimum: #{-length}"))
      end

      def fetch_index(index, length)
        IndexError.new(native("index #{index} outside of array bounds: #{-length}...#{length}"))
      end

      def no_memory = Error.new("too little memory for the arrays made in the section")

      def array_growth(index, length)
        UnsupportedError.new("index #{index} is past the end of an array of #{length}, which the section finds " \
                             "after an Ikra.sync only: writing there would grow the array [array-growth]\n  hint: " \
                             "fill the array first, as Array.new(#{index + 1}) does, or push to it")
      end

      # @param by_ruby [Boolean] is it what one of Ruby's own methods says?
      # @param by_literal [Boolean] is it a literal that is frozen?
      # @param of_array [Boolean] are the parts, where there are several, what an array shows of its items?
      def raise(exception_class, parts, by_ruby, by_literal, of_array)
        return exception_class.new unless parts

        told = parts.map { |value, text, inspected| text || (inspected ? value.inspect : value.to_s) }
        return exception_class.new(listed(parts, told)) if of_array && told.size > 1
        return exception_class.new(by_literal ? -joined(told) : joined(told)) unless by_ruby

        made = exception_class.new(said_by(exception_class, told.join))
        keep_reason(made) if exception_class == LocalJumpError
        made
      end

      # That no block is given.
      def keep_reason(error)
        error.instance_variable_set(:@exit_value, nil)
        error.instance_variable_set(:@reason, :noreason)
      end

      # A String alone is given as it is, which may be frozen. Of several the first that is not in US-ASCII has the
      # encoding of all, as where a String is put together.
      def joined(texts)
        return texts.first if texts.one?

        message = texts.join
        written = texts.map(&:encoding).find { |encoding| encoding != Encoding::US_ASCII }
        written && message.ascii_only? ? message.force_encoding(written) : message
      end

      # As Array#inspect: of ASCII only it is in the encoding of the first item's text.
      def listed(parts, texts)
        message = texts.join
        first = texts.index { |text| text != "[" }
        return message unless message.ascii_only?

        message.force_encoding(parts[first][1] ? Encoding::US_ASCII : texts[first].encoding)
      end

      # A message of Ruby's own methods: ASCII only it is in US-ASCII where it tells names and patterns, else in none.
      def said_by(exception_class, message)
        return message unless message.ascii_only?

        names = [NameError, NoMatchingPatternError].any? { |told| exception_class <= told }
        message.force_encoding(names ? Encoding::US_ASCII : Encoding::BINARY)
      end

      # Has Ruby raise the error itself, where nothing else can happen, and takes its message: without what
      # error_highlight would add, which is our own line.
      def ask(receiver, text, name, is_private)
        return if text || there?(receiver, name, is_private)

        yield
        nil
      rescue NameError => e
        arguments = e.is_a?(NoMethodError) ? [[]] : []
        e.class.new(PLAIN_MESSAGE.bind_call(e), e.name, *arguments, receiver:) if e.name == name.to_sym
      end

      # The same without what error_highlight would add.
      def without_line(error)
        message = PLAIN_MESSAGE.bind_call(error)
        case error
        when NameError then error.class.new(message, error.name, receiver: error.receiver)
        when TypeError, ArgumentError then error.class.new(message)
        else error
        end
      end

      def there?(receiver, name, is_private)
        holder = case receiver
                 when Module then SINGLETON_CLASS.bind_call(receiver)
                 else CLASS.bind_call(receiver)
                 end
        PUBLIC.bind_call(holder, name) ||
          (!is_private && [PROTECTED, PRIVATE].any? { |defined| defined.bind_call(holder, name) })
      end

      def quoted(name) = "#{QUOTE}#{name}'"

      # A receiver as the messages of NoMethodError and NameError name it.
      def described(receiver)
        return inspected(receiver) unless TELLS_CLASSES
        return "main" if TOPLEVEL_BINDING.receiver.equal?(receiver)

        case receiver
        when nil, true, false then receiver.inspect
        when Class then "class #{receiver}"
        when Module then "module #{receiver}"
        else "an instance of #{CLASS.bind_call(receiver)}"
        end
      end

      def inspected(receiver)
        text = begin
          receiver.inspect
        rescue StandardError
          PLAIN.bind_call(receiver)
        end
        text.start_with?("#") ? text : "#{text}:#{CLASS.bind_call(receiver)}"
      end
      private_class_method :said, :ask, :there?, :described, :inspected, :native, :said_by, :joined, :listed
    end
  end
  private_constant :Failures
end
